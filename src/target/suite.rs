//! The built-in suites as a target: every run is this program itself, started anew.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use super::{Executor, RunError};
use crate::digest::sha256_of;
use crate::worker::protocol::Request;
use crate::worker::{Output, Worker};

/// What the running program is called among a plan's executables.
const LABEL: &str = "gate";

/// Runs the built-in suites in workers of this program.
#[derive(Debug)]
pub struct SuiteExecutor {
    worker: Worker,
    executable: PathBuf,
    known: Option<(Identity, String)>,
}

/// What changes whenever a file's bytes do: the file system keeps the last two, and no program can set them back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    fn of(file: &Metadata) -> Self {
        Self {
            device: file.dev(),
            inode: file.ino(),
            bytes: file.size(),
            modified: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
        }
    }
}

impl SuiteExecutor {
    /// With workers of the running program. The file that it was started from is what they run, whatever
    /// stands under its name by now.
    #[must_use]
    pub fn new() -> Self {
        Self { worker: Worker::this_program(), executable: PathBuf::from("/proc/self/exe"), known: None }
    }

    /// The digest of the executable. Its bytes are read again only when the file is another, or was written to: between
    /// two runs a read of all of it would put them further apart, and fill the caches with it.
    fn digest(&mut self) -> io::Result<String> {
        let file = File::open(&self.executable)?;
        let identity = Identity::of(&file.metadata()?);
        if let Some((known, digest)) = &self.known
            && *known == identity
        {
            return Ok(digest.clone());
        }
        let digest = sha256_of(&file)?;
        // Written to while it was read: the digest is of neither state, and is not kept.
        self.known = (Identity::of(&file.metadata()?) == identity).then(|| (identity, digest.clone()));
        Ok(digest)
    }
}

impl Default for SuiteExecutor {
    fn default() -> Self {
        Self::new()
    }
}

impl Executor for SuiteExecutor {
    fn execute(&mut self, request: &Request, timeout: Duration) -> Result<Output, RunError> {
        Ok(self.worker.run(request, timeout)?)
    }

    fn digests(&mut self) -> Result<BTreeMap<String, String>, RunError> {
        let digest = self.digest().map_err(|source| RunError::Executable { label: LABEL.to_owned(), source })?;
        Ok(BTreeMap::from([(LABEL.to_owned(), digest)]))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::digest::sha256;

    fn executor(executable: PathBuf) -> SuiteExecutor {
        SuiteExecutor { executable, ..SuiteExecutor::new() }
    }

    #[test]
    fn the_running_program_has_the_digest_of_its_file() {
        let expected = sha256(&fs::read("/proc/self/exe").unwrap());
        assert_eq!(SuiteExecutor::new().digests().unwrap(), BTreeMap::from([("gate".to_owned(), expected)]));
    }

    #[test]
    fn a_change_of_the_file_changes_the_digest_though_its_length_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, "one").unwrap();
        let mut executor = executor(path.clone());
        assert_eq!(executor.digest().unwrap(), sha256(b"one"));
        assert_eq!(executor.digest().unwrap(), sha256(b"one"));
        // Put beside and renamed, as a linker does: another file at once, however coarse the file system's clock is.
        fs::write(folder.path().join("new"), "two").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        assert_eq!(executor.digest().unwrap(), sha256(b"two"));
    }

    #[test]
    fn a_file_that_is_gone_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = executor(folder.path().join("program")).digests().unwrap_err();
        assert!(error.to_string().starts_with("read executable `gate`: "), "{error}");
    }
}
