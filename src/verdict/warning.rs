//! Doubts about a result, carried as data.

use serde::{Deserialize, Serialize};

use super::analysis::Outcome;
use crate::unit::{Case, Side, Statistic};

/// A doubt about a result: what was seen, and what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Warning {
    /// Both sides are the same lane.
    EqualSides {
        /// The lane.
        lane: String,
    },
    /// Both sides are built from the same files.
    SameSource {
        /// The commit.
        source: String,
    },
    /// The baseline was recorded by an earlier campaign.
    Unpaired {
        /// The name of that campaign's folder.
        campaign: String,
        /// When it started, UTC.
        date: jiff::Timestamp,
        /// What the user calls the machine.
        machine: String,
        /// The commit that was measured.
        commit: Option<String>,
    },
    /// A side is a lane with a known defect or a known extra cost.
    CalibrationLane {
        /// The lane.
        lane: String,
    },
    /// A metric that is compared exactly varied between runs, and is treated as noisy.
    ExactVaried {
        /// The metric.
        metric: String,
        /// The case.
        case: Case,
        /// The side whose runs differ.
        side: Side,
        /// The smallest value of a run.
        low: f64,
        /// The largest value of a run.
        high: f64,
    },
    /// A percentile that a run's samples do not resolve.
    Unresolved {
        /// The metric.
        metric: String,
        /// The statistic.
        statistic: Statistic,
        /// The case.
        case: Case,
        /// Samples in the smallest run.
        samples: usize,
    },
    /// So few pairs that the interval is coarse.
    FewPairs {
        /// The pairs.
        pairs: u32,
    },
    /// So few pairs that no noisy guardrail can be shown to fail after Holm's correction.
    HolmOutOfReach {
        /// The pairs.
        pairs: u32,
        /// The noisy guardrails times their cases.
        claims: usize,
        /// The pairs that it takes.
        needed: u32,
    },
    /// Peak memory is of the whole process, because the host does not let the peak be reset.
    PeakNotReset {
        /// The case.
        case: Case,
    },
    /// The values of one side rise or fall with the order of the runs.
    Drift {
        /// The metric.
        metric: String,
        /// The statistic.
        statistic: Statistic,
        /// The case.
        case: Case,
        /// The side.
        side: Side,
        /// Kendall's τ of value and order.
        tau: f64,
        /// The two-sided p of no drift.
        p: f64,
    },
    /// Which side of a pair runs first makes a difference.
    OrderEffect {
        /// The metric.
        metric: String,
        /// The statistic.
        statistic: Statistic,
        /// The case.
        case: Case,
        /// The ratio where the baseline ran first, by that where the candidate did.
        factor: f64,
        /// The p of no effect.
        p: f64,
    },
    /// Each pair's ratio tells something of the next.
    Autocorrelated {
        /// The metric.
        metric: String,
        /// The statistic.
        statistic: Statistic,
        /// The case.
        case: Case,
        /// The correlation of each ratio with the next.
        lag_one: f64,
        /// The two-sided p of independence.
        p: f64,
    },
    /// The first sample of most runs is the slowest.
    ColdStart {
        /// The metric.
        metric: String,
        /// The case.
        case: Case,
        /// The side.
        side: Side,
        /// The runs in which it is.
        runs: usize,
        /// All runs.
        of: usize,
        /// The largest ratio of a first sample to the median of the rest.
        largest: f64,
    },
    /// Ratios lie outside Tukey's fences; they are counted, and never dropped.
    Outliers {
        /// The metric.
        metric: String,
        /// The statistic.
        statistic: Statistic,
        /// The case.
        case: Case,
        /// How many do.
        outside: usize,
        /// All pairs.
        pairs: usize,
    },
    /// The values of one side fall into two groups.
    TwoGroups {
        /// The metric.
        metric: String,
        /// The statistic.
        statistic: Statistic,
        /// The case.
        case: Case,
        /// The side.
        side: Side,
        /// The largest value of the lower group.
        below: f64,
        /// The smallest value of the upper group.
        above: f64,
        /// The p of one normal group.
        p: f64,
    },
    /// A paired t on the logs comes to another outcome than the estimator.
    CrossCheck {
        /// The metric.
        metric: String,
        /// The statistic.
        statistic: Statistic,
        /// The case.
        case: Case,
        /// Its estimate.
        ratio: f64,
        /// The lower end of its interval.
        low: f64,
        /// The upper end.
        high: f64,
        /// Its outcome.
        outcome: Outcome,
    },
    /// Every counter that equal work repeats is the same on both sides, and only the time is not.
    OnlyTime {
        /// The case.
        case: Case,
        /// The counters.
        counters: usize,
    },
    /// Runs were put aside for others again and again.
    Switched {
        /// The runs.
        runs: usize,
        /// All runs.
        of: usize,
        /// The most involuntary switches for each second of a run's CPU time.
        most: f64,
    },
    /// A hypervisor took CPU time away.
    Stolen {
        /// The runs.
        runs: usize,
        /// All runs.
        of: usize,
        /// The largest share of a run's wall time.
        most: f64,
    },
    /// The control group's CPU was taken away.
    Throttled {
        /// The runs.
        runs: usize,
        /// All runs.
        of: usize,
        /// The largest share of a run's wall time.
        most: f64,
    },
    /// More processes wanted to run than the run's own.
    Loaded {
        /// The runs.
        runs: usize,
        /// All runs.
        of: usize,
        /// The most of them, beyond the run's own CPUs.
        most: f64,
    },
    /// A limit that the profile asks for could not be enforced.
    LimitNotEnforced {
        /// Which, and why.
        what: String,
    },
}

impl Warning {
    /// The warning in a sentence, with what to do about it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::EqualSides { lane } => {
                format!("both sides are lane `{lane}`: this tries the gate, it compares nothing")
            }
            Self::SameSource { source } => format!(
                "both sides are built from {}: there is no change to judge; name another baseline, or change something",
                source.get(..12).unwrap_or(source)
            ),
            Self::Unpaired { campaign, date, machine, commit } => {
                let commit = commit.as_deref().map_or("", |commit| commit.get(..12).unwrap_or(commit));
                let of = if commit.is_empty() { String::new() } else { format!(" of commit {commit}") };
                format!(
                    "unpaired: the baseline{of} was recorded by campaign {campaign} at {date} on machine {machine}, and whatever has changed there since looks like the candidate's doing; but for exact metrics it is at best to revise: run both sides in pairs to decide"
                )
            }
            Self::CalibrationLane { lane } => {
                format!("lane `{lane}` has a known fault or a known extra cost: this tries the gate")
            }
            Self::ExactVaried { metric, case, side, low, high } => format!(
                "{metric} of the {side} varies between runs in {case} ({low} to {high}) although equal work should give equal values: it is judged as a noisy metric"
            ),
            Self::Unresolved { metric, statistic, case, samples } => {
                format!("{samples} samples do not resolve {statistic} of {metric} in {case}: raise `min_samples`")
            }
            Self::FewPairs { pairs } => {
                format!("{pairs} pairs give a coarse interval, whose ends are values of single pairs: raise `pairs`")
            }
            Self::HolmOutOfReach { pairs, claims, needed } => format!(
                "{pairs} pairs can't show that one of {claims} noisy guardrails fails after Holm's correction: it takes {needed} pairs"
            ),
            Self::PeakNotReset { case } => format!(
                "peak memory in {case} is of the whole process, fixtures included: this host does not let the peak be reset"
            ),
            Self::Drift { metric, statistic, case, side, tau, p } => format!(
                "{metric} {statistic} of the {side} in {case} drifts with the order of the runs (Kendall's τ {tau:.2}, p {p:.4}): let the host settle, or warm up longer"
            ),
            Self::OrderEffect { metric, statistic, case, factor, p } => format!(
                "{metric} {statistic} in {case} depends on which side runs first (by a factor of {factor:.3}, p {p:.4}): both orders are there, so it cancels on average, and costs certainty; a pause between runs may help"
            ),
            Self::Autocorrelated { metric, statistic, case, lag_one, p } => format!(
                "{metric} {statistic} in {case}: each pair's ratio tells of the next (correlation {lag_one:.2}, p {p:.4}), so that the interval is narrower than it should be: look for something that comes and goes on the host"
            ),
            Self::ColdStart { metric, case, side, runs, of, largest } => format!(
                "the first {metric} of the {side} in {case} is the largest in {runs} of {of} runs, up to {largest:.1} times the typical one: raise `warmup`"
            ),
            Self::Outliers { metric, statistic, case, outside, pairs } => format!(
                "{outside} of {pairs} ratios of {metric} {statistic} in {case} are outliers; they count like all others: quieten the host"
            ),
            Self::TwoGroups { metric, statistic, case, side, below, above, p } => {
                let apart = if *below > 0.0 { 100.0 * (above / below - 1.0) } else { 100.0 };
                format!(
                    "{metric} {statistic} of the {side} in {case} falls into two groups, {apart:.1} % apart (p {p:.4}): look for two states, such as the layout of memory or the CPU's clock"
                )
            }
            Self::CrossCheck { metric, statistic, case, ratio, low, high, outcome } => format!(
                "a paired t on the logs would find {metric} {statistic} in {case} {}: {ratio:.4} [{low:.4}, {high:.4}]; the plan's estimator decides, and the case is close",
                outcome.name()
            ),
            Self::OnlyTime { case, counters } => format!(
                "all {counters} counters of {case} are the same on both sides, and only the time differs: noise is the likelier explanation"
            ),
            Self::Switched { runs, of, most } => format!(
                "something else wanted the CPU of {runs} of {of} runs (up to {most:.0} involuntary switches a second): stop it, or give the runs CPUs of their own"
            ),
            Self::Stolen { runs, of, most } => format!(
                "the hypervisor took CPU time away in {runs} of {of} runs (up to {:.1} % of the time): prefer `cpu_time`, or another host",
                100.0 * most
            ),
            Self::Throttled { runs, of, most } => format!(
                "the control group throttled {runs} of {of} runs (up to {:.1} % of the time): raise its CPU quota",
                100.0 * most
            ),
            Self::Loaded { runs, of, most } => format!(
                "{runs} of {of} runs began on a busy host (up to {most:.1} processes more than their own over the last minute): wait until it is quiet"
            ),
            Self::LimitNotEnforced { what } => format!("a limit of the profile is not in force: {what}"),
        }
    }
}
