//! How values are shown in messages, and the strings that the string projection must hold.
//!
//! Shares no code with the lane whose strings it judges: dates, times and decimals are written by Arrow here.

use std::fmt::Display;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float64Type, TimeUnit, TimestampMicrosecondType};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// The text of an error.
pub(super) fn of(error: impl Display) -> String {
    error.to_string()
}

/// The documented string projection of the value in row `row`.
pub(super) fn projected(column: &dyn Array, row: usize) -> Result<String, ArrowError> {
    if column.is_null(row) {
        return Ok(String::new());
    }
    match column.data_type() {
        DataType::Float64 => Ok(column.as_primitive::<Float64Type>().value(row).to_string()),
        DataType::Binary => Ok(escaped(column.as_binary::<i32>().value(row))),
        DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => {
            // Arrow knows the name `UTC` only with a table of zones, and needs none to write it.
            let instants = column.as_primitive::<TimestampMicrosecondType>().clone();
            Ok(written(&instants.with_timezone_opt(None::<&str>), row)? + "Z")
        }
        _ => written(column, row),
    }
}

/// The value in row `row` for a message: nulls, empty strings and zeros look different.
pub(super) fn shown(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return "null".to_owned();
    }
    match projected(column, row) {
        Ok(text) if *column.data_type() == DataType::Utf8 => format!("{text:?}"),
        Ok(text) => text,
        Err(error) => format!("a value that can't be shown ({error})"),
    }
}

fn written(column: &dyn Array, row: usize) -> Result<String, ArrowError> {
    let options = FormatOptions::default().with_timestamp_format(Some("%Y-%m-%dT%H:%M:%S%.6f"));
    ArrayFormatter::try_new(column, &options)?.value(row).try_to_string()
}

fn escaped(bytes: &[u8]) -> String {
    let text = |byte: &u8| match byte {
        b'\\' => "\\x5C".to_owned(),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02X}"),
    };
    bytes.iter().map(text).collect()
}
