//! Whether two sides that were measured apart differ in location (Mann & Whitney 1947, Annals of Mathematical
//! Statistics 18:50–60).

use super::error::{StatsError, require_finite};

/// The largest side without ties whose distribution is counted out.
const EXACT: usize = 50;

/// The largest side with ties whose distribution is counted out.
const EXACT_WITH_TIES: usize = 25;

/// The two-sided p of the Mann–Whitney U test: twice the smaller tail, at most 1.
///
/// Up to 50 values a side without ties, and 25 with ties, the distribution of U is counted out in integers, given the
/// ties there are (Klotz 1966, Journal of the American Statistical Association 61:772–787). Beyond, it is approximated
/// by the normal distribution with the corrections for ties and for continuity (Lehmann 1975, Nonparametrics, section
/// 1.4). Where all values are equal p is 1: there is nothing to tell apart. These are the rules of Go's `benchstat`.
///
/// # Errors
///
/// [`StatsError::Empty`] and [`StatsError::NotFinite`].
pub fn mann_whitney(old: &[f64], new: &[f64]) -> Result<f64, StatsError> {
    require_finite("old", old)?;
    require_finite("new", new)?;
    let ranks = Ranks::new(old, new);
    let larger = old.len().max(new.len());
    let tied = ranks.groups.len() < old.len() + new.len();
    // Twice the smaller and the larger U; halves stand for ties.
    let twice_u = ranks.twice_rank_sum - old.len() * (old.len() + 1);
    let twice_all = 2 * old.len() * new.len();
    if ranks.groups.len() == 1 || 2 * twice_u == twice_all {
        return Ok(1.0);
    }
    let twice_smaller = twice_u.min(twice_all - twice_u);
    Ok(match tied {
        false if larger <= EXACT => without_ties(old.len(), new.len(), twice_smaller / 2),
        true if larger <= EXACT_WITH_TIES => with_ties(&ranks, old.len()),
        _ => approximated(&ranks, old.len(), new.len(), twice_smaller),
    })
}

/// The values of both sides in ascending order, as groups of equal ones.
struct Ranks {
    /// How many values each group has.
    groups: Vec<usize>,
    /// Twice the sum of the old side's ranks; equal values share their mean rank.
    twice_rank_sum: usize,
}

impl Ranks {
    fn new(old: &[f64], new: &[f64]) -> Self {
        let mut all: Vec<(f64, usize)> = old.iter().map(|&value| (value, 1)).collect();
        all.extend(new.iter().map(|&value| (value, 0)));
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut ranks = Self { groups: Vec::new(), twice_rank_sum: 0 };
        let mut before = 0;
        // Both zeros are equal, though their order is not.
        #[expect(clippy::float_cmp, reason = "equal values are ties")]
        for group in all.chunk_by(|a, b| a.0 == b.0) {
            let from_old: usize = group.iter().map(|(_, old)| old).sum();
            ranks.twice_rank_sum += from_old * (2 * before + group.len() + 1);
            ranks.groups.push(group.len());
            before += group.len();
        }
        ranks
    }
}

/// Twice P(U ≤ `u`), for `u` below the middle.
///
/// The numbers of orders with each U are the coefficients of the Gaussian binomial `∏ (1 − q^(m+i)) / (1 − q^i)` for i
/// from 1 to n, each factor of which is a whole polynomial (Andrews 1976, The Theory of Partitions, section 3.2).
fn without_ties(n: usize, m: usize, u: usize) -> f64 {
    let mut ways = vec![0_i128; n * m + 1];
    ways[0] = 1;
    for i in 1..=n {
        for at in (m + i..ways.len()).rev() {
            ways[at] -= ways[at - m - i];
        }
        for at in i..ways.len() {
            ways[at] += ways[at - i];
        }
    }
    twice(ways[..=u].iter().sum(), ways.iter().sum())
}

/// Twice the smaller of P(R ≤ r) and P(R ≥ r), r being the rank sum of the old side's `n` values.
///
/// Group after group, `ways[k][r]` counts in how many ways k of the values so far have the (doubled) rank sum r.
fn with_ties(ranks: &Ranks, n: usize) -> f64 {
    let most = 2 * n * ranks.groups.iter().sum::<usize>() + 1;
    let mut ways = vec![vec![0_i128; most]; n + 1];
    ways[0][0] = 1;
    let mut before = 0;
    for &size in &ranks.groups {
        let twice_rank = 2 * before + size + 1;
        // Descending, so that a group is not taken from twice.
        for k in (1..=n.min(before + size)).rev() {
            let mut chosen = 1;
            for taken in 1..=size.min(k) {
                // C(size, taken) from C(size, taken − 1): the product is divisible.
                chosen = chosen * index(size - taken + 1) / index(taken);
                let (below, above) = ways.split_at_mut(k);
                let from = &below[k - taken];
                let shift = taken * twice_rank;
                for (to, from) in above[0].iter_mut().skip(shift).zip(from) {
                    *to += chosen * from;
                }
            }
        }
        before += size;
    }
    let (at, ways) = (ranks.twice_rank_sum, &ways[n]);
    let (below, above): (i128, i128) = (ways[..=at].iter().sum(), ways[at..].iter().sum());
    twice(below.min(above), ways.iter().sum())
}

fn index(number: usize) -> i128 {
    i128::try_from(number).expect("a number of values")
}

/// Twice the share of `part`, at most 1.
#[expect(clippy::cast_precision_loss, reason = "a p needs no more digits than a float has")]
fn twice(part: i128, whole: i128) -> f64 {
    (2.0 * part as f64 / whole as f64).min(1.0)
}

#[expect(clippy::cast_precision_loss, reason = "no slice has 2^53 values")]
fn approximated(ranks: &Ranks, n: usize, m: usize, twice_smaller: usize) -> f64 {
    let (n, m) = (n as f64, m as f64);
    let all = n + m;
    let ties: f64 = ranks.groups.iter().map(|&size| size as f64).map(|size| size * size * size - size).sum();
    let variance = n * m / 12.0 * ((all + 1.0) - ties / (all * (all - 1.0)));
    let distance = n * m / 2.0 - twice_smaller as f64 / 2.0;
    let z = (distance - 0.5) / variance.sqrt();
    // Twice the upper tail of the standard normal distribution.
    libm::erfc(z / std::f64::consts::SQRT_2).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_orders_of_few_values_are_counted() {
        // Of C(4, 2) = 6 orders one has U = 0; 2·1/6.
        assert_eq!(mann_whitney(&[1.0, 2.0], &[3.0, 4.0]), Ok(2.0 / 6.0));
        // One has U = 0 and one U = 1.
        assert_eq!(mann_whitney(&[1.0, 3.0], &[2.0, 4.0]), Ok(4.0 / 6.0));
        assert_eq!(mann_whitney(&[1.0], &[2.0]), Ok(1.0));
        // Values that fully part, ten a side: 2 / C(20, 10).
        let (low, high): (Vec<_>, Vec<_>) = ((0..10).map(f64::from).collect(), (10..20).map(f64::from).collect());
        assert_eq!(mann_whitney(&low, &high), Ok(2.0 / 184_756.0));
    }

    #[test]
    fn ties_share_their_rank() {
        // {1, 2, 2, 3}: two of them have the rank sums 3.5 (twice), 5 (twice: 1 and 3, 2 and 2), 6.5 (twice).
        assert_eq!(mann_whitney(&[1.0, 2.0], &[2.0, 3.0]), Ok(4.0 / 6.0));
        assert_eq!(mann_whitney(&[1.0, 1.0], &[2.0, 2.0]), Ok(2.0 / 6.0));
        assert_eq!(mann_whitney(&[0.0, 0.0], &[-0.0, 5.0]), Ok(1.0));
    }

    #[test]
    fn the_sides_may_be_exchanged() {
        let (old, new) = ([1.0, 2.0, 2.0, 5.0, 6.0], [2.0, 6.0, 6.0, 7.0]);
        assert_eq!(mann_whitney(&old, &new), mann_whitney(&new, &old));
    }

    #[test]
    fn equal_values_tell_nothing_apart() {
        for n in [1, 2, 10, 30, 100] {
            assert_eq!(mann_whitney(&vec![3.0; n], &[3.0; 4]), Ok(1.0));
        }
        assert_eq!(mann_whitney(&[1.0, 4.0], &[2.0, 3.0]), Ok(1.0), "U is in the middle");
    }

    #[test]
    fn what_can_not_be_ranked_is_an_error() {
        assert_eq!(mann_whitney(&[], &[1.0]), Err(StatsError::Empty { input: "old" }));
        assert!(matches!(mann_whitney(&[1.0], &[f64::NAN]), Err(StatsError::NotFinite { input: "new", .. })));
    }
}
