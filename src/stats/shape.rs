//! What is odd about a set of values: a cold first one, outliers, two groups.

use super::drift::spread;
use super::error::{StatsError, require_finite};
use super::mean::{count, mean};
use super::noise::Noise;
use super::quantile::{Level, QuantileRule, median, quantile};

/// How the first value lies to the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstSample {
    /// The first value divided by the median of the rest.
    pub ratio: f64,
    /// Whether it is above all others. Of values in no particular order that has the probability 1/n.
    pub above_all: bool,
}

/// How the first of `samples` lies to the rest: a cold start shows as a ratio far above 1, above all others.
///
/// # Errors
///
/// [`StatsError::NotFinite`]; [`StatsError::TooFew`] with fewer than two values; [`StatsError::ZeroMedian`] where the
/// rest has a median of zero.
pub fn first_sample(samples: &[f64]) -> Result<FirstSample, StatsError> {
    const STATISTIC: &str = "ratio of the first sample to the rest";
    let [first, rest @ ..] = samples else {
        return Err(StatsError::TooFew { statistic: STATISTIC, found: 0, needed: 2 });
    };
    if rest.is_empty() {
        return Err(StatsError::TooFew { statistic: STATISTIC, found: 1, needed: 2 });
    }
    require_finite("samples", samples)?;
    let ratio = first / median(rest)?;
    if ratio.is_finite() {
        Ok(FirstSample { ratio, above_all: rest.iter().all(|other| first > other) })
    } else {
        Err(StatsError::ZeroMedian { statistic: STATISTIC })
    }
}

/// How many values are outliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outliers {
    /// The values below the lower fence.
    pub low: usize,
    /// The values above the upper fence.
    pub high: usize,
    /// All values.
    pub all: usize,
}

/// The values outside Tukey's fences (1977, Exploratory Data Analysis, section 2D): more than one and a half times the
/// distance of the quartiles below the lower one or above the upper one. Quartiles are [`QuantileRule::Linear`]. Of
/// normal values 0.7 % are outside, more where they are few. They are counted and never dropped.
///
/// # Errors
///
/// [`StatsError::NotFinite`]; [`StatsError::TooFew`] with fewer than five values.
pub fn outliers(values: &[f64]) -> Result<Outliers, StatsError> {
    if values.len() < 5 {
        return Err(StatsError::TooFew { statistic: "share of outliers", found: values.len(), needed: 5 });
    }
    require_finite("values", values)?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let quartile = |parts| Level::from_parts(parts).and_then(|level| quantile(&sorted, level, QuantileRule::Linear));
    let (lower, upper) = (quartile(2_500)?, quartile(7_500)?);
    let reach = 1.5 * (upper - lower);
    Ok(Outliers {
        low: sorted.iter().filter(|value| **value < lower - reach).count(),
        high: sorted.iter().filter(|value| **value > upper + reach).count(),
        all: sorted.len(),
    })
}

/// How well values fall into two groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoGroups {
    /// The largest value of the lower group.
    pub below: f64,
    /// The smallest value of the upper group.
    pub above: f64,
    /// The share of the sum of squares that lies between the groups, from 0 to 1.
    pub between: f64,
    /// The p of a single normal group, by simulation.
    pub p: f64,
}

/// The best division of `values` into two groups, and whether it is better than that of a single normal group would be
/// (Engelman & Hartigan 1969, Percentage Points of a Test for Clusters, Journal of the American Statistical Association
/// 64:1647–1648).
///
/// Each group has at least a quarter of the values, so that a few outliers are no group. p is `(1 + b) / (1 + trials)`,
/// where b of `trials` simulated normal samples divide as well; their noise follows from `seed` and the number of
/// values. A small p says "not one normal group": a skewed group can have it too.
///
/// # Errors
///
/// [`StatsError::NotFinite`]; [`StatsError::TooFew`] with fewer than eight values; [`StatsError::NoSpread`];
/// [`StatsError::Overflow`].
pub fn two_groups(values: &[f64], trials: u32, seed: u64) -> Result<TwoGroups, StatsError> {
    const STATISTIC: &str = "division into two groups";
    spread(STATISTIC, values, 8)?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (at, between) = division(&sorted)?;
    if !between.is_finite() {
        return Err(StatsError::Overflow { statistic: STATISTIC });
    }
    let mut noise = Noise::new(seed, values.len());
    let mut as_good = 0_u32;
    let mut simulated = vec![0.0; values.len()];
    for _ in 0..trials {
        simulated.fill_with(|| noise.normal());
        simulated.sort_unstable_by(f64::total_cmp);
        as_good += u32::from(division(&simulated)?.1 >= between);
    }
    let p = (1.0 + f64::from(as_good)) / (1.0 + f64::from(trials));
    Ok(TwoGroups { below: sorted[at - 1], above: sorted[at], between, p })
}

/// Before which value to divide, and the share of the sum of squares between the groups.
fn division(sorted: &[f64]) -> Result<(usize, f64), StatsError> {
    let centre = mean(sorted)?;
    let n = count(sorted);
    let squares: f64 = sorted.iter().map(|value| (value - centre) * (value - centre)).sum();
    let fewest = sorted.len().div_ceil(4);
    let mut sum: f64 = sorted[..fewest - 1].iter().map(|value| value - centre).sum();
    let mut best = (fewest, 0.0);
    for at in fewest..=sorted.len() - fewest {
        sum += sorted[at - 1] - centre;
        let lower = count(&sorted[..at]);
        // The groups' sums about the mean are opposite: s²/k + s²/(n − k).
        let between = sum * sum * n / (lower * (n - lower)) / squares;
        if between > best.1 || between.is_nan() {
            best = (at, between);
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cold_first_sample_is_above_all() {
        assert_eq!(first_sample(&[8.0, 1.0, 2.0, 3.0]), Ok(FirstSample { ratio: 4.0, above_all: true }));
        assert_eq!(first_sample(&[3.0, 1.0, 2.0, 3.0]), Ok(FirstSample { ratio: 1.5, above_all: false }));
        assert!(matches!(first_sample(&[]), Err(StatsError::TooFew { found: 0, .. })));
        assert!(matches!(first_sample(&[1.0]), Err(StatsError::TooFew { found: 1, .. })));
        assert!(matches!(first_sample(&[1.0, 0.0, 0.0]), Err(StatsError::ZeroMedian { .. })));
        assert!(matches!(first_sample(&[1.0, f64::NAN]), Err(StatsError::NotFinite { position: 2, .. })));
    }

    #[test]
    fn outliers_are_counted_on_both_sides() {
        // Quartiles of 1 to 9 are 3 and 7, so the fences are −3 and 13.
        let mut values: Vec<f64> = (1..=9).map(f64::from).collect();
        assert_eq!(outliers(&values), Ok(Outliers { low: 0, high: 0, all: 9 }));
        values[8] = 14.0;
        values[0] = -4.0;
        assert_eq!(outliers(&values), Ok(Outliers { low: 1, high: 1, all: 9 }));
        assert_eq!(outliers(&[2.0; 6]), Ok(Outliers { low: 0, high: 0, all: 6 }));
        assert!(matches!(outliers(&[1.0; 4]), Err(StatsError::TooFew { needed: 5, .. })));
    }

    #[test]
    fn two_groups_are_told_from_one() {
        let two: Vec<f64> = (0..20).map(|run| f64::from(run % 2) * 10.0 + f64::from(run) / 10.0).collect();
        let found = two_groups(&two, 999, 1).unwrap();
        assert_eq!((found.below, found.above, found.p), (1.8, 10.1, 0.001));
        assert!(found.between > 0.95, "{found:?}");
        let mut noise = Noise::new(5, 20);
        let small = (0..200).filter(|_| {
            let one: Vec<f64> = (0..20).map(|_| noise.normal()).collect();
            two_groups(&one, 199, 1).unwrap().p <= 0.05
        });
        // Of 200 normal samples 5 % are taken for two groups: 10, and 9 more are three standard errors.
        let small = small.count();
        assert!((2..=19).contains(&small), "{small}");
    }

    #[test]
    fn an_outlier_is_no_group() {
        let mut values: Vec<f64> = (0..20).map(f64::from).collect();
        values[19] = 1_000.0;
        let found = two_groups(&values, 99, 1).unwrap();
        assert!(found.between < 0.2 && found.p > 0.9, "{found:?}");
    }

    #[test]
    fn what_can_not_be_divided_is_an_error() {
        assert!(matches!(two_groups(&[1.0; 7], 9, 1), Err(StatsError::TooFew { needed: 8, .. })));
        assert!(matches!(two_groups(&[1.0; 8], 9, 1), Err(StatsError::NoSpread { count: 8, .. })));
        let huge: Vec<f64> = (0..8).map(|run| f64::from(run % 2) * 1e200).collect();
        assert!(matches!(two_groups(&huge, 9, 1), Err(StatsError::Overflow { .. })));
    }
}
