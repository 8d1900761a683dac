//! Files that must stay what they are while a campaign runs.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{OWN_PATH, RunError};
use crate::digest::sha256_of;
use crate::measure::toolchain;

/// Files by label, and the digests that they had when they were last read.
#[derive(Debug, Default)]
pub(super) struct Held(Vec<HeldFile>);

#[derive(Debug)]
struct HeldFile {
    label: String,
    path: PathBuf,
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

impl Held {
    /// The running program's own file, whatever stands under its name by now.
    pub(super) fn this_program() -> Self {
        let mut held = Self::default();
        held.add("gate", OWN_PATH);
        held
    }

    /// Holds the file at `path` too.
    pub(super) fn add(&mut self, label: impl Into<String>, path: impl Into<PathBuf>) {
        self.0.push(HeldFile { label: label.into(), path: path.into(), known: None });
    }

    /// What built each of them but this program, as far as it tells itself, by label.
    pub(super) fn toolchains(&self) -> BTreeMap<String, String> {
        let others = self.0.iter().filter(|file| file.path != Path::new(OWN_PATH));
        others.filter_map(|file| Some((file.label.clone(), toolchain::of(&file.path)?))).collect()
    }

    /// The digests of all, by label.
    ///
    /// # Errors
    ///
    /// A file that can't be read.
    pub(super) fn digests(&mut self) -> Result<BTreeMap<String, String>, RunError> {
        let digest = |file: &mut HeldFile| match file.digest() {
            Ok(digest) => Ok((file.label.clone(), digest)),
            Err(source) => Err(RunError::Executable { label: file.label.clone(), source }),
        };
        self.0.iter_mut().map(digest).collect()
    }
}

impl HeldFile {
    /// Its bytes are read again only when the file is another, or was written to: between two runs a read of all of it
    /// would put them further apart, and fill the caches with it.
    fn digest(&mut self) -> io::Result<String> {
        let file = File::open(&self.path)?;
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::digest::sha256;

    fn held(path: PathBuf) -> Held {
        let mut held = Held::default();
        held.add("it", path);
        held
    }

    #[test]
    fn a_change_of_the_file_changes_the_digest_though_its_length_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, "one").unwrap();
        let mut held = held(path.clone());
        assert_eq!(held.digests().unwrap()["it"], sha256(b"one"));
        assert_eq!(held.digests().unwrap()["it"], sha256(b"one"));
        // Put beside and renamed, as a linker does: another file at once, however coarse the file system's clock is.
        fs::write(folder.path().join("new"), "two").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        assert_eq!(held.digests().unwrap()["it"], sha256(b"two"));
    }

    #[test]
    fn a_file_that_is_gone_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = held(folder.path().join("program")).digests().unwrap_err();
        assert!(error.to_string().starts_with("read executable `it`: "), "{error}");
    }
}
