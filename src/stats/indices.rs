//! The stream of index draws; [`Resamples`](super::Resamples) documents its bytes.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;
use sha2::{Digest, Sha256};

/// An endless stream of indices below a number of pairs, each equally likely.
pub(super) struct Indices {
    generator: Pcg64,
    pairs: u128,
    /// `2⁶⁴ mod pairs`: products whose low half is below it would favour some indices.
    threshold: u64,
}

impl Indices {
    /// The stream of `seed` and `pairs`; there must be a pair.
    pub(super) fn new(seed: u64, pairs: usize) -> Self {
        let pairs = pairs as u64;
        Self { generator: generator(seed, pairs), pairs: u128::from(pairs), threshold: pairs.wrapping_neg() % pairs }
    }

    /// The next index.
    pub(super) fn draw(&mut self) -> usize {
        loop {
            if let Some(index) = lemire(&mut self.generator, self.pairs, self.threshold) {
                return index;
            }
        }
    }
}

/// The next index below `bound`, each equally likely; there must be one.
pub(super) fn below(generator: &mut Pcg64, bound: usize) -> usize {
    let bound = bound as u64;
    let threshold = bound.wrapping_neg() % bound;
    loop {
        if let Some(index) = lemire(generator, u128::from(bound), threshold) {
            return index;
        }
    }
}

/// An index from the next output, unless that is to be thrown away.
fn lemire(generator: &mut Pcg64, bound: u128, threshold: u64) -> Option<usize> {
    let product = u128::from(generator.next_u64()) * bound;
    #[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
    let low = product as u64;
    #[expect(clippy::cast_possible_truncation, reason = "the high half is below the bound")]
    let index = (product >> 64) as usize;
    (low >= threshold).then_some(index)
}

/// The generator whose state and stream are the SHA-256 of the two numbers.
pub(super) fn generator(seed: u64, length: u64) -> Pcg64 {
    let digest = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(length.to_le_bytes()).finalize();
    let (state, stream) = digest.split_at(16);
    let half = |bytes: &[u8]| u128::from_le_bytes(bytes.try_into().expect("a digest has 32 bytes"));
    Pcg64::new(half(state), half(stream))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_never_change() {
        let first = |seed, pairs, many| {
            let mut indices = Indices::new(seed, pairs);
            (0..many).map(|_| indices.draw()).collect::<Vec<_>>()
        };
        // The same as `tests/reference/stats.py` draws without any of this code.
        let expected = [3, 11, 10, 10, 1, 8, 12, 17, 4, 6, 12, 8, 15, 18, 2, 13, 16, 7, 2, 2];
        assert_eq!(first(1412, 20, 20), expected);
        let expected = [2, 4, 4, 5, 8, 3, 4, 3, 3, 0, 7, 2, 7, 7, 4, 6, 5, 6, 1, 7];
        assert_eq!(first(0, 9, 20), expected);
        let expected = [12, 1, 4, 2, 1, 0, 10, 16, 16, 8, 16, 13, 10, 3, 6, 8, 6, 8, 20, 5];
        assert_eq!(first(u64::MAX, 21, 20), expected);
    }

    #[test]
    fn a_draw_that_would_favour_an_index_is_thrown_away() {
        // Of the 2^64 outputs, n = 2^63 + 1 must reject almost every second one.
        let pairs = (1 << 63) + 1;
        let mut indices = Indices::new(7, pairs);
        let mut generator = indices.generator.clone();
        assert_eq!(indices.threshold, (1 << 63) - 1);
        let mut kept = Vec::new();
        for _ in 0..64 {
            let product = u128::from(generator.next_u64()) * pairs as u128;
            if product % (1 << 64) >= (1 << 63) - 1 {
                kept.push(usize::try_from(product >> 64).unwrap());
            }
        }
        assert!((16..48).contains(&kept.len()), "{}", kept.len());
        assert_eq!((0..kept.len()).map(|_| indices.draw()).collect::<Vec<_>>(), kept);
    }
}
