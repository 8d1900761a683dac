//! What git tells of a repository.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is asked of git, and goes wrong.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// It can't be started.
    #[error("run git: {0}; is it installed?")]
    Start(io::Error),
    /// It refuses the repository.
    #[error("open the repository: git says: {said}")]
    Refused {
        /// What it said.
        said: String,
    },
}

/// A git repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Its folder.
    pub root: PathBuf,
    /// Where its changes start from; `None` where no branch is known for that.
    pub base: Option<Base>,
    /// Whether it has a commit.
    pub has_commit: bool,
    /// Whether git leaves `results/` alone.
    pub ignores_results: bool,
}

/// The branch that changes start from and go back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// Its name, such as `main`.
    pub branch: String,
    /// Whether it is known as `origin`'s.
    pub remote: bool,
}

impl Base {
    /// The revision that stands for it.
    #[must_use]
    pub fn revision(&self) -> String {
        if self.remote { format!("origin/{}", self.branch) } else { self.branch.clone() }
    }
}

/// The branches that changes are likely to start from, the likeliest first; `origin/HEAD` stands for another.
const LIKELY: [&str; 5] = [
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
];

/// How the full names of `origin`'s branches begin.
const REMOTE: &str = "refs/remotes/origin/";

impl Repository {
    /// The repository that `folder` is in; `None` where it is in none.
    ///
    /// # Errors
    ///
    /// Git can't be started, or refuses the repository.
    pub fn open(folder: &Path) -> Result<Option<Self>, RepositoryError> {
        let mut root = match git(folder, &["rev-parse", "--show-toplevel"])? {
            Ok(root) => root,
            Err(said) if said.contains("not a git repository") => return Ok(None),
            Err(said) => return Err(RepositoryError::Refused { said: said.escape_debug().to_string() }),
        };
        root.pop_if(|byte| *byte == b'\n');
        let root = PathBuf::from(OsString::from_vec(root));
        let format = "--format=%(refname) %(symref)";
        let refs = git(&root, &[&["for-each-ref", format][..], &LIKELY].concat())?.unwrap_or_default();
        let base = base(&String::from_utf8_lossy(&refs));
        let has_commit = git(&root, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?.is_ok();
        let ignores_results = git(&root, &["check-ignore", "--quiet", "results/x"])?.is_ok();
        Ok(Some(Self { root, base, has_commit, ignores_results }))
    }
}

/// The likeliest of `refs`, a line each: the full name, and what it stands for.
fn base(refs: &str) -> Option<Base> {
    let known: Vec<(&str, &str)> = refs.lines().filter_map(|line| line.split_once(' ')).collect();
    LIKELY.iter().find_map(|likely| {
        let (name, stands_for) = known.iter().find(|(name, _)| name == likely)?;
        let name = if stands_for.is_empty() { name } else { stands_for };
        let (branch, remote) = match name.strip_prefix(REMOTE) {
            Some(branch) => (branch, true),
            None => (name.strip_prefix("refs/heads/")?, false),
        };
        // A name that was no UTF-8 is no name any more.
        let fits = branch != "HEAD" && !branch.contains(['\u{fffd}', '{', '}']);
        fits.then(|| Base { branch: branch.to_owned(), remote })
    })
}

/// What git prints, or what it says where it fails.
fn git(folder: &Path, words: &[&str]) -> Result<Result<Vec<u8>, String>, RepositoryError> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(words).env("LC_ALL", "C");
    let output = command.output().map_err(RepositoryError::Start)?;
    if output.status.success() {
        return Ok(Ok(output.stdout));
    }
    Ok(Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_branch_is_the_base() {
        let of = |refs| base(refs).map(|base| base.revision());
        assert_eq!(of("refs/heads/main \nrefs/remotes/origin/master \n").as_deref(), Some("origin/master"));
        let head = "refs/remotes/origin/HEAD refs/remotes/origin/trunk\nrefs/remotes/origin/main \n";
        assert_eq!(of(head).as_deref(), Some("origin/trunk"));
        assert_eq!(of("refs/heads/master \n").as_deref(), Some("master"));
        assert_eq!(of("refs/remotes/origin/HEAD refs/remotes/origin/\u{fffd}\n"), None);
        assert_eq!(of(""), None);
    }
}
