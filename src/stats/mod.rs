//! The statistics of a gate: slices in, values out. No I/O, no clock, no global state.
//!
//! The unit is the pair, never the request. Each run is reduced to one number by a [`quantile()`], a [`median`] or a
//! [`mean()`]; the numbers of all pairs go through a paired bootstrap; the bootstrap gives an interval and the p of a
//! claim; and where many claims are made at once, [`holm()`] adjusts their p.
//!
//! 1. [`Resamples`] says which pairs each resample holds. Budgets with equally many pairs share it.
//! 2. An [`Estimator`] makes an [`Estimate`] of the pairs. [`ratio_of_medians`], [`median_log_ratio`] and, for one side,
//!    [`median_of`] evaluate a statistic in every resample: a [`Bootstrap`], whose [`Distribution`] is sorted and carries
//!    integer weights. [`hodges_lehmann`] needs none: a [`SignedRank`] has an exact distribution.
//! 3. [`Estimate::interval`] cuts the tails off, α a side as [`IntervalRule`] and [`Confidence`] say.
//! 4. [`Interval::is_within`] and [`Interval::is_beyond`] hold the interval against a [`Bound`].
//! 5. [`Estimate::p_within`] and [`Estimate::p_beyond`] give the p of the same two claims, and [`holm()`] adjusts a
//!    family of them.
//!
//! Before a campaign [`pairs_for_power`] and a [`Scenario`] say how many pairs it takes, and [`looks`] what may be decided
//! before its end. After it [`drift()`], [`order_effect`], [`autocorrelation`], [`first_sample`], [`outliers`],
//! [`two_groups`] and [`variance_parts`] are doubts about it, and [`paired_t`] is a cross-check. [`ratio_over_hosts`] is
//! for pairs of several hosts, [`clopper_pearson`] for shares of whole campaigns.
//!
//! `docs/statistics.md` has every formula with its source, its assumptions, and how often it errs.
//!
//! Sides that were measured apart have no pairs. For them there are the rank test [`mann_whitney`], the interval
//! [`median_interval`] of one side, [`ratio_unpaired`], which resamples each side on its own, and [`geometric_mean`]
//! over benches. Figures of many campaigns in the order of time have [`change_points()`].
//!
//! # Reproducibility
//!
//! Every function that decides an outcome gives the same bits on every machine, for the same arguments. (The quantile
//! functions behind [`paired_t`], sizing, [`looks`] and [`clopper_pearson`] are a library's, and may differ in the last.)
//!
//! - draws come from a named generator whose whole state follows from the seed and the number of pairs
//!   ([`Resamples`] documents the bytes), and the index sampling is written out here;
//! - ranks, weights and levels are integers, so that no float product decides on a rank;
//! - floats see only `+`, `−`, `×`, `÷`, `√` and comparisons, each correctly rounded by IEEE 754, in a fixed order. `ln`,
//!   `exp` and `powf` of the standard library may differ between platforms and are not used; where one is needed `libm`
//!   computes it from these operations;
//! - the order of the pairs does not matter: they are put into a canonical order first.
//!
//! # Failing closed
//!
//! A NaN, an infinity, a negative measurement, a missing pair or a division by zero is a [`StatsError`], never a
//! number.
//!
//! # What to know before trusting a small campaign
//!
//! The percentile interval is coarse with few pairs. At 95 %, two-sided or one-sided, its ends are the ratios of the
//! extreme pairs up to 5 pairs. Over a baseline without noise the true ratio then lies beyond an end with a probability
//! of 12.5 % at 3 pairs and of 3.1 % at 5; at 7 pairs the ends are the second values, with 6.25 %; at 9 the one-sided
//! ends are the third, with 9.0 %. The tests of this module derive these figures.
//!
//! No p is below 2⁻ⁿ, so that few pairs cannot carry many claims: see [`pairs_needed_by_holm`].

mod binomial;
mod bootstrap;
mod bound;
mod change_points;
mod claim;
mod counts;
mod distribution;
mod drift;
mod error;
mod estimate;
mod exact;
mod geometric;
mod holm;
mod hosts;
mod indices;
mod interval;
mod log_ratio;
mod mean;
mod noise;
mod order;
mod order_effect;
mod paired_t;
mod quantile;
mod rank_sum;
mod resample;
mod shape;
mod signed_rank;
mod simulation;
mod sizing;
mod spending;
mod unpaired;
mod variance_parts;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;

pub use binomial::clopper_pearson;
pub use bootstrap::{Bootstrap, median_of, ratio_of_medians};
pub use bound::Bound;
pub use change_points::{ChangePoint, MOST_VALUES, change_points};
pub use claim::{p_beyond, p_within};
pub use distribution::Distribution;
pub use drift::{Autocorrelation, Drift, autocorrelation, drift};
pub use error::StatsError;
pub use estimate::{Estimate, Estimator};
pub use exact::exact_ratio;
pub use geometric::geometric_mean;
pub use holm::{holm, holm_at_look, pairs_needed_by_holm};
pub use hosts::{Host, Hosts, ratio_over_hosts};
pub use interval::{Alpha, Confidence, Interval, IntervalRule};
pub use log_ratio::median_log_ratio;
pub use mean::mean;
pub use order::median_interval;
pub use order_effect::{OrderEffect, order_effect};
pub use paired_t::{PairedT, paired_t};
pub use quantile::{Level, QuantileRule, median, quantile, resolves};
pub use rank_sum::mann_whitney;
pub use resample::Resamples;
pub use shape::{FirstSample, Outliers, TwoGroups, first_sample, outliers, two_groups};
pub use signed_rank::{SignedRank, hodges_lehmann};
pub use simulation::{Scenario, Size};
pub use sizing::{log_deviation, pairs_for_power, smallest_effect};
pub use spending::{Look, looks};
pub use unpaired::{Reduction, UnpairedRatio, ratio_unpaired};
pub use variance_parts::{Spread, VarianceParts, variance_parts};
