//! What a process of the plan is asked to do.

use crate::plan::{Plan, PlannedCheck, PlannedRun};
use crate::spec::Target;
use crate::worker::protocol::{Limits, Measure, PROTOCOL, Request, Task};

/// The request of a process that checks.
pub(super) fn of_check(plan: &Plan, check: &PlannedCheck) -> Request {
    request(plan, &check.lane, &check.cases, check.cpus, Task::Check { checks: check.checks.clone() })
}

/// The request of a process that measures; `answers` are the digests that its answers must have, case by case.
pub(super) fn of_run(plan: &Plan, run: &PlannedRun, answers: Vec<String>) -> Request {
    let profile = &plan.profile;
    let measure = Measure {
        warmup: profile.warmup,
        min_time_ns: profile.min_time_ns,
        samples: profile.samples,
        min_samples: profile.min_samples,
        counted: plan.counted,
        answers,
    };
    request(plan, plan.lane(run), &run.cases, run.cpus, Task::Measure(measure))
}

fn request(plan: &Plan, lane: &str, cases: &[usize], cpus: u32, task: Task) -> Request {
    let Target::Suite(suite) = &plan.target;
    Request {
        protocol: PROTOCOL,
        suite: suite.clone(),
        lane: lane.to_owned(),
        cases: cases.iter().map(|&case| plan.cases[case].clone()).collect(),
        fixture: plan.fixture,
        fixtures: plan.digests.fixtures.clone(),
        limits: Limits { cpus, memory_bytes: plan.profile.memory_bytes, processes: plan.profile.processes },
        task,
    }
}
