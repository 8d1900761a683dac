//! Requests, and the children that are asked.

use std::collections::BTreeMap;
use std::time::Duration;

use gate::spec::{Fixture, Warmup};
use gate::unit::{AxisValue, Case};
use gate::worker::protocol::{Limits, Measure, PROTOCOL, Request, Task};
use gate::worker::{Output, Worker, WorkerError};

/// Longer than anything here takes.
pub(crate) const LONG: Duration = Duration::from_mins(1);

pub(crate) fn gate_worker() -> Worker {
    Worker::new(env!("CARGO_BIN_EXE_gate"), ["worker"])
}

/// A child that runs this script in place of the protocol.
pub(crate) fn script(text: &str) -> Worker {
    Worker::new("sh", ["-c", text])
}

pub(crate) fn case(work: i64) -> Case {
    Case::new(vec![("work".to_owned(), AxisValue::Integer(work))])
}

pub(crate) fn request(lane: &str, cases: Vec<Case>, task: Task) -> Request {
    Request {
        protocol: PROTOCOL,
        suite: "probe".to_owned(),
        lane: lane.to_owned(),
        subject: None,
        cases,
        fixture: Fixture { seed: 538, null_period: 13 },
        fixtures: BTreeMap::new(),
        limits: Limits { cpus: 1, memory_bytes: None, processes: None },
        slowdown: None,
        task,
    }
}

pub(crate) fn check(lane: &str) -> Request {
    request(lane, vec![case(10)], Task::Check { checks: vec!["row-count".to_owned()] })
}

/// The digest of a probe's answer, from its checks.
pub(crate) fn answer() -> String {
    let output = gate_worker().run(&check("steady"), LONG).expect("a lane that answers");
    output.answers.into_iter().next().expect("one answer").1
}

pub(crate) fn measure(samples: u32, answers: Vec<String>) -> Measure {
    Measure {
        warmup: Warmup::Operations(2),
        min_time_ns: None,
        samples: Some(samples),
        min_samples: None,
        counted: 3,
        answers,
    }
}

/// Measures so many operations of a probe lane.
pub(crate) fn run(lane: &str, samples: u32) -> Result<Output, WorkerError> {
    let task = Task::Measure(measure(samples, vec![answer()]));
    gate_worker().run(&request(lane, vec![case(10)], task), LONG)
}
