//! What was concluded from a finished campaign, held to its samples.

use std::path::Path;

use super::{ANALYSIS_SCHEMA, Analysis, AnalysisError, VERDICT_SCHEMA, Verdicts, analyse, judge};
use crate::evidence::{Evidence, EvidenceError, Provenance, read_json};

/// A finished campaign whose numbers and verdicts are what its plan and its samples give.
#[derive(Debug, Clone, PartialEq)]
pub struct Concluded {
    /// What was measured.
    pub evidence: Evidence,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The numbers, as they are stored.
    pub analysis: Analysis,
    /// The verdicts: those that are stored, in the words of this program.
    pub verdicts: Verdicts,
}

/// What keeps a campaign's conclusions from being read.
#[derive(Debug, thiserror::Error)]
pub enum ConclusionError {
    /// The evidence can't be read, or the conclusions are others.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// The evidence can't be analysed.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

impl Concluded {
    /// Reads a finished campaign's folder, and concludes again.
    ///
    /// # Errors
    ///
    /// What keeps evidence from being read, and numbers or verdicts that are not what the plan and the samples give.
    pub fn load(folder: &Path) -> Result<Self, ConclusionError> {
        let (evidence, provenance) = Evidence::load(folder)?;
        let analysis: Analysis = read_json(folder, "analysis.json", ANALYSIS_SCHEMA)?;
        let verdicts: Verdicts = read_json(folder, "verdict.json", VERDICT_SCHEMA)?;
        let other = |name: &str| EvidenceError::OtherConclusion { path: folder.join(name) };
        let again = analyse(&evidence, provenance.day())?;
        if again != analysis {
            return Err(other("analysis.json").into());
        }
        let judged = judge(&evidence.plan, &again);
        if !judged.decides_like(&verdicts) {
            return Err(other("verdict.json").into());
        }
        Ok(Self { evidence, provenance, analysis, verdicts: judged })
    }
}
