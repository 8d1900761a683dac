//! A bootstrap distribution: sorted values with integer weights.

use super::quantile::Level;

/// The distribution of a statistic over all resamples, in the statistic's unit.
///
/// Distinct finite values in ascending order, each with the weight of the resamples that gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    pairs: usize,
    values: Vec<f64>,
    /// For each value the weight of it and of everything below; the last is the weight of all resamples.
    cumulative: Vec<u64>,
}

impl Distribution {
    /// The distribution of finite `values`, one a resample, that weigh 1 each where there are no `weights`.
    pub(super) fn new(pairs: usize, values: Vec<f64>, weights: Option<&[u64]>) -> Self {
        let weight = |index| weights.map_or(1, |weights| weights[index]);
        Self::of(pairs, values.into_iter().enumerate().map(|(index, value)| (value, weight(index))).collect())
    }

    /// The distribution of finite values, each with its weight, in any order.
    pub(super) fn of(pairs: usize, mut weighted: Vec<(f64, u64)>) -> Self {
        weighted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut distribution = Self { pairs, values: Vec::new(), cumulative: Vec::new() };
        for (value, weight) in weighted {
            distribution.push(value, weight);
        }
        distribution
    }

    /// Adds a value that is at least as large as every one before it.
    fn push(&mut self, value: f64, weight: u64) {
        let below = self.total();
        match (self.values.last(), self.cumulative.last_mut()) {
            (Some(&last), Some(cumulative)) if last.to_bits() == value.to_bits() => {
                *cumulative += weight;
            }
            _ => {
                self.values.push(value);
                self.cumulative.push(below + weight);
            }
        }
    }

    /// The number of pairs that were resampled.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// The weight of all resamples.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.cumulative.last().copied().unwrap_or(0)
    }

    /// The distinct values in ascending order, each with its own weight.
    pub fn iter(&self) -> impl Iterator<Item = (f64, u64)> {
        let below = std::iter::once(0).chain(self.cumulative.iter().copied());
        self.values.iter().zip(&self.cumulative).zip(below).map(|((&value, &upto), below)| (value, upto - below))
    }

    /// The smallest value whose cumulative weight reaches `level`.
    #[must_use]
    pub fn quantile(&self, level: Level) -> f64 {
        self.reaching(u64::from(level.parts()), u64::from(Level::WHOLE))
    }

    /// The smallest value whose cumulative weight reaches the share `parts / whole`, compared in integers.
    pub(super) fn reaching(&self, parts: u64, whole: u64) -> f64 {
        let needed = u128::from(parts) * u128::from(self.total());
        let below = self.cumulative.partition_point(|&weight| u128::from(weight) * u128::from(whole) < needed);
        self.values[below]
    }

    /// The weight of the values below `bound`.
    pub(super) fn weight_below(&self, bound: f64) -> u64 {
        self.weight_of(self.values.partition_point(|&value| value < bound))
    }

    /// The weight of the values at or below `bound`.
    pub(super) fn weight_at_or_below(&self, bound: f64) -> u64 {
        self.weight_of(self.values.partition_point(|&value| value <= bound))
    }

    /// The weight of the first `count` values.
    fn weight_of(&self, count: usize) -> u64 {
        count.checked_sub(1).map_or(0, |last| self.cumulative[last])
    }

    /// A weight as its share of all: the quotient of two integers, rounded once.
    fn share(&self, weight: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "weights are at most 8^8 or 2^28, so both are exact")]
        let share = weight as f64 / self.total() as f64;
        share
    }

    /// The share of the values below `bound`. A NaN is above nothing: 0.
    #[must_use]
    pub fn mass_below(&self, bound: f64) -> f64 {
        self.share(self.weight_below(bound))
    }

    /// The share of the values at or below `bound`. A NaN is above nothing: 0.
    #[must_use]
    pub fn mass_at_or_below(&self, bound: f64) -> f64 {
        self.share(self.weight_at_or_below(bound))
    }

    /// The share of the values above `bound`: all that are not at or below it.
    #[must_use]
    pub fn mass_above(&self, bound: f64) -> f64 {
        self.share(self.total() - self.weight_at_or_below(bound))
    }

    /// The share of the values at or above `bound`: all that are not below it.
    #[must_use]
    pub fn mass_at_or_above(&self, bound: f64) -> f64 {
        self.share(self.total() - self.weight_below(bound))
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "results are exact")]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_value_with_their_weights_together() {
        let drawn = Distribution::new(9, vec![2.0, 1.0, 2.0, 3.0, 2.0], None);
        assert_eq!(drawn.iter().collect::<Vec<_>>(), [(1.0, 1), (2.0, 3), (3.0, 1)]);
        let weighted = Distribution::new(3, vec![2.0, 1.0, 2.0], Some(&[4, 5, 6]));
        assert_eq!(weighted.iter().collect::<Vec<_>>(), [(1.0, 5), (2.0, 10)]);
        assert_eq!((drawn.total(), weighted.total()), (5, 15));
        assert_eq!((drawn.pairs(), weighted.pairs()), (9, 3));
    }

    #[test]
    fn a_quantile_is_the_smallest_value_that_reaches_its_level() {
        let distribution = Distribution::new(3, vec![1.0, 2.0, 3.0], Some(&[1, 18, 1]));
        let quantile = |parts| distribution.quantile(Level::from_parts(parts).unwrap());
        assert_eq!(quantile(0), 1.0);
        assert_eq!(quantile(500), 1.0);
        assert_eq!(quantile(501), 2.0);
        assert_eq!(quantile(9_500), 2.0);
        assert_eq!(quantile(9_501), 3.0);
        assert_eq!(quantile(10_000), 3.0);
    }

    #[test]
    fn masses_count_a_value_on_the_bound_as_asked() {
        let distribution = Distribution::new(3, vec![1.0, 2.0, 3.0], Some(&[1, 2, 5]));
        let masses = |bound| {
            [
                distribution.mass_below(bound),
                distribution.mass_at_or_below(bound),
                distribution.mass_above(bound),
                distribution.mass_at_or_above(bound),
            ]
        };
        assert_eq!(masses(0.5), [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(masses(1.0), [0.0, 0.125, 0.875, 1.0]);
        assert_eq!(masses(2.0), [0.125, 0.375, 0.625, 0.875]);
        assert_eq!(masses(2.5), [0.375, 0.375, 0.625, 0.625]);
        assert_eq!(masses(3.0), [0.375, 1.0, 0.0, 0.625]);
        assert_eq!(masses(9.0), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(masses(f64::NAN), [0.0, 0.0, 1.0, 1.0]);
    }
}
