//! What parent and child say to each other: one JSON request on the child's stdin, one JSON message a line on its stdout.
//!
//! A child says [`Message::Hello`], then [`Message::Started`] as it begins each case. A child that checks says the
//! results of each case as they come. A child that measures holds its cells back until the last is measured, so that
//! nobody reads what it says while it is timed; then it says, for each case, its samples in parts ([`Message::Samples`])
//! and closes them with [`Message::Cell`]. A child that profiles says names and stacks in parts ([`Message::Functions`],
//! [`Message::Stacks`]), then [`Message::Profiled`]. At the end stand [`Message::Observed`] and [`Message::Done`].
//! A child that ends without `Done` has crashed, whatever its exit code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::measure::symbols::Function;
use crate::program::Subject;
use crate::spec::{Fixture, Warmup};
use crate::unit::Case;
use crate::workload::CheckResult;

/// The version of this protocol; both ends must agree.
pub const PROTOCOL: u32 = 1;

/// What a child is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// [`PROTOCOL`] of the parent.
    pub protocol: u32,
    /// The suite.
    pub suite: String,
    /// The lane.
    pub lane: String,
    /// What is executed, where the suite is about programs.
    pub subject: Option<Subject>,
    /// The cases, measured in this order in this one process.
    pub cases: Vec<Case>,
    /// What the fixtures are made from.
    pub fixture: Fixture,
    /// SHA-256 of each fixture that the cases need, by fixture name; one that differs is refused.
    pub fixtures: BTreeMap<String, String>,
    /// The limits of the process.
    pub limits: Limits,
    /// How many times as long every operation is made to take, where a gate is tried with a known slowdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
    /// What to do with the lane.
    pub task: Task,
}

/// The limits of a child process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Logical CPUs that it is bound to.
    pub cpus: u32,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes.
    pub processes: Option<u64>,
}

/// What to do with the lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Task {
    /// Run these checks in every case.
    Check {
        /// Names in the catalogue.
        checks: Vec<String>,
    },
    /// Measure every case.
    Measure(Measure),
    /// Take a profile of the one case. Nothing is timed.
    Profile(Profile),
}

/// How a lane is profiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// What notes stacks.
    pub profiler: Profiler,
    /// What runs before.
    pub warmup: Warmup,
    /// After this time no operation is begun.
    pub time_ns: u64,
    /// The most operations; none where the time alone decides.
    pub operations: Option<u32>,
    /// The digest that answers must have, from the checks; none where programs hold theirs themselves.
    pub answer: Option<String>,
}

/// What notes stacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profiler {
    /// The child itself, interrupted as its CPU time goes by.
    Cpu,
    /// The child itself, at each of its allocations.
    Allocations,
    /// A program that the child is started under: this one, with these arguments before the child's own command.
    Under(Vec<String>),
}

impl Task {
    /// The command that a child with this task is started under.
    #[must_use]
    pub fn under(&self) -> Option<&[String]> {
        match self {
            Self::Profile(Profile { profiler: Profiler::Under(command), .. }) => Some(command),
            _ => None,
        }
    }
}

/// How much to measure in each case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What runs before the first sample.
    pub warmup: Warmup,
    /// The least time of the timed pass.
    pub min_time_ns: Option<u64>,
    /// The exact number of timed operations, in place of `min_time_ns`.
    pub samples: Option<u32>,
    /// The least number of timed operations beside `min_time_ns`.
    pub min_samples: Option<u32>,
    /// The operations of the counted pass.
    pub counted: u32,
    /// For each case the digest that its answers must have, from the checks; in the order of `cases`.
    pub answers: Vec<String>,
}

impl Measure {
    /// Operations that run before the first sample, where the warm-up is counted in them; a time is at least one.
    #[must_use]
    pub const fn warmup_operations(&self) -> u32 {
        match self.warmup {
            Warmup::Operations(operations) => operations,
            Warmup::TimeNs(_) => 1,
        }
    }
}

/// The most samples that one metric may have in one case.
pub const MAX_SAMPLES: usize = 10_000_000;

/// The most samples in one [`Message::Samples`], so that a line has a bounded length.
pub const MAX_PART: usize = 65_536;

/// The most functions or stacks in one message.
pub const MAX_TOLD: usize = 512;

/// The longest line that a child may say, in bytes.
pub const MAX_LINE: usize = 4 << 20;

/// What the child says, one JSON value a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// The first line.
    Hello {
        /// [`PROTOCOL`] of the child.
        protocol: u32,
        /// Its process id.
        pid: u32,
    },
    /// It begins with this case.
    Started {
        /// The case.
        case: Case,
    },
    /// One check of one case.
    Check(CheckResult),
    /// The digest of the answer in one case, after its checks; left out where a check found that there is no answer.
    Answer {
        /// The case.
        case: Case,
        /// SHA-256 in hex.
        digest: String,
    },
    /// A part, of at most [`MAX_PART`] values, of one metric's samples in the cell that is closed next.
    Samples {
        /// The metric.
        metric: String,
        /// The values, after those that were said before.
        values: Samples,
    },
    /// One measured case; closes its samples.
    Cell(Measured),
    /// The next functions of a profile; they are numbered from 0 in the order in which they come.
    Functions(Vec<Function>),
    /// The next stacks of a profile, of functions that were told before.
    Stacks(Vec<Stack>),
    /// The end of a profile.
    Profiled(Profiled),
    /// What the process saw of itself, after the last case.
    Observed(Observed),
    /// The work could not be done; nothing follows.
    Failed {
        /// What kind of failure it is.
        kind: Failure,
        /// What went wrong, where, and what was expected.
        message: String,
    },
    /// The last line of a child that has done its work.
    Done,
}

/// What kind of failure kept a child from its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The parent speaks another version of the protocol.
    Protocol,
    /// It would not begin: a request that can't be met, a limit that can't be set, a fixture that is another.
    Refused,
    /// An operation answered, but not what it must.
    Answer,
    /// The lane failed, or could not be measured.
    Lane,
}

/// What a child says of one case beside its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The case.
    pub case: Case,
    /// Resident bytes when the timed pass began: what of the peak is not the lane's.
    pub rss_at_start_bytes: u64,
    /// Answers that were kept and compared whole.
    pub compared: u32,
}

/// The samples of one case in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The case.
    pub case: Case,
    /// Samples by metric name. The metric's scope tells which pass they come from.
    pub samples: BTreeMap<String, Samples>,
    /// Resident bytes when the timed pass began: what of the peak is not the lane's.
    pub rss_at_start_bytes: u64,
    /// Answers that were kept and compared whole.
    pub compared: u32,
}

/// The samples of one metric, in the order in which they were taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Samples {
    /// Whole numbers.
    Integers(Vec<u64>),
    /// Real numbers.
    Reals(Vec<f64>),
}

impl Samples {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Reals(values) => values.len(),
        }
    }

    /// The samples as real numbers; whole ones are exact up to 2^53.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds and bytes stay far below 2^53")]
    pub fn to_reals(&self) -> Vec<f64> {
        match self {
            Self::Integers(values) => values.iter().map(|&value| value as f64).collect(),
            Self::Reals(values) => values.clone(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What else was going on on the host while a process was at work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Meanwhile {
    /// Processes that ran or wanted to, averaged over the minute before it began.
    pub load: Option<f64>,
    /// The time that a hypervisor gave to others while a CPU here wanted to run, as a share of the process' wall time.
    pub stolen: Option<f64>,
    /// The time for which the control group's CPU was taken away, as a share of the process' wall time.
    pub throttled: Option<f64>,
}

/// A stack of a profile, and what was noted of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// The functions by number, the innermost first.
    pub functions: Vec<u32>,
    /// Samples of CPU time, or allocations.
    pub count: u64,
    /// What they stand for: nanoseconds, or bytes.
    pub weight: u64,
}

/// What a child says of a profile beside its stacks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profiled {
    /// The child's process.
    pub pid: u32,
    /// The operations that were profiled.
    pub operations: u64,
    /// How long they took.
    pub wall_ns: u64,
    /// The CPU time that the child used meanwhile; zero where something else notes stacks.
    pub cpu_ns: u64,
    /// The bytes that Rust code asked for meanwhile; zero where CPU time is profiled.
    pub heap_bytes: u64,
    /// In so many allocations.
    pub heap_allocs: u64,
    /// Stacks that there was no room for.
    pub lost: u64,
    /// Answers that were compared whole.
    pub compared: u32,
}

/// What a process saw of itself and its limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// The logical CPUs that it was bound to.
    pub cpus: Vec<usize>,
    /// Limits that were in force, by name (`rlimit.as`, `cgroup.memory.max`, …), and `unlimited` where there was none.
    pub limits: BTreeMap<String, String>,
    /// Why a limit that was asked for could not be enforced.
    pub unenforced: Vec<String>,
    /// Whether `peak_rss_bytes` is the timed pass' own: the kernel let the peak be reset as it began. Else the peak is
    /// the process', and may be older.
    pub peak_reset: bool,
    /// DuckDB's version and source id, where the suite uses it.
    pub duckdb: Option<String>,
    /// User and system time of the whole process in nanoseconds.
    pub cpu_ns: u64,
    /// Page faults that needed no I/O.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
    /// Context switches that the process asked for.
    pub voluntary_switches: u64,
    /// Context switches that it did not.
    pub involuntary_switches: u64,
    /// What else was going on on the host meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meanwhile: Option<Meanwhile>,
    /// What a program that reports benches wrote beside them when it was executed last, in each case: the last lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}
