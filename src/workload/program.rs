//! Any program as a lane: each operation executes it once, in a process of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use super::{Bench, CheckResult, Counters, Response, WorkloadError};
use crate::digest::{hex, sha256};
use crate::measure::spawn::{Ended, Spawner};
use crate::program::{Kept, Output, Program, Stdout, Subject, fill};
use crate::reading::{self, Format, Reading};
use crate::unit::{Case, Direction, Unit};

/// The suite's name.
pub const SUITE: &str = "program";

/// The most of a program's standard output that benches are read from, in bytes.
const MOST_OUTPUT: usize = 64 << 20;

/// How the folders begin that programs write their benches to; the id of the process that executes them follows.
const SCRATCH: &str = "gate-scratch-";

/// Executions of an empty program that the cost of an execution is the median of.
const EMPTY_EXECUTIONS: usize = 5;

/// The program of `subject` in `case`, ready to be executed.
///
/// # Errors
///
/// A kernel that can't watch over it, or a number of lines that is none.
pub fn open(subject: &Subject, case: &Case) -> Result<Executions, WorkloadError> {
    let program = subject.program.of(case);
    let lines = match &subject.expect.lines {
        None => None,
        Some(text) => {
            let text = fill(text, case);
            Some(text.parse().map_err(|_| WorkloadError::Answer(format!("`lines = \"{text}\"` is no whole number")))?)
        }
    };
    let stdout = match &subject.expect.stdout {
        None => None,
        Some(Stdout::Sha256(digest)) => Some(Expected::Digest(digest.clone())),
        Some(Stdout::Same) => {
            let reference = subject.references.iter().find(|(known, _)| known == case);
            Some(reference.map_or(Expected::Any, |(_, digest)| Expected::Baselines(digest.clone())))
        }
    };
    let failed = |source| WorkloadError::Execute { program: program.run.join(" "), source };
    if subject.output != Output::Time {
        sweep().map_err(failed)?;
    }
    let spawner = Spawner::new().map_err(failed)?;
    Ok(Executions { spawner, program, output: subject.output, exit: subject.expect.exit, stdout, lines })
}

/// Executes the program once; says how each of these checks came out, and the digest of its answer where all hold.
///
/// # Errors
///
/// A check that there isn't, a program that can't be started, and benches that can't be read.
pub fn check(
    subject: &Subject,
    case: &Case,
    checks: &[String],
) -> Result<(Vec<CheckResult>, Option<String>), WorkloadError> {
    let mut bench = open(subject, case)?;
    let (ended, answer, reading) = bench.execute()?;
    let results = checks
        .iter()
        .map(|check| {
            let failure = match check.as_str() {
                "exit-code" => bench.exit_failure(&ended),
                "stdout" => bench.stdout_failure(&answer),
                "lines" => bench.lines_failure(&answer),
                "own-checks" => reading.as_ref().and_then(|reading| own_failure(reading.as_ref().ok()?)),
                _ => return Err(WorkloadError::NoSuchCheck { suite: SUITE, check: check.clone() }),
            };
            Ok(CheckResult { check: check.clone(), case: case.clone(), failure })
        })
        .collect::<Result<Vec<_>, WorkloadError>>()?;
    if results.iter().any(|result| result.failure.is_some()) {
        return Ok((results, None));
    }
    if let Some(reading) = reading.transpose()? {
        hold_metrics(&reading, &subject.metrics)?;
    }
    Ok((results, Some(answer.digest())))
}

/// What a program reported of its own benches, over all executions of one run.
#[derive(Debug)]
pub struct Reports {
    /// By bench, then by metric: the values, in the order in which they came.
    pub benches: Vec<(String, BTreeMap<String, Vec<f64>>)>,
    /// How often it was executed for them.
    pub executions: u32,
    /// What it wrote beside them when it was executed last: the last lines.
    pub log: Vec<String>,
}

impl Reports {
    /// Executes the program of `subject` in `case` and reads its benches, first `warmup` times for nothing, then until
    /// `is_done` says so of the executions and of the nanoseconds that they took.
    ///
    /// # Errors
    ///
    /// It can't be executed, answers other than it must, or reports no benches that can be read.
    pub fn of(
        subject: &Subject,
        case: &Case,
        warmup: u32,
        is_done: impl Fn(usize, u64) -> bool,
    ) -> Result<Self, WorkloadError> {
        let mut bench = open(subject, case)?;
        for _ in 0..warmup {
            bench.report()?;
        }
        let mut reports = Self { benches: Vec::new(), executions: 0, log: Vec::new() };
        let (mut executions, mut elapsed_ns) = (0, 0_u64);
        while !is_done(executions, elapsed_ns) {
            let (wall_ns, reading) = bench.report()?;
            hold_metrics(&reading, &subject.metrics)?;
            executions += 1;
            elapsed_ns = elapsed_ns.saturating_add(wall_ns);
            reports.add(reading, &subject.metrics);
        }
        reports.executions = u32::try_from(executions).unwrap_or(u32::MAX);
        Ok(reports)
    }

    /// Adds the series of the metrics that are kept. A bench without any of them is there all the same.
    fn add(&mut self, reading: Reading, metrics: &[Kept]) {
        self.log = reading.log;
        for bench in reading.benches {
            let at = self.benches.iter().position(|(name, _)| *name == bench.name).unwrap_or_else(|| {
                self.benches.push((bench.name, BTreeMap::new()));
                self.benches.len() - 1
            });
            let kept = |name: &str| metrics.iter().any(|metric| metric.name == name);
            for series in bench.series.into_iter().filter(|series| kept(&series.metric)) {
                self.benches[at].1.entry(series.metric).or_default().extend(series.values);
            }
        }
    }
}

/// Why the checks that a program reports itself do not hold, where they don't.
fn own_failure(reading: &Reading) -> Option<String> {
    let failed: Vec<String> = reading.failed.iter().map(ToString::to_string).collect();
    (!failed.is_empty()).then(|| failed.join("; "))
}

/// Holds what a program says itself of its metrics to what the gate file takes them for. Other tools say nothing of
/// them: there the gate knows both by the name alone.
fn hold_metrics(reading: &Reading, metrics: &[Kept]) -> Result<(), WorkloadError> {
    if reading.format != Format::Gate {
        return Ok(());
    }
    for bench in &reading.benches {
        for series in &bench.series {
            let Some(kept) = metrics.iter().find(|kept| kept.name == series.metric) else { continue };
            let (metric, bench) = (&kept.name, &bench.name);
            if word(kept.unit) != word(series.unit) {
                let (found, expected) = (word(series.unit), word(kept.unit));
                return Err(WorkloadError::Answer(format!(
                    "bench `{bench}` reports `{metric}` in {found}, and by its name it is in {expected}; a gate file knows a unit by the metric's name: `latency` or one that ends in `_ns`, one that ends in `_bytes`, `throughput`, `B/s`"
                )));
            }
            if kept.direction != series.direction {
                let (better, bound) = match series.direction {
                    Direction::Lower => ("lower", "max"),
                    Direction::Higher => ("higher", "min"),
                };
                return Err(WorkloadError::Answer(format!(
                    "bench `{bench}` says that {better} `{metric}` is better, and the gate file takes the other way for better; bound it with `{bound}_ratio` or `{bound}`"
                )));
            }
        }
    }
    Ok(())
}

/// A unit in a sentence.
const fn word(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "units of time",
        Unit::Bytes => "bytes",
        Unit::Count | Unit::Other => "plain numbers",
        Unit::OperationsPerSecond => "operations/s",
        Unit::BytesPerSecond => "bytes/s",
    }
}

/// A folder for what one execution writes; gone with it.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("{SCRATCH}{}", std::process::id()));
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

/// Removes what workers that were killed have left behind, one with this process' own number included. To be called before this
/// process makes a [`Scratch`].
fn sweep() -> io::Result<()> {
    for entry in fs::read_dir(std::env::temp_dir())?.filter_map(Result::ok) {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(SCRATCH)).and_then(|id| id.parse::<u32>().ok());
        let lives = |id: u32| id != std::process::id() && Path::new("/proc").join(id.to_string()).exists();
        if owner.is_some_and(|id| !lives(id)) {
            // Another user's can't be removed, and need not be.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is removed by the next.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A program that is executed again and again.
#[derive(Debug)]
pub struct Executions {
    spawner: Spawner,
    program: Program,
    output: Output,
    exit: u8,
    stdout: Option<Expected>,
    lines: Option<u64>,
}

/// The benches of one execution, or why they can't be read; none where it reports none.
type Benches = Option<Result<Reading, WorkloadError>>;

/// What standard output is held to.
#[derive(Debug)]
enum Expected {
    /// Whatever it is, it is what the other side is held to.
    Any,
    /// The one of this digest.
    Digest(String),
    /// The baseline's, which has this digest.
    Baselines(String),
}

/// What one execution wrote to its standard output, as far as anybody asked.
#[derive(Debug, Default)]
struct Answer {
    sha256: Option<String>,
    lines: u64,
}

/// What a program writes to its standard output, as it comes.
#[derive(Debug, Default)]
struct Heard {
    digest: Sha256,
    ended: u64,
    /// Whether the last line has not ended: it is a line all the same.
    open: bool,
}

impl Heard {
    fn take(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.ended += bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        self.open = bytes.last().map_or(self.open, |last| *last != b'\n');
    }

    fn answer(self) -> Answer {
        Answer { sha256: Some(hex(&self.digest.finalize())), lines: self.ended + u64::from(self.open) }
    }
}

impl Answer {
    /// The digest of what was written; of nothing where nobody asked.
    fn digest(self) -> String {
        self.sha256.unwrap_or_else(|| sha256(b""))
    }
}

impl Executions {
    /// Executes the program once, and reads its benches where it reports any.
    fn execute(&mut self) -> Result<(Ended, Answer, Benches), WorkloadError> {
        let failed = |source| WorkloadError::Execute { program: self.program.run.join(" "), source };
        let Output::Benches(format) = self.output else {
            let mut command = command(&self.program);
            if self.stdout.is_none() && self.lines.is_none() {
                return Ok((self.spawner.run(&mut command, None).map_err(failed)?, Answer::default(), None));
            }
            let mut heard = Heard::default();
            let ended = self.spawner.run(&mut command, Some(&mut |bytes| heard.take(bytes))).map_err(failed)?;
            return Ok((ended, heard.answer(), None));
        };
        let scratch = Scratch::new().map_err(failed)?;
        let written = scratch.0.join("benches");
        let mut command = command(&self.program.told(&written.display().to_string()));
        // Where Criterion writes, whatever else it is told.
        command.env("CRITERION_HOME", &written);
        let (mut heard, mut kept, mut all) = (Heard::default(), Vec::new(), true);
        let mut sink = |bytes: &[u8]| {
            heard.take(bytes);
            all &= kept.len() + bytes.len() <= MOST_OUTPUT;
            if all {
                kept.extend_from_slice(bytes);
            }
        };
        let ended = self.spawner.run(&mut command, Some(&mut sink)).map_err(failed)?;
        let reading = if format == Format::Criterion || self.program.is_told_where() {
            reading::read(&written, Some(format)).map_err(|error| error.to_string())
        } else if all {
            reading::parse("standard output", &kept, Some(format)).map_err(|error| error.to_string())
        } else {
            Err(format!("it wrote more than {} MiB to its standard output", MOST_OUTPUT >> 20))
        };
        Ok((ended, heard.answer(), Some(reading.map_err(WorkloadError::Answer))))
    }

    /// Executes the program once, holds it to what it must answer, and gives its wall time and its benches.
    fn report(&mut self) -> Result<(u64, Reading), WorkloadError> {
        let (ended, answer, reading) = self.execute()?;
        self.hold(&ended, &answer)?;
        let reading = reading.ok_or_else(|| WorkloadError::Answer("the program reports no benches".to_owned()))??;
        match own_failure(&reading) {
            None => Ok((ended.wall_ns, reading)),
            Some(failure) => Err(WorkloadError::Answer(failure)),
        }
    }

    /// Holds an execution to what it must answer.
    fn hold(&self, ended: &Ended, answer: &Answer) -> Result<(), WorkloadError> {
        let failure = self.exit_failure(ended).or_else(|| self.stdout_failure(answer));
        match failure.or_else(|| self.lines_failure(answer)) {
            None => Ok(()),
            Some(failure) => Err(WorkloadError::Answer(failure)),
        }
    }

    fn exit_failure(&self, ended: &Ended) -> Option<String> {
        let expected = i32::from(self.exit);
        match ended.status.code() {
            Some(code) if code == expected => None,
            Some(code) => Some(format!("it exited with {code}, expected {expected}")),
            None => Some(format!("it was ended by {}, expected exit code {expected}", ended.status)),
        }
    }

    fn stdout_failure(&self, answer: &Answer) -> Option<String> {
        let found = answer.sha256.as_deref()?;
        let (expected, whose) = match self.stdout.as_ref()? {
            Expected::Any => return None,
            Expected::Digest(digest) => (digest, ""),
            Expected::Baselines(digest) => (digest, ", the baseline's"),
        };
        (found != expected).then(|| format!("its standard output has SHA-256 {found}, expected {expected}{whose}"))
    }

    fn lines_failure(&self, answer: &Answer) -> Option<String> {
        let expected = self.lines?;
        let found = answer.lines;
        (found != expected).then(|| format!("its standard output has {found} lines, expected {expected}"))
    }
}

fn command(program: &Program) -> Command {
    let mut words = program.run.iter();
    let mut command = Command::new(words.next().map_or("", String::as_str));
    command.args(words).envs(program.env.iter().map(|(name, value)| (name, value))).stdout(Stdio::null());
    if let Some(cwd) = &program.cwd {
        command.current_dir(cwd);
    }
    command
}

impl Bench for Executions {
    fn of_run(&mut self) -> Result<Vec<(&'static str, u64)>, WorkloadError> {
        let failed = |source| WorkloadError::Execute { program: "true".to_owned(), source };
        let mut times = [0; EMPTY_EXECUTIONS];
        for time in &mut times {
            *time = self.spawner.run(Command::new("true").stdout(Stdio::null()), None).map_err(failed)?.wall_ns;
        }
        times.sort_unstable();
        Ok(vec![("startup_time", times[EMPTY_EXECUTIONS / 2])])
    }

    fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
        let (ended, answer, _) = self.execute()?;
        self.hold(&ended, &answer)?;
        let usage = ended.usage;
        counters.record("cpu_time", usage.cpu_ns());
        counters.record("user_time", usage.user_ns);
        counters.record("system_time", usage.system_ns);
        counters.record("peak_rss_bytes", usage.peak_rss_bytes);
        counters.record("minor_faults", usage.minor_faults);
        counters.record("major_faults", usage.major_faults);
        counters.record("voluntary_switches", usage.voluntary_switches);
        counters.record("involuntary_switches", usage.involuntary_switches);
        let body = answer.digest().into_bytes();
        Ok(Response { rows: 0, body, wall_ns: Some(ended.wall_ns) })
    }

    fn expected_rows(&self) -> u64 {
        0
    }

    fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
        // The body is the digest of what was written, taken as it came.
        String::from_utf8(response.body.clone()).map_err(|error| WorkloadError::Answer(error.to_string()))
    }
}
