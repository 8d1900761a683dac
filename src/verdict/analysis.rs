//! Evidence + plan → outcomes: one for every budget in every case, one for every check.

use serde::{Deserialize, Serialize};

use super::budget::Judge;
use super::reach::{Reach, reach_at};
use super::{Warning, benches, checks, diagnose};
use crate::evidence::Evidence;
use crate::plan::{Plan, PlannedHypothesis};
use crate::spec::{Benefit, Bound, Grade, Multiplicity};
use crate::stats::{Alpha, StatsError};
use crate::unit::{Case, Direction, Side, Statistic, Unit};
use crate::workload::catalogue::LaneKind;

/// The format of `analysis.json`.
pub const SCHEMA: &str = "gate.analysis/1";

/// The most pairs of a campaign.
const MOST_PAIRS: u32 = 1_000;

/// Below so many pairs a comparison's interval is called coarse.
const FEW_PAIRS: u32 = 10;

/// What keeps evidence from being analysed.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The plan's own numbers can't be used.
    #[error("use the plan's `[analysis]`: {0}")]
    Statistics(#[from] StatsError),
}

/// The outcomes of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// [`SCHEMA`].
    pub schema: String,
    /// SHA-256 of `plan.json`.
    pub plan: String,
    /// The hypotheses, in the plan's order.
    pub hypotheses: Vec<HypothesisAnalysis>,
    /// The look that the campaign ended with, where its plan has looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<LookTaken>,
}

/// The look that a campaign ended with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LookTaken {
    /// The pairs that there were.
    pub pairs: u32,
    /// The nominal error of one end of an interval at this look, so that all looks together keep the confidence; `None` where
    /// so few pairs can decide nothing.
    pub level: Option<f64>,
}

/// The outcomes of one hypothesis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HypothesisAnalysis {
    /// Its id.
    pub id: String,
    /// Its checks, contract first.
    pub checks: Vec<CheckOutcome>,
    /// Its budgets, case by case, in the gate file's order.
    pub budgets: Vec<BudgetResult>,
    /// Its cases that were not measured.
    pub left_out: Vec<LeftOutCase>,
    /// Runs of the plan that are not there, by id, but for those of a lane that broke its contract.
    pub missing_runs: Vec<String>,
    /// Doubts.
    pub warnings: Vec<Warning>,
}

/// A case that was not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutCase {
    /// The case.
    pub case: Case,
    /// Why.
    pub reason: String,
}

/// What a check or budget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What the lane promises by itself.
    Contract,
    /// What the hypothesis asks of the candidate; any failure rejects.
    Correctness,
    /// What the candidate can and the baseline can't.
    Capability,
    /// One of these must hold.
    Benefit,
    /// All of these must hold.
    Guardrail,
    /// Shown, never judged.
    Report,
}

/// How a check came out in one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOutcome {
    /// What it is for.
    pub role: Role,
    /// The check.
    pub check: String,
    /// The case.
    pub case: Case,
    /// How it came out.
    pub status: CheckStatus,
    /// What was found and expected, or why it is a known gap.
    pub detail: Option<String>,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStatus {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// It does not, as the gate file says.
    KnownGapOpen,
    /// It holds, although the gate file says that it does not: the gap is to be taken out.
    KnownGapGone,
    /// It did not run.
    NotRun,
}

/// The outcome of a budget in one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The whole interval is inside the bound.
    Pass,
    /// The whole interval is beyond the bound.
    Fail,
    /// Neither, or the evidence is incomplete.
    Inconclusive,
}

impl Outcome {
    /// The name in evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// A budget, or a reported metric, in one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetResult {
    /// What it is for.
    pub role: Role,
    /// The metric.
    pub metric: String,
    /// What reduced each run's samples to one number.
    pub statistic: Statistic,
    /// The unit of `baseline`, `candidate` and `value`.
    pub unit: Unit,
    /// Which way is better.
    pub direction: Direction,
    /// The case.
    pub case: Case,
    /// The bound; `None` where it is only reported.
    pub bound: Option<Bound>,
    /// Median over the baseline's runs.
    pub baseline: Option<f64>,
    /// Median over the candidate's runs.
    pub candidate: Option<f64>,
    /// The candidate's median divided by the baseline's; `None` on absolute budgets and where it is undefined.
    pub ratio: Option<f64>,
    /// What an absolute budget is about: the candidate's.
    pub value: Option<f64>,
    /// The lower end of the interval of `ratio` or `value`.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Why a number is missing.
    pub undefined: Option<String>,
    /// Whether the values were compared exactly.
    pub exact: bool,
    /// Whether the baseline is not of the same campaign, but was recorded before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpaired: bool,
    /// Pairs that the numbers rest on.
    pub pairs: u32,
    /// Whether the estimate itself is inside the bound; it never turns an inconclusive into a pass.
    pub point_within: Option<bool>,
    /// The outcome; `None` where it is only reported.
    pub outcome: Option<Outcome>,
    /// The p of what the verdict would claim of it: that a guardrail fails, that a benefit passes.
    pub p: Option<f64>,
    /// `p` after Holm's correction, where that is used.
    pub p_adjusted: Option<f64>,
    /// Whether that claim stands, after the correction where there is one.
    pub confirmed: bool,
    /// The waiver, where there is one.
    pub waiver: Option<WaiverUse>,
    /// Pairs that would settle an inconclusive outcome with 80 % power, by the normal formula.
    pub pairs_needed: Option<u32>,
}

impl BudgetResult {
    /// What more pairs promise, by the normal formula, where the outcome is inconclusive and the formula has an answer.
    ///
    /// They are to show that the bound is kept: where the estimate is beyond it they would not, and beyond 1,000 pairs there
    /// is no campaign. Where the formula says that there were enough, it says nothing.
    #[must_use]
    pub fn outlook(&self) -> Option<String> {
        let needed = self.pairs_needed?;
        match self.point_within? {
            false => Some("more pairs would sooner show that it fails".to_owned()),
            true if needed > MOST_PAIRS => Some("no campaign has as many pairs as would settle it".to_owned()),
            true => (needed > self.pairs).then(|| format!("about {needed} pairs would settle it")),
        }
    }

    /// Whether it rests on values that vary and were measured at different times, so that it can show nothing for certain.
    #[must_use]
    pub const fn is_doubtful(&self) -> bool {
        self.unpaired && !self.exact
    }
}

/// What became of a waiver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaiverUse {
    /// Why it was given.
    pub reason: String,
    /// By whom.
    pub approved_by: String,
    /// The bound in place of the budget's.
    pub bound: f64,
    /// The last day on which it holds.
    pub until: jiff::civil::Date,
    /// What became of it.
    pub state: WaiverState,
}

/// What became of a waiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaiverState {
    /// The budget passes without it.
    NotNeeded,
    /// The budget does not pass, and the waiver's bound does.
    Used,
    /// The waiver's bound does not pass either.
    Exceeded,
    /// It ran out before the campaign.
    Expired,
}

/// Which side of a bound the verdict would claim: the p and the correction are of this claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounded {
    /// Inside the bound: a benefit.
    Within,
    /// Beyond the bound: a guardrail.
    Beyond,
}

/// Analyses `evidence`; `date` is the day on which the campaign started, which decides about waivers.
///
/// # Errors
///
/// A plan whose numbers can't be used.
pub fn analyse(evidence: &Evidence, date: jiff::civil::Date) -> Result<Analysis, AnalysisError> {
    let plan = &evidence.plan;
    let judge = Judge::new(evidence, date)?;
    let hypotheses = plan
        .hypotheses
        .iter()
        .map(|planned| analyse_hypothesis(&judge, evidence, planned))
        .collect::<Result<Vec<_>, AnalysisError>>()?;
    let look = judge.look().map(|look| LookTaken { pairs: look.pairs, level: look.alpha.map(Alpha::as_f64) });
    Ok(Analysis { schema: SCHEMA.to_owned(), plan: plan.digest(), hypotheses, look })
}

fn analyse_hypothesis(
    judge: &Judge<'_>,
    evidence: &Evidence,
    planned: &PlannedHypothesis,
) -> Result<HypothesisAnalysis, AnalysisError> {
    let plan = &evidence.plan;
    let hypothesis = &planned.hypothesis;
    let mut warnings = side_warnings(plan, planned);
    let mut budgets = Vec::new();
    let roles = hypothesis
        .benefits
        .iter()
        .filter_map(|benefit| match benefit {
            Benefit::Budget(budget) => Some((Role::Benefit, budget)),
            Benefit::Capability(_) => None,
        })
        .chain(hypothesis.guardrails.iter().map(|budget| (Role::Guardrail, budget)));
    for (role, budget) in roles {
        for case in benches::judged(evidence, planned, &budget.cases, &budget.metric) {
            budgets.push(judge.budget(planned, &case, role, budget, &mut warnings)?);
        }
    }
    for reported in &hypothesis.reports {
        for case in benches::judged(evidence, planned, &reported.cases, &reported.metric) {
            budgets.push(judge.report(planned, &case, reported, &mut warnings));
        }
    }
    let alpha = judge.alpha();
    for role in [Role::Guardrail, Role::Benefit] {
        confirm(&mut budgets, role, plan.analysis.multiplicity, judge)?;
    }
    if plan.profile.grade == Grade::Comparison
        && plan.analysis.multiplicity == Multiplicity::Holm
        && let Some(Reach { claims, pairs: needed }) = reach_at(plan, &budgets, alpha)
        && plan.profile.pairs < needed
    {
        warnings.push(Warning::HolmOutOfReach { pairs: plan.profile.pairs, claims, needed });
    }
    warnings.extend(run_warnings(evidence, planned));
    if plan.diagnostics {
        warnings.extend(diagnose::doubts(evidence, planned, &budgets, alpha));
    }
    Ok(HypothesisAnalysis {
        id: hypothesis.id.clone(),
        checks: checks::outcomes(evidence, planned),
        budgets,
        left_out: planned
            .cases
            .iter()
            .filter_map(|index| {
                let reason = match plan.left_out.get(index) {
                    Some(left_out) => left_out.reason().to_owned(),
                    None if plan.lacks_baseline(planned, *index) => plan.lacking_baseline(),
                    None => return None,
                };
                Some(LeftOutCase { case: plan.cases[*index].clone(), reason })
            })
            .collect(),
        missing_runs: missing_runs(evidence, planned),
        warnings,
    })
}

fn missing_runs(evidence: &Evidence, planned: &PlannedHypothesis) -> Vec<String> {
    let plan = &evidence.plan;
    plan.runs
        .iter()
        .filter(|run| {
            run.matchup == planned.matchup
                && run.cases.iter().any(|case| planned.cases.contains(case))
                && run.pair <= evidence.pairs
                && !evidence.runs.contains_key(&run.id)
                && !evidence.leaves_out(run)
        })
        .map(|run| run.id.clone())
        .collect()
}

/// The cases of a hypothesis that are measured.
pub(super) fn measured<'a>(plan: &'a Plan, planned: &'a PlannedHypothesis) -> impl Iterator<Item = &'a Case> {
    let is_measured = |index: &&usize| !plan.left_out.contains_key(index) && !plan.lacks_baseline(planned, **index);
    planned.cases.iter().filter(is_measured).map(|&index| &plan.cases[index])
}

/// Decides whether the claim of each budget of `role` stands: exact ones by themselves, noisy ones by their
/// outcome and, where a family is corrected for, by their adjusted p (Holm 1979).
fn confirm(
    budgets: &mut [BudgetResult],
    role: Role,
    multiplicity: Multiplicity,
    judge: &Judge<'_>,
) -> Result<(), AnalysisError> {
    let claimed = if role == Role::Benefit { Outcome::Pass } else { Outcome::Fail };
    let mut family: Vec<&mut BudgetResult> = Vec::new();
    for budget in budgets.iter_mut().filter(|budget| budget.role == role) {
        budget.confirmed = budget.outcome == Some(claimed) && !budget.is_doubtful();
        if budget.p.is_some() {
            family.push(budget);
        }
    }
    if multiplicity == Multiplicity::Holm {
        let p: Vec<f64> = family.iter().filter_map(|budget| budget.p).collect();
        for (budget, adjusted) in family.into_iter().zip(judge.adjusted(&p)?) {
            budget.p_adjusted = Some(adjusted);
            budget.confirmed &= adjusted <= judge.alpha().as_f64();
        }
    }
    Ok(())
}

fn side_warnings(plan: &Plan, planned: &PlannedHypothesis) -> Vec<Warning> {
    let matchup = &plan.matchups[planned.matchup];
    let mut warnings = Vec::new();
    if matchup.baseline == matchup.candidate {
        warnings.push(Warning::EqualSides { lane: matchup.baseline.clone() });
    }
    let [baseline, candidate] = Side::BOTH.map(|side| plan.digests.sources.get(side.name()));
    if let (Some(source), true) = (baseline, baseline == candidate && plan.diagnostics) {
        warnings.push(Warning::SameSource { source: source.clone() });
    }
    if let Some(recorded) = plan.recorded.get(&planned.hypothesis.id) {
        warnings.push(Warning::Unpaired {
            campaign: recorded.campaign.clone(),
            date: recorded.date,
            machine: recorded.machine.clone(),
            commit: recorded.commit.clone(),
        });
    }
    for side in Side::BOTH {
        let lane = matchup.lane(side);
        let kind = plan.catalogued(lane).map(|lane| lane.kind);
        let warning = Warning::CalibrationLane { lane: lane.to_owned() };
        if kind == Some(LaneKind::Calibration) && !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    if plan.profile.grade == Grade::Comparison && plan.profile.pairs < FEW_PAIRS {
        warnings.push(Warning::FewPairs { pairs: plan.profile.pairs });
    }
    warnings
}

/// What the processes of a hypothesis' runs say about themselves, once each.
fn run_warnings(evidence: &Evidence, planned: &PlannedHypothesis) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for run in evidence.plan.runs.iter().filter(|run| run.matchup == planned.matchup) {
        let Some(record) = evidence.runs.get(&run.id) else { continue };
        let unenforced = record.observed.unenforced.iter().cloned().map(|what| Warning::LimitNotEnforced { what });
        let cases = if record.observed.peak_reset { &[][..] } else { &run.cases };
        let peak = cases.iter().map(|&case| Warning::PeakNotReset { case: evidence.plan.cases[case].clone() });
        for warning in unenforced.chain(peak) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    warnings
}
