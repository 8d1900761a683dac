//! `gate schema`

use super::{Exit, Failure, print};
use crate::spec;

pub(super) fn schema() -> Result<Exit, Failure> {
    print::data(&spec::schema())?;
    Ok(Exit::Proceed)
}
