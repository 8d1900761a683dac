//! What a gate sees on this host: how often identical sides are rejected, and how small a slowdown it catches.

use serde::{Deserialize, Serialize};

use super::analysis::{Analysis, AnalysisError, Outcome, Role};
use super::budget::{Judge, limit};
use super::reduce::paired;
use crate::evidence::Evidence;
use crate::spec::Bound;
use crate::stats::{
    self, Alpha, Confidence, IntervalRule, StatsError, clopper_pearson, log_deviation, smallest_effect,
};
use crate::unit::{Case, Statistic};

/// The format of `calibration.json`.
pub const SCHEMA: &str = "gate.calibration/1";

/// What a gate was seen to do on one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// [`SCHEMA`].
    pub schema: String,
    /// The gate.
    pub gate: String,
    /// SHA-256 of its file.
    pub gate_file: String,
    /// The profile.
    pub profile: String,
    /// Its pairs.
    pub pairs: u32,
    /// The CPU model of the host.
    pub cpu_model: Option<String>,
    /// The machine.
    pub machine: Option<String>,
    /// The day on which it began, UTC.
    pub date: jiff::civil::Date,
    /// Campaigns whose candidate was the baseline itself.
    pub identical: Trial,
    /// Campaigns whose candidate was the baseline with a known slowdown.
    pub slowdowns: Vec<Slowdown>,
    /// How often a slowdown that sits on the budget of latency passed it; none where no budget is of it.
    pub on_budget: Option<OnBudget>,
    /// A lane with one extra copy of the payload, against the same without.
    pub extra_copy: ExtraCopy,
    /// What the budgets see, by the spread of the pairs of all campaigns with identical sides.
    pub budgets: Vec<Sight>,
}

/// How campaigns came out that were really run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The campaigns.
    pub campaigns: u32,
    /// Of these, rejected.
    pub rejected: u32,
    /// Of these, passed: no guardrail failed or was inconclusive.
    pub passed: u32,
    /// The share rejected in the long run: the Clopper–Pearson interval at 95 %.
    pub rejected_interval: Option<(f64, f64)>,
    /// The share passed in the long run.
    pub passed_interval: Option<(f64, f64)>,
}

/// Campaigns with a known slowdown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slowdown {
    /// How many times as long every operation took.
    pub ratio: f64,
    /// How they came out.
    #[serde(flatten)]
    pub trial: Trial,
}

/// Campaigns whose slowdown is the bound itself: a pass is a false one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OnBudget {
    /// The bound.
    pub ratio: f64,
    /// The campaigns.
    pub campaigns: u32,
    /// Of these, passed.
    pub passed: u32,
    /// The share passed in the long run: the Clopper–Pearson interval at 95 %.
    pub passed_interval: Option<(f64, f64)>,
}

/// Whether one extra copy of the payload was caught.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtraCopy {
    /// Whether it was; none where it could not be tried.
    pub caught: Option<bool>,
    /// By what it was caught, or why it could not be tried.
    pub detail: String,
}

/// What one guardrail sees in one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sight {
    /// The hypothesis.
    pub hypothesis: String,
    /// The metric.
    pub metric: String,
    /// The statistic.
    pub statistic: Statistic,
    /// The case.
    pub case: Case,
    /// The bound.
    pub bound: Bound,
    /// The standard deviation of the pairs' log ratios.
    pub deviation: f64,
    /// The smallest true ratio that fails with a power of 80 %, by the normal formula.
    pub sees_80: f64,
    /// The same with a power of 95 %.
    pub sees_95: f64,
    /// The tightest bound that an unchanged candidate passes with a power of 80 %.
    pub passes_80: f64,
}

impl Sight {
    /// Whether the budget is finer than what the host can see: an unchanged candidate would not pass it.
    #[must_use]
    pub fn is_too_fine(&self) -> bool {
        if self.bound.is_upper() { self.bound.value() < self.passes_80 } else { self.bound.value() > self.passes_80 }
    }
}

impl Trial {
    /// Counts one campaign by its guardrails: one that fails, after the correction where there is one, rejects; all have
    /// to pass.
    pub fn count(&mut self, analysis: &Analysis) {
        let budgets = analysis.hypotheses.iter().flat_map(|hypothesis| &hypothesis.budgets);
        let (mut rejected, mut passed) = (false, true);
        for budget in budgets.filter(|budget| budget.role == Role::Guardrail) {
            rejected |= budget.outcome == Some(Outcome::Fail) && budget.confirmed;
            passed &= budget.outcome == Some(Outcome::Pass);
        }
        self.campaigns += 1;
        self.rejected += u32::from(rejected);
        self.passed += u32::from(passed);
        self.rejected_interval = share(self.rejected, self.campaigns);
        self.passed_interval = share(self.passed, self.campaigns);
    }
}

impl OnBudget {
    /// Of a trial whose slowdown was `ratio`.
    #[must_use]
    pub fn of(ratio: f64, trial: &Trial) -> Self {
        let Trial { campaigns, passed, passed_interval, .. } = *trial;
        Self { ratio, campaigns, passed, passed_interval }
    }
}

impl Calibration {
    /// The smallest slowdowns that every guardrail sees with 80 % and with 95 % power; none where no guardrail is noisy.
    #[must_use]
    pub fn sees(&self) -> Option<(f64, f64)> {
        let distance = |ratio: f64| if ratio < 1.0 { 1.0 / ratio } else { ratio };
        let worst = |of: fn(&Sight) -> f64| self.budgets.iter().map(|sight| distance(of(sight))).reduce(f64::max);
        Some((worst(|sight| sight.sees_80)?, worst(|sight| sight.sees_95)?))
    }

    /// What every later report of the gate on this host quotes.
    #[must_use]
    pub fn quote(&self) -> String {
        let sees = self.sees().map_or_else(String::new, |(at_80, at_95)| {
            format!(
                "this gate sees {:.1} % at 95 %, {:.1} % at 80 % power; ",
                100.0 * (at_95 - 1.0),
                100.0 * (at_80 - 1.0)
            )
        });
        let Trial { campaigns, rejected, passed, .. } = self.identical;
        format!(
            "{sees}of {campaigns} campaigns with identical sides {rejected} were rejected and {passed} passed ({}, profile {})",
            self.date, self.profile
        )
    }
}

/// The Clopper–Pearson interval at 95 %.
fn share(successes: u32, trials: u32) -> Option<(f64, f64)> {
    let alpha = IntervalRule::TwoSided.alpha(Confidence::P95);
    clopper_pearson(successes, trials, alpha).ok().map(|interval| (interval.low(), interval.high()))
}

/// What each noisy ratio guardrail sees, from the campaigns with identical sides. The variances of a budget's log ratios
/// are averaged over the campaigns, which have equally many pairs.
///
/// # Errors
///
/// A plan whose numbers can't be used.
pub fn sights(campaigns: &[(Evidence, Analysis)], date: jiff::civil::Date) -> Result<Vec<Sight>, AnalysisError> {
    let Some((first, analysis)) = campaigns.first() else { return Ok(Vec::new()) };
    let pairs = first.plan.profile.pairs;
    let alpha = Judge::new(first, date)?.alpha();
    let mut sights = Vec::new();
    for (planned, outcomes) in first.plan.hypotheses.iter().zip(&analysis.hypotheses) {
        for budget in outcomes.budgets.iter().filter(|budget| budget.role == Role::Guardrail) {
            let Some(bound) = budget.bound.filter(|bound| bound.is_ratio()) else { continue };
            let Some(metric) = first.plan.metric(&budget.metric) else { continue };
            let variances: Vec<f64> = campaigns
                .iter()
                .filter_map(|(evidence, _)| {
                    paired(evidence, planned.matchup, &budget.case, metric, budget.statistic).ok()
                })
                .filter_map(|pairs| log_deviation(&pairs.baseline, &pairs.candidate))
                .map(|deviation| deviation * deviation)
                .collect();
            let Ok(variance) = stats::mean(&variances) else { continue };
            // Counters that never vary see everything.
            if variance > 0.0 {
                let deviation = libm::sqrt(variance);
                let (sees_80, sees_95, passes_80) = seen(deviation, pairs, bound, alpha)?;
                sights.push(Sight {
                    hypothesis: outcomes.id.clone(),
                    metric: budget.metric.clone(),
                    statistic: budget.statistic,
                    case: budget.case.clone(),
                    bound,
                    deviation,
                    sees_80,
                    sees_95,
                    passes_80,
                });
            }
        }
    }
    Ok(sights)
}

fn seen(deviation: f64, pairs: u32, bound: Bound, alpha: Alpha) -> Result<(f64, f64, f64), StatsError> {
    let at = |power| smallest_effect(deviation, pairs, limit(bound)?, alpha, power);
    let unchanged = limit(bound.with(1.0))?;
    Ok((at(0.80)?, at(0.95)?, smallest_effect(deviation, pairs, unchanged, alpha, 0.80)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_too_fine_where_an_unchanged_candidate_would_not_pass() {
        let alpha = IntervalRule::OneSided.alpha(Confidence::P95);
        let sight = |deviation: f64, bound: Bound| {
            let (sees_80, sees_95, passes_80) = seen(deviation, 20, bound, alpha).unwrap();
            let (hypothesis, metric) = ("h".to_owned(), "latency".to_owned());
            let case = Case::default();
            Sight { hypothesis, metric, statistic: Statistic::P50, case, bound, deviation, sees_80, sees_95, passes_80 }
        };
        // 2.4865·0.01/√20 = 0.00556.
        let fine = sight(0.01, Bound::MaxRatio(1.005));
        assert!(fine.is_too_fine() && (fine.passes_80 - 1.005_575).abs() < 1e-5, "{fine:?}");
        assert!(!sight(0.01, Bound::MaxRatio(1.006)).is_too_fine());
        assert!(sight(0.01, Bound::MinRatio(0.997)).is_too_fine());
        assert!(!sight(0.01, Bound::MinRatio(0.99)).is_too_fine());
        assert!(fine.sees_95 > fine.sees_80 && fine.sees_80 > fine.bound.value());
    }
}
