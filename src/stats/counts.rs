//! How often each pair occurs in each resample, and where that puts the middle of a side.

/// How many resamples lie side by side in a block, so that one instruction counts for several of them.
const LANES: usize = 32;

/// The counts of one pair in the resamples of a block.
type Lane = [u16; LANES];

/// How often each pair occurs in each resample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counts {
    pairs: usize,
    len: usize,
    /// Block after block, in each block pair after pair; lanes beyond `len` hold zeros.
    lanes: Vec<Lane>,
}

impl Counts {
    /// No resample of `pairs` pairs yet, and room for `room`; there must be a pair, and at most 65,535.
    pub(super) fn new(pairs: usize, room: usize) -> Self {
        Self { pairs, len: 0, lanes: Vec::with_capacity(room.div_ceil(LANES) * pairs) }
    }

    /// Adds a resample: pairs, each with a count that adds to what it has.
    pub(super) fn push(&mut self, resample: impl IntoIterator<Item = (usize, u16)>) {
        let lane = self.len % LANES;
        if lane == 0 {
            self.lanes.resize(self.lanes.len() + self.pairs, [0; LANES]);
        }
        let block = self.lanes.len() - self.pairs;
        let block = &mut self.lanes[block..];
        for (pair, count) in resample {
            block[pair][lane] += count;
        }
        self.len += 1;
    }

    /// The number of pairs.
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    /// The number of resamples.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// How often each pair occurs in one resample.
    pub(super) fn of(&self, resample: usize) -> impl Iterator<Item = u16> {
        let block = resample / LANES * self.pairs;
        self.lanes[block..block + self.pairs].iter().map(move |lane| lane[resample % LANES])
    }

    /// The middle of every resample, where `order` has the pairs in ascending order of their values.
    ///
    /// Walking the values in ascending order and adding up their counts, a middle value stands where the sum reaches its
    /// rank; its position is the number of values before that. All resamples of a block walk together, without a branch.
    pub(super) fn middles(&self, order: &[usize]) -> Vec<Middle> {
        let mut middles = Vec::with_capacity(self.lanes.len() / self.pairs * LANES);
        for block in self.lanes.chunks_exact(self.pairs) {
            let (low, high) = positions(block, order);
            middles.extend(low.into_iter().zip(high).map(|(low, high)| Middle { low, high }));
        }
        middles.truncate(self.len);
        middles
    }
}

/// For each resample of `block` the positions of its two middle values.
fn positions(block: &[Lane], order: &[usize]) -> (Lane, Lane) {
    // Sums and ranks begin at the smallest number: SSE2 compares signed numbers only.
    let rank = |rank| i16::MIN.wrapping_add_unsigned(position(rank));
    let (lower, upper) = (rank(order.len().div_ceil(2)), rank(order.len() / 2 + 1));
    let (mut reached, mut low, mut high) = ([i16::MIN; LANES], [0; LANES], [0; LANES]);
    for &pair in order {
        let counts = &block[pair];
        for lane in 0..LANES {
            reached[lane] = reached[lane].wrapping_add_unsigned(counts[lane]);
            low[lane] += u16::from(reached[lane] < lower);
            high[lane] += u16::from(reached[lane] < upper);
        }
    }
    (low, high)
}

fn position(position: usize) -> u16 {
    u16::try_from(position).expect("resamples have at most 65,535 pairs")
}

/// Where the two middle values stand among values in ascending order, from 0; of oddly many both are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Middle {
    low: u16,
    high: u16,
}

impl Middle {
    /// The middle of `n` values that each occur once.
    pub(super) fn of_all(n: usize) -> Self {
        Self { low: position((n - 1) / 2), high: position(n / 2) }
    }

    /// The median of `values` in ascending order, where `join` makes one value of the two in the middle.
    pub(super) fn median(self, values: &[f64], join: impl Fn(f64, f64) -> f64) -> f64 {
        join(values[usize::from(self.low)], values[usize::from(self.high)])
    }
}

/// Numbers for the middles of many resamples.
///
/// Middles stand close together and reach little from low to high, so that few numbers do for all.
pub(super) struct Numbers {
    /// The smallest and the largest `low`, and the largest `high`.
    first: u16,
    last: u16,
    end: u16,
    /// One more than the largest difference of `low` and `high`.
    reach: u16,
}

impl Numbers {
    /// Numbers for all of `middles`; there must be one.
    pub(super) fn of(middles: &[Middle]) -> Self {
        let mut numbers = Self { first: u16::MAX, last: 0, end: 0, reach: 0 };
        for &Middle { low, high } in middles {
            numbers.first = numbers.first.min(low);
            numbers.last = numbers.last.max(low);
            numbers.end = numbers.end.max(high);
            numbers.reach = numbers.reach.max(high - low + 1);
        }
        numbers
    }

    /// The number of one of the middles.
    pub(super) fn number(&self, middle: Middle) -> usize {
        usize::from(middle.low - self.first) * usize::from(self.reach) + usize::from(middle.high - middle.low)
    }

    /// For every number, from 0, its middle; for numbers that none has, any.
    pub(super) fn middles(&self) -> impl Iterator<Item = Middle> {
        (self.first..=self.last)
            .flat_map(move |low| (0..self.reach).map(move |above| Middle { low, high: self.end.min(low + above) }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::bootstrap::ratios_of_medians;
    use super::super::log_ratio::geometric_middle;
    use super::super::{Bootstrap, Resamples, StatsError, median_log_ratio, median_of, ratio_of_medians};
    use super::*;

    #[test]
    fn middles_by_hand() {
        // Four pairs, of which the last has the smallest value.
        let mut counts = Counts::new(4, 2);
        counts.push([(0, 2), (1, 1), (2, 1)]);
        counts.push([(3, 1), (0, 1), (3, 1), (1, 1)]);
        assert_eq!(counts.of(0).collect::<Vec<_>>(), [2, 1, 1, 0]);
        assert_eq!(counts.of(1).collect::<Vec<_>>(), [1, 1, 0, 2]);
        let of = |order: &[usize]| {
            counts.middles(order).into_iter().map(|middle| (middle.low, middle.high)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[0, 1, 2, 3]), [(0, 1), (1, 3)]);
        assert_eq!(of(&[3, 0, 1, 2]), [(1, 2), (0, 1)]);
    }

    #[test]
    fn as_many_pairs_as_there_may_be() {
        // Half of them twice: the sums reach 65,535, and the middle is the last pair of the first quarter.
        let pairs = usize::from(u16::MAX);
        let mut counts = Counts::new(pairs, 1);
        counts.push((0..pairs).map(|index| (index / 2, 1)));
        let order: Vec<_> = (0..pairs).collect();
        assert_eq!(counts.middles(&order), [Middle { low: 16_383, high: 16_383 }]);
        assert_eq!(Middle::of_all(pairs), Middle { low: 32_767, high: 32_767 });
    }

    #[test]
    fn numbers_tell_middles_apart() {
        let middles = [(7, 9), (5, 5), (6, 8), (5, 6), (9, 9)].map(|(low, high)| Middle { low, high });
        let numbers = Numbers::of(&middles);
        let all: Vec<_> = numbers.middles().collect();
        // From 5 to 9, each with a reach of 0, 1 or 2.
        assert_eq!(all.len(), 15);
        for middle in middles {
            assert_eq!(all[numbers.number(middle)], middle);
        }
        assert!(all.iter().all(|middle| middle.high <= 9), "{all:?}");
    }

    /// Measurements with many ties or few.
    fn measurement() -> impl Strategy<Value = f64> {
        prop_oneof![(1_u32..30).prop_map(f64::from), 0.9..1.1]
    }

    /// The median of each resample by sorting what it holds.
    fn plain(resamples: &Resamples, values: &[f64], join: fn(f64, f64) -> f64) -> Vec<f64> {
        let median = |resample| {
            let counted = values.iter().zip(resamples.counts(resample));
            let mut held: Vec<f64> =
                counted.flat_map(|(&value, count)| std::iter::repeat_n(value, count.into())).collect();
            held.sort_by(f64::total_cmp);
            join(held[(held.len() - 1) / 2], held[held.len() / 2])
        };
        (0..resamples.len()).map(median).collect()
    }

    /// The distribution of `values`, one a resample, and the one that was found, bit for bit.
    fn both(resamples: &Resamples, values: &[f64], found: &Result<Bootstrap, StatsError>) -> [Vec<(u64, u64)>; 2] {
        let mut weighted: Vec<_> =
            values.iter().enumerate().map(|(resample, value)| (value.to_bits(), resamples.weight(resample))).collect();
        // Positive floats sort as their bits do.
        weighted.sort_unstable();
        let merged = weighted.chunk_by(|a, b| a.0 == b.0);
        let merged = merged.map(|run| (run[0].0, run.iter().map(|(_, weight)| weight).sum())).collect();
        let found = found.as_ref().unwrap().distribution();
        [merged, found.iter().map(|(value, weight)| (value.to_bits(), weight)).collect()]
    }

    proptest! {
        #[test]
        fn medians_are_those_of_a_plain_sort(
            mut pairs in vec((measurement(), measurement()), 1..=300),
            seed: u64,
            draws in 1_u32..150,
        ) {
            let resamples = Resamples::new(pairs.len(), seed, draws).unwrap();
            pairs.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let (baseline, candidate): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            let below = plain(&resamples, &baseline, f64::midpoint);
            let above = plain(&resamples, &candidate, f64::midpoint);
            let ratios: Vec<_> = above.iter().zip(&below).map(|(above, below)| above / below).collect();

            let [expected, found] = both(&resamples, &ratios, &ratio_of_medians(&resamples, &baseline, &candidate));
            prop_assert_eq!(expected, found);
            let (_, found) = ratios_of_medians(&resamples, &baseline, &candidate).unwrap();
            prop_assert!(ratios.iter().map(|ratio| ratio.to_bits()).eq(found.iter().map(|ratio| ratio.to_bits())));
            let [expected, found] = both(&resamples, &below, &median_of(&resamples, &baseline));
            prop_assert_eq!(expected, found);

            let mut by_pair: Vec<_> = baseline.iter().zip(&candidate).map(|(below, above)| above / below).collect();
            by_pair.sort_by(f64::total_cmp);
            let logs = plain(&resamples, &by_pair, geometric_middle);
            let [expected, found] = both(&resamples, &logs, &median_log_ratio(&resamples, &baseline, &candidate));
            prop_assert_eq!(expected, found);
        }
    }
}
