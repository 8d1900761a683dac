//! The monotonic clock: the only place that reads it.

use std::time::{Duration, Instant};

/// A point on the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Instant);

/// This moment.
#[inline]
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place that takes time")]
pub fn now() -> Moment {
    Moment(Instant::now())
}

impl Moment {
    /// Nanoseconds from this moment to now.
    #[inline]
    #[must_use]
    pub fn elapsed_ns(self) -> u64 {
        nanoseconds(self.0.elapsed())
    }

    /// The time from this moment to now.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// Nanoseconds from `earlier` to this moment; zero where it is not earlier.
    #[must_use]
    pub fn since_ns(self, earlier: Self) -> u64 {
        nanoseconds(self.0.saturating_duration_since(earlier.0))
    }
}

/// A duration in whole nanoseconds; 584 years and more are `u64::MAX`.
#[inline]
#[must_use]
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The smallest step of the clock that was seen, in nanoseconds: what it can tell apart, the cost of reading it included.
///
/// A shorter operation can't be timed on its own. `None` where the clock never moved in a million readings.
#[must_use]
pub fn granularity_ns() -> Option<u64> {
    const STEPS: u32 = 1_000;
    const READINGS: u32 = 1_000_000;
    let mut smallest = None;
    let mut steps = 0;
    let mut last = now();
    for _ in 0..READINGS {
        let moment = now();
        let step = moment.since_ns(last);
        if step > 0 {
            smallest = Some(smallest.map_or(step, |known: u64| known.min(step)));
            steps += 1;
            if steps == STEPS {
                break;
            }
            last = moment;
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_moment_is_later_and_an_earlier_one_is_zero_away() {
        let first = now();
        let mut second = now();
        while second == first {
            second = now();
        }
        assert!(second.since_ns(first) > 0);
        assert_eq!(first.since_ns(second), 0);
    }

    #[test]
    fn the_clock_moves() {
        assert!(granularity_ns().is_some_and(|step| step > 0));
    }

    #[test]
    fn a_duration_beyond_64_bits_saturates() {
        assert_eq!(nanoseconds(Duration::MAX), u64::MAX);
        assert_eq!(nanoseconds(Duration::from_micros(3)), 3_000);
    }
}
