//! What other tools measured: their output as benches with samples. Data comes from elsewhere and is not trusted.
//!
//! | format | what is read | one value is |
//! |---|---|---|
//! | [`Format::Criterion`] | a folder as `target/criterion`, or one within | a sample's time by its iterations |
//! | [`Format::Go`] | what `go test -bench` prints | a line |
//! | [`Format::Hyperfine`] | `--export-json` | a run |
//! | [`Format::GoogleBenchmark`] | `--benchmark_out_format=json` | a repetition; aggregates are left out |
//! | [`Format::PytestBenchmark`] | `--benchmark-json` | a round |
//! | [`Format::Jmh`] | `-rf json` | an iteration, or a sampled call; secondary metrics are left out |
//! | [`Format::Pyperf`] | `-o` | a value of a run; warm-ups are left out |
//! | [`Format::Gate`] | one JSON object a line, for programs in any language | a sample |
//!
//! Time per operation is the metric `latency`, in nanoseconds, whatever it was written in. Any other metric has the
//! name that the tool gave it, tidied as Go's `benchstat` does: `MB/s` becomes `B/s`, `p95-ns/op` becomes `p95-sec/op`.
//! The values of a metric whose unit is [`Unit::Nanoseconds`] are nanoseconds all the same.
//!
//! A file that is empty, cut off, of another format, or without a bench is an error with its place, never an empty
//! [`Reading`]; so is a value that is no measurement. What text there is comes out printable: a control character
//! becomes its code, as in `\u{1b}`.

mod criterion;
mod detect;
mod error;
mod go;
mod google_benchmark;
mod hyperfine;
mod jmh;
mod json;
mod metric;
mod protocol;
mod pyperf;
mod pytest_benchmark;
mod source;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::printable;
use crate::unit::{Assumption, Direction, Unit};

pub use error::ReadingError;

/// What is known of a metric by its name alone: its name as readings have it, its unit, and which way is better.
///
/// [`Unit::Other`] where the name does not tell the unit; which way is better is then a guess.
#[must_use]
pub fn named(name: &str) -> (String, Unit, Direction) {
    match name {
        metric::LATENCY | "cpu_time" | "user_time" | "system_time" => {
            (name.to_owned(), Unit::Nanoseconds, Direction::Lower)
        }
        "throughput" => (name.to_owned(), Unit::OperationsPerSecond, Direction::Higher),
        _ => {
            let tidied = metric::Metric::tidied(name);
            (tidied.name, tidied.unit, tidied.direction)
        }
    }
}

/// A format of bench output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The folder that Criterion.rs leaves.
    Criterion,
    /// The text of `go test -bench`.
    Go,
    /// The JSON of hyperfine.
    Hyperfine,
    /// The JSON of Google Benchmark.
    GoogleBenchmark,
    /// The JSON of pytest-benchmark.
    PytestBenchmark,
    /// The JSON of the Java Microbenchmark Harness.
    Jmh,
    /// The JSON of pyperf.
    Pyperf,
    /// The line protocol of this program.
    Gate,
}

impl Format {
    /// All formats, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::Criterion,
        Self::Go,
        Self::Hyperfine,
        Self::GoogleBenchmark,
        Self::PytestBenchmark,
        Self::Jmh,
        Self::Pyperf,
        Self::Gate,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Criterion => "criterion",
            Self::Go => "go",
            Self::Hyperfine => "hyperfine",
            Self::GoogleBenchmark => "google-benchmark",
            Self::PytestBenchmark => "pytest-benchmark",
            Self::Jmh => "jmh",
            Self::Pyperf => "pyperf",
            Self::Gate => "gate",
        }
    }

    /// How such output is made, as an error tells it.
    const fn made_by(self) -> &'static str {
        match self {
            Self::Criterion => "the folder `target/criterion` that `cargo bench` leaves",
            Self::Go => "the text of `go test -bench=. -count=10`",
            Self::Hyperfine => "the JSON of `hyperfine --export-json FILE`",
            Self::GoogleBenchmark => "the JSON of `--benchmark_out=FILE --benchmark_repetitions=10`",
            Self::PytestBenchmark => "the JSON of `pytest --benchmark-json=FILE`",
            Self::Jmh => "the JSON of `-rf json -rff FILE`",
            Self::Pyperf => "the JSON of `pyperf … -o FILE`",
            Self::Gate => "lines as `{\"gate\":\"metric\",…}`, and `{\"gate\":\"done\"}` at their end",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = ReadingError;

    fn from_str(text: &str) -> Result<Self, ReadingError> {
        let found = Self::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| ReadingError::UnknownName { name: printable::short(text) })
    }
}

/// What one file or folder holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What it was read as.
    pub format: Format,
    /// What the tool says of its host and its target: `goos`, `goarch`, `cpu` and others. A key that has several values
    /// in one file has them all, as in `before, after`.
    pub host: BTreeMap<String, String>,
    /// The benches, in the order of their first appearance; there is at least one.
    pub benches: Vec<Bench>,
    /// The checks of its own that the program found broken.
    pub failed: Vec<FailedCheck>,
    /// What the program wrote beside its benches: the last lines, printable and of bounded length.
    pub log: Vec<String>,
}

/// A check of its own that a program found broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// The bench, where it is of one.
    pub bench: Option<String>,
    /// The check.
    pub check: String,
    /// What it expected, as JSON.
    pub expected: String,
    /// What it observed, as JSON.
    pub observed: String,
}

impl fmt::Display for FailedCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "check `{}`", self.check)?;
        if let Some(bench) = &self.bench {
            write!(f, " of bench `{bench}`")?;
        }
        write!(f, ": expected {}, observed {}", self.expected, self.observed)
    }
}

/// One bench and all that was measured of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bench {
    /// The full name, unique in a reading.
    pub name: String,
    /// The metrics, in the order of their first appearance, each once; there is at least one.
    pub series: Vec<Series>,
}

/// The values of one metric of a bench.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// `latency`, or the tool's own name as `benchstat` tidies it.
    pub metric: String,
    /// The unit of the values.
    pub unit: Unit,
    /// Which way is better.
    pub direction: Direction,
    /// What is assumed of the values.
    pub assumption: Assumption,
    /// The values in the order of the file: finite, at least 0, and at least one of them.
    pub values: Vec<f64>,
}

/// Reads a file, or for Criterion a folder; the format is detected where none is given.
///
/// # Errors
///
/// [`ReadingError`] says what is wrong with it, where, and what would be right.
pub fn read(path: &Path, format: Option<Format>) -> Result<Reading, ReadingError> {
    let label = printable::short(&path.display().to_string());
    if path.is_dir() {
        return match format {
            None | Some(Format::Criterion) => criterion::read(&label, path),
            Some(format) => Err(ReadingError::Folder { label, format }),
        };
    }
    parse(&label, &source::file(&label, path)?, format)
}

/// Reads what is in memory, in any format but Criterion's, which is a folder; `label` is what errors call it.
///
/// # Errors
///
/// [`ReadingError`] says what is wrong with it, where, and what would be right.
pub fn parse(label: &str, bytes: &[u8], format: Option<Format>) -> Result<Reading, ReadingError> {
    let label = &printable::short(label);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let format = detect::format(label, bytes, format)?;
    match format {
        Format::Criterion => Err(ReadingError::NoFolder { label: label.clone() }),
        Format::Go => go::parse(label, bytes),
        Format::Hyperfine => hyperfine::parse(label, bytes),
        Format::GoogleBenchmark => google_benchmark::parse(label, bytes),
        Format::PytestBenchmark => pytest_benchmark::parse(label, bytes),
        Format::Jmh => jmh::parse(label, bytes),
        Format::Pyperf => pyperf::parse(label, bytes),
        Format::Gate => protocol::parse(label, bytes),
    }
}

impl Reading {
    /// Benches are made printable, and held to what this module promises of them.
    fn new(
        label: &str,
        format: Format,
        host: impl IntoIterator<Item = (String, String)>,
        mut benches: Vec<Bench>,
    ) -> Result<Self, ReadingError> {
        if benches.is_empty() {
            return Err(ReadingError::NoBench { label: label.to_owned(), format, made_by: format.made_by() });
        }
        let mut names = std::collections::HashSet::new();
        for bench in &mut benches {
            bench.name = printable::text(&bench.name);
            let twice = |metric: &str| ReadingError::Twice {
                label: label.to_owned(),
                bench: printable::short(&bench.name),
                metric: metric.to_owned(),
            };
            for (i, series) in bench.series.iter_mut().enumerate() {
                series.metric = printable::text(&series.metric);
                debug_assert!(!series.values.is_empty(), "series {i} of {} is empty", bench.name);
            }
            let metrics: Vec<&str> = bench.series.iter().map(|series| series.metric.as_str()).collect();
            if let Some(i) = (1..metrics.len()).find(|&i| metrics[..i].contains(&metrics[i])) {
                return Err(twice(metrics[i]));
            }
            if !names.insert(bench.name.clone()) {
                return Err(twice(metrics.first().unwrap_or(&"")));
            }
        }
        let host = host.into_iter().map(|(key, value)| (printable::text(&key), printable::text(&value))).collect();
        Ok(Self { format, host, benches, failed: Vec::new(), log: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names() {
        for format in Format::ALL {
            assert_eq!(format.name().parse::<Format>().unwrap(), format);
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
        let error = "benchstat\u{1b}".parse::<Format>().unwrap_err().to_string();
        assert!(error.contains(r"`benchstat\u{1b}`") && error.contains("pytest-benchmark"), "{error}");
    }

    #[test]
    fn a_byte_order_mark_is_no_content() {
        assert!(parse("a", b"\xef\xbb\xbfBenchmarkA 1 5 ns/op\n", None).is_ok());
    }

    #[test]
    fn a_name_or_metric_twice_is_an_error() {
        let series = |metric: &str| Series {
            metric: metric.to_owned(),
            unit: Unit::Other,
            direction: Direction::Lower,
            assumption: Assumption::Noisy,
            values: vec![1.0],
        };
        let bench = |name: &str, metrics: &[&str]| Bench {
            name: name.to_owned(),
            series: metrics.iter().map(|metric| series(metric)).collect(),
        };
        let reading = |benches| Reading::new("f", Format::Go, [], benches);
        assert!(reading(vec![bench("a", &["x", "y"]), bench("b", &["x"])]).is_ok());
        for twice in [vec![bench("a", &["x"]), bench("a", &["y"])], vec![bench("a", &["x", "y", "x"])]] {
            assert!(matches!(reading(twice), Err(ReadingError::Twice { .. })));
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(
            start in proptest::sample::select(vec!["", "BenchmarkA 1 ", "{\"results\":[", "{\"benchmarks\":[{", "[{", "{\"gate\":"]),
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            format in proptest::sample::select(Format::ALL.to_vec()),
        ) {
            let bytes = [start.as_bytes(), &bytes].concat();
            for format in [None, Some(format)] {
                if let Ok(reading) = parse("f", &bytes, format) {
                    for series in reading.benches.iter().flat_map(|bench| &bench.series) {
                        assert!(!series.values.is_empty());
                        assert!(series.values.iter().all(|value| value.is_finite() && *value >= 0.0));
                    }
                }
            }
        }
    }
}
