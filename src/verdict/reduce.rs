//! Runs → one number each: the statistic of a metric's samples, paired by repetition.

use super::Warning;
use crate::evidence::{Evidence, Figures};
use crate::stats::{Level, resolves};
use crate::unit::{Case, Metric, Scope, Side, Statistic};

/// The numbers of one metric and statistic in one case: pair by pair, baseline beside candidate.
///
/// Where the baseline was recorded they have nothing to do with each other, and may be of different number.
#[derive(Debug)]
pub(super) struct Paired {
    /// One number a pair.
    pub(super) baseline: Vec<f64>,
    /// One number a pair.
    pub(super) candidate: Vec<f64>,
    /// The smallest and the largest sample of the candidate over all its runs.
    pub(super) candidate_range: (f64, f64),
}

/// Why there are no numbers to pair.
#[derive(Debug)]
pub(super) struct Missing {
    /// What is missing or wrong, and where.
    pub(super) what: String,
    /// A doubt to show beside the result.
    pub(super) warning: Option<Warning>,
}

fn missing(what: String) -> Missing {
    Missing { what, warning: None }
}

/// Reduces the runs of `matchup` in `case`.
///
/// A run that is missing or short, and a sample that is not a finite number ≥ 0, is named, and nothing is paired.
pub(super) fn paired(
    evidence: &Evidence,
    matchup: usize,
    case: &Case,
    metric: &Metric,
    statistic: Statistic,
) -> Result<Paired, Missing> {
    let plan = &evidence.plan;
    for side in Side::BOTH {
        let lane = plan.matchups[matchup].lane(side);
        if evidence.is_skipped(lane, &case.without_bench()) {
            return Err(missing(format!("not timed, because the {side} `{lane}` broke its contract")));
        }
    }
    let mut sides = [Vec::new(), Vec::new()];
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for pair in 1..=evidence.pairs {
        for (side, values) in Side::BOTH.into_iter().zip(&mut sides) {
            let (count, figures) = figures(evidence, matchup, case, metric, pair, side)?;
            if side == Side::Candidate {
                range = (range.0.min(figures.min), range.1.max(figures.max));
            }
            values.push(reduce(count, figures, metric, statistic, case)?);
        }
    }
    let [baseline, candidate] = sides;
    Ok(Paired { baseline, candidate, candidate_range: range })
}

/// Reduces the candidate's runs of `matchup` in `case`, beside which `baseline` is what an earlier campaign recorded, one
/// number a run.
pub(super) fn beside(
    baseline: &[f64],
    evidence: &Evidence,
    matchup: usize,
    case: &Case,
    metric: &Metric,
    statistic: Statistic,
) -> Result<Paired, Missing> {
    let plan = &evidence.plan;
    let lane = plan.matchups[matchup].lane(Side::Candidate);
    if evidence.is_skipped(lane, &case.without_bench()) {
        return Err(missing(format!("not timed, because the candidate `{lane}` broke its contract")));
    }
    let mut candidate = Vec::new();
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for pair in 1..=plan.profile.pairs {
        let (count, figures) = figures(evidence, matchup, case, metric, pair, Side::Candidate)?;
        range = (range.0.min(figures.min), range.1.max(figures.max));
        candidate.push(reduce(count, figures, metric, statistic, case)?);
    }
    Ok(Paired { baseline: baseline.to_vec(), candidate, candidate_range: range })
}

/// What the samples of one run come to, and how many there are: complete, finite and not negative.
pub(super) fn figures<'a>(
    evidence: &'a Evidence,
    matchup: usize,
    case: &Case,
    metric: &Metric,
    pair: u32,
    side: Side,
) -> Result<(usize, &'a Figures), Missing> {
    let plan = &evidence.plan;
    let planned = plan
        .runs
        .iter()
        .find(|run| {
            run.pair == pair
                && run.side == side
                && run.matchup == matchup
                && run.cases.iter().any(|&index| plan.cases[index] == case.without_bench())
        })
        .ok_or_else(|| missing(format!("pair {pair} of {case} has no {side} run in the plan")))?;
    let record = evidence.runs.get(&planned.id).ok_or_else(|| missing(format!("run `{}` is missing", planned.id)))?;
    let cell = record.cells.iter().find(|cell| cell.case == *case).ok_or_else(|| {
        match (metric.scope, case.get(Case::BENCH)) {
            (Scope::Reported, None) => missing(format!("no bench of any run has {}", metric.name)),
            _ => missing(format!("run `{}` did not measure {case}", planned.id)),
        }
    })?;
    let without = || missing(format!("run `{}` has no {}", planned.id, metric.name));
    let found = cell.metrics.get(metric.name.as_ref()).ok_or_else(without)?;
    let figures = match &found.figures {
        Ok(None) => return Err(without()),
        Ok(Some(figures)) => Ok(figures),
        Err(value) => Err(missing(format!("run `{}` has {value} as a sample of {}", planned.id, metric.name))),
    };
    if let Some(expected) = too_few(evidence, metric, found.count) {
        return Err(missing(format!(
            "run `{}` is short: {} samples of {}, and the plan wants {expected}",
            planned.id, found.count, metric.name
        )));
    }
    Ok((found.count, figures?))
}

/// The samples that the plan wants, where a run has another number.
fn too_few(evidence: &Evidence, metric: &Metric, count: usize) -> Option<String> {
    let plan = &evidence.plan;
    let count = count as u64;
    let exactly = |wanted: u32| (count != u64::from(wanted)).then(|| wanted.to_string());
    match metric.scope {
        Scope::Run => exactly(1),
        // How many there are is the program's own affair.
        Scope::Reported => None,
        Scope::Counted => exactly(plan.counted),
        Scope::Timed => match (plan.profile.samples, plan.profile.min_samples) {
            (Some(samples), _) => exactly(samples),
            (None, Some(least)) => (count < u64::from(least)).then(|| format!("at least {least}")),
            (None, None) => None,
        },
    }
}

fn reduce(count: usize, figures: &Figures, metric: &Metric, statistic: Statistic, case: &Case) -> Result<f64, Missing> {
    let (value, level) = match statistic {
        Statistic::Mean => return figures.mean.map_err(|error| missing(error.to_string())),
        Statistic::Min => return Ok(figures.min),
        Statistic::Max => return Ok(figures.max),
        Statistic::Value if count == 1 => return Ok(figures.min),
        Statistic::Value => {
            return Err(missing(format!("{} has {count} values where one was expected", metric.name)));
        }
        Statistic::P50 => (figures.p50, Level::P50),
        Statistic::P95 => (figures.p95, Level::P95),
        Statistic::P99 => (figures.p99, Level::P99),
    };
    if resolves(count, level) {
        return Ok(value);
    }
    Err(Missing {
        what: format!("{count} samples do not resolve {statistic}"),
        warning: Some(Warning::Unresolved {
            metric: metric.name.to_string(),
            statistic,
            case: case.clone(),
            samples: count,
        }),
    })
}
