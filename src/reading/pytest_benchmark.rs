//! The JSON of pytest-benchmark.

use serde::Deserialize;

use super::json::{self, Place};
use super::metric::Metric;
use super::{Bench, Format, Reading, ReadingError};

#[derive(Deserialize)]
struct Document {
    machine_info: Host,
    benchmarks: Vec<Entry>,
}

#[derive(Deserialize)]
struct Host {
    system: Option<String>,
    machine: Option<String>,
    python_version: Option<String>,
    cpu: Option<Cpu>,
}

/// Its brand had another key before version 4.
#[derive(Deserialize)]
struct Cpu {
    brand: Option<String>,
    brand_raw: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    fullname: String,
    stats: Stats,
}

#[derive(Deserialize)]
struct Stats {
    /// Seconds for one iteration, one a round.
    data: Option<Vec<f64>>,
}

pub(super) fn parse(label: &str, bytes: &[u8]) -> Result<Reading, ReadingError> {
    let document: Document = json::read(label, bytes, Format::PytestBenchmark)?;
    let mut benches = Vec::new();
    for (i, entry) in document.benchmarks.into_iter().enumerate() {
        let at = format!("benchmarks[{i}].stats");
        let place = Place { label, at: &at, bench: &entry.fullname };
        let Some(data) = &entry.stats.data else {
            return Err(place.wrong(
                "it has no `data`, only a summary; write it with `--benchmark-json=FILE` or `--benchmark-save-data`",
            ));
        };
        let series = vec![place.series(".data", &Metric::latency(1e9), data)?];
        benches.push(Bench { name: entry.fullname, series });
    }
    let machine = document.machine_info;
    let host = [
        ("cpu", machine.cpu.and_then(|cpu| cpu.brand_raw.or(cpu.brand))),
        ("system", machine.system),
        ("machine", machine.machine),
        ("python", machine.python_version),
    ];
    let host = host.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Reading::new(label, Format::PytestBenchmark, host, benches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stats: &str) -> Result<Reading, ReadingError> {
        let text = format!(
            r#"{{"machine_info":{{"system":"Linux","cpu":{{"brand_raw":"EPYC"}}}},"benchmarks":[{{"fullname":"t.py::a","stats":{stats}}}]}}"#
        );
        parse("f", text.as_bytes())
    }

    #[test]
    fn each_round_is_a_value() {
        let reading = read(r#"{"data":[1e-6,2e-6],"mean":1.5e-6}"#).unwrap();
        assert_eq!(reading.benches[0].name, "t.py::a");
        assert_eq!(reading.benches[0].series[0].values, [1e-6 * 1e9, 2e-6 * 1e9]);
        assert_eq!(reading.host["cpu"], "EPYC");
    }

    #[test]
    fn what_is_no_sample_is_an_error() {
        for (stats, says) in [
            (r#"{"mean":1}"#, "`t.py::a`: it has no `data`"),
            (r#"{"data":[]}"#, "is empty"),
            (r#"{"data":[1,"omitted"]}"#, "invalid type: string"),
            (r#"{"data":[-1]}"#, "benchmarks[0].stats.data[0]"),
            (r#"{"data":[NaN]}"#, "at line 1 column"),
        ] {
            let error = read(stats).unwrap_err().to_string();
            assert!(error.contains(says), "{stats}: {error}");
        }
        let error = parse("f", br#"{"machine_info":{},"benchmarks":[]}"#).unwrap_err();
        assert!(matches!(error, ReadingError::NoBench { .. }), "{error}");
    }
}
