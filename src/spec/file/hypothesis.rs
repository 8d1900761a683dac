//! The mirrors of a hypothesis, its checks and its budgets.

use schemars::JsonSchema;
use serde::Deserialize;

use super::SelectorFile;
use crate::unit::Statistic;

/// One claim about a candidate against a baseline, with its checks and budgets. It needs at least one of `correctness`, `benefit` and `guardrail`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Hypothesis")]
pub(in crate::spec) struct HypothesisFile {
    /// Its id, unique in the gate: letters, digits, `-`, `_` and `.`.
    #[schemars(required, regex(pattern = r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$"))]
    pub(in crate::spec) id: Option<String>,
    /// The claim, in a sentence.
    #[schemars(required, length(min = 1))]
    pub(in crate::spec) claim: Option<String>,
    /// What is there today, or what was recorded: with a suite required, else left out, as the target has the two sides.
    pub(in crate::spec) baseline: Option<BaselineFile>,
    /// What is proposed: with a suite required, else left out, as the target has the two sides.
    pub(in crate::spec) candidate: Option<SideFile>,
    /// The cases that it is about; all where it is left out.
    pub(in crate::spec) cases: Option<SelectorFile>,
    /// How to go back if it turns out wrong.
    #[schemars(required, length(min = 1))]
    pub(in crate::spec) rollback: Option<String>,
    /// Checks of the candidate: any failure rejects, regardless of speed.
    pub(in crate::spec) correctness: Option<Vec<CorrectnessFile>>,
    /// What makes the candidate worth having: at least one must pass.
    pub(in crate::spec) benefit: Option<Vec<BenefitFile>>,
    /// What the candidate must not make worse: every one must pass, in every case.
    pub(in crate::spec) guardrail: Option<Vec<BudgetFile>>,
    /// What is measured and shown, never judged.
    pub(in crate::spec) report: Option<Vec<ReportFile>>,
}

/// What the candidate is compared with: a lane that is run, or what was recorded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Baseline")]
pub(in crate::spec) struct BaselineFile {
    /// The lane of the suite that is measured on this side.
    pub(in crate::spec) lane: Option<String>,
    /// In place of a lane: `latest` is the baseline that `gate record` was last asked for on this machine. Only the candidate is run; what is not exact is then at best to revise, because it is not paired.
    #[schemars(extend("enum" = ["latest"]))]
    pub(in crate::spec) history: Option<String>,
}

/// One side of a comparison.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Side")]
pub(in crate::spec) struct SideFile {
    /// The lane of the suite that is measured on this side.
    #[schemars(required)]
    pub(in crate::spec) lane: Option<String>,
}

/// A correctness check of the candidate.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Correctness")]
pub(in crate::spec) struct CorrectnessFile {
    /// Its name in the suite.
    #[schemars(required)]
    pub(in crate::spec) check: Option<String>,
    /// Why it is known to fail today. While it fails the hypothesis is revised; once it passes too, until the gap is taken out.
    #[schemars(length(min = 1))]
    pub(in crate::spec) known_gap: Option<String>,
    /// The cases that it is about, within the hypothesis' own.
    pub(in crate::spec) cases: Option<SelectorFile>,
}

/// Something that makes the candidate worth having: a budget, or a capability, that is, a check that the candidate passes and the baseline fails.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Benefit")]
pub(in crate::spec) struct BenefitFile {
    /// The metric of the budget.
    pub(in crate::spec) metric: Option<String>,
    /// What reduces a run's samples to one number; each metric has a default.
    #[schemars(with = "Option<Statistic>")]
    pub(in crate::spec) statistic: Option<String>,
    /// Candidate / baseline at most.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::spec) max_ratio: Option<f64>,
    /// Candidate / baseline at least.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::spec) min_ratio: Option<f64>,
    /// The candidate's value at most, in the metric's unit.
    #[schemars(range(min = 0.0))]
    pub(in crate::spec) max: Option<f64>,
    /// The candidate's value at least, in the metric's unit.
    #[schemars(range(min = 0.0))]
    pub(in crate::spec) min: Option<f64>,
    /// The check of the capability, in place of a metric and a bound.
    pub(in crate::spec) check: Option<String>,
    /// The cases that it is about, within the hypothesis' own.
    pub(in crate::spec) cases: Option<SelectorFile>,
}

/// A bound on a metric's statistic: exactly one of `max_ratio`, `min_ratio`, `max` and `min`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Budget")]
pub(in crate::spec) struct BudgetFile {
    /// The metric.
    #[schemars(required)]
    pub(in crate::spec) metric: Option<String>,
    /// What reduces a run's samples to one number; each metric has a default.
    #[schemars(with = "Option<Statistic>")]
    pub(in crate::spec) statistic: Option<String>,
    /// Candidate / baseline at most.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::spec) max_ratio: Option<f64>,
    /// Candidate / baseline at least.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::spec) min_ratio: Option<f64>,
    /// The candidate's value at most, in the metric's unit.
    #[schemars(range(min = 0.0))]
    pub(in crate::spec) max: Option<f64>,
    /// The candidate's value at least, in the metric's unit.
    #[schemars(range(min = 0.0))]
    pub(in crate::spec) min: Option<f64>,
    /// The cases that it is about, within the hypothesis' own.
    pub(in crate::spec) cases: Option<SelectorFile>,
    /// A failure that somebody has agreed to, up to a bound and a day.
    pub(in crate::spec) waiver: Option<WaiverFile>,
}

/// A failure that somebody has agreed to, up to a bound and a day.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Waiver")]
pub(in crate::spec) struct WaiverFile {
    /// Why.
    #[schemars(required, length(min = 1))]
    pub(in crate::spec) reason: Option<String>,
    /// Who.
    #[schemars(required, length(min = 1))]
    pub(in crate::spec) approved_by: Option<String>,
    /// The bound that holds in place of the budget's: of the same kind, and looser.
    #[schemars(required)]
    pub(in crate::spec) bound: Option<f64>,
    /// The last day on which it holds, `YYYY-MM-DD`.
    #[schemars(required, regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    pub(in crate::spec) until: Option<String>,
}

/// A metric that is measured and shown, never judged.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Report")]
pub(in crate::spec) struct ReportFile {
    /// The metric.
    #[schemars(required)]
    pub(in crate::spec) metric: Option<String>,
    /// What reduces a run's samples to one number; each metric has a default.
    #[schemars(with = "Option<Statistic>")]
    pub(in crate::spec) statistic: Option<String>,
    /// The cases that it is about, within the hypothesis' own.
    pub(in crate::spec) cases: Option<SelectorFile>,
}
