//! The executor of plans.

use std::collections::BTreeMap;
use std::time::Duration;

use super::request;
use crate::evidence::{Event, Evidence, EvidenceError, Finish, Folder, Journal, RunRecord, Skipped};
use crate::plan::{Plan, PlannedRun};
use crate::target::{Executor, RunError};
use crate::unit::{Case, Side};
use crate::workload::CheckResult;

/// Tells the time, UTC.
pub type Clock<'a> = &'a dyn Fn() -> jiff::Timestamp;

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

/// A campaign: a frozen plan, where its evidence goes, and who watches.
pub struct Campaign<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Which attempt at the plan it is, from 1.
    pub attempt: u32,
    /// Where its evidence goes.
    pub folder: &'a Folder,
    /// What tells the time.
    pub clock: Clock<'a>,
    /// Who watches: sees every event once it is in the journal.
    pub watch: &'a mut dyn FnMut(&Event),
}

impl Campaign<'_> {
    /// Executes the plan with `executor`.
    ///
    /// # Errors
    ///
    /// What kept the plan from being done. The evidence so far stays in the folder, and the journal ends with the reason.
    pub fn execute(self, executor: &mut dyn Executor) -> Result<Evidence, CampaignError> {
        let journal = Journal::create(self.folder.path().join("journal.jsonl"))?;
        let mut state =
            State { evidence: Evidence::new(self.plan.clone()), answers: BTreeMap::new(), journal, campaign: self };
        match state.execute(executor) {
            Ok(()) => {
                state.tell(Event::Ended(Finish::Complete))?;
                Ok(state.evidence)
            }
            Err(error) => {
                // The first error is the one to tell, even where the journal can't take it.
                let _ = state.tell(Event::Ended(Finish::Failed { message: error.to_string() }));
                Err(error)
            }
        }
    }
}

struct State<'a> {
    campaign: Campaign<'a>,
    journal: Journal,
    evidence: Evidence,
    /// The digest of each lane's answer in each case.
    answers: request::Answers,
}

impl State<'_> {
    fn tell(&mut self, event: Event) -> Result<(), EvidenceError> {
        (self.campaign.watch)(&event);
        self.journal.append((self.campaign.clock)(), event)
    }

    fn execute(&mut self, executor: &mut dyn Executor) -> Result<(), CampaignError> {
        let plan = self.campaign.plan;
        self.tell(Event::Started { plan: plan.digest(), attempt: self.campaign.attempt })?;
        self.check(executor)?;
        let mut runs = plan.runs.iter().peekable();
        while let Some(run) = runs.next() {
            if !self.evidence.leaves_out(run) {
                self.run(executor, run)?;
            }
            if runs.peek().is_none_or(|next| next.pair != run.pair) {
                self.tell(Event::PairFinished { pair: run.pair })?;
            }
        }
        Ok(())
    }

    /// Each lane proves its answers before any is timed.
    fn check(&mut self, executor: &mut dyn Executor) -> Result<(), CampaignError> {
        let plan = self.campaign.plan;
        let timeout = Duration::from_nanos(plan.profile.timeout_ns);
        for check in &plan.checks {
            let request = request::of_check(plan, check, &self.answers);
            let output = executor.execute(&request, timeout).map_err(|source| CampaignError::Run {
                what: format!("check `{}`", check.id),
                lane: check.lane.clone(),
                cases: cases(&request.cases),
                source,
            })?;
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
                        if !skipped.contains(&skip) {
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
        let sha256 = self.campaign.folder.write_run(&record, &plan.metrics)?;
        self.tell(Event::RunFinished { id: run.id.clone(), sha256 })?;
        self.evidence.runs.insert(run.id.clone(), record);
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

fn cases(cases: &[Case]) -> String {
    cases.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
