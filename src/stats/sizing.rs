//! How many pairs it would take to settle a ratio budget.

use statrs::distribution::{ContinuousCDF, Normal};

use super::bound::Bound;
use super::error::StatsError;
use super::interval::Alpha;
use super::mean::{mean, variance};

/// The power that a number of pairs is sized for.
pub(super) const POWER: f64 = 0.80;

/// Pairs with which a campaign would come to the right side of `bound` with 80 % power, if the true ratio were `ratio`.
///
/// The normal approximation `n = ((z₁₋α + z₀.₈)·sd / ln(bound / ratio))²`, rounded up, with the sample standard deviation of
/// the pairs' log ratios and α per side (Chow, Shao & Wang 2008, non-inferiority of a ratio). For medians it can fall
/// short by up to π/2, and the spread of few pairs is itself uncertain: it is a figure to plan with, not a promise.
///
/// `None` where there is nothing to go by: fewer than two pairs, values that have no logarithm, no spread, or a ratio on
/// the bound itself, which no number of pairs settles.
#[must_use]
pub fn pairs_for_power(baseline: &[f64], candidate: &[f64], ratio: f64, bound: f64, alpha: Alpha) -> Option<u32> {
    let margin = libm::log(bound / ratio);
    if !margin.is_finite() {
        return None;
    }
    pairs_for(log_deviation(baseline, candidate)?, margin, alpha)
}

/// The sample standard deviation of the pairs' log ratios; `None` with fewer than two pairs, and where a ratio has no
/// logarithm.
#[must_use]
pub fn log_deviation(baseline: &[f64], candidate: &[f64]) -> Option<f64> {
    let logs: Vec<f64> =
        baseline.iter().zip(candidate).map(|(baseline, candidate)| libm::log(candidate / baseline)).collect();
    let variance = variance(&logs, mean(&logs).ok()?)?;
    Some(libm::sqrt(variance)).filter(|deviation| deviation.is_finite())
}

/// The formula itself, from the standard deviation and the margin of the log ratio.
pub(super) fn pairs_for(deviation: f64, margin: f64, alpha: Alpha) -> Option<u32> {
    let root = quantiles(alpha, POWER) * deviation / margin;
    let pairs = root * root;
    // Below the last digits of a quantile a whole number stays what it is, on every machine.
    let pairs = libm::ceil(pairs - 1e-9);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    (pairs.is_finite() && pairs >= 1.0).then_some(pairs as u32)
}

/// The smallest true ratio beyond `bound` that a campaign of `pairs` pairs would show to be beyond with this power:
/// `bound·exp((z₁₋α + z_power)·sd/√n)`, and divided by it where the bound is a lower one. The normal formula of
/// [`pairs_for_power`] turned round, with the standard deviation of the log ratios.
///
/// # Errors
///
/// [`StatsError::NotPlannable`] unless all are above zero and finite, and the power below one; [`StatsError::Overflow`].
pub fn smallest_effect(deviation: f64, pairs: u32, bound: Bound, alpha: Alpha, power: f64) -> Result<f64, StatsError> {
    let headroom = 1.0 - power;
    plannable(&[
        ("pairs", f64::from(pairs)),
        ("a deviation", deviation),
        ("a bound", bound.value()),
        ("a power", power),
        ("what a power leaves to 1", headroom),
    ])?;
    let effect = libm::exp(quantiles(alpha, power) * deviation / libm::sqrt(f64::from(pairs)));
    let ratio = if bound.is_at_most() { bound.value() * effect } else { bound.value() / effect };
    if ratio.is_normal() { Ok(ratio) } else { Err(StatsError::Overflow { statistic: "smallest effect" }) }
}

/// Refuses figures that are not above zero, or not finite.
pub(super) fn plannable(figures: &[(&'static str, f64)]) -> Result<(), StatsError> {
    match figures.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
        Some(&(input, value)) => Err(StatsError::NotPlannable { input, value }),
        None => Ok(()),
    }
}

/// The quantiles of the standard normal distribution at 1 − α and at the power, added.
fn quantiles(alpha: Alpha, power: f64) -> f64 {
    let normal = Normal::standard();
    normal.inverse_cdf(1.0 - alpha.as_f64()) + normal.inverse_cdf(power)
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, Interval, IntervalRule, Resamples, ratio_of_medians};
    use super::*;

    fn one_sided() -> Alpha {
        IntervalRule::OneSided.alpha(Confidence::P95)
    }

    #[test]
    fn agrees_with_the_published_sizing() {
        // A published campaign sized 9 and 15 pairs for these; its ratios are rounded to three decimals, which allows 14.
        let margin = |ratio: f64| libm::log(1.10 / ratio);
        assert_eq!(pairs_for(0.0515, margin(1.053), one_sided()), Some(9));
        assert_eq!(pairs_for(0.0458, margin(1.067), one_sided()), Some(14));
    }

    #[test]
    fn the_spread_is_the_pairs_own() {
        // Log ratios ±0.1 around 0: sd 0.1·√(10/9). n = (2.4865·0.10541/0.09531)² = 7.56.
        let candidate: Vec<f64> = (0..10).map(|pair| libm::exp(if pair % 2 == 0 { 0.1 } else { -0.1 })).collect();
        assert_eq!(pairs_for_power(&[1.0; 10], &candidate, 1.0, 1.10, one_sided()), Some(8));
        // A wider margin on the other side of the bound: it would fail as surely.
        assert_eq!(pairs_for_power(&[1.0; 10], &candidate, 1.21, 1.10, one_sided()), Some(8));
    }

    #[test]
    fn the_smallest_effect_is_what_the_pairs_are_sized_for() {
        let at_most = Bound::at_most(1.05).unwrap();
        let effect = smallest_effect(0.03, 20, at_most, one_sided(), POWER).unwrap();
        assert_eq!(pairs_for(0.03, libm::log(1.05 / effect), one_sided()), Some(20));
        // 2.4865·0.03/√20 = 0.01668; a tenth of a percent less takes (0.07460/0.01568)² = 22.6 pairs.
        assert_eq!(pairs_for(0.03, libm::log(1.05 / (effect * 0.999)), one_sided()), Some(23));
        let lower = smallest_effect(0.03, 20, Bound::at_least(1.05).unwrap(), one_sided(), POWER).unwrap();
        assert!((lower * effect - 1.05 * 1.05).abs() < 1e-12);
        let error = smallest_effect(0.0, 20, at_most, one_sided(), POWER).unwrap_err();
        assert_eq!(error, StatsError::NotPlannable { input: "a deviation", value: 0.0 });
        assert_eq!(
            smallest_effect(0.1, 0, at_most, one_sided(), POWER),
            Err(StatsError::NotPlannable { input: "pairs", value: 0.0 })
        );
        assert!(smallest_effect(0.1, 10, at_most, one_sided(), 1.0).is_err());
        let surer = smallest_effect(0.03, 20, at_most, one_sided(), 0.95).unwrap();
        assert!(surer > effect);
    }

    /// Pairs with this ratio of medians, this median ratio and this standard deviation of the log ratios, made and not
    /// drawn: log ratios that lie symmetrically, at the middles of equal shares of the normal distribution.
    fn made(pairs: u32, ratio: f64, deviation: f64) -> (Vec<f64>, Vec<f64>) {
        let middle = |pair: u32| (f64::from(pair) + 0.5) / f64::from(pairs);
        let scores: Vec<f64> = (0..pairs).map(|pair| Normal::standard().inverse_cdf(middle(pair))).collect();
        let squares: f64 = scores.iter().map(|score| score * score).sum();
        let scale = deviation / libm::sqrt(squares / f64::from(pairs - 1));
        (vec![1.0; scores.len()], scores.iter().map(|score| ratio * libm::exp(scale * score)).collect())
    }

    #[test]
    fn a_published_campaign_is_sized_and_confirmed() {
        let budget = Bound::at_most(1.10).unwrap();
        for (ratio, deviation, sizes) in [(1.053, 0.0515, 9..=9), (1.067, 0.0458, 14..=15)] {
            let interval = |pairs, rule: IntervalRule| {
                let (baseline, candidate) = made(pairs, ratio, deviation);
                let resamples = Resamples::new(baseline.len(), 1412, 20_000).unwrap();
                let estimate = ratio_of_medians(&resamples, &baseline, &candidate).unwrap();
                assert!((estimate.point() - ratio).abs() < 1e-3, "{}", estimate.point());
                Interval::percentile(estimate.distribution(), rule.alpha(Confidence::P95))
            };
            let five = interval(5, IntervalRule::TwoSided);
            assert!(!five.is_within(budget) && !five.is_beyond(budget), "{five:?}");
            let (baseline, candidate) = made(5, ratio, deviation);
            let needed = pairs_for_power(&baseline, &candidate, ratio, 1.10, one_sided()).unwrap();
            assert!(sizes.contains(&needed), "{needed}");
            assert!(interval(20, IntervalRule::OneSided).is_within(budget));
        }
    }

    #[test]
    fn what_gives_no_size() {
        assert_eq!(pairs_for_power(&[1.0], &[1.0], 1.0, 1.1, one_sided()), None);
        assert_eq!(pairs_for_power(&[1.0, 0.0], &[1.0, 1.0], 1.0, 1.1, one_sided()), None);
        assert_eq!(pairs_for_power(&[1.0, 1.0], &[1.0, 1.0], 1.0, 1.1, one_sided()), None);
        assert_eq!(pairs_for_power(&[1.0, 1.0], &[1.0, 1.2], 1.1, 1.1, one_sided()), None);
    }
}
