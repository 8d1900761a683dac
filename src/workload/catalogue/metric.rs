//! The metrics of the built-in suites.

use std::borrow::Cow;

use crate::unit::{Assumption, Direction, Metric, Scope, Statistic, Unit};

pub(super) const LATENCY: Metric = Metric {
    name: Cow::Borrowed("latency"),
    unit: Unit::Nanoseconds,
    direction: Direction::Lower,
    assumption: Assumption::Noisy,
    scope: Scope::Timed,
    default_statistic: Statistic::P50,
    about: Cow::Borrowed("wall time of one operation"),
};

pub(super) const THROUGHPUT: Metric = Metric {
    name: Cow::Borrowed("throughput"),
    unit: Unit::OperationsPerSecond,
    direction: Direction::Higher,
    assumption: Assumption::Noisy,
    scope: Scope::Run,
    default_statistic: Statistic::Value,
    about: Cow::Borrowed("timed operations divided by the time that they took together"),
};

pub(super) const CPU_TIME: Metric = Metric {
    name: Cow::Borrowed("cpu_time"),
    unit: Unit::Nanoseconds,
    direction: Direction::Lower,
    assumption: Assumption::Noisy,
    scope: Scope::Run,
    default_statistic: Statistic::Value,
    about: Cow::Borrowed("CPU time of all threads of the process during the timed pass, per operation"),
};

pub(super) const RUST_HEAP_BYTES: Metric = Metric {
    name: Cow::Borrowed("rust_heap_bytes"),
    unit: Unit::Bytes,
    direction: Direction::Lower,
    assumption: Assumption::Exact,
    scope: Scope::Counted,
    default_statistic: Statistic::Mean,
    about: Cow::Borrowed("bytes that Rust code of all threads allocated in one operation; not DuckDB's C++ heap"),
};

pub(super) const RUST_HEAP_ALLOCS: Metric = Metric {
    name: Cow::Borrowed("rust_heap_allocs"),
    unit: Unit::Count,
    direction: Direction::Lower,
    assumption: Assumption::Exact,
    scope: Scope::Counted,
    default_statistic: Statistic::Mean,
    about: Cow::Borrowed("allocations that Rust code of all threads made in one operation; not DuckDB's C++ heap"),
};

pub(super) const PEAK_RSS_BYTES: Metric = Metric {
    name: Cow::Borrowed("peak_rss_bytes"),
    unit: Unit::Bytes,
    direction: Direction::Lower,
    assumption: Assumption::Noisy,
    scope: Scope::Run,
    default_statistic: Statistic::Value,
    about: Cow::Borrowed("highest resident memory of the run's own process during the timed pass, DuckDB's included"),
};

pub(super) const STEADY_RSS_BYTES: Metric = Metric {
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

pub(super) const IPC_BYTES: Metric = Metric {
    name: Cow::Borrowed("ipc_bytes"),
    unit: Unit::Bytes,
    direction: Direction::Lower,
    assumption: Assumption::Exact,
    scope: Scope::Timed,
    default_statistic: Statistic::Max,
    about: Cow::Borrowed("bytes of the Arrow IPC stream that answers one operation"),
};

pub(super) const PHYSICAL_QUERIES: Metric = Metric {
    name: Cow::Borrowed("physical_queries"),
    unit: Unit::Count,
    direction: Direction::Lower,
    assumption: Assumption::Exact,
    scope: Scope::Timed,
    default_statistic: Statistic::Max,
    about: Cow::Borrowed("queries that DuckDB ran for one operation"),
};

pub(super) const RESPONSE_BYTES: Metric = Metric {
    name: Cow::Borrowed("response_bytes"),
    about: Cow::Borrowed("bytes of the body that answers one operation, whatever its form"),
    ..IPC_BYTES
};

/// A count that every operation reports, and that equal work makes equal.
pub(super) const fn counter(name: &'static str, about: &'static str) -> Metric {
    Metric { name: Cow::Borrowed(name), about: Cow::Borrowed(about), ..PHYSICAL_QUERIES }
}

/// A time that every operation reports.
pub(super) const fn time(name: &'static str, about: &'static str) -> Metric {
    Metric { name: Cow::Borrowed(name), about: Cow::Borrowed(about), ..LATENCY }
}

pub(super) const CACHE_HITS: Metric = counter("cache_hits", "results that the operation found in the cache");
pub(super) const CACHE_MISSES: Metric =
    counter("cache_misses", "results that the operation looked for and did not find");
pub(super) const CACHE_POPULATES: Metric = counter("cache_populates", "results that the operation put into the cache");
pub(super) const CACHE_COALESCED: Metric = Metric {
    // Who comes first, and how many come before it is done, is up to the scheduler.
    assumption: Assumption::Noisy,
    name: Cow::Borrowed("cache_coalesced"),
    about: Cow::Borrowed("results that the operation waited for while another one computed them"),
    ..PHYSICAL_QUERIES
};
pub(super) const GOVERNOR_DECISIONS: Metric =
    counter("governor_decisions", "decisions of the governor about the operation");
pub(super) const ADMISSIONS: Metric = counter("admissions", "admissions of the operation");
pub(super) const AUDIT_RECORDS: Metric = counter("audit_records", "audit records of the operation");

pub(super) const ARROW_RETAINED_BYTES: Metric = Metric {
    name: Cow::Borrowed("arrow_retained_bytes"),
    about: Cow::Borrowed("bytes of Arrow data that stay in the cache when the operation is done"),
    ..IPC_BYTES
};

pub(super) const ARROW_TRANSIENT_BYTES: Metric = Metric {
    name: Cow::Borrowed("arrow_transient_bytes"),
    about: Cow::Borrowed("the most bytes of Arrow data from the database that the operation held at once"),
    ..IPC_BYTES
};

pub(super) const PLANNING: Metric =
    time("planning", "from the request to the text of its one query: decision, admission, audit");
pub(super) const CONNECTION_WAIT: Metric = time("connection_wait", "waiting for a connection to the database");
pub(super) const CONNECTION_HOLD: Metric = time("connection_hold", "from getting the connection to giving it back");
pub(super) const DATABASE_AND_CAPTURE: Metric =
    time("database_and_capture", "running the query, fetching its batches, and copying them where the lane does");
pub(super) const BLOCKED_HOLD: Metric =
    time("blocked_hold", "how long a slow consumer beside the operation had held a connection by its end");

pub(super) const BLOCKED_RSS_BYTES: Metric = Metric {
    name: Cow::Borrowed("blocked_rss_bytes"),
    assumption: Assumption::Noisy,
    about: Cow::Borrowed("by how much the resident memory of the process grew while a consumer was blocked"),
    ..IPC_BYTES
};
