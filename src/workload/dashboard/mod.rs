//! The suite `dashboard`: one query over `model.orders`, answered as Arrow IPC.
//!
//! All lanes run the same query ([`mod@query`]) on the same database ([`source`]), once an operation, and differ
//! in what they make of its batches ([`lane`], [`stage`]). Their answers are read back and held to the
//! fixture, which is made without the database ([`answer`], [`mod@check`]).

pub mod answer;
pub mod check;
pub mod lane;
pub mod query;
pub mod source;
pub mod stage;

use self::lane::{Dashboard, Lane};
use super::{Bench, Setup, WorkloadError};
use crate::fixture::{Family, Name, Shape};
use crate::unit::Case;

pub use self::check::check;

/// The suite's name.
pub(super) const SUITE: &str = "dashboard";

/// Opens the lane called `lane` in this case.
///
/// # Errors
///
/// A lane or case that the suite does not have, or whatever keeps DuckDB from opening.
pub fn open(lane: &str, case: &Case, setup: &Setup) -> Result<Box<dyn Bench>, WorkloadError> {
    let Name { shape, rows, .. } = fixture_name(case)?;
    Ok(Box::new(Dashboard::open(Lane::named(lane)?, shape, rows, setup)?))
}

/// The names of the fixtures that this case is measured on.
///
/// # Errors
///
/// A case that the suite does not have.
pub fn fixtures_for(case: &Case) -> Result<Vec<String>, WorkloadError> {
    Ok(vec![fixture_name(case)?.to_string()])
}

fn fixture_name(case: &Case) -> Result<Name, WorkloadError> {
    let axis = |axis, expected| WorkloadError::Axis { suite: SUITE, axis, case: case.clone(), expected };
    let shape = case.text("shape").and_then(Shape::named).ok_or_else(|| axis("shape", "`narrow` or `wide`"))?;
    let rows = case
        .integer("rows")
        .and_then(|rows| u32::try_from(rows).ok())
        .ok_or_else(|| axis("rows", "a whole number of rows"))?;
    Ok(Name { family: Family::Orders, shape, rows })
}
