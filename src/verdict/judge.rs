//! Outcomes → verdicts, by the verdict table.

use serde::{Deserialize, Serialize};

use super::analysis::{Analysis, HypothesisAnalysis};
use super::table;
use crate::plan::Plan;
use crate::spec::Grade;

/// The format of `verdict.json`.
pub const SCHEMA: &str = "gate.verdict/1";

/// What becomes of a hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It may go ahead.
    Proceed,
    /// Nothing of it was measured.
    Deferred,
    /// Something is missing or in doubt.
    Revise,
    /// It may not, and nothing of the candidate should stay.
    Reject,
}

impl Verdict {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Deferred => "deferred",
            Self::Revise => "revise",
            Self::Reject => "reject",
        }
    }
}

/// The verdicts of a campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// [`SCHEMA`].
    pub schema: String,
    /// SHA-256 of `plan.json`.
    pub plan: String,
    /// What the campaign's evidence is good for.
    pub grade: Grade,
    /// One for each hypothesis, in the plan's order.
    pub hypotheses: Vec<HypothesisVerdict>,
}

/// The verdict on one hypothesis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HypothesisVerdict {
    /// Its id.
    pub id: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The line of the verdict table that gave it, from 1.
    pub line: u8,
    /// What comparison-grade evidence of this kind would give, where the evidence is preliminary.
    pub would: Option<Verdict>,
    /// Why, in order of weight.
    pub reasons: Vec<Reason>,
}

/// One reason for a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The line of the verdict table that it speaks for.
    pub line: u8,
    /// The reason, in words.
    pub text: String,
}

impl Verdicts {
    /// Whether both give the same verdicts by the same lines of the table; the words of the reasons may differ.
    #[must_use]
    pub fn decides_like(&self, other: &Self) -> bool {
        let decisions = |verdicts: &Self| -> Vec<_> {
            verdicts.hypotheses.iter().map(|one| (one.id.clone(), one.verdict, one.line, one.would)).collect()
        };
        self.plan == other.plan && self.grade == other.grade && decisions(self) == decisions(other)
    }

    /// Whether more pairs are not asked for: no hypothesis is to be revised.
    #[must_use]
    pub fn are_settled(&self) -> bool {
        self.hypotheses.iter().all(|one| one.verdict != Verdict::Revise)
    }

    /// The gravest verdict; `None` where there is no hypothesis.
    #[must_use]
    pub fn gravest(&self) -> Option<Verdict> {
        self.hypotheses.iter().map(|hypothesis| hypothesis.verdict).max()
    }
}

/// Judges every hypothesis of `analysis`, which is of `plan`.
#[must_use]
pub fn judge(plan: &Plan, analysis: &Analysis) -> Verdicts {
    let grade = plan.profile.grade;
    let hypotheses = plan
        .hypotheses
        .iter()
        .zip(&analysis.hypotheses)
        .map(|(planned, outcomes): (_, &HypothesisAnalysis)| table::verdict(planned, outcomes, grade, plan.records))
        .collect();
    Verdicts { schema: SCHEMA.to_owned(), plan: analysis.plan.clone(), grade, hypotheses }
}
