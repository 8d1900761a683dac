//! What ends a campaign early.

use crate::evidence::EvidenceError;
use crate::target::RunError;
use crate::unit::Case;

/// What ends a campaign before its plan is done.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A process could not do its work.
    #[error("{what} ({lane}, {cases}): {source}")]
    Run {
        /// The process, by its id in the plan.
        what: String,
        /// The lane.
        lane: String,
        /// The cases that it was to measure.
        cases: String,
        /// What went wrong.
        source: RunError,
    },
    /// What is executed is not what the plan was frozen with.
    #[error(
        "run `{run}`: the executable `{label}` changed {when}: the plan has {planned}, it is {found} now; nothing may be built while a campaign runs"
    )]
    Changed {
        /// The run.
        run: String,
        /// The executable.
        label: String,
        /// Before or after the run.
        when: &'static str,
        /// Its digest in the plan.
        planned: String,
        /// Its digest now.
        found: String,
    },
    /// The executables could not be read.
    #[error("read the executables before or after `{run}`: {source}")]
    Digests {
        /// The run.
        run: String,
        /// What went wrong.
        source: RunError,
    },
    /// The baseline does not do what it promises.
    #[error(
        "baseline `{lane}` breaks its contract in {case}: check `{check}`: {failure}; a comparison against it would mean nothing"
    )]
    Baseline {
        /// The lane.
        lane: String,
        /// The case.
        case: Case,
        /// The check.
        check: String,
        /// What was found and expected.
        failure: String,
    },
    /// A process did not give what it was asked for.
    #[error("{what} ({lane}): it gave no {missing}")]
    Incomplete {
        /// The process, by its id in the plan.
        what: String,
        /// The lane.
        lane: String,
        /// What is missing.
        missing: String,
    },
    /// The evidence could not be kept.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
}

impl CampaignError {
    /// Whether the campaign may go on later: it was interrupted, or the disk did not take its evidence. Whatever else ends it
    /// would end it again, and to try until it does not would be to choose.
    #[must_use]
    pub fn may_be_resumed(&self) -> bool {
        match self {
            Self::Run { source, .. } => source.is_interruption(),
            Self::Evidence(EvidenceError::Io { .. }) => true,
            _ => false,
        }
    }
}
