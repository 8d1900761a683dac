//! Percentile intervals (Efron 1981, Canadian Journal of Statistics 9:139–158), and how they lie to a bound.

use super::bound::Bound;
use super::distribution::Distribution;
use super::error::StatsError;

/// What the two ends of an interval claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IntervalRule {
    /// Both ends together hold the confidence: at 95 % the 2.5th and the 97.5th percentile.
    #[default]
    TwoSided,
    /// Each end alone holds the confidence: at 95 % the 5th and the 95th percentile, two separate bounds that together
    /// are no 95 % interval.
    OneSided,
}

impl IntervalRule {
    /// The probability of error that `confidence` leaves to each end.
    #[must_use]
    pub const fn alpha(self, confidence: Confidence) -> Alpha {
        let rest = Alpha::of_confidence(Confidence::WHOLE - confidence.0);
        match self {
            Self::TwoSided => Alpha(rest / 2),
            Self::OneSided => Alpha(rest),
        }
    }
}

/// The confidence of an interval, in parts per 10,000: 95 % is 9,500.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u16);

impl Confidence {
    /// How many parts make a whole.
    pub const WHOLE: u16 = 10_000;
    /// 95 %.
    pub const P95: Self = Self(9_500);

    /// The confidence of `parts` per 10,000.
    ///
    /// # Errors
    ///
    /// [`StatsError::ConfidenceOutOfRange`] unless it is above one half, so that one-sided ends do not cross, and below
    /// one.
    pub fn from_parts(parts: u16) -> Result<Self, StatsError> {
        if parts > Self::WHOLE / 2 && parts < Self::WHOLE {
            Ok(Self(parts))
        } else {
            Err(StatsError::ConfidenceOutOfRange { fraction: f64::from(parts) / f64::from(Self::WHOLE) })
        }
    }

    /// The confidence that is written as the decimal fraction `fraction`, as 0.95.
    ///
    /// # Errors
    ///
    /// [`StatsError::ConfidenceOutOfRange`] beyond the range of [`Self::from_parts`], and with more than four decimals.
    pub fn from_fraction(fraction: f64) -> Result<Self, StatsError> {
        let whole = f64::from(Self::WHOLE);
        let written = |&parts: &u16| (f64::from(parts) / whole).to_bits() == fraction.to_bits();
        // The parts whose fraction is this very float, so that nothing is rounded silently.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates, and it is checked"
        )]
        let parts = Some(libm::round(fraction * whole) as u16).filter(written);
        parts.and_then(|parts| Self::from_parts(parts).ok()).ok_or(StatsError::ConfidenceOutOfRange { fraction })
    }

    /// Parts per 10,000.
    #[must_use]
    pub const fn parts(self) -> u16 {
        self.0
    }

    /// The confidence as a fraction.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Self::WHOLE)
    }
}

/// The probability of error of one end of an interval, in parts per 2·10⁹: 2.5 % is 50,000,000.
///
/// Half of a confidence's part is needed, since two ends share what the confidence leaves; and the first looks of a
/// sequential plan have levels of less than a millionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alpha(u32);

impl Alpha {
    /// How many parts make a whole.
    pub const WHOLE: u32 = 2_000_000_000;

    /// The parts that `rest` parts per 10,000 are.
    const fn of_confidence(rest: u16) -> u32 {
        rest as u32 * (Self::WHOLE / Confidence::WHOLE as u32)
    }

    /// The largest α that is not above `fraction`; `None` where that is zero, or where the fraction is not below one
    /// half.
    pub(super) fn at_most(fraction: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is below one half of `WHOLE`")]
        let nearest = (0.0..0.5).contains(&fraction).then(|| libm::round(fraction * f64::from(Self::WHOLE)) as u32)?;
        let parts = nearest - u32::from(f64::from(nearest) / f64::from(Self::WHOLE) > fraction);
        (parts > 0).then_some(Self(parts))
    }

    /// Parts per 2·10⁹.
    #[must_use]
    pub const fn parts(self) -> u32 {
        self.0
    }

    /// α as a fraction.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Self::WHOLE)
    }
}

/// An interval, in the unit of the statistic; `low` is never above `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// The interval between two ends, the lower one first.
    pub(super) const fn between(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// The percentile interval: the quantiles of `distribution` at `alpha` and at 1 − α, each the smallest value whose
    /// cumulative weight reaches it.
    #[must_use]
    pub fn percentile(distribution: &Distribution, alpha: Alpha) -> Self {
        let alpha = u64::from(alpha.parts());
        let whole = u64::from(Alpha::WHOLE);
        Self { low: distribution.reaching(alpha, whole), high: distribution.reaching(whole - alpha, whole) }
    }

    /// The lower end.
    #[must_use]
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    #[must_use]
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether the whole interval is within `bound`: a pass. An end on the bound is within.
    #[must_use]
    pub fn is_within(self, bound: Bound) -> bool {
        bound.holds(self.low) && bound.holds(self.high)
    }

    /// Whether the whole interval is beyond `bound`: a fail. What is neither within nor beyond is inconclusive.
    #[must_use]
    pub fn is_beyond(self, bound: Bound) -> bool {
        !bound.holds(self.low) && !bound.holds(self.high)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "results are exact")]
mod tests {
    use super::*;

    /// The values 1 to `n`, each once.
    fn uniform(n: u16) -> Distribution {
        Distribution::new(9, (1..=n).map(f64::from).collect(), None)
    }

    #[test]
    fn alpha_is_per_side() {
        assert_eq!(IntervalRule::TwoSided.alpha(Confidence::P95).as_f64(), 0.025);
        assert_eq!(IntervalRule::OneSided.alpha(Confidence::P95).as_f64(), 0.05);
        // An odd rest is halved without loss.
        let odd = Confidence::from_parts(9_545).unwrap();
        assert_eq!(IntervalRule::TwoSided.alpha(odd).parts(), 45_500_000);
    }

    #[test]
    fn alpha_is_rounded_down_and_never_to_zero() {
        assert_eq!(Alpha::at_most(0.05), Some(IntervalRule::OneSided.alpha(Confidence::P95)));
        assert_eq!(Alpha::at_most(5.4e-7).map(Alpha::parts), Some(1_080));
        assert_eq!(Alpha::at_most(1.49e-9).map(Alpha::parts), Some(2));
        for fraction in [0.0, 4.9e-10, -0.1, 0.5, 1.0, f64::NAN] {
            assert_eq!(Alpha::at_most(fraction), None, "{fraction}");
        }
        for parts in (1_u32..2_000).chain([99_999_999, 100_000_000]) {
            let alpha = Alpha(parts);
            assert_eq!(Alpha::at_most(alpha.as_f64()), Some(alpha));
            assert!(Alpha::at_most(alpha.as_f64().next_down()).is_none_or(|below| below < alpha));
        }
    }

    #[test]
    fn the_ends_are_the_smallest_values_that_reach_their_levels() {
        let ends = |rule: IntervalRule| {
            let interval = Interval::percentile(&uniform(20_000), rule.alpha(Confidence::P95));
            (interval.low(), interval.high())
        };
        assert_eq!(ends(IntervalRule::TwoSided), (500.0, 19_500.0));
        assert_eq!(ends(IntervalRule::OneSided), (1_000.0, 19_000.0));
        // 2.5 % of 999 is 24.975: 24 values do not reach it.
        let interval = Interval::percentile(&uniform(999), IntervalRule::TwoSided.alpha(Confidence::P95));
        assert_eq!((interval.low(), interval.high()), (25.0, 975.0));
    }

    #[test]
    fn an_interval_that_crosses_its_bound_is_neither_within_nor_beyond() {
        let interval = Interval { low: 0.9, high: 1.1 };
        let lies = |bound: Bound| (interval.is_within(bound), interval.is_beyond(bound));
        let most = |value| lies(Bound::at_most(value).unwrap());
        let least = |value| lies(Bound::at_least(value).unwrap());
        assert_eq!(most(1.1), (true, false));
        assert_eq!(most(1.1_f64.next_down()), (false, false));
        assert_eq!(most(0.9), (false, false));
        assert_eq!(most(0.9_f64.next_down()), (false, true));
        assert_eq!(least(0.9), (true, false));
        assert_eq!(least(0.9_f64.next_up()), (false, false));
        assert_eq!(least(1.1), (false, false));
        assert_eq!(least(1.1_f64.next_up()), (false, true));
    }

    #[test]
    fn a_confidence_is_above_one_half_and_below_one() {
        assert_eq!(Confidence::from_fraction(0.95), Ok(Confidence::P95));
        assert_eq!(Confidence::P95.as_f64(), 0.95);
        for parts in 5_001..10_000 {
            let confidence = Confidence::from_parts(parts).unwrap();
            assert_eq!(Confidence::from_fraction(confidence.as_f64()), Ok(confidence));
        }
        for parts in [0, 5_000, 10_000, u16::MAX] {
            assert!(Confidence::from_parts(parts).is_err(), "{parts}");
        }
        for fraction in [f64::NAN, f64::INFINITY, -0.95, 0.5, 1.0, 0.95001, 95.0, 1e300] {
            assert!(Confidence::from_fraction(fraction).is_err(), "{fraction}");
        }
    }
}
