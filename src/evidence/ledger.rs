//! Every attempt at a gate, the aborted too: one JSON object a line in `results/<gate>/ledger.jsonl`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{EvidenceError, JournalError};

/// A campaign that was started, or how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When, UTC.
    pub at: jiff::Timestamp,
    /// SHA-256 of the plan.
    pub plan: String,
    /// The name of the campaign's folder.
    pub campaign: String,
    /// `started`, `complete` or `failed`.
    pub state: String,
}

/// The ledger of one gate.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
}

impl Ledger {
    /// The ledger of `gate` under `results`.
    #[must_use]
    pub fn of(results: &Path, gate: &str) -> Self {
        Self { path: results.join(gate).join("ledger.jsonl") }
    }

    /// Adds a line.
    ///
    /// # Errors
    ///
    /// A disk that does not take it.
    ///
    /// # Panics
    ///
    /// Never: every attempt can be written as JSON.
    pub fn append(&self, attempt: &Attempt) -> Result<(), EvidenceError> {
        let mut text = serde_json::to_string(attempt).expect("an attempt is plain data");
        text.push('\n');
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.path)
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_data()))
            .map_err(|source| EvidenceError::io("write", &self.path, source))
    }

    /// All lines; none where there is no ledger yet.
    ///
    /// # Errors
    ///
    /// A file that can't be read, or a line that is no attempt.
    pub fn read(&self) -> Result<Vec<Attempt>, EvidenceError> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let bytes = super::folder::read(&self.path)?;
        String::from_utf8_lossy(&bytes)
            .lines()
            .enumerate()
            .map(|(number, line)| {
                serde_json::from_str(line).map_err(|error| {
                    let what = format!("{error}; mend it, or move the ledger aside to begin a new one");
                    JournalError { path: self.path.clone(), line: number + 1, what }.into()
                })
            })
            .collect()
    }
}

/// How many attempts at `plan` a ledger's lines tell of.
#[must_use]
pub fn attempts(lines: &[Attempt], plan: &str) -> u32 {
    let started = lines.iter().filter(|line| line.plan == plan && line.state == "started").count();
    u32::try_from(started).unwrap_or(u32::MAX)
}
