//! The dashboard suite.

use super::metric::{
    ADMISSIONS, ARROW_RETAINED_BYTES, ARROW_TRANSIENT_BYTES, AUDIT_RECORDS, BLOCKED_HOLD, BLOCKED_RSS_BYTES,
    CACHE_COALESCED, CACHE_HITS, CACHE_MISSES, CACHE_POPULATES, CONNECTION_HOLD, CONNECTION_WAIT, CPU_TIME,
    DATABASE_AND_CAPTURE, GOVERNOR_DECISIONS, IPC_BYTES, LATENCY, PEAK_RSS_BYTES, PHYSICAL_QUERIES, PLANNING,
    RESPONSE_BYTES, RUST_HEAP_ALLOCS, RUST_HEAP_BYTES, STEADY_RSS_BYTES, THROUGHPUT,
};
use super::{Axis, CPUS_AXIS, Check, Domain, Lane, LaneKind, Only, Suite};

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
