//! The JSON of pyperf.

use serde::Deserialize;

use crate::unit::Unit;

use super::json::{self, Place};
use super::metric::Metric;
use super::{Bench, Format, Reading, ReadingError};
use crate::printable;

/// The only version there has been.
const VERSION: &str = "1.0";

#[derive(Deserialize)]
struct Document {
    version: serde_json::Value,
    #[serde(default)]
    metadata: Metadata,
    benchmarks: Vec<Entry>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    name: Option<String>,
    unit: Option<String>,
    cpu_model_name: Option<String>,
    platform: Option<String>,
    python_version: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    metadata: Metadata,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    /// Runs that only calibrate have none.
    #[serde(default)]
    values: Vec<f64>,
}

pub(super) fn parse(label: &str, bytes: &[u8]) -> Result<Reading, ReadingError> {
    let document: Document = json::read(label, bytes, Format::Pyperf)?;
    if document.version != VERSION {
        return Err(ReadingError::Version {
            label: label.to_owned(),
            format: Format::Pyperf,
            found: printable::short(&document.version.to_string().replace('"', "")),
            expected: VERSION,
        });
    }
    let common = document.metadata;
    let mut benches = Vec::new();
    for (i, entry) in document.benchmarks.into_iter().enumerate() {
        let at = format!("benchmarks[{i}]");
        let Some(name) = entry.metadata.name.or_else(|| common.name.clone()) else {
            return Err(Place { label, at: &at, bench: "" }.wrong("`metadata.name` is missing; export it again"));
        };
        let place = Place { label, at: &at, bench: &name };
        let metric = match entry.metadata.unit.as_deref().or(common.unit.as_deref()) {
            None | Some("second") => Metric::latency(1e9),
            Some("byte") => Metric::lower("bytes", Unit::Bytes, 1.0),
            Some("integer") => Metric::lower("integer", Unit::Count, 1.0),
            Some(other) => {
                let other = printable::short(other);
                return Err(place.wrong(format!("its unit is `{other}`, and second, byte and integer are known")));
            }
        };
        let mut values = Vec::new();
        for (r, run) in entry.runs.iter().enumerate() {
            for (v, &value) in run.values.iter().enumerate() {
                values.push(place.value(&format!(".runs[{r}].values[{v}]"), &metric, value)?);
            }
        }
        if values.is_empty() {
            return Err(place.wrong("its runs have no `values`, and at least one is needed; run it again"));
        }
        benches.push(Bench { series: vec![metric.series(values)], name });
    }
    let host =
        [("cpu", common.cpu_model_name), ("platform", common.platform), ("python", common.python_version)].into_iter();
    let host = host.filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Reading::new(label, Format::Pyperf, host, benches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_all_runs_count_and_warm_ups_do_not() {
        let text = br#"{"version":"1.0","metadata":{"name":"telco","cpu_model_name":"EPYC"},"benchmarks":[{"runs":[
            {"metadata":{"calibrate_loops":1},"warmups":[[1,9.0]]},
            {"values":[1.0,2.0],"warmups":[[1,9.0]]},
            {"values":[3.0]}]}]}"#;
        let reading = parse("f", text).unwrap();
        assert_eq!(reading.benches[0].name, "telco");
        assert_eq!(reading.benches[0].series[0].values, [1e9, 2e9, 3e9]);
        assert_eq!(reading.host["cpu"], "EPYC");
    }

    #[test]
    fn memory_is_no_latency() {
        let text =
            br#"{"version":"1.0","benchmarks":[{"metadata":{"name":"m","unit":"byte"},"runs":[{"values":[7]}]}]}"#;
        assert_eq!(parse("f", text).unwrap().benches[0].series[0].metric, "bytes");
    }

    #[test]
    fn what_is_otherwise_is_an_error() {
        for (text, says) in [
            (r#"{"version":"2.0","benchmarks":[]}"#, "its version is `2.0`, and `1.0` is known"),
            (r#"{"version":1,"benchmarks":[]}"#, "its version is `1`"),
            (r#"{"version":"1.0","benchmarks":[]}"#, "no bench"),
            (r#"{"version":"1.0","benchmarks":[{"runs":[]}]}"#, "`metadata.name` is missing"),
            (r#"{"version":"1.0","benchmarks":[{"metadata":{"name":"a"},"runs":[{}]}]}"#, "no `values`"),
            (r#"{"version":"1.0","benchmarks":[{"metadata":{"name":"a","unit":"joule"},"runs":[]}]}"#, "`joule`"),
            (
                r#"{"version":"1.0","benchmarks":[{"metadata":{"name":"a"},"runs":[{"values":[1,-1]}]}]}"#,
                "benchmarks[0].runs[0].values[1], bench `a`",
            ),
        ] {
            let error = parse("f", text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
