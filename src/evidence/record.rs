//! A campaign's evidence in memory: of each run what its samples come to, and never the samples of more than one.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::replay::{Replay, Resumption};
use super::summary::RunSummary;
use super::{EvidenceError, Outline, Provenance, outline};
use crate::plan::{Plan, PlannedRun};
use crate::spec::QuantileKind;
use crate::stats::QuantileRule;
use crate::unit::{Case, Side};
use crate::worker::protocol::{Cell, Observed};
use crate::workload::CheckResult;

/// Everything that a campaign has shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The frozen plan.
    pub plan: Plan,
    /// How each check came out, by lane.
    pub checks: BTreeMap<String, Vec<CheckResult>>,
    /// What the samples of the runs that are in place come to, by id.
    pub runs: BTreeMap<String, RunSummary>,
    /// What was not timed because its lane broke its contract.
    pub skipped: Vec<Skipped>,
    /// The pairs that there are to be: all of the plan's, unless the campaign has ended at a look.
    pub pairs: u32,
    /// How often work was interrupted and went on; nothing that is concluded depends on it.
    pub resumptions: Vec<Resumption>,
}

/// One run's samples, and what its process saw of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The run's id in the plan.
    pub id: String,
    /// One for each case, in the order in which they were measured.
    pub cells: Vec<Cell>,
    /// What the process saw of itself.
    pub observed: Observed,
}

/// A lane that is not timed in a case because it broke its contract there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The lane.
    pub lane: String,
    /// The case.
    pub case: Case,
}

impl Evidence {
    /// Evidence of a campaign that has not begun.
    #[must_use]
    pub const fn new(plan: Plan) -> Self {
        let pairs = plan.profile.pairs;
        Self {
            plan,
            checks: BTreeMap::new(),
            runs: BTreeMap::new(),
            skipped: Vec::new(),
            pairs,
            resumptions: Vec::new(),
        }
    }

    /// How `check` of `lane` came out in `case`; `None` where it did not run.
    #[must_use]
    pub fn check(&self, lane: &str, check: &str, case: &Case) -> Option<&CheckResult> {
        self.checks.get(lane)?.iter().find(|result| result.check == check && result.case == *case)
    }

    /// Whether `lane` was not timed in `case` because it broke its contract there.
    #[must_use]
    pub fn is_skipped(&self, lane: &str, case: &Case) -> bool {
        self.skipped.iter().any(|skipped| skipped.lane == lane && skipped.case == *case)
    }

    /// Whether `run` is left out, because either side of its pair broke its contract in one of its cases.
    #[must_use]
    pub fn leaves_out(&self, run: &PlannedRun) -> bool {
        let matchup = &self.plan.matchups[run.matchup];
        let broke = |side, case| self.is_skipped(matchup.lane(side), &self.plan.cases[case]);
        run.cases.iter().any(|&case| Side::BOTH.iter().any(|&side| broke(side, case)))
    }

    /// Takes the samples of one run for what they come to.
    pub fn place(&mut self, record: RunRecord) {
        let rule = match self.plan.analysis.quantile {
            QuantileKind::NearestRank => QuantileRule::NearestRank,
            QuantileKind::Linear => QuantileRule::Linear,
        };
        self.runs.insert(record.id.clone(), RunSummary::of(record, rule));
    }

    /// Reads a finished campaign's folder.
    ///
    /// # Errors
    ///
    /// A file that is missing, unreadable, of another version or not what the journal says, and a campaign that did not finish.
    pub fn load(path: &Path) -> Result<(Self, Provenance), EvidenceError> {
        let Outline { plan, provenance, replay, .. } = Outline::load(path)?;
        Ok((Self::new(plan).take(replay, path)?, provenance))
    }

    /// The evidence with all that `replay` tells of, from the campaign's folder `path`.
    ///
    /// # Errors
    ///
    /// A run's file that is missing, can't be understood or is not the one that was journalled.
    pub fn take(mut self, replay: Replay, path: &Path) -> Result<Self, EvidenceError> {
        self.pairs = replay.pairs(&self.plan);
        for (id, placed) in replay.placed {
            let record = outline::read_run(path, &id, &placed)?;
            self.place(record);
        }
        (self.checks, self.skipped, self.resumptions) = (replay.checks, replay.skipped, replay.resumptions);
        Ok(self)
    }
}
