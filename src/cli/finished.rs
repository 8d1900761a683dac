//! A finished campaign, read from its folder and held to its own samples.

use std::path::{Path, PathBuf};

use super::{Failure, calibrate, find};
use crate::evidence::{Evidence, Folder, Provenance};
use crate::report::View;
use crate::verdict::{Analysis, Calibration, Concluded, Verdicts};

/// A finished campaign.
pub(super) struct Stored {
    pub(super) folder: PathBuf,
    pub(super) evidence: Evidence,
    pub(super) provenance: Provenance,
    pub(super) analysis: Analysis,
    pub(super) verdicts: Verdicts,
}

impl Stored {
    /// Reads a campaign: the numbers and the verdicts must be what the plan and the runs give.
    pub(super) fn load(named: &find::Named) -> Result<Self, Failure> {
        let folder = named.folder()?;
        let Concluded { evidence, provenance, analysis, verdicts } = Concluded::load(&folder).map_err(Failure::work)?;
        let sealed = Folder::at(folder.clone());
        if sealed.digest().is_ok()
            && let Some(first) = sealed.differences().map_err(Failure::work)?.first()
        {
            return Err(Failure::work(format!(
                "read campaign `{}`: it is not as it was sealed: {first}; `gate verify` tells all",
                folder.display()
            )));
        }
        Ok(Self { folder, evidence, provenance, analysis, verdicts })
    }

    /// The name of its folder.
    pub(super) fn name(&self) -> String {
        let name = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        name.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What is shown of it.
    pub(super) fn view(&self) -> View {
        let beside = self.folder.parent().unwrap_or(Path::new("."));
        let calibration = calibrate::of_gate(beside, &self.provenance.host);
        let view = View::new(&self.evidence, &self.provenance, &self.analysis, &self.verdicts, &self.name())
            .calibrated(calibration.as_ref().map(Calibration::quote));
        match Folder::at(self.folder.clone()).digest() {
            Ok(digest) => view.sealed(digest),
            // It was never sealed, and there is nothing to hold it to.
            Err(_) => view,
        }
    }
}
