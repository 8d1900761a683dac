//! The executor of plans.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{CampaignError, request};
use crate::evidence::{
    Event, Evidence, EvidenceError, Finish, Folder, Journal, Replay, Resumption, RunRecord, Skipped,
};
use crate::measure::Host;
use crate::plan::{Plan, PlannedRun};
use crate::printable;
use crate::target::Executor;
use crate::unit::{Case, Side};
use crate::worker::protocol::Observed;
use crate::workload::CheckResult;

/// Tells the time, UTC.
pub type Clock<'a> = &'a dyn Fn() -> jiff::Timestamp;

/// The name of the journal.
const JOURNAL: &str = "journal.jsonl";

/// A campaign: a frozen plan, where its evidence goes, and who watches.
pub struct Campaign<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Which attempt at this plan it is, from 1.
    pub attempt: u32,
    /// What it is measured on.
    pub host: &'a Host,
    /// Where its evidence goes.
    pub folder: &'a Folder,
    /// Where times come from.
    pub clock: Clock<'a>,
    /// Hears every event.
    pub watch: &'a mut dyn FnMut(&Event),
    /// Whether evidence of so many pairs as it says settles every verdict; asked at the plan's looks.
    pub settled: &'a dyn Fn(&Evidence) -> bool,
}

impl Campaign<'_> {
    /// Executes the plan with `executor`.
    ///
    /// # Errors
    ///
    /// What kept the plan from being done. The evidence so far stays in the folder, and the journal ends with the reason.
    pub fn execute(self, executor: &mut dyn Executor) -> Result<Evidence, CampaignError> {
        let journal = Journal::create(self.folder.path().join(JOURNAL))?;
        State::new(self, journal).conclude(executor, None)
    }

    /// Goes on with a campaign that was interrupted, or that a crash has ended: what was finished stays, and a pair of which
    /// only one side was is thrown away, and run again whole. One that is complete is only read.
    ///
    /// # Errors
    ///
    /// A campaign that has failed, evidence that can't be read, and those of [`Campaign::execute`].
    pub fn resume(self, executor: &mut dyn Executor) -> Result<Evidence, CampaignError> {
        let path = self.folder.path();
        let (journal, lines, torn_bytes) = Journal::open(path.join(JOURNAL))?;
        let begun = !lines.is_empty();
        let mut replay = Replay::of(lines, self.plan, path)?;
        match replay.finish.take() {
            Some(Finish::Complete) => return Ok(Evidence::new(self.plan.clone()).take(replay, path)?),
            Some(Finish::Failed { message }) => {
                return Err(EvidenceError::Failed { path: path.to_owned(), message }.into());
            }
            None => {}
        }
        let thrown_away = replay.halves(self.plan);
        let event = Event::Resumed { host: Box::new(self.host.clone()), thrown_away: thrown_away.clone(), torn_bytes };
        let mut state = State::new(self, journal);
        if begun {
            state.take(replay, thrown_away)?;
        }
        state.conclude(executor, begun.then_some(event))
    }
}

struct State<'a> {
    campaign: Campaign<'a>,
    journal: Journal,
    evidence: Evidence,
    /// The digest of each lane's answer in each case.
    answers: request::Answers,
    /// The checks that are done.
    checked: BTreeSet<String>,
    /// How often each run was finished.
    takes: BTreeMap<String, u32>,
    /// The pairs that are finished.
    pairs: BTreeSet<u32>,
    /// The looks that were taken, and whether the campaign ended there.
    looked: BTreeMap<u32, bool>,
    /// What was warned of.
    warned: BTreeSet<String>,
}

impl<'a> State<'a> {
    fn new(campaign: Campaign<'a>, journal: Journal) -> Self {
        Self {
            evidence: Evidence::new(campaign.plan.clone()),
            campaign,
            journal,
            answers: BTreeMap::new(),
            checked: BTreeSet::new(),
            takes: BTreeMap::new(),
            pairs: BTreeSet::new(),
            looked: BTreeMap::new(),
            warned: BTreeSet::new(),
        }
    }

    /// Takes over what there is already, but for runs that are thrown away.
    fn take(&mut self, mut replay: Replay, thrown_away: Vec<String>) -> Result<(), EvidenceError> {
        for id in &thrown_away {
            replay.placed.remove(id);
        }
        let after = replay.interrupted.take();
        replay.resumptions.push(Resumption { after, thrown_away });
        self.answers.clone_from(&replay.answers);
        self.checked.clone_from(&replay.checked);
        self.takes.clone_from(&replay.takes);
        self.pairs.clone_from(&replay.pairs);
        self.looked.clone_from(&replay.looked);
        let evidence = Evidence::new(self.campaign.plan.clone());
        self.evidence = evidence.take(replay, self.campaign.folder.path())?;
        Ok(())
    }

    fn tell(&mut self, event: Event) -> Result<(), EvidenceError> {
        (self.campaign.watch)(&event);
        self.journal.append((self.campaign.clock)(), event)
    }

    /// Does what is left of the plan, and journals how that ends.
    fn conclude(mut self, executor: &mut dyn Executor, resumed: Option<Event>) -> Result<Evidence, CampaignError> {
        match self.execute(executor, resumed) {
            Ok(()) => {
                self.tell(Event::Ended(Finish::Complete))?;
                Ok(self.evidence)
            }
            Err(error) => {
                let message = error.to_string();
                // The first error is the one to tell, even where the journal can't take it.
                let _ = self.tell(if error.may_be_resumed() {
                    Event::Interrupted { by: message }
                } else {
                    Event::Ended(Finish::Failed { message })
                });
                Err(error)
            }
        }
    }

    fn execute(&mut self, executor: &mut dyn Executor, resumed: Option<Event>) -> Result<(), CampaignError> {
        let plan = self.campaign.plan;
        if let Some(resumed) = resumed {
            self.tell(resumed)?;
        } else {
            self.tell(Event::Started { plan: plan.digest(), attempt: self.campaign.attempt })?;
            self.tell(Event::Host(Box::new(self.campaign.host.clone())))?;
        }
        self.check(executor)?;
        let mut runs = plan.runs.iter().peekable();
        while let Some(run) = runs.next() {
            if !self.evidence.leaves_out(run) && !self.evidence.runs.contains_key(&run.id) {
                self.run(executor, run)?;
            }
            if runs.peek().is_none_or(|next| next.pair != run.pair) && self.end_pair(run.pair)? {
                break;
            }
        }
        Ok(())
    }

    /// Tells that a pair is finished, and looks at what there is by then where the plan says so: whether the campaign ends.
    fn end_pair(&mut self, pair: u32) -> Result<bool, CampaignError> {
        if self.pairs.insert(pair) {
            self.tell(Event::PairFinished { pair })?;
        }
        let profile = &self.campaign.plan.profile;
        if pair == profile.pairs || !profile.looks.contains(&pair) {
            return Ok(false);
        }
        self.evidence.pairs = pair;
        let settled = if let Some(&settled) = self.looked.get(&pair) {
            settled
        } else {
            let settled = (self.campaign.settled)(&self.evidence);
            self.looked.insert(pair, settled);
            self.tell(Event::Looked { pairs: pair, settled })?;
            settled
        };
        if !settled {
            self.evidence.pairs = profile.pairs;
        }
        Ok(settled)
    }

    /// Each lane proves its answers before any is timed.
    fn check(&mut self, executor: &mut dyn Executor) -> Result<(), CampaignError> {
        let plan = self.campaign.plan;
        let timeout = Duration::from_nanos(plan.profile.timeout_ns);
        for check in &plan.checks {
            if self.checked.contains(&check.id) {
                continue;
            }
            let request = request::of_check(plan, check, &self.answers);
            let mut output = executor.execute(&request, timeout).map_err(|source| CampaignError::Run {
                what: format!("check `{}`", check.id),
                lane: check.lane.clone(),
                cases: cases(&request.cases),
                source,
            })?;
            // Whatever broke, it may have said why.
            if let (Some(said), Some(failure)) =
                (last_words(&output.stderr), output.checks.iter_mut().find_map(|result| result.failure.as_mut()))
            {
                failure.push_str(&format!("; its stderr ends with `{said}`"));
            }
            let incomplete = |missing: String| CampaignError::Incomplete {
                what: format!("check `{}`", check.id),
                lane: check.lane.clone(),
                missing,
            };
            for case in &request.cases {
                for name in &check.checks {
                    if !output.checks.iter().any(|result| result.check == *name && result.case == *case) {
                        return Err(incomplete(format!("result of check `{name}` in {case}")));
                    }
                }
            }
            self.evidence.checks.entry(check.lane.clone()).or_default().extend(output.checks.iter().cloned());
            for (case, digest) in &output.answers {
                self.answers.insert((check.lane.clone(), case.clone()), digest.clone());
            }
            let observed = output.observed.ok_or_else(|| incomplete("account of itself".to_owned()))?;
            self.tell(Event::Checked {
                id: check.id.clone(),
                lane: check.lane.clone(),
                results: output.checks,
                answers: output.answers,
                observed: Box::new(observed),
            })?;
        }
        self.hold_to_contracts()
    }

    /// A baseline that breaks its contract ends the campaign; a candidate that does is not timed there.
    fn hold_to_contracts(&mut self) -> Result<(), CampaignError> {
        let plan = self.campaign.plan;
        let mut skipped: Vec<Skipped> = Vec::new();
        for (index, matchup) in plan.matchups.iter().enumerate() {
            for side in Side::BOTH {
                let lane = matchup.lane(side);
                let contract = plan.contract(lane);
                for run in plan.runs.iter().filter(|run| run.matchup == index && run.side == side && run.pair == 1) {
                    for case in run.cases.iter().map(|&case| &plan.cases[case]) {
                        let Some(broken) = broken(&self.evidence, lane, contract, case) else { continue };
                        if side == Side::Baseline {
                            return Err(CampaignError::Baseline {
                                lane: lane.to_owned(),
                                case: case.clone(),
                                check: broken.check.clone(),
                                failure: broken.failure.clone().unwrap_or_default(),
                            });
                        }
                        let skip = Skipped { lane: lane.to_owned(), case: case.clone() };
                        if !skipped.contains(&skip) && !self.evidence.skipped.contains(&skip) {
                            skipped.push(skip);
                        }
                    }
                }
            }
        }
        for skip in skipped {
            self.evidence.skipped.push(skip.clone());
            self.tell(Event::Skipped(skip))?;
        }
        Ok(())
    }

    fn run(&mut self, executor: &mut dyn Executor, run: &PlannedRun) -> Result<(), CampaignError> {
        let plan = self.campaign.plan;
        let lane = plan.lane(run);
        let mut answers = Vec::new();
        for case in run.cases.iter().map(|&case| &plan.cases[case]) {
            let answer =
                self.answers.get(&(lane.to_owned(), case.clone())).ok_or_else(|| CampaignError::Incomplete {
                    what: "its check".to_owned(),
                    lane: lane.to_owned(),
                    missing: format!("answer in {case}"),
                })?;
            answers.push(answer.clone());
        }
        self.hold_digests(executor, run, "before it")?;
        self.tell(Event::RunStarted { id: run.id.clone() })?;
        let request = request::of_run(plan, run, answers, &self.answers);
        let timeout = Duration::from_nanos(plan.profile.timeout_ns);
        let output = executor.execute(&request, timeout).map_err(|source| CampaignError::Run {
            what: format!("run `{}`", run.id),
            lane: lane.to_owned(),
            cases: cases(&request.cases),
            source,
        })?;
        self.hold_digests(executor, run, "after it")?;
        let incomplete = |missing: String| CampaignError::Incomplete {
            what: format!("run `{}`", run.id),
            lane: lane.to_owned(),
            missing,
        };
        if let Some(case) =
            request.cases.iter().find(|case| !output.cells.iter().any(|cell| cell.case.without_bench() == **case))
        {
            return Err(incomplete(format!("samples of {case}")));
        }
        let observed = output.observed.ok_or_else(|| incomplete("account of itself".to_owned()))?;
        let record = RunRecord { id: run.id.clone(), cells: output.cells, observed };
        let take = *self.takes.get(&run.id).unwrap_or(&0);
        let sha256 = self.campaign.folder.write_run(&record, take, &plan.metrics)?;
        self.tell(Event::RunFinished { id: run.id.clone(), sha256, take })?;
        self.takes.insert(run.id.clone(), take + 1);
        self.warn(&run.id, &record.observed)?;
        self.evidence.place(record);
        Ok(())
    }

    /// Journals what makes a run's numbers doubtful, once where it is the same for all.
    fn warn(&mut self, id: &str, observed: &Observed) -> Result<(), EvidenceError> {
        let throttled = observed.meanwhile.and_then(|meanwhile| meanwhile.throttled).filter(|share| *share > 0.0);
        let throttled = throttled.map(|share| format!("its CPU was taken away for {share:.3} of its time"));
        let unenforced: Vec<String> =
            observed.unenforced.iter().filter(|what| self.warned.insert((*what).clone())).cloned().collect();
        for what in unenforced.into_iter().chain(throttled) {
            self.tell(Event::Warned { id: id.to_owned(), what })?;
        }
        Ok(())
    }

    fn hold_digests(
        &self,
        executor: &mut dyn Executor,
        run: &PlannedRun,
        when: &'static str,
    ) -> Result<(), CampaignError> {
        let found = executor.digests().map_err(|source| CampaignError::Digests { run: run.id.clone(), source })?;
        for (label, planned) in &self.campaign.plan.digests.executables {
            let found = found.get(label).cloned().unwrap_or_else(|| "missing".to_owned());
            if found != *planned {
                return Err(CampaignError::Changed {
                    run: run.id.clone(),
                    label: label.clone(),
                    when,
                    planned: planned.clone(),
                    found,
                });
            }
        }
        Ok(())
    }
}

fn broken<'a>(evidence: &'a Evidence, lane: &str, contract: &[String], case: &Case) -> Option<&'a CheckResult> {
    contract.iter().filter_map(|check| evidence.check(lane, check, case)).find(|result| result.failure.is_some())
}

/// The last line of what a process said, of bounded length; `None` where it said nothing.
fn last_words(stderr: &str) -> Option<String> {
    stderr.lines().rev().find(|line| !line.trim().is_empty()).map(|line| printable::short(line.trim()))
}

fn cases(cases: &[Case]) -> String {
    cases.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
