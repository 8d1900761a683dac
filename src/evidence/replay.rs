//! What a journal's lines add up to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Event, EvidenceError, Finish, JournalError, Line, Skipped};
use crate::measure::Host;
use crate::plan::{Plan, PlannedRun};
use crate::unit::Case;
use crate::workload::CheckResult;

/// A run that is in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// SHA-256 of its file.
    pub sha256: String,
    /// How often this run was finished and thrown away before.
    pub take: u32,
    /// When its process was started, UTC.
    pub started: Option<jiff::Timestamp>,
    /// When its file was in place, UTC.
    pub finished: jiff::Timestamp,
}

/// A time at which work went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumption {
    /// What had stopped it, where that was journalled.
    pub after: Option<String>,
    /// Runs that were thrown away, because their pair was not finished.
    pub thrown_away: Vec<String>,
}

/// The state of a campaign after some lines of its journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replay {
    /// Which attempt at the plan it is.
    pub attempt: u32,
    /// What it was begun on, where that was journalled.
    pub host: Option<Host>,
    /// Ids of the checks that are done.
    pub checked: BTreeSet<String>,
    /// How each check came out, by lane.
    pub checks: BTreeMap<String, Vec<CheckResult>>,
    /// The digest of each lane's answer in each case.
    pub answers: BTreeMap<(String, Case), String>,
    /// What is not timed because its lane broke its contract.
    pub skipped: Vec<Skipped>,
    /// The runs that are in place, by id.
    pub placed: BTreeMap<String, Placed>,
    /// How often each run was finished.
    pub takes: BTreeMap<String, u32>,
    /// The pairs that are finished.
    pub pairs: BTreeSet<u32>,
    /// The looks that were taken, and whether the campaign ended there.
    pub looked: BTreeMap<u32, bool>,
    /// How often work went on.
    pub resumptions: Vec<Resumption>,
    /// What has stopped it, where nothing came after.
    pub interrupted: Option<String>,
    /// How it ended.
    pub finish: Option<Finish>,
}

impl Replay {
    /// Replays `lines`, the journal of a campaign of `plan` in the folder `path`.
    ///
    /// # Errors
    ///
    /// Lines of another plan, and lines that no campaign of this one can have written.
    pub fn of(lines: Vec<Line>, plan: &Plan, path: &Path) -> Result<Self, EvidenceError> {
        let mut replay = Self::default();
        let digest = plan.digest();
        let wrong = |seq: u64, what: &str| {
            let line = usize::try_from(seq).unwrap_or(usize::MAX).saturating_add(1);
            EvidenceError::from(JournalError { path: path.join("journal.jsonl"), line, what: what.to_owned() })
        };
        let mut started = BTreeMap::new();
        for Line { seq, at, event, .. } in lines {
            if replay.finish.is_some() {
                return Err(wrong(seq, "it stands behind the campaign's end"));
            }
            if (seq == 0) != matches!(event, Event::Started { .. }) {
                return Err(wrong(seq, "a campaign starts with its first line, and never again"));
            }
            match event {
                Event::Started { plan, attempt } => {
                    if plan != digest {
                        return Err(EvidenceError::OtherPlan { path: path.to_owned() });
                    }
                    replay.attempt = attempt;
                }
                Event::Host(host) => replay.host = Some(*host),
                Event::Checked { id, lane, results, answers, .. } => {
                    let planned = plan.checks.iter().any(|check| check.id == id && check.lane == lane);
                    if !planned || !replay.checked.insert(id) {
                        return Err(wrong(seq, "its check is not in the plan, or was done before"));
                    }
                    for (case, digest) in answers {
                        replay.answers.insert((lane.clone(), case), digest);
                    }
                    replay.checks.entry(lane).or_default().extend(results);
                }
                Event::Skipped(skipped) => replay.skipped.push(skipped),
                Event::RunFinished { id, sha256, take } => {
                    let planned = plan.runs.iter().any(|run| run.id == id);
                    let takes = replay.takes.entry(id.clone()).or_default();
                    if !planned || take != *takes || replay.placed.contains_key(&id) {
                        return Err(wrong(seq, "its run is not in the plan, or was finished before"));
                    }
                    *takes += 1;
                    let started = started.get(&id).copied();
                    replay.placed.insert(id, Placed { sha256, take, started, finished: at });
                }
                Event::RunStarted { id } => drop(started.insert(id, at)),
                Event::Warned { .. } => {}
                Event::PairFinished { pair } => {
                    replay.pairs.insert(pair);
                }
                Event::Looked { pairs, settled } => {
                    replay.looked.insert(pairs, settled);
                }
                Event::Interrupted { by } => replay.interrupted = Some(by),
                Event::Resumed { thrown_away, .. } => {
                    for id in &thrown_away {
                        if replay.placed.remove(id).is_none() {
                            return Err(wrong(seq, "it throws away a run that is not there"));
                        }
                    }
                    replay.resumptions.push(Resumption { after: replay.interrupted.take(), thrown_away });
                }
                Event::Ended(finish) => replay.finish = Some(finish),
            }
        }
        Ok(replay)
    }

    /// The pairs that the campaign has: all of the plan's, unless it ended at a look.
    #[must_use]
    pub fn pairs(&self, plan: &Plan) -> u32 {
        self.looked.iter().find(|(_, settled)| **settled).map_or(plan.profile.pairs, |(pairs, _)| *pairs)
    }

    /// The runs that are in place and whose other side is not, by id.
    #[must_use]
    pub fn halves(&self, plan: &Plan) -> Vec<String> {
        let pair = |run: &PlannedRun| (run.pair, run.matchup, run.cases.clone());
        let placed = |run: &PlannedRun| self.placed.contains_key(&run.id);
        let alone = |run: &&PlannedRun| {
            let other = plan.runs.iter().find(|other| other.side != run.side && pair(other) == pair(run));
            // One whose baseline is a recorded one has no other side.
            placed(run) && other.is_some_and(|other| !placed(other))
        };
        plan.runs.iter().filter(alone).map(|run| run.id.clone()).collect()
    }
}
