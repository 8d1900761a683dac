//! What a process of the plan is asked to do.

use std::collections::BTreeMap;

use crate::plan::{Plan, PlannedCheck, PlannedRun};
use crate::program::{Kept, Subject};
use crate::unit::{Case, Scope, Side};
use crate::worker::protocol::{Limits, Measure, PROTOCOL, Profile, Request, Task};

/// The digests of each lane's answers, case by case.
pub type Answers = BTreeMap<(String, Case), String>;

/// The request of a process that checks; `known` are the answers of the lanes that were checked before it.
#[must_use]
pub fn of_check(plan: &Plan, check: &PlannedCheck, known: &Answers) -> Request {
    request(plan, &check.lane, &check.cases, check.cpus, known, Task::Check { checks: check.checks.clone() })
}

/// The request of a process that measures; `answers` are the digests that its answers must have, case by case.
pub(super) fn of_run(plan: &Plan, run: &PlannedRun, answers: Vec<String>, known: &Answers) -> Request {
    let profile = &plan.profile;
    let measure = Measure {
        warmup: profile.warmup,
        min_time_ns: profile.min_time_ns,
        samples: profile.samples,
        min_samples: profile.min_samples,
        counted: plan.counted,
        answers,
    };
    let slowdown = plan.slowdown.filter(|_| run.side == Side::Candidate);
    let request = request(plan, plan.lane(run), &run.cases, run.cpus, known, Task::Measure(measure));
    Request { slowdown, ..request }
}

/// The request of a process that profiles what `run` would measure.
#[must_use]
pub fn of_profile(plan: &Plan, run: &PlannedRun, profile: Profile, known: &Answers) -> Request {
    request(plan, plan.lane(run), &run.cases, run.cpus, known, Task::Profile(profile))
}

fn request(plan: &Plan, lane: &str, cases: &[usize], cpus: u32, known: &Answers, task: Task) -> Request {
    let cases: Vec<Case> = cases.iter().map(|&case| plan.cases[case].clone()).collect();
    Request {
        protocol: PROTOCOL,
        suite: plan.target.suite().to_owned(),
        lane: lane.to_owned(),
        subject: subject(plan, lane, &cases, known),
        cases,
        fixture: plan.fixture,
        fixtures: plan.digests.fixtures.clone(),
        limits: Limits { cpus, memory_bytes: plan.profile.memory_bytes, processes: plan.profile.processes },
        slowdown: None,
        task,
    }
}

/// What is executed, where the target is about programs: there each side is a lane, and only the candidate is held to
/// what the other answers.
fn subject(plan: &Plan, lane: &str, cases: &[Case], known: &Answers) -> Option<Subject> {
    let side = Side::BOTH.into_iter().find(|side| side.name() == lane)?;
    let of_baseline = |case: &Case| known.get(&(Side::Baseline.name().to_owned(), case.clone()));
    let references = match side {
        Side::Baseline => Vec::new(),
        Side::Candidate => cases.iter().filter_map(|case| Some((case.clone(), of_baseline(case)?.clone()))).collect(),
    };
    let reported = plan.metrics.iter().filter(|metric| metric.scope == Scope::Reported);
    Some(Subject {
        program: plan.target.program(side)?.clone(),
        output: plan.target.output(),
        metrics: reported
            .map(|metric| Kept { name: metric.name.to_string(), unit: metric.unit, direction: metric.direction })
            .collect(),
        expect: plan.target.expect()?.clone(),
        references,
    })
}
