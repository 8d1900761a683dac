//! Numbers as Go's `benchstat` writes them (golang.org/x/perf/benchunit).

use crate::unit::Unit;

/// Prefixes of ten's powers, and what they stand for.
const DECIMAL: [(f64, &str); 8] =
    [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];

const KIBI: f64 = 1024.0;

/// Prefixes of 1024's powers; there are none for less than a byte.
const BINARY: [(f64, &str); 5] =
    [(KIBI * KIBI * KIBI * KIBI, "Ti"), (KIBI * KIBI * KIBI, "Gi"), (KIBI * KIBI, "Mi"), (KIBI, "Ki"), (1.0, "")];

/// The unit in which a metric is shown: seconds for nanoseconds.
pub(super) fn shown_as(metric: &str, unit: Unit) -> String {
    match unit {
        _ if metric == "latency" => "sec/op".to_owned(),
        // A counter that has a name of its own, which doesn't tell.
        Unit::Nanoseconds if !metric.contains("sec") => format!("{metric} (sec)"),
        _ => metric.to_owned(),
    }
}

/// How numbers are shown that are to be compared: the divisor, its prefix, and the decimals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    size: f64,
    prefix: &'static str,
    decimals: usize,
}

impl Scale {
    /// The scale that shows each of `values` with at least four digits, by the one nearest to zero.
    pub(super) fn of(values: impl IntoIterator<Item = f64>, unit: &str) -> Self {
        let smallest = values.into_iter().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        if smallest == f64::INFINITY {
            return Self { size: 1.0, prefix: "", decimals: 3 };
        }
        let steps: &[(f64, &'static str)] = if is_binary(unit) { &BINARY } else { &DECIMAL };
        for &(size, prefix) in steps {
            // From these on a number rounds up to one more digit.
            for (from, decimals) in [(99.995, 1), (9.9995, 2), (0.99995, 3)] {
                if smallest >= from * size {
                    return Self { size, prefix, decimals };
                }
            }
        }
        let (size, prefix) = steps[steps.len() - 1];
        let mut from = 0.99995;
        let mut decimals = 3;
        while decimals < 10 && smallest / size < from {
            from /= 10.0;
            decimals += 1;
        }
        Self { size, prefix, decimals: decimals.min(10) }
    }

    pub(super) fn show(self, value: f64) -> String {
        format!("{:.*}{}", self.decimals, value / self.size, self.prefix)
    }
}

/// One number in a scale of its own.
pub(super) fn scaled(value: f64, unit: &str) -> String {
    Scale::of([value], unit).show(value)
}

/// Whether a unit counts bytes in its numerator.
fn is_binary(unit: &str) -> bool {
    let numerator = unit.split('/').next().unwrap_or_default();
    numerator.split(['-', '*', ' ', '_']).any(|word| matches!(word, "B" | "MB" | "bytes"))
}

/// The shortest digits that read back as `value`, as `%v` of Go's prints them: with an exponent of at least two digits
/// below 1e-4 and from 1e21 on.
pub(super) fn shortest(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("a finite number has an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is an integer");
    if (-4..21).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_shown() {
        for (value, unit, expected) in [
            (1.718e-6, "sec/op", "1.718µ"),
            (99.995, "x", "100.0"),
            (99.994, "x", "99.99"),
            (0.999_95, "x", "1.000"),
            (0.999_94, "x", "999.9m"),
            (33.21e-3, "sec/op", "33.21m"),
            (1e15, "x", "1000.0T"),
            (2.5e-10, "sec/op", "0.2500n"),
            (2.5e-12, "sec/op", "0.002500n"),
            (0.0, "x", "0.000"),
            (14_962_000.0, "B/op", "14.27Mi"),
            (1020.0, "B/op", "1020.0"),
            (1024.0, "B/op", "1.000Ki"),
            (0.5, "B/s", "0.5000"),
            (1_234.0, "allocs/op", "1.234k"),
            (109_680_000.0, "process-rss-bytes", "104.6Mi"),
        ] {
            assert_eq!(scaled(value, unit), expected, "{value} {unit}");
        }
    }

    #[test]
    fn two_numbers_share_the_scale_of_the_smaller() {
        let scale = Scale::of([2_871_000.0, 383_000.0], "B/op");
        assert_eq!((scale.show(2_871_000.0), scale.show(383_000.0)), ("2803.7Ki".to_owned(), "374.0Ki".to_owned()));
        let scale = Scale::of([0.0, 100.0], "x");
        assert_eq!(scale.show(0.0), "0.0");
    }

    #[test]
    fn all_digits_are_those_of_go() {
        for (value, expected) in [
            (1.718_000_000_000_000_1e-6, "1.7180000000000001e-06"),
            (0.0001, "0.0001"),
            (0.000_099, "9.9e-05"),
            (123_456_789.0, "123456789"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e-100, "1.5e-100"),
            (0.0, "0"),
            (35_153.5, "35153.5"),
        ] {
            assert_eq!(shortest(value), expected);
        }
    }

    #[test]
    fn times_are_shown_in_seconds() {
        assert_eq!(shown_as("latency", Unit::Nanoseconds), "sec/op");
        assert_eq!(shown_as("p95-sec/op", Unit::Nanoseconds), "p95-sec/op");
        assert_eq!(shown_as("cpu_time", Unit::Nanoseconds), "cpu_time (sec)");
        assert_eq!(shown_as("B/op", Unit::Bytes), "B/op");
    }
}
