//! The ratio that is formed inside the pair.

use super::bootstrap::{Bootstrap, medians};
use super::error::{StatsError, require_finite};
use super::resample::Resamples;

/// e to the median over pairs of `ln(candidate / baseline)`: the ratio of a typical pair.
///
/// What disturbs both runs of a pair alike, as a slow drift of the machine does, cancels. The logarithm keeps the order,
/// so the median is that of the ratios themselves; of evenly many pairs it lies halfway between two logarithms, which is
/// the geometric middle of two ratios. No logarithm is ever computed, and nothing is rounded but a quotient, a product
/// and a root.
///
/// The order of the pairs does not matter: index `i` of a resample is the `i`-th pair in ascending order of its ratio.
///
/// # Errors
///
/// [`StatsError::PairCount`] unless both have one value for each pair of `resamples`; [`StatsError::NotFinite`];
/// [`StatsError::NoLogRatio`] where a value is zero or negative; [`StatsError::Overflow`] where a ratio is beyond the
/// floats.
pub fn median_log_ratio(resamples: &Resamples, baseline: &[f64], candidate: &[f64]) -> Result<Bootstrap, StatsError> {
    let ratios = pair_ratios(resamples.pairs(), baseline, candidate)?;
    medians(resamples, "median log ratio", &ratios, geometric_middle)
}

/// The ratio `candidate / baseline` of each of `pairs` pairs, in ascending order; all positive and finite.
pub(super) fn pair_ratios(pairs: usize, baseline: &[f64], candidate: &[f64]) -> Result<Vec<f64>, StatsError> {
    for (input, values) in [("baseline", baseline), ("candidate", candidate)] {
        if values.len() != pairs {
            return Err(StatsError::PairCount { input, expected: pairs, found: values.len() });
        }
        require_finite(input, values)?;
        if let Some(index) = values.iter().position(|&value| value <= 0.0) {
            return Err(StatsError::NoLogRatio { side: input, pair: index + 1, value: values[index] });
        }
    }
    let mut ratios: Vec<f64> =
        baseline.iter().zip(candidate).map(|(baseline, candidate)| candidate / baseline).collect();
    if !ratios.iter().all(|ratio| ratio.is_normal()) {
        return Err(StatsError::Overflow { statistic: "ratio of a pair" });
    }
    ratios.sort_unstable_by(f64::total_cmp);
    Ok(ratios)
}

/// The value whose logarithm is halfway between those of `a` and `b`: √(a·b).
///
/// IEEE 754 rounds the product and the root correctly, so it is the same on every machine. Where the product leaves the
/// floats, √a·√b.
pub(super) fn geometric_middle(a: f64, b: f64) -> f64 {
    let product = a * b;
    if product.is_normal() { product.sqrt() } else { a.sqrt() * b.sqrt() }
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
        // The ratios are 2.5, 1.125 and 2. A median of three draws is the smallest where two or three draws are: 7 of
        // 27; the middle one is it in the other 13.
        let estimate = median_log_ratio(&of(3), &[4.0, 8.0, 2.0], &[10.0, 9.0, 4.0]).unwrap();
        assert_eq!(estimate.point(), 2.0);
        assert_eq!(values(&estimate), [(1.125, 7), (2.0, 13), (2.5, 7)]);
    }

    #[test]
    fn two_pairs_meet_at_the_root_of_their_product() {
        let estimate = median_log_ratio(&of(2), &[1.0, 3.0], &[2.0, 24.0]).unwrap();
        assert_eq!(estimate.point(), 4.0);
        assert_eq!(values(&estimate), [(2.0, 1), (4.0, 2), (8.0, 1)]);
    }

    #[test]
    fn a_disturbance_of_the_whole_pair_cancels() {
        let baseline: Vec<f64> = (0..11).map(|run| f64::from(10 << run)).collect();
        let candidate: Vec<f64> =
            baseline.iter().enumerate().map(|(run, b)| b * if run < 6 { 1.5 } else { 1.25 }).collect();
        let estimate = median_log_ratio(&of(11), &baseline, &candidate).unwrap();
        assert_eq!(estimate.point(), 1.5);
        assert_eq!(values(&estimate).into_iter().map(|(value, _)| value).collect::<Vec<_>>(), [1.25, 1.5]);
    }

    #[test]
    fn the_middle_of_extremes_is_between_them() {
        assert!((geometric_middle(1e300, 4e300) / 2e300 - 1.0).abs() <= f64::EPSILON);
        assert!((geometric_middle(1e-300, 4e-300) / 2e-300 - 1.0).abs() <= f64::EPSILON);
        for value in [1.0, 1.053, 0.1, 3e-7, 1e308] {
            assert!((geometric_middle(value, value) / value - 1.0).abs() <= f64::EPSILON, "{value}");
        }
    }

    #[test]
    fn what_has_no_log_ratio_is_an_error() {
        let good = [1.0, 2.0, 3.0];
        for bad in [0.0, -0.0, -1.0] {
            let error = |side| Err(StatsError::NoLogRatio { side, pair: 2, value: bad });
            assert_eq!(median_log_ratio(&of(3), &[1.0, bad, 2.0], &good), error("baseline"));
            assert_eq!(median_log_ratio(&of(3), &good, &[1.0, bad, 2.0]), error("candidate"));
        }
        assert!(matches!(median_log_ratio(&of(3), &good, &[1.0, f64::NAN, 1.0]), Err(StatsError::NotFinite { .. })));
        let short = StatsError::PairCount { input: "candidate", expected: 3, found: 2 };
        assert_eq!(median_log_ratio(&of(3), &good, &good[..2]), Err(short));
        for (baseline, candidate) in [(1e-300, 1e300), (1e300, 1e-300)] {
            let error = median_log_ratio(&of(1), &[baseline], &[candidate]).unwrap_err();
            assert_eq!(error, StatsError::Overflow { statistic: "ratio of a pair" });
        }
    }
}
