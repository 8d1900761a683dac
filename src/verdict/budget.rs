//! One budget in one case: numbers, interval, outcome.

use super::Warning;
use super::analysis::{AnalysisError, Bounded, BudgetResult, Outcome, Role, WaiverState, WaiverUse};
use super::reduce::{Missing, Paired, beside, paired};
use crate::evidence::Evidence;
use crate::plan::{Plan, PlannedHypothesis};
use crate::spec::{Analysis, Bound, Budget, Estimator, Hypothesis, IntervalKind, Reported, Waiver};
use crate::stats::{
    self, Alpha, Confidence, Estimate, IntervalRule, Look, Reduction, Resamples, StatsError, exact_ratio, holm,
    holm_at_look, median, median_of, pairs_for_power, ratio_unpaired,
};
use crate::unit::{Assumption, Case, Metric, Side, Statistic, Unit};

/// The fewest runs of a side that have an interval where the sides are not paired.
const FEWEST_APART: usize = 5;

/// Judges budgets: what all of a campaign's have in common.
pub(super) struct Judge<'a> {
    evidence: &'a Evidence,
    date: jiff::civil::Date,
    resamples: Resamples,
    estimator: stats::Estimator,
    rule: IntervalRule,
    confidence: Confidence,
    /// The looks up to the one that the evidence is of; none where the plan has none.
    looks: Vec<Look>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(evidence: &'a Evidence, date: jiff::civil::Date) -> Result<Self, AnalysisError> {
        let Plan { analysis, .. } = &evidence.plan;
        let (rule, confidence) = error_of(analysis)?;
        let estimator = match analysis.estimator {
            Estimator::RatioOfMedians => stats::Estimator::RatioOfMedians,
            Estimator::MedianLogRatio => stats::Estimator::MedianLogRatio,
            Estimator::HodgesLehmann => stats::Estimator::HodgesLehmann,
        };
        let looks = looks(&evidence.plan, evidence.pairs)?;
        Ok(Self {
            evidence,
            date,
            resamples: Resamples::new(evidence.pairs as usize, analysis.seed, analysis.resamples)?,
            estimator,
            rule,
            confidence,
            looks,
        })
    }

    /// What is judged.
    pub(super) fn evidence(&self) -> &'a Evidence {
        self.evidence
    }

    /// What estimates a ratio.
    pub(super) fn estimator(&self) -> stats::Estimator {
        self.estimator
    }

    /// The confidence of the plan.
    pub(super) fn confidence(&self) -> Confidence {
        self.confidence
    }

    /// The look that the evidence is of, where the plan has looks.
    pub(super) fn look(&self) -> Option<&Look> {
        self.looks.last()
    }

    /// The error that each end of an interval may have here: that of a campaign, or of its look; `None` where nothing can be
    /// decided at this look.
    fn level(&self) -> Option<Alpha> {
        self.look().map_or(Some(self.alpha()), |look| look.alpha)
    }

    /// Holm's adjusted p of a family, to be held to [`Self::alpha`].
    pub(super) fn adjusted(&self, p: &[f64]) -> Result<Vec<f64>, StatsError> {
        if self.looks.is_empty() {
            return holm(p);
        }
        let pairs: Vec<u32> = self.looks.iter().map(|look| look.pairs).collect();
        holm_at_look(p, &pairs, self.evidence.plan.profile.pairs, self.alpha())
    }

    /// The error that is allowed on each side of an interval, over all looks.
    pub(super) fn alpha(&self) -> Alpha {
        self.rule.alpha(self.confidence)
    }

    /// A metric that is shown and not judged.
    pub(super) fn report(
        &self,
        planned: &PlannedHypothesis,
        case: &Case,
        reported: &Reported,
        warnings: &mut Vec<Warning>,
    ) -> BudgetResult {
        let mut result = blank(Role::Report, &reported.metric, reported.statistic, case, None);
        result.unpaired = planned.hypothesis.baseline_is_recorded();
        if let Some(pairs) = self.pairs(planned, case, &reported.metric, &mut result, warnings) {
            self.ratio(&pairs, &reported.metric, &mut result);
        }
        result
    }

    /// A budget of a hypothesis.
    pub(super) fn budget(
        &self,
        planned: &PlannedHypothesis,
        case: &Case,
        role: Role,
        budget: &Budget,
        warnings: &mut Vec<Warning>,
    ) -> Result<BudgetResult, AnalysisError> {
        let mut result = blank(role, &budget.metric, budget.statistic, case, Some(budget.bound));
        result.outcome = Some(Outcome::Inconclusive);
        // An absolute bound is held against the candidate alone.
        result.unpaired = planned.hypothesis.baseline_is_recorded() && budget.bound.is_ratio();
        if let Some(pairs) = self.pairs(planned, case, &budget.metric, &mut result, warnings) {
            let estimate = if budget.bound.is_ratio() {
                let estimate = self.ratio(&pairs, &budget.metric, &mut result);
                if budget.metric.assumption == Assumption::Exact && !result.exact {
                    warnings.extend(varied(&budget.metric, case, &pairs));
                }
                estimate
            } else {
                self.value(&pairs, budget, &mut result)
            };
            let claim = if role == Role::Benefit { Bounded::Within } else { Bounded::Beyond };
            decide(&mut result, budget.bound, estimate.as_ref(), claim)?;
            if result.outcome == Some(Outcome::Inconclusive) {
                result.pairs_needed = self.pairs_needed(&pairs, &result, budget.bound);
            }
        }
        if let Some(waiver) = &budget.waiver {
            result.waiver = Some(self.waiver(&result, budget.bound, waiver)?);
        }
        Ok(result)
    }

    fn pairs(
        &self,
        planned: &PlannedHypothesis,
        case: &Case,
        metric: &Metric,
        result: &mut BudgetResult,
        warnings: &mut Vec<Warning>,
    ) -> Option<Paired> {
        match sides(self.evidence, planned, case, metric, result.statistic) {
            Ok(pairs) => {
                result.pairs = u32::try_from(pairs.candidate.len()).unwrap_or(u32::MAX);
                result.baseline = median(&pairs.baseline).ok();
                result.candidate = median(&pairs.candidate).ok();
                Some(pairs)
            }
            Err(missing) => {
                result.undefined = Some(missing.what);
                warnings.extend(missing.warning.filter(|warning| !warnings.contains(warning)));
                None
            }
        }
    }

    /// Fills in ratio and interval, and gives the estimate where the values are noisy and paired.
    fn ratio(&self, pairs: &Paired, metric: &Metric, result: &mut BudgetResult) -> Option<Estimate> {
        if pairs.baseline.is_empty() {
            result.undefined = Some(if self.evidence.plan.records {
                "it is to be the baseline: there is nothing to compare it with".to_owned()
            } else {
                "no baseline of it was recorded".to_owned()
            });
            return None;
        }
        result.exact = metric.assumption == Assumption::Exact && agree(pairs);
        if result.exact {
            // Equal in every pair, so the first pair says it all.
            let (baseline, candidate) = (pairs.baseline[0], pairs.candidate[0]);
            match exact_ratio(baseline, candidate) {
                Some(ratio) => (result.ratio, result.low, result.high) = (Some(ratio), Some(ratio), Some(ratio)),
                None => result.undefined = Some(format!("the baseline is zero and the candidate is {candidate}")),
            }
            return None;
        }
        if matches!(result.unit, Unit::Nanoseconds | Unit::Bytes)
            && let Some(pair) = pairs.candidate.iter().position(|value| *value <= 0.0)
        {
            let pair = pair + 1;
            result.undefined =
                Some(format!("the candidate has {} zero in pair {pair}: no ratio follows", result.metric));
            return None;
        }
        if result.unpaired {
            self.apart(pairs, result);
            return None;
        }
        match self.estimator.estimate(&self.resamples, &pairs.baseline, &pairs.candidate) {
            Ok(estimate) => {
                result.ratio = Some(estimate.point());
                self.interval(estimate, result)
            }
            Err(error) => undefined(result, &error),
        }
    }

    /// Fills in ratio and interval of sides that were measured apart, whatever the plan's estimator: it is for pairs.
    fn apart(&self, pairs: &Paired, result: &mut BudgetResult) {
        for (side, runs) in [("recorded baseline", &pairs.baseline), ("candidate", &pairs.candidate)] {
            if runs.len() < FEWEST_APART {
                let found = runs.len();
                result.undefined = Some(format!(
                    "the {side} has {found} runs, and {FEWEST_APART} are needed for an interval of what is not paired"
                ));
                return;
            }
        }
        let analysis = &self.evidence.plan.analysis;
        let (seed, draws) = (analysis.seed, analysis.resamples);
        match ratio_unpaired(&pairs.baseline, &pairs.candidate, Reduction::Median, self.alpha(), seed, draws) {
            Ok(found) if found.point.is_finite() && found.interval.high().is_finite() => {
                result.ratio = Some(found.point);
                (result.low, result.high) = (Some(found.interval.low()), Some(found.interval.high()));
            }
            Ok(_) => result.undefined = Some("the recorded baseline is zero: no ratio follows".to_owned()),
            Err(error) => result.undefined = Some(error.to_string()),
        }
    }

    /// Fills in value and interval of an absolute budget.
    fn value(&self, pairs: &Paired, budget: &Budget, result: &mut BudgetResult) -> Option<Estimate> {
        if budget.metric.assumption == Assumption::Exact {
            // A counter is held to its bound in every operation.
            let (low, high) = pairs.candidate_range;
            let value = if budget.bound.is_upper() { high } else { low };
            (result.value, result.low, result.high) = (Some(value), Some(value), Some(value));
            result.exact = true;
            return None;
        }
        match median_of(&self.resamples, &pairs.candidate) {
            Ok(estimate) => {
                result.value = Some(estimate.point());
                self.interval(Estimate::Bootstrap(estimate), result)
            }
            Err(error) => undefined(result, &error),
        }
    }

    fn interval(&self, estimate: Estimate, result: &mut BudgetResult) -> Option<Estimate> {
        let Some(level) = self.level() else {
            result.undefined = Some(format!("{} pairs are too few to decide anything at this look", result.pairs));
            return None;
        };
        if result.pairs < 2 {
            result.undefined = Some("one pair has no spread, and so no interval".to_owned());
            return None;
        }
        match estimate.interval(level) {
            Ok(interval) => {
                (result.low, result.high) = (Some(interval.low()), Some(interval.high()));
                Some(estimate)
            }
            Err(error) => undefined(result, &error),
        }
    }

    fn waiver(&self, result: &BudgetResult, bound: Bound, waiver: &Waiver) -> Result<WaiverUse, AnalysisError> {
        let inside = match (result.low, result.high) {
            (Some(low), Some(high)) => outcome(low, high, bound.with(waiver.bound))? == Outcome::Pass,
            _ => false,
        };
        let state = if result.outcome == Some(Outcome::Pass) {
            WaiverState::NotNeeded
        } else if self.date > waiver.until {
            WaiverState::Expired
        } else if inside {
            WaiverState::Used
        } else {
            WaiverState::Exceeded
        };
        Ok(WaiverUse {
            reason: waiver.reason.clone(),
            approved_by: waiver.approved_by.clone(),
            bound: waiver.bound,
            until: waiver.until,
            state,
        })
    }

    fn pairs_needed(&self, pairs: &Paired, result: &BudgetResult, bound: Bound) -> Option<u32> {
        if !bound.is_ratio() || result.unpaired {
            return None;
        }
        pairs_for_power(&pairs.baseline, &pairs.candidate, result.ratio?, bound.value(), self.alpha())
    }
}

/// What an interval of this analysis claims, and with which confidence.
pub(super) fn error_of(analysis: &Analysis) -> Result<(IntervalRule, Confidence), StatsError> {
    let rule = match analysis.interval {
        IntervalKind::TwoSided => IntervalRule::TwoSided,
        IntervalKind::OneSided => IntervalRule::OneSided,
    };
    let parts = u16::try_from(analysis.confidence_parts).unwrap_or(u16::MAX);
    Ok((rule, Confidence::from_parts(parts)?))
}

/// The looks of a plan up to that of so many `pairs`, the end of the plan included; none where it has none.
///
/// # Errors
///
/// A confidence, or looks, that can't be used.
pub fn looks(plan: &Plan, pairs: u32) -> Result<Vec<Look>, StatsError> {
    let profile = &plan.profile;
    if profile.looks.is_empty() {
        return Ok(Vec::new());
    }
    let (rule, confidence) = error_of(&plan.analysis)?;
    let ends: Vec<u32> = profile.ends().into_iter().filter(|&end| end <= pairs).collect();
    stats::looks(&ends, profile.pairs, rule.alpha(confidence))
}

fn blank(role: Role, metric: &Metric, statistic: Statistic, case: &Case, bound: Option<Bound>) -> BudgetResult {
    BudgetResult {
        role,
        metric: metric.name.to_string(),
        statistic,
        unit: metric.unit,
        direction: metric.direction,
        case: case.clone(),
        bound,
        baseline: None,
        candidate: None,
        ratio: None,
        value: None,
        low: None,
        high: None,
        undefined: None,
        exact: false,
        unpaired: false,
        pairs: 0,
        point_within: None,
        outcome: None,
        p: None,
        p_adjusted: None,
        confirmed: false,
        waiver: None,
        pairs_needed: None,
    }
}

/// The numbers of both sides, those of a recorded baseline as the plan has them: none where it has none.
pub(super) fn sides(
    evidence: &Evidence,
    planned: &PlannedHypothesis,
    case: &Case,
    metric: &Metric,
    statistic: Statistic,
) -> Result<Paired, Missing> {
    let Hypothesis { id, .. } = &planned.hypothesis;
    if !planned.hypothesis.baseline_is_recorded() {
        return paired(evidence, planned.matchup, case, metric, statistic);
    }
    let recorded = evidence.plan.recorded.get(id).and_then(|recorded| recorded.runs(case, &metric.name, statistic));
    beside(recorded.unwrap_or_default(), evidence, planned.matchup, case, metric, statistic)
}

fn undefined(result: &mut BudgetResult, error: &StatsError) -> Option<Estimate> {
    result.undefined = Some(error.to_string());
    None
}

/// Whether all runs of each side have the same value.
fn agree(pairs: &Paired) -> bool {
    [&pairs.baseline, &pairs.candidate]
        .into_iter()
        .all(|values| values.iter().all(|value| value.total_cmp(&values[0]).is_eq()))
}

fn varied(metric: &Metric, case: &Case, pairs: &Paired) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (side, values) in Side::BOTH.into_iter().zip([&pairs.baseline, &pairs.candidate]) {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low < high {
            warnings.push(Warning::ExactVaried {
                metric: metric.name.to_string(),
                case: case.clone(),
                side,
                low,
                high,
            });
        }
    }
    warnings
}

/// Gives the outcome: the whole interval inside passes, the whole interval beyond fails, anything else is inconclusive.
fn decide(
    result: &mut BudgetResult,
    bound: Bound,
    estimate: Option<&Estimate>,
    claim: Bounded,
) -> Result<(), AnalysisError> {
    if let (Some(low), Some(high)) = (result.low, result.high) {
        let limit = limit(bound)?;
        result.outcome = Some(outcome(low, high, bound)?);
        result.point_within = result.ratio.or(result.value).map(|point| limit.holds(point));
        result.p = estimate.map(|estimate| match claim {
            Bounded::Within => estimate.p_within(limit),
            Bounded::Beyond => estimate.p_beyond(limit),
        });
    } else if result.exact {
        // A regression from zero has no ratio, and is one all the same.
        result.outcome = Some(Outcome::Fail);
    }
    Ok(())
}

pub(super) fn limit(bound: Bound) -> Result<stats::Bound, StatsError> {
    if bound.is_upper() { stats::Bound::at_most(bound.value()) } else { stats::Bound::at_least(bound.value()) }
}

/// The outcome of the interval from `low` to `high` under `bound`: the whole of it inside passes, the whole of it beyond fails.
///
/// # Errors
///
/// A bound that is not finite.
pub fn outcome(low: f64, high: f64, bound: Bound) -> Result<Outcome, StatsError> {
    let limit = limit(bound)?;
    Ok(match (limit.holds(low), limit.holds(high)) {
        (true, true) => Outcome::Pass,
        (false, false) => Outcome::Fail,
        _ => Outcome::Inconclusive,
    })
}
