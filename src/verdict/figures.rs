//! What a campaign measured, as the history keeps it.

use super::analysis::Analysis;
use super::budget::sides;
use crate::evidence::Evidence;
use crate::evidence::history::Measured;
use crate::stats::median;
use crate::unit::Side;

/// The figures of every budget and report of `analysis`, which is of `evidence`: of each metric, statistic and case of a
/// hypothesis those of both sides, once. A side that was not run has none, and neither has what has gaps.
#[must_use]
pub fn figures(evidence: &Evidence, analysis: &Analysis) -> Vec<Measured> {
    let mut figures: Vec<Measured> = Vec::new();
    for (planned, outcomes) in evidence.plan.hypotheses.iter().zip(&analysis.hypotheses) {
        let before = figures.len();
        for budget in &outcomes.budgets {
            let same = |one: &Measured| {
                (&one.metric, one.statistic, &one.case) == (&budget.metric, budget.statistic, &budget.case)
            };
            if figures[before..].iter().any(same) {
                continue;
            }
            let Some(metric) = evidence.plan.metric(&budget.metric) else { continue };
            let Ok(pairs) = sides(evidence, planned, &budget.case, metric, budget.statistic) else { continue };
            let run = evidence.plan.matchups[planned.matchup].sides();
            let both = Side::BOTH.into_iter().zip([pairs.baseline, pairs.candidate]);
            for (side, runs) in both.filter(|(side, _)| run.contains(side)) {
                let Ok(value) = median(&runs) else { continue };
                figures.push(Measured {
                    hypothesis: outcomes.id.clone(),
                    case: budget.case.clone(),
                    metric: budget.metric.clone(),
                    statistic: budget.statistic,
                    side,
                    value,
                    unit: budget.unit,
                    direction: budget.direction,
                    assumption: metric.assumption,
                    runs,
                });
            }
        }
    }
    figures
}
