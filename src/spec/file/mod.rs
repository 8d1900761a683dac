//! The mirror of a gate file: what may stand in it, under which keys, and in which types.
//!
//! The mirror types never leave `spec`. They are read by `decode`, judged by `validate`, and described by the JSON Schema,
//! whose descriptions are their documentation. Keys that a gate needs are optional here, so that all that are missing
//! can be reported at once.

mod hypothesis;
mod matrix;
mod profile;
mod target;

use schemars::JsonSchema;
use serde::Deserialize;

pub(super) use hypothesis::{
    BaselineFile, BenefitFile, BudgetFile, CorrectnessFile, HypothesisFile, ReportFile, SideFile, WaiverFile,
};
pub(super) use matrix::{MatrixFile, Named, SelectorFile};
pub(super) use profile::{ProfileFile, WarmupFile};
pub(super) use target::{CommandFile, ExpectFile, LinesFile, ProgramFile, RevisionsFile, TIME, TargetFile, outputs};

use super::model::{Estimator, IntervalKind, Multiplicity, QuantileKind};

/// The version of the format that this version of gate reads.
pub(super) const FORMAT_VERSION: i64 = 1;

/// A gate file: what is measured, over which workload, and what must hold for each claim.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "gate file")]
pub(super) struct GateFile {
    /// The address of this schema, for editors.
    #[serde(rename = "$schema")]
    #[expect(dead_code, reason = "accepted for editors, and not part of what the gate says")]
    pub(super) schema: Option<String>,
    /// The version of the format: 1.
    #[schemars(required, extend("const" = FORMAT_VERSION))]
    pub(super) gate: Option<i64>,
    /// The gate's name: letters, digits, `-`, `_` and `.`. Its campaigns land in `results/NAME/`.
    #[schemars(required, regex(pattern = r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$"))]
    pub(super) name: Option<String>,
    /// What the gate is about, in one line.
    #[schemars(required, length(min = 1))]
    pub(super) title: Option<String>,
    /// What is measured: exactly one of `suite`, `command` and `revisions`.
    #[schemars(required)]
    pub(super) target: Option<TargetFile>,
    /// What the fixtures are made from.
    pub(super) fixture: Option<FixtureFile>,
    /// The axes of the workload: every combination of their values is a case.
    pub(super) matrix: Option<MatrixFile>,
    /// How much is measured, and under which conditions: one table a profile, `[profile.NAME]`. `full` is the one that runs unless another is named.
    #[schemars(required)]
    pub(super) profile: Option<Named<ProfileFile>>,
    /// How pairs become outcomes.
    pub(super) analysis: Option<AnalysisFile>,
    /// The claims: one `[[hypothesis]]` each.
    #[schemars(required, length(min = 1))]
    pub(super) hypothesis: Option<Vec<HypothesisFile>>,
}

/// What the fixtures are made from.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Fixture")]
pub(super) struct FixtureFile {
    /// The seed of whatever in a fixture is random.
    #[schemars(extend("default" = 538))]
    pub(super) seed: Option<u64>,
    /// A nullable value is null where (row + column) % `null_period` is 0.
    #[schemars(range(min = 1, max = 1_000_000), extend("default" = 13))]
    pub(super) null_period: Option<i64>,
}

/// How pairs become outcomes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Analysis")]
pub(super) struct AnalysisFile {
    /// Bootstrap draws where the distribution is not enumerated exactly, which it is up to 8 pairs.
    #[schemars(range(min = 1, max = 1_000_000), extend("default" = 20_000))]
    pub(super) resamples: Option<i64>,
    /// The seed of the draws.
    #[schemars(extend("default" = 1_412))]
    pub(super) seed: Option<u64>,
    /// What is estimated from the pairs.
    #[schemars(with = "Option<Estimator>", extend("default" = "ratio-of-medians"))]
    pub(super) estimator: Option<String>,
    /// Which percentiles bound the estimate.
    #[schemars(with = "Option<IntervalKind>", extend("default" = "two-sided"))]
    pub(super) interval: Option<String>,
    /// The confidence of the interval, between 0.5 and 1, with at most four decimals.
    #[schemars(extend("exclusiveMinimum" = 0.5, "exclusiveMaximum" = 1, "default" = 0.95))]
    pub(super) confidence: Option<f64>,
    /// How many budgets together are corrected for.
    #[schemars(with = "Option<Multiplicity>", extend("default" = "holm"))]
    pub(super) multiplicity: Option<String>,
    /// How a percentile of one run's samples is read.
    #[schemars(with = "Option<QuantileKind>", extend("default" = "nearest-rank"))]
    pub(super) quantile: Option<String>,
}
