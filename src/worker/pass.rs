//! The passes over one case: warm-up, timed, counted.

use std::collections::BTreeMap;
use std::io;

use super::kept::{Kept, KeptError, Schedule};
use super::protocol::{Failure, MAX_SAMPLES, Measure, Measured, Samples};
use super::series::{CounterError, Series};
use crate::measure::{alloc, clock, memory, rusage};
use crate::spec::Warmup;
use crate::unit::{Case, Scope};
use crate::workload::catalogue::Suite;
use crate::workload::{Batch, Bench, Counters, Response, WorkloadError};

/// The most operations that room is made for in advance; the rest is made between operations.
const MOST_ROOM: usize = 1 << 20;

/// What keeps a case from being measured.
#[derive(Debug, thiserror::Error)]
pub(super) enum PassError {
    #[error("operation {operation} of the {pass} pass: {source}")]
    Operation { operation: u64, pass: &'static str, source: WorkloadError },
    #[error("operation {operation} of the {pass} pass answered {found} rows, expected {expected}")]
    Rows { operation: u64, pass: &'static str, found: u64, expected: u64 },
    #[error(transparent)]
    Kept(#[from] KeptError),
    #[error("operation {operation} of the timed pass: {source}")]
    Counters { operation: u64, source: CounterError },
    #[error("metric `{0}` of the suite's catalogue is none that a run can measure")]
    Unmeasurable(&'static str),
    #[error(
        "the timed pass ran {MAX_SAMPLES} operations and was not done; lower `min_time`, or make an operation do more"
    )]
    TooMany,
    #[error("the timed pass took no time that the clock can tell; make an operation do more")]
    NoTime,
    #[error("read {what} of this process: {source}")]
    Process { what: &'static str, source: io::Error },
}

impl PassError {
    /// What kind of failure it is.
    pub(super) const fn kind(&self) -> Failure {
        match self {
            Self::Rows { .. } | Self::Kept(_) | Self::Operation { source: WorkloadError::Answer(_), .. } => {
                Failure::Answer
            }
            _ => Failure::Lane,
        }
    }
}

fn cpu_time() -> Result<u64, PassError> {
    rusage::process_cpu_ns().map_err(|source| PassError::Process { what: "the CPU time", source })
}

fn resident() -> Result<memory::Resident, PassError> {
    memory::resident().map_err(|source| PassError::Process { what: "the resident memory", source })
}

/// One measured case.
#[derive(Debug)]
pub(super) struct Measurement {
    pub(super) measured: Measured,
    pub(super) samples: BTreeMap<&'static str, Samples>,
    /// Whether the peak of resident memory is the timed pass' own.
    pub(super) peak_reset: bool,
}

/// Measures one case, and holds its answers to the digest that its checks had.
pub(super) fn measure(
    bench: &mut dyn Bench,
    suite: &'static Suite,
    case: &Case,
    task: &Measure,
    answer: &str,
) -> Result<Measurement, PassError> {
    let mut lane = Lane::new(bench, suite);
    let mut kept = Kept::new();
    let fastest = lane.warm_up(task.warmup, &mut kept)?;
    let of_run = lane.bench.of_run().map_err(|source| PassError::Operation { operation: 0, pass: "timed", source })?;
    let timed = lane.time(task, Series::new(declared_counters(suite), room(task, fastest)), &mut kept)?;
    let counts = suite.metrics.iter().any(|metric| metric.scope == Scope::Counted);
    let counted = lane.count(if counts { task.counted } else { 0 }, &mut kept)?;
    let compared = kept.compare(bench, answer)?;
    let measured = Measured { case: case.clone(), rss_at_start_bytes: timed.at_start.now_bytes, compared };
    let peak_reset = timed.peak_reset;
    Ok(Measurement { measured, samples: samples(suite, timed, counted, of_run)?, peak_reset })
}

/// The metrics that operations of the timed pass report themselves.
fn declared_counters(suite: &'static Suite) -> impl Iterator<Item = &'static str> {
    let timed = suite.metrics.iter().filter(|metric| metric.scope == Scope::Timed);
    timed.map(|metric| metric.name.as_ref()).filter(|name| *name != "latency")
}

/// How many operations to make room for, from the fastest of the warm-up.
fn room(task: &Measure, fastest_ns: Option<u64>) -> usize {
    const UNKNOWN: u64 = 4_096;
    let from_time = match (task.min_time_ns, fastest_ns) {
        (Some(time), Some(fastest)) => (time / fastest.max(1)).saturating_add(1),
        (Some(_), None) => UNKNOWN,
        (None, _) => 0,
    };
    let expected = task.samples.map_or_else(|| from_time.max(task.min_samples.unwrap_or(1).into()), u64::from);
    usize::try_from(expected).unwrap_or(MOST_ROOM).clamp(1, MOST_ROOM)
}

/// A bench with what each of its operations needs.
pub(super) struct Lane<'a> {
    bench: &'a mut dyn Bench,
    rows: u64,
    counters: Counters,
}

/// What one operation answered, or one batch of a crowd.
pub(super) enum Answers {
    One(Response),
    Many(Batch),
}

impl Answers {
    pub(super) fn into_responses(self) -> Vec<Response> {
        match self {
            Self::One(response) => vec![response],
            Self::Many(batch) => batch.asked.into_iter().map(|asked| asked.response).collect(),
        }
    }
}

/// What the timed pass showed.
struct Timed {
    series: Series,
    elapsed_ns: u64,
    cpu_ns: u64,
    at_start: memory::Resident,
    at_end: memory::Resident,
    peak_reset: bool,
}

impl<'a> Lane<'a> {
    pub(super) fn new(bench: &'a mut dyn Bench, suite: &'static Suite) -> Self {
        let rows = bench.expected_rows();
        Self { bench, rows, counters: Counters::with_capacity(suite.metrics.len()) }
    }

    /// Runs one operation, or one batch of a crowd, after what prepares it, and hands each answer with its time in
    /// nanoseconds and its counters to `each`. Returns the time from the first question to the last answer.
    fn operate(
        &mut self,
        pass: &'static str,
        operation: u64,
        mut each: impl FnMut(u64, &Counters, Response) -> Result<(), PassError>,
    ) -> Result<u64, PassError> {
        let failed = |source| PassError::Operation { operation, pass, source };
        if let Some(crowd) = self.bench.crowd() {
            let batch = crowd.ask().map_err(failed)?;
            for (place, asked) in (operation..).zip(batch.asked) {
                self.hold(pass, place, &asked.response)?;
                each(asked.latency_ns, &asked.counters, asked.response)?;
            }
            return Ok(batch.wall_ns);
        }
        self.counters.clear();
        let begin = clock::now();
        let response = self.bench.operation(&mut self.counters);
        let waited_ns = begin.elapsed_ns();
        let response = response.map_err(failed)?;
        let latency_ns = response.wall_ns.unwrap_or(waited_ns);
        self.hold(pass, operation, &response)?;
        each(latency_ns, &self.counters, response)?;
        Ok(latency_ns)
    }

    /// Runs one operation, or one batch of a crowd, and allocates nothing beside it.
    pub(super) fn ask(&mut self) -> Result<Answers, WorkloadError> {
        self.counters.clear();
        match self.bench.crowd() {
            None => self.bench.operation(&mut self.counters).map(Answers::One),
            Some(crowd) => crowd.ask().map(Answers::Many),
        }
    }

    /// What comes before an operation, and is not the lane's.
    pub(super) fn prepare(&mut self, pass: &'static str, operation: u64) -> Result<(), PassError> {
        if !self.bench.prepares() {
            return Ok(());
        }
        self.bench.prepare().map_err(|source| PassError::Operation { operation, pass, source })
    }

    pub(super) fn hold(&self, pass: &'static str, operation: u64, response: &Response) -> Result<(), PassError> {
        let (found, expected) = (response.rows, self.rows);
        if found == expected { Ok(()) } else { Err(PassError::Rows { operation, pass, found, expected }) }
    }

    /// Runs what is not timed; returns the fastest operation's time.
    pub(super) fn warm_up(&mut self, warmup: Warmup, kept: &mut Kept) -> Result<Option<u64>, PassError> {
        let begin = clock::now();
        let (mut operation, mut fastest, mut last) = (0, None, None);
        let done = |operation| match warmup {
            Warmup::Operations(operations) => operation >= u64::from(operations),
            Warmup::TimeNs(time) => begin.elapsed_ns() >= time,
        };
        while !done(operation) {
            self.prepare("warm-up", operation)?;
            let mut place = operation;
            self.operate("warm-up", operation, |latency_ns, _, response| {
                fastest = Some(fastest.map_or(latency_ns, |known: u64| known.min(latency_ns)));
                last = Some((place, response));
                place += 1;
                Ok(())
            })?;
            operation = place;
        }
        if let Some((operation, response)) = last {
            kept.keep("warm-up", operation, response);
        }
        Ok(fastest)
    }

    fn time(&mut self, task: &Measure, mut series: Series, kept: &mut Kept) -> Result<Timed, PassError> {
        let mut schedule = Schedule::new(task.samples);
        let (mut elapsed_ns, mut apart_ns) = (0_u64, 0);
        let peak_reset = memory::reset_peak();
        let at_start = resident()?;
        let cpu_begin = cpu_time()?;
        loop {
            let operation = series.len() as u64;
            if self.bench.prepares() {
                let begin = cpu_time()?;
                self.prepare("timed", operation)?;
                apart_ns += cpu_time()?.saturating_sub(begin);
            }
            let mut answer = None;
            let wall_ns = self.operate("timed", operation, |latency_ns, counters, response| {
                let place = series.len() as u64;
                series.add(latency_ns, counters).map_err(|source| PassError::Counters { operation: place, source })?;
                answer = Some((place, response));
                Ok(())
            })?;
            elapsed_ns = elapsed_ns.saturating_add(wall_ns);
            let done = is_done(task, series.len(), elapsed_ns);
            // Of a batch that has a wanted answer, the last is kept.
            let wanted = (operation..series.len() as u64).filter(|place| schedule.wants(*place, done)).count() > 0;
            if wanted || series.is_full() {
                // Not the lane's work: its CPU time is taken out.
                let begin = cpu_time()?;
                if let Some((place, response)) = answer.filter(|_| wanted) {
                    kept.keep("timed", place, response);
                }
                if !done && series.is_full() {
                    if series.len() >= MAX_SAMPLES {
                        return Err(PassError::TooMany);
                    }
                    series.make_room(series.len().min(MAX_SAMPLES - series.len()));
                }
                apart_ns += cpu_time()?.saturating_sub(begin);
            }
            if done {
                break;
            }
        }
        let cpu_ns = cpu_time()?.saturating_sub(cpu_begin).saturating_sub(apart_ns);
        Ok(Timed { series, elapsed_ns, cpu_ns, at_start, at_end: resident()?, peak_reset })
    }

    /// What each of so many operations allocates: bytes, and allocations. Of a crowd, whose threads allocate side by side,
    /// the batch's divided by its clients, and no more batches than make so many operations.
    fn count(&mut self, operations: u32, kept: &mut Kept) -> Result<(Samples, Samples), PassError> {
        let room = operations as usize;
        let (mut bytes, mut allocs) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let clients = self.bench.crowd().map(|crowd| crowd.clients());
        let batches = operations.div_ceil(clients.unwrap_or(1));
        for operation in 0..u64::from(batches) {
            self.prepare("counted", operation)?;
            let failed = |source| PassError::Operation { operation, pass: "counted", source };
            let (answers, count) = alloc::count(|| self.ask());
            bytes.push(count.bytes);
            allocs.push(count.allocs);
            for response in answers.map_err(failed)?.into_responses() {
                self.hold("counted", operation, &response)?;
                if operation + 1 == u64::from(batches) {
                    kept.keep("counted", operation, response);
                }
            }
        }
        Ok((each_of(bytes, clients, room), each_of(allocs, clients, room)))
    }
}

/// A count for each of so many operations: its own, or of a batch its client's share.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn each_of(counts: Vec<u64>, clients: Option<u32>, operations: usize) -> Samples {
    let Some(clients) = clients else { return Samples::Integers(counts) };
    let shares = counts.into_iter().flat_map(|count| {
        let share = count as f64 / f64::from(clients);
        std::iter::repeat_n(share, clients as usize)
    });
    Samples::Reals(shares.take(operations).collect())
}

/// Whether the timed pass has run as long as was asked: an exact number, or a time and a number of which both hold.
pub(super) fn is_done(task: &Measure, operations: usize, elapsed_ns: u64) -> bool {
    let operations = operations as u64;
    match task.samples {
        Some(samples) => operations >= u64::from(samples),
        None => elapsed_ns >= task.min_time_ns.unwrap_or(0) && operations >= u64::from(task.min_samples.unwrap_or(1)),
    }
}

/// The samples of every metric that the suite's catalogue declares.
#[expect(clippy::cast_precision_loss, reason = "nanoseconds and counts stay far below 2^53")]
fn samples(
    suite: &'static Suite,
    timed: Timed,
    (bytes, allocs): (Samples, Samples),
    of_run: Vec<(&'static str, u64)>,
) -> Result<BTreeMap<&'static str, Samples>, PassError> {
    if timed.elapsed_ns == 0 {
        return Err(PassError::NoTime);
    }
    let operations = timed.series.len() as f64;
    let throughput = operations * 1e9 / timed.elapsed_ns as f64;
    let cpu_time = timed.cpu_ns as f64 / operations;
    let at_end = timed.at_end;
    let (latencies, mut samples) = timed.series.into_samples();
    let own = [
        ("latency", latencies),
        ("throughput", Samples::Reals(vec![throughput])),
        ("cpu_time", Samples::Reals(vec![cpu_time])),
        ("peak_rss_bytes", Samples::Integers(vec![at_end.peak_bytes])),
        ("steady_rss_bytes", Samples::Integers(vec![at_end.now_bytes])),
        ("rust_heap_bytes", bytes),
        ("rust_heap_allocs", allocs),
    ];
    let reported = of_run.into_iter().map(|(metric, value)| (metric, Samples::Integers(vec![value])));
    // What the operations themselves report of a metric goes before what this process sees of itself.
    for (metric, seen) in own.into_iter().chain(reported) {
        samples.entry(metric).or_insert(seen);
    }
    let declared = suite.metrics.iter().map(|metric| {
        let name = metric.name.as_ref();
        Ok((name, samples.remove(name).ok_or(PassError::Unmeasurable(name))?))
    });
    declared.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::catalogue::PROBE;

    fn task() -> Measure {
        Measure {
            warmup: Warmup::Operations(0),
            min_time_ns: None,
            samples: None,
            min_samples: None,
            counted: 0,
            answers: Vec::new(),
        }
    }

    /// Answers right until an operation from which on it doesn't.
    struct Scripted {
        ran: u64,
        rows: fn(u64) -> u64,
        body: fn(u64) -> &'static str,
        result: fn(u64) -> Result<(), WorkloadError>,
    }

    impl Scripted {
        fn new() -> Self {
            Self { ran: 0, rows: |_| 3, body: |_| "answer", result: |_| Ok(()) }
        }
    }

    impl Bench for Scripted {
        fn operation(&mut self, _: &mut Counters) -> Result<Response, WorkloadError> {
            let ran = self.ran;
            self.ran += 1;
            (self.result)(ran)?;
            Ok(Response { rows: (self.rows)(ran), body: (self.body)(ran).as_bytes().to_vec(), wall_ns: None })
        }

        fn expected_rows(&self) -> u64 {
            3
        }

        fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
            Ok(String::from_utf8_lossy(&response.body).into_owned())
        }
    }

    fn run(bench: &mut Scripted, task: &Measure) -> Result<Measurement, PassError> {
        measure(bench, &PROBE, &Case::default(), task, "answer")
    }

    #[test]
    fn every_pass_runs_what_was_asked_and_every_metric_is_there() {
        let mut bench = Scripted::new();
        let task = Measure { warmup: Warmup::Operations(5), samples: Some(40), counted: 3, ..task() };
        let measurement = run(&mut bench, &task).expect("a case that is measured");
        assert_eq!(bench.ran, 5 + 40 + 3);
        let lengths: Vec<_> = measurement.samples.iter().map(|(name, samples)| (*name, samples.len())).collect();
        assert_eq!(
            lengths,
            [
                ("cpu_time", 1),
                ("latency", 40),
                ("peak_rss_bytes", 1),
                ("rust_heap_allocs", 3),
                ("rust_heap_bytes", 3),
                ("steady_rss_bytes", 1),
                ("throughput", 1)
            ]
        );
        // One of the warm-up, eleven of the timed pass, one of the counted one.
        assert_eq!(measurement.measured.compared, 13);
    }

    #[test]
    fn a_batch_counts_for_each_of_its_clients_and_no_more_than_was_asked() {
        assert_eq!(each_of(vec![7, 8], None, 2), Samples::Integers(vec![7, 8]));
        assert_eq!(
            each_of(vec![8, 12, 16], Some(4), 10),
            Samples::Reals(vec![2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0, 4.0])
        );
        assert_eq!(each_of(vec![50], Some(100), 3), Samples::Reals(vec![0.5; 3]));
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds stay far below 2^53")]
    fn throughput_is_operations_over_the_sum_of_their_times() {
        let measurement = run(&mut Scripted::new(), &Measure { samples: Some(100), ..task() }).expect("measured");
        let Samples::Integers(latencies) = &measurement.samples["latency"] else { panic!("whole nanoseconds") };
        let Samples::Reals(throughput) = &measurement.samples["throughput"] else { panic!("a real number") };
        let seconds = latencies.iter().sum::<u64>() as f64 / 1e9;
        assert!((throughput[0] * seconds / 100.0 - 1.0).abs() < 1e-9, "{throughput:?} {seconds}");
    }

    #[test]
    fn both_the_least_time_and_the_least_number_hold() {
        assert!(!is_done(&Measure { min_time_ns: Some(100), min_samples: Some(5), ..task() }, 5, 99));
        assert!(!is_done(&Measure { min_time_ns: Some(100), min_samples: Some(5), ..task() }, 4, 100));
        assert!(is_done(&Measure { min_time_ns: Some(100), min_samples: Some(5), ..task() }, 5, 100));
        assert!(is_done(&Measure { samples: Some(5), ..task() }, 5, 0));
        assert!(!is_done(&Measure { samples: Some(5), ..task() }, 4, u64::MAX));
    }

    #[test]
    fn a_pass_that_outgrows_its_room_keeps_every_sample() {
        let task = Measure { min_samples: Some(9_000), ..task() };
        let mut bench = Scripted::new();
        let series = Series::new(declared_counters(&PROBE), 7);
        let timed = Lane::new(&mut bench, &PROBE).time(&task, series, &mut Kept::new()).expect("timed");
        assert_eq!(timed.series.len(), 9_000);
    }

    #[test]
    fn a_short_answer_in_any_pass_names_pass_and_operation() {
        let task = Measure { warmup: Warmup::Operations(2), samples: Some(4), counted: 2, ..task() };
        for (rows, message) in [
            ((|ran| if ran == 1 { 2 } else { 3 }) as fn(u64) -> u64, "operation 1 of the warm-up pass"),
            (|ran| if ran == 4 { 2 } else { 3 }, "operation 2 of the timed pass"),
            (|ran| if ran == 7 { 2 } else { 3 }, "operation 1 of the counted pass"),
        ] {
            let error = run(&mut Scripted { rows, ..Scripted::new() }, &task).expect_err("a short answer");
            assert_eq!(error.to_string(), format!("{message} answered 2 rows, expected 3"));
            assert_eq!(error.kind(), Failure::Answer);
        }
    }

    #[test]
    fn another_answer_with_the_right_rows_is_found() {
        let body = |ran| if ran == 99 { "other" } else { "answer" };
        let task = Measure { samples: Some(100), ..task() };
        let error = run(&mut Scripted { body, ..Scripted::new() }, &task).expect_err("another answer");
        assert_eq!(error.kind(), Failure::Answer);
        assert!(error.to_string().starts_with("operation 99 of the timed pass answered `other`"), "{error}");
    }

    #[test]
    fn an_operation_that_fails_is_the_lanes_failure_unless_it_is_about_the_answer() {
        let fails = |_| Err(WorkloadError::NoSuchSuite { suite: "x".to_owned() });
        let error = run(&mut Scripted { result: fails, ..Scripted::new() }, &Measure { samples: Some(1), ..task() });
        assert_eq!(error.expect_err("a failing lane").kind(), Failure::Lane);
        let wrong = |_| Err(WorkloadError::Answer("x".to_owned()));
        let error = run(&mut Scripted { result: wrong, ..Scripted::new() }, &Measure { samples: Some(1), ..task() });
        assert_eq!(error.expect_err("a wrong answer").kind(), Failure::Answer);
    }

    #[test]
    fn a_counter_that_the_catalogue_does_not_declare_is_an_error() {
        struct Reporting;
        impl Bench for Reporting {
            fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
                counters.record("ipc_bytes", 1);
                Ok(Response::default())
            }
            fn expected_rows(&self) -> u64 {
                0
            }
            fn digest(&self, _: &Response) -> Result<String, WorkloadError> {
                Ok(String::new())
            }
        }
        let error = measure(&mut Reporting, &PROBE, &Case::default(), &Measure { samples: Some(1), ..task() }, "");
        let error = error.expect_err("undeclared").to_string();
        assert!(error.contains("`ipc_bytes`"), "{error}");
    }

    #[test]
    fn room_follows_from_what_is_asked() {
        assert_eq!(room(&Measure { samples: Some(7), ..task() }, Some(1)), 7);
        assert_eq!(room(&Measure { min_time_ns: Some(1_000), min_samples: Some(5), ..task() }, Some(100)), 11);
        assert_eq!(room(&Measure { min_time_ns: Some(1_000), min_samples: Some(50), ..task() }, Some(100)), 50);
        assert_eq!(room(&Measure { min_time_ns: Some(u64::MAX), ..task() }, Some(0)), MOST_ROOM);
        assert_eq!(room(&Measure { min_time_ns: Some(1_000), ..task() }, None), 4_096);
    }
}
