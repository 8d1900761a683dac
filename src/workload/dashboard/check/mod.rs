//! The checks of the suite: each holds an answer, or the way it came about, to the fixture.
//!
//! All fail closed: an answer that can't be had or read fails every check that needs it.

mod answers;
mod behaviour;
mod governance;
mod oracle;
mod pages;
mod retention;
mod text;
mod transport;
mod trial;
mod types;

pub use answers::AnswerCheck;
pub use behaviour::{empty_result, multiple_batches, one_query};

use self::trial::Trial;
use super::lane::Lane;
use super::{SUITE, pieces, subject};
use crate::unit::Case;
use crate::workload::catalogue::DASHBOARD;
use crate::workload::{CheckResult, Known, Setup, WorkloadError};

/// Runs these checks of the lane called `lane` in this case.
///
/// # Errors
///
/// A lane, case or check that the suite does not have, or whatever keeps DuckDB from opening.
pub fn check(
    lane: &str,
    case: &Case,
    setup: &Setup,
    checks: &[String],
    known: &mut Known,
) -> Result<Vec<CheckResult>, WorkloadError> {
    let subject = subject(case)?;
    if let Some(unknown) = checks.iter().find(|check| DASHBOARD.check(check).is_none()) {
        return Err(WorkloadError::NoSuchCheck { suite: SUITE, check: unknown.clone() });
    }
    let result = |check: &String, outcome: Result<(), String>| CheckResult {
        check: check.clone(),
        case: case.clone(),
        failure: outcome.err(),
    };
    if let Some(mut piece) = pieces::open(lane, subject, setup)? {
        let given = trial::Given::of_piece(piece.as_mut(), subject);
        let outcome = |check: &String| trial::judge_piece(check, lane, subject, setup, &given);
        return Ok(checks.iter().map(|check| result(check, outcome(check))).collect());
    }
    let mut trial = Trial::open(Lane::named(lane)?, subject, setup)?;
    // Tables of their own have the shape of the case and are answered in its form; its rows, visual and clients are not theirs.
    let part = format!("{}-{:?}", subject.table.shape.name(), subject.format);
    Ok(checks
        .iter()
        .map(|check| {
            let outcome = if Trial::looks_at_the_case(check) {
                trial.run(check)
            } else {
                known.get_or_run(check, part.clone(), || trial.run(check))
            };
            result(check, outcome)
        })
        .collect())
}
