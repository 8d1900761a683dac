//! How many pairs would settle what a campaign has left open.

use serde::Serialize;

use super::analysis::{Analysis, AnalysisError, BudgetResult, Outcome, Role};
use super::budget::{Judge, limit};
use super::reduce::{figures, paired};
use crate::evidence::Evidence;
use crate::spec::Bound;
use crate::stats::{IntervalRule, Scenario, Size, Spread, log_deviation, pairs_for_power, variance_parts};
use crate::unit::{Case, Metric, Scope, Side, Statistic};

/// Simulated campaigns for each number of pairs: the power has a standard error of at most 1.1 points.
const TRIALS: u32 = 2_000;

/// The numbers of pairs whose power is told.
const TABLE: [u32; 8] = [5, 7, 10, 15, 20, 30, 50, 100];

/// What it would take to settle one inconclusive budget in one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sizing {
    /// The hypothesis.
    pub hypothesis: String,
    /// What the budget is for.
    pub role: Role,
    /// The metric.
    pub metric: String,
    /// The statistic.
    pub statistic: Statistic,
    /// The case.
    pub case: Case,
    /// The bound.
    pub bound: Option<Bound>,
    /// The pairs that were measured.
    pub pairs: u32,
    /// The estimate from them: candidate / baseline.
    pub ratio: Option<f64>,
    /// The standard deviation of the pairs' log ratios.
    pub deviation: Option<f64>,
    /// Pairs for 80 % power by the normal formula.
    pub normal: Option<u32>,
    /// Pairs for 80 % power by simulation of the very estimator.
    pub simulated: Option<u32>,
    /// Simulated power by number of pairs.
    pub powers: Vec<(u32, f64)>,
    /// How much of the spread between the runs of a side comes from single operations, and would shrink with longer runs;
    /// the rest comes from the runs themselves, and only more pairs make it smaller. `None` where a run is one operation.
    pub of_operations: Option<f64>,
    /// Why no number of pairs is told, where none is.
    pub reason: Option<String>,
}

impl Sizing {
    /// The pairs that it takes to show that the budget is kept: the larger of what formula and simulation say.
    #[must_use]
    pub fn needed(&self) -> Option<u32> {
        self.simulated.map(|simulated| simulated.max(self.normal.unwrap_or(0)))
    }
}

/// Sizes every inconclusive budget of `analysis`, which is of `evidence`.
///
/// Sized is what a confirmation judges by: the bound of one side, at the confidence of the plan. The pairs' log ratios are
/// taken for normal, with the deviation that the campaign shows, and its estimate for the truth.
/// The normal formula is that of [`pairs_for_power`](crate::stats::pairs_for_power).
///
/// # Errors
///
/// A plan whose numbers can't be used.
pub fn sizes(evidence: &Evidence, analysis: &Analysis, date: jiff::civil::Date) -> Result<Vec<Sizing>, AnalysisError> {
    let judge = Judge::new(evidence, date)?;
    let mut sizes = Vec::new();
    for (planned, outcomes) in evidence.plan.hypotheses.iter().zip(&analysis.hypotheses) {
        for budget in outcomes.budgets.iter().filter(|budget| budget.outcome == Some(Outcome::Inconclusive)) {
            sizes.push(size(&judge, planned.matchup, &outcomes.id, budget)?);
        }
    }
    Ok(sizes)
}

fn size(judge: &Judge<'_>, matchup: usize, hypothesis: &str, budget: &BudgetResult) -> Result<Sizing, AnalysisError> {
    let mut sizing = Sizing {
        hypothesis: hypothesis.to_owned(),
        role: budget.role,
        metric: budget.metric.clone(),
        statistic: budget.statistic,
        case: budget.case.clone(),
        bound: budget.bound,
        pairs: budget.pairs,
        ratio: budget.ratio,
        deviation: None,
        normal: None,
        simulated: None,
        powers: Vec::new(),
        of_operations: None,
        reason: None,
    };
    let because = |sizing: Sizing, reason: &str| Ok(Sizing { reason: Some(reason.to_owned()), ..sizing });
    if let Some(undefined) = &budget.undefined {
        return because(sizing, undefined);
    }
    if budget.unpaired {
        return because(sizing, "its baseline was recorded: no number of runs pairs them; name a baseline that is run");
    }
    let (Some(bound), Some(ratio)) = (budget.bound.filter(|bound| bound.is_ratio()), budget.ratio) else {
        return because(
            sizing,
            "an absolute budget is judged by the candidate's runs alone: there are no ratios to size by",
        );
    };
    let plan = &judge.evidence().plan;
    let metric = plan.metric(&budget.metric);
    let pairs =
        metric.and_then(|metric| paired(judge.evidence(), matchup, &budget.case, metric, budget.statistic).ok());
    let Some(pairs) = pairs else {
        return because(sizing, "its pairs are not there");
    };
    sizing.deviation = log_deviation(&pairs.baseline, &pairs.candidate);
    let Some(deviation) = sizing.deviation.filter(|deviation| *deviation > 0.0) else {
        return because(sizing, "the spread of its pairs is not known: it takes two that differ, and no zeros");
    };
    sizing.of_operations = metric.and_then(|metric| of_operations(judge.evidence(), matchup, budget, metric));
    let alpha = IntervalRule::OneSided.alpha(judge.confidence());
    sizing.normal = pairs_for_power(&pairs.baseline, &pairs.candidate, ratio, bound.value(), alpha);
    let scenario = Scenario { estimator: judge.estimator(), ratio, deviation, bound: limit(bound)?, alpha };
    match scenario.size(TRIALS, plan.analysis.seed)? {
        Size::Pairs { pairs, .. } => {
            sizing.simulated = Some(pairs);
            sizing.powers = scenario.powers(&TABLE, TRIALS, plan.analysis.seed)?;
            Ok(sizing)
        }
        Size::NotAttainable => because(
            sizing,
            "not attainable: the estimate is at or beyond the bound, so that more pairs would sooner show that it fails",
        ),
        Size::TooMany => because(
            sizing,
            "not attainable: it takes more pairs than a campaign may have; quieten the host, or run longer",
        ),
    }
}

/// The share of single operations in the variance of a run's mean, over both sides (Kalibera & Jones 2013, section 6).
fn of_operations(evidence: &Evidence, matchup: usize, budget: &BudgetResult, metric: &Metric) -> Option<f64> {
    if metric.scope != Scope::Timed {
        return None;
    }
    let mut shares = Vec::new();
    for side in Side::BOTH {
        let spread = |pair| figures(evidence, matchup, &budget.case, metric, pair, side).ok()?.1.spread;
        let runs: Vec<Spread> = (1..=evidence.pairs).map(spread).collect::<Option<_>>()?;
        shares.push(variance_parts(&runs).ok()?.share_of_operations()?);
    }
    Some(shares.iter().sum::<f64>() / 2.0)
}
