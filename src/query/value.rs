//! Values of rows, and the columns that they become.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, ListBuilder, StringArray, StringBuilder,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, TimeUnit};
use serde::Serialize;

use super::view::Kind;

/// A value in a row; of the kind that its column holds, or nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// NULL.
    None,
    Text(String),
    Texts(Vec<String>),
    Whole(i64),
    Real(f64),
    Flag(bool),
    Time(jiff::Timestamp),
    Day(jiff::civil::Date),
}

impl Value {
    /// The name that `value` has in evidence.
    pub(super) fn word(value: &impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(serde_json::Value::String(word)) => Self::Text(word),
            _ => Self::None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&[String]> for Value {
    fn from(texts: &[String]) -> Self {
        Self::Texts(texts.to_vec())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Whole(i64::from(number))
    }
}

impl From<u64> for Value {
    /// NULL where SQL's whole numbers end.
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Self::None, Self::Whole)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        i64::try_from(number).map_or(Self::None, Self::Whole)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<jiff::Timestamp> for Value {
    fn from(time: jiff::Timestamp) -> Self {
        Self::Time(time)
    }
}

impl From<jiff::civil::Date> for Value {
    fn from(day: jiff::civil::Date) -> Self {
        Self::Day(day)
    }
}

impl<T> From<Option<T>> for Value
where
    Self: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Self::from)
    }
}

/// The field of a column.
pub(super) fn field(name: &str, kind: Kind) -> Field {
    let holds = match kind {
        Kind::Text => DataType::Utf8,
        Kind::Texts => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
        Kind::Whole => DataType::Int64,
        Kind::Real => DataType::Float64,
        Kind::Flag => DataType::Boolean,
        Kind::Time => DataType::Timestamp(TimeUnit::Microsecond, None),
        Kind::Day => DataType::Date32,
    };
    Field::new(name, holds, true)
}

/// A column of this kind; what is of another kind is NULL.
pub(super) fn array<'a>(kind: Kind, values: impl Iterator<Item = &'a Value>) -> ArrayRef {
    match kind {
        Kind::Text => of::<StringArray, _>(values, |value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        }),
        Kind::Texts => {
            let mut lists = ListBuilder::new(StringBuilder::new());
            for value in values {
                match value {
                    Value::Texts(texts) => lists.append_value(texts.iter().map(Some)),
                    _ => lists.append_null(),
                }
            }
            Arc::new(lists.finish())
        }
        Kind::Whole => of::<Int64Array, _>(values, |value| match value {
            Value::Whole(number) => Some(*number),
            _ => None,
        }),
        Kind::Real => of::<Float64Array, _>(values, |value| match value {
            Value::Real(number) => Some(*number),
            _ => None,
        }),
        Kind::Flag => of::<BooleanArray, _>(values, |value| match value {
            Value::Flag(flag) => Some(*flag),
            _ => None,
        }),
        Kind::Time => of::<TimestampMicrosecondArray, _>(values, |value| match value {
            Value::Time(time) => Some(time.as_microsecond()),
            _ => None,
        }),
        Kind::Day => of::<Date32Array, _>(values, |value| match value {
            Value::Day(day) => Some(since_epoch(*day)),
            _ => None,
        }),
    }
}

/// An array of what `part` finds in each value.
fn of<'a, A, T>(values: impl Iterator<Item = &'a Value>, part: impl Fn(&'a Value) -> Option<T>) -> ArrayRef
where
    A: Array + FromIterator<Option<T>> + 'static,
{
    Arc::new(values.map(part).collect::<A>())
}

/// Days since 1 January 1970.
fn since_epoch(day: jiff::civil::Date) -> i32 {
    // Spans of days are the default of a difference of dates.
    (day - jiff::civil::date(1970, 1, 1)).get_days()
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::{Date32Type, Int64Type, TimestampMicrosecondType};

    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_null() {
        assert_eq!(Value::from(u64::MAX), Value::None);
        assert_eq!(Value::from(i64::MAX.unsigned_abs()), Value::Whole(i64::MAX));
        assert_eq!(Value::from(None::<u32>), Value::None);
    }

    #[test]
    fn a_column_holds_values_of_its_kind() {
        let values = [Value::Whole(3), Value::None, Value::from("x")];
        let column = array(Kind::Whole, values.iter());
        let column = column.as_primitive::<Int64Type>();
        assert_eq!((column.value(0), column.null_count()), (3, 2));
    }

    #[test]
    fn moments_and_days_count_from_1970() {
        let time = [Value::Time("1970-01-01T00:00:01.5Z".parse().unwrap())];
        assert_eq!(array(Kind::Time, time.iter()).as_primitive::<TimestampMicrosecondType>().value(0), 1_500_000);
        let days = [Value::Day("1970-02-01".parse().unwrap()), Value::Day("2026-12-03".parse().unwrap())];
        let days = array(Kind::Day, days.iter());
        assert_eq!(days.as_primitive::<Date32Type>().values().to_vec(), [31, 20_790]);
    }

    #[test]
    fn arrays_are_of_the_type_that_the_field_says() {
        for kind in [Kind::Text, Kind::Texts, Kind::Whole, Kind::Real, Kind::Flag, Kind::Time, Kind::Day] {
            assert_eq!(array(kind, [Value::None].iter()).data_type(), field("x", kind).data_type());
        }
    }

    #[test]
    fn words_are_those_of_the_evidence() {
        assert_eq!(Value::word(&crate::unit::Unit::OperationsPerSecond), Value::from("operations-per-second"));
    }
}
