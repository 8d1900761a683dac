//! A cell's value, and its text.

use std::fmt::{self, Write};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::{Serialize, Serializer};

/// An owned value of one cell.
///
/// Its text ([`fmt::Display`]) is the documented string projection:
///
/// | value | text |
/// |---|---|
/// | null | the empty string |
/// | boolean | `true` or `false` |
/// | integer | decimal digits, `-` before a negative one |
/// | float | the shortest decimal that reads back as the same double, never with an exponent |
/// | text | itself |
/// | binary | printable ASCII but for the backslash as itself, any other byte as `\xHH`, as DuckDB shows a BLOB |
/// | timestamp | RFC 3339 with six decimals; `Z` where it has the zone UTC, no suffix where it has no zone |
/// | decimal | with exactly as many decimals as its scale |
/// | date | `YYYY-MM-DD` |
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A truth value.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A double.
    Float(f64),
    /// A string.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
    /// A time on a clock, in no zone.
    DateTime(DateTime),
    /// An instant, in UTC.
    Instant(Timestamp),
    /// A decimal number: `unscaled` divided by ten to the power of `scale`.
    Decimal {
        /// The digits.
        unscaled: i128,
        /// How many of them stand behind the point.
        scale: u8,
    },
    /// A day.
    Date(Date),
}

impl Value {
    /// The value in the dashboard's normal form, which has null, booleans, numbers and text alone:
    /// what else there is becomes its text.
    #[must_use]
    pub fn normal(self) -> Self {
        match self {
            Self::Null | Self::Boolean(_) | Self::Integer(_) | Self::Float(_) | Self::Text(_) => self,
            Self::Binary(_) | Self::DateTime(_) | Self::Instant(_) | Self::Decimal { .. } | Self::Date(_) => {
                Self::Text(self.to_string())
            }
        }
    }

    /// The string projection of the value, which is done with.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            other => other.to_text(),
        }
    }

    /// The string projection of the value.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Text(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// In JSON null, booleans and numbers stand as they are, and all else as its text.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            other => serializer.collect_str(other),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(value) => f.write_str(value),
            Self::Binary(bytes) => binary(bytes, f),
            Self::DateTime(value) => write!(f, "{value:.6}"),
            Self::Instant(value) => write!(f, "{value:.6}"),
            Self::Decimal { unscaled, scale } => decimal(*unscaled, *scale, f),
            Self::Date(value) => value.fmt(f),
        }
    }
}

fn binary(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for &byte in bytes {
        if (b' '..=b'~').contains(&byte) && byte != b'\\' {
            f.write_char(char::from(byte))?;
        } else {
            write!(f, "\\x{byte:02X}")?;
        }
    }
    Ok(())
}

fn decimal(unscaled: i128, scale: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if scale == 0 {
        return write!(f, "{unscaled}");
    }
    let sign = if unscaled < 0 { "-" } else { "" };
    let scale = usize::from(scale);
    // Ten to the power of `scale` may be more than a u128 holds; the digits are cut as text then.
    match u32::try_from(scale).ok().and_then(|scale| 10_u128.checked_pow(scale)) {
        Some(one) => {
            let (whole, part) = (unscaled.unsigned_abs() / one, unscaled.unsigned_abs() % one);
            write!(f, "{sign}{whole}.{part:0scale$}")
        }
        None => write!(f, "{sign}0.{:0>scale$}", unscaled.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn every_value_has_its_documented_text() {
        let at = date(2023, 11, 14).at(22, 13, 20, 1_000);
        let instant = Timestamp::from_microsecond(1_700_000_000_000_001).unwrap();
        for (value, text) in [
            (Value::Null, ""),
            (Value::Boolean(true), "true"),
            (Value::Boolean(false), "false"),
            (Value::Integer(-7), "-7"),
            (Value::Float(0.125), "0.125"),
            (Value::Float(3.0), "3"),
            (Value::Float(0.1 + 0.2), "0.30000000000000004"),
            (Value::Float(-1e21), "-1000000000000000000000"),
            (Value::Text("ünd".to_owned()), "ünd"),
            (Value::Binary(b"a\\\n\xff~".to_vec()), "a\\x5C\\x0A\\xFF~"),
            (Value::DateTime(at), "2023-11-14T22:13:20.000001"),
            (Value::Instant(instant), "2023-11-14T22:13:20.000001Z"),
            (Value::Instant(Timestamp::UNIX_EPOCH), "1970-01-01T00:00:00.000000Z"),
            (Value::Decimal { unscaled: -45_001, scale: 3 }, "-45.001"),
            (Value::Decimal { unscaled: 7, scale: 3 }, "0.007"),
            (Value::Decimal { unscaled: -7, scale: 3 }, "-0.007"),
            (Value::Decimal { unscaled: 7, scale: 0 }, "7"),
            (Value::Decimal { unscaled: i128::MIN, scale: 38 }, "-1.70141183460469231731687303715884105728"),
            (Value::Decimal { unscaled: 12, scale: 40 }, "0.0000000000000000000000000000000000000012"),
            (Value::Date(date(2022, 1, 1)), "2022-01-01"),
        ] {
            assert_eq!(value.to_string(), text, "{value:?}");
            assert_eq!(value.clone().normal().to_text(), text, "{value:?}");
            assert_eq!(value.to_text(), text);
        }
    }

    #[test]
    fn the_normal_form_keeps_nulls_booleans_and_numbers() {
        for value in [Value::Null, Value::Boolean(true), Value::Integer(1), Value::Float(1.5)] {
            assert_eq!(value.clone().normal(), value);
        }
        assert_eq!(Value::Date(date(2022, 1, 1)).normal(), Value::Text("2022-01-01".to_owned()));
    }
}
