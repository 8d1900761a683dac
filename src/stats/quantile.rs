//! Quantiles of a run's samples.

use super::error::{StatsError, require_finite};

/// The level of a quantile, in parts per 10,000: p95 is 9,500.
///
/// An integer, because a float product such as `0.07 × 100` is a little more than 7 and picks the wrong rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u16);

impl Level {
    /// How many parts make a whole.
    pub const WHOLE: u16 = 10_000;
    /// The median.
    pub const P50: Self = Self(5_000);
    /// The 95th percentile.
    pub const P95: Self = Self(9_500);
    /// The 99th percentile.
    pub const P99: Self = Self(9_900);

    /// The level of `parts` per 10,000.
    ///
    /// # Errors
    ///
    /// [`StatsError::LevelOutOfRange`] beyond 10,000.
    pub const fn from_parts(parts: u16) -> Result<Self, StatsError> {
        if parts <= Self::WHOLE { Ok(Self(parts)) } else { Err(StatsError::LevelOutOfRange { parts }) }
    }

    /// Parts per 10,000.
    #[must_use]
    pub const fn parts(self) -> u16 {
        self.0
    }

    /// `n·q` as its floor and the parts per 10,000 above it; neither overflows nor rounds.
    fn of(self, n: usize) -> (usize, u16) {
        let (parts, whole) = (usize::from(self.0), usize::from(Self::WHOLE));
        let rest = n % whole * parts;
        let above = u16::try_from(rest % whole).expect("a remainder is below 10,000");
        (n / whole * parts + rest / whole, above)
    }
}

/// How a quantile is read off sorted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum QuantileRule {
    /// The smallest value whose cumulative weight reaches the level: definition 1 of Hyndman & Fan (1996, The American
    /// Statistician 50:361–365); the method `inverted_cdf` of `numpy.quantile`. Always one of the values.
    #[default]
    NearestRank,
    /// Linear between the two values around rank `1 + (n − 1)·q`: definition 7 there; the method `linear` of
    /// `numpy.quantile`.
    Linear,
}

/// The quantile of `sorted` at `level`, in the unit of the values.
///
/// # Errors
///
/// [`StatsError::Empty`], [`StatsError::NotFinite`], and [`StatsError::NotSorted`] unless the order is ascending.
pub fn quantile(sorted: &[f64], level: Level, rule: QuantileRule) -> Result<f64, StatsError> {
    require_finite("sorted", sorted)?;
    if let Some(index) = sorted.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(StatsError::NotSorted { input: "sorted", position: index + 2 });
    }
    Ok(match rule {
        QuantileRule::NearestRank => {
            let (floor, rest) = level.of(sorted.len());
            let rank = floor + usize::from(rest > 0);
            sorted[rank.max(1) - 1]
        }
        QuantileRule::Linear => {
            let (below, rest) = level.of(sorted.len() - 1);
            let above = (below + 1).min(sorted.len() - 1);
            interpolate(sorted[below], sorted[above], rest)
        }
    })
}

/// The value `rest` parts per 10,000 of the way from `low` to `high`.
fn interpolate(low: f64, high: f64, rest: u16) -> f64 {
    let share = f64::from(rest) / f64::from(Level::WHOLE);
    // A sum of shares cannot overflow as `low + (high - low) * share` can; what it rounds beyond an end is put back.
    ((1.0 - share) * low + share * high).clamp(low, high)
}

/// Whether `n` samples resolve the quantile at `level`.
///
/// The median needs one sample. Beyond it at least one sample must be expected in the tail, `n·(1 − q) ≥ 1`, else the
/// quantile is only another name for the maximum: p95 needs 20 samples, p99 100. Below it, `n·q ≥ 1` likewise.
#[must_use]
pub fn resolves(n: usize, level: Level) -> bool {
    if level == Level::P50 {
        return n >= 1;
    }
    let tail = level.0.min(Level::WHOLE - level.0);
    Level(tail).of(n).0 >= 1
}

/// The median of `values`, in their unit and in any order; of evenly many, the mean of the two in the middle.
///
/// # Errors
///
/// [`StatsError::Empty`] and [`StatsError::NotFinite`].
pub fn median(values: &[f64]) -> Result<f64, StatsError> {
    require_finite("values", values)?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    Ok(f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "results are exact")]
mod tests {
    use super::*;

    fn level(parts: u16) -> Level {
        Level::from_parts(parts).unwrap()
    }

    fn one_to(n: u32) -> Vec<f64> {
        (1..=n).map(f64::from).collect()
    }

    #[test]
    fn nearest_rank_takes_the_smallest_value_whose_weight_reaches_the_level() {
        let ten = one_to(10);
        let rank = |parts| quantile(&ten, level(parts), QuantileRule::NearestRank).unwrap();
        assert_eq!(rank(0), 1.0);
        assert_eq!(rank(1), 1.0);
        assert_eq!(rank(1_000), 1.0);
        assert_eq!(rank(1_001), 2.0);
        assert_eq!(rank(5_000), 5.0);
        assert_eq!(rank(9_000), 9.0);
        assert_eq!(rank(9_500), 10.0);
        assert_eq!(rank(10_000), 10.0);
    }

    #[test]
    fn no_float_product_decides_on_a_rank() {
        // In floats 0.07 × 100 is 7.000000000000001, whose ceiling is 8.
        assert_eq!(quantile(&one_to(100), level(700), QuantileRule::NearestRank), Ok(7.0));
        // And 0.29 × 100 is 28.999999999999996, whose floor is 28.
        assert_eq!(quantile(&one_to(101), level(2_900), QuantileRule::Linear), Ok(30.0));
    }

    #[test]
    fn linear_lies_between_its_neighbours() {
        let linear = |values: &[f64], parts| quantile(values, level(parts), QuantileRule::Linear).unwrap();
        assert_eq!(linear(&[1.0, 2.0, 4.0, 8.0], 5_000), 3.0);
        assert_eq!(linear(&[1.0, 2.0, 4.0, 8.0], 0), 1.0);
        assert_eq!(linear(&[1.0, 2.0, 4.0, 8.0], 10_000), 8.0);
        assert_eq!(linear(&[7.0], 9_900), 7.0);
        // 0.9998 × 0.1 + 0.0002 × 0.1 is 0.10000000000000002 in floats.
        assert_eq!(linear(&[0.1, 0.1], 2), 0.1);
        assert_eq!(linear(&[-f64::MAX, f64::MAX], 5_000), 0.0);
    }

    #[test]
    fn a_high_percentile_needs_samples_in_its_tail() {
        assert!(!resolves(0, Level::P50));
        assert!(resolves(1, Level::P50));
        assert!(!resolves(19, Level::P95));
        assert!(resolves(20, Level::P95));
        assert!(!resolves(99, Level::P99));
        assert!(resolves(100, Level::P99));
        // 10,000 × (1 − 0.9999) is 0.9999999999998899 in floats.
        assert!(resolves(10_000, level(9_999)));
        assert!(!resolves(9_999, level(9_999)));
        assert!(!resolves(19, level(500)));
        assert!(resolves(20, level(500)));
        assert!(!resolves(usize::MAX, level(10_000)));
        assert!(resolves(usize::MAX, level(9_999)));
    }

    #[test]
    fn the_median_of_evenly_many_averages_the_two_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Ok(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Ok(2.5));
        assert_eq!(median(&[5.0]), Ok(5.0));
        assert_eq!(median(&[f64::MAX, f64::MAX]), Ok(f64::MAX));
        assert_eq!(median(&[0.1, 0.1]), Ok(0.1));
    }

    #[test]
    fn odd_input_is_an_error() {
        let rule = QuantileRule::NearestRank;
        assert_eq!(quantile(&[], Level::P50, rule), Err(StatsError::Empty { input: "sorted" }));
        assert_eq!(
            quantile(&[1.0, 3.0, 2.0], Level::P50, rule),
            Err(StatsError::NotSorted { input: "sorted", position: 3 })
        );
        assert!(matches!(quantile(&[1.0, f64::NAN], Level::P50, rule), Err(StatsError::NotFinite { position: 2, .. })));
        assert_eq!(median(&[]), Err(StatsError::Empty { input: "values" }));
        assert!(matches!(median(&[f64::NAN]), Err(StatsError::NotFinite { .. })));
        assert_eq!(Level::from_parts(10_001), Err(StatsError::LevelOutOfRange { parts: 10_001 }));
    }
}
