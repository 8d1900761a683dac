//! What the built-in suites offer: their lanes, axes, checks and metrics, as plain data.
//!
//! A gate file is validated against it, and nothing in it needs a database.

use std::borrow::Cow;

use crate::unit::{Assumption, Case, Direction, Metric, Scope, Statistic, Unit};

/// A suite: what it measures, and the names that a gate file may use.
#[derive(Debug)]
pub struct Suite {
    /// Its name, as in `[target] suite = "NAME"`.
    pub name: &'static str,
    /// What it measures, in one line.
    pub about: &'static str,
    /// The axes that a matrix may have.
    pub axes: &'static [Axis],
    /// Whether a matrix may have others as well, of any values.
    pub any_axis: bool,
    /// Whether its runs report whatever metrics they like, bench by bench.
    pub any_metric: bool,
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
    /// What it takes on the axes on which it does not take every value.
    pub only: &'static [Only],
}

/// The values that a lane takes on one axis.
#[derive(Debug)]
pub struct Only {
    /// The axis.
    pub axis: &'static str,
    /// The values, as a report shows them.
    pub values: &'static [&'static str],
    /// Where a case without the axis stands.
    pub absent: &'static str,
    /// The axis and its values that make the rule hold; none where it always does.
    pub when: Option<(&'static str, &'static [&'static str])>,
}

/// What a lane is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneKind {
    /// A path that somebody may want to adopt or keep.
    Path,
    /// A piece of a path, to see where its time goes.
    Stage,
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

impl Lane {
    /// What of the case the lane does not take; `None` where it takes the case.
    #[must_use]
    pub fn refuses(&self, case: &Case) -> Option<&'static Only> {
        self.only.iter().find(|only| !only.takes(case))
    }
}

impl Only {
    fn takes(&self, case: &Case) -> bool {
        let stands = |axis: &str, among: &[&str], absent: &str| {
            case.get(axis).map_or_else(|| among.contains(&absent), |value| among.contains(&value.to_string().as_str()))
        };
        let concerned = self.when.is_none_or(|(axis, values)| stands(axis, values, ""));
        !concerned || stands(self.axis, self.values, self.absent)
    }
}

impl Suite {
    /// The suite called `name`; [`PROGRAM`] and [`BENCHES`] are among them.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        SUITES.iter().copied().chain([&PROGRAM, &BENCHES]).find(|suite| suite.name == name)
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

/// A dashboard's query path, from a governed request to the bytes of the answer.
pub static DASHBOARD: Suite = Suite {
    name: "dashboard",
    about: "a dashboard's query path: governed requests about model.orders in DuckDB, answered as Arrow IPC or JSON",
    axes: &[
        Axis {
            name: "shape",
            about: "columns of the table: narrow has 8, wide has 32",
            domain: Domain::Words(&["narrow", "wide"]),
            required: true,
        },
        Axis {
            name: "rows",
            about: "rows of the table",
            domain: Domain::Numbers(&[1, 50, 999, 1_000, 10_000]),
            required: true,
        },
        Axis {
            name: "visual",
            about: "what is drawn; without it `detail`, the table of all columns",
            domain: Domain::Words(&["detail", "mixed", "kpi", "bundle", "wide-chart", "matrix", "pivot", "calculated"]),
            required: false,
        },
        Axis {
            name: "response",
            about: "the form of the answer; without it `arrow`",
            domain: Domain::Words(&["arrow", "json"]),
            required: false,
        },
        Axis {
            name: "clients",
            about: "clients that ask at one moment, over and over; latencies count from that moment; without it 1",
            domain: Domain::Numbers(&[1, 4, 8, 10, 20, 100]),
            required: false,
        },
        Axis {
            name: "consumer",
            about: "who takes the answer from a server over loopback: who reads on; who waits 100 ms behind the head; who leaves behind the first bytes, timed until all is free; who reads on beside one that blocks; who never reads, timed until it is cut off and all is free; the last three need answers of 128 KiB or more; without it there is no server",
            domain: Domain::Words(&["normal", "delayed", "disconnecting", "beside-slow", "stalled"]),
            required: false,
        },
        CPUS_AXIS,
    ],
    any_axis: false,
    any_metric: false,
    lanes: &[
        Lane {
            name: "api-direct",
            about: "owned copy, decoded rows, row maps, ordered frame, string projection, all-string Arrow IPC or JSON; a full page is counted by a second query",
            kind: LaneKind::Path,
            contract: STRING_CONTRACT,
            only: ARROW_TABLES_OR_JSON,
        },
        Lane {
            name: "native-v1",
            about: "borrowed DuckDB batches streamed straight into Arrow IPC",
            kind: LaneKind::Path,
            contract: NATIVE_CONTRACT,
            only: ARROW_TABLES,
        },
        Lane {
            name: "dashboard-cold",
            about: "api-direct behind the retained-result cache, which is emptied before every request: miss and populate",
            kind: LaneKind::Path,
            contract: CACHED_CONTRACT,
            only: ARROW_TABLES_OR_JSON,
        },
        Lane {
            name: "dashboard-warm",
            about: "api-direct behind the retained-result cache, which has the result: hits, and no query",
            kind: LaneKind::Path,
            contract: CACHED_CONTRACT,
            only: ARROW_TABLES_OR_JSON,
        },
        Lane {
            name: "ordered-frame",
            about: "dashboard-warm, but the ordered frame reads the leased Arrow columns: no rows, no maps",
            kind: LaneKind::Path,
            contract: CACHED_CONTRACT,
            only: ARROW_TABLES_OR_JSON,
        },
        Lane {
            name: "adopted",
            about: "what a request takes once native-v1 is adopted: it for tables as Arrow, api-direct for all else",
            kind: LaneKind::Path,
            contract: ADOPTED_CONTRACT,
            only: ARROW_TABLES_OR_JSON,
        },
        Lane {
            name: "string-ipc",
            about: "serialisation alone: the string projection of retained values, and its Arrow IPC",
            kind: LaneKind::Path,
            contract: &["row-count", "string-projection"],
            only: PIECES,
        },
        Lane {
            name: "native-ipc",
            about: "serialisation alone: retained values as Arrow IPC in their own types",
            kind: LaneKind::Path,
            contract: &["row-count", "physical-types", "exact-values", "null-positions"],
            only: PIECES,
        },
        stage("stage:capture-scalars", "a copy of a batch of scalar columns that owns every byte"),
        Lane {
            // The ninth column is the first of them.
            only: WIDE_PIECES,
            ..stage("stage:capture-dictionaries", "a copy of a batch of dictionary columns, by way of Arrow IPC")
        },
        stage("stage:decode-rows", "Arrow columns to rows of owned values"),
        stage("stage:datum-maps", "rows to named maps, copied and brought to normal form"),
        stage("stage:normalise", "the values of named maps to normal form"),
        stage("stage:row-shaping", "named maps to ordered rows"),
        stage("stage:ordered-frame", "named maps to an ordered frame and its window"),
        stage("stage:frame-clone", "a copy of a frame without calculations"),
        stage("stage:envelope", "a window to the envelope of its visual"),
        stage("stage:json-response", "an envelope to JSON"),
        stage("stage:string-projection", "a window to strings"),
        stage("stage:string-ipc", "strings to Arrow IPC"),
        stage("stage:native-ipc", "a batch to Arrow IPC in its own types"),
        stage("stage:warm-lookup", "a lookup in the retained-result cache, and a lease of what it finds"),
        stage("stage:end-to-end", "api-direct, whole"),
        Lane {
            name: "calibrate:extra-copy",
            about: "native-v1 with one more copy of every batch: what an allocation budget must catch",
            kind: LaneKind::Calibration,
            contract: NATIVE_CONTRACT,
            only: ARROW_TABLES,
        },
        Lane {
            name: "fault:drop-null",
            about: "native-v1, but the first null of each batch is answered as the value that lies under it",
            kind: LaneKind::Calibration,
            contract: NATIVE_CONTRACT,
            only: ARROW_TABLES,
        },
        Lane {
            name: "fault:second-query",
            about: "native-v1, but it runs one query too many",
            kind: LaneKind::Calibration,
            contract: NATIVE_CONTRACT,
            only: ARROW_TABLES,
        },
        Lane {
            name: "fault:keeps-connection",
            about: "native-v1, but it never gives its connection back",
            kind: LaneKind::Calibration,
            contract: NATIVE_CONTRACT,
            only: ARROW_TABLES,
        },
        Lane {
            name: "fault:stale-cache",
            about: "dashboard-warm, but a result outlives the data that it was made from",
            kind: LaneKind::Calibration,
            contract: CACHED_CONTRACT,
            only: ARROW_TABLES_OR_JSON,
        },
        Lane {
            name: "fault:cross-principal",
            about: "dashboard-warm, but a result is served to whoever asks the same question",
            kind: LaneKind::Calibration,
            contract: CACHED_CONTRACT,
            only: ARROW_TABLES_OR_JSON,
        },
        Lane {
            name: "fault:keeps-lease",
            about: "dashboard-warm, but it never returns its lease",
            kind: LaneKind::Calibration,
            contract: CACHED_CONTRACT,
            only: ARROW_TABLES_OR_JSON,
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
            about: "every value equals the documented projection of the fixture's: strings in Arrow, nulls as empty strings; in JSON null, truth values and numbers as they are",
        },
        Check {
            name: "governance",
            about: "a request shows one decision, one admission and one audit record, with the same identity and query as api-direct",
        },
        Check {
            name: "denied-first",
            about: "who may not see the table is denied before a query is planned or run or an answer begun, and audited",
        },
        Check { name: "row-policy", about: "a principal sees the rows that the policy lets through, and no other" },
        Check { name: "column-mask", about: "masked columns are null in every row, in their own type" },
        Check {
            name: "result-budget",
            about: "a result that is one byte or row over its budget is refused without a body or a cursor",
        },
        Check {
            name: "pagination",
            about: "2,501 rows come as pages of 1,000, 1,000 and 501; a cursor on all but the last; foreign and stale ones are refused",
        },
        Check {
            name: "cache-outcomes",
            about: "a request shows the lookups and the queries of its lane: none and one, a miss and one, or a hit and none",
        },
        Check { name: "fresh-data", about: "once the data have changed, the answer is of the new ones" },
        Check {
            name: "own-scope",
            about: "two principals who ask the same question each get the answer of their own policy",
        },
        Check { name: "nothing-left", about: "no connection, lease or place is held when a request is answered" },
        Check { name: "type-fidelity", about: "every type that DuckDB and Arrow share arrives as itself" },
        Check {
            name: "handler-parity",
            about: "over HTTP comes byte for byte what the lane answers, but for what lies under nulls, with the cursor of a full page in the same place; what is no request is refused",
        },
        Check {
            name: "cancel-before-first-batch",
            about: "a client that leaves while the query runs ends it: all is free within 2 s, and there is one audit record",
        },
        Check {
            name: "cancel-while-streaming",
            about: "a client that leaves in the middle of 10,000 rows ends them: all is free within 2 s, and there is one audit record",
        },
        Check {
            name: "slow-consumer",
            about: "a client that never reads is cut off within 500 ms and 2 s, told of no success, and all is free",
        },
        Check {
            name: "independent-request",
            about: "while one client blocks its lane and holds one connection at most, another is answered whole",
        },
        Check {
            name: "no-false-success",
            about: "an answer that fails behind its first bytes breaks off without an end, trailers or a cursor; one that fails before is an error",
        },
        Check {
            name: "pool-exhausted",
            about: "with every connection held by others a request is refused within its patience, and answered once one is free",
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
        RESPONSE_BYTES,
        PHYSICAL_QUERIES,
        CACHE_HITS,
        CACHE_MISSES,
        CACHE_POPULATES,
        CACHE_COALESCED,
        GOVERNOR_DECISIONS,
        ADMISSIONS,
        AUDIT_RECORDS,
        ARROW_RETAINED_BYTES,
        ARROW_TRANSIENT_BYTES,
        PLANNING,
        CONNECTION_WAIT,
        CONNECTION_HOLD,
        DATABASE_AND_CAPTURE,
        BLOCKED_HOLD,
        BLOCKED_RSS_BYTES,
    ],
};

/// A stage by itself, over an input that is made outside of the timing.
const fn stage(name: &'static str, about: &'static str) -> Lane {
    Lane { name, about, kind: LaneKind::Stage, contract: &["row-count"], only: PIECES }
}

const fn only(axis: &'static str, absent: &'static str, values: &'static [&'static str]) -> Only {
    Only { axis, values, absent, when: None }
}

/// The visuals that are no ordinary table.
const DRAWN: &[&str] = &["kpi", "bundle", "wide-chart", "matrix", "pivot", "calculated"];

/// A lane that writes the database's own types answers tables as Arrow.
const ARROW_TABLES: &[Only] = &[only("visual", "detail", &["detail", "mixed"]), only("response", "arrow", &["arrow"])];

/// The existing path answers tables as Arrow, and any visual as JSON.
const ARROW_TABLES_OR_JSON: &[Only] =
    &[Only { axis: "response", values: &["json"], absent: "arrow", when: Some(("visual", DRAWN)) }];

/// A piece of a path has one detail table, one client, and no server.
const PIECES: &[Only] =
    &[only("visual", "detail", &["detail"]), only("clients", "1", &["1"]), only("consumer", "none", &["none"])];

/// A piece that a narrow table has no column for.
const WIDE_PIECES: &[Only] = &[
    only("shape", "", &["wide"]),
    only("visual", "detail", &["detail"]),
    only("clients", "1", &["1"]),
    only("consumer", "none", &["none"]),
];

/// What every lane that answers requests is held to.
macro_rules! contract {
    ($($check:literal),* $(,)?) => {
        &[
            $($check,)*
            "projection-order",
            "row-count",
            "empty-result",
            "multiple-batches",
            "governance",
            "denied-first",
            "row-policy",
            "column-mask",
            "result-budget",
            "pagination",
            "cache-outcomes",
            "fresh-data",
            "own-scope",
            "nothing-left",
        ]
    };
}

const STRING_CONTRACT: &[&str] = contract!["string-projection", "one-query"];
const CACHED_CONTRACT: &[&str] = contract!["string-projection"];
const ADOPTED_CONTRACT: &[&str] = contract!["one-query"];
const NATIVE_CONTRACT: &[&str] = contract![
    "physical-types",
    "exact-values",
    "null-positions",
    "decimal-scale",
    "timestamp-zone",
    "nullability",
    "type-fidelity",
    "one-query"
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
    any_axis: false,
    any_metric: false,
    lanes: &[
        Lane { name: "steady", about: "does the work", kind: LaneKind::Path, contract: &["row-count"], only: &[] },
        Lane {
            name: "slow",
            about: "does half as much work again, and allocates twice as much",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
        Lane {
            name: "fault:wrong-answer",
            about: "answers one row too few, in checks as well",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
        Lane {
            name: "fault:short-answer",
            about: "passes its checks, then answers one row too few from its ninth operation on",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
        Lane {
            name: "fault:crash",
            about: "passes its checks, then aborts its process in its ninth operation",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
        Lane {
            name: "fault:hang",
            about: "passes its checks, then never returns from its ninth operation",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
    ],
    checks: &[Check { name: "row-count", about: "the answer has the rows asked for" }],
    metrics: &[LATENCY, THROUGHPUT, CPU_TIME, RUST_HEAP_BYTES, RUST_HEAP_ALLOCS, PEAK_RSS_BYTES, STEADY_RSS_BYTES],
};

/// What a gate knows of any program: the two sides, what an execution can be held to, and what the kernel tells of it.
///
/// No gate file names it: it is what `[target.command]` and `[target.revisions]` stand on.
pub static PROGRAM: Suite = Suite {
    name: "program",
    about: "any program: each operation is one execution, in a process of its own",
    axes: &[CPUS_AXIS],
    any_axis: true,
    any_metric: false,
    lanes: &[
        Lane {
            name: "baseline",
            about: "the program that is there today",
            kind: LaneKind::Path,
            contract: &["exit-code", "stdout", "lines"],
            only: &[],
        },
        Lane {
            name: "candidate",
            about: "the program that is proposed",
            kind: LaneKind::Path,
            contract: &["exit-code", "stdout", "lines"],
            only: &[],
        },
    ],
    checks: &[
        Check { name: "exit-code", about: "it ends by itself, with the expected exit code" },
        Check { name: "stdout", about: "its standard output is the expected one, byte for byte" },
        Check { name: "lines", about: "its standard output has the expected number of lines" },
    ],
    metrics: &[
        LATENCY,
        execution(
            "cpu_time",
            Unit::Nanoseconds,
            "user and system time of one execution, with the children it waited for",
        ),
        execution("user_time", Unit::Nanoseconds, "CPU time of one execution in user mode"),
        execution("system_time", Unit::Nanoseconds, "CPU time of one execution in the kernel"),
        execution(
            "peak_rss_bytes",
            Unit::Bytes,
            "highest resident memory of one execution, or of the largest child it waited for; never less than what the process that starts it has resident",
        ),
        execution("minor_faults", Unit::Count, "page faults of one execution that needed no I/O"),
        execution("major_faults", Unit::Count, "page faults of one execution that needed I/O"),
        execution("voluntary_switches", Unit::Count, "context switches of one execution that it asked for, by waiting"),
        execution("involuntary_switches", Unit::Count, "context switches of one execution that it did not ask for"),
        Metric {
            name: Cow::Borrowed("startup_time"),
            unit: Unit::Nanoseconds,
            direction: Direction::Lower,
            assumption: Assumption::Noisy,
            scope: Scope::Run,
            default_statistic: Statistic::Value,
            about: Cow::Borrowed(
                "wall time of an execution of an empty program (`true`) in the same process: what of `latency` is the measuring's own",
            ),
        },
    ],
};

/// What a gate knows of a program that measures benches of its own, and reports them.
///
/// No gate file names it either.
pub static BENCHES: Suite = Suite {
    name: "benches",
    about: "a program that measures benches of its own, and reports them; each run executes it in a process of its own",
    axes: PROGRAM.axes,
    any_axis: true,
    any_metric: true,
    lanes: PROGRAM.lanes,
    checks: PROGRAM.checks,
    metrics: &[],
};

/// A noisy metric of one execution, lower is better.
const fn execution(name: &'static str, unit: Unit, about: &'static str) -> Metric {
    Metric {
        name: Cow::Borrowed(name),
        unit,
        direction: Direction::Lower,
        assumption: Assumption::Noisy,
        scope: Scope::Timed,
        default_statistic: Statistic::P50,
        about: Cow::Borrowed(about),
    }
}

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

const RESPONSE_BYTES: Metric = Metric {
    name: Cow::Borrowed("response_bytes"),
    about: Cow::Borrowed("bytes of the body that answers one operation, whatever its form"),
    ..IPC_BYTES
};

/// A count that every operation reports, and that equal work makes equal.
const fn counter(name: &'static str, about: &'static str) -> Metric {
    Metric { name: Cow::Borrowed(name), about: Cow::Borrowed(about), ..PHYSICAL_QUERIES }
}

/// A time that every operation reports.
const fn time(name: &'static str, about: &'static str) -> Metric {
    Metric { name: Cow::Borrowed(name), about: Cow::Borrowed(about), ..LATENCY }
}

const CACHE_HITS: Metric = counter("cache_hits", "results that the operation found in the cache");
const CACHE_MISSES: Metric = counter("cache_misses", "results that the operation looked for and did not find");
const CACHE_POPULATES: Metric = counter("cache_populates", "results that the operation put into the cache");
const CACHE_COALESCED: Metric = Metric {
    // Who comes first, and how many come before it is done, is up to the scheduler.
    assumption: Assumption::Noisy,
    name: Cow::Borrowed("cache_coalesced"),
    about: Cow::Borrowed("results that the operation waited for while another one computed them"),
    ..PHYSICAL_QUERIES
};
const GOVERNOR_DECISIONS: Metric = counter("governor_decisions", "decisions of the governor about the operation");
const ADMISSIONS: Metric = counter("admissions", "admissions of the operation");
const AUDIT_RECORDS: Metric = counter("audit_records", "audit records of the operation");

const ARROW_RETAINED_BYTES: Metric = Metric {
    name: Cow::Borrowed("arrow_retained_bytes"),
    about: Cow::Borrowed("bytes of Arrow data that stay in the cache when the operation is done"),
    ..IPC_BYTES
};

const ARROW_TRANSIENT_BYTES: Metric = Metric {
    name: Cow::Borrowed("arrow_transient_bytes"),
    about: Cow::Borrowed("the most bytes of Arrow data from the database that the operation held at once"),
    ..IPC_BYTES
};

const PLANNING: Metric = time("planning", "from the request to the text of its one query: decision, admission, audit");
const CONNECTION_WAIT: Metric = time("connection_wait", "waiting for a connection to the database");
const CONNECTION_HOLD: Metric = time("connection_hold", "from getting the connection to giving it back");
const DATABASE_AND_CAPTURE: Metric =
    time("database_and_capture", "running the query, fetching its batches, and copying them where the lane does");
const BLOCKED_HOLD: Metric =
    time("blocked_hold", "how long a slow consumer beside the operation had held a connection by its end");

const BLOCKED_RSS_BYTES: Metric = Metric {
    name: Cow::Borrowed("blocked_rss_bytes"),
    assumption: Assumption::Noisy,
    about: Cow::Borrowed("by how much the resident memory of the process grew while a consumer was blocked"),
    ..IPC_BYTES
};
