//! Every attempt at a gate, the aborted too: one JSON object a line in `results/<gate>/ledger.jsonl`, each with the digest of
//! the line before it.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{EvidenceError, JournalError};
use crate::digest::sha256;

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It was begun; where nothing follows, it was killed.
    Started,
    /// Work was stopped, and may be resumed.
    Interrupted,
    /// Work went on.
    Resumed,
    /// Its plan is done, and its verdict given.
    Complete,
    /// It ended without a verdict.
    Failed,
}

impl State {
    /// What became of an attempt whose last line tells this.
    #[must_use]
    pub const fn fate(self) -> &'static str {
        match self {
            Self::Started | Self::Resumed => "killed",
            Self::Interrupted => "interrupted",
            Self::Complete => "complete",
            Self::Failed => "failed",
        }
    }
}

/// A campaign that was started, or how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When, UTC.
    pub at: jiff::Timestamp,
    /// SHA-256 of the plan.
    pub plan: String,
    /// The name of the campaign's folder.
    pub campaign: String,
    /// What happened.
    pub state: State,
    /// SHA-256 of the line before it, without its line feed, and of nothing for the first; lines of older programs have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
}

/// The ledger of one gate.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
}

/// The lines of a ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempts {
    /// The lines, each with the SHA-256 of its bytes without the line feed.
    lines: Vec<(Attempt, String)>,
}

impl Ledger {
    /// The ledger of `gate` under `results`.
    #[must_use]
    pub fn of(results: &Path, gate: &str) -> Self {
        Self { path: results.join(gate).join(NAME) }
    }

    /// The ledger beside a campaign's folder.
    #[must_use]
    pub fn beside(campaign: &Path) -> Self {
        Self { path: campaign.with_file_name(NAME) }
    }

    /// Adds a line, chained to the one before it, and returns its digest. What a crash has left of a line is cut off.
    ///
    /// # Errors
    ///
    /// A ledger that lost a line, and a disk that does not take it.
    ///
    /// # Panics
    ///
    /// Never: every attempt can be written as JSON.
    pub fn append(&self, attempt: Attempt) -> Result<String, EvidenceError> {
        let (attempts, whole) = self.whole()?;
        let previous = attempts.lines.last().map_or_else(|| sha256(b""), |(_, digest)| digest.clone());
        let attempt = Attempt { previous: Some(previous), ..attempt };
        let mut text = serde_json::to_string(&attempt).expect("an attempt is plain data");
        let digest = sha256(text.as_bytes());
        text.push('\n');
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.path)
            .and_then(|mut file| {
                file.set_len(whole)?;
                std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
                file.write_all(text.as_bytes()).and_then(|()| file.sync_data())
            })
            .map_err(|source| EvidenceError::io("write", &self.path, source))?;
        Ok(digest)
    }

    /// All lines; none where there is no ledger yet.
    ///
    /// # Errors
    ///
    /// A file that can't be read, a line that is no attempt, and one that does not follow the line before it.
    pub fn read(&self) -> Result<Attempts, EvidenceError> {
        self.whole().map(|(attempts, _)| attempts)
    }

    /// All lines, and the length of the file up to the end of the last whole one.
    fn whole(&self) -> Result<(Attempts, u64), EvidenceError> {
        let mut attempts = Attempts::default();
        if !self.path.exists() {
            return Ok((attempts, 0));
        }
        let bytes = super::folder::read(&self.path)?;
        let mut whole = 0;
        for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let Some(line) = line.strip_suffix(b"\n") else { break };
            let wrong = |what: String| {
                let what = format!("{what}; mend it, or move the ledger aside to begin a new one");
                EvidenceError::from(JournalError { path: self.path.clone(), line: number + 1, what })
            };
            let attempt: Attempt = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
            let before = attempts.lines.last();
            let follows = match (&attempt.previous, before) {
                (Some(previous), Some((_, digest))) => previous == digest,
                (Some(previous), None) => *previous == sha256(b""),
                (None, before) => before.is_none_or(|(before, _)| before.previous.is_none()),
            };
            if !follows {
                return Err(wrong("it does not follow the line before it: one was changed, added or lost".to_owned()));
            }
            whole += line.len() as u64 + 1;
            attempts.lines.push((attempt, sha256(line)));
        }
        Ok((attempts, whole))
    }
}

impl Attempts {
    /// The lines, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Attempt> {
        self.lines.iter().map(|(attempt, _)| attempt)
    }

    /// The line of this digest.
    #[must_use]
    pub fn line(&self, digest: &str) -> Option<&Attempt> {
        self.lines.iter().find(|(_, known)| known == digest).map(|(attempt, _)| attempt)
    }

    /// The campaigns of `plan` in the order of their starts, and what became of each.
    #[must_use]
    pub fn at(&self, plan: &str) -> Vec<(&str, State)> {
        let mut campaigns: Vec<(&str, State)> = Vec::new();
        for attempt in self.iter().filter(|attempt| attempt.plan == plan) {
            match campaigns.iter_mut().find(|(campaign, _)| *campaign == attempt.campaign) {
                Some((_, state)) => *state = attempt.state,
                None => campaigns.push((&attempt.campaign, attempt.state)),
            }
        }
        campaigns
    }
}

/// A ledger's name.
const NAME: &str = "ledger.jsonl";
