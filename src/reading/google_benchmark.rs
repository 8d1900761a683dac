//! The JSON of Google Benchmark.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value;

use crate::unit::{Direction, Unit};

use super::json::{self, Place};
use super::metric::{Metric, nanoseconds_in};
use super::{Bench, Format, Reading, ReadingError};
use crate::printable;

#[derive(Deserialize)]
struct Document {
    context: BTreeMap<String, Value>,
    benchmarks: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    /// The name without what tells repetitions and aggregates apart; missing before version 1.5.
    run_name: Option<String>,
    run_type: Option<String>,
    real_time: Option<f64>,
    cpu_time: Option<f64>,
    time_unit: Option<String>,
    #[serde(default)]
    error_occurred: bool,
    error_message: Option<String>,
    #[serde(default)]
    skipped: bool,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// Numbers of an entry that are no counters.
const NO_COUNTERS: [&str; 8] = [
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "rms",
    "aggregate_unit",
];

/// How the names of aggregates end, where nothing else tells them.
const AGGREGATES: [&str; 6] = ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"];

/// What of the context is a fact of the host.
const HOST: [&str; 3] = ["host_name", "num_cpus", "library_build_type"];

impl Entry {
    fn is_aggregate(&self) -> bool {
        match &self.run_type {
            Some(run_type) => run_type == "aggregate",
            None => AGGREGATES.iter().any(|end| self.name.ends_with(end)),
        }
    }
}

pub(super) fn parse(label: &str, bytes: &[u8]) -> Result<Reading, ReadingError> {
    let document: Document = json::read(label, bytes, Format::GoogleBenchmark)?;
    let only_aggregates = !document.benchmarks.is_empty() && document.benchmarks.iter().all(Entry::is_aggregate);
    if only_aggregates {
        return Err(ReadingError::OnlyAggregates { label: label.to_owned() });
    }
    let mut benches: Vec<Bench> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    for (i, entry) in document.benchmarks.iter().enumerate() {
        if entry.is_aggregate() || entry.skipped {
            continue;
        }
        let name = entry.run_name.as_ref().unwrap_or(&entry.name);
        let at = format!("benchmarks[{i}]");
        let place = Place { label, at: &at, bench: name };
        let index = *by_name.entry(name.clone()).or_insert_with(|| {
            benches.push(Bench { name: name.clone(), series: Vec::new() });
            benches.len() - 1
        });
        repetition(place, entry, &mut benches[index])?;
    }
    let host = HOST.into_iter().filter_map(|key| {
        let value = document.context.get(key)?;
        Some((key.to_owned(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
    });
    Reading::new(label, Format::GoogleBenchmark, host, benches)
}

fn repetition(place: Place<'_>, entry: &Entry, bench: &mut Bench) -> Result<(), ReadingError> {
    if entry.error_occurred {
        let message = printable::short(entry.error_message.as_deref().unwrap_or("no message"));
        return Err(place.wrong(format!("it failed: {message}; mend it, and run it again")));
    }
    let unit = entry.time_unit.as_deref().unwrap_or("ns");
    let Some(factor) = nanoseconds_in(unit) else {
        let unit = printable::short(unit);
        return Err(place.wrong(format!("its `time_unit` is `{unit}`, and ns, us, ms and s are known")));
    };
    let Some(real_time) = entry.real_time else {
        return Err(place.wrong("it has no `real_time`; write it with `--benchmark_out_format=json`"));
    };
    push(place, ".real_time", &Metric::latency(factor), real_time, bench)?;
    if let Some(cpu_time) = entry.cpu_time {
        push(place, ".cpu_time", &Metric::lower("cpu_time", Unit::Nanoseconds, factor), cpu_time, bench)?;
    }
    for (counter, value) in &entry.others {
        let Some(value) = value.as_f64().filter(|_| !NO_COUNTERS.contains(&counter.as_str())) else { continue };
        let unit = if counter == "bytes_per_second" { Unit::BytesPerSecond } else { Unit::Other };
        let mut metric = Metric::lower(counter, unit, 1.0);
        if counter.ends_with("_per_second") || counter.ends_with("/s") {
            metric.direction = Direction::Higher;
        }
        push(place, &format!(".{}", printable::short(counter)), &metric, value, bench)?;
    }
    Ok(())
}

fn push(place: Place<'_>, within: &str, metric: &Metric, written: f64, bench: &mut Bench) -> Result<(), ReadingError> {
    let value = place.value(within, metric, written)?;
    match bench.series.iter_mut().find(|series| series.metric == metric.name) {
        Some(series) => series.values.push(value),
        None => bench.series.push(metric.series(vec![value])),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(entries: &str) -> Result<Reading, ReadingError> {
        parse("f", format!(r#"{{"context":{{"num_cpus":4}},"benchmarks":[{entries}]}}"#).as_bytes())
    }

    #[test]
    fn repetitions_are_values_and_aggregates_are_left_out() {
        let reading = read(
            r#"{"name":"a/repeats:2","run_name":"a","run_type":"iteration","repetition_index":0,"threads":1,"real_time":1.5,"cpu_time":1,"time_unit":"us","bytes_per_second":10,"hits":3},
            {"name":"a/repeats:2","run_name":"a","run_type":"iteration","repetition_index":1,"real_time":2.5,"cpu_time":2,"time_unit":"us","bytes_per_second":11,"hits":4},
            {"name":"a_mean","run_name":"a","run_type":"aggregate","real_time":2,"cpu_time":2,"time_unit":"us"}"#,
        )
        .unwrap();
        assert_eq!(reading.benches.len(), 1);
        let series: Vec<_> = reading.benches[0]
            .series
            .iter()
            .map(|series| (series.metric.as_str(), series.direction, series.values.clone()))
            .collect();
        let expected = [
            ("latency", Direction::Lower, vec![1.5e3, 2.5e3]),
            ("cpu_time", Direction::Lower, vec![1e3, 2e3]),
            ("bytes_per_second", Direction::Higher, vec![10.0, 11.0]),
            ("hits", Direction::Lower, vec![3.0, 4.0]),
        ];
        assert_eq!(series, expected);
        assert_eq!(reading.host["num_cpus"], "4");
    }

    #[test]
    fn older_versions_tell_aggregates_by_their_name() {
        let reading = read(r#"{"name":"a","real_time":1},{"name":"a_mean","real_time":1}"#).unwrap();
        assert_eq!(reading.benches.len(), 1);
    }

    #[test]
    fn what_is_no_sample_is_an_error() {
        for (entries, says) in [
            ("", "no bench"),
            (r#"{"name":"a_mean","run_type":"aggregate","real_time":1}"#, "only aggregates; leave out"),
            (r#"{"name":"a","skipped":true}"#, "no bench"),
            (r#"{"name":"a","error_occurred":true,"error_message":"no disk"}"#, "it failed: no disk"),
            (r#"{"name":"a","real_time":1,"time_unit":"fortnight"}"#, "`fortnight`"),
            (r#"{"name":"a","cpu_time":1}"#, "no `real_time`"),
            (r#"{"name":"a","real_time":-1}"#, "benchmarks[0].real_time, bench `a`"),
            (r#"{"name":"a","real_time":"1"}"#, "line 1"),
            (r#"{"name":"a","real_time":1,"x":-3}"#, "benchmarks[0].x"),
        ] {
            let error = read(entries).unwrap_err().to_string();
            assert!(error.contains(says), "{entries}: {error}");
        }
    }
}
