//! The JSON of hyperfine.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::json::{self, Place};
use super::metric::Metric;
use super::{Bench, Format, Reading, ReadingError};

#[derive(Deserialize)]
struct Document {
    results: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    command: String,
    /// Seconds, one a run.
    times: Option<Vec<f64>>,
    #[serde(default)]
    parameters: BTreeMap<String, Value>,
}

pub(super) fn parse(label: &str, bytes: &[u8]) -> Result<Reading, ReadingError> {
    let document: Document = json::read(label, bytes, Format::Hyperfine)?;
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<&str> =
        document.results.iter().map(|run| run.command.as_str()).filter(|command| !seen.insert(*command)).collect();
    let mut benches = Vec::new();
    for (i, run) in document.results.iter().enumerate() {
        let mut name = run.command.clone();
        // A command that is named by `--command-name` may stand for several.
        if twice.contains(name.as_str()) {
            for (parameter, value) in &run.parameters {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                name.push_str(&format!(" {parameter}={value}"));
            }
        }
        let at = format!("results[{i}]");
        let place = Place { label, at: &at, bench: &name };
        let Some(times) = &run.times else {
            return Err(place.wrong("it has no `times`, only a summary; export it with `hyperfine --export-json`"));
        };
        let series = vec![place.series(".times", &Metric::latency(1e9), times)?];
        benches.push(Bench { name, series });
    }
    Reading::new(label, Format::Hyperfine, [], benches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Reading, ReadingError> {
        parse("f", text.as_bytes())
    }

    #[test]
    fn each_run_is_a_value() {
        let reading = read(r#"{"results":[{"command":"sleep 1","mean":1.5,"times":[1.0,2.0]}]}"#).unwrap();
        assert_eq!(reading.benches[0].name, "sleep 1");
        assert_eq!(reading.benches[0].series[0].metric, "latency");
        assert_eq!(reading.benches[0].series[0].values, [1e9, 2e9]);
    }

    #[test]
    fn one_name_for_several_commands_is_told_apart_by_parameters() {
        let run = |n: &str| format!(r#"{{"command":"x","times":[1],"parameters":{{"n":"{n}"}}}}"#);
        let reading = read(&format!(r#"{{"results":[{},{}]}}"#, run("1"), run("2"))).unwrap();
        let names: Vec<_> = reading.benches.iter().map(|bench| bench.name.as_str()).collect();
        assert_eq!(names, ["x n=1", "x n=2"]);
        let error = read(&format!(r#"{{"results":[{},{}]}}"#, run("1"), run("1"))).unwrap_err();
        assert!(matches!(error, ReadingError::Twice { .. }), "{error}");
    }

    #[test]
    fn what_is_no_sample_is_an_error() {
        for (text, says) in [
            (r#"{"results":[]}"#, "no bench in it; expected is the JSON of `hyperfine"),
            (r#"{"results":[{"command":"x","mean":1}]}"#, "results[0], bench `x`: it has no `times`"),
            (r#"{"results":[{"command":"x","times":[]}]}"#, "`.times` is empty"),
            (r#"{"results":[{"command":"x","times":[1,-2]}]}"#, "results[0].times[1], bench `x`: `latency -2`"),
            (r#"{"results":[{"command":"x","times":[1e305]}]}"#, "too large"),
            (r#"{"results":[{"command":"x","times":["1"]}]}"#, "line 1 column 39"),
            (r#"{"results":[{"times":[1]}]}"#, "missing field `command`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
