//! Many claims at once (Holm 1979, Scandinavian Journal of Statistics 6:65–70).

use super::error::StatsError;
use super::interval::Alpha;
use super::spending::looks;

/// Holm's step-down adjusted p of a family of claims, in the order given.
///
/// With p₍₁₎ ≤ … ≤ p₍ₘ₎ the adjusted p₍ᵢ₎ is `max over j ≤ i of min(1, (m − j + 1)·p₍ⱼ₎)`. Claims whose adjusted p is
/// at most α are made together, with a probability of at most α that any of them is wrong, whatever their dependence.
///
/// # Errors
///
/// [`StatsError::NotAProbability`]. An empty family has no adjusted p, which is no error.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatsError> {
    step_down(p_values, |p, remaining| Ok(remaining * p))
}

/// Holm's step-down adjusted p at the last of the looks `pairs` of a plan of `last` pairs, in the order given; those at
/// most `alpha` are claimed.
///
/// At each step Holm holds the smallest p that is left to α divided by the claims that are left. Here each of these shares is
/// spent over the looks as [`looks`] spends it, and the p is held to the share's level at this look (Maurer & Bretz 2013,
/// Statistics in Biopharmaceutical Research 5:311–320). The adjusted p is α·p over that level, which without looks is Holm's
/// own: the probability that any wrong claim is made, at whichever look, is at most α.
///
/// # Errors
///
/// [`StatsError::NotAProbability`], and those of [`looks`].
pub fn holm_at_look(p_values: &[f64], pairs: &[u32], last: u32, alpha: Alpha) -> Result<Vec<f64>, StatsError> {
    step_down(p_values, |p, remaining| {
        let share = Alpha::at_most(alpha.as_f64() / remaining);
        let levels = share.map(|share| looks(pairs, last, share)).transpose()?;
        let level = levels.and_then(|levels| levels.last()?.alpha);
        Ok(level.map_or(1.0, |level| p * (alpha.as_f64() / level.as_f64())))
    })
}

/// The largest that `adjust` makes of the p so far and of the claims that are left with it, at most 1, in ascending order.
fn step_down(p_values: &[f64], adjust: impl Fn(f64, f64) -> Result<f64, StatsError>) -> Result<Vec<f64>, StatsError> {
    if let Some(index) = p_values.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(StatsError::NotAProbability { position: index + 1, value: p_values[index] });
    }
    let mut ascending: Vec<_> = (0..p_values.len()).collect();
    ascending.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (step, index) in ascending.into_iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "no family has 2^53 claims")]
        let remaining = (p_values.len() - step) as f64;
        largest = largest.max(adjust(p_values[index], remaining)?);
        if largest >= 1.0 {
            // So are all that come after it.
            break;
        }
        adjusted[index] = largest;
    }
    Ok(adjusted)
}

/// The smallest number of pairs with which a family of `claims` can have a claim made at `alpha`: the smallest n with
/// `claims·2⁻ⁿ ≤ α`, that is n ≥ log₂(claims / α).
///
/// With fewer pairs no claim of the family can be made, however plain it is, because no p is below 2⁻ⁿ.
#[must_use]
pub fn pairs_needed_by_holm(claims: usize, alpha: Alpha) -> u32 {
    let needed = claims as u128 * u128::from(Alpha::WHOLE);
    let mut pairs = 0;
    // α is at least one part, so that the shift ends before 2^64·2·10⁹ is left behind.
    while u128::from(alpha.parts()) << pairs < needed {
        pairs += 1;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, IntervalRule};
    use super::*;

    #[test]
    fn the_smallest_p_pays_for_all() {
        // Sorted: 0.0625·4, 0.125·3, 0.25·2, 0.5·1.
        assert_eq!(holm(&[0.5, 0.0625, 0.25, 0.125]).unwrap(), [0.5, 0.25, 0.5, 0.375]);
    }

    #[test]
    fn adjusted_p_is_monotone_and_at_most_one() {
        // 3·0.25 = 0.75, then 2·0.3 = 0.6 is lifted to 0.75, then 0.9.
        assert_eq!(holm(&[0.25, 0.3125, 0.875]).unwrap(), [0.75, 0.75, 0.875]);
        assert_eq!(holm(&[1.0, 0.5, 0.5]).unwrap(), [1.0, 1.0, 1.0]);
        assert_eq!(holm(&[0.0, 1.0]).unwrap(), [0.0, 1.0]);
    }

    #[test]
    fn a_family_of_one_is_left_alone() {
        assert_eq!(holm(&[0.03]).unwrap(), [0.03]);
        assert_eq!(holm(&[]).unwrap(), [0.0; 0]);
    }

    #[test]
    fn what_is_no_probability_is_an_error() {
        for bad in [f64::NAN, -0.1, 1.000_001, f64::INFINITY] {
            assert!(matches!(holm(&[0.5, bad]), Err(StatsError::NotAProbability { position: 2, .. })), "{bad}");
        }
    }

    #[test]
    fn a_family_needs_pairs_to_have_a_claim_made() {
        let two_sided = IntervalRule::TwoSided.alpha(Confidence::P95);
        let one_sided = IntervalRule::OneSided.alpha(Confidence::P95);
        // log2(1 / 0.025) = 5.3 and log2(1 / 0.05) = 4.3.
        assert_eq!(pairs_needed_by_holm(1, two_sided), 6);
        assert_eq!(pairs_needed_by_holm(1, one_sided), 5);
        // 25·2^-10 = 0.0244 and 26·2^-10 = 0.0254.
        assert_eq!(pairs_needed_by_holm(25, two_sided), 10);
        assert_eq!(pairs_needed_by_holm(26, two_sided), 11);
        assert_eq!(pairs_needed_by_holm(0, two_sided), 0);
        let half = IntervalRule::OneSided.alpha(Confidence::from_parts(7_500).unwrap());
        assert_eq!(pairs_needed_by_holm(1, half), 2, "2^-2 is α itself");
        assert_eq!(pairs_needed_by_holm(usize::MAX, two_sided), 70);
    }

    #[test]
    fn one_pair_fewer_has_no_claim_made() {
        let alpha = IntervalRule::TwoSided.alpha(Confidence::P95);
        for claims in 1..200 {
            let pairs = i32::try_from(pairs_needed_by_holm(claims, alpha)).unwrap();
            let smallest_adjusted = |pairs: i32| holm(&vec![libm::ldexp(1.0, -pairs); claims]).unwrap()[0];
            assert!(smallest_adjusted(pairs) <= alpha.as_f64());
            assert!(smallest_adjusted(pairs - 1) > alpha.as_f64());
        }
    }
}
