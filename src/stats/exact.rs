//! Values that are compared as they are.

/// `candidate / baseline` of values that are at least 0: 1 where they are equal, be they zero, and `None` where only the
/// baseline is zero.
#[expect(clippy::float_cmp, reason = "equal numbers have the ratio 1, whatever they are")]
#[must_use]
pub fn exact_ratio(baseline: f64, candidate: f64) -> Option<f64> {
    if baseline == candidate {
        Some(1.0)
    } else if baseline == 0.0 {
        None
    } else {
        Some(candidate / baseline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_told_apart() {
        assert_eq!(
            [(0.0, 0.0), (0.0, 2.0), (2.0, 0.0), (2.0, 3.0)].map(|(b, c)| exact_ratio(b, c)),
            [Some(1.0), None, Some(0.0), Some(1.5)]
        );
    }
}
