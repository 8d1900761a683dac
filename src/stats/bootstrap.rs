//! The paired bootstrap of medians (Efron 1979, Annals of Statistics 7:1–26).

use super::counts::{Middle, Numbers};
use super::distribution::Distribution;
use super::error::{StatsError, require_finite};
use super::resample::Resamples;

/// The name of the statistic in messages.
pub(super) const RATIO_OF_MEDIANS: &str = "ratio of medians";

/// A statistic of the pairs as they were measured, and its bootstrap distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    point: f64,
    distribution: Distribution,
}

impl Bootstrap {
    pub(super) fn new(point: f64, distribution: Distribution) -> Self {
        Self { point, distribution }
    }

    /// The statistic of the pairs as they were measured: a ratio, or the unit of the values. Always finite.
    #[must_use]
    pub fn point(&self) -> f64 {
        self.point
    }

    /// The statistic in every resample.
    #[must_use]
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }
}

/// The median over pairs of `candidate` divided by the median of `baseline`; pair `i` is `(baseline[i], candidate[i])`.
///
/// Both sides of a pair are resampled together, so that what disturbed both runs of a pair stays together. Medians of
/// evenly many average the two in the middle. The order of the pairs does not matter: index `i` of a resample is the
/// `i`-th pair in ascending order of (baseline, candidate).
///
/// A candidate of zero gives the ratio 0. Whether its unit allows that (a count may, a time may not) is for the caller
/// to judge.
///
/// # Errors
///
/// [`StatsError::PairCount`] unless both have one value for each pair of `resamples`; [`StatsError::NotFinite`] and
/// [`StatsError::Negative`]; [`StatsError::ZeroBaseline`] and [`StatsError::ZeroBaselineInResamples`] where the ratio
/// is undefined, be it in a single resample: leaving those out would move the distribution; [`StatsError::Overflow`]
/// where a ratio is too large.
pub fn ratio_of_medians(resamples: &Resamples, baseline: &[f64], candidate: &[f64]) -> Result<Bootstrap, StatsError> {
    let sides = Sides::new(resamples, baseline, candidate)?;
    let numbers = Numbers::of(&sides.middles);
    let above: Vec<_> = numbers.middles().map(|middle| middle.median(&sides.candidate, f64::midpoint)).collect();
    // Resamples with the same two middles have the same ratio, so each ratio is formed once.
    let mut ratios = Vec::new();
    let mut weights = vec![0; above.len()];
    for (group, below) in resamples.groups().iter().zip(&sides.below) {
        for resample in group.members.iter().map(|&resample| resample as usize) {
            weights[numbers.number(sides.middles[resample])] += resamples.weight(resample);
        }
        for (weight, above) in weights.iter_mut().zip(&above).filter(|(weight, _)| **weight > 0) {
            ratios.push((above / below, std::mem::take(weight)));
        }
    }
    bootstrap(resamples, RATIO_OF_MEDIANS, sides.point, ratios)
}

/// The ratio of medians of the pairs as they are, and in every resample.
pub(super) fn ratios_of_medians(
    resamples: &Resamples,
    baseline: &[f64],
    candidate: &[f64],
) -> Result<(f64, Vec<f64>), StatsError> {
    let sides = Sides::new(resamples, baseline, candidate)?;
    let mut ratios: Vec<_> =
        sides.middles.iter().map(|middle| middle.median(&sides.candidate, f64::midpoint)).collect();
    for (group, below) in resamples.groups().iter().zip(&sides.below) {
        for &resample in &group.members {
            ratios[resample as usize] /= below;
        }
    }
    Ok((sides.point, ratios))
}

/// Two sides whose ratio of medians is defined in every resample.
struct Sides {
    /// The ratio of the pairs as they are.
    point: f64,
    /// The median of the baseline in each group of resamples.
    below: Vec<f64>,
    /// The values of the candidate in ascending order.
    candidate: Vec<f64>,
    /// Their middle in each resample.
    middles: Vec<Middle>,
}

impl Sides {
    fn new(resamples: &Resamples, baseline: &[f64], candidate: &[f64]) -> Result<Self, StatsError> {
        let baseline = measurements(resamples, "baseline", baseline)?;
        let candidate = measurements(resamples, "candidate", candidate)?;
        let mut pairs: Vec<_> = baseline.into_iter().zip(candidate).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (baseline, candidate): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let mut order: Vec<_> = (0..candidate.len()).collect();
        order.sort_by(|&a, &b| candidate[a].total_cmp(&candidate[b]));
        let candidate: Vec<_> = order.iter().map(|&pair| candidate[pair]).collect();
        let all = Middle::of_all(baseline.len());
        let median = |middle: Middle, side: &[f64]| middle.median(side, f64::midpoint);
        if median(all, &baseline) == 0.0 {
            return Err(StatsError::ZeroBaseline);
        }
        let groups = resamples.groups();
        let below: Vec<_> = groups.iter().map(|group| median(group.middle, &baseline)).collect();
        if below.contains(&0.0) {
            let zero = groups.iter().zip(&below).filter(|(_, median)| **median == 0.0);
            let weight = zero.map(|(group, _)| group.weight).sum();
            return Err(StatsError::ZeroBaselineInResamples { weight, total: resamples.total() });
        }
        let point = median(all, &candidate) / median(all, &baseline);
        Ok(Self { point, below, candidate, middles: resamples.middles(&order) })
    }
}

/// The median of `values` over runs, in their unit.
///
/// Evenly many values average the two in the middle. Their order does not matter: index `i` of a resample is the `i`-th
/// value in ascending order.
///
/// # Errors
///
/// [`StatsError::PairCount`] unless there is one value for each pair of `resamples`; [`StatsError::NotFinite`] and
/// [`StatsError::Negative`].
pub fn median_of(resamples: &Resamples, values: &[f64]) -> Result<Bootstrap, StatsError> {
    let mut values = measurements(resamples, "values", values)?;
    values.sort_unstable_by(f64::total_cmp);
    medians(resamples, "median", &values, f64::midpoint)
}

/// The median of values in ascending order, one a pair, where `join` makes one value of the two in the middle.
pub(super) fn medians(
    resamples: &Resamples,
    statistic: &'static str,
    ascending: &[f64],
    join: fn(f64, f64) -> f64,
) -> Result<Bootstrap, StatsError> {
    let point = Middle::of_all(ascending.len()).median(ascending, join);
    let groups = resamples.groups().iter();
    let medians = groups.map(|group| (group.middle.median(ascending, join), group.weight)).collect();
    bootstrap(resamples, statistic, point, medians)
}

/// Refuses what is not one measurement a pair; a negative zero becomes a zero, so that equal values have equal bits.
fn measurements(resamples: &Resamples, input: &'static str, values: &[f64]) -> Result<Vec<f64>, StatsError> {
    if values.len() != resamples.pairs() {
        return Err(StatsError::PairCount { input, expected: resamples.pairs(), found: values.len() });
    }
    require_finite(input, values)?;
    match values.iter().position(|&value| value < 0.0) {
        Some(index) => Err(StatsError::Negative { input, position: index + 1, value: values[index] }),
        None => Ok(values.iter().map(|value| value + 0.0).collect()),
    }
}

/// What `values`, each with its weight, make of `point`; refused where one of them is not finite.
fn bootstrap(
    resamples: &Resamples,
    statistic: &'static str,
    point: f64,
    values: Vec<(f64, u64)>,
) -> Result<Bootstrap, StatsError> {
    if !point.is_finite() || !values.iter().all(|(value, _)| value.is_finite()) {
        return Err(StatsError::Overflow { statistic });
    }
    Ok(Bootstrap::new(point, Distribution::of(resamples.pairs(), values)))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "results are exact")]
mod tests {
    use super::*;

    fn of(pairs: usize) -> Resamples {
        Resamples::new(pairs, 1412, 20_000).unwrap()
    }

    fn values(estimate: &Bootstrap) -> Vec<(f64, u64)> {
        estimate.distribution().iter().collect()
    }

    #[test]
    fn three_pairs_by_hand() {
        // A resample with two or three copies of a pair has that pair's ratio: 1 + 3·2 = 7 of 27 for each pair. The six
        // orders of all three pairs have the point estimate: 9 / 4.
        let estimate = ratio_of_medians(&of(3), &[4.0, 8.0, 2.0], &[10.0, 9.0, 4.0]).unwrap();
        assert_eq!(estimate.point(), 2.25);
        assert_eq!(values(&estimate), [(1.125, 7), (2.0, 7), (2.25, 6), (2.5, 7)]);
    }

    #[test]
    fn two_pairs_average_their_middles() {
        // (1 + 3) / 2 and (2 + 12) / 2 for the two mixed orders.
        let estimate = ratio_of_medians(&of(2), &[1.0, 3.0], &[2.0, 12.0]).unwrap();
        assert_eq!(estimate.point(), 3.5);
        assert_eq!(values(&estimate), [(2.0, 1), (3.5, 2), (4.0, 1)]);
        let estimate = median_of(&of(2), &[12.0, 2.0]).unwrap();
        assert_eq!(values(&estimate), [(2.0, 1), (7.0, 2), (12.0, 1)]);
    }

    #[test]
    fn one_pair_is_certain_of_itself() {
        let estimate = ratio_of_medians(&of(1), &[4.0], &[5.0]).unwrap();
        assert_eq!(values(&estimate), [(1.25, 1)]);
    }

    #[test]
    fn pairs_stay_together() {
        // Both runs of a pair are disturbed alike, so every pair has the ratio 1.1; apart, the medians would spread.
        let baseline: Vec<f64> = (0..11).map(|run| f64::from(10 << run)).collect();
        let candidate: Vec<f64> = (0..11).map(|run| f64::from(11 << run)).collect();
        for pairs in [5, 11] {
            let estimate = ratio_of_medians(&of(pairs), &baseline[..pairs], &candidate[..pairs]).unwrap();
            assert_eq!(estimate.distribution().iter().map(|(value, _)| value).collect::<Vec<_>>(), [1.1]);
        }
    }

    #[test]
    fn a_distribution_has_the_weight_of_all_resamples() {
        for pairs in [1, 2, 7, 8, 9, 31, 33] {
            let side: Vec<f64> = (1..).take(pairs).map(f64::from).collect();
            let resamples = of(pairs);
            let estimate = ratio_of_medians(&resamples, &side, &side).unwrap();
            assert_eq!(values(&estimate), [(1.0, resamples.total())], "{pairs} pairs");
            assert_eq!(estimate.distribution().pairs(), pairs);
        }
    }

    #[test]
    fn more_pairs_than_a_byte_counts() {
        let resamples = Resamples::new(1000, 1, 50).unwrap();
        let side: Vec<f64> = (1..=1000).map(f64::from).collect();
        let estimate = median_of(&resamples, &side).unwrap();
        assert_eq!(estimate.point(), 500.5);
        assert!(values(&estimate).iter().all(|&(value, _)| (400.0..600.0).contains(&value)));
    }

    #[test]
    fn a_candidate_of_zero_is_a_ratio_of_zero() {
        let estimate = ratio_of_medians(&of(3), &[1.0, 2.0, 3.0], &[0.0, -0.0, 0.0]).unwrap();
        assert_eq!(values(&estimate), [(0.0, 27)]);
        assert_eq!(estimate.point().to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn a_baseline_of_zero_has_no_ratio() {
        let error = |baseline: &[f64]| ratio_of_medians(&of(3), baseline, &[1.0; 3]).unwrap_err();
        assert_eq!(error(&[0.0, 0.0, 5.0]), StatsError::ZeroBaseline);
        assert_eq!(error(&[-0.0, -0.0, 5.0]), StatsError::ZeroBaseline);
        // The median is 4, but two or three copies of the zero have none: 7 of 27.
        assert_eq!(error(&[4.0, 0.0, 5.0]), StatsError::ZeroBaselineInResamples { weight: 7, total: 27 });
        // Zero over zero is no less undefined.
        assert_eq!(
            ratio_of_medians(&of(3), &[4.0, 0.0, 5.0], &[0.0; 3]),
            Err(StatsError::ZeroBaselineInResamples { weight: 7, total: 27 })
        );
        let drawn = ratio_of_medians(&of(9), &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0], &[1.0; 9]);
        assert!(
            matches!(drawn, Err(StatsError::ZeroBaselineInResamples { weight: 1..20_000, total: 20_000 })),
            "{drawn:?}"
        );
    }

    #[test]
    fn a_missing_pair_is_an_error() {
        let wrong = |input, found| Err(StatsError::PairCount { input, expected: 3, found });
        assert_eq!(ratio_of_medians(&of(3), &[1.0; 2], &[1.0; 3]), wrong("baseline", 2));
        assert_eq!(ratio_of_medians(&of(3), &[1.0; 3], &[1.0; 4]), wrong("candidate", 4));
        assert_eq!(ratio_of_medians(&of(3), &[], &[]), wrong("baseline", 0));
        assert_eq!(median_of(&of(3), &[1.0; 2]), wrong("values", 2));
    }

    #[test]
    fn what_is_no_measurement_is_an_error() {
        let good = [1.0, 2.0, 3.0];
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let values = [1.0, bad, 2.0];
            assert!(matches!(
                ratio_of_medians(&of(3), &values, &good),
                Err(StatsError::NotFinite { input: "baseline", position: 2, .. })
            ));
            assert!(matches!(
                ratio_of_medians(&of(3), &good, &values),
                Err(StatsError::NotFinite { input: "candidate", position: 2, .. })
            ));
            assert!(matches!(median_of(&of(3), &values), Err(StatsError::NotFinite { input: "values", .. })));
        }
        let values = [1.0, 2.0, -1e-300];
        let negative = |input| Err(StatsError::Negative { input, position: 3, value: -1e-300 });
        assert_eq!(ratio_of_medians(&of(3), &values, &good), negative("baseline"));
        assert_eq!(ratio_of_medians(&of(3), &good, &values), negative("candidate"));
        assert_eq!(median_of(&of(3), &values), negative("values"));
    }

    #[test]
    fn a_ratio_beyond_the_floats_is_an_error() {
        let overflow = Err(StatsError::Overflow { statistic: "ratio of medians" });
        assert_eq!(ratio_of_medians(&of(1), &[1e-300], &[1e300]), overflow);
        // Only in some resamples: the point estimate is 1.
        assert_eq!(ratio_of_medians(&of(3), &[1e-300, 1.0, 2.0], &[1e300, 1.0, 0.5]), overflow);
        // A median is never beyond them.
        assert_eq!(median_of(&of(2), &[f64::MAX; 2]).unwrap().point(), f64::MAX);
    }
}
