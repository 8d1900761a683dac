//! Gate files, good and bad: what is read from them, and what people are told.
//!
//! Every message is a snapshot, because it is a product: look at each that changes.

mod files;
mod json;
mod mutated;
mod read;
mod recorded;
mod refused;
mod warned;

use gate::spec::{self, Format, Loaded, SpecError};

/// A flawless gate file, which the tests edit.
const BASE: &str = r#"gate = 1
name = "trial"
title = "A trial"

[target]
suite = "dashboard"

[matrix]
shape = ["narrow", "wide"]
rows = [1, 50, 1000]

[profile.full]
grade = "comparison"
pairs = 12
min_time = "500ms"
min_samples = 100

[[hypothesis]]
id = "native"
claim = "Native is faster"
baseline = { lane = "api-direct" }
candidate = { lane = "native-v1" }
rollback = "remove it"

[[hypothesis.correctness]]
check = "exact-values"

[[hypothesis.benefit]]
metric = "rust_heap_bytes"
max_ratio = 0.80

[[hypothesis.guardrail]]
metric = "latency"
statistic = "p95"
max_ratio = 1.05

[[hypothesis.report]]
metric = "latency"
statistic = "p99"
"#;

/// The sketch of the format that shows every part, with the values that the suite has.
const SKETCH: &str = r#"#:schema gate.schema.json
gate = 1                                  # format version
name = "dashboard-native"
title = "Native Arrow IPC for dashboard detail tables"

[target]
suite = "dashboard"

[fixture]
seed = 538
null_period = 13

[matrix]
shape   = ["narrow", "wide"]
rows    = [1, 50, 1000, 10000]
clients = [1]
cpus    = [1, 2]
exclude = [{ rows = 10000, cpus = 2 }]
heavy   = [{ rows = 10000 }]
within_run = []

[profile.quick]
grade = "preliminary"
pairs = 3
min_time = "100ms"

[profile.full]
grade = "comparison"
pairs = 10
warmup = 21
min_time = "500ms"
min_samples = 100
order = "alternate"
order_seed = 14120
cpus = 1
memory = "8GiB"
processes = 4096
timeout = "120s"

[analysis]
resamples = 20000
seed = 1412
estimator = "ratio-of-medians"
interval = "two-sided"
confidence = 0.95
multiplicity = "holm"
quantile = "nearest-rank"

[[hypothesis]]
id = "native-detail"
claim = "Streaming governed batches as native IPC beats the string projection on detail tables"
baseline  = { lane = "api-direct" }
candidate = { lane = "native-v1" }
cases = { shape = ["narrow", "wide"], rows = [50, 1000] }
rollback = "remove the native-v1 lane; api-direct is unchanged"

[[hypothesis.correctness]]
check = "physical-types"
[[hypothesis.correctness]]
check = "nullability"
known_gap = "DuckDB marks every projected field nullable"

[[hypothesis.benefit]]
metric = "rust_heap_bytes"
max_ratio = 0.80
[[hypothesis.benefit]]
metric = "latency"
statistic = "p95"
max_ratio = 0.90
[[hypothesis.benefit]]
check = "physical-types"

[[hypothesis.guardrail]]
metric = "latency"
statistic = "p95"
max_ratio = 1.05
[[hypothesis.guardrail]]
metric = "throughput"
min_ratio = 0.95
[[hypothesis.guardrail]]
metric = "physical_queries"
max = 1
[[hypothesis.guardrail]]
metric = "ipc_bytes"
max_ratio = 1.10
waiver = { reason = "…", approved_by = "…", bound = 1.12, until = "2027-01-31" }

[[hypothesis.report]]
metric = "latency"
statistic = "p99"
"#;

/// A name, and what of [`BASE`] is replaced by what.
type Edit<'a> = (&'a str, &'a [(&'a str, &'a str)]);

/// [`BASE`] with the first of each text replaced.
fn edited(edits: &[(&str, &str)]) -> String {
    let mut text = BASE.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "`{from}` is not in the file that is edited");
        text = text.replacen(from, to, 1);
    }
    text
}

fn parse(text: &str) -> Result<Loaded, SpecError> {
    spec::parse("gates/trial.toml", text, Format::Toml)
}

fn accepted(edits: &[(&str, &str)]) -> Loaded {
    parse(&edited(edits)).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

/// What `tell` says of each edit, one after the other.
fn told(edits: &[Edit], tell: impl Fn(&str, &str) -> String) -> String {
    let told = edits.iter().map(|(name, edits)| format!("──── {name}\n{}\n\n", tell(name, &edited(edits))));
    told.collect::<Vec<_>>().concat()
}

/// [`BASE`] up to its first hypothesis.
fn without_hypothesis() -> &'static str {
    BASE.split_once("[[").map(|(before, _)| before).unwrap()
}

/// The JSON of a TOML text.
fn as_json(text: &str) -> String {
    let value: toml::Table = toml::from_str(text).expect("is TOML");
    serde_json::to_string_pretty(&value).expect("is plain data")
}
