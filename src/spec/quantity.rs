//! Times and sizes as gate files write them: a number and its unit, `"100ms"`, `"8GiB"`.

use thiserror::Error;

/// A unit's name, and how many nanoseconds or bytes it is.
type UnitOf = (&'static str, u64);

const TIMES: &[UnitOf] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

const SIZES: &[UnitOf] = &[
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// Why a text is no time or size.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum QuantityError {
    /// There is no number at the start.
    #[error("it does not start with a number")]
    NoNumber,
    /// There is a number, and nothing after it.
    #[error("it has no unit")]
    NoUnit,
    /// The unit is none of those known.
    #[error("`{unit}` is not a unit")]
    UnknownUnit {
        /// What stands in the unit's place.
        unit: String,
    },
    /// The fraction is finer than the smallest unit.
    #[error("it is not a whole number of {smallest}")]
    TooFine {
        /// The smallest unit.
        smallest: &'static str,
    },
    /// It is nothing at all.
    #[error("it is zero")]
    Zero,
    /// It doesn't fit into 64 bits.
    #[error("it is too large")]
    TooLarge,
}

/// The nanoseconds of a time such as `100ms`, `1.5s` or `2 m`; never zero.
///
/// # Errors
///
/// What keeps the text from being a time.
pub(super) fn time_ns(text: &str) -> Result<u64, QuantityError> {
    parse(text, TIMES, "nanoseconds")
}

/// The bytes of a size such as `8GiB`, `1.5 MB` or `4096B`; never zero.
///
/// # Errors
///
/// What keeps the text from being a size.
pub(super) fn size_bytes(text: &str) -> Result<u64, QuantityError> {
    parse(text, SIZES, "bytes")
}

fn parse(text: &str, units: &[UnitOf], smallest: &'static str) -> Result<u64, QuantityError> {
    let text = text.trim();
    let unit_start = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_start);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return Err(QuantityError::NoNumber);
    }
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(QuantityError::NoUnit);
    }
    let Some((_, scale)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(QuantityError::UnknownUnit { unit: unit.chars().filter(|c| !c.is_control()).take(20).collect() });
    };
    match scaled(whole, fraction, *scale).ok_or(QuantityError::TooLarge)? {
        (_, 1..) => Err(QuantityError::TooFine { smallest }),
        (0, 0) => Err(QuantityError::Zero),
        (value, 0) => Ok(value),
    }
}

/// `whole.fraction × scale` in integers, and what is left over of it in the denominator's parts; `None` where it overflows.
fn scaled(whole: &str, fraction: &str, scale: u64) -> Option<(u64, u128)> {
    let whole = whole.parse::<u64>().ok()?.checked_mul(scale)?;
    let fraction = fraction.trim_end_matches('0');
    // No scale is divisible by 10 more often than 18 times, so longer fractions leave something over.
    if fraction.len() > 18 {
        return Some((whole, 1));
    }
    let mut parts = 0_u128;
    let mut denominator = 1_u128;
    for digit in fraction.bytes() {
        parts = parts * 10 + u128::from(digit - b'0');
        denominator *= 10;
    }
    let parts = parts * u128::from(scale);
    let value = whole.checked_add(u64::try_from(parts / denominator).ok()?)?;
    Some((value, parts % denominator))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times() {
        assert_eq!(time_ns("100ms"), Ok(100_000_000));
        assert_eq!(time_ns("1.5s"), Ok(1_500_000_000));
        assert_eq!(time_ns(" 2 m "), Ok(120_000_000_000));
        assert_eq!(time_ns("120s"), Ok(120_000_000_000));
        assert_eq!(time_ns("7us"), time_ns("7µs"));
        assert_eq!(time_ns("0.000000001s"), Ok(1));
        assert_eq!(time_ns("18446744073709551615ns"), Ok(u64::MAX));
    }

    #[test]
    fn sizes() {
        assert_eq!(size_bytes("8GiB"), Ok(8 << 30));
        assert_eq!(size_bytes("1.5MB"), Ok(1_500_000));
        assert_eq!(size_bytes("0.5KiB"), Ok(512));
        assert_eq!(size_bytes("4096 B"), Ok(4096));
    }

    #[test]
    fn what_is_no_quantity() {
        assert_eq!(time_ns(""), Err(QuantityError::NoNumber));
        assert_eq!(time_ns("ms"), Err(QuantityError::NoNumber));
        assert_eq!(time_ns("-1ms"), Err(QuantityError::NoNumber));
        assert_eq!(time_ns("1.2.3ms"), Err(QuantityError::NoNumber));
        assert_eq!(time_ns("1.ms"), Err(QuantityError::NoNumber));
        assert_eq!(time_ns("100"), Err(QuantityError::NoUnit));
        assert_eq!(time_ns("100 mss"), Err(QuantityError::UnknownUnit { unit: "mss".to_owned() }));
        assert_eq!(time_ns("1e9ms"), Err(QuantityError::UnknownUnit { unit: "e9ms".to_owned() }));
        assert_eq!(size_bytes("8G"), Err(QuantityError::UnknownUnit { unit: "G".to_owned() }));
        assert_eq!(time_ns("0.5ns"), Err(QuantityError::TooFine { smallest: "nanoseconds" }));
        assert_eq!(time_ns("0ms"), Err(QuantityError::Zero));
        assert_eq!(time_ns("0.000s"), Err(QuantityError::Zero));
        assert_eq!(time_ns("18446744073709551616ns"), Err(QuantityError::TooLarge));
        assert_eq!(size_bytes("99999999TiB"), Err(QuantityError::TooLarge));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = (time_ns(&text), size_bytes(&text));
        }

        #[test]
        fn any_number_with_a_unit_is_read_or_refused(text in r"[0-9]{0,40}\.?[0-9]{0,40} ?(ns|us|ms|s|m|h|KiB|GiB|TiB)") {
            let _ = (time_ns(&text), size_bytes(&text));
        }

        #[test]
        fn whole_nanoseconds_come_back(ns in 1_u64..) {
            prop_assert_eq!(time_ns(&format!("{ns}ns")), Ok(ns));
            prop_assert_eq!(time_ns(&format!("{}.{:09}s", ns / 1_000_000_000, ns % 1_000_000_000)), Ok(ns));
        }
    }
}
