//! What happens in a campaign, in order: the journal keeps it, and a terminal draws it.

use serde::{Deserialize, Serialize};

use crate::unit::Case;
use crate::worker::protocol::Observed;
use crate::workload::CheckResult;

/// Something that happened in a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Event {
    /// The plan is frozen; nothing has run yet.
    Started {
        /// SHA-256 of `plan.json`.
        plan: String,
        /// Which attempt at this plan it is, from 1.
        attempt: u32,
    },
    /// A process has checked a lane.
    Checked {
        /// The check's id in the plan.
        id: String,
        /// The lane.
        lane: String,
        /// How each check came out in each case.
        results: Vec<CheckResult>,
        /// The digest of the lane's answer in each case.
        answers: Vec<(Case, String)>,
        /// What the process saw of itself.
        observed: Box<Observed>,
    },
    /// A lane broke its contract in a case, and is not timed there.
    Skipped(super::Skipped),
    /// A process is about to measure.
    RunStarted {
        /// The run's id in the plan.
        id: String,
    },
    /// A process has measured, and its file is in place.
    RunFinished {
        /// The run's id in the plan.
        id: String,
        /// SHA-256 of its file.
        sha256: String,
    },
    /// All runs of a pair are in place.
    PairFinished {
        /// The pair, from 1.
        pair: u32,
    },
    /// The campaign is over; nothing follows.
    Ended(Finish),
}

/// How a campaign ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Finish {
    /// Every run of the plan is in place.
    Complete,
    /// The work could not be done.
    Failed {
        /// What went wrong, where, and what was expected.
        message: String,
    },
}
