//! What all JSON formats have in common.

use serde::Deserialize;

use super::metric::Metric;
use super::{Format, ReadingError, Series};
use crate::printable;

/// Reads a document, or says in which line and column it is otherwise.
pub(super) fn read<'a, T: Deserialize<'a>>(label: &str, bytes: &'a [u8], format: Format) -> Result<T, ReadingError> {
    serde_json::from_slice(bytes).map_err(|error| malformed(label, &error, format.made_by()))
}

pub(super) fn malformed(label: &str, error: &serde_json::Error, expected: &'static str) -> ReadingError {
    ReadingError::Json { label: label.to_owned(), why: printable::short(&error.to_string()), expected }
}

/// A bench in its place, for errors.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) label: &'a str,
    pub(super) at: &'a str,
    pub(super) bench: &'a str,
}

impl Place<'_> {
    /// Something is otherwise than expected.
    pub(super) fn wrong(self, why: impl Into<String>) -> ReadingError {
        let (label, at) = (self.label.to_owned(), self.at.to_owned());
        ReadingError::Bench { label, at, bench: printable::short(self.bench), why: why.into() }
    }

    /// One value; `within` is where it stands below this place.
    pub(super) fn value(self, within: &str, metric: &Metric, written: f64) -> Result<f64, ReadingError> {
        metric.value(written).map_err(|why| ReadingError::Value {
            label: self.label.to_owned(),
            at: format!("{}{within}", self.at),
            bench: printable::short(self.bench),
            why: printable::short(&why),
        })
    }

    /// A series of written values; `within` is where they stand below this place.
    pub(super) fn series(self, within: &str, metric: &Metric, written: &[f64]) -> Result<Series, ReadingError> {
        if written.is_empty() {
            return Err(self.wrong(format!("`{within}` is empty, and at least one value is needed; run it again")));
        }
        let values = written.iter().enumerate().map(|(i, &value)| match metric.value(value) {
            Ok(value) => Ok(value),
            Err(_) => self.value(&format!("{within}[{i}]"), metric, value),
        });
        Ok(metric.series(values.collect::<Result<_, _>>()?))
    }
}
