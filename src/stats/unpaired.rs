//! The ratio of two sides that were measured apart (Efron & Tibshirani 1993, An Introduction to the Bootstrap, section
//! 8.3: both samples are resampled independently).

use super::error::{StatsError, require_finite};
use super::exact::exact_ratio;
use super::indices::Indices;
use super::interval::{Alpha, Interval};
use super::mean::mean;

/// What reduces one side to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The median; of evenly many values, the mean of the two in the middle.
    Median,
    /// The arithmetic mean.
    Mean,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
}

/// The ratio of two sides, and its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnpairedRatio {
    /// The new side divided by the old one: 1 where both are zero, infinite where only the old one is.
    pub point: f64,
    /// The percentile interval; an end may be infinite.
    pub interval: Interval,
}

/// How many indices are drawn for one side at most; beyond it there are fewer draws, though at least 1,000.
const MOST_INDICES: usize = 1 << 27;

/// The reduction of `new` divided by that of `old`, with a bootstrap percentile interval that leaves `alpha` out at each end.
///
/// Each side is resampled on its own, `draws` times: the old one from the stream of `seed`, the new one from that of
/// `seed + 1`, as [`Resamples`](super::Resamples) documents. Index `i` is the `i`-th value in ascending order. Sides of
/// more than 6,710 values get fewer draws than 20,000, so that the work is bounded.
///
/// A zero is a value like others: from zero to zero nothing changed and the ratio is 1, from zero to more it is
/// infinite, and neither is left out of the distribution.
///
/// # Errors
///
/// [`StatsError::Empty`], [`StatsError::NotFinite`] and [`StatsError::Negative`]; [`StatsError::NoDraws`];
/// [`StatsError::Overflow`] where a mean is too large.
pub fn ratio_unpaired(
    old: &[f64],
    new: &[f64],
    reduction: Reduction,
    alpha: Alpha,
    seed: u64,
    draws: u32,
) -> Result<UnpairedRatio, StatsError> {
    let (old, new) = (ascending("old", old)?, ascending("new", new)?);
    if draws == 0 {
        return Err(StatsError::NoDraws { pairs: old.len() });
    }
    let fewer = (MOST_INDICES / old.len().max(new.len())).max(1_000);
    let draws = usize::try_from(draws).unwrap_or(usize::MAX).min(fewer);
    let below = resampled(&old, reduction, seed, draws)?;
    let above = resampled(&new, reduction, seed.wrapping_add(1), draws)?;
    let mut ratios: Vec<f64> = below.iter().zip(&above).map(|(&below, &above)| quotient(above, below)).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let once = |values: &[f64]| reduced(values, &vec![1; values.len()], reduction);
    Ok(UnpairedRatio {
        point: quotient(once(&new)?, once(&old)?),
        interval: Interval::between(at(&ratios, alpha.parts()), at(&ratios, Alpha::WHOLE - alpha.parts())),
    })
}

/// The smallest value whose share reaches `parts`, of [`Alpha::WHOLE`].
fn at(sorted: &[f64], parts: u32) -> f64 {
    let rank = (sorted.len() * parts as usize).div_ceil(Alpha::WHOLE as usize);
    sorted[rank.max(1) - 1]
}

fn quotient(above: f64, below: f64) -> f64 {
    exact_ratio(below, above).unwrap_or(f64::INFINITY)
}

fn ascending(input: &'static str, values: &[f64]) -> Result<Vec<f64>, StatsError> {
    require_finite(input, values)?;
    if let Some(index) = values.iter().position(|&value| value < 0.0) {
        return Err(StatsError::Negative { input, position: index + 1, value: values[index] });
    }
    // A negative zero becomes a zero: it must not make a ratio negative.
    let mut sorted: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(sorted)
}

/// The reduction of every resample of one side.
fn resampled(sorted: &[f64], reduction: Reduction, seed: u64, draws: usize) -> Result<Vec<f64>, StatsError> {
    let mut indices = Indices::new(seed, sorted.len());
    let mut counts = vec![0_u32; sorted.len()];
    (0..draws)
        .map(|_| {
            counts.fill(0);
            for _ in 0..sorted.len() {
                counts[indices.draw()] += 1;
            }
            reduced(sorted, &counts, reduction)
        })
        .collect()
}

/// The reduction of `sorted`, each value as often as `counts` says, and together as often as there are values.
fn reduced(sorted: &[f64], counts: &[u32], reduction: Reduction) -> Result<f64, StatsError> {
    let ranked = |rank: usize| {
        let mut reached = 0;
        let position = counts.iter().position(|&count| {
            reached += count as usize;
            reached >= rank
        });
        sorted[position.expect("the counts add up to the number of values")]
    };
    let n = sorted.len();
    match reduction {
        Reduction::Median => Ok(f64::midpoint(ranked(n.div_ceil(2)), ranked(n / 2 + 1))),
        Reduction::Min => Ok(ranked(1)),
        Reduction::Max => Ok(ranked(n)),
        Reduction::Mean => {
            let mut values = Vec::with_capacity(n);
            for (&value, &count) in sorted.iter().zip(counts) {
                values.extend(std::iter::repeat_n(value, count as usize));
            }
            mean(&values)
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "results are exact")]
mod tests {
    use super::super::interval::{Confidence, IntervalRule};
    use super::*;

    fn ratio(old: &[f64], new: &[f64], reduction: Reduction) -> UnpairedRatio {
        ratio_unpaired(old, new, reduction, IntervalRule::TwoSided.alpha(Confidence::P95), 7, 20_000).unwrap()
    }

    #[test]
    fn constant_sides_have_one_ratio() {
        for reduction in [Reduction::Median, Reduction::Mean, Reduction::Min, Reduction::Max] {
            let found = ratio(&[4.0; 5], &[6.0; 7], reduction);
            assert_eq!(found, UnpairedRatio { point: 1.5, interval: Interval::between(1.5, 1.5) });
        }
    }

    #[test]
    fn each_reduction_is_its_own() {
        let (old, new) = ([1.0, 2.0, 6.0], [2.0, 8.0, 11.0]);
        assert_eq!(ratio(&old, &new, Reduction::Median).point, 4.0);
        assert_eq!(ratio(&old, &new, Reduction::Mean).point, 7.0 / 3.0);
        assert_eq!(ratio(&old, &new, Reduction::Min).point, 2.0);
        assert_eq!(ratio(&old, &new, Reduction::Max).point, 11.0 / 6.0);
    }

    #[test]
    fn the_sides_are_drawn_independently() {
        // Drawn together, equal sides would always have the ratio 1.
        let side: Vec<f64> = (10..20).map(f64::from).collect();
        let found = ratio(&side, &side, Reduction::Median);
        assert_eq!(found.point, 1.0);
        assert!(found.interval.low() < 0.9 && found.interval.high() > 1.1, "{found:?}");
        assert_eq!(found, ratio(&side, &side, Reduction::Median), "the same bits every time");
        let reversed: Vec<f64> = side.iter().rev().copied().collect();
        assert_eq!(found, ratio(&reversed, &side, Reduction::Median), "whatever the order");
    }

    #[test]
    fn from_zero_nothing_is_left_out() {
        assert_eq!(ratio(&[0.0; 5], &[0.0; 5], Reduction::Median).interval, Interval::between(1.0, 1.0));
        let risen = ratio(&[0.0; 5], &[2.0; 5], Reduction::Median);
        assert_eq!((risen.point, risen.interval.low()), (f64::INFINITY, f64::INFINITY));
        assert_eq!(ratio(&[2.0; 5], &[-0.0; 5], Reduction::Median).point, 0.0);
    }

    #[test]
    fn odd_input_is_an_error() {
        let of = |old: &[f64], new: &[f64], draws| {
            ratio_unpaired(old, new, Reduction::Mean, IntervalRule::TwoSided.alpha(Confidence::P95), 7, draws)
                .unwrap_err()
        };
        assert_eq!(of(&[], &[1.0], 9), StatsError::Empty { input: "old" });
        assert!(matches!(of(&[1.0], &[f64::NAN], 9), StatsError::NotFinite { input: "new", .. }));
        assert!(matches!(of(&[1.0], &[-1.0], 9), StatsError::Negative { input: "new", .. }));
        assert_eq!(of(&[1.0], &[1.0], 0), StatsError::NoDraws { pairs: 1 });
        assert_eq!(of(&[f64::MAX; 2], &[1.0], 9), StatsError::Overflow { statistic: "mean" });
    }
}
