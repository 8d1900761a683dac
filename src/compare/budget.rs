//! What a change may cost, and whether it keeps to it.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::reading::{Reading, Series};
use crate::stats::{Bound, Confidence, IntervalRule, Reduction, ratio_unpaired};
use crate::unit::Assumption;

use super::Which;

/// Fewer values on a side carry no interval.
const FEWEST: usize = 5;

/// The draws of the bootstrap, and the seed of their stream.
const DRAWS: u32 = 20_000;
const SEED: u64 = 1;

/// How the statistics are called.
const STATISTICS: [(&str, Reduction); 4] =
    [("p50", Reduction::Median), ("mean", Reduction::Mean), ("min", Reduction::Min), ("max", Reduction::Max)];

/// A bound on the ratio of new to old: `latency.p50<=1.05`, `throughput>=0.95`.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    metric: String,
    statistic: Reduction,
    bound: Bound,
    /// The bound in words: `<= 1.05`.
    limit: String,
    /// The benches that it is about; all where there are none.
    benches: Vec<String>,
}

impl Budget {
    /// The budget on `statistic` of `metric`, both called as a gate file calls them, for these benches, or for all where
    /// none are named. `None` for a statistic that is none of `p50`, `mean`, `min` and `max`.
    #[must_use]
    pub fn new(metric: &str, statistic: &str, bound: Bound, benches: Vec<String>) -> Option<Self> {
        let (_, statistic) = *STATISTICS.iter().find(|(name, _)| *name == statistic)?;
        let sign = if bound.is_at_most() { "<=" } else { ">=" };
        let limit = format!("{sign} {}", bound.value());
        Some(Self { metric: metric.to_owned(), statistic, bound, limit, benches })
    }

    fn is_about(&self, bench: &str) -> bool {
        self.benches.is_empty() || self.benches.iter().any(|name| name == bench)
    }
}

/// What is wrong with a budget. Each message fits after "failed to".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// It is not written as one.
    #[error(
        "use the budget `{budget}`: {why}; expected is METRIC[.p50|.mean|.min|.max]<=RATIO or >=RATIO, as `latency<=1.05`"
    )]
    Malformed {
        /// What was given.
        budget: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A bench that it names has nothing of the metric.
    #[error("use the budget `{budget}`: no side has it of bench `{bench}`; there are the benches {known}")]
    UnknownBench {
        /// The budget.
        budget: String,
        /// The bench.
        bench: String,
        /// The benches that there are.
        known: String,
    },
    /// No bench has the metric.
    #[error("use the budget `{budget}`: no bench has the metric `{metric}`; there are {known}")]
    UnknownMetric {
        /// The budget.
        budget: String,
        /// Its metric.
        metric: String,
        /// The metrics that there are.
        known: String,
    },
}

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let malformed = |why| BudgetError::Malformed { budget: text.escape_debug().to_string(), why };
        let at =
            text.find("<=").or_else(|| text.find(">=")).ok_or_else(|| malformed("it has neither `<=` nor `>=`"))?;
        let (name, ratio) = (text[..at].trim(), text[at + 2..].trim());
        let (metric, statistic) = name
            .rsplit_once('.')
            .and_then(|(metric, end)| Some((metric, STATISTICS.iter().find(|(name, _)| *name == end)?.1)))
            .unwrap_or((name, Reduction::Median));
        if metric.is_empty() {
            return Err(malformed("it names no metric"));
        }
        if [".p95", ".p99", ".value"].iter().any(|end| metric.ends_with(end)) {
            return Err(malformed("its statistic is none of p50, mean, min and max"));
        }
        let value = ratio.parse::<f64>().ok().filter(|ratio| ratio.is_finite() && *ratio > 0.0);
        let value = value.ok_or_else(|| malformed("its ratio is no number above 0"))?;
        let bound = if text[at..].starts_with('<') { Bound::at_most(value) } else { Bound::at_least(value) };
        let bound = bound.map_err(|_| malformed("its ratio is no number above 0"))?;
        // benchstat calls it so.
        let metric = if matches!(metric, "sec/op" | "ns/op") { "latency" } else { metric };
        let limit = format!("{} {value}", &text[at..at + 2]);
        Ok(Self { metric: metric.to_owned(), statistic, bound, limit, benches: Vec::new() })
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statistic =
            STATISTICS.iter().find(|(_, statistic)| *statistic == self.statistic).map_or("", |(name, _)| name);
        write!(f, "{}.{statistic} {}", self.metric, self.limit)
    }
}

/// What a budget comes to for one bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The whole interval keeps to the bound.
    Pass,
    /// The interval holds the bound, or there is none.
    Inconclusive,
    /// The whole interval is beyond the bound.
    Fail,
}

impl Outcome {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::Fail => "fail",
        }
    }
}

/// One budget for one bench.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// The budget, as `latency.p50 <= 1.05`.
    pub budget: String,
    /// The bench.
    pub bench: String,
    /// What it comes to.
    pub outcome: Outcome,
    /// New divided by old; `null` in JSON where it is infinite, from zero to more.
    pub ratio: Option<f64>,
    /// The two-sided interval of the ratio at 95 %.
    pub interval: Option<(f64, f64)>,
    /// Why there is no interval to judge by.
    pub reason: Option<String>,
}

/// Holds every bench that has the metric of a budget to it.
///
/// The interval is that of [`ratio_unpaired`]. A side of fewer than five values has none, unless there are two and all
/// are equal, or the metric is compared exactly.
///
/// # Errors
///
/// [`BudgetError::UnknownMetric`]: a budget that no bench has anything for would pass whatever happened.
pub fn judge(old: &Reading, new: &Reading, budgets: &[Budget]) -> Result<Vec<Judgement>, BudgetError> {
    let mut judgements = Vec::new();
    for budget in budgets {
        let before = judgements.len();
        for bench in old.benches.iter().filter(|bench| budget.is_about(&bench.name)) {
            let below = series(&bench.series, &budget.metric);
            let other = new.benches.iter().find(|other| other.name == bench.name);
            let above = other.and_then(|other| series(&other.series, &budget.metric));
            judgements.extend(one(budget, &bench.name, below, above));
        }
        for bench in new.benches.iter().filter(|bench| budget.is_about(&bench.name)) {
            if !old.benches.iter().any(|other| other.name == bench.name) {
                judgements.extend(one(budget, &bench.name, None, series(&bench.series, &budget.metric)));
            }
        }
        let judged = |name: &String| judgements[before..].iter().any(|judgement| judgement.bench == *name);
        if let Some(bench) = budget.benches.iter().find(|name| !judged(name)) {
            let known = names(old, new);
            return Err(BudgetError::UnknownBench { budget: budget.to_string(), bench: bench.clone(), known });
        }
        if judgements.len() == before {
            let (budget, metric) =
                (budget.to_string().escape_debug().to_string(), budget.metric.escape_debug().to_string());
            return Err(BudgetError::UnknownMetric { budget, metric, known: metrics(old, new) });
        }
    }
    Ok(judgements)
}

fn series<'a>(all: &'a [Series], metric: &str) -> Option<&'a Series> {
    all.iter().find(|series| series.metric == metric)
}

/// The names of all metrics, in the order of their first appearance.
fn metrics(old: &Reading, new: &Reading) -> String {
    let benches = old.benches.iter().chain(&new.benches);
    listed(benches.flat_map(|bench| &bench.series).map(|series| series.metric.as_str()))
}

/// The names of all benches, in the order of their first appearance.
fn names(old: &Reading, new: &Reading) -> String {
    listed(old.benches.iter().chain(&new.benches).map(|bench| bench.name.as_str()))
}

/// Each once, quoted, and no more than fit into a message.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 20;
    let mut known: Vec<String> = Vec::new();
    for quoted in names.map(|name| format!("`{name}`")) {
        if known.len() == MOST {
            known.push("…".to_owned());
            break;
        }
        if !known.contains(&quoted) {
            known.push(quoted);
        }
    }
    known.join(", ")
}

/// Nothing where no side has the metric.
fn one(budget: &Budget, bench: &str, old: Option<&Series>, new: Option<&Series>) -> Option<Judgement> {
    let mut judgement = Judgement {
        budget: budget.to_string(),
        bench: bench.to_owned(),
        outcome: Outcome::Inconclusive,
        ratio: None,
        interval: None,
        reason: None,
    };
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) => (old, new),
        (None, None) => return None,
        (old, _) => {
            let lacking = if old.is_none() { Which::Old } else { Which::New };
            judgement.reason = Some(format!("the {} side lacks it", lacking.name()));
            return Some(judgement);
        }
    };
    let alpha = IntervalRule::TwoSided.alpha(Confidence::P95);
    match ratio_unpaired(&old.values, &new.values, budget.statistic, alpha, SEED, DRAWS) {
        Ok(found) => {
            judgement.ratio = Some(found.point);
            judgement.reason = too_few(old, Which::Old).or_else(|| too_few(new, Which::New));
            if judgement.reason.is_none() {
                judgement.interval = Some((found.interval.low(), found.interval.high()));
                judgement.outcome = if found.interval.is_within(budget.bound) {
                    Outcome::Pass
                } else if found.interval.is_beyond(budget.bound) {
                    Outcome::Fail
                } else {
                    Outcome::Inconclusive
                };
            }
        }
        Err(error) => judgement.reason = Some(format!("failed to {error}")),
    }
    Some(judgement)
}

/// Why a side has too few values for an interval.
fn too_few(series: &Series, which: Which) -> Option<String> {
    let n = series.values.len();
    let is_constant = series.values.iter().all(|value| value.total_cmp(&series.values[0]).is_eq());
    let is_enough = n >= FEWEST || is_constant && series.assumption == Assumption::Exact;
    let values = if n == 1 { "value" } else { "values" };
    (!is_enough).then(|| format!("the {} side has {n} {values}, and {FEWEST} are needed", which.name()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{go, values};
    use super::*;

    fn judged(budget: &str, old: &Reading, new: &Reading) -> Vec<Judgement> {
        judge(old, new, &[budget.parse().unwrap()]).unwrap()
    }

    fn outcome(budget: &str, old: &[f64], new: &[f64]) -> Outcome {
        judged(budget, &values("ns/op", old), &values("ns/op", new))[0].outcome
    }

    const TEN: [f64; 10] = [100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0];

    #[test]
    fn budgets_are_read() {
        for (text, shown) in [
            ("latency.p50<=1.05", "latency.p50 <= 1.05"),
            ("sec/op <= 1.05", "latency.p50 <= 1.05"),
            ("B/op<=1.0", "B/op.p50 <= 1"),
            ("throughput.mean>=0.95", "throughput.mean >= 0.95"),
            ("v1.2/op.max<=2", "v1.2/op.max <= 2"),
        ] {
            assert_eq!(text.parse::<Budget>().unwrap().to_string(), shown);
        }
        for text in
            ["latency", "latency<1", "<=1", "latency<=x", "latency<=0", "latency<=-1", "latency<=inf", "a.p95<=1"]
        {
            assert!(matches!(text.parse::<Budget>(), Err(BudgetError::Malformed { .. })), "{text}");
        }
    }

    #[test]
    fn the_whole_interval_decides() {
        let times = |factor: f64| TEN.map(|value| value * factor);
        assert_eq!(outcome("latency<=1.10", &TEN, &TEN), Outcome::Pass);
        assert_eq!(outcome("latency<=1.10", &TEN, &times(1.10)), Outcome::Inconclusive);
        assert_eq!(outcome("latency<=1.10", &TEN, &times(1.5)), Outcome::Fail);
        assert_eq!(outcome("latency>=0.9", &TEN, &times(0.5)), Outcome::Fail);
        assert_eq!(outcome("latency>=0.9", &TEN, &times(1.5)), Outcome::Pass);
        assert_eq!(outcome("latency.max<=1.10", &TEN, &times(1.5)), Outcome::Fail);
    }

    #[test]
    fn few_values_decide_nothing() {
        assert_eq!(outcome("latency<=1.10", &TEN[..4], &TEN), Outcome::Inconclusive);
        let few = &judged("latency<=1.1", &values("ns/op", &TEN), &values("ns/op", &[9.0]))[0];
        assert_eq!(few.reason.as_deref(), Some("the new side has 1 value, and 5 are needed"));
        assert_eq!(outcome("latency<=1.10", &[7.0; 4], &[7.0; 4]), Outcome::Inconclusive, "a clock may be coarse");
        assert_eq!(outcome("latency<=1.10", &[7.0; 5], &[7.0; 5]), Outcome::Pass);
        assert_eq!(outcome("latency<=1.10", &[7.0], &[9.0]), Outcome::Inconclusive);
        assert_eq!(outcome("latency<=1.10", &[7.0; 5], &[9.0; 5]), Outcome::Fail);
    }

    #[test]
    fn a_regression_from_zero_is_not_missed() {
        let judged = &judged("allocs/op<=1.0", &values("allocs/op", &[0.0; 6]), &values("allocs/op", &[2.0; 6]))[0];
        assert_eq!((judged.outcome, judged.ratio), (Outcome::Fail, Some(f64::INFINITY)));
        assert_eq!(outcome("latency<=1.0", &[0.0; 6], &[0.0; 6]), Outcome::Pass);
    }

    #[test]
    fn every_bench_with_the_metric_is_judged() {
        let old = go("BenchmarkA 1 1 x\nBenchmarkB 1 1 y\nBenchmarkGone 1 1 x");
        let new = go("BenchmarkA 1 1 y\nBenchmarkB 1 1 y\nBenchmarkNew 1 1 x");
        let judged = judged("x<=1", &old, &new);
        let found: Vec<_> = judged.iter().map(|one| (one.bench.as_str(), one.reason.as_deref().unwrap())).collect();
        let expected =
            [("A", "the new side lacks it"), ("Gone", "the new side lacks it"), ("New", "the old side lacks it")];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_metric_that_nobody_has_is_an_error() {
        let reading = go("BenchmarkA 1 1 ns/op 3 B/op");
        let error = judge(&reading, &reading, &["latncy<=1".parse().unwrap()]).unwrap_err().to_string();
        assert_eq!(
            error,
            "use the budget `latncy.p50 <= 1`: no bench has the metric `latncy`; there are `latency`, `B/op`"
        );
    }
}
