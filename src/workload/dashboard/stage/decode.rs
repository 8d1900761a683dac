//! Decoding columns into rows of owned values.

use arrow::array::{
    Array, AsArray, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, StringArray,
    TimestampMicrosecondArray,
};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, TimeUnit};
use arrow::record_batch::RecordBatch;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::Value;
use crate::workload::dashboard::error::QueryError;

/// One row, its values in the order of the columns.
pub type Row = Vec<Value>;

const SECONDS_PER_DAY: i64 = 86_400;

/// The rows of all batches, in order.
///
/// # Errors
///
/// A column of a type that a dashboard does not read, or a time out of range.
pub fn decode(batches: &[RecordBatch]) -> Result<Vec<Row>, QueryError> {
    let mut rows = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for batch in batches {
        let columns = columns(batch)?;
        for row in 0..batch.num_rows() {
            rows.push(columns.iter().map(|column| column.value(row)).collect::<Result<_, _>>()?);
        }
    }
    Ok(rows)
}

/// The columns of a batch under their own types.
///
/// # Errors
///
/// A column of a type that a dashboard does not read.
pub(super) fn columns(batch: &RecordBatch) -> Result<Vec<Column<'_>>, QueryError> {
    let fields = batch.schema_ref().fields().iter().zip(batch.columns());
    let columns = fields.map(|(field, column)| {
        Column::of(column).ok_or_else(|| {
            QueryError::Answer(format!(
                "column `{}` has type {}, which a dashboard does not read",
                field.name(),
                field.data_type()
            ))
        })
    });
    columns.collect()
}

/// A column under its own type.
pub(super) enum Column<'a> {
    Integer(&'a Int64Array),
    Float(&'a Float64Array),
    Boolean(&'a BooleanArray),
    Text(&'a StringArray),
    Binary(&'a BinaryArray),
    DateTime(&'a TimestampMicrosecondArray),
    Instant(&'a TimestampMicrosecondArray),
    Decimal { unscaled: &'a Decimal128Array, scale: u8 },
    Date(&'a Date32Array),
    Dictionary { keys: Vec<usize>, values: &'a StringArray, nulls: Option<NullBuffer> },
}

impl<'a> Column<'a> {
    fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int64 => Self::Integer(array.as_primitive_opt()?),
            DataType::Float64 => Self::Float(array.as_primitive_opt()?),
            DataType::Boolean => Self::Boolean(array.as_boolean_opt()?),
            DataType::Utf8 => Self::Text(array.as_string_opt()?),
            DataType::Binary => Self::Binary(array.as_binary_opt()?),
            DataType::Timestamp(TimeUnit::Microsecond, None) => Self::DateTime(array.as_primitive_opt()?),
            DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if &**zone == "UTC" => {
                Self::Instant(array.as_primitive_opt()?)
            }
            DataType::Decimal128(_, scale) => {
                Self::Decimal { unscaled: array.as_primitive_opt()?, scale: u8::try_from(*scale).ok()? }
            }
            DataType::Date32 => Self::Date(array.as_primitive_opt()?),
            DataType::Dictionary(_, values) if **values == DataType::Utf8 => {
                let dictionary = array.as_any_dictionary_opt()?;
                let values = dictionary.values().as_string_opt()?;
                // Without values there is no key to normalise, and every row is null.
                let keys = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
                Self::Dictionary { keys, values, nulls: array.logical_nulls() }
            }
            _ => return None,
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Integer(array) => array.is_null(row),
            Self::Float(array) => array.is_null(row),
            Self::Boolean(array) => array.is_null(row),
            Self::Text(array) => array.is_null(row),
            Self::Binary(array) => array.is_null(row),
            Self::DateTime(array) | Self::Instant(array) => array.is_null(row),
            Self::Decimal { unscaled, .. } => unscaled.is_null(row),
            Self::Date(array) => array.is_null(row),
            Self::Dictionary { nulls, .. } => nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)),
        }
    }

    /// The value in row `row`.
    ///
    /// # Errors
    ///
    /// A time out of range.
    pub(super) fn value(&self, row: usize) -> Result<Value, QueryError> {
        if self.is_null(row) {
            return Ok(Value::Null);
        }
        Ok(match self {
            Self::Integer(array) => Value::Integer(array.value(row)),
            Self::Float(array) => Value::Float(array.value(row)),
            Self::Boolean(array) => Value::Boolean(array.value(row)),
            Self::Text(array) => Value::Text(array.value(row).to_owned()),
            Self::Binary(array) => Value::Binary(array.value(row).to_owned()),
            Self::DateTime(array) => Value::DateTime(civil(instant(array.value(row))?)),
            Self::Instant(array) => Value::Instant(instant(array.value(row))?),
            Self::Decimal { unscaled, scale } => Value::Decimal { unscaled: unscaled.value(row), scale: *scale },
            Self::Date(array) => {
                let seconds = i64::from(array.value(row)) * SECONDS_PER_DAY;
                let midnight = Timestamp::from_second(seconds).map_err(out_of_range)?;
                Value::Date(civil(midnight).date())
            }
            Self::Dictionary { keys, values, .. } => Value::Text(values.value(keys[row]).to_owned()),
        })
    }
}

fn instant(microseconds: i64) -> Result<Timestamp, QueryError> {
    Timestamp::from_microsecond(microseconds).map_err(out_of_range)
}

fn civil(instant: Timestamp) -> DateTime {
    Offset::UTC.to_datetime(instant)
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn out_of_range(error: jiff::Error) -> QueryError {
    QueryError::Answer(format!("a time is out of range: {error}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, DictionaryArray, Int8Array, Int16Array};
    use arrow::datatypes::Int8Type;

    use super::*;
    use crate::fixture;

    #[test]
    fn rows_hold_what_the_columns_hold() {
        let batch = fixture::generate("arrow-wide-50", 13).unwrap();
        let rows = decode(&[batch.slice(0, 20), batch.slice(20, 30)]).unwrap();
        assert_eq!(rows.len(), 50);
        for (r, row) in rows.iter().enumerate() {
            assert_eq!(row.len(), 32);
            for (c, value) in row.iter().enumerate() {
                assert_eq!(*value == Value::Null, (r + c) % 13 == 0, "row {r}, column {c}");
            }
        }
        // Row 2: v = 75 + c.
        let texts: Vec<String> = rows[2].iter().take(9).map(Value::to_string).collect();
        assert_eq!(
            texts,
            [
                "75",
                "10.982142857142858",
                "true",
                "value-37",
                "bytes-42",
                "2023-11-14T22:13:20.080000",
                "81.000",
                "2022-03-31",
                "category-2",
            ]
        );
        assert_eq!(rows[2][14].to_string(), "2023-11-14T22:13:20.089000Z");
    }

    #[test]
    fn an_empty_string_is_not_null() {
        let rows = decode(&[fixture::generate("arrow-narrow-50", 13).unwrap()]).unwrap();
        assert_eq!(rows[1][3], Value::Text(String::new()));
        assert_eq!(rows[10][3], Value::Null);
    }

    #[test]
    fn a_null_among_the_dictionarys_values_is_a_null() {
        let values: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
        let keys = Int8Array::from(vec![Some(0), Some(1), None]);
        let column: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(keys, values));
        let batch = RecordBatch::try_from_iter_with_nullable([("a", column, true)]).unwrap();
        let rows = decode(&[batch]).unwrap();
        assert_eq!(rows, [[Value::Text("a".to_owned())], [Value::Null], [Value::Null]]);
    }

    #[test]
    fn a_dictionary_without_values_is_all_null() {
        let values: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
        let column: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from(vec![None, None]), values));
        let batch = RecordBatch::try_from_iter_with_nullable([("a", column, true)]).unwrap();
        assert_eq!(decode(&[batch]).unwrap(), [[Value::Null], [Value::Null]]);
    }

    #[test]
    fn a_column_that_is_not_read_is_named() {
        let column: ArrayRef = Arc::new(Int16Array::from(vec![1]));
        let batch = RecordBatch::try_from_iter([("small", column)]).unwrap();
        let error = decode(&[batch]).unwrap_err().to_string();
        assert!(error.contains("`small`") && error.contains("Int16"), "{error}");
    }

    #[test]
    fn a_time_out_of_range_is_an_error() {
        let column: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![i64::MAX]));
        let batch = RecordBatch::try_from_iter([("late", column)]).unwrap();
        assert!(decode(&[batch]).unwrap_err().to_string().contains("out of range"));
    }
}
