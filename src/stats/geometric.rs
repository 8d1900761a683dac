//! The geometric mean.

use super::error::{StatsError, require_finite};

/// The geometric mean of `values`, in their unit: e to the mean of their logarithms.
///
/// The mean is updated value by value, as Go's `benchstat` does, so that both print the same digits.
///
/// # Errors
///
/// [`StatsError::Empty`], [`StatsError::NotFinite`], and [`StatsError::NotPositive`] where a value has no logarithm.
pub fn geometric_mean(values: &[f64]) -> Result<f64, StatsError> {
    require_finite("values", values)?;
    if let Some(index) = values.iter().position(|&value| value <= 0.0) {
        return Err(StatsError::NotPositive { input: "values", position: index + 1, value: values[index] });
    }
    let mut mean = 0.0;
    let mut count = 0.0;
    for &value in values {
        count += 1.0;
        mean += (libm::log(value) - mean) / count;
    }
    Ok(libm::exp(mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_factors_has_their_mean() {
        let close = |values: &[f64], expected: f64| {
            let found = geometric_mean(values).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-15, "{found} and {expected}");
        };
        close(&[1.0, 100.0], 10.0);
        close(&[0.5, 2.0, 1.0], 1.0);
        close(&[7.0], 7.0);
        // The product of these would be infinite.
        let huge = geometric_mean(&[1e300, 1e300]).unwrap();
        assert!((huge / 1e300 - 1.0).abs() < 1e-12, "{huge}");
    }

    #[test]
    fn what_has_no_logarithm_is_an_error() {
        assert_eq!(geometric_mean(&[]), Err(StatsError::Empty { input: "values" }));
        for bad in [0.0, -1.0] {
            let error = geometric_mean(&[1.0, bad]).unwrap_err();
            assert_eq!(error, StatsError::NotPositive { input: "values", position: 2, value: bad });
        }
        assert!(matches!(geometric_mean(&[f64::NAN]), Err(StatsError::NotFinite { .. })));
    }
}
