//! Doubts that the values themselves raise, and what was going on on the host.

use super::Warning;
use super::analysis::{BudgetResult, Outcome, Role};
use super::budget::outcome;
use super::reduce::{Paired, paired};
use crate::evidence::{Evidence, RunSummary};
use crate::plan::PlannedHypothesis;
use crate::stats::{Alpha, autocorrelation, drift, order_effect, outliers, paired_t, two_groups};
use crate::unit::{Assumption, Case, Metric, Scope, Side, Unit};

/// The probability that any of a hypothesis' budgets raises a doubt of one kind where there is nothing to doubt; each
/// budget has its share of it (Bonferroni).
const FAMILY: f64 = 0.05;

/// Simulated samples for the p of two groups.
const TRIALS: u32 = 2_000;

/// From this ratio on a first sample that is above all others is called cold.
const COLD: f64 = 1.2;

/// From this share of outliers on they are told.
const OUTLIERS: f64 = 0.10;

/// Involuntary switches for each second of a run's own CPU time from which on something else wanted its CPU.
const SWITCHES: f64 = 200.0;

/// Seconds of CPU time below which the switches of a run tell nothing.
const SHORTEST: f64 = 0.05;

/// Processes beyond its own that wanted to run on average over the minute in which a run began.
const OTHERS: f64 = 1.0;

/// The share of a run's CPU time that a hypervisor took away from which on it is told.
const STOLEN: f64 = 0.01;

/// The doubts about the noisy ratio budgets of a hypothesis; `alpha` is the error of one end of an interval.
pub(super) fn doubts(
    evidence: &Evidence,
    planned: &PlannedHypothesis,
    budgets: &[BudgetResult],
    alpha: Alpha,
) -> Vec<Warning> {
    let mut seen: Vec<&BudgetResult> = Vec::new();
    for budget in budgets.iter().filter(|budget| budget.role != Role::Report && !budget.exact && budget.ratio.is_some())
    {
        let same = |other: &&BudgetResult| {
            (&other.metric, other.statistic, &other.case) == (&budget.metric, budget.statistic, &budget.case)
        };
        if !seen.iter().any(same) {
            seen.push(budget);
        }
    }
    let plan = &evidence.plan;
    #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
    let threshold = FAMILY / seen.len().max(1) as f64;
    let mut warnings = Vec::new();
    for budget in &seen {
        let Some(metric) = plan.metric(&budget.metric) else { continue };
        let Ok(pairs) = paired(evidence, planned.matchup, &budget.case, metric, budget.statistic) else { continue };
        let first = baseline_first(evidence, planned.matchup, &budget.case);
        of_pairs(budget, &pairs, &first, threshold, plan.analysis.seed, &mut warnings);
        if let Some(warning) = cross_check(budget, &pairs, alpha) {
            warnings.push(warning);
        }
        warnings.extend(cold(evidence, planned.matchup, &budget.case, metric));
    }
    warnings.extend(only_time(evidence, planned, budgets));
    warnings.extend(of_host(evidence, planned.matchup));
    let mut once = Vec::with_capacity(warnings.len());
    for warning in warnings {
        if !once.contains(&warning) {
            once.push(warning);
        }
    }
    once
}

/// Whether the baseline ran first, pair by pair.
fn baseline_first(evidence: &Evidence, matchup: usize, case: &Case) -> Vec<bool> {
    let case = case.without_bench();
    let plan = &evidence.plan;
    (1..=evidence.pairs)
        .map(|pair| {
            let of_pair = |run: &&crate::plan::PlannedRun| {
                run.pair == pair && run.matchup == matchup && run.cases.iter().any(|&index| plan.cases[index] == case)
            };
            plan.runs.iter().find(of_pair).is_none_or(|run| run.side == Side::Baseline)
        })
        .collect()
}

fn of_pairs(
    budget: &BudgetResult,
    pairs: &Paired,
    first: &[bool],
    threshold: f64,
    seed: u64,
    warnings: &mut Vec<Warning>,
) {
    let BudgetResult { metric, statistic, case, .. } = budget;
    let (metric, statistic, case) = (metric.clone(), *statistic, case.clone());
    for (side, values) in Side::BOTH.into_iter().zip([&pairs.baseline, &pairs.candidate]) {
        if let Ok(found) = drift(values)
            && found.p <= threshold
        {
            let (metric, case) = (metric.clone(), case.clone());
            warnings.push(Warning::Drift { metric, statistic, case, side, tau: found.tau, p: found.p });
        }
        if let Ok(found) = two_groups(values, TRIALS, seed)
            && found.p <= threshold
        {
            let (metric, case) = (metric.clone(), case.clone());
            let (below, above) = (found.below, found.above);
            warnings.push(Warning::TwoGroups { metric, statistic, case, side, below, above, p: found.p });
        }
    }
    if let Ok(found) = order_effect(&pairs.baseline, &pairs.candidate, first)
        && found.p <= threshold
    {
        let (metric, case) = (metric.clone(), case.clone());
        warnings.push(Warning::OrderEffect { metric, statistic, case, factor: found.factor, p: found.p });
    }
    let ratios: Vec<f64> = pairs.baseline.iter().zip(&pairs.candidate).map(|(below, above)| above / below).collect();
    if let Ok(found) = autocorrelation(&ratios)
        && found.p <= threshold
    {
        let (metric, case) = (metric.clone(), case.clone());
        warnings.push(Warning::Autocorrelated { metric, statistic, case, lag_one: found.lag_one, p: found.p });
    }
    if let Ok(found) = outliers(&ratios) {
        let outside = found.low + found.high;
        #[expect(clippy::cast_precision_loss, reason = "a thousand at most")]
        let share = outside as f64 / found.all as f64;
        if share >= OUTLIERS && outside > 1 {
            warnings.push(Warning::Outliers { metric, statistic, case, outside, pairs: found.all });
        }
    }
}

/// Where a paired t on the logs would come to another outcome.
fn cross_check(budget: &BudgetResult, pairs: &Paired, alpha: Alpha) -> Option<Warning> {
    let bound = budget.bound.filter(|bound| bound.is_ratio())?;
    let found = paired_t(&pairs.baseline, &pairs.candidate, alpha).ok()?;
    let other = outcome(found.interval.low(), found.interval.high(), bound).ok()?;
    (budget.outcome != Some(other)).then(|| Warning::CrossCheck {
        metric: budget.metric.clone(),
        statistic: budget.statistic,
        case: budget.case.clone(),
        ratio: found.point,
        low: found.interval.low(),
        high: found.interval.high(),
        outcome: other,
    })
}

/// A side whose first sample is above all others in most runs, and far above the typical one.
fn cold(evidence: &Evidence, matchup: usize, case: &Case, metric: &Metric) -> Vec<Warning> {
    if metric.scope != Scope::Timed {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    for side in Side::BOTH {
        let firsts: Vec<_> = records(evidence, matchup)
            .filter(|(run, _)| run.side == side)
            .flat_map(|(_, record)| record.cells.iter().filter(|cell| cell.case == *case))
            .filter_map(|cell| cell.metrics.get(metric.name.as_ref()))
            .filter(|summary| summary.count >= 5)
            .filter_map(|summary| summary.figures.as_ref().ok()?.as_ref()?.first)
            .collect();
        let cold = firsts.iter().filter(|first| first.above_all && first.ratio >= COLD).count();
        if cold * 2 > firsts.len() {
            let largest = firsts.iter().map(|first| first.ratio).fold(1.0, f64::max);
            warnings.push(Warning::ColdStart {
                metric: metric.name.to_string(),
                case: case.clone(),
                side,
                runs: cold,
                of: firsts.len(),
                largest,
            });
        }
    }
    warnings
}

/// Cases in which a budget of time does not pass although every counter that equal work repeats is the same on both sides.
fn only_time(evidence: &Evidence, planned: &PlannedHypothesis, budgets: &[BudgetResult]) -> Vec<Warning> {
    let times = budgets.iter().filter(|budget| budget.role != Role::Report && budget.unit == Unit::Nanoseconds);
    let open = times.filter(|budget| matches!(budget.outcome, Some(Outcome::Fail | Outcome::Inconclusive)));
    let counters: Vec<&Metric> =
        evidence.plan.metrics.iter().filter(|metric| metric.assumption == Assumption::Exact).collect();
    let same = |case: &Case| {
        let compared: Vec<bool> = counters
            .iter()
            .filter_map(|metric| paired(evidence, planned.matchup, case, metric, metric.default_statistic).ok())
            .map(|pairs| {
                let all = pairs.baseline.iter().chain(&pairs.candidate);
                all.clone().all(|value| value.total_cmp(&pairs.baseline[0]).is_eq())
            })
            .collect();
        (!compared.is_empty() && compared.iter().all(|same| *same)).then_some(compared.len())
    };
    open.filter_map(|budget| Some(Warning::OnlyTime { case: budget.case.clone(), counters: same(&budget.case)? }))
        .collect()
}

/// What else wanted the CPUs while the runs were at work.
fn of_host(evidence: &Evidence, matchup: usize) -> Vec<Warning> {
    let runs: Vec<_> = records(evidence, matchup).collect();
    let mut warnings = Vec::new();
    let most =
        |of: &dyn Fn(&RunSummary) -> Option<f64>| runs.iter().filter_map(|(_, record)| of(record)).reduce(f64::max);
    let count = |of: &dyn Fn(&RunSummary) -> Option<f64>, above: f64| {
        runs.iter().filter(|(_, record)| of(record).is_some_and(|value| value > above)).count()
    };
    #[expect(clippy::cast_precision_loss, reason = "counters far below 2^53")]
    let switches = |record: &RunSummary| {
        let seconds = record.observed.cpu_ns as f64 / 1e9;
        (seconds > SHORTEST).then(|| record.observed.involuntary_switches as f64 / seconds)
    };
    let stolen = |record: &RunSummary| record.observed.meanwhile.as_ref().and_then(|seen| seen.stolen);
    let throttled = |record: &RunSummary| record.observed.meanwhile.as_ref().and_then(|seen| seen.throttled);
    #[expect(clippy::cast_precision_loss, reason = "CPUs")]
    let others = |record: &RunSummary| {
        let load = record.observed.meanwhile.as_ref()?.load?;
        Some(load - record.observed.cpus.len() as f64)
    };
    let mut tell = |of: &dyn Fn(&RunSummary) -> Option<f64>, above: f64, warning: fn(usize, usize, f64) -> Warning| {
        let found = count(of, above);
        if let Some(most) = most(of).filter(|_| found > 0) {
            warnings.push(warning(found, runs.len(), most));
        }
    };
    tell(&switches, SWITCHES, |runs, of, most| Warning::Switched { runs, of, most });
    tell(&stolen, STOLEN, |runs, of, most| Warning::Stolen { runs, of, most });
    tell(&throttled, 0.0, |runs, of, most| Warning::Throttled { runs, of, most });
    tell(&others, OTHERS, |runs, of, most| Warning::Loaded { runs, of, most });
    warnings
}

fn records(evidence: &Evidence, matchup: usize) -> impl Iterator<Item = (&crate::plan::PlannedRun, &RunSummary)> {
    let runs = evidence.plan.runs.iter().filter(move |run| run.matchup == matchup);
    runs.filter_map(|run| Some((run, evidence.runs.get(&run.id)?)))
}
