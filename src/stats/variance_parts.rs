//! Where the variance of a run's mean comes from (Kalibera & Jones 2013, Rigorous Benchmarking in Reasonable Time, ISMM,
//! section 6).

use super::error::{StatsError, require_finite};
use super::mean::{mean, variance};

/// The operations of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their sample variance, in the square of the mean's unit.
    pub variance: f64,
}

impl Spread {
    /// That of `values`; `None` where they have no mean or no variance: of fewer than two, or of such that are not finite.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values).ok()?;
        let variance = variance(values, mean).filter(|variance| variance.is_finite())?;
        Some(Self { count: values.len(), mean, variance })
    }
}

/// The two parts of the variance of a run's mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VarianceParts {
    /// The unbiased estimate of what the runs add by themselves, in the square of the values' unit. Below zero where there is
    /// less spread between them than their operations explain: then it is zero for all that can be told.
    pub of_runs: f64,
    /// What their operations add: it shrinks as a run has more of them.
    pub of_operations: f64,
}

impl VarianceParts {
    /// The share of the operations, that of the runs taken as zero where it is below; `None` where nothing varies.
    #[must_use]
    pub fn share_of_operations(self) -> Option<f64> {
        let whole = self.of_runs.max(0.0) + self.of_operations;
        (whole > 0.0).then(|| self.of_operations / whole)
    }
}

/// The parts of the variance of the means of `runs`.
///
/// Run i has nᵢ operations with the sample variance sᵢ². The operations add W, the mean of sᵢ²/nᵢ; with S² the sample
/// variance of the runs' means, T² = S² − W is what the runs add: equation 4 there, for two levels, and where all nᵢ are equal
/// the same number.
///
/// # Errors
///
/// [`StatsError::TooFew`] with fewer than two runs, or fewer than two operations in one; [`StatsError::NotFinite`].
pub fn variance_parts(runs: &[Spread]) -> Result<VarianceParts, StatsError> {
    const STATISTIC: &str = "parts of the variance";
    let too_few = |found| StatsError::TooFew { statistic: STATISTIC, found, needed: 2 };
    if let Some(run) = runs.iter().find(|run| run.count < 2) {
        return Err(too_few(run.count));
    }
    let means: Vec<f64> = runs.iter().map(|run| run.mean).collect();
    #[expect(clippy::cast_precision_loss, reason = "no run has 2^53 operations")]
    let within: Vec<f64> = runs.iter().map(|run| run.variance / run.count as f64).collect();
    if runs.len() < 2 {
        return Err(too_few(runs.len()));
    }
    require_finite("means", &means)?;
    let of_operations = mean(&within)?;
    let between = variance(&means, mean(&means)?).unwrap_or_default();
    Ok(VarianceParts { of_runs: between - of_operations, of_operations })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(runs: &[&[f64]]) -> Result<VarianceParts, StatsError> {
        variance_parts(&runs.iter().map(|run| Spread::of(run).unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn two_runs_by_hand() {
        // Variances 2 and 18, so W = (2/2 + 18/2)/2 = 5; means 2 and 8, so S² = 18 and T² = 13.
        let found = parts(&[&[1.0, 3.0], &[5.0, 11.0]]).unwrap();
        assert_eq!(found, VarianceParts { of_runs: 13.0, of_operations: 5.0 });
        assert_eq!(found.share_of_operations(), Some(5.0 / 18.0));
    }

    #[test]
    fn runs_may_have_unlike_numbers_of_operations() {
        // Variances 2 of two and 1 of three: W = (1 + 1/3)/2; means 2 and 5: S² = 4.5.
        let found = parts(&[&[1.0, 3.0], &[4.0, 5.0, 6.0]]).unwrap();
        assert!((found.of_operations - 2.0 / 3.0).abs() < 1e-15, "{found:?}");
        assert!((found.of_runs - (4.5 - 2.0 / 3.0)).abs() < 1e-14, "{found:?}");
    }

    #[test]
    fn noise_of_the_operations_alone_leaves_nothing_to_the_runs() {
        let found = parts(&[&[1.0, 3.0], &[0.0, 4.0]]).unwrap();
        assert!(found.of_runs < 0.0, "{found:?}");
        assert_eq!(found.share_of_operations(), Some(1.0));
        let same = parts(&[&[1.0, 1.0], &[1.0, 1.0]]).unwrap();
        assert_eq!(same.share_of_operations(), None);
    }

    #[test]
    fn what_has_no_parts_is_an_error() {
        let statistic = "parts of the variance";
        let too_few = |found| Err(StatsError::TooFew { statistic, found, needed: 2 });
        assert_eq!(variance_parts(&[]), too_few(0));
        assert_eq!(parts(&[&[1.0, 2.0]]), too_few(1));
        let single = Spread { count: 1, mean: 1.0, variance: 0.0 };
        assert_eq!(variance_parts(&[single, single]), too_few(1));
        let endless = Spread { count: 2, mean: f64::INFINITY, variance: 0.0 };
        assert!(matches!(variance_parts(&[endless, endless]), Err(StatsError::NotFinite { .. })));
        assert_eq!(Spread::of(&[1.0]), None);
        assert_eq!(Spread::of(&[f64::MAX, -f64::MAX]), None);
    }
}
