//! The medians of one side in every resample.

use super::resample::{LANES, Lane, Resamples};

/// One side's values in ascending order, and which pair each belongs to.
pub(super) struct Ranked {
    values: Vec<f64>,
    pairs: Vec<usize>,
}

impl Ranked {
    /// The values of all pairs, pair by pair; there must be one.
    pub(super) fn new(by_pair: &[f64]) -> Self {
        let mut pairs: Vec<_> = (0..by_pair.len()).collect();
        pairs.sort_by(|&a, &b| by_pair[a].total_cmp(&by_pair[b]));
        Self { values: pairs.iter().map(|&pair| by_pair[pair]).collect(), pairs }
    }

    /// The median of the values as they are; of evenly many, `middle` makes one value of the two in the middle.
    pub(super) fn median(&self, middle: impl Fn(f64, f64) -> f64) -> f64 {
        let n = self.values.len();
        middle(self.values[(n - 1) / 2], self.values[n / 2])
    }

    /// The median in every resample, with `middle` as above.
    ///
    /// Walking the values in ascending order and adding up their counts, the median stands where the sum reaches the
    /// middle rank; the position is the number of values before that. All resamples of a block walk together, without a
    /// branch.
    pub(super) fn medians(&self, resamples: &Resamples, middle: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let n = self.values.len();
        let rank = |rank: usize| u16::try_from(rank).expect("resamples have at most 65,535 pairs");
        let (lower, upper) = (rank(n.div_ceil(2)), rank(n / 2 + 1));
        let mut medians = Vec::with_capacity(resamples.len());
        for (block, len) in resamples.blocks() {
            let (low, high) = self.positions(block, lower, upper);
            let middles = low.iter().zip(&high).take(len);
            medians.extend(
                middles.map(|(&low, &high)| middle(self.values[usize::from(low)], self.values[usize::from(high)])),
            );
        }
        medians
    }

    /// For each resample of `block` the positions of its values with the ranks `lower` and `upper`, from 1.
    fn positions(&self, block: &[Lane], lower: u16, upper: u16) -> (Lane, Lane) {
        let (mut reached, mut low, mut high) = ([0; LANES], [0; LANES], [0; LANES]);
        for &pair in &self.pairs {
            let counts = &block[pair];
            for lane in 0..LANES {
                reached[lane] += counts[lane];
                low[lane] += u16::from(reached[lane] < lower);
                high[lane] += u16::from(reached[lane] < upper);
            }
        }
        (low, high)
    }
}
