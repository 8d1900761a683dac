//! Numbers for people: scaled to their unit, short, and never at odds with the outcome that stands beside them.
//!
//! A number that is not finite is [`UNDEFINED`], whatever its kind. Rounding is for show; the JSON report has every digit.

use std::cmp::Ordering;

use crate::unit::Unit;

/// What stands where there is no number.
pub(super) const UNDEFINED: &str = "undefined";

/// Significant digits of a number with a unit.
const DIGITS: i32 = 4;

/// At and above this a number is written with an exponent.
const HUGE: f64 = 1e15;

/// A unit's steps, the smallest first: from which value on, and the symbol.
const fn steps(unit: Unit) -> &'static [(f64, &'static str)] {
    const KIB: f64 = 1024.0;
    match unit {
        Unit::Nanoseconds => &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")],
        Unit::Bytes => {
            &[(1.0, "B"), (KIB, "KiB"), (KIB * KIB, "MiB"), (KIB * KIB * KIB, "GiB"), (KIB * KIB * KIB * KIB, "TiB")]
        }
        Unit::Count | Unit::Other => &[(1.0, "")],
        Unit::OperationsPerSecond => &[(1.0, "op/s"), (1e6, "M op/s"), (1e9, "G op/s")],
        Unit::BytesPerSecond => &[(1.0, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s")],
    }
}

/// The step in which `value` is between 1 and the next one.
fn step(value: f64, unit: Unit) -> (f64, &'static str) {
    let steps = steps(unit);
    steps.iter().rev().find(|(from, _)| value.abs() >= *from).copied().unwrap_or(steps[0])
}

fn with_symbol(number: String, symbol: &str) -> String {
    if symbol.is_empty() { number } else { format!("{number} {symbol}") }
}

/// `value` in a readable step of its unit: `412.1 µs`, `1.500 MiB`, `1,234`.
pub(super) fn quantity(value: Option<f64>, unit: Unit) -> String {
    match value.filter(|value| value.is_finite()) {
        Some(value) => in_step(value, step(value, unit)),
        None => UNDEFINED.to_owned(),
    }
}

/// Two values that are to be compared: in one step, unless that would make the smaller one hard to read.
pub(super) fn quantities(one: Option<f64>, other: Option<f64>, unit: Unit) -> (String, String) {
    if let (Some(a), Some(b)) = (one, other) {
        let larger = step(a.abs().max(b.abs()), unit);
        if a.is_finite() && b.is_finite() && a.abs().min(b.abs()) >= 0.1 * larger.0 {
            return (in_step(a, larger), in_step(b, larger));
        }
    }
    (quantity(one, unit), quantity(other, unit))
}

fn in_step(value: f64, (size, symbol): (f64, &str)) -> String {
    // Whole numbers of the smallest step are counts: they are shown as such.
    let whole = size <= 1.0 && value.fract() == 0.0;
    with_symbol(if whole { plain(value, 0) } else { significant(value / size, DIGITS) }, symbol)
}

/// An absolute bound, which is shown exactly or not at all: in a readable step where it stays exact, else in the smallest.
pub(super) fn bound(value: f64, unit: Unit) -> String {
    let (size, symbol) = step(value, unit);
    let scaled = value / size;
    // Up to three decimals are read at a glance.
    let short = (0..=3).map(|decimals| format!("{scaled:.decimals$}")).find(|text| text.parse() == Ok(scaled));
    match short {
        Some(_) => with_symbol(shortest(scaled), symbol),
        None => with_symbol(shortest(value), steps(unit)[0].1),
    }
}

/// A ratio, with as many digits as it takes to fall on the right side of `bound`.
pub(super) fn ratio(value: Option<f64>, bound: Option<f64>) -> String {
    against(value, bound, |value| {
        let magnitude = value.abs();
        match magnitude {
            // As wide as a ratio of a tenth, so that columns stay narrow.
            small if small < 0.1 => significant(value, 3),
            near if (0.1..10.0).contains(&near) => plain(value, 4),
            _ => significant(value, DIGITS),
        }
    })
}

/// A value that is held to an absolute bound, with as many digits as it takes to fall on the right side of it.
pub(super) fn held(value: Option<f64>, bound: Option<f64>, unit: Unit) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else { return UNDEFINED.to_owned() };
    let (size, symbol) = step(value, unit);
    if size <= 1.0 && value.fract() == 0.0 {
        return with_symbol(plain(value, 0), symbol);
    }
    let bound = bound.map(|bound| bound / size);
    with_symbol(against(Some(value / size), bound, |value| significant(value, DIGITS)), symbol)
}

/// `value` as `show` has it, and with more digits where it would seem to lie elsewhere in respect of `bound`.
fn against(value: Option<f64>, bound: Option<f64>, show: impl Fn(f64) -> String) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else { return UNDEFINED.to_owned() };
    let text = show(value);
    let Some(bound) = bound else { return text };
    let truth = value.partial_cmp(&bound);
    let seems = |text: &str| text.replace(',', "").parse::<f64>().ok().and_then(|shown| shown.partial_cmp(&bound));
    if truth == Some(Ordering::Equal) || seems(&text) == truth {
        return text;
    }
    (4..17)
        .map(|digits| significant(value, digits))
        .find(|text| seems(text) == truth)
        .unwrap_or_else(|| shortest(value))
}

/// A probability: three digits, and never a bare zero.
pub(super) fn probability(value: Option<f64>) -> String {
    match value.filter(|value| value.is_finite()) {
        Some(value) => significant(value, 3),
        None => UNDEFINED.to_owned(),
    }
}

/// A ratio as a signed change: `+4.8 %`, `-96.1 %`; a factor from 10 on.
pub(super) fn change(ratio: Option<f64>) -> String {
    let Some(ratio) = ratio.filter(|ratio| ratio.is_finite()) else { return UNDEFINED.to_owned() };
    if ratio >= 10.0 {
        return format!("{} times", significant(ratio, 3));
    }
    let percent = (ratio - 1.0) * 100.0;
    let sign = if percent > 0.0 { "+" } else { "" };
    match percent.abs() {
        0.0 => "0 %".to_owned(),
        // Near nothing is not nothing.
        small if small < 1.0 => format!("{sign}{} %", significant(percent, 2)),
        _ => format!("{sign}{percent:.1} %"),
    }
}

/// A whole number of nanoseconds.
pub(super) fn nanoseconds(value: u64) -> String {
    quantity(Some(real(value)), Unit::Nanoseconds)
}

/// A whole number of bytes.
pub(super) fn bytes(value: u64) -> String {
    quantity(Some(real(value)), Unit::Bytes)
}

#[expect(clippy::cast_precision_loss, reason = "it is rounded for show")]
const fn real(value: u64) -> f64 {
    value as f64
}

/// A whole number with separators.
pub(super) fn count(value: usize) -> String {
    separated(&value.to_string())
}

/// The shortest digits that read back as `value`, with separators.
pub(super) fn shortest(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        UNDEFINED.to_owned()
    } else if magnitude != 0.0 && !(1e-5..HUGE).contains(&magnitude) {
        format!("{value:e}")
    } else {
        separated(&positive_zero(value).to_string())
    }
}

/// `value` in `digits` significant digits: with separators and without decimals from where the digits end,
/// with an exponent where it is very large or very small.
fn significant(value: f64, digits: i32) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    let exponent = exponent(value, digits);
    if magnitude >= HUGE || exponent < -4 {
        let decimals = usize::try_from(digits - 1).unwrap_or(0);
        return format!("{value:.decimals$e}");
    }
    plain(value, usize::try_from(digits - 1 - exponent).unwrap_or(0))
}

/// The power of ten of the first digit, after rounding to `digits`: 9.9999 at four digits is 10.00, and has the power 1.
fn exponent(value: f64, digits: i32) -> i32 {
    let decimals = usize::try_from(digits - 1).unwrap_or(0);
    let text = format!("{value:.decimals$e}");
    text.rsplit_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0)
}

fn plain(value: f64, decimals: usize) -> String {
    if value.abs() >= HUGE {
        return format!("{value:e}");
    }
    separated(&format!("{:.decimals$}", positive_zero(value)))
}

fn positive_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// `1234.5` as `1,234.5`.
fn separated(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, rest) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    let mut out = String::with_capacity(text.len() + whole.len() / 3);
    out.push_str(sign);
    for (position, digit) in whole.char_indices() {
        if position > 0 && (whole.len() - position) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(value: f64) -> String {
        quantity(Some(value), Unit::Nanoseconds)
    }

    #[test]
    fn a_quantity_takes_the_step_in_which_it_reads_well() {
        let shown = [0.0, 7.0, 412.5, 999.0, 412_113.0, 1_234_567.0, 9.8e9, 3.6e12].map(ns);
        assert_eq!(shown, ["0 ns", "7 ns", "412.5 ns", "999 ns", "412.1 µs", "1.235 ms", "9.800 s", "3,600 s"]);
        let bytes =
            [1023.0, 1024.0, 1_572_864.0, 8_331_997_184.0, 2e12].map(|value| quantity(Some(value), Unit::Bytes));
        assert_eq!(bytes, ["1,023 B", "1.000 KiB", "1.500 MiB", "7.760 GiB", "1.819 TiB"]);
        let counts = [3.0, 31_771.0, 1_234.56, 0.5].map(|value| quantity(Some(value), Unit::Count));
        assert_eq!(counts, ["3", "31,771", "1,235", "0.5000"]);
        let rates = [812.34, 12_345.6, 7.5e6, 3e9].map(|value| quantity(Some(value), Unit::OperationsPerSecond));
        assert_eq!(rates, ["812.3 op/s", "12,346 op/s", "7.500 M op/s", "3.000 G op/s"]);
    }

    #[test]
    fn what_is_huge_or_tiny_takes_an_exponent() {
        assert_eq!(ns(1e300), "1.000e291 s");
        assert_eq!(ns(1e-12), "1.000e-12 ns");
        assert_eq!(quantity(Some(1e18), Unit::Count), "1e18");
        assert_eq!(ratio(Some(1e-9), None), "1.00e-9");
        assert_eq!(shortest(f64::MAX), "1.7976931348623157e308");
        assert_eq!(ratio(Some(f64::MIN_POSITIVE), Some(0.5)), "2.23e-308");
    }

    #[test]
    fn what_is_no_number_says_so() {
        for value in [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY)] {
            assert_eq!(quantity(value, Unit::Bytes), UNDEFINED);
            assert_eq!(ratio(value, Some(1.0)), UNDEFINED);
            assert_eq!(held(value, Some(1.0), Unit::Count), UNDEFINED);
            assert_eq!(change(value), UNDEFINED);
            assert_eq!(probability(value), UNDEFINED);
        }
        assert_eq!(quantities(None, Some(2.0), Unit::Count), (UNDEFINED.to_owned(), "2".to_owned()));
    }

    #[test]
    fn values_side_by_side_share_a_step() {
        let shown = |one: f64, other: f64| quantities(Some(one), Some(other), Unit::Nanoseconds);
        assert_eq!(shown(971_004.0, 1_178_217.0), ("0.9710 ms".to_owned(), "1.178 ms".to_owned()));
        assert_eq!(shown(40_000.0, 12e6), ("40.00 µs".to_owned(), "12.00 ms".to_owned()));
    }

    #[test]
    fn a_ratio_falls_on_its_own_side_of_the_bound() {
        assert_eq!(ratio(Some(0.652_347), Some(0.9)), "0.6523");
        assert_eq!(ratio(Some(1.050_02), Some(1.05)), "1.05002");
        assert_eq!(ratio(Some(1.05), Some(1.05)), "1.0500");
        assert_eq!(ratio(Some(0.799_999_9), Some(0.8)), "0.7999999");
        assert_eq!(ratio(Some(0.042_345), None), "0.0423");
        assert_eq!(ratio(Some(123.456), None), "123.5");
        assert_eq!(ratio(Some(12_345.6), None), "12,346");
        let nearest = f64::from_bits(1.05_f64.to_bits() + 1);
        assert_eq!(ratio(Some(nearest), Some(1.05)), nearest.to_string());
        assert_eq!(held(Some(1_048_577.0), Some(1_048_576.0), Unit::Bytes), "1.000001 MiB");
        assert_eq!(held(Some(33.0), Some(1.0), Unit::Count), "33");
    }

    #[test]
    fn a_bound_is_exact() {
        assert_eq!(bound(67_108_864.0, Unit::Bytes), "64 MiB");
        assert_eq!(bound(1_572_864.0, Unit::Bytes), "1.5 MiB");
        assert_eq!(bound(1_572_865.0, Unit::Bytes), "1,572,865 B");
        assert_eq!(bound(2e6, Unit::Nanoseconds), "2 ms");
        assert_eq!(bound(1.0, Unit::Count), "1");
    }

    #[test]
    fn a_change_has_a_sign() {
        let shown = [0.039, 0.9925, 1.0, 1.000_04, 1.048, 9.5, 33.0].map(|ratio| change(Some(ratio)));
        assert_eq!(shown, ["-96.1 %", "-0.75 %", "0 %", "+0.0040 %", "+4.8 %", "+850.0 %", "33.0 times"]);
    }

    #[test]
    fn a_probability_is_never_a_bare_zero() {
        assert_eq!(probability(Some(0.000_976_562_5)), "0.000977");
        assert_eq!(probability(Some(1.0)), "1.00");
        assert_eq!(probability(Some(2e-9)), "2.00e-9");
    }

    #[test]
    fn digits_are_set_apart_by_threes() {
        assert_eq!(separated("1234567.125"), "1,234,567.125");
        assert_eq!(separated("-123"), "-123");
        assert_eq!(shortest(-0.0), "0");
    }
}
