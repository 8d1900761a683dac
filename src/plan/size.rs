//! How much a plan is.

use std::time::Duration;

use super::Plan;
use crate::spec::Warmup;

/// What one process costs beside its warm-up and its samples: start, fixture, checks of the answer, counted pass.
const OVERHEAD: Duration = Duration::from_millis(50);

/// The size of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Cases that are measured.
    pub cases: usize,
    /// Pairs of each case.
    pub pairs: u32,
    /// Processes that check.
    pub checks: usize,
    /// Processes that measure.
    pub runs: usize,
    /// The least time that it takes: known times and 50 ms a process; slow operations add to it.
    pub at_least: Duration,
}

impl Size {
    /// The size of `plan`.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let profile = &plan.profile;
        let warmup = match profile.warmup {
            Warmup::TimeNs(ns) => ns,
            Warmup::Operations(_) => 0,
        };
        let cell = Duration::from_nanos(warmup.saturating_add(profile.min_time_ns.unwrap_or(0)));
        let cells: u32 = plan.runs.iter().map(|run| u32::try_from(run.cases.len()).unwrap_or(u32::MAX)).sum();
        let processes = u32::try_from(plan.runs.len() + plan.checks.len()).unwrap_or(u32::MAX);
        Self {
            cases: plan.cases.len() - plan.left_out.len(),
            pairs: profile.pairs,
            checks: plan.checks.len(),
            runs: plan.runs.len(),
            at_least: OVERHEAD.saturating_mul(processes).saturating_add(cell.saturating_mul(cells)),
        }
    }
}
