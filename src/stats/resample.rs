//! Which pairs each bootstrap resample holds.

use super::counts::{Counts, Middle, Numbers};
use super::error::StatsError;
use super::indices::Indices;

/// The resamples of `n` pairs: how often each pair occurs in each of them.
///
/// They follow from the number of pairs, the seed and the number of draws alone, so all budgets with equally many pairs
/// share one, and a budget that is recomputed alone gets the same bits.
///
/// Up to [`Resamples::MAX_ENUMERATED`] pairs they are **enumerated**: each of the `C(2n−1, n)` multisets of `n` pairs
/// once, with the multinomial weight `n! / (c₁!·…·cₙ!)`, so that the weights add up to `nⁿ` and the bootstrap
/// distribution is exact (Fisher & Hall 1991, Journal of Statistical Planning and Inference 27:157–169). Beyond, they
/// are **drawn**, each with weight 1.
///
/// # The stream of the draws
///
/// 1. `digest` = SHA-256 of 16 bytes: the seed, then `n`, each as an unsigned 64-bit little-endian integer.
/// 2. A `Pcg64` (PCG XSL RR 128/64, O'Neill 2014, HMC-CS-2014-0905) is made from the state `digest[0..16]` and the
///    stream `digest[16..32]`, both unsigned 128-bit little-endian integers: its increment is `stream·2 + 1` modulo
///    2¹²⁸, and its first state `(state + increment)·multiplier + increment`.
/// 3. Resample after resample, `n` indices are drawn by Lemire's multiply-shift (2019, ACM TOMACS 29(1):3, algorithm
///    5): of the 128-bit product of the next 64-bit output and `n` the high half is the index, unless the low half is
///    below `2⁶⁴ mod n`: then the output is thrown away, and every index stays equally likely.
///
/// Neither the number of draws nor anything else enters, so fewer draws are the beginning of more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resamples {
    counts: Counts,
    /// One a resample where they differ; empty where each weighs 1.
    weights: Vec<u64>,
    total: u64,
    groups: Vec<Group>,
}

/// The resamples that have the same middle where the pairs are in ascending order as they are.
///
/// Index `i` is the `i`-th pair of a sorted side, so this follows from the counts, and all budgets share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Their middle.
    pub(super) middle: Middle,
    /// Their weight together.
    pub(super) weight: u64,
    /// Which they are, in ascending order.
    pub(super) members: Vec<u32>,
}

impl Resamples {
    /// The largest number of pairs whose resamples are enumerated: 6,435 multisets.
    pub const MAX_ENUMERATED: usize = 8;

    /// The largest product of pairs and draws: 512 MiB of counts.
    pub const MAX_COUNTS: usize = 1 << 28;

    /// The resamples of `pairs` pairs. `seed` and `draws` matter only beyond [`Self::MAX_ENUMERATED`] pairs.
    ///
    /// # Errors
    ///
    /// [`StatsError::Empty`] without pairs; [`StatsError::NoDraws`] where resamples must be drawn and `draws` is zero;
    /// [`StatsError::TooManyResamples`] beyond 65,535 pairs or [`Self::MAX_COUNTS`].
    pub fn new(pairs: usize, seed: u64, draws: u32) -> Result<Self, StatsError> {
        match pairs {
            0 => Err(StatsError::Empty { input: "pairs" }),
            1..=Self::MAX_ENUMERATED => Ok(Self::enumerated(pairs)),
            _ => Self::drawn(pairs, seed, draws),
        }
    }

    /// Every multiset, in ascending lexicographic order of the counts.
    fn enumerated(pairs: usize) -> Self {
        let mut table = Counts::new(pairs, 0);
        let mut weights = Vec::new();
        let mut counts = vec![0; pairs];
        enumerate(&mut counts, 0, u16::try_from(pairs).expect("at most 8"), 1, &mut |counts, weight| {
            table.push(counts.iter().copied().enumerate());
            weights.push(weight);
        });
        Self::grouped(table, weights)
    }

    /// `draws` resamples from the stream of `seed` and `pairs`.
    pub(super) fn drawn(pairs: usize, seed: u64, draws: u32) -> Result<Self, StatsError> {
        if draws == 0 {
            return Err(StatsError::NoDraws { pairs });
        }
        let limit = Self::MAX_COUNTS;
        let too_many = StatsError::TooManyResamples { pairs, draws, limit };
        let len = usize::try_from(draws).map_err(|_| too_many)?;
        // A count reaches the number of pairs and must fit into its type.
        if u16::try_from(pairs).is_err() || pairs.checked_mul(len).is_none_or(|counts| counts > limit) {
            return Err(too_many);
        }
        let mut indices = Indices::new(seed, pairs);
        let mut counts = Counts::new(pairs, len);
        for _ in 0..len {
            counts.push((0..pairs).map(|_| (indices.draw(), 1)));
        }
        Ok(Self::grouped(counts, Vec::new()))
    }

    /// The resamples of `counts` by their middles.
    fn grouped(counts: Counts, weights: Vec<u64>) -> Self {
        let order: Vec<_> = (0..counts.pairs()).collect();
        let middles = counts.middles(&order);
        let numbers = Numbers::of(&middles);
        let empty = |middle| Group { middle, weight: 0, members: Vec::new() };
        let mut groups: Vec<_> = numbers.middles().map(empty).collect();
        for (resample, &middle) in (0_u32..).zip(&middles) {
            let group = &mut groups[numbers.number(middle)];
            group.weight += weights.get(resample as usize).copied().unwrap_or(1);
            group.members.push(resample);
        }
        groups.retain(|group| !group.members.is_empty());
        let total = groups.iter().map(|group| group.weight).sum();
        Self { counts, weights, total, groups }
    }

    /// The number of pairs.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.counts.pairs()
    }

    /// The number of resamples: multisets where they are enumerated, draws where they are drawn.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always a resample")]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether every possible resample is there, so that the bootstrap distribution is exact.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The weight of all resamples together: `nⁿ` where they are enumerated, else the number of draws.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The weight of one resample.
    ///
    /// # Panics
    ///
    /// If `resample` is not below [`Self::len`].
    #[must_use]
    pub fn weight(&self, resample: usize) -> u64 {
        assert!(resample < self.len(), "resample {resample} of {}", self.len());
        self.weights.get(resample).copied().unwrap_or(1)
    }

    /// How often each pair occurs in one resample. The counts add up to the number of pairs.
    ///
    /// # Panics
    ///
    /// If `resample` is not below [`Self::len`].
    pub fn counts(&self, resample: usize) -> impl Iterator<Item = u16> {
        assert!(resample < self.len(), "resample {resample} of {}", self.len());
        self.counts.of(resample)
    }

    /// The middle of every resample, where `order` has the pairs in ascending order of their values.
    pub(super) fn middles(&self, order: &[usize]) -> Vec<Middle> {
        self.counts.middles(order)
    }

    /// The resamples by their middles, where the pairs are in ascending order as they are.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }
}

/// Distributes `rest` draws over the pairs from `from` on, in every way; `weight` counts the orders of what came
/// before.
fn enumerate(counts: &mut [u16], from: usize, rest: u16, weight: u64, visit: &mut impl FnMut(&[u16], u64)) {
    if from + 1 == counts.len() {
        counts[from] = rest;
        visit(counts, weight);
        return;
    }
    let mut ways = 1;
    for count in 0..=rest {
        counts[from] = count;
        enumerate(counts, from + 1, rest - count, weight * ways, visit);
        // C(rest, count + 1) from C(rest, count): the product is divisible.
        ways = ways * u64::from(rest - count) / u64::from(count + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_pairs_have_ten_multisets() {
        let resamples = Resamples::new(3, 0, 0).unwrap();
        let all: Vec<_> = (0..resamples.len())
            .map(|index| (resamples.counts(index).collect::<Vec<_>>(), resamples.weight(index)))
            .collect();
        let expected = [
            ([0, 0, 3], 1),
            ([0, 1, 2], 3),
            ([0, 2, 1], 3),
            ([0, 3, 0], 1),
            ([1, 0, 2], 3),
            ([1, 1, 1], 6),
            ([1, 2, 0], 3),
            ([2, 0, 1], 3),
            ([2, 1, 0], 3),
            ([3, 0, 0], 1),
        ];
        assert_eq!(all, expected.map(|(counts, weight)| (counts.to_vec(), weight)));
        assert_eq!(resamples.total(), 27);
        assert!(resamples.is_exact());
    }

    #[test]
    fn up_to_eight_pairs_are_enumerated() {
        // C(2n−1, n) and n^n.
        let expected =
            [(1, 1), (3, 4), (10, 27), (35, 256), (126, 3_125), (462, 46_656), (1_716, 823_543), (6_435, 16_777_216)];
        for (pairs, (multisets, total)) in (1..).zip(expected) {
            let resamples = Resamples::new(pairs, 5, 0).unwrap();
            assert_eq!((resamples.len(), resamples.total()), (multisets, total), "{pairs} pairs");
            assert!(resamples.is_exact());
            assert_eq!(resamples, Resamples::new(pairs, 6, 1).unwrap(), "the seed must not matter");
        }
        let nine = Resamples::new(9, 5, 100).unwrap();
        assert_eq!((nine.len(), nine.total(), nine.is_exact()), (100, 100, false));
        assert_ne!(nine, Resamples::new(9, 6, 100).unwrap());
    }

    #[test]
    fn what_cannot_be_drawn_is_an_error() {
        assert_eq!(Resamples::new(0, 0, 10), Err(StatsError::Empty { input: "pairs" }));
        assert_eq!(Resamples::new(9, 0, 0), Err(StatsError::NoDraws { pairs: 9 }));
        // 20 × 13,421,773 is 4 above 2^28.
        for (pairs, draws) in [(65_536, 1), (20, 13_421_773), (usize::MAX, 2)] {
            let limit = Resamples::MAX_COUNTS;
            assert_eq!(Resamples::new(pairs, 0, draws), Err(StatsError::TooManyResamples { pairs, draws, limit }));
        }
    }
}
