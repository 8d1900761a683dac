//! A sampler for programs of any kind: `perf` of Linux, where it is there and allowed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::measure::symbols::{Function, readable};
use crate::target::in_path;
use crate::worker::Taken;
use crate::worker::protocol::Stack;

/// The samples in a second of CPU time. Each comes with a copy of its stack, so that more would be a lot to write.
const HERTZ: &str = "499";

/// Stacks are copied up to so many bytes, and walked later by the programs' unwinding tables: most are built without frame
/// pointers.
const CALLS: &str = "dwarf,16384";

/// A clock that every kernel has, virtual ones as well; what runs in user mode alone, which needs the least permission.
const EVENT: &str = "cpu-clock:u";

/// Why programs can't be sampled.
#[derive(Debug, thiserror::Error)]
pub enum PerfError {
    /// It is not there.
    #[error(
        "sample a program: there is no `perf` in PATH; install it (`linux-perf` on Debian, `linux-tools` of the running kernel on Ubuntu, `perf` elsewhere), or profile a suite, which needs none"
    )]
    Missing,
    /// It can't be started.
    #[error("run `{command}`: {source}")]
    Start {
        /// The command.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// It may not, or can't.
    #[error(
        "sample a program by `perf`: it says\n{said}\nit takes `sysctl kernel.perf_event_paranoid=2` or less, and in a container the capability PERFMON and a seccomp profile that allows perf_event_open"
    )]
    Refused {
        /// What it said.
        said: String,
    },
    /// What it has written can't be read.
    #[error("read what `perf` has sampled: {what}")]
    Unreadable {
        /// What is wrong.
        what: String,
    },
}

/// The `perf` that is there, seen to work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Perf(PathBuf);

impl Perf {
    /// Finds it.
    ///
    /// # Errors
    ///
    /// There is none in `PATH`.
    pub fn find() -> Result<Self, PerfError> {
        in_path("perf").map(Self).ok_or(PerfError::Missing)
    }

    /// Samples an empty program, for the errors that it has; `data` is a file that it may write and that is left.
    ///
    /// # Errors
    ///
    /// It can't be started, or may not sample.
    pub fn attempt(&self, data: &Path) -> Result<(), PerfError> {
        self.output(&self.record(data)[1..], &["true"]).map(drop)
    }

    /// The command under which a worker is started so that the programs that it executes are sampled into `data`.
    #[must_use]
    pub fn record(&self, data: &Path) -> Vec<String> {
        let (perf, data) = (self.0.display().to_string(), data.display().to_string());
        let words = [
            &perf,
            "record",
            "--quiet",
            "--no-buildid-cache",
            "--event",
            EVENT,
            "--freq",
            HERTZ,
            "--call-graph",
            CALLS,
            "--output",
            &data,
            "--",
        ];
        words.map(str::to_owned).to_vec()
    }

    /// The stacks in `data`, without those of the process `worker`, which only executes.
    ///
    /// # Errors
    ///
    /// It fails, or writes what can't be read.
    pub fn read(&self, data: &Path, worker: u32) -> Result<Taken, PerfError> {
        let data = data.display().to_string();
        let words = ["script", "--no-inline", "--fields", "pid,period,ip,sym,dso", "--input", &data];
        let text = self.output(&words.map(str::to_owned), &[])?;
        read(&text, worker)
    }

    /// What it writes to standard output.
    fn output(&self, words: &[String], more: &[&str]) -> Result<String, PerfError> {
        let mut command = Command::new(&self.0);
        // Nobody waits for debugging information from elsewhere.
        command.args(words).args(more).stdin(Stdio::null()).env("DEBUGINFOD_URLS", "");
        let output = command.output().map_err(|source| PerfError::Start {
            command: format!("{} {}", self.0.display(), words.first().map_or("", String::as_str)),
            source,
        })?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let lines = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(8);
        let said: Vec<String> = lines.map(|line| format!("  {}", line.escape_debug())).collect();
        let said =
            if said.is_empty() { format!("  nothing, and ends with {}", output.status) } else { said.join("\n") };
        Err(PerfError::Refused { said })
    }
}

/// Samples as `perf script` writes them: a line with process and period, one for each call from the innermost on, and an
/// empty one.
fn read(text: &str, worker: u32) -> Result<Taken, PerfError> {
    let mut numbers: BTreeMap<Function, u32> = BTreeMap::new();
    let mut stacks: BTreeMap<Vec<u32>, (u64, u64)> = BTreeMap::new();
    for sample in text.split("\n\n").map(|sample| sample.trim_matches('\n')).filter(|sample| !sample.is_empty()) {
        let mut lines = sample.lines();
        let head = lines.next().unwrap_or_default();
        let (pid, period) = of_head(head).ok_or_else(|| PerfError::Unreadable {
            what: format!("`{}` is no head of a sample", head.escape_debug()),
        })?;
        if pid == worker {
            continue;
        }
        let functions = lines.filter_map(of_call).map(|function| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(function).or_insert(next)
        });
        let (count, weight) = stacks.entry(functions.collect()).or_default();
        *count += 1;
        *weight += period;
    }
    let mut functions: Vec<(Function, u32)> = numbers.into_iter().collect();
    functions.sort_unstable_by_key(|(_, number)| *number);
    Ok(Taken {
        functions: functions.into_iter().map(|(function, _)| function).collect(),
        stacks: stacks.into_iter().map(|(functions, (count, weight))| Stack { functions, count, weight }).collect(),
        ..Taken::default()
    })
}

/// The process and the period of a sample, which is in nanoseconds.
fn of_head(line: &str) -> Option<(u32, u64)> {
    let mut words = line.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

/// The function of a line like `55d0 main (/usr/bin/program)`.
fn of_call(line: &str) -> Option<Function> {
    let (_, rest) = line.trim().split_once(' ')?;
    let rest = rest.trim_end().strip_suffix(')')?;
    let rest = rest.strip_suffix(" (deleted)").unwrap_or(rest);
    // Names may have brackets in them, and paths as well.
    let (name, file) = match rest.find(" (/") {
        Some(at) => (&rest[..at], &rest[at + 2..]),
        None => rest.rsplit_once('(')?,
    };
    let (name, file) = (name.trim(), Path::new(file));
    let module = file.file_name().map_or_else(|| file.to_string_lossy(), std::ffi::OsStr::to_string_lossy);
    Some(Function { name: (name != "[unknown]").then(|| readable(name)), module: module.into_owned() })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const SCRIPT: &str = "
   7    2004008 
\t    7f10 clock_nanosleep (/usr/lib/x86_64-linux-gnu/libc.so.6)

   12    2004008 
\t    55d0 _ZN6duckdb8Executor7ExecuteERNS_9DataChunkE (/opt/duck (1)/duckdb)
\t    55d1 main (/opt/duck (1)/duckdb (deleted))

   12    1000 
\t    55d0 _ZN6duckdb8Executor7ExecuteERNS_9DataChunkE (/opt/duck (1)/duckdb)
\t    55d1 main (/opt/duck (1)/duckdb (deleted))

   13    5 
\tffffffff [unknown] ([unknown])
\t    7f11 operator new(unsigned long) (/usr/lib/libstdc++.so.6)

   13    6 
";

    #[test]
    fn samples_are_read_and_the_workers_left_out() {
        let taken = read(SCRIPT, 7).expect("samples");
        let names: Vec<(Option<&str>, &str)> =
            taken.functions.iter().map(|function| (function.name.as_deref(), function.module.as_str())).collect();
        let expected = [
            (Some("duckdb::Executor::Execute"), "duckdb"),
            (Some("main"), "duckdb"),
            (None, "[unknown]"),
            (Some("operator new(unsigned long)"), "libstdc++.so.6"),
        ];
        assert_eq!(names, expected);
        assert_eq!((taken.count(), taken.weight()), (4, 2_005_019));
        assert!(taken.stacks.contains(&Stack { functions: vec![0, 1], count: 2, weight: 2_005_008 }), "{taken:?}");
        assert!(taken.stacks.contains(&Stack { functions: Vec::new(), count: 1, weight: 6 }), "{taken:?}");
    }

    #[test]
    fn what_is_no_sample_is_told() {
        let error = read("nonsense\u{1b}[2J\n", 7).expect_err("no sample").to_string();
        assert_eq!(error, "read what `perf` has sampled: `nonsense\\u{1b}[2J` is no head of a sample");
        assert_eq!(read("", 7).expect("nothing"), Taken::default());
    }

    /// A program that stands for `perf`.
    fn script(folder: &Path, text: &str) -> Perf {
        let path = folder.join("perf");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
        Perf(path)
    }

    #[test]
    fn a_perf_that_may_not_sample_says_why_and_one_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let perf = script(folder.path(), "echo 'No permission to enable cpu-clock:u event.' >&2; exit 255");
        let error = perf.attempt(&folder.path().join("data")).expect_err("no permission").to_string();
        assert!(error.contains("\n  No permission to enable cpu-clock:u event.\n"), "{error}");
        assert!(error.contains("perf_event_paranoid"), "{error}");
        let perf = script(folder.path(), "exit 3");
        let error = perf.attempt(&folder.path().join("data")).expect_err("an exit").to_string();
        assert!(error.contains("nothing, and ends with exit status: 3"), "{error}");
        let gone = Perf(folder.path().join("gone"));
        let error = gone.attempt(&folder.path().join("data")).expect_err("no program").to_string();
        assert!(error.starts_with("run `") && error.contains("gone record`: "), "{error}");
        assert!(PerfError::Missing.to_string().contains("install it"));
    }

    #[test]
    fn what_it_has_written_is_read_by_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let perf = script(folder.path(), "printf '12 5\\n\\t1 main (/p)\\n\\n'");
        let taken = perf.read(&folder.path().join("data"), 7).expect("samples");
        assert_eq!((taken.count(), taken.weight(), taken.functions.len()), (1, 5, 1));
    }
}
