//! The end that is measured: it reads a request, bounds itself, and does what is asked.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

use serde::Deserialize;

use super::pass::{self, Measurement, PassError};
use super::profiled::{self, ProfileError};
use super::protocol::{
    Failure, Limits, MAX_PART, MAX_SAMPLES, Meanwhile, Measure, Measured, Message, Observed, PROTOCOL, Profile,
    Profiler, Request, Samples, Task,
};
use crate::fixture::{self, FixtureError};
use crate::measure::{Load, alloc, clock, host, limits, memory, rusage};
use crate::program::{Output, Subject};
use crate::unit::Case;
use crate::workload::catalogue::Suite;
use crate::workload::slowed::Slowed;
use crate::workload::{self, Bench, Counters, Known, Setup, WorkloadError, program};

/// The longest request that a child reads, in bytes.
const MAX_REQUEST: u64 = 64 << 20;

/// What ends a child without its work done.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The parent can't be spoken to.
    #[error("speak to the parent: {0}")]
    Parent(#[from] io::Error),
    /// The work could not be done; the parent has been told.
    #[error("{0}")]
    Work(String),
}

/// What keeps a child from its work.
#[derive(Debug, thiserror::Error)]
enum ChildError {
    #[error("read the request: {0}")]
    Request(String),
    #[error(
        "the request is in version {0} of the protocol, this program speaks {PROTOCOL}; both ends must be one build"
    )]
    Protocol(u32),
    #[error(transparent)]
    Limit(#[from] limits::LimitError),
    #[error("there is no suite `{0}`")]
    NoSuchSuite(String),
    #[error("the request {0}")]
    Unmeetable(String),
    #[error(
        "fixture `{name}` {when}: the plan has digest `{expected}`, it is `{found}`; nothing may be changed while a campaign runs"
    )]
    Fixture { name: String, when: &'static str, expected: String, found: String },
    #[error(transparent)]
    FixtureFailed(#[from] FixtureError),
    #[error("open lane `{lane}`: {source}")]
    Open { lane: String, source: WorkloadError },
    #[error("check lane `{lane}`: {source}")]
    Check { lane: String, source: WorkloadError },
    #[error(transparent)]
    Pass(#[from] PassError),
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error("read what this process used: {0}")]
    Usage(io::Error),
    #[error("count allocations: this program does not install the counting allocator")]
    NoAllocator,
    #[error(transparent)]
    Parent(io::Error),
}

impl ChildError {
    const fn kind(&self) -> Failure {
        match self {
            Self::Protocol(_) => Failure::Protocol,
            Self::Pass(error) | Self::Profile(ProfileError::Pass(error)) => error.kind(),
            Self::Open { .. } | Self::Check { .. } | Self::Profile(_) | Self::Usage(_) | Self::Parent(_) => {
                Failure::Lane
            }
            _ => Failure::Refused,
        }
    }
}

/// The process `gate worker`: ties itself to its parent, and serves one request on stdin and stdout.
#[must_use]
pub fn main() -> ExitCode {
    // Before anything is said: a parent that is gone by then can't be written to, so that no child is left alone.
    let untied = limits::die_with_parent().err().map(|error| error.to_string());
    match converse(io::stdin().lock(), io::stdout().lock(), untied.into_iter().collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Serves one request: reads it from `input`, binds the calling thread and bounds the process as it says, does the work,
/// and writes [`Message`]s to `output`.
///
/// # Errors
///
/// The work could not be done, which `output` was told, or `output` can't be written.
pub fn serve(input: impl Read, output: impl Write) -> Result<(), ServeError> {
    converse(input, output, Vec::new())
}

fn converse(input: impl Read, output: impl Write, unenforced: Vec<String>) -> Result<(), ServeError> {
    let mut parent = Parent(BufWriter::new(output));
    parent.say(&Message::Hello { protocol: PROTOCOL, pid: std::process::id() })?;
    match work(input, &mut parent, unenforced) {
        Ok(observed) => {
            parent.say(&Message::Observed(observed))?;
            Ok(parent.say(&Message::Done)?)
        }
        Err(ChildError::Parent(error)) => Err(error.into()),
        Err(error) => {
            parent.say(&Message::Failed { kind: error.kind(), message: error.to_string() })?;
            Err(ServeError::Work(error.to_string()))
        }
    }
}

/// The parent, as something to be told.
struct Parent<W: Write>(BufWriter<W>);

impl<W: Write> Parent<W> {
    fn say(&mut self, message: &Message) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, message)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }

    fn tell(&mut self, message: &Message) -> Result<(), ChildError> {
        self.say(message).map_err(ChildError::Parent)
    }

    /// The samples of one metric, in parts.
    fn tell_samples(&mut self, metric: &str, samples: Samples) -> Result<(), ChildError> {
        let mut part = |values| self.tell(&Message::Samples { metric: metric.to_owned(), values });
        match samples {
            Samples::Integers(values) => {
                values.chunks(MAX_PART).try_for_each(|values| part(Samples::Integers(values.to_vec())))
            }
            Samples::Reals(values) => {
                values.chunks(MAX_PART).try_for_each(|values| part(Samples::Reals(values.to_vec())))
            }
        }
    }

    /// A measured case: its samples, then its end.
    fn tell_measured(&mut self, measurement: Measurement) -> Result<(), ChildError> {
        for (metric, samples) in measurement.samples {
            self.tell_samples(metric, samples)?;
        }
        self.tell(&Message::Cell(measurement.measured))
    }
}

fn work<W: Write>(
    input: impl Read,
    parent: &mut Parent<W>,
    mut unenforced: Vec<String>,
) -> Result<Observed, ChildError> {
    let request = read_request(input)?;
    let suite = Suite::find(&request.suite).ok_or_else(|| ChildError::NoSuchSuite(request.suite.clone()))?;
    let cpus = bound(&request.limits, &mut unenforced)?;
    let (begin, before) = (clock::now(), Load::observe());
    if !memory::keep_freed() {
        unenforced.push("freed memory is not kept for the next operation: the C library is not glibc".to_owned());
    }
    let limits = limits::observed();
    let fixtures = Fixtures::of(&request)?;
    fixtures.verify("before the run")?;
    let Work { peak_reset, log } = match &request.task {
        Task::Check { checks } => check(&request, checks, parent)?,
        Task::Measure(task) => measure(&request, suite, task, parent)?,
        Task::Profile(task) => profile(&request, suite, task, parent)?,
    };
    fixtures.verify("after the run")?;
    let duckdb = if fixtures.expected.is_empty() { None } else { host::duckdb() };
    let usage = rusage::own().map_err(ChildError::Usage)?;
    Ok(Observed {
        cpus,
        limits,
        unenforced,
        peak_reset,
        duckdb,
        cpu_ns: usage.cpu_ns(),
        minor_faults: usage.minor_faults,
        major_faults: usage.major_faults,
        voluntary_switches: usage.voluntary_switches,
        involuntary_switches: usage.involuntary_switches,
        meanwhile: Some(meanwhile(&before, &Load::observe(), begin.elapsed_ns())),
        log,
    })
}

/// What was going on between two looks at the host, `wall_ns` apart.
#[expect(clippy::cast_precision_loss, reason = "times far below 2^53 ns")]
fn meanwhile(before: &Load, after: &Load, wall_ns: u64) -> Meanwhile {
    // A tick of the kernel's accounting has been 10 ms on every Linux that has one: a short process can't tell.
    const TICK_NS: f64 = 1e7;
    const SHORT_NS: u64 = 200_000_000;
    let share = |ns: f64| ns / (wall_ns.max(1) as f64);
    let grown = |of: fn(&Load) -> Option<u64>| Some(of(after)?.saturating_sub(of(before)?) as f64);
    Meanwhile {
        load: before.average_1m,
        stolen: grown(|load| load.steal_ticks).filter(|_| wall_ns >= SHORT_NS).map(|ticks| share(ticks * TICK_NS)),
        throttled: grown(|load| load.throttled_ns).map(share),
    }
}

/// What is known when the work is done, beside what the parent was told of each case.
#[derive(Default)]
struct Work {
    /// Whether the peak of memory was reset for each case.
    peak_reset: bool,
    /// What programs wrote beside their benches.
    log: Vec<String>,
}

fn read_request(input: impl Read) -> Result<Request, ChildError> {
    /// What every version of the protocol has.
    #[derive(Deserialize)]
    struct Version {
        protocol: u32,
    }

    let mut text = Vec::new();
    input.take(MAX_REQUEST + 1).read_to_end(&mut text).map_err(|error| ChildError::Request(error.to_string()))?;
    if text.len() as u64 > MAX_REQUEST {
        return Err(ChildError::Request(format!("it is longer than {MAX_REQUEST} bytes")));
    }
    let unreadable = |error: serde_json::Error| ChildError::Request(error.to_string());
    let Version { protocol } = serde_json::from_slice(&text).map_err(unreadable)?;
    if protocol != PROTOCOL {
        return Err(ChildError::Protocol(protocol));
    }
    let request: Request = serde_json::from_slice(&text).map_err(unreadable)?;
    match unmeetable(&request) {
        Some(why) => Err(ChildError::Unmeetable(why)),
        None => Ok(request),
    }
}

/// Why a request asks for what can't be done.
fn unmeetable(request: &Request) -> Option<String> {
    if request.cases.is_empty() {
        return Some("names no case".to_owned());
    }
    let task = match &request.task {
        Task::Measure(task) => task,
        Task::Profile(_) if request.cases.len() > 1 => return Some("profiles several cases at once".to_owned()),
        Task::Check { .. } | Task::Profile(_) => return None,
    };
    let (cases, answers) = (request.cases.len(), task.answers.len());
    if cases != answers {
        return Some(format!("has {answers} answers for {cases} cases; each case needs its own"));
    }
    if task.samples.is_none() && task.min_time_ns.is_none() && task.min_samples.is_none() {
        return Some("says neither `samples` nor `min_time` nor `min_samples`".to_owned());
    }
    let most = [task.samples, task.min_samples, Some(task.counted)].into_iter().flatten().max();
    if task.samples == Some(0) {
        return Some("asks for `samples = 0`; it takes at least one".to_owned());
    }
    most.filter(|most| *most as usize > MAX_SAMPLES)
        .map(|most| format!("asks for {most} samples of one metric; there may be {MAX_SAMPLES} at most"))
}

/// Bounds this process; returns the CPUs that it is bound to.
fn bound(limits: &Limits, unenforced: &mut Vec<String>) -> Result<Vec<usize>, ChildError> {
    let cpus = limits::bind_cpus(limits.cpus)?;
    if let Some(bytes) = limits.memory_bytes {
        unenforced.extend(limits::limit_memory(bytes)?);
    }
    if let Some(count) = limits.processes {
        unenforced.extend(limits::limit_processes(count)?);
    }
    Ok(cpus)
}

/// The fixtures of a request, with the digests that they must have.
struct Fixtures {
    expected: BTreeMap<String, String>,
    null_period: u32,
}

impl Fixtures {
    fn of(request: &Request) -> Result<Self, ChildError> {
        let mut expected = BTreeMap::new();
        // Programs have files of their own, which whoever planned the run looks after.
        let cases = if request.subject.is_some() { &[] } else { request.cases.as_slice() };
        for case in cases {
            let names = workload::fixtures(&request.suite, case)
                .map_err(|source| ChildError::Open { lane: request.lane.clone(), source })?;
            for name in names {
                let digest = request.fixtures.get(&name).ok_or_else(|| {
                    ChildError::Unmeetable(format!("has no digest for fixture `{name}`, which {case} needs"))
                })?;
                expected.insert(name, digest.clone());
            }
        }
        Ok(Self { expected, null_period: request.fixture.null_period })
    }

    fn verify(&self, when: &'static str) -> Result<(), ChildError> {
        for (name, expected) in &self.expected {
            let found = fixture::digest(&fixture::generate(name, self.null_period)?)?;
            if found != *expected {
                return Err(ChildError::Fixture { name: name.clone(), when, expected: expected.clone(), found });
            }
        }
        Ok(())
    }
}

fn setup(request: &Request) -> Setup {
    Setup { seed: request.fixture.seed, null_period: request.fixture.null_period, threads: request.limits.cpus }
}

fn open(request: &Request, case: &Case) -> Result<Box<dyn Bench>, ChildError> {
    let opened = match &request.subject {
        Some(subject) => program::open(subject, case).map(|bench| Box::new(bench) as Box<dyn Bench>),
        None => workload::open(&request.suite, &request.lane, case, &setup(request)),
    };
    let failed = |source| ChildError::Open { lane: request.lane.clone(), source };
    match request.slowdown {
        None => opened.map_err(failed),
        Some(ratio) => {
            let slowed = opened.and_then(|lane| Slowed::new(lane, ratio)).map_err(failed)?;
            Ok(Box::new(slowed))
        }
    }
}

/// Checks every case, and digests its answer. Nothing is measured, so no peak is reset.
fn check<W: Write>(request: &Request, checks: &[String], parent: &mut Parent<W>) -> Result<Work, ChildError> {
    let failed = |source| ChildError::Check { lane: request.lane.clone(), source };
    let mut known = Known::default();
    for case in &request.cases {
        parent.tell(&Message::Started { case: case.clone() })?;
        let (results, answer) = if let Some(subject) = &request.subject {
            program::check(subject, case, checks).map_err(failed)?
        } else {
            let results = workload::check(&request.suite, &request.lane, case, &setup(request), checks, &mut known);
            (results.map_err(failed)?, None)
        };
        let broken = results.iter().any(|result| result.failure.is_some());
        for result in results {
            parent.tell(&Message::Check(result))?;
        }
        let answer = match answer {
            // A program has been executed for it.
            Some(answer) => Ok(answer),
            None => open(request, case).and_then(|mut bench| digest(bench.as_mut()).map_err(failed)),
        };
        match answer {
            Ok(digest) => parent.tell(&Message::Answer { case: case.clone(), digest })?,
            // A lane that broke a check may have no answer at all; the check has said so.
            Err(_) if broken => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Work::default())
}

/// The digest of one answer.
fn digest(bench: &mut dyn Bench) -> Result<String, WorkloadError> {
    bench.prepare()?;
    let response = bench.operation(&mut Counters::default())?;
    bench.digest(&response)
}

/// Has the program of each case report its benches, as often as is asked, then tells what it reported. Nothing of this
/// process is measured, so no peak is reset.
fn measure_benches<W: Write>(
    request: &Request,
    subject: &Subject,
    task: &Measure,
    parent: &mut Parent<W>,
) -> Result<Work, ChildError> {
    let (mut measured, mut log) = (Vec::new(), Vec::new());
    for case in &request.cases {
        parent.tell(&Message::Started { case: case.clone() })?;
        let reports = program::Reports::of(subject, case, task.warmup_operations(), |executions, elapsed_ns| {
            pass::is_done(task, executions, elapsed_ns)
        });
        let mut reports = reports.map_err(|source| ChildError::Check { lane: request.lane.clone(), source })?;
        log.append(&mut reports.log);
        measured.push((case, reports));
    }
    for (case, reports) in measured {
        for (bench, series) in reports.benches {
            for (metric, values) in series {
                parent.tell_samples(&metric, Samples::Reals(values))?;
            }
            let case = case.of_bench(&bench);
            parent.tell(&Message::Cell(Measured { case, rss_at_start_bytes: 0, compared: reports.executions }))?;
        }
    }
    Ok(Work { peak_reset: true, log })
}

/// Measures every case in order, then tells what it measured.
fn measure<W: Write>(
    request: &Request,
    suite: &'static Suite,
    task: &Measure,
    parent: &mut Parent<W>,
) -> Result<Work, ChildError> {
    if !alloc::installed() {
        return Err(ChildError::NoAllocator);
    }
    if let Some(subject) = request.subject.as_ref().filter(|subject| subject.output != Output::Time) {
        return measure_benches(request, subject, task, parent);
    }
    let mut measurements = Vec::with_capacity(request.cases.len());
    for (case, answer) in request.cases.iter().zip(&task.answers) {
        parent.tell(&Message::Started { case: case.clone() })?;
        let mut bench = open(request, case)?;
        memory::give_back_freed();
        measurements.push(pass::measure(bench.as_mut(), suite, case, task, answer)?);
    }
    let peak_reset = measurements.iter().all(|measurement| measurement.peak_reset);
    measurements.into_iter().try_for_each(|measurement| parent.tell_measured(measurement))?;
    Ok(Work { peak_reset, log: Vec::new() })
}

/// Profiles the one case, then tells what was noted.
fn profile<W: Write>(
    request: &Request,
    suite: &'static Suite,
    task: &Profile,
    parent: &mut Parent<W>,
) -> Result<Work, ChildError> {
    if task.profiler == Profiler::Allocations && !alloc::installed() {
        return Err(ChildError::NoAllocator);
    }
    for case in &request.cases {
        parent.tell(&Message::Started { case: case.clone() })?;
        let mut bench = open(request, case)?;
        memory::give_back_freed();
        for message in profiled::profile(bench.as_mut(), suite, task)?.into_messages() {
            parent.tell(&message)?;
        }
    }
    Ok(Work::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Fixture, Warmup};
    use crate::unit::AxisValue;

    fn request(task: Task) -> Request {
        Request {
            protocol: PROTOCOL,
            suite: "probe".to_owned(),
            lane: "steady".to_owned(),
            subject: None,
            cases: vec![Case::new(vec![("work".to_owned(), AxisValue::Integer(10))])],
            fixture: Fixture { seed: 1, null_period: 13 },
            fixtures: BTreeMap::new(),
            limits: Limits { cpus: 1, memory_bytes: None, processes: None },
            slowdown: None,
            task,
        }
    }

    fn task() -> Measure {
        Measure {
            warmup: Warmup::Operations(0),
            min_time_ns: None,
            samples: Some(3),
            min_samples: None,
            counted: 1,
            answers: vec!["digest".to_owned()],
        }
    }

    /// What a child says to these bytes. It binds the thread that it serves on.
    fn said(input: &[u8]) -> Vec<Message> {
        let mut output = Vec::new();
        std::thread::scope(|scope| {
            // How it ended is in what it said.
            let _ = scope.spawn(|| serve(input, &mut output)).join().expect("a child that returns");
        });
        let lines = std::str::from_utf8(&output).expect("JSON is UTF-8").lines();
        lines.map(|line| serde_json::from_str(line).expect("a message")).collect()
    }

    fn failure(input: &[u8]) -> (Failure, String) {
        match said(input).pop() {
            Some(Message::Failed { kind, message }) => (kind, message),
            other => panic!("not a failure: {other:?}"),
        }
    }

    fn refusal(request: &Request) -> String {
        let (kind, message) = failure(&serde_json::to_vec(request).expect("plain data"));
        assert_eq!(kind, Failure::Refused, "{message}");
        message
    }

    #[test]
    fn it_greets_before_it_reads() {
        assert!(matches!(said(b"").first(), Some(Message::Hello { protocol: PROTOCOL, .. })));
    }

    #[test]
    fn another_protocol_is_told_apart_from_a_broken_request() {
        let (kind, message) = failure(br#"{"protocol": 7, "something": "new"}"#);
        assert_eq!(kind, Failure::Protocol);
        assert!(message.contains("version 7"), "{message}");
        assert_eq!(failure(b"{").0, Failure::Refused);
        assert_eq!(failure(br#"{"protocol": 1}"#).0, Failure::Refused);
    }

    #[test]
    fn a_request_that_makes_no_sense_is_refused_with_the_reason() {
        let no_case = Request { cases: Vec::new(), ..request(Task::Check { checks: Vec::new() }) };
        assert_eq!(refusal(&no_case), "the request names no case");
        for (task, reason) in [
            (
                Measure { answers: Vec::new(), ..task() },
                "the request has 0 answers for 1 cases; each case needs its own",
            ),
            (Measure { samples: Some(0), ..task() }, "the request asks for `samples = 0`; it takes at least one"),
            (
                Measure { samples: None, ..task() },
                "the request says neither `samples` nor `min_time` nor `min_samples`",
            ),
            (
                Measure { counted: 10_000_001, ..task() },
                "the request asks for 10000001 samples of one metric; there may be 10000000 at most",
            ),
        ] {
            assert_eq!(refusal(&request(Task::Measure(task))), reason);
        }
    }

    #[test]
    fn an_unknown_suite_lane_or_case_is_told() {
        let base = request(Task::Measure(task()));
        assert_eq!(refusal(&Request { suite: "x".to_owned(), ..base.clone() }), "there is no suite `x`");
        let limits = Limits { cpus: 100_000, ..base.limits };
        assert!(refusal(&Request { limits, ..base }).starts_with("bind to `100000` CPUs"));
    }

    #[test]
    fn without_the_counting_allocator_nothing_is_measured() {
        // The library's tests keep the system's allocator.
        assert!(refusal(&request(Task::Measure(task()))).contains("counting allocator"));
    }

    #[test]
    fn checks_are_answered_case_by_case() {
        let said = said(&serde_json::to_vec(&request(Task::Check { checks: vec!["row-count".to_owned()] })).unwrap());
        let kinds: Vec<_> = said
            .iter()
            .map(|message| match message {
                Message::Hello { .. } => "hello",
                Message::Started { .. } => "started",
                Message::Check(result) if result.failure.is_none() => "check",
                Message::Answer { .. } => "answer",
                Message::Observed(_) => "observed",
                Message::Done => "done",
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(kinds, ["hello", "started", "check", "answer", "observed", "done"]);
    }
}
