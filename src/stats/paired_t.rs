//! Student's t over the log ratios of the pairs (Student 1908, Biometrika 6:1–25), as a cross-check.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::error::StatsError;
use super::interval::{Alpha, Interval};
use super::log_ratio::pair_ratios;
use super::mean::{count, mean, variance};

/// A ratio, and its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedT {
    /// The geometric mean of the pairs' ratios.
    pub point: f64,
    /// Its interval.
    pub interval: Interval,
}

/// The geometric mean of the pairs' ratios, `exp(m ± t·s/√n)`, with an error of `alpha` at each end if the log ratios
/// are normal; m and s are their mean and sample standard deviation, t the quantile at 1 − α with n − 1 degrees of
/// freedom.
///
/// It decides nothing: its quantile comes from a library that is not the same to the bit everywhere.
///
/// # Errors
///
/// [`StatsError::Empty`]; [`StatsError::PairCount`] unless both have equally many values; [`StatsError::NotFinite`];
/// [`StatsError::NoLogRatio`]; [`StatsError::Overflow`]; [`StatsError::TooFew`] with a single pair.
pub fn paired_t(baseline: &[f64], candidate: &[f64], alpha: Alpha) -> Result<PairedT, StatsError> {
    const STATISTIC: &str = "paired t interval";
    let ratios = pair_ratios(baseline.len(), baseline, candidate)?;
    let logs: Vec<f64> = ratios.into_iter().map(libm::log).collect();
    let centre = mean(&logs)?;
    let n = count(&logs);
    let (Some(variance), Ok(student)) = (variance(&logs, centre), StudentsT::new(0.0, 1.0, n - 1.0)) else {
        return Err(StatsError::TooFew { statistic: STATISTIC, found: logs.len(), needed: 2 });
    };
    let half = student.inverse_cdf(1.0 - alpha.as_f64()) * libm::sqrt(variance / n);
    let (low, high) = (libm::exp(centre - half), libm::exp(centre + half));
    if low.is_finite() && high.is_finite() {
        Ok(PairedT { point: libm::exp(centre), interval: Interval::between(low, high) })
    } else {
        Err(StatsError::Overflow { statistic: STATISTIC })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, IntervalRule};
    use super::*;

    #[test]
    fn two_pairs_by_hand() {
        // Logs ±1: s/√n = 1, and t at 97.5 % with one degree of freedom is 12.7062.
        let alpha = IntervalRule::TwoSided.alpha(Confidence::P95);
        let found = paired_t(&[1.0; 2], &[libm::exp(1.0), libm::exp(-1.0)], alpha).unwrap();
        assert!((found.point - 1.0).abs() < 1e-15, "{found:?}");
        assert!((libm::log(found.interval.high()) - 12.706_204_736).abs() < 1e-8, "{found:?}");
        assert!((libm::log(found.interval.low()) + 12.706_204_736).abs() < 1e-8, "{found:?}");
    }

    #[test]
    fn one_pair_has_no_spread() {
        let alpha = IntervalRule::OneSided.alpha(Confidence::P95);
        let error = StatsError::TooFew { statistic: "paired t interval", found: 1, needed: 2 };
        assert_eq!(paired_t(&[1.0], &[1.0], alpha), Err(error));
        assert!(matches!(paired_t(&[1.0; 2], &[1.0, 0.0], alpha), Err(StatsError::NoLogRatio { pair: 2, .. })));
        // Huge spread of few pairs.
        assert!(matches!(paired_t(&[1e-200, 1e200], &[1.0; 2], alpha), Err(StatsError::Overflow { .. })));
    }
}
