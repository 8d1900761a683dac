//! `gate fixtures`

use super::{Exit, Failure, print};
use crate::fixture;

pub(super) fn fixtures() -> Result<Exit, Failure> {
    let manifest = fixture::manifest_toml().map_err(Failure::work)?;
    print::data(&manifest)?;
    Ok(Exit::Proceed)
}
