//! What can be wrong with an input of this module.

/// Why a statistic has no value. Each message fits after "failed to".
///
/// Positions count from 1.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// There is nothing to summarise.
    #[error("use `{input}`: it is empty, and at least one value is needed; look for the runs that are missing")]
    Empty {
        /// Name of the argument.
        input: &'static str,
    },
    /// A value is NaN or infinite.
    #[error("use `{input}`: value {position} is `{value}`, and a finite number is needed; run it again")]
    NotFinite {
        /// Name of the argument.
        input: &'static str,
        /// Which value, from 1.
        position: usize,
        /// The value.
        value: f64,
    },
    /// A measurement is negative.
    #[error(
        "use `{input}`: value {position} is `{value}`, and a measurement cannot be negative; check its clock or its reader"
    )]
    Negative {
        /// Name of the argument.
        input: &'static str,
        /// Which value, from 1.
        position: usize,
        /// The value.
        value: f64,
    },
    /// A value is zero or negative where its logarithm is needed.
    #[error(
        "use `{input}`: value {position} is `{value}`, and only positive values have a geometric mean; leave it out"
    )]
    NotPositive {
        /// Name of the argument.
        input: &'static str,
        /// Which value, from 1.
        position: usize,
        /// The value.
        value: f64,
    },
    /// A slice that must be sorted is not.
    #[error(
        "use `{input}`: value {position} is smaller than the one before it, and ascending order is needed; sort it first"
    )]
    NotSorted {
        /// Name of the argument.
        input: &'static str,
        /// The first value that is out of order, from 1.
        position: usize,
    },
    /// A slice has more or fewer values than there are pairs.
    #[error("pair `{input}`: it has {found} values for {expected} pairs; look for the runs that are missing")]
    PairCount {
        /// Name of the argument.
        input: &'static str,
        /// The number of pairs that the resamples were made for.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// The median of the baseline is zero, and the ratio to it undefined.
    #[error("divide by the median of `baseline`: it is `0`; judge this metric by an absolute budget")]
    ZeroBaseline,
    /// The median of the baseline is zero in a resample, and the distribution of the ratio undefined.
    #[error(
        "divide by the median of `baseline`: it is `0` in {weight} of {total} resamples; judge this metric by an absolute budget"
    )]
    ZeroBaselineInResamples {
        /// Weight of the resamples whose baseline median is zero.
        weight: u64,
        /// Weight of all resamples.
        total: u64,
    },
    /// A side of a pair has no logarithm, and the pair no log ratio.
    #[error(
        "take the log ratio of pair {pair}: its {side} is `{value}`, and both sides must be above zero; judge this metric by an absolute budget or by `ratio-of-medians`"
    )]
    NoLogRatio {
        /// `baseline` or `candidate`.
        side: &'static str,
        /// Which pair, from 1.
        pair: usize,
        /// The value.
        value: f64,
    },
    /// So few pairs that no bound holds the α that is asked for.
    #[error("bound the ratio with {pairs} pairs: 2⁻ⁿ is above α, and at least {needed} pairs are needed; measure more")]
    TooFewPairs {
        /// The number of pairs.
        pairs: usize,
        /// The smallest number of pairs that has a bound.
        needed: u32,
    },
    /// More pairs than a statistic is made for.
    #[error("compute the {statistic} of {pairs} pairs: that is beyond the limit of {limit}; plan fewer pairs")]
    TooManyPairs {
        /// The statistic.
        statistic: &'static str,
        /// The number of pairs.
        pairs: usize,
        /// The largest allowed number of pairs.
        limit: usize,
    },
    /// More values than a statistic is made for.
    #[error("compute the {statistic} of {found} values: that is beyond the limit of {limit}; take the latest")]
    TooMany {
        /// The statistic.
        statistic: &'static str,
        /// The number of values.
        found: usize,
        /// The largest allowed number of values.
        limit: usize,
    },
    /// No trials, or more successes than trials.
    #[error(
        "bound the share of {successes} in {trials}: at least one trial is needed, and no more successes than trials"
    )]
    NoShare {
        /// The number of successes.
        successes: u32,
        /// The number of trials.
        trials: u32,
    },
    /// A figure to plan with is not above zero.
    #[error("plan with {input} of `{value}`: a finite number above zero is needed")]
    NotPlannable {
        /// What the figure is, in the plural or with its article.
        input: &'static str,
        /// Its value.
        value: f64,
    },
    /// The looks of a sequential plan are out of order, beyond its end, or too many.
    #[error(
        "plan look {position} at {pairs} pairs: at most 20 looks are needed, in ascending order, from 1 to {last} pairs"
    )]
    Looks {
        /// Which look, from 1.
        position: usize,
        /// Its pairs.
        pairs: u32,
        /// The pairs of the whole plan.
        last: u32,
    },
    /// All values are equal where their spread is divided by.
    #[error("compute the {statistic}: all {count} values are equal, and a spread is needed")]
    NoSpread {
        /// The statistic.
        statistic: &'static str,
        /// The number of values.
        count: usize,
    },
    /// A median that is divided by is zero, or too small for a 64-bit float.
    #[error("compute the {statistic}: the median is `0`, or next to it, and can't be divided by")]
    ZeroMedian {
        /// The statistic.
        statistic: &'static str,
    },
    /// A statistic needs more values than there are.
    #[error("compute the {statistic}: there are {found} values, and at least {needed} are needed; measure more")]
    TooFew {
        /// The statistic.
        statistic: &'static str,
        /// The number of values.
        found: usize,
        /// The smallest number of values that has the statistic.
        needed: usize,
    },
    /// A result is too large for a 64-bit float.
    #[error("compute the {statistic}: it is too large for a 64-bit float; use a larger unit")]
    Overflow {
        /// The statistic.
        statistic: &'static str,
    },
    /// No resamples were asked for where they must be drawn.
    #[error("draw resamples of {pairs} pairs: `0` were asked for; set `resamples`, 20000 is usual")]
    NoDraws {
        /// The number of pairs.
        pairs: usize,
    },
    /// The resamples would not fit into memory.
    #[error(
        "draw {draws} resamples of {pairs} pairs: that is beyond the limit of {limit} counts; ask for fewer resamples"
    )]
    TooManyResamples {
        /// The number of pairs.
        pairs: usize,
        /// The number of resamples.
        draws: u32,
        /// The largest allowed product of both.
        limit: usize,
    },
    /// A quantile's level is beyond one.
    #[error("use the level `{parts}`: parts per 10,000 go from 0 to 10000; p95 is 9500")]
    LevelOutOfRange {
        /// Parts per 10,000.
        parts: u16,
    },
    /// A confidence leaves no room for tails, or lets them overlap.
    #[error(
        "use the confidence `{fraction}`: above 0.5 and below 1 with at most four decimals is needed; 0.95 is usual"
    )]
    ConfidenceOutOfRange {
        /// The confidence, as a fraction.
        fraction: f64,
    },
    /// A bound is NaN or infinite.
    #[error("use the bound `{value}`: a finite number is needed; 1.05 allows 5 % more")]
    BoundNotFinite {
        /// The bound.
        value: f64,
    },
    /// A p is NaN or not between 0 and 1.
    #[error(
        "use `p_values`: value {position} is `{value}`, and a p is between 0 and 1; leave out claims that have none"
    )]
    NotAProbability {
        /// Which value, from 1.
        position: usize,
        /// The value.
        value: f64,
    },
}

/// Refuses what no statistic can be computed from.
pub(super) fn require_finite(input: &'static str, values: &[f64]) -> Result<(), StatsError> {
    if values.is_empty() {
        return Err(StatsError::Empty { input });
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(StatsError::NotFinite { input, position: index + 1, value: values[index] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_fit_after_failed_to_and_name_the_remedy() {
        let error = StatsError::NotFinite { input: "baseline", position: 3, value: f64::NAN };
        assert_eq!(
            format!("failed to {error}"),
            "failed to use `baseline`: value 3 is `NaN`, and a finite number is needed; run it again"
        );
        let error = StatsError::ZeroBaselineInResamples { weight: 1, total: 3125 };
        assert_eq!(
            format!("failed to {error}"),
            "failed to divide by the median of `baseline`: it is `0` in 1 of 3125 resamples; judge this metric by an absolute budget"
        );
    }

    #[test]
    fn the_first_value_that_is_not_finite_is_named() {
        assert_eq!(require_finite("samples", &[]), Err(StatsError::Empty { input: "samples" }));
        assert_eq!(require_finite("samples", &[0.0, -1.0, f64::MAX]), Ok(()));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = require_finite("samples", &[1.0, bad, f64::NAN]).unwrap_err();
            assert!(matches!(error, StatsError::NotFinite { input: "samples", position: 2, .. }), "{error}");
        }
    }
}
