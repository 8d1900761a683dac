//! Whether it matters which side of a pair runs first.

use super::error::StatsError;
use super::geometric::geometric_mean;
use super::log_ratio::pair_ratios;
use super::rank_sum::mann_whitney;

/// How the ratios of the pairs depend on the order in them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderEffect {
    /// The geometric mean of the ratios of the pairs whose baseline ran first, divided by that of the others; 1 where
    /// the order does not matter, above 1 where a run that comes second is slower.
    pub factor: f64,
    /// The two-sided p of no effect, by the rank sums of both groups of ratios.
    pub p: f64,
}

/// The order effect of pairs of which `baseline_first` says which side ran first (Jones & Kenward 2014, Design and
/// Analysis of Cross-Over Trials, section 2: the effect of the period).
///
/// An effect of the order lies on both sides alike where both orders are equally many, and widens the interval; where
/// they are not, it moves the estimate.
///
/// # Errors
///
/// [`StatsError::Empty`] where either order has no pair; [`StatsError::PairCount`] unless all three have equally many;
/// [`StatsError::NotFinite`]; [`StatsError::NoLogRatio`]; [`StatsError::Overflow`].
pub fn order_effect(baseline: &[f64], candidate: &[f64], baseline_first: &[bool]) -> Result<OrderEffect, StatsError> {
    let pairs = baseline.len();
    if baseline_first.len() != pairs {
        let input = "baseline_first";
        return Err(StatsError::PairCount { input, expected: pairs, found: baseline_first.len() });
    }
    // Names the pair that has no ratio, before the pairs are parted.
    pair_ratios(pairs, baseline, candidate)?;
    let of = |first: bool| -> Vec<f64> {
        let pairs = baseline.iter().zip(candidate).zip(baseline_first);
        pairs.filter(|(_, order)| **order == first).map(|((baseline, candidate), _)| candidate / baseline).collect()
    };
    let (first, second) = (of(true), of(false));
    for (input, ratios) in [("pairs with the baseline first", &first), ("pairs with the candidate first", &second)] {
        if ratios.is_empty() {
            return Err(StatsError::Empty { input });
        }
    }
    let factor = geometric_mean(&first)? / geometric_mean(&second)?;
    Ok(OrderEffect { factor, p: mann_whitney(&first, &second)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: [bool; 6] = [true, false, true, false, true, false];

    #[test]
    fn a_second_run_that_is_slower_shows() {
        // The candidate costs 10 % more, and a second run 4 times as much.
        let candidate = [4.4, 1.1, 4.4, 1.1, 4.4, 1.1];
        let baseline = [1.0, 4.0, 1.0, 4.0, 1.0, 4.0];
        let found = order_effect(&baseline, &candidate, &ORDER).unwrap();
        assert!((found.factor - 16.0).abs() < 1e-12, "{found:?}");
        // Fully apart, but with ties: two of C(6, 3) ways.
        assert!((found.p - 0.1).abs() < 1e-15, "{found:?}");
        let none = order_effect(&[1.0; 6], &[2.0; 6], &ORDER).unwrap();
        assert_eq!(none, OrderEffect { factor: 1.0, p: 1.0 });
    }

    #[test]
    fn one_order_alone_has_no_effect_to_tell() {
        let error = StatsError::Empty { input: "pairs with the candidate first" };
        assert_eq!(order_effect(&[1.0; 2], &[1.0; 2], &[true; 2]), Err(error));
        let error = StatsError::PairCount { input: "baseline_first", expected: 2, found: 1 };
        assert_eq!(order_effect(&[1.0; 2], &[1.0; 2], &[true]), Err(error));
        let error = StatsError::NoLogRatio { side: "candidate", pair: 2, value: 0.0 };
        assert_eq!(order_effect(&[1.0; 2], &[1.0, 0.0], &[true, false]), Err(error));
    }
}
