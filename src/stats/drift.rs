//! Whether values change with the order in which they were measured: doubts about a campaign, never its verdict.

use super::error::{StatsError, require_finite};
use super::mean::{count, mean};

/// How values go with their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Kendall's τ between value and position: 1 where every value is above all before it, −1 where each is below.
    pub tau: f64,
    /// The two-sided p of no drift.
    pub p: f64,
}

/// The most values whose p is counted out.
const EXACT: usize = 33;

/// The rank correlation of `values` with their order (Kendall 1938, Biometrika 30:81–93; as a test of trend Mann 1945,
/// Econometrica 13:245–259).
///
/// Up to 33 values without ties p is exact, from the number of permutations with so many inversions; beyond, and with
/// ties, it is that of the normal approximation with the variance for ties (Kendall 1970, Rank Correlation Methods,
/// section 4.4), without a correction for continuity. These are the rules of SciPy's `kendalltau`.
///
/// # Errors
///
/// [`StatsError::NotFinite`]; [`StatsError::TooFew`] with fewer than three values; [`StatsError::NoSpread`].
pub fn drift(values: &[f64]) -> Result<Drift, StatsError> {
    const STATISTIC: &str = "drift";
    spread(STATISTIC, values, 3)?;
    let (mut rising, mut falling) = (0_usize, 0_usize);
    for (index, value) in values.iter().enumerate() {
        rising += values[index + 1..].iter().filter(|later| *later > value).count();
        falling += values[index + 1..].iter().filter(|later| *later < value).count();
    }
    let n = count(values);
    let pairs = n * (n - 1.0) / 2.0;
    #[expect(clippy::cast_precision_loss, reason = "no slice has 2^26 values")]
    let (difference, untied) = (rising as f64 - falling as f64, (rising + falling) as f64);
    let tau = difference / libm::sqrt(pairs * untied);
    let p = if rising + falling == values.len() * (values.len() - 1) / 2 && values.len() <= EXACT {
        inversions(values.len(), rising.min(falling))
    } else {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        // Both zeros are equal, though their order is not.
        #[expect(clippy::float_cmp, reason = "equal values are ties")]
        let ties: f64 = sorted.chunk_by(|a, b| a == b).map(count).map(|t| t * (t - 1.0) * (2.0 * t + 5.0)).sum();
        let variance = (n * (n - 1.0) * (2.0 * n + 5.0) - ties) / 18.0;
        two_sided(difference / libm::sqrt(variance))
    };
    Ok(Drift { tau, p })
}

/// Twice the share of the permutations of `n` values that have at most `few` inversions, at most 1.
fn inversions(n: usize, few: usize) -> f64 {
    // With one more value at the end, it stands before none, one, … of the others. 33! is below 2^123.
    let mut ways = vec![0_u128; few + 1];
    ways[0] = 1;
    let mut all = 1;
    for size in 2..=n as u128 {
        all *= size;
        let added = usize::try_from(size).expect("at most 33");
        let before = ways.clone();
        let mut sum = 0;
        for (index, way) in ways.iter_mut().enumerate() {
            sum += before[index];
            if let Some(left) = index.checked_sub(added) {
                sum -= before[left];
            }
            *way = sum;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a p needs no more digits than a float has")]
    let share = ways.iter().sum::<u128>() as f64 / all as f64;
    (2.0 * share).min(1.0)
}

/// How alike neighbours are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Autocorrelation {
    /// The correlation of each value with the next, from −1 to 1.
    pub lag_one: f64,
    /// The two-sided p of independence.
    pub p: f64,
}

/// The autocorrelation of `values` at lag one, `Σ(xₜ − m)(xₜ₊₁ − m) / Σ(xₜ − m)²`, m being their mean.
///
/// p is that of the normal approximation with the exact mean −1/n and variance `(n − 2)²/(n²(n − 1))` of independent
/// normal values (Moran 1948, Biometrika 35:255–260).
///
/// # Errors
///
/// [`StatsError::NotFinite`]; [`StatsError::TooFew`] with fewer than four values; [`StatsError::NoSpread`];
/// [`StatsError::Overflow`].
pub fn autocorrelation(values: &[f64]) -> Result<Autocorrelation, StatsError> {
    const STATISTIC: &str = "autocorrelation";
    spread(STATISTIC, values, 4)?;
    let centre = mean(values)?;
    let n = count(values);
    let squares: f64 = values.iter().map(|value| (value - centre) * (value - centre)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    let lag_one = products / squares;
    if !lag_one.is_finite() {
        return Err(StatsError::Overflow { statistic: STATISTIC });
    }
    let deviation = (n - 2.0) / (n * libm::sqrt(n - 1.0));
    Ok(Autocorrelation { lag_one, p: two_sided((lag_one + 1.0 / n) / deviation) })
}

/// Twice the tail of the standard normal distribution beyond `z`.
fn two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// Refuses values that are too few, not finite, or all equal.
pub(super) fn spread(statistic: &'static str, values: &[f64], needed: usize) -> Result<(), StatsError> {
    if values.len() < needed {
        return Err(StatsError::TooFew { statistic, found: values.len(), needed });
    }
    require_finite("values", values)?;
    if values.iter().all(|value| value - values[0] == 0.0) {
        return Err(StatsError::NoSpread { statistic, count: values.len() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_only_rise_drift() {
        let rising: Vec<f64> = (0..5).map(f64::from).collect();
        // One of 5! permutations, and its reverse.
        assert_eq!(drift(&rising), Ok(Drift { tau: 1.0, p: 2.0 / 120.0 }));
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        assert_eq!(drift(&falling), Ok(Drift { tau: -1.0, p: 2.0 / 120.0 }));
        // Of 1, 3, 2 one pair of three is reversed: 1 and 2 permutations have 0 and 1 inversions.
        let found = drift(&[1.0, 3.0, 2.0]).unwrap();
        assert!((found.tau - 1.0 / 3.0).abs() < 1e-15 && found.p >= 1.0, "{found:?}");
    }

    #[test]
    fn neighbours_alike_and_unlike() {
        // Mean 0, squares 4; products −1 − 1 − 1.
        let unlike = autocorrelation(&[1.0, -1.0, 1.0, -1.0]).unwrap();
        assert!((unlike.lag_one + 0.75).abs() < 1e-15, "{unlike:?}");
        let alike: Vec<f64> = (0..40).map(|value| f64::from(value / 10)).collect();
        let alike = autocorrelation(&alike).unwrap();
        assert!(alike.lag_one > 0.8 && alike.p < 1e-6, "{alike:?}");
    }

    #[test]
    fn what_has_no_order_is_an_error() {
        assert_eq!(drift(&[1.0; 2]), Err(StatsError::TooFew { statistic: "drift", found: 2, needed: 3 }));
        assert_eq!(drift(&[1.0; 5]), Err(StatsError::NoSpread { statistic: "drift", count: 5 }));
        assert!(matches!(drift(&[1.0, f64::NAN, 2.0]), Err(StatsError::NotFinite { position: 2, .. })));
        let error = StatsError::TooFew { statistic: "autocorrelation", found: 3, needed: 4 };
        assert_eq!(autocorrelation(&[1.0, 2.0, 3.0]), Err(error));
        let error = StatsError::Overflow { statistic: "autocorrelation" };
        assert_eq!(autocorrelation(&[1e200, -1e200, 1e200, -1e200]), Err(error));
    }
}
