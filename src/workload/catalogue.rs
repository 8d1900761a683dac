//! What the built-in suites offer: their lanes, axes, checks and metrics, as plain data.
//!
//! A gate file is validated against it, and nothing in it needs a database.

use std::borrow::Cow;

use crate::unit::{Assumption, Direction, Metric, Scope, Statistic, Unit};

/// A suite: what it measures, and the names that a gate file may use.
#[derive(Debug)]
pub struct Suite {
    /// Its name, as in `[target] suite = "NAME"`.
    pub name: &'static str,
    /// What it measures, in one line.
    pub about: &'static str,
    /// The axes that a matrix may have.
    pub axes: &'static [Axis],
    /// The lanes.
    pub lanes: &'static [Lane],
    /// The correctness checks.
    pub checks: &'static [Check],
    /// The metrics that its runs report.
    pub metrics: &'static [Metric],
}

/// An axis that a suite understands.
#[derive(Debug)]
pub struct Axis {
    /// Its name.
    pub name: &'static str,
    /// What it varies.
    pub about: &'static str,
    /// The values it takes.
    pub domain: Domain,
    /// Whether every case must have it.
    pub required: bool,
}

/// The values of an axis.
#[derive(Debug)]
pub enum Domain {
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of these numbers.
    Numbers(&'static [i64]),
    /// A number between these two, both included.
    Range(i64, i64),
}

/// A named execution path.
#[derive(Debug)]
pub struct Lane {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What it is for.
    pub kind: LaneKind,
    /// The checks that it must pass on either side: its contract.
    pub contract: &'static [&'static str],
}

/// What a lane is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneKind {
    /// A path that somebody may want to adopt or keep.
    Path,
    /// A path with a known defect or a known extra cost, to see a gate catch it.
    Calibration,
}

/// A correctness check.
#[derive(Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What it holds the answer to, in one line.
    pub about: &'static str,
}

impl Suite {
    /// The suite called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        SUITES.iter().copied().find(|suite| suite.name == name)
    }

    /// The lane called `name`.
    #[must_use]
    pub fn lane(&self, name: &str) -> Option<&'static Lane> {
        self.lanes.iter().find(|lane| lane.name == name)
    }

    /// The check called `name`.
    #[must_use]
    pub fn check(&self, name: &str) -> Option<&'static Check> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// The metric called `name`.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<&'static Metric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}

/// Every built-in suite.
pub const SUITES: &[&Suite] = &[&DASHBOARD, &PROBE];

/// A dashboard's detail table, from a governed query to the bytes of the answer.
pub static DASHBOARD: Suite = Suite {
    name: "dashboard",
    about: "a dashboard's detail table: one query over model.orders in DuckDB, answered as Arrow IPC",
    axes: &[
        Axis {
            name: "shape",
            about: "columns of the table: narrow has 8, wide has 32",
            domain: Domain::Words(&["narrow", "wide"]),
            required: true,
        },
        Axis {
            name: "rows",
            about: "rows of the answer",
            domain: Domain::Numbers(&[1, 50, 999, 1_000, 10_000]),
            required: true,
        },
        Axis { name: "clients", about: "clients that ask at once", domain: Domain::Numbers(&[1]), required: false },
        CPUS_AXIS,
    ],
    lanes: &[
        Lane {
            name: "api-direct",
            about: "owned copy, decoded rows, row maps, ordered frame, string projection, all-string Arrow IPC",
            kind: LaneKind::Path,
            contract: &[
                "row-count",
                "projection-order",
                "string-projection",
                "empty-result",
                "multiple-batches",
                "one-query",
            ],
        },
        Lane {
            name: "native-v1",
            about: "borrowed DuckDB batches streamed straight into Arrow IPC",
            kind: LaneKind::Path,
            contract: NATIVE_CONTRACT,
        },
        Lane {
            name: "fault:drop-null",
            about: "native-v1, but the first null of each batch is answered as the value that lies under it",
            kind: LaneKind::Calibration,
            contract: NATIVE_CONTRACT,
        },
    ],
    checks: &[
        Check { name: "physical-types", about: "every field has the documented Arrow type" },
        Check { name: "exact-values", about: "every value equals the fixture's, for every type" },
        Check {
            name: "null-positions",
            about: "nulls stand exactly where the fixture has them, apart from empty string, zero and false",
        },
        Check { name: "decimal-scale", about: "decimals keep precision, scale and exact value" },
        Check { name: "timestamp-zone", about: "timestamps keep unit and zone" },
        Check { name: "projection-order", about: "fields come in the order and under the names asked for" },
        Check { name: "row-count", about: "the answer has the rows asked for" },
        Check { name: "empty-result", about: "a result without rows keeps its schema" },
        Check { name: "multiple-batches", about: "10,000 rows arrive whole over several batches" },
        Check { name: "one-query", about: "an operation runs exactly one physical query" },
        Check { name: "nullability", about: "fields are nullable exactly where the table declares them so" },
        Check {
            name: "string-projection",
            about: "every field is a string that equals the documented projection, nulls as empty strings",
        },
    ],
    metrics: &[
        LATENCY,
        THROUGHPUT,
        CPU_TIME,
        RUST_HEAP_BYTES,
        RUST_HEAP_ALLOCS,
        PEAK_RSS_BYTES,
        STEADY_RSS_BYTES,
        IPC_BYTES,
        PHYSICAL_QUERIES,
    ],
};

const NATIVE_CONTRACT: &[&str] = &[
    "physical-types",
    "exact-values",
    "null-positions",
    "decimal-scale",
    "timestamp-zone",
    "projection-order",
    "row-count",
    "empty-result",
    "multiple-batches",
    "one-query",
];

/// Tiny lanes of a known cost or with a known fault: what a gate is tried on before it is trusted.
pub static PROBE: Suite = Suite {
    name: "probe",
    about: "tiny lanes of a known cost or with a known fault, to try a gate on",
    axes: &[
        Axis {
            name: "work",
            about: "rounds of a fixed arithmetic loop in one operation",
            domain: Domain::Range(1, 100_000_000),
            required: true,
        },
        CPUS_AXIS,
    ],
    lanes: &[
        Lane { name: "steady", about: "does the work", kind: LaneKind::Path, contract: &["row-count"] },
        Lane {
            name: "slow",
            about: "does half as much work again, and allocates twice as much",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
        },
        Lane {
            name: "fault:wrong-answer",
            about: "answers one row too few, in checks as well",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
        },
        Lane {
            name: "fault:short-answer",
            about: "passes its checks, then answers one row too few from its ninth operation on",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
        },
        Lane {
            name: "fault:crash",
            about: "passes its checks, then aborts its process in its ninth operation",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
        },
        Lane {
            name: "fault:hang",
            about: "passes its checks, then never returns from its ninth operation",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
        },
    ],
    checks: &[Check { name: "row-count", about: "the answer has the rows asked for" }],
    metrics: &[LATENCY, THROUGHPUT, CPU_TIME, RUST_HEAP_BYTES, RUST_HEAP_ALLOCS, PEAK_RSS_BYTES, STEADY_RSS_BYTES],
};

const CPUS_AXIS: Axis = Axis {
    name: "cpus",
    about: "logical CPUs that a run, and the database in it, are bound to",
    domain: Domain::Range(1, 1_024),
    required: false,
};

const LATENCY: Metric = Metric {
    name: Cow::Borrowed("latency"),
    unit: Unit::Nanoseconds,
    direction: Direction::Lower,
    assumption: Assumption::Noisy,
    scope: Scope::Timed,
    default_statistic: Statistic::P50,
    about: Cow::Borrowed("wall time of one operation"),
};

const THROUGHPUT: Metric = Metric {
    name: Cow::Borrowed("throughput"),
    unit: Unit::OperationsPerSecond,
    direction: Direction::Higher,
    assumption: Assumption::Noisy,
    scope: Scope::Run,
    default_statistic: Statistic::Value,
    about: Cow::Borrowed("timed operations divided by the time that they took together"),
};

const CPU_TIME: Metric = Metric {
    name: Cow::Borrowed("cpu_time"),
    unit: Unit::Nanoseconds,
    direction: Direction::Lower,
    assumption: Assumption::Noisy,
    scope: Scope::Run,
    default_statistic: Statistic::Value,
    about: Cow::Borrowed("CPU time of all threads of the process during the timed pass, per operation"),
};

const RUST_HEAP_BYTES: Metric = Metric {
    name: Cow::Borrowed("rust_heap_bytes"),
    unit: Unit::Bytes,
    direction: Direction::Lower,
    assumption: Assumption::Exact,
    scope: Scope::Counted,
    default_statistic: Statistic::Mean,
    about: Cow::Borrowed("bytes that Rust code of all threads allocated in one operation; not DuckDB's C++ heap"),
};

const RUST_HEAP_ALLOCS: Metric = Metric {
    name: Cow::Borrowed("rust_heap_allocs"),
    unit: Unit::Count,
    direction: Direction::Lower,
    assumption: Assumption::Exact,
    scope: Scope::Counted,
    default_statistic: Statistic::Mean,
    about: Cow::Borrowed("allocations that Rust code of all threads made in one operation; not DuckDB's C++ heap"),
};

const PEAK_RSS_BYTES: Metric = Metric {
    name: Cow::Borrowed("peak_rss_bytes"),
    unit: Unit::Bytes,
    direction: Direction::Lower,
    assumption: Assumption::Noisy,
    scope: Scope::Run,
    default_statistic: Statistic::Value,
    about: Cow::Borrowed("highest resident memory of the run's own process during the timed pass, DuckDB's included"),
};

const STEADY_RSS_BYTES: Metric = Metric {
    name: Cow::Borrowed("steady_rss_bytes"),
    unit: Unit::Bytes,
    direction: Direction::Lower,
    assumption: Assumption::Noisy,
    scope: Scope::Run,
    default_statistic: Statistic::Value,
    about: Cow::Borrowed(
        "resident memory of the run's own process right after the timed pass, DuckDB's and what is kept for reuse included",
    ),
};

const IPC_BYTES: Metric = Metric {
    name: Cow::Borrowed("ipc_bytes"),
    unit: Unit::Bytes,
    direction: Direction::Lower,
    assumption: Assumption::Exact,
    scope: Scope::Timed,
    default_statistic: Statistic::Max,
    about: Cow::Borrowed("bytes of the Arrow IPC stream that answers one operation"),
};

const PHYSICAL_QUERIES: Metric = Metric {
    name: Cow::Borrowed("physical_queries"),
    unit: Unit::Count,
    direction: Direction::Lower,
    assumption: Assumption::Exact,
    scope: Scope::Timed,
    default_statistic: Statistic::Max,
    about: Cow::Borrowed("queries that DuckDB ran for one operation"),
};
