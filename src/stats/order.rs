//! The interval of a median that needs no assumption on the distribution.

use super::error::{StatsError, require_finite};
use super::interval::{Confidence, Interval};

/// The interval of the median of what `sorted` was drawn from, between two of its values that lie symmetrically: ranks
/// k and n + 1 − k, where k is the largest with `2·P(B < k) ≤ 1 − confidence` and B counts the heads of n coins
/// (Thompson 1936, Annals of Mathematical Statistics 7:122–128).
///
/// The confidence is at least the one that is asked for: at 95 %, ten values give ranks 2 and 9, and 97.9 %. Nothing
/// where even the extremes are not enough, as with up to five values at 95 %.
///
/// # Errors
///
/// [`StatsError::Empty`], [`StatsError::NotFinite`], and [`StatsError::NotSorted`] unless the order is ascending.
pub fn median_interval(sorted: &[f64], confidence: Confidence) -> Result<Option<Interval>, StatsError> {
    require_finite("sorted", sorted)?;
    if let Some(index) = sorted.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(StatsError::NotSorted { input: "sorted", position: index + 2 });
    }
    let rank = lower_rank(sorted.len(), confidence);
    Ok((rank > 0).then(|| Interval::between(sorted[rank - 1], sorted[sorted.len() - rank])))
}

/// The rank k of the lower end, from 1; 0 where there is none.
///
/// The probabilities are built up from the middle outwards, in units of the middle one, so that none of them is 2⁻ⁿ.
#[expect(clippy::cast_precision_loss, reason = "no slice has 2^53 values")]
fn lower_rank(n: usize, confidence: Confidence) -> usize {
    let middle = n / 2;
    let mut below = vec![0.0; middle + 1];
    below[middle] = 1.0;
    for heads in (0..middle).rev() {
        // C(n, heads) = C(n, heads + 1)·(heads + 1) / (n − heads)
        below[heads] = below[heads + 1] * (heads + 1) as f64 / (n - heads) as f64;
    }
    let half: f64 = below.iter().sum();
    // Of an odd number both middles are there, of an even one it stands once.
    let whole = if n.is_multiple_of(2) { 2.0 * half - 1.0 } else { 2.0 * half };
    let allowed = 1.0 - confidence.as_f64();
    let mut tail = 0.0;
    for (heads, mass) in below.iter().enumerate() {
        tail += mass;
        if 2.0 * tail > allowed * whole {
            return heads;
        }
    }
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranks_are_those_of_the_binomial_distribution() {
        let ranks = [(1, 0), (5, 0), (6, 1), (7, 1), (8, 1), (9, 2), (10, 2), (20, 6), (25, 8), (30, 10), (100, 40)];
        for (n, rank) in ranks {
            assert_eq!(lower_rank(n, Confidence::P95), rank, "{n}");
        }
        // n/2 − 0.98·√n, which is good to a rank for so many.
        assert!(lower_rank(1_000_000, Confidence::P95).abs_diff(500_000 - 980) <= 1);
    }

    #[test]
    fn the_ends_are_values() {
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(median_interval(&ten, Confidence::P95), Ok(Some(Interval::between(2.0, 9.0))));
        assert_eq!(median_interval(&ten[..5], Confidence::P95), Ok(None));
    }

    #[test]
    fn odd_input_is_an_error() {
        let interval = |values: &[f64]| median_interval(values, Confidence::P95);
        assert_eq!(interval(&[]), Err(StatsError::Empty { input: "sorted" }));
        assert_eq!(interval(&[2.0, 1.0]), Err(StatsError::NotSorted { input: "sorted", position: 2 }));
        assert!(matches!(interval(&[f64::NAN]), Err(StatsError::NotFinite { .. })));
    }
}
