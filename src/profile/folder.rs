//! Where a profile is kept: in a folder of its own beside the gate's campaigns, which stay as they were sealed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::digest::sha256;
use crate::unit::Side;

/// What keeps a profile from being kept.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is one of this second.
    #[error("keep the profile in `{}`: it exists already; take it again", .0.display())]
    Exists(PathBuf),
    /// The file system refused.
    #[error("keep the profile in `{}`: {source}; make it writable, or name another folder with --results", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A folder that is being filled under another name; dropped before it is whole, it is removed.
#[derive(Debug)]
pub struct Folder {
    partial: PathBuf,
    path: PathBuf,
    files: BTreeMap<String, String>,
}

impl Folder {
    /// Makes `results/<gate>/profiles/<time>-<hypothesis>-<side>`, with `.partial` behind its name until it is whole.
    ///
    /// # Errors
    ///
    /// A folder that is there already, or can't be made.
    pub fn create(
        results: &Path,
        gate: &str,
        started: jiff::Timestamp,
        hypothesis: &str,
        side: Side,
    ) -> Result<Self, FolderError> {
        let parent = results.join(gate).join("profiles");
        let path = parent.join(format!("{}-{hypothesis}-{side}", started.strftime("%Y%m%dT%H%M%SZ")));
        let partial = path.with_added_extension("partial");
        fs::create_dir_all(&parent).map_err(|source| FolderError::Io { path: parent.clone(), source })?;
        if path.exists() {
            return Err(FolderError::Exists(path));
        }
        fs::create_dir(&partial).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => FolderError::Exists(partial.clone()),
            _ => FolderError::Io { path: partial.clone(), source },
        })?;
        Ok(Self { partial, path, files: BTreeMap::new() })
    }

    /// A file in it that is gone before the folder is whole.
    #[must_use]
    pub fn aside(&self, name: &str) -> PathBuf {
        self.partial.join(name)
    }

    /// Writes a file.
    ///
    /// # Errors
    ///
    /// A disk that does not take it.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.partial.join(name);
        let written = File::create(&path).and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
        written.map_err(|source| FolderError::Io { path, source })?;
        self.files.insert(name.to_owned(), sha256(bytes));
        Ok(())
    }

    /// SHA-256 of what was written, by name.
    #[must_use]
    pub const fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// Removes what was aside, and gives the folder its name; returns where it is.
    ///
    /// # Errors
    ///
    /// A disk that does not take it.
    pub fn finish(self) -> Result<PathBuf, FolderError> {
        let finished = self.only_written().and_then(|()| fs::rename(&self.partial, &self.path));
        finished.map_err(|source| FolderError::Io { path: self.path.clone(), source })?;
        Ok(self.path.clone())
    }

    fn only_written(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.partial)? {
            let entry = entry?;
            if !self.files.contains_key(entry.file_name().to_string_lossy().as_ref()) {
                fs::remove_file(entry.path())?;
            }
        }
        File::open(&self.partial)?.sync_all()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Gone where it is whole; what can't be removed has another name than a whole one.
        let _ = fs::remove_dir_all(&self.partial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(results: &Path) -> Result<Folder, FolderError> {
        Folder::create(results, "g", jiff::Timestamp::UNIX_EPOCH, "h", Side::Candidate)
    }

    #[test]
    fn a_folder_has_its_name_once_it_is_whole_and_is_never_overwritten() {
        let results = tempfile::tempdir().expect("a folder");
        let mut folder = create(results.path()).expect("a folder");
        folder.write("a", b"text").expect("a file");
        fs::write(folder.aside("perf.data"), "data").expect("a file");
        assert!(matches!(create(results.path()), Err(FolderError::Exists(_))));
        let path = folder.finish().expect("a name");
        assert_eq!(path, results.path().join("g/profiles/19700101T000000Z-h-candidate"));
        let names: Vec<_> = fs::read_dir(&path).expect("files").map(|entry| entry.expect("one").file_name()).collect();
        assert_eq!(names, ["a"]);
        let error = create(results.path()).expect_err("it is there").to_string();
        assert!(error.ends_with("it exists already; take it again"), "{error}");
    }

    #[test]
    fn one_that_is_not_whole_is_removed_and_one_that_can_not_be_made_is_named() {
        let results = tempfile::tempdir().expect("a folder");
        drop(create(results.path()).expect("a folder"));
        assert_eq!(fs::read_dir(results.path().join("g/profiles")).expect("a folder").count(), 0);
        let file = results.path().join("file");
        fs::write(&file, "").expect("a file");
        let error = create(&file).expect_err("a file").to_string();
        assert!(error.contains("file/g/profiles`: ") && error.contains("--results"), "{error}");
    }
}
