//! Doubts about a result, carried as data.

use serde::{Deserialize, Serialize};

use crate::unit::{Case, Side, Statistic};

/// A doubt about a result: what was seen, and what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Warning {
    /// Both sides are the same lane.
    EqualSides {
        /// The lane.
        lane: String,
    },
    /// A side is a lane with a known defect or a known extra cost.
    CalibrationLane {
        /// The lane.
        lane: String,
    },
    /// A metric that is compared exactly varied between runs, and is treated as noisy.
    ExactVaried {
        /// The metric.
        metric: String,
        /// The case.
        case: Case,
        /// The side whose runs differ.
        side: Side,
        /// The smallest value of a run.
        low: f64,
        /// The largest value of a run.
        high: f64,
    },
    /// A percentile that a run's samples do not resolve.
    Unresolved {
        /// The metric.
        metric: String,
        /// The statistic.
        statistic: Statistic,
        /// The case.
        case: Case,
        /// Samples in the smallest run.
        samples: usize,
    },
    /// So few pairs that the interval is coarse.
    FewPairs {
        /// The pairs.
        pairs: u32,
    },
    /// So few pairs that no noisy guardrail can be shown to fail after Holm's correction.
    HolmOutOfReach {
        /// The pairs.
        pairs: u32,
        /// The noisy guardrails times their cases.
        claims: usize,
        /// The pairs that it takes.
        needed: u32,
    },
    /// Peak memory is of the whole process, because the host does not let the peak be reset.
    PeakNotReset {
        /// The case.
        case: Case,
    },
    /// A limit that the profile asks for could not be enforced.
    LimitNotEnforced {
        /// Which, and why.
        what: String,
    },
}

impl Warning {
    /// The warning in a sentence, with what to do about it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::EqualSides { lane } => {
                format!("both sides are lane `{lane}`: this tries the gate, it compares nothing")
            }
            Self::CalibrationLane { lane } => {
                format!("lane `{lane}` has a known fault or a known extra cost: this tries the gate")
            }
            Self::ExactVaried { metric, case, side, low, high } => format!(
                "{metric} of the {side} varies between runs in {case} ({low} to {high}) although equal work should give equal values: it is judged as a noisy metric"
            ),
            Self::Unresolved { metric, statistic, case, samples } => {
                format!("{samples} samples do not resolve {statistic} of {metric} in {case}: raise `min_samples`")
            }
            Self::FewPairs { pairs } => {
                format!("{pairs} pairs give a coarse interval, whose ends are values of single pairs: raise `pairs`")
            }
            Self::HolmOutOfReach { pairs, claims, needed } => format!(
                "{pairs} pairs can't show that one of {claims} noisy guardrails fails after Holm's correction: it takes {needed} pairs"
            ),
            Self::PeakNotReset { case } => format!(
                "peak memory in {case} is of the whole process, fixtures included: this host does not let the peak be reset"
            ),
            Self::LimitNotEnforced { what } => format!("a limit of the profile is not in force: {what}"),
        }
    }
}
