//! The older format of a history: `{"date": …, "version": …, "cores": …, "results": [{"name": …, METRIC: NUMBER, …}, …]}`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Line, Measured};
use crate::digest::sha256;
use crate::unit::{Assumption, AxisValue, Case, Direction, Side, Statistic, Unit};

/// What stands for a machine that a line does not name.
const UNNAMED: &str = "unnamed";

#[derive(Deserialize)]
struct Older {
    date: jiff::civil::Date,
    version: Option<String>,
    suite: Option<String>,
    machine: Option<String>,
    cores: Option<usize>,
    results: Vec<Map<String, Value>>,
}

/// Reads a line of the older format, and adds the names of its metrics to `metrics`. What `better` does not name is left out.
///
/// A text beside a result's name is an axis of its case, and a number a metric.
///
/// # Errors
///
/// What is wrong with the line.
pub(super) fn parse(
    text: &str,
    better: &BTreeMap<String, Direction>,
    metrics: &mut BTreeSet<String>,
) -> Result<Line, String> {
    let older: Older = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let midnight = older.date.at(0, 0, 0, 0);
    let date = jiff::tz::Offset::UTC.to_timestamp(midnight).map_err(|error| error.to_string())?;
    let mut measured = Vec::new();
    for (index, result) in older.results.iter().enumerate() {
        let wrong = |key: &str, what: &str| format!("`{}` of result {} {what}", key.escape_debug(), index + 1);
        let mut axes = Vec::new();
        let mut values = Vec::new();
        for (key, value) in result {
            match value {
                Value::String(text) => axes.push((key.clone(), AxisValue::Text(text.clone()))),
                Value::Number(number) => match number.as_f64() {
                    Some(number) if number.is_finite() && number >= 0.0 => values.push((key, number)),
                    _ => return Err(wrong(key, "is no measurement: a number from 0 on is expected")),
                },
                _ => return Err(wrong(key, "is neither a number nor a text")),
            }
        }
        if !result.contains_key("name") {
            return Err(wrong("name", "is missing"));
        }
        for (metric, value) in values {
            metrics.insert(metric.clone());
            let Some(&direction) = better.get(metric) else { continue };
            measured.push(Measured {
                hypothesis: String::new(),
                case: Case::new(axes.clone()),
                metric: metric.clone(),
                statistic: Statistic::Value,
                side: Side::Candidate,
                value,
                unit: Unit::Other,
                direction,
                assumption: Assumption::Noisy,
                runs: vec![value],
            });
        }
    }
    let machine = older.machine.filter(|machine| !machine.trim().is_empty());
    Ok(Line {
        schema: super::SCHEMA.to_owned(),
        date,
        gate: older.suite.unwrap_or_default(),
        campaign: older.version.map_or_else(|| older.date.to_string(), |version| format!("version {version}")),
        plan: String::new(),
        digest: sha256(text.as_bytes()),
        profile: String::new(),
        conditions: String::new(),
        commit: None,
        dirty: None,
        machine: machine.unwrap_or_else(|| UNNAMED.to_owned()),
        cores: older.cores,
        cpu_model: None,
        baseline: false,
        metrics: measured,
    })
}
