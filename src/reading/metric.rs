//! What is measured, by the unit that a tool writes beside a value.

use crate::unit::{Assumption, Direction, Unit};

use super::Series;

/// The name of time per operation, whichever tool measured it.
pub(super) const LATENCY: &str = "latency";

/// No measurement is larger: sums and ratios of such stay finite.
const MOST: f64 = 1e300;

/// A metric, and what its written values are multiplied by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Metric {
    pub(super) name: String,
    pub(super) unit: Unit,
    pub(super) direction: Direction,
    pub(super) assumption: Assumption,
    pub(super) factor: f64,
}

impl Metric {
    /// Time per operation, written in units of `factor` nanoseconds.
    pub(super) fn latency(factor: f64) -> Self {
        Self::lower(LATENCY, Unit::Nanoseconds, factor)
    }

    /// A metric whose smaller values are better.
    pub(super) fn lower(name: &str, unit: Unit, factor: f64) -> Self {
        let (direction, assumption) = (Direction::Lower, Assumption::Noisy);
        Self { name: name.to_owned(), unit, direction, assumption, factor }
    }

    /// A metric whose larger values are better.
    pub(super) fn higher(name: &str, unit: Unit, factor: f64) -> Self {
        Self { direction: Direction::Higher, ..Self::lower(name, unit, factor) }
    }

    /// The metric of a unit of Go's, tidied: in the numerator `ns` becomes `sec` and `MB` becomes `B`.
    ///
    /// `ns/op` is [`LATENCY`]. Where `ns` stands once the values stay nanoseconds, so that no digit is lost.
    pub(super) fn tidied(written: &str) -> Self {
        match written {
            "ns/op" => return Self::latency(1.0),
            "sec/op" => return Self::latency(1e9),
            "B/op" => return Self::lower(written, Unit::Bytes, 1.0),
            "allocs/op" => return Self::lower(written, Unit::Count, 1.0),
            _ if written.ends_with("_ns") => return Self::lower(written, Unit::Nanoseconds, 1.0),
            _ if written.ends_with("_bytes") => return Self::lower(written, Unit::Bytes, 1.0),
            _ => {}
        }
        let mut name = String::with_capacity(written.len());
        let (mut nanoseconds, mut megabytes, mut bytes, mut denominator) = (0, 0, false, false);
        for part in written.split_inclusive(['-', '*', '/', ' ']) {
            let word = part.trim_end_matches(['-', '*', '/', ' ']);
            let tidy = match word {
                _ if denominator => word,
                "ns" => {
                    nanoseconds += 1;
                    "sec"
                }
                "MB" => {
                    megabytes += 1;
                    "B"
                }
                word => word,
            };
            bytes |= !denominator && matches!(tidy, "B" | "bytes");
            name.push_str(tidy);
            name.push_str(&part[word.len()..]);
            denominator = if part.ends_with('*') { false } else { denominator || part.ends_with('/') };
        }
        let rate = written.ends_with("/s") || written.ends_with("/sec");
        if (nanoseconds, megabytes) == (1, 0) {
            let metric = Self::lower(&name, Unit::Nanoseconds, 1.0);
            return if rate { Self { direction: Direction::Higher, ..metric } } else { metric };
        }
        let unit = match (bytes, rate) {
            (true, true) => Unit::BytesPerSecond,
            (true, false) => Unit::Bytes,
            _ => Unit::Other,
        };
        let factor = libm::pow(1e-9, f64::from(nanoseconds)) * libm::pow(1e6, f64::from(megabytes));
        if rate { Self::higher(&name, unit, factor) } else { Self::lower(&name, unit, factor) }
    }

    /// The series of these values.
    pub(super) fn series(&self, values: Vec<f64>) -> Series {
        let Self { name, unit, direction, assumption, .. } = self;
        Series { metric: name.clone(), unit: *unit, direction: *direction, assumption: *assumption, values }
    }

    /// A written value in the metric's unit, or what is wrong with it.
    pub(super) fn value(&self, written: f64) -> Result<f64, String> {
        let value = written * self.factor;
        // Also where it is NaN.
        if (0.0..=MOST).contains(&value) && written <= MOST {
            // A negative zero is a zero.
            return Ok(value + 0.0);
        }
        Err(if value > MOST || written > MOST {
            format!("`{} {written:e}` is too large", self.name)
        } else {
            format!("`{} {written}` is no measurement", self.name)
        })
    }
}

/// A unit of time as the factor that makes nanoseconds of it.
pub(super) fn nanoseconds_in(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        "hr" => 3_600e9,
        "day" => 86_400e9,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_tidied_as_benchstat_does() {
        for (written, name, unit, factor) in [
            ("ns/op", "latency", Unit::Nanoseconds, 1.0),
            ("sec/op", "latency", Unit::Nanoseconds, 1e9),
            ("MB/s", "B/s", Unit::BytesPerSecond, 1e6),
            ("B/op", "B/op", Unit::Bytes, 1.0),
            ("allocs/op", "allocs/op", Unit::Count, 1.0),
            ("p95-ns/op", "p95-sec/op", Unit::Nanoseconds, 1.0),
            ("p95-ms/request", "p95-ms/request", Unit::Other, 1.0),
            ("ns/GC", "sec/GC", Unit::Nanoseconds, 1.0),
            ("ops/ns", "ops/ns", Unit::Other, 1.0),
            ("process-rss-bytes", "process-rss-bytes", Unit::Bytes, 1.0),
            ("peak-MB", "peak-B", Unit::Bytes, 1e6),
            ("requests/s", "requests/s", Unit::Other, 1.0),
            ("conns", "conns", Unit::Other, 1.0),
            ("wait_ns", "wait_ns", Unit::Nanoseconds, 1.0),
            ("heap_bytes", "heap_bytes", Unit::Bytes, 1.0),
        ] {
            let found = Metric::tidied(written);
            assert_eq!((found.name.as_str(), found.unit, found.factor), (name, unit, factor), "{written}");
        }
    }

    #[test]
    fn rates_are_better_when_higher() {
        for (written, direction) in [
            ("requests/s", Direction::Higher),
            ("MB/s", Direction::Higher),
            ("rows/sec", Direction::Higher),
            ("allocs/op", Direction::Lower),
            ("ms", Direction::Lower),
        ] {
            assert_eq!(Metric::tidied(written).direction, direction, "{written}");
        }
    }

    #[test]
    fn what_is_no_measurement_is_told() {
        let metric = Metric::tidied("MB/s");
        assert_eq!(metric.value(2.5), Ok(2.5e6));
        assert!(metric.value(-0.0).unwrap().is_sign_positive());
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e301, 1e299] {
            assert!(metric.value(bad).is_err(), "{bad}");
        }
    }
}
