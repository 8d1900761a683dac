//! A campaign's folder on disk.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::{JournalError, RunFileError, RunRecord, manifest, run_file};
use crate::digest::sha256;
use crate::plan::Plan;
use crate::unit::Metric;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// The extension of a file that is being written.
const PARTIAL: &str = "partial";

/// What keeps evidence from being written or read.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The file system refused.
    #[error("{doing} `{}`: {source}{}", path.display(), remedy(source))]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder is there already.
    #[error("create campaign folder `{}`: it exists already, and evidence is never overwritten; run again or name another folder with --results", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A line of a journal or a ledger is wrong.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A run's file can't be understood.
    #[error("read run file `{}`: {source}", path.display())]
    RunFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: RunFileError,
    },
    /// A run's id is no name of a file.
    #[error("read campaign `{}`: `{id}` is no id of a run, which is letters, digits, `.`, `_`, `-` and `~`", path.display())]
    RunId {
        /// The folder.
        path: PathBuf,
        /// The id.
        id: String,
    },
    /// A JSON file can't be understood.
    #[error("read `{}`: {what}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The journal belongs to another plan.
    #[error("read campaign `{}`: its journal or provenance.json tells of another plan than its plan.json", path.display())]
    OtherPlan {
        /// The folder.
        path: PathBuf,
    },
    /// A run's file is not the one that was journalled.
    #[error("read run file `{}`: it is not the file that the journal tells of", path.display())]
    ChangedRun {
        /// The file.
        path: PathBuf,
    },
    /// What is concluded is not what the samples give.
    #[error("read `{}`: it is not what the plan and the samples beside it give; one of them was changed", path.display())]
    OtherConclusion {
        /// The file.
        path: PathBuf,
    },
    /// The campaign failed.
    #[error("read campaign `{}`: it ended without a verdict: {message}", path.display())]
    Failed {
        /// The folder.
        path: PathBuf,
        /// Why it ended.
        message: String,
    },
    /// The campaign has not ended.
    #[error("read campaign `{}`: it has not ended; `gate resume` goes on with it", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// There is no such campaign.
    #[error("find a campaign of `{gate}`: there is none under `{}`; run `gate run {gate}` first, or name a campaign's folder", results.display())]
    NoCampaign {
        /// The gate.
        gate: String,
        /// Where it was looked for.
        results: PathBuf,
    },
}

impl EvidenceError {
    pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { doing, path: path.to_owned(), source }
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and run again: what was finished is intact"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; make it writable, or name another folder with --results"
        }
        _ => "",
    }
}

/// A campaign's folder that is being written.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder `results/<gate>/<time>-<8 hex of the plan digest>`.
    ///
    /// # Errors
    ///
    /// A folder that is there already, or can't be made.
    pub fn create(
        results: &Path,
        gate: &str,
        started: jiff::Timestamp,
        plan_digest: &str,
    ) -> Result<Self, EvidenceError> {
        let parent = results.join(gate);
        fs::create_dir_all(&parent).map_err(|source| EvidenceError::io("create", &parent, source))?;
        let time = started.strftime("%Y%m%dT%H%M%SZ");
        let path = parent.join(format!("{time}-{}", &plan_digest[..8]));
        fs::create_dir(&path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => EvidenceError::Exists { path: path.clone() },
            _ => EvidenceError::io("create", &path, source),
        })?;
        let runs = path.join("runs");
        fs::create_dir(&runs).map_err(|source| EvidenceError::io("create", &runs, source))?;
        Ok(Self { path })
    }

    /// The folder of a campaign that is there already. What a crash has left half written is removed.
    ///
    /// # Errors
    ///
    /// A folder that can't be read or written.
    pub fn reopen(path: PathBuf) -> Result<Self, EvidenceError> {
        for folder in [path.clone(), path.join("runs")] {
            let found = fs::symlink_metadata(&folder).map_err(|source| EvidenceError::io("open", &folder, source))?;
            if !found.is_dir() {
                let odd = io::Error::other("it is no folder, and evidence is never written through a link");
                return Err(EvidenceError::io("open", &folder, odd));
            }
            let entries = fs::read_dir(&folder).map_err(|source| EvidenceError::io("list", &folder, source))?;
            let half = entries.filter_map(Result::ok).map(|entry| entry.path());
            for file in half.filter(|file| file.extension().is_some_and(|extension| extension == PARTIAL)) {
                fs::remove_file(&file).map_err(|source| EvidenceError::io("remove", &file, source))?;
            }
        }
        Ok(Self { path })
    }

    /// The folder of a campaign that is only read.
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name: time and plan.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Writes a file: aside, to the disk, then to its name.
    ///
    /// # Errors
    ///
    /// A disk that does not take it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), EvidenceError> {
        write_whole(&self.path.join(name), bytes)
    }

    /// Writes the file of a run that was finished and thrown away `take` times before, and returns its SHA-256.
    ///
    /// # Errors
    ///
    /// Samples that no file can hold, or a disk that does not take it.
    pub fn write_run(&self, record: &RunRecord, take: u32, metrics: &[Metric]) -> Result<String, EvidenceError> {
        let path = run_path(&self.path, &record.id, take)?;
        let bytes = run_file::encode(record, metrics)
            .map_err(|source| EvidenceError::RunFile { path: path.clone(), source })?;
        write_whole(&path, &bytes)?;
        Ok(sha256(&bytes))
    }

    /// Writes the manifest over every file in the folder, in `sha256sum`'s format, sorted by name, and returns its SHA-256:
    /// the campaign's digest, which stands for all of them.
    ///
    /// # Errors
    ///
    /// A file that can't be read, or a disk that does not take the manifest.
    pub fn seal(&self) -> Result<String, EvidenceError> {
        let text = manifest::text(&self.path)?;
        self.write(manifest::NAME, text.as_bytes())?;
        Ok(sha256(text.as_bytes()))
    }

    /// The digest of the campaign that is sealed here: the SHA-256 of its manifest.
    ///
    /// # Errors
    ///
    /// A manifest that is missing or can't be read.
    pub fn digest(&self) -> Result<String, EvidenceError> {
        Ok(sha256(&read(&self.path.join(manifest::NAME))?))
    }

    /// What of its files is not as its manifest says, a sentence each; empty where all is.
    ///
    /// # Errors
    ///
    /// A file that can't be read, and what is neither a folder nor a plain file.
    pub fn differences(&self) -> Result<Vec<String>, EvidenceError> {
        manifest::differences(&self.path)
    }
}

/// The newest campaign of `gate` under `results`.
///
/// # Errors
///
/// No campaign, or a folder that can't be read.
pub fn latest(results: &Path, gate: &str) -> Result<PathBuf, EvidenceError> {
    let parent = results.join(gate);
    let missing = || EvidenceError::NoCampaign { gate: gate.to_owned(), results: results.to_owned() };
    let entries = fs::read_dir(&parent).map_err(|_| missing())?;
    let mut campaigns: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.join("plan.json").is_file())
        .collect();
    // A name tells the second; of two in one second it is the file that tells.
    campaigns.sort_by_cached_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let second = name.split('-').next().unwrap_or_default().to_owned();
        let written = fs::metadata(path.join("plan.json")).and_then(|plan| plan.modified()).ok();
        (second, written)
    });
    campaigns.pop().ok_or_else(missing)
}

/// The path of a run's file in a campaign's folder. The id comes from files that a stranger may have written.
pub(super) fn run_path(folder: &Path, id: &str, take: u32) -> Result<PathBuf, EvidenceError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-~".contains(c);
    if id.is_empty() || id.starts_with('.') || !id.chars().all(plain) {
        return Err(EvidenceError::RunId { path: folder.to_owned(), id: id.escape_default().to_string() });
    }
    let name = if take == 0 { format!("{id}.arrow") } else { format!("{id}.take{}.arrow", take + 1) };
    Ok(folder.join("runs").join(name))
}

/// Reads a file whole: a plain file, no link to elsewhere, of a size that some campaign may have.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, EvidenceError> {
    let failed = |source| EvidenceError::io("read", path, source);
    let metadata = fs::symlink_metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(failed(io::Error::other("it is no plain file, and evidence is kept in files")));
    }
    hold_size(&metadata).map_err(failed)?;
    fs::read(path).map_err(failed)
}

/// Refuses a file that is larger than any evidence.
pub(super) fn hold_size(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.len() > LARGEST {
        return Err(io::Error::other(format!("it is larger than {LARGEST} bytes, and no evidence is")));
    }
    Ok(())
}

/// Reads the JSON file `name` of a campaign's folder, whose `schema` must be `schema`.
///
/// # Errors
///
/// A file that is missing, unreadable or of another version.
pub fn read_json<T: DeserializeOwned>(folder: &Path, name: &str, schema: &str) -> Result<T, EvidenceError> {
    #[derive(serde::Deserialize)]
    struct Head {
        schema: String,
    }
    let path = folder.join(name);
    let bytes = read(&path)?;
    let wrong = |what: String| EvidenceError::Json { path: path.clone(), what };
    let head: Head = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    if head.schema != schema {
        return Err(wrong(format!("its schema is `{}`, and this program reads `{schema}`", head.schema)));
    }
    serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))
}

/// Reads the plan of the campaign in `folder`.
///
/// # Errors
///
/// A file that is missing, unreadable, of another version or no plan in itself.
pub fn read_plan(folder: &Path) -> Result<Plan, EvidenceError> {
    let plan: Plan = read_json(folder, "plan.json", crate::plan::SCHEMA)?;
    match plan.dangling() {
        None => Ok(plan),
        Some(what) => Err(EvidenceError::Json { path: folder.join("plan.json"), what }),
    }
}

/// Reads the gate file of the campaign in `folder`: its name, and its bytes.
///
/// # Errors
///
/// A file that is missing or unreadable.
pub fn read_gate_file(folder: &Path) -> Result<(&'static str, Vec<u8>), EvidenceError> {
    let [toml, json] = ["gate.toml", "gate.json"];
    let name = if folder.join(json).symlink_metadata().is_ok() { json } else { toml };
    Ok((name, read(&folder.join(name))?))
}

fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), EvidenceError> {
    let aside = path.with_added_extension(PARTIAL);
    let written = File::create(&aside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&aside, path))
        .and_then(|()| path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all()));
    written.map_err(|source| {
        // What was written of it is of no use; the error that is told is the first.
        let _ = fs::remove_file(&aside);
        EvidenceError::io("write", path, source)
    })
}
