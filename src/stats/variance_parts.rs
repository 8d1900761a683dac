//! Where the variance of a mean comes from (Kalibera & Jones 2013, Rigorous Benchmarking in Reasonable Time, ISMM,
//! section 6).

use super::error::{StatsError, require_finite};
use super::mean::{mean, variance};

/// One level of repetition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VariancePart {
    /// The unbiased estimate of the variance that this level adds, in the square of the values' unit. Below zero where
    /// there is less spread than the level beneath explains: then it is zero for all that can be told.
    pub variance: f64,
    /// Its share in the variance of the mean over all, those below zero taken as zero; the shares add up to 1.
    pub share: f64,
}

/// The parts of the variance of `values`, which are nested: `repetitions[0]` pairs, in each of them `repetitions[1]`
/// runs, and so on down to the operations; the values in that order, each group after the other. The parts come in the
/// order of `repetitions`.
///
/// With rᵢ repetitions at level i, level 1 the lowest and n the highest, Sᵢ² is the mean over all groups of level i of
/// the sample variance of their rᵢ means. Then T₁² = S₁² and Tᵢ² = Sᵢ² − Sᵢ₋₁²/rᵢ₋₁ are unbiased (equation 4 there),
/// and the mean over all has the variance Sₙ²/rₙ = Σ Tᵢ²/(rᵢ·…·rₙ).
///
/// # Errors
///
/// [`StatsError::Empty`], [`StatsError::NotFinite`]; [`StatsError::TooFew`] where a level is repeated less than twice;
/// [`StatsError::Unbalanced`] unless there are as many values as the repetitions make; [`StatsError::NoSpread`] where all
/// are equal.
pub fn variance_parts(repetitions: &[usize], values: &[f64]) -> Result<Vec<VariancePart>, StatsError> {
    const STATISTIC: &str = "parts of the variance";
    require_finite("values", values)?;
    if repetitions.is_empty() {
        return Err(StatsError::Empty { input: "repetitions" });
    }
    if let Some(&found) = repetitions.iter().find(|&&repeated| repeated < 2) {
        return Err(StatsError::TooFew { statistic: STATISTIC, found, needed: 2 });
    }
    let expected =
        repetitions.iter().try_fold(1_usize, |all, &repeated| all.checked_mul(repeated)).unwrap_or(usize::MAX);
    if values.len() != expected {
        return Err(StatsError::Unbalanced { expected, found: values.len() });
    }
    let mut means = values.to_vec();
    let mut parts = Vec::with_capacity(repetitions.len());
    // What a value of one level owes to the levels beneath.
    let mut beneath = 0.0;
    for &repeated in repetitions.iter().rev() {
        let mut spread = Vec::with_capacity(means.len() / repeated);
        let mut above = Vec::with_capacity(means.len() / repeated);
        for group in means.chunks_exact(repeated) {
            let centre = mean(group)?;
            spread.extend(variance(group, centre));
            above.push(centre);
        }
        let between = mean(&spread)?;
        parts.push(VariancePart { variance: between - beneath, share: 0.0 });
        #[expect(clippy::cast_precision_loss, reason = "no slice has 2^53 values")]
        let repeated = repeated as f64;
        beneath = between / repeated;
        means = above;
    }
    parts.reverse();
    let mut repeated = 1.0;
    for (part, &times) in parts.iter_mut().zip(repetitions) {
        #[expect(clippy::cast_precision_loss, reason = "no slice has 2^53 values")]
        let times = times as f64;
        repeated *= times;
        part.share = part.variance.max(0.0) / repeated;
    }
    let whole: f64 = parts.iter().map(|part| part.share).sum();
    if whole <= 0.0 {
        return Err(StatsError::NoSpread { statistic: STATISTIC, count: values.len() });
    }
    for part in &mut parts {
        part.share /= whole;
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_levels_by_hand() {
        // Groups (1, 3) and (5, 11): variances 2 and 18, so S₁² = 10; means 2 and 8, so S₂² = 18 and T₂² = 18 − 10/2.
        // In the variance of the mean, 18/2 = 9, they have 13/2 and 10/4.
        let parts = variance_parts(&[2, 2], &[1.0, 3.0, 5.0, 11.0]).unwrap();
        let found: Vec<_> = parts.iter().map(|part| part.variance).collect();
        assert_eq!(found, [13.0, 10.0]);
        let shares: Vec<_> = parts.iter().map(|part| part.share * 9.0).collect();
        assert!((shares[0] - 6.5).abs() < 1e-14 && (shares[1] - 2.5).abs() < 1e-14, "{shares:?}");
    }

    #[test]
    fn noise_of_the_lowest_level_alone_leaves_nothing_to_the_others() {
        // Both groups have the mean 2.
        let parts = variance_parts(&[2, 2, 2], &[1.0, 3.0, 0.0, 4.0, 2.5, 1.5, 3.0, 1.0]).unwrap();
        assert!(parts[0].variance <= 0.0 && parts[1].variance < 0.0, "{parts:?}");
        assert!((parts[2].share - 1.0).abs() < 1e-15, "{parts:?}");
    }

    #[test]
    fn what_has_no_parts_is_an_error() {
        let statistic = "parts of the variance";
        assert_eq!(variance_parts(&[2, 2], &[]), Err(StatsError::Empty { input: "values" }));
        assert_eq!(variance_parts(&[], &[1.0]), Err(StatsError::Empty { input: "repetitions" }));
        assert_eq!(variance_parts(&[2, 1], &[1.0; 2]), Err(StatsError::TooFew { statistic, found: 1, needed: 2 }));
        assert_eq!(variance_parts(&[2, 2], &[1.0; 4]), Err(StatsError::NoSpread { statistic, count: 4 }));
        let error = StatsError::Unbalanced { expected: 4, found: 3 };
        assert_eq!(variance_parts(&[2, 2], &[1.0; 3]), Err(error));
        assert!(matches!(variance_parts(&[2], &[1.0, f64::NAN]), Err(StatsError::NotFinite { .. })));
    }
}
