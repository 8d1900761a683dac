//! The samples of a timed pass, stored without disturbing it.

use std::collections::BTreeMap;
use std::hint::black_box;

use super::protocol::Samples;
use crate::workload::Counters;

/// An operation that did not report the counters that its suite declares.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CounterError {
    #[error("it reported no `{0}`, which the suite's catalogue declares")]
    Missing(&'static str),
    #[error("it reported `{0}` more than once")]
    Repeated(&'static str),
    #[error("it reported `{0}`, which the suite's catalogue does not declare as a metric of timed operations")]
    Undeclared(&'static str),
}

/// Latencies, and a column for each counter that the suite declares, operation by operation.
///
/// Room is made, and its pages are touched, between operations: adding a sample neither allocates nor faults.
#[derive(Debug)]
pub(super) struct Series {
    latencies: Vec<u64>,
    counters: Vec<(&'static str, Vec<u64>)>,
}

impl Series {
    /// With room for `expected` operations.
    pub(super) fn new(counters: impl Iterator<Item = &'static str>, expected: usize) -> Self {
        let mut series =
            Self { latencies: Vec::new(), counters: counters.map(|metric| (metric, Vec::new())).collect() };
        series.make_room(expected);
        series
    }

    /// Operations so far.
    pub(super) fn len(&self) -> usize {
        self.latencies.len()
    }

    /// Whether the next operation needs room to be made first.
    pub(super) fn is_full(&self) -> bool {
        self.columns().any(|column| column.len() == column.capacity())
    }

    /// Makes room for `more` operations.
    pub(super) fn make_room(&mut self, more: usize) {
        touch(&mut self.latencies, more);
        for (_, column) in &mut self.counters {
            touch(column, more);
        }
    }

    /// Adds an operation.
    pub(super) fn add(&mut self, latency_ns: u64, counters: &Counters) -> Result<(), CounterError> {
        self.latencies.push(latency_ns);
        for (at, (metric, value)) in counters.iter().enumerate() {
            // A lane reports in one order, which is mostly the catalogue's: look there first.
            let column = match self.counters.get_mut(at) {
                Some((name, _)) if *name == metric => Some(at),
                _ => self.counters.iter().position(|(name, _)| *name == metric),
            };
            let column = column.and_then(|column| self.counters.get_mut(column));
            column.ok_or(CounterError::Undeclared(metric))?.1.push(value);
        }
        let expected = self.latencies.len();
        match self.counters.iter().find(|(_, column)| column.len() != expected) {
            None => Ok(()),
            Some((metric, column)) if column.len() < expected => Err(CounterError::Missing(metric)),
            Some((metric, _)) => Err(CounterError::Repeated(metric)),
        }
    }

    /// The samples of the counters by metric, and the latencies.
    pub(super) fn into_samples(self) -> (Samples, BTreeMap<&'static str, Samples>) {
        let counters = self.counters.into_iter().map(|(metric, column)| (metric, Samples::Integers(column)));
        (Samples::Integers(self.latencies), counters.collect())
    }

    fn columns(&self) -> impl Iterator<Item = &Vec<u64>> {
        std::iter::once(&self.latencies).chain(self.counters.iter().map(|(_, column)| column))
    }
}

fn touch(column: &mut Vec<u64>, more: usize) {
    column.reserve_exact(more);
    let (length, capacity) = (column.len(), column.capacity());
    // Not zero: pages that are only to be zeroed might come untouched from the kernel.
    column.resize(capacity, u64::MAX);
    black_box(&mut *column);
    column.truncate(length);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(values: &[(&'static str, u64)]) -> Counters {
        let mut counters = Counters::with_capacity(values.len());
        for (metric, value) in values {
            counters.record(metric, *value);
        }
        counters
    }

    #[test]
    fn counters_land_in_their_columns_in_any_order() {
        let mut series = Series::new(["a", "b"].into_iter(), 2);
        series.add(10, &reported(&[("a", 1), ("b", 2)])).expect("both");
        series.add(20, &reported(&[("b", 4), ("a", 3)])).expect("both");
        assert_eq!(series.len(), 2);
        let (latencies, counters) = series.into_samples();
        assert_eq!(latencies, Samples::Integers(vec![10, 20]));
        assert_eq!(counters["a"], Samples::Integers(vec![1, 3]));
        assert_eq!(counters["b"], Samples::Integers(vec![2, 4]));
    }

    #[test]
    fn what_is_reported_must_be_what_is_declared() {
        let series = || Series::new(["a", "b"].into_iter(), 1);
        let report = |values: &[(&'static str, u64)]| series().add(1, &reported(values));
        assert_eq!(report(&[("a", 1)]), Err(CounterError::Missing("b")));
        assert_eq!(report(&[]), Err(CounterError::Missing("a")));
        assert_eq!(report(&[("a", 1), ("b", 2), ("a", 3)]), Err(CounterError::Repeated("a")));
        assert_eq!(report(&[("a", 1), ("b", 2), ("c", 3)]), Err(CounterError::Undeclared("c")));
        assert_eq!(report(&[("a", 1), ("b", 2)]), Ok(()));
    }

    #[test]
    fn a_store_with_room_does_not_move() {
        let mut series = Series::new(["a"].into_iter(), 3);
        let at = series.latencies.as_ptr();
        for latency in 0..3 {
            assert!(!series.is_full());
            series.add(latency, &reported(&[("a", 1)])).expect("declared");
        }
        assert_eq!(series.latencies.as_ptr(), at);
        assert!(series.is_full());
        series.make_room(2);
        assert!(!series.is_full());
        assert_eq!(series.len(), 3);
    }
}
