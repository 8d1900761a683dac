//! How many pairs it would take to settle a ratio budget.

use statrs::distribution::{ContinuousCDF, Normal};

use super::interval::Alpha;

/// The power that a number of pairs is sized for.
const POWER: f64 = 0.80;

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
    let logs: Vec<f64> =
        baseline.iter().zip(candidate).map(|(baseline, candidate)| libm::log(candidate / baseline)).collect();
    let margin = libm::log(bound / ratio);
    if logs.len() < 2 || logs.iter().any(|log| !log.is_finite()) || !margin.is_finite() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "no campaign has 2^53 pairs")]
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>() / (count - 1.0);
    pairs_for(libm::sqrt(variance), margin, alpha)
}

/// The formula itself, from the standard deviation and the margin of the log ratio.
fn pairs_for(deviation: f64, margin: f64, alpha: Alpha) -> Option<u32> {
    let normal = Normal::standard();
    let z = normal.inverse_cdf(1.0 - alpha.as_f64()) + normal.inverse_cdf(POWER);
    let root = z * deviation / margin;
    let pairs = root * root;
    // Below the last digits of a quantile a whole number stays what it is, on every machine.
    let pairs = libm::ceil(pairs - 1e-9);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    (pairs.is_finite() && pairs >= 1.0).then_some(pairs as u32)
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, IntervalRule};
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
    fn what_gives_no_size() {
        assert_eq!(pairs_for_power(&[1.0], &[1.0], 1.0, 1.1, one_sided()), None);
        assert_eq!(pairs_for_power(&[1.0, 0.0], &[1.0, 1.0], 1.0, 1.1, one_sided()), None);
        assert_eq!(pairs_for_power(&[1.0, 1.0], &[1.0, 1.0], 1.0, 1.1, one_sided()), None);
        assert_eq!(pairs_for_power(&[1.0, 1.0], &[1.0, 1.2], 1.1, 1.1, one_sided()), None);
    }
}
