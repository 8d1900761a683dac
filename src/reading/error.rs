//! What can be wrong with what is read.

use std::io;

use super::Format;

/// Names of all formats, as errors list them.
const KNOWN: &str = "criterion, go, hyperfine, google-benchmark, pytest-benchmark, jmh, pyperf and gate";

/// Why there is no reading. Each message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadingError {
    /// A format's name that nobody knows.
    #[error("use the format `{name}`: {KNOWN} are known")]
    UnknownName {
        /// What was given.
        name: String,
    },
    /// The file can't be read.
    #[error("read `{label}`: {source}; name a file with bench output, or a folder of Criterion's")]
    Io {
        /// What was read.
        label: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The file is larger than any bench output.
    #[error("read `{label}`: it has more than {limit} bytes; name a file with bench output, or split it")]
    TooLarge {
        /// What was read.
        label: String,
        /// The limit.
        limit: u64,
    },
    /// There is nothing in the file.
    #[error("read `{label}`: it is empty; run the benches again, and look at how they end")]
    Empty {
        /// What was read.
        label: String,
    },
    /// A folder where a file is needed.
    #[error("read `{label}` as `{format}`: it is a folder; name a file, or leave out the format")]
    Folder {
        /// What was read.
        label: String,
        /// The format that was asked for.
        format: Format,
    },
    /// A file where a folder is needed.
    #[error("read `{label}` as `criterion`: it is a file; name the folder `target/criterion`, or one within")]
    NoFolder {
        /// What was read.
        label: String,
    },
    /// The format of a file is none of those that are known.
    #[error("tell the format of `{label}`: {why}; {KNOWN} are known, and `--from` names one")]
    Undetected {
        /// What was read.
        label: String,
        /// What speaks against all of them.
        why: &'static str,
    },
    /// A file is of another format than was asked for.
    #[error("read `{label}` as `{asked}`: it is `{found}`; leave out the format, or name {made_by}")]
    OtherFormat {
        /// What was read.
        label: String,
        /// The format that was asked for.
        asked: Format,
        /// What it looks like.
        found: Format,
        /// What would be right.
        made_by: &'static str,
    },
    /// A file holds output of two formats.
    #[error("read `{label}`: it holds both `{one}` and `{other}`{place}; give each a file of its own")]
    Mixed {
        /// What was read.
        label: String,
        /// One of the formats.
        one: &'static str,
        /// Another one.
        other: &'static str,
        /// ` at line 3`, where it is known.
        place: String,
    },
    /// JSON is malformed, or has another shape.
    #[error("read `{label}`: {why}; expected is {expected}")]
    Json {
        /// What was read.
        label: String,
        /// What is wrong, and in which line and column.
        why: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A line of Go's is malformed.
    #[error(
        "read `{label}` line {line}, bench `{bench}`: {why}; expected is a line as `BenchmarkName-8 100 250 ns/op`"
    )]
    Line {
        /// What was read.
        label: String,
        /// The line, from 1.
        line: usize,
        /// The bench.
        bench: String,
        /// What is wrong.
        why: String,
    },
    /// A message of the line protocol is malformed, or out of its place.
    #[error("read `{label}` line {line}: {why}; {remedy}")]
    Message {
        /// What was read.
        label: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// A value is no measurement.
    #[error(
        "read `{label}` at {at}, bench `{bench}`: {why}, and a finite number of at least 0 is needed; run it again"
    )]
    Value {
        /// What was read.
        label: String,
        /// A line or a JSON path.
        at: String,
        /// The bench.
        bench: String,
        /// The value, and what is wrong with it.
        why: String,
    },
    /// A bench has something else than was expected.
    #[error("read `{label}` at {at}, bench `{bench}`: {why}")]
    Bench {
        /// What was read.
        label: String,
        /// A JSON path.
        at: String,
        /// The bench.
        bench: String,
        /// What is wrong, what was expected, and the remedy.
        why: String,
    },
    /// A file holds no bench.
    #[error("read `{label}` as `{format}`: there is no bench in it; expected is {made_by}")]
    NoBench {
        /// What was read.
        label: String,
        /// What it was read as.
        format: Format,
        /// What would be right.
        made_by: &'static str,
    },
    /// There are only summaries where samples are needed.
    #[error(
        "read `{label}`: it has only aggregates; leave out `--benchmark_report_aggregates_only` to keep repetitions"
    )]
    OnlyAggregates {
        /// What was read.
        label: String,
    },
    /// A file is of a version that is not known.
    #[error("read `{label}` as `{format}`: its version is `{found}`, and `{expected}` is known; export it again")]
    Version {
        /// What was read.
        label: String,
        /// What it was read as.
        format: Format,
        /// The version that it has.
        found: String,
        /// The version that is known.
        expected: &'static str,
    },
    /// A bench or one of its metrics stands twice where it can't.
    #[error("read `{label}`: bench `{bench}` has `{metric}` twice; give each bench a name of its own")]
    Twice {
        /// What was read.
        label: String,
        /// The bench.
        bench: String,
        /// The metric.
        metric: String,
    },
    /// A link leads out of the folder that is read.
    #[error("read `{label}`: the link `{link}` leads out of it; copy what it leads to, or remove it")]
    Outside {
        /// The folder.
        label: String,
        /// The link.
        link: String,
    },
}
