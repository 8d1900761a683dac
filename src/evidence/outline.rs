//! A finished campaign without its samples.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{EvidenceError, Finish, Journal, Placed, Provenance, Replay, RunRecord, folder, run_file};
use crate::digest::{sha256, sha256_of};
use crate::plan::Plan;

/// A finished campaign without its samples, which are read a run at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The folder.
    pub folder: PathBuf,
    /// The frozen plan.
    pub plan: Plan,
    /// Where its numbers come from.
    pub provenance: Provenance,
    /// What its journal adds up to.
    pub replay: Replay,
}

impl Outline {
    /// Reads a finished campaign's folder, but for the files of its runs.
    ///
    /// # Errors
    ///
    /// A file that is missing, unreadable or of another version, and a campaign that did not finish.
    pub fn load(path: &Path) -> Result<Self, EvidenceError> {
        let plan = folder::read_plan(path)?;
        let provenance: Provenance = folder::read_json(path, "provenance.json", Provenance::SCHEMA)?;
        if provenance.plan != plan.digest() {
            return Err(EvidenceError::OtherPlan { path: path.to_owned() });
        }
        let replay = Replay::of(Journal::read(&path.join("journal.jsonl"))?, &plan, path)?;
        match &replay.finish {
            Some(Finish::Complete) => Ok(Self { folder: path.to_owned(), plan, provenance, replay }),
            Some(Finish::Failed { message }) => {
                Err(EvidenceError::Failed { path: path.to_owned(), message: message.clone() })
            }
            None => Err(EvidenceError::Unfinished { path: path.to_owned() }),
        }
    }

    /// What the journal says of the run called `id`, where it is in place.
    #[must_use]
    pub fn run(&self, id: &str) -> Option<&Placed> {
        self.replay.placed.get(id)
    }

    /// Reads the samples of the run called `id`; none where it is not in place.
    ///
    /// # Errors
    ///
    /// A file that is missing, unreadable or not the one that was journalled.
    pub fn read_run(&self, id: &str) -> Result<Option<RunRecord>, EvidenceError> {
        self.run(id).map(|placed| read_run(&self.folder, id, placed)).transpose()
    }

    /// Holds the file of every run to its digest in the journal.
    ///
    /// # Errors
    ///
    /// A file that is missing, unreadable or not the one that was journalled.
    pub fn check_runs(&self) -> Result<(), EvidenceError> {
        for (id, placed) in &self.replay.placed {
            let path = folder::run_path(&self.folder, id, placed.take)?;
            let found =
                File::open(&path).and_then(sha256_of).map_err(|source| EvidenceError::io("read", &path, source))?;
            if found != placed.sha256 {
                return Err(EvidenceError::ChangedRun { path });
            }
        }
        Ok(())
    }
}

/// Reads the samples of the run called `id`, which the journal of the campaign in `folder` tells of so.
pub(super) fn read_run(folder: &Path, id: &str, placed: &Placed) -> Result<RunRecord, EvidenceError> {
    let path = folder::run_path(folder, id, placed.take)?;
    let bytes = folder::read(&path)?;
    if sha256(&bytes) != placed.sha256 {
        return Err(EvidenceError::ChangedRun { path });
    }
    let record = run_file::decode(&bytes).map_err(|source| EvidenceError::RunFile { path: path.clone(), source })?;
    if record.id == id { Ok(record) } else { Err(EvidenceError::ChangedRun { path }) }
}
