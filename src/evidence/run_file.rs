//! One run's samples as an Arrow IPC file.
//!
//! A row is one operation of one pass of one case, or the run's own row of that case; a column is one metric,
//! null where a row has no such sample. Field metadata carry unit, direction and assumption; schema metadata carry
//! the run's id, its cases and what its process saw of itself, so that a file can be read alone.

use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, UInt16Array, UInt32Array, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions};
use serde::{Deserialize, Serialize};

use super::{RunRecord, envelope};
use crate::unit::{Case, Metric, Scope};
use crate::worker::protocol::{Cell, Observed, Samples};

const SCHEMA: &str = "gate.run/1";
const HEAD: &str = "gate.run";
const KEYS: [(&str, DataType); 3] =
    [("cell", DataType::UInt16), ("pass", DataType::Utf8), ("operation", DataType::UInt32)];

/// What is wrong with a run's file or its samples.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    /// Arrow can't write or read it.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// The head in the schema's metadata is missing or wrong.
    #[error("its metadata `gate.run` is {0}")]
    Head(String),
    /// What it says of its own lengths and offsets, or its parts, is not what a run's file has.
    #[error("{0}, as in no file that this program writes; copy the campaign again from where it ran")]
    Envelope(String),
    /// A column is missing, there twice, or of another type.
    #[error("its column `{0}` is missing, there twice, or of another type than this program writes")]
    Column(String),
    /// A metric that the plan does not know.
    #[error("metric `{0}` is not in the plan")]
    Metric(String),
    /// More cells or operations than the format can number.
    #[error("it has more cells or operations than a run's file can number")]
    TooMany,
    /// A cell that the head does not list.
    #[error("a row belongs to cell {0}, which the head does not list")]
    Cell(u16),
}

#[derive(Serialize, Deserialize)]
struct Head {
    schema: String,
    id: String,
    cells: Vec<HeadCell>,
    observed: Observed,
}

#[derive(Serialize, Deserialize)]
struct HeadCell {
    case: Case,
    rss_at_start_bytes: u64,
    compared: u32,
}

const fn pass(scope: Scope) -> &'static str {
    match scope {
        Scope::Timed => "timed",
        Scope::Counted => "counted",
        Scope::Run => "run",
        Scope::Reported => "reported",
    }
}

/// The file's bytes.
///
/// # Errors
///
/// A metric that is not among `metrics`, or more samples than the format can number.
pub(super) fn encode(record: &RunRecord, metrics: &[Metric]) -> Result<Vec<u8>, RunFileError> {
    for name in record.cells.iter().flat_map(|cell| cell.samples.keys()) {
        if !metrics.iter().any(|metric| metric.name == **name) {
            return Err(RunFileError::Metric(name.clone()));
        }
    }
    let (mut cells, mut passes, mut operations) = (Vec::new(), Vec::new(), Vec::new());
    // Where the rows of each cell and pass begin.
    let mut begins = BTreeMap::new();
    for (index, cell) in record.cells.iter().enumerate() {
        let number = u16::try_from(index).map_err(|_| RunFileError::TooMany)?;
        for scope in [Scope::Timed, Scope::Counted, Scope::Run, Scope::Reported] {
            let rows = metrics
                .iter()
                .filter(|metric| metric.scope == scope)
                .filter_map(|metric| cell.samples.get(metric.name.as_ref()))
                .map(Samples::len)
                .max()
                .unwrap_or(0);
            begins.insert((index, pass(scope)), cells.len());
            for operation in 0..rows {
                cells.push(number);
                passes.push(pass(scope));
                operations.push(u32::try_from(operation).map_err(|_| RunFileError::TooMany)?);
            }
        }
    }
    let rows = cells.len();
    let mut fields = KEYS.map(|(name, data_type)| Field::new(name, data_type, false)).to_vec();
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(UInt16Array::from(cells)),
        Arc::new(StringArray::from(passes)),
        Arc::new(UInt32Array::from(operations)),
    ];
    for metric in metrics {
        let parts: Vec<(usize, &Samples)> = record
            .cells
            .iter()
            .enumerate()
            .filter_map(|(index, cell)| {
                Some((begins[&(index, pass(metric.scope))], cell.samples.get(metric.name.as_ref())?))
            })
            .collect();
        let column = column(rows, &parts);
        fields.push(Field::new(metric.name.as_ref(), column.data_type().clone(), true).with_metadata(about(metric)));
        columns.push(column);
    }
    let head = Head {
        schema: SCHEMA.to_owned(),
        id: record.id.clone(),
        cells: record
            .cells
            .iter()
            .map(|cell| HeadCell {
                case: cell.case.clone(),
                rss_at_start_bytes: cell.rss_at_start_bytes,
                compared: cell.compared,
            })
            .collect(),
        observed: record.observed.clone(),
    };
    let head = serde_json::to_string(&head).map_err(|error| RunFileError::Head(error.to_string()))?;
    let schema = Arc::new(Schema::new(fields).with_metadata(HashMap::from([(HEAD.to_owned(), head)])));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns)?;
    // Counters that never vary would take more room than all else.
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME))?;
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options)?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
}

/// One metric's column: whole numbers where every part has them, else reals.
fn column(rows: usize, parts: &[(usize, &Samples)]) -> ArrayRef {
    let whole = parts.iter().all(|(_, samples)| matches!(samples, Samples::Integers(_)));
    if whole {
        let mut values: Vec<Option<u64>> = vec![None; rows];
        for (begin, samples) in parts {
            if let Samples::Integers(samples) = samples {
                for (slot, &value) in values[*begin..].iter_mut().zip(samples) {
                    *slot = Some(value);
                }
            }
        }
        Arc::new(UInt64Array::from(values))
    } else {
        let mut values: Vec<Option<f64>> = vec![None; rows];
        for (begin, samples) in parts {
            for (slot, value) in values[*begin..].iter_mut().zip(samples.to_reals()) {
                *slot = Some(value);
            }
        }
        Arc::new(Float64Array::from(values))
    }
}

fn about(metric: &Metric) -> HashMap<String, String> {
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    HashMap::from([
        ("unit".to_owned(), word(serde_json::json!(metric.unit))),
        ("direction".to_owned(), word(serde_json::json!(metric.direction))),
        ("assumption".to_owned(), word(serde_json::json!(metric.assumption))),
        ("scope".to_owned(), pass(metric.scope).to_owned()),
    ])
}

/// Reads a run's file from its bytes.
///
/// # Errors
///
/// Bytes that are not such a file.
pub fn decode(bytes: &[u8]) -> Result<RunRecord, RunFileError> {
    let (head, batch) = envelope::open(bytes, HEAD, &KEYS)?;
    let head: Head = serde_json::from_str(head).map_err(|error| RunFileError::Head(error.to_string()))?;
    if head.schema != SCHEMA {
        return Err(RunFileError::Head(format!("`{}`, and this program reads `{SCHEMA}`", head.schema)));
    }
    let mut cells: Vec<Cell> = head
        .cells
        .into_iter()
        .map(|cell| Cell {
            case: cell.case,
            samples: BTreeMap::new(),
            rss_at_start_bytes: cell.rss_at_start_bytes,
            compared: cell.compared,
        })
        .collect();
    let numbers = batch.column(0).as_any().downcast_ref::<UInt16Array>();
    let numbers = numbers.ok_or_else(|| RunFileError::Column(KEYS[0].0.to_owned()))?;
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()).skip(KEYS.len()) {
        read_column(field.name(), column, numbers, &mut cells)?;
    }
    Ok(RunRecord { id: head.id, cells, observed: head.observed })
}

fn read_column(name: &str, column: &ArrayRef, numbers: &UInt16Array, cells: &mut [Cell]) -> Result<(), RunFileError> {
    let wrong = || RunFileError::Column(name.to_owned());
    let mut begin = 0;
    // A cell's rows stand together, so that it is looked up once.
    for rows in numbers.values().chunk_by(PartialEq::eq) {
        let part = column.slice(begin, rows.len());
        begin += rows.len();
        let samples = if let Some(values) = part.as_any().downcast_ref::<UInt64Array>() {
            Samples::Integers(values.iter().flatten().collect())
        } else if let Some(values) = part.as_any().downcast_ref::<Float64Array>() {
            Samples::Reals(values.iter().flatten().collect())
        } else {
            return Err(wrong());
        };
        if samples.is_empty() {
            continue;
        }
        let cell = cells.get_mut(usize::from(rows[0])).ok_or(RunFileError::Cell(rows[0]))?;
        match cell.samples.entry(name.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(samples);
            }
            Entry::Occupied(mut entry) => match (entry.get_mut(), samples) {
                (Samples::Integers(all), Samples::Integers(more)) => all.extend(more),
                (Samples::Reals(all), Samples::Reals(more)) => all.extend(more),
                _ => return Err(wrong()),
            },
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::{Assumption, Direction, Statistic, Unit};

    fn metric(name: &'static str, scope: Scope) -> Metric {
        Metric {
            name: name.into(),
            unit: Unit::Nanoseconds,
            direction: Direction::Lower,
            assumption: Assumption::Noisy,
            scope,
            default_statistic: Statistic::P50,
            about: "".into(),
        }
    }

    fn metrics() -> [Metric; 3] {
        // A program may call a metric as it likes, also as a column that every file has.
        [metric("latency", Scope::Timed), metric("pass", Scope::Reported), metric("cpu_time", Scope::Run)]
    }

    fn record(cells: usize) -> RunRecord {
        let observed = r#"{"cpus":[0],"limits":{},"unenforced":[],"peak_reset":true,"duckdb":null,"cpu_ns":1,
            "minor_faults":0,"major_faults":0,"voluntary_switches":0,"involuntary_switches":0}"#;
        let cell = |index: u64| Cell {
            case: serde_json::from_str(r#"{"rows":50}"#).unwrap(),
            samples: BTreeMap::from([
                ("latency".to_owned(), Samples::Integers(vec![index, 7, 7])),
                ("pass".to_owned(), Samples::Reals(vec![0.5, 2.0])),
                ("cpu_time".to_owned(), Samples::Integers(vec![9])),
            ]),
            rss_at_start_bytes: 4_096,
            compared: 3,
        };
        let observed = serde_json::from_str(observed).unwrap();
        RunRecord { id: "p01-baseline-1".to_owned(), cells: (0..).take(cells).map(cell).collect(), observed }
    }

    #[test]
    fn what_is_written_is_read() {
        for cells in 0..3 {
            let record = record(cells);
            assert_eq!(decode(&encode(&record, &metrics()).unwrap()).unwrap(), record);
        }
    }

    #[test]
    fn whatever_byte_is_changed_it_is_read_or_refused() {
        let bytes = encode(&record(2), &metrics()).unwrap();
        for at in 0..bytes.len() {
            for by in [0x00, 0x7f, 0xff, bytes[at] ^ 1] {
                let mut changed = bytes.clone();
                changed[at] = by;
                let _ = decode(&changed);
            }
        }
    }

    #[test]
    fn a_head_that_is_none_is_an_error() {
        let bytes = encode(&record(2), &metrics()).unwrap();
        let changed = |from: &str, to: &str| {
            // The footer has the schema again: the head that counts.
            let at = bytes.windows(from.len()).rposition(|window| window == from.as_bytes()).unwrap();
            let mut changed = bytes.clone();
            changed[at..at + from.len()].copy_from_slice(to.as_bytes());
            decode(&changed).unwrap_err().to_string()
        };
        for (from, to, says) in [
            (
                "gate.run/1",
                "gate.run/2",
                "its metadata `gate.run` is `gate.run/2`, and this program reads `gate.run/1`",
            ),
            ("\"schema\":", "\"scheme\":", "its metadata `gate.run` is missing field `schema`"),
        ] {
            let error = changed(from, to);
            assert!(error.contains(says), "{error}");
        }
        // One cell of two is gone from the head, and its rows are still there.
        let cell = r#",{"case":{"rows":50},"rss_at_start_bytes":4096,"compared":3}"#;
        let error = changed(cell, &" ".repeat(cell.len()));
        assert!(error.contains("a row belongs to cell 1, which the head does not list"), "{error}");
    }
}
