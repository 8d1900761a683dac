//! The profiles of one side of a plan that has one case: first the lane proves its answers, then it is profiled, in a process
//! for each profiler, so that neither sees the other.

use std::path::Path;
use std::time::Duration;

use super::perf::{Perf, PerfError};
use crate::campaign::{Answers, of_check, of_profile};
use crate::plan::{LeftOut, Plan, PlannedCheck, PlannedRun};
use crate::target::{Executor, RunError};
use crate::unit::{Case, Side};
use crate::worker::Taken;
use crate::worker::protocol::{Profile, Profiler};

/// What keeps a lane from being profiled.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// The case is not measured here.
    #[error("profile {case}: it {}", .why.reason())]
    LeftOut {
        /// The case.
        case: Case,
        /// Why.
        why: LeftOut,
    },
    /// The plan has no such run.
    #[error("profile the {0}: the plan has no run of it")]
    NoRun(Side),
    /// A process could not do its work.
    #[error("{what} `{lane}` in {case}: {source}")]
    Run {
        /// Whether it was to check or to profile.
        what: &'static str,
        /// The lane.
        lane: String,
        /// The case.
        case: Case,
        /// What went wrong.
        source: RunError,
    },
    /// The lane does not do what it promises.
    #[error(
        "profile `{lane}` in {case}: it breaks its contract there: check `{check}`: {failure}; where the time of wrong answers goes means nothing"
    )]
    Contract {
        /// The lane.
        lane: String,
        /// The case.
        case: Case,
        /// The check.
        check: String,
        /// What was found and expected.
        failure: String,
    },
    /// What is executed is not what it was at the beginning.
    #[error("profile `{lane}`: what is executed was changed meanwhile; nothing may be built while a profile is taken")]
    Changed {
        /// The lane.
        lane: String,
    },
    /// What is executed could not be read.
    #[error("read the executables: {0}")]
    Digests(RunError),
    /// The process gave no profile.
    #[error("profile `{lane}`: its process gave no {missing}")]
    Incomplete {
        /// The lane.
        lane: String,
        /// What is missing.
        missing: &'static str,
    },
    /// Nothing was noted.
    #[error(
        "profile `{lane}` in {case}: the {what} profile is empty after {operations} operations in {seconds:.1} s; {remedy}"
    )]
    Empty {
        /// The lane.
        lane: String,
        /// The case.
        case: Case,
        /// Which profile.
        what: &'static str,
        /// The operations.
        operations: u64,
        /// How long they took.
        seconds: f64,
        /// What to do.
        remedy: &'static str,
    },
    /// Programs can't be sampled.
    #[error(transparent)]
    Perf(#[from] PerfError),
}

/// What is to be profiled.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// A plan of one case.
    pub plan: &'a Plan,
    /// The side.
    pub side: Side,
    /// The least time that operations are sampled for.
    pub time_ns: u64,
    /// What samples programs, with a file that it may write; none where a suite samples itself.
    pub perf: Option<(&'a Perf, &'a Path)>,
}

/// The profiles of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profiles {
    /// Where its CPU time goes.
    pub cpu: Taken,
    /// What it allocates; none where it is a program of its own, whose allocations nobody here sees.
    pub heap: Option<Taken>,
}

/// Takes the profiles.
///
/// # Errors
///
/// A lane that breaks its contract, a process that does not do its work, and a profile in which nothing is.
pub fn take(order: &Order<'_>, executor: &mut dyn Executor) -> Result<Profiles, TakeError> {
    let Order { plan, side, .. } = *order;
    if let Some((case, why)) = plan.left_out.iter().find_map(|(case, why)| Some((plan.cases.get(*case)?, *why))) {
        return Err(TakeError::LeftOut { case: case.clone(), why });
    }
    let run = plan.runs.iter().find(|run| run.side == side).ok_or(TakeError::NoRun(side))?;
    let case = run.cases.first().and_then(|case| plan.cases.get(*case)).ok_or(TakeError::NoRun(side))?;
    let mut taker = Taker { order, executor, run, case, known: Answers::new() };
    let before = taker.executor.digests().map_err(TakeError::Digests)?;
    taker.check()?;
    let profiles = match order.perf {
        None => Profiles { cpu: taker.cpu(Profiler::Cpu)?, heap: Some(taker.heap()?) },
        Some((perf, data)) => {
            let sampled = taker.profile(Profiler::Under(perf.record(data)), None)?;
            let read = perf.read(data, sampled.profiled.pid)?;
            Profiles { cpu: taker.hold(Taken { profiled: sampled.profiled, ..read })?, heap: None }
        }
    };
    if taker.executor.digests().map_err(TakeError::Digests)? != before {
        return Err(TakeError::Changed { lane: taker.lane().to_owned() });
    }
    Ok(profiles)
}

struct Taker<'a, 'e> {
    order: &'a Order<'a>,
    executor: &'e mut dyn Executor,
    run: &'a PlannedRun,
    case: &'a Case,
    known: Answers,
}

impl<'a> Taker<'a, '_> {
    fn lane(&self) -> &'a str {
        self.order.plan.lane(self.run)
    }

    fn failed(&self, what: &'static str, lane: &str) -> impl FnOnce(RunError) -> TakeError + use<> {
        let (lane, case) = (lane.to_owned(), self.case.clone());
        move |source| TakeError::Run { what, lane, case, source }
    }

    /// The lane proves its answers; of programs the baseline before it, which the candidate's may be held to.
    fn check(&mut self) -> Result<(), TakeError> {
        let plan = self.order.plan;
        let mine = |check: &&PlannedCheck| {
            check.lane == self.lane()
                || plan.target.program(Side::Baseline).is_some() && check.lane == Side::Baseline.name()
        };
        let timeout = Duration::from_nanos(plan.profile.timeout_ns);
        let checks: Vec<PlannedCheck> = plan.checks.iter().filter(mine).cloned().collect();
        for check in checks {
            let contract = PlannedCheck { checks: plan.contract(&check.lane).to_vec(), ..check };
            let request = of_check(plan, &contract, &self.known);
            let output = self.executor.execute(&request, timeout).map_err(self.failed("check", &contract.lane))?;
            if let Some(broken) = output.checks.iter().find(|result| result.failure.is_some()) {
                return Err(TakeError::Contract {
                    lane: contract.lane,
                    case: broken.case.clone(),
                    check: broken.check.clone(),
                    failure: broken.failure.clone().unwrap_or_default(),
                });
            }
            for (case, digest) in output.answers {
                self.known.insert((contract.lane.clone(), case), digest);
            }
        }
        Ok(())
    }

    fn profile(&mut self, profiler: Profiler, operations: Option<u32>) -> Result<Taken, TakeError> {
        let plan = self.order.plan;
        // Programs hold their own answers to what is expected.
        let is_program = plan.target.program(self.run.side).is_some();
        let answer = self.known.get(&(self.lane().to_owned(), self.case.clone())).filter(|_| !is_program);
        let profile = Profile {
            profiler,
            warmup: plan.profile.warmup,
            time_ns: self.order.time_ns,
            operations,
            answer: answer.cloned(),
        };
        let request = of_profile(plan, self.run, profile, &self.known);
        let timeout = Duration::from_nanos(plan.profile.timeout_ns.saturating_add(self.order.time_ns));
        let output = self.executor.execute(&request, timeout).map_err(self.failed("profile", self.lane()))?;
        output.profile.ok_or_else(|| TakeError::Incomplete { lane: self.lane().to_owned(), missing: "profile" })
    }

    fn cpu(&mut self, profiler: Profiler) -> Result<Taken, TakeError> {
        let taken = self.profile(profiler, None)?;
        self.hold(taken)
    }

    /// Holds a profile of CPU time to there being something in it.
    fn hold(&self, taken: Taken) -> Result<Taken, TakeError> {
        if taken.weight() > 0 {
            return Ok(taken);
        }
        Err(self.empty(&taken, "CPU", "the lane waits, or is too short to be seen: sample it longer, with --seconds"))
    }

    /// The allocations of as many operations as a campaign counts. A lane that makes none has no profile of them, and that
    /// it makes none is what the figures say.
    fn heap(&mut self) -> Result<Taken, TakeError> {
        let taken = self.profile(Profiler::Allocations, Some(self.order.plan.counted))?;
        if taken.count() == 0 && taken.profiled.heap_allocs > 0 {
            return Err(self.empty(
                &taken,
                "allocation",
                "its stacks can't be walked: use a build with unwinding tables",
            ));
        }
        Ok(taken)
    }

    #[expect(clippy::cast_precision_loss, reason = "seconds for people")]
    fn empty(&self, taken: &Taken, what: &'static str, remedy: &'static str) -> TakeError {
        TakeError::Empty {
            lane: self.lane().to_owned(),
            case: self.case.clone(),
            what,
            operations: taken.profiled.operations,
            seconds: taken.profiled.wall_ns as f64 / 1e9,
            remedy,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::plan::{Digests, Selection};
    use crate::spec::{Format, parse};
    use crate::worker::Output;
    use crate::worker::protocol::{Profiled, Request, Stack, Task};

    const FILE: &str = r#"gate = 1
name = "probe"
title = "a loop"
target = { suite = "probe" }
matrix = { work = [10], cpus = [2] }
profile.full = { grade = "preliminary", pairs = 1, samples = 1 }
[[hypothesis]]
id = "loop"
claim = "c"
baseline = { lane = "steady" }
candidate = { lane = "slow" }
rollback = "r"
[[hypothesis.guardrail]]
metric = "latency"
max_ratio = 2.0
"#;

    fn plan(host_cpus: u32) -> Plan {
        let gate = parse("probe.toml", FILE, Format::Toml).expect("a gate").gate;
        let selection = Selection { profile: "full".to_owned(), host_cpus, ..Selection::default() };
        Plan::new(&gate, &selection, Digests::default()).expect("a plan")
    }

    /// Answers checks, and gives these profiles of CPU time and allocations.
    #[derive(Default)]
    struct Scripted {
        cpu: Option<Taken>,
        heap: Option<Taken>,
        asked: Vec<Request>,
        /// Whether what is executed is another each time.
        changes: bool,
        read: u32,
    }

    impl Executor for Scripted {
        fn execute(&mut self, request: &Request, _: Duration) -> Result<Output, RunError> {
            self.asked.push(request.clone());
            let mut output = Output::default();
            match &request.task {
                Task::Profile(Profile { profiler: Profiler::Cpu, .. }) => output.profile = self.cpu.clone(),
                Task::Profile(_) => output.profile = self.heap.clone(),
                _ => output.answers = request.cases.iter().map(|case| (case.clone(), "digest".to_owned())).collect(),
            }
            Ok(output)
        }

        fn digests(&mut self) -> Result<BTreeMap<String, String>, RunError> {
            self.read += u32::from(self.changes);
            Ok(BTreeMap::from([("gate".to_owned(), self.read.to_string())]))
        }
    }

    fn taken(weight: u64, heap_allocs: u64) -> Taken {
        let stacks = vec![Stack { functions: Vec::new(), count: 1, weight }];
        let profiled = Profiled { operations: 7, wall_ns: 1_500_000_000, heap_allocs, ..Profiled::default() };
        Taken { stacks: if weight == 0 { Vec::new() } else { stacks }, profiled, ..Taken::default() }
    }

    fn took(plan: &Plan, scripted: &mut Scripted) -> Result<Profiles, String> {
        let order = Order { plan, side: Side::Candidate, time_ns: 5, perf: None };
        take(&order, scripted).map_err(|error| error.to_string())
    }

    #[test]
    fn the_lane_is_checked_then_sampled_then_its_allocations_are_noted_each_in_a_process() {
        let mut scripted = Scripted { cpu: Some(taken(5, 0)), heap: Some(taken(64, 1)), ..Scripted::default() };
        let profiles = took(&plan(8), &mut scripted).expect("profiles");
        assert_eq!((profiles.cpu.weight(), profiles.heap.map(|heap| heap.weight())), (5, Some(64)));
        let [check, cpu, heap] = scripted.asked.as_slice() else { panic!("{:?}", scripted.asked) };
        assert_eq!(check.task, Task::Check { checks: vec!["row-count".to_owned()] });
        for (request, operations) in [(cpu, None), (heap, Some(crate::spec::COUNTED_OPERATIONS))] {
            let Task::Profile(profile) = &request.task else { panic!("{request:?}") };
            assert_eq!((request.lane.as_str(), request.limits.cpus), ("slow", 2));
            assert_eq!((profile.operations, profile.answer.as_deref()), (operations, Some("digest")));
        }
    }

    #[test]
    fn a_lane_that_allocates_nothing_has_no_stacks_and_one_that_takes_no_time_is_an_error() {
        let mut scripted = Scripted { cpu: Some(taken(5, 0)), heap: Some(taken(0, 0)), ..Scripted::default() };
        assert_eq!(took(&plan(8), &mut scripted).expect("profiles").heap.map(|heap| heap.count()), Some(0));
        scripted.heap = Some(taken(0, 3));
        let error = took(&plan(8), &mut scripted).expect_err("no stacks");
        assert!(error.contains("the allocation profile is empty after 7 operations in 1.5 s; its stacks"), "{error}");
        scripted.cpu = Some(taken(0, 0));
        let error = took(&plan(8), &mut scripted).expect_err("no samples");
        assert!(error.starts_with("profile `slow` in work=10 cpus=2: the CPU profile is empty"), "{error}");
    }

    #[test]
    fn what_is_left_out_changed_or_missing_is_told() {
        let mut scripted = Scripted { cpu: Some(taken(5, 0)), heap: Some(taken(64, 1)), ..Scripted::default() };
        let error = took(&plan(1), &mut scripted).expect_err("too few CPUs");
        assert_eq!(error, "profile work=10 cpus=2: it needs more CPUs than this host has");
        let mut empty = plan(8);
        empty.runs.clear();
        let error = took(&empty, &mut scripted).expect_err("no run");
        assert_eq!(error, "profile the candidate: the plan has no run of it");
        scripted.changes = true;
        let error = took(&plan(8), &mut scripted).expect_err("changed");
        assert!(error.starts_with("profile `slow`: what is executed was changed meanwhile"), "{error}");
        scripted.heap = None;
        let error = took(&plan(8), &mut scripted).expect_err("no profile");
        assert_eq!(error, "profile `slow`: its process gave no profile");
    }
}
