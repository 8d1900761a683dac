//! Any program as a lane: each operation executes it once, in a process of its own.

use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use super::{Bench, CheckResult, Counters, Response, WorkloadError};
use crate::digest::{hex, sha256};
use crate::measure::spawn::{Ended, Spawner};
use crate::program::{Program, Stdout, Subject, fill};
use crate::unit::Case;

/// The suite's name.
pub const SUITE: &str = "program";

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
    let spawner =
        Spawner::new().map_err(|source| WorkloadError::Execute { program: "a program".to_owned(), source })?;
    Ok(Executions { spawner, program, exit: subject.expect.exit, stdout, lines })
}

/// Executes the program once, and says how each of these checks came out.
///
/// # Errors
///
/// A check that there isn't, or a program that can't be started.
pub fn check(subject: &Subject, case: &Case, checks: &[String]) -> Result<Vec<CheckResult>, WorkloadError> {
    let mut bench = open(subject, case)?;
    let (ended, answer) = bench.execute()?;
    checks
        .iter()
        .map(|check| {
            let failure = match check.as_str() {
                "exit-code" => bench.exit_failure(&ended),
                "stdout" => bench.stdout_failure(&answer),
                "lines" => bench.lines_failure(&answer),
                _ => return Err(WorkloadError::NoSuchCheck { suite: SUITE, check: check.clone() }),
            };
            Ok(CheckResult { check: check.clone(), case: case.clone(), failure })
        })
        .collect()
}

/// A program that is executed again and again.
#[derive(Debug)]
pub struct Executions {
    spawner: Spawner,
    program: Program,
    exit: u8,
    stdout: Option<Expected>,
    lines: Option<u64>,
}

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

impl Executions {
    fn execute(&mut self) -> Result<(Ended, Answer), WorkloadError> {
        let mut command = command(&self.program);
        let failed = |source| WorkloadError::Execute { program: self.program.run.join(" "), source };
        if self.stdout.is_none() && self.lines.is_none() {
            return Ok((self.spawner.run(&mut command, None).map_err(failed)?, Answer::default()));
        }
        let (mut digest, mut lines, mut last) = (Sha256::new(), 0_u64, b'\n');
        let mut sink = |bytes: &[u8]| {
            digest.update(bytes);
            lines += bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
            last = bytes.last().copied().unwrap_or(last);
        };
        let ended = self.spawner.run(&mut command, Some(&mut sink)).map_err(failed)?;
        // A last line without its end is a line all the same.
        let lines = lines + u64::from(last != b'\n');
        Ok((ended, Answer { sha256: Some(hex(&digest.finalize())), lines }))
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
        let (ended, answer) = self.execute()?;
        let failure =
            self.exit_failure(&ended).or_else(|| self.stdout_failure(&answer)).or_else(|| self.lines_failure(&answer));
        if let Some(failure) = failure {
            return Err(WorkloadError::Answer(failure));
        }
        let usage = ended.usage;
        counters.record("cpu_time", usage.cpu_ns());
        counters.record("user_time", usage.user_ns);
        counters.record("system_time", usage.system_ns);
        counters.record("peak_rss_bytes", usage.peak_rss_bytes);
        counters.record("minor_faults", usage.minor_faults);
        counters.record("major_faults", usage.major_faults);
        counters.record("voluntary_switches", usage.voluntary_switches);
        counters.record("involuntary_switches", usage.involuntary_switches);
        let body = answer.sha256.unwrap_or_else(|| sha256(b"")).into_bytes();
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
