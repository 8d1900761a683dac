//! Exact bounds from the signed ranks of the pairs (Hodges & Lehmann 1963, Annals of Mathematical Statistics
//! 34:598–611; Tukey 1949 for the averages named after Walsh).

use super::bound::Bound;
use super::error::StatsError;
use super::holm::pairs_needed_by_holm;
use super::interval::{Alpha, Interval};
use super::log_ratio::{geometric_middle, pair_ratios};

/// The Hodges–Lehmann estimate of the ratio of a pair, with the exact distribution of its signed ranks.
///
/// The Walsh averages of the log ratios, `(dᵢ + dⱼ) / 2` for `i ≤ j`, are kept as ratios, `√(rᵢ·rⱼ)`; there are
/// `n(n + 1)/2` of them. How many lie above the true ratio is distributed as Wilcoxon's W⁺, whatever the noise, so long
/// as the log ratios scatter independently and symmetrically about its logarithm.
#[derive(Debug, Clone, PartialEq)]
pub struct SignedRank {
    pairs: usize,
    point: f64,
    averages: Vec<f64>,
    /// For each k up to the middle, P(W⁺ ≤ k).
    tail: Vec<f64>,
}

/// The most pairs: 500,500 averages.
const MOST_PAIRS: usize = 1_000;

/// The ratio of a typical pair, as [`SignedRank`] estimates and bounds it.
///
/// # Errors
///
/// [`StatsError::Empty`]; [`StatsError::PairCount`] unless both have equally many values; [`StatsError::NotFinite`];
/// [`StatsError::NoLogRatio`] where a value is zero or negative; [`StatsError::Overflow`] where a ratio is beyond the
/// floats; [`StatsError::TooManyPairs`] beyond 1,000.
pub fn hodges_lehmann(baseline: &[f64], candidate: &[f64]) -> Result<SignedRank, StatsError> {
    let pairs = baseline.len();
    if pairs > MOST_PAIRS {
        return Err(StatsError::TooManyPairs { statistic: "Hodges–Lehmann estimate", pairs, limit: MOST_PAIRS });
    }
    let ratios = pair_ratios(pairs, baseline, candidate)?;
    let mut averages = Vec::with_capacity(pairs * (pairs + 1) / 2);
    for (index, &ratio) in ratios.iter().enumerate() {
        averages.push(ratio);
        averages.extend(ratios[index + 1..].iter().map(|&other| geometric_middle(ratio, other)));
    }
    let (lower, upper) = ((averages.len() - 1) / 2, averages.len() / 2);
    let point = geometric_middle(ranked(&mut averages, lower), ranked(&mut averages, upper));
    Ok(SignedRank { pairs, point, averages, tail: tail(pairs) })
}

impl SignedRank {
    /// The ratio whose logarithm is the median of the Walsh averages.
    #[must_use]
    pub fn point(&self) -> f64 {
        self.point
    }

    /// The interval with an error of at most `alpha` at each end: of the M averages in ascending order the (k + 1)-th
    /// and the (M − k)-th, where k is the largest with P(W⁺ ≤ k) ≤ α.
    ///
    /// Equal log ratios need no rule of their own: the interval can only become longer by them (Noether 1967, Journal
    /// of the American Statistical Association 62:184–188).
    ///
    /// # Errors
    ///
    /// [`StatsError::TooFewPairs`] where 2⁻ⁿ is above α, so that there is no such k.
    pub fn interval(&self, alpha: Alpha) -> Result<Interval, StatsError> {
        let reached = self.tail.partition_point(|&mass| mass <= alpha.as_f64());
        let Some(rank) = reached.checked_sub(1) else {
            return Err(StatsError::TooFewPairs { pairs: self.pairs, needed: pairs_needed_by_holm(1, alpha) });
        };
        let mut averages = self.averages.clone();
        let upper = averages.len() - 1 - rank;
        Ok(Interval::between(ranked(&mut averages, rank), ranked(&mut averages, upper)))
    }

    /// The p of the claim that the ratio is within `bound`: P(W⁺ ≤ w), where w averages lie beyond it.
    ///
    /// It is at most α exactly where the whole interval at α is within. An average on the bound is within it, as a
    /// [`Bound`] says of every value.
    #[must_use]
    pub fn p_within(&self, bound: Bound) -> f64 {
        self.mass(self.averages.iter().filter(|&&average| !bound.holds(average)).count())
    }

    /// The p of the claim that the ratio is beyond `bound`: P(W⁺ ≤ w), where w averages lie within it.
    ///
    /// It is at most α exactly where the whole interval at α is beyond. An average on the bound counts against the
    /// claim.
    #[must_use]
    pub fn p_beyond(&self, bound: Bound) -> f64 {
        self.mass(self.averages.iter().filter(|&&average| bound.holds(average)).count())
    }

    /// P(W⁺ ≤ `count`).
    fn mass(&self, count: usize) -> f64 {
        match self.tail.get(count) {
            Some(&mass) => mass,
            // W⁺ is symmetric: all but what is above.
            None => self.averages.len().checked_sub(count + 1).map_or(1.0, |above| 1.0 - self.tail[above]),
        }
    }
}

/// The value at `index` in ascending order.
fn ranked(values: &mut [f64], index: usize) -> f64 {
    *values.select_nth_unstable_by(index, f64::total_cmp).1
}

/// P(W⁺ ≤ k) for each k up to half of n(n + 1)/2, in which W⁺ is the sum of those of the ranks 1 to n whose coin shows
/// heads.
///
/// The sets of ranks with each sum are counted: whole numbers, exact up to 53 pairs. Beyond, each is off by at most n
/// roundings, n·2⁻⁵³ of itself, and no count of 1,000 pairs leaves the floats.
fn tail(pairs: usize) -> Vec<f64> {
    let half = pairs * (pairs + 1) / 4;
    let mut ways = vec![0.0; half + 1];
    ways[0] = 1.0;
    for rank in 1..=pairs {
        // No sum of the ranks so far is above this.
        let reached = (rank * (rank + 1) / 2).min(half);
        for sum in (rank..=reached).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let exponent = -i32::try_from(pairs).expect("at most 1,000 pairs");
    let mut below = 0.0;
    for count in &mut ways {
        below += *count;
        *count = libm::ldexp(below, exponent);
    }
    ways
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "results are exact")]
mod tests {
    use super::super::{Confidence, IntervalRule};
    use super::*;

    fn one_sided() -> Alpha {
        IntervalRule::OneSided.alpha(Confidence::P95)
    }

    fn two_sided() -> Alpha {
        IntervalRule::TwoSided.alpha(Confidence::P95)
    }

    fn ends(ranks: &SignedRank, alpha: Alpha) -> (f64, f64) {
        let interval = ranks.interval(alpha).unwrap();
        (interval.low(), interval.high())
    }

    #[test]
    fn the_distribution_of_few_pairs_is_counted() {
        // Sums of subsets of {1, 2, 3}: 0, 1, 2, 3, 3, 4, 5, 6.
        assert_eq!(tail(3), [0.125, 0.25, 0.375, 0.625]);
        assert_eq!(tail(1), [0.5]);
        // Every set is as often as its complement: half of them, and half of those in the middle.
        for pairs in [4, 7, 8, 20, 53, 1_000] {
            let tail = tail(pairs);
            let (last, before) = (tail[tail.len() - 1], tail[tail.len() - 2]);
            let middle = if (pairs * (pairs + 1) / 2).is_multiple_of(2) { last - (last - before) / 2.0 } else { last };
            assert!((middle - 0.5).abs() < 1e-12, "{pairs} pairs: {middle}");
        }
        assert_eq!(tail(1_000)[0], libm::ldexp(1.0, -1_000));
    }

    #[test]
    fn three_pairs_by_hand() {
        // Ratios 1, 4 and 16; averages 1, 2, 4, 4, 8, 16.
        let ranks = hodges_lehmann(&[1.0, 2.0, 4.0], &[16.0, 2.0, 16.0]).unwrap();
        assert_eq!(ranks.point(), 4.0);
        let eighth = IntervalRule::OneSided.alpha(Confidence::from_parts(8_750).unwrap());
        assert_eq!(ends(&ranks, eighth), (1.0, 16.0));
        let quarter = IntervalRule::OneSided.alpha(Confidence::from_parts(7_500).unwrap());
        assert_eq!(ends(&ranks, quarter), (2.0, 8.0));
        let most = |value| Bound::at_most(value).unwrap();
        // Two averages are above 4, four are not.
        assert_eq!(ranks.p_within(most(4.0)), 0.375);
        assert_eq!(ranks.p_beyond(most(4.0)), 0.75);
        assert_eq!(ranks.p_beyond(most(0.9)), 0.125);
        assert_eq!(ranks.p_within(most(0.9)), 1.0);
        assert_eq!(ranks.p_within(Bound::at_least(2.0).unwrap()), 0.25);
        assert_eq!(ranks.p_beyond(Bound::at_least(2.0).unwrap()), 0.875);
    }

    #[test]
    fn few_pairs_have_no_bound() {
        let ranks = |pairs| hodges_lehmann(&vec![1.0; pairs], &vec![1.1; pairs]).unwrap();
        assert_eq!(ranks(4).interval(one_sided()), Err(StatsError::TooFewPairs { pairs: 4, needed: 5 }));
        assert_eq!(ranks(5).interval(two_sided()), Err(StatsError::TooFewPairs { pairs: 5, needed: 6 }));
        assert!(ranks(5).interval(one_sided()).is_ok() && ranks(6).interval(two_sided()).is_ok());
        // And the p agrees: never below 2⁻ⁿ.
        assert_eq!(ranks(4).p_within(Bound::at_most(9.0).unwrap()), 0.0625);
    }

    #[test]
    fn equal_ratios_have_an_interval_of_one_value() {
        let ranks = hodges_lehmann(&[1.0; 10], &[1.5; 10]).unwrap();
        assert_eq!((ranks.point(), ends(&ranks, two_sided())), (1.5, (1.5, 1.5)));
        let bound = Bound::at_most(1.5).unwrap();
        // On the bound is within it.
        assert_eq!((ranks.p_within(bound), ranks.p_beyond(bound)), (libm::ldexp(1.0, -10), 1.0));
    }

    #[test]
    fn a_thousand_pairs_are_no_trouble() {
        let candidate: Vec<f64> = (0..1_000).map(|pair| 1.0 + f64::from(pair) / 1_000.0).collect();
        let ranks = hodges_lehmann(&[1.0; 1_000], &candidate).unwrap();
        let (low, high) = ends(&ranks, one_sided());
        assert!(1.45 < low && low < ranks.point() && ranks.point() < high && high < 1.52, "{low} to {high}");
        let limit = StatsError::TooManyPairs { statistic: "Hodges–Lehmann estimate", pairs: 1_001, limit: 1_000 };
        assert_eq!(hodges_lehmann(&[1.0; 1_001], &[1.0; 1_001]), Err(limit));
    }

    #[test]
    fn what_has_no_ratio_is_an_error() {
        assert_eq!(hodges_lehmann(&[], &[]), Err(StatsError::Empty { input: "baseline" }));
        let error = StatsError::NoLogRatio { side: "candidate", pair: 2, value: 0.0 };
        assert_eq!(hodges_lehmann(&[1.0; 2], &[1.0, 0.0]), Err(error));
        let error = StatsError::PairCount { input: "candidate", expected: 2, found: 1 };
        assert_eq!(hodges_lehmann(&[1.0; 2], &[1.0]), Err(error));
    }
}
