//! The journal: one JSON object a line, each carrying the digest of the line before it.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Event, EvidenceError};
use crate::digest::sha256;

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its number, from 0.
    pub seq: u64,
    /// When it was written, UTC.
    pub at: jiff::Timestamp,
    /// SHA-256 of the line before it, without its line feed; of nothing for the first.
    pub previous: String,
    /// What happened.
    pub event: Event,
}

/// What is wrong with a journal.
#[derive(Debug, thiserror::Error)]
#[error("read line {line} of `{}`: {what}", path.display())]
pub struct JournalError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    seq: u64,
    previous: String,
}

impl Journal {
    /// Begins a journal at `path`.
    ///
    /// # Errors
    ///
    /// A file that is there already or can't be made.
    pub fn create(path: PathBuf) -> Result<Self, EvidenceError> {
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)
            .map_err(|source| EvidenceError::io("create", &path, source))?;
        Ok(Self { path, file, seq: 0, previous: sha256(b"") })
    }

    /// Adds `event`, which happened `at` that time, and waits until it is on the disk.
    ///
    /// # Errors
    ///
    /// A disk that does not take it.
    ///
    /// # Panics
    ///
    /// Never: every event can be written as JSON.
    pub fn append(&mut self, at: jiff::Timestamp, event: Event) -> Result<(), EvidenceError> {
        let line = Line { seq: self.seq, at, previous: self.previous.clone(), event };
        let mut text = serde_json::to_string(&line).expect("an event is plain data");
        self.previous = sha256(text.as_bytes());
        self.seq += 1;
        text.push('\n');
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|source| EvidenceError::io("write", &self.path, source))
    }

    /// Reads the journal at `path` and holds every line to the one before it.
    ///
    /// # Errors
    ///
    /// A file that can't be read, and a line that is torn, out of order, or not chained to the one before.
    pub fn read(path: &Path) -> Result<Vec<Line>, EvidenceError> {
        Ok(Self::parse(path, &super::folder::read(path)?)?)
    }

    /// Reads the journal in `bytes`, which errors call `path`.
    ///
    /// # Errors
    ///
    /// A line that is torn, out of order, or not chained to the one before.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Line>, JournalError> {
        let mut lines = Vec::new();
        let mut previous = sha256(b"");
        for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let wrong = |what: String| JournalError { path: path.to_owned(), line: number + 1, what };
            let text = line.strip_suffix(b"\n").ok_or_else(|| wrong("it is torn off".to_owned()))?;
            let line: Line = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
            if line.seq != number as u64 {
                return Err(wrong(format!("it has number {}, not {number}", line.seq)));
            }
            if line.previous != previous {
                return Err(wrong("it does not follow the line before it".to_owned()));
            }
            previous = sha256(text);
            lines.push(line);
        }
        Ok(lines)
    }
}
