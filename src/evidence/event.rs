//! What happens in a campaign, in order: the journal keeps it, and a terminal draws it.

use serde::{Deserialize, Serialize};

use crate::measure::Host;
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
    /// What the campaign is measured on.
    Host(Box<Host>),
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
        /// How often this run was finished and thrown away before.
        #[serde(default, skip_serializing_if = "is_zero")]
        take: u32,
    },
    /// Something about a run that makes its numbers doubtful.
    Warned {
        /// The run's id in the plan.
        id: String,
        /// What.
        what: String,
    },
    /// All runs of a pair are in place.
    PairFinished {
        /// The pair, from 1.
        pair: u32,
    },
    /// The campaign has looked at what it had by then, as its plan says.
    Looked {
        /// The pairs that there were.
        pairs: u32,
        /// Whether every verdict was settled, so that it ends here.
        settled: bool,
    },
    /// Work has stopped before its end; it may be resumed.
    Interrupted {
        /// By what.
        by: String,
    },
    /// Work goes on after an interruption, or after a crash that left no trace.
    Resumed {
        /// What the campaign is measured on from here.
        host: Box<Host>,
        /// Runs that were finished and whose pair was not: they are thrown away, and run again.
        thrown_away: Vec<String>,
        /// Bytes of a line that a crash had left unfinished, and that were cut off.
        torn_bytes: u64,
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_zero(take: &u32) -> bool {
    *take == 0
}
