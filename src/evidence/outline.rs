//! A finished campaign without its samples.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::{Event, EvidenceError, Finish, Journal, Provenance, RunRecord, Skipped, folder, run_file};
use crate::digest::{sha256, sha256_of};
use crate::plan::Plan;
use crate::workload::CheckResult;

/// A finished campaign without its samples, which are read a run at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The folder.
    pub folder: PathBuf,
    /// The frozen plan.
    pub plan: Plan,
    /// Where its numbers come from.
    pub provenance: Provenance,
    /// How each check came out, by lane.
    pub checks: BTreeMap<String, Vec<CheckResult>>,
    /// The runs that are in place, by id.
    pub runs: BTreeMap<String, RunFile>,
    /// What was not timed because its lane broke its contract.
    pub skipped: Vec<Skipped>,
}

/// What the journal says of a run that is in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFile {
    /// SHA-256 of its file.
    pub sha256: String,
    /// When its process was started, UTC.
    pub started: Option<jiff::Timestamp>,
    /// When its file was in place, UTC.
    pub finished: jiff::Timestamp,
}

impl Outline {
    /// Reads a finished campaign's folder, but for the files of its runs.
    ///
    /// # Errors
    ///
    /// A file that is missing, unreadable or of another version, and a campaign that did not finish.
    pub fn load(path: &Path) -> Result<Self, EvidenceError> {
        let plan: Plan = folder::read_json(path, "plan.json", crate::plan::SCHEMA)?;
        let provenance: Provenance = folder::read_json(path, "provenance.json", Provenance::SCHEMA)?;
        let digest = plan.digest();
        let other_plan = || EvidenceError::OtherPlan { path: path.to_owned() };
        if provenance.plan != digest {
            return Err(other_plan());
        }
        let (mut checks, mut runs, mut skipped) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::new(), Vec::new());
        let mut started = BTreeMap::new();
        let mut finish = None;
        for line in Journal::read(&path.join("journal.jsonl"))? {
            match line.event {
                Event::Started { plan, .. } => {
                    if plan != digest {
                        return Err(other_plan());
                    }
                }
                Event::Checked { lane, results, .. } => checks.entry(lane).or_default().extend(results),
                Event::Skipped(lane) => skipped.push(lane),
                Event::RunStarted { id } => drop(started.insert(id, line.at)),
                Event::RunFinished { id, sha256 } => {
                    let file = RunFile { sha256, started: started.get(&id).copied(), finished: line.at };
                    runs.insert(id, file);
                }
                Event::PairFinished { .. } => {}
                Event::Ended(ended) => finish = Some(ended),
            }
        }
        match finish {
            Some(Finish::Complete) => Ok(Self { folder: path.to_owned(), plan, provenance, checks, runs, skipped }),
            Some(Finish::Failed { message }) => Err(EvidenceError::Failed { path: path.to_owned(), message }),
            None => Err(EvidenceError::Unfinished { path: path.to_owned() }),
        }
    }

    /// Reads the samples of the run called `id`.
    ///
    /// # Errors
    ///
    /// A run that is not in place, and a file that is missing, unreadable or not the one that was journalled.
    pub fn read_run(&self, id: &str) -> Result<RunRecord, EvidenceError> {
        let path = folder::run_path(&self.folder, id);
        let bytes = folder::read(&path)?;
        if self.runs.get(id).is_none_or(|file| file.sha256 != sha256(&bytes)) {
            return Err(EvidenceError::ChangedRun { path });
        }
        run_file::decode(&bytes).map_err(|source| EvidenceError::RunFile { path, source })
    }

    /// Holds the file of every run to its digest in the journal.
    ///
    /// # Errors
    ///
    /// A file that is missing, unreadable or not the one that was journalled.
    pub fn check_runs(&self) -> Result<(), EvidenceError> {
        for (id, file) in &self.runs {
            let path = folder::run_path(&self.folder, id);
            let found =
                File::open(&path).and_then(sha256_of).map_err(|source| EvidenceError::io("read", &path, source))?;
            if found != file.sha256 {
                return Err(EvidenceError::ChangedRun { path });
            }
        }
        Ok(())
    }
}
