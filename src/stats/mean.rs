//! The arithmetic mean, and the spread about it.

use super::error::{StatsError, require_finite};

/// The arithmetic mean of `values`, in their unit.
///
/// Summed in the order given, with the running compensation of Neumaier (1974, ZAMM 54:39–51, algorithm IV): the error
/// stays within a few units in the last place however many values there are, and the same order gives the same bits.
///
/// # Errors
///
/// [`StatsError::Empty`], [`StatsError::NotFinite`], and [`StatsError::Overflow`] where the sum leaves the range of
/// `f64`.
pub fn mean(values: &[f64]) -> Result<f64, StatsError> {
    require_finite("values", values)?;
    let mut sum = 0.0_f64;
    let mut compensation = 0.0_f64;
    for &value in values {
        let next = sum + value;
        // What the addition rounded away is recovered exactly from the smaller of the two summands.
        compensation += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    let mean = (sum + compensation) / count(values);
    if mean.is_finite() { Ok(mean) } else { Err(StatsError::Overflow { statistic: "mean" }) }
}

/// How many values there are.
#[expect(clippy::cast_precision_loss, reason = "no slice has 2^53 values")]
pub(super) fn count<T>(values: &[T]) -> f64 {
    values.len() as f64
}

/// The sample variance about `mean`, with n − 1 in the denominator; `None` with fewer than two values.
pub(super) fn variance(values: &[f64], mean: f64) -> Option<f64> {
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (values.len() > 1).then(|| squares / (count(values) - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plain_sum_loses_is_kept() {
        assert_eq!(mean(&[1.0, 2.0, 3.0, 6.0]), Ok(3.0));
        // A plain sum gives 0: 1e100 swallows both ones.
        assert_eq!(mean(&[1.0, 1e100, 1.0, -1e100]), Ok(0.5));
        // Ten times 0.1 is 0.9999999999999999 in a plain sum.
        assert_eq!(mean(&[0.1; 10]), Ok(0.1));
    }

    #[test]
    fn no_mean_is_an_error() {
        assert_eq!(mean(&[]), Err(StatsError::Empty { input: "values" }));
        assert_eq!(mean(&[f64::MAX, f64::MAX]), Err(StatsError::Overflow { statistic: "mean" }));
        assert!(matches!(mean(&[1.0, f64::INFINITY]), Err(StatsError::NotFinite { position: 2, .. })));
    }
}
