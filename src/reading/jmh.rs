//! The JSON of the Java Microbenchmark Harness.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::unit::Unit;

use super::json::{self, Place};
use super::metric::{Metric, nanoseconds_in};
use super::{Bench, Format, Reading, ReadingError};
use crate::printable;

/// A histogram stands for as many samples at most.
const MOST_SAMPLES: u64 = 10_000_000;

#[derive(Deserialize)]
struct Entry {
    benchmark: String,
    mode: String,
    #[serde(default)]
    params: BTreeMap<String, String>,
    #[serde(rename = "primaryMetric")]
    primary: Primary,
}

/// Values, and how often each was sampled.
type Histogram = Vec<(f64, u64)>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Primary {
    score_unit: String,
    /// Fork by fork, iteration by iteration.
    raw_data: Option<Vec<Vec<f64>>>,
    /// Likewise; of each iteration the values and how often each was sampled.
    raw_data_histogram: Option<Vec<Vec<Histogram>>>,
}

pub(super) fn parse(label: &str, bytes: &[u8]) -> Result<Reading, ReadingError> {
    let document: Vec<Entry> = json::read(label, bytes, Format::Jmh)?;
    let mut benches: Vec<Bench> = Vec::new();
    for (i, entry) in document.into_iter().enumerate() {
        let mut name = entry.benchmark;
        for (parameter, value) in &entry.params {
            name.push_str(&format!("/{parameter}={value}"));
        }
        let at = format!("[{i}].primaryMetric");
        let place = Place { label, at: &at, bench: &name };
        let metric = metric(place, &entry.mode, &entry.primary.score_unit)?;
        let values = values(place, &metric, &entry.primary)?;
        let series = metric.series(values);
        // Several modes of one method are several metrics of one bench.
        match benches.iter_mut().find(|bench| bench.name == name) {
            Some(bench) => bench.series.push(series),
            None => benches.push(Bench { name, series: vec![series] }),
        }
    }
    Reading::new(label, Format::Jmh, [], benches)
}

fn metric(place: Place<'_>, mode: &str, unit: &str) -> Result<Metric, ReadingError> {
    let wrong = || {
        let (mode, unit) = (printable::short(mode), printable::short(unit));
        place.wrong(format!(
            "its mode is `{mode}` in `{unit}`; thrpt in ops/s, and avgt, sample and ss in ns/op and the like are known"
        ))
    };
    let factor = match mode {
        "thrpt" => unit.strip_prefix("ops/").and_then(nanoseconds_in).map(|nanoseconds| 1e9 / nanoseconds),
        "avgt" | "sample" | "ss" => unit.strip_suffix("/op").and_then(nanoseconds_in),
        _ => None,
    };
    let factor = factor.ok_or_else(wrong)?;
    Ok(match mode {
        "thrpt" => Metric::higher("throughput", Unit::OperationsPerSecond, factor),
        _ => Metric::latency(factor),
    })
}

fn values(place: Place<'_>, metric: &Metric, primary: &Primary) -> Result<Vec<f64>, ReadingError> {
    let mut values = Vec::new();
    if let Some(forks) = &primary.raw_data {
        for (f, fork) in forks.iter().enumerate() {
            for (i, &value) in fork.iter().enumerate() {
                values.push(place.value(&format!(".rawData[{f}][{i}]"), metric, value)?);
            }
        }
    } else if let Some(forks) = &primary.raw_data_histogram {
        let mut samples = 0_u64;
        for (f, fork) in forks.iter().enumerate() {
            for &(value, count) in fork.iter().flatten() {
                samples = samples.saturating_add(count);
                if samples > MOST_SAMPLES {
                    return Err(place.wrong(format!("it has more than {MOST_SAMPLES} samples; sample fewer")));
                }
                let value = place.value(&format!(".rawDataHistogram[{f}]"), metric, value)?;
                values.extend((0..count).map(|_| value));
            }
        }
    }
    if values.is_empty() {
        return Err(place.wrong("it has no `rawData`, only a score; export it with `-rf json`"));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: &str, unit: &str, data: &str) -> String {
        format!(
            r#"{{"benchmark":"a.B.c","mode":"{mode}","params":{{"n":"10"}},"primaryMetric":{{"score":1,"scoreUnit":"{unit}",{data}}}}}"#
        )
    }

    fn read(entries: &[String]) -> Result<Reading, ReadingError> {
        parse("f", format!("[{}]", entries.join(",")).as_bytes())
    }

    #[test]
    fn modes_are_metrics() {
        let reading =
            read(&[entry("thrpt", "ops/ms", r#""rawData":[[1,2],[3]]"#), entry("avgt", "us/op", r#""rawData":[[4]]"#)])
                .unwrap();
        assert_eq!(reading.benches.len(), 1);
        let bench = &reading.benches[0];
        assert_eq!(bench.name, "a.B.c/n=10");
        assert_eq!((bench.series[0].metric.as_str(), bench.series[0].unit), ("throughput", Unit::OperationsPerSecond));
        assert_eq!(bench.series[0].values, [1e3, 2e3, 3e3]);
        assert_eq!((bench.series[1].metric.as_str(), &bench.series[1].values[..]), ("latency", &[4e3][..]));
    }

    #[test]
    fn a_histogram_stands_for_its_samples() {
        let reading = read(&[entry("sample", "ms/op", r#""rawDataHistogram":[[[[1.5,2],[2.5,1]]]]"#)]).unwrap();
        assert_eq!(reading.benches[0].series[0].values, [1.5e6, 1.5e6, 2.5e6]);
    }

    #[test]
    fn what_is_otherwise_is_an_error() {
        for (mode, unit, data, says) in [
            ("thrpt", "ops/parsec", r#""rawData":[[1]]"#, "`thrpt` in `ops/parsec`"),
            ("warp", "ns/op", r#""rawData":[[1]]"#, "its mode is `warp`"),
            ("avgt", "ns/op", r#""rawData":[[1,-1]]"#, "[0].primaryMetric.rawData[0][1], bench `a.B.c/n=10`"),
            ("avgt", "ns/op", r#""rawData":[[1,"NaN"]]"#, "invalid type: string"),
            ("avgt", "ns/op", r#""rawData":[[]]"#, "no `rawData`"),
            ("sample", "ns/op", r#""rawDataHistogram":[[[[1,99999999999]]]]"#, "more than 10000000 samples"),
        ] {
            let error = read(&[entry(mode, unit, data)]).unwrap_err().to_string();
            assert!(error.contains(says), "{data}: {error}");
        }
        assert!(matches!(read(&[]), Err(ReadingError::NoBench { .. })));
        let twice = [entry("ss", "s/op", r#""rawData":[[1]]"#), entry("avgt", "s/op", r#""rawData":[[1]]"#)];
        assert!(matches!(read(&twice), Err(ReadingError::Twice { .. })));
    }
}
