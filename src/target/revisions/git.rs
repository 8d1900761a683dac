//! What is asked of git.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::target::build::outside_of_hooks;

/// What git refuses.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It can't be started.
    #[error("run git: {0}; is it installed?")]
    Start(io::Error),
    /// A name stands for no commit.
    #[error("find commit `{name}`: the repository here has none that is called so; `git log` tells what it has")]
    NoCommit {
        /// The name.
        name: String,
    },
    /// It failed.
    #[error("git {what}: {said}")]
    Failed {
        /// What it was asked.
        what: String,
        /// What it said.
        said: String,
    },
}

/// What stands in an error where git fails without a word.
const SILENT: &str = "it says no more";

/// A repository.
#[derive(Debug, Clone)]
pub(super) struct Git {
    root: PathBuf,
}

impl Git {
    /// The repository that `path` is in.
    pub(super) fn open(path: &Path) -> Result<Self, GitError> {
        let root = git(path, ["rev-parse", "--show-toplevel"], &[])?;
        Ok(Self { root: PathBuf::from(root) })
    }

    /// Its folder.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The commit that `name` stands for, in full; `A...B` is the merge base of the two.
    pub(super) fn commit(&self, name: &str) -> Result<String, GitError> {
        if let Some((one, other)) = name.split_once("...") {
            let part = |part: &str| self.commit(if part.is_empty() { "HEAD" } else { part });
            let (one, other) = (part(one)?, part(other)?);
            return git(&self.root, ["merge-base", &one, &other], &[]);
        }
        let name = format!("{name}^{{commit}}");
        git(&self.root, ["rev-parse", "--verify", "--quiet", "--end-of-options", &name], &[])
    }

    /// The tree of a commit.
    pub(super) fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        git(&self.root, ["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{commit}^{{tree}}")], &[])
    }

    /// The tree of the repository's files as they stand, without what git is told to ignore.
    pub(super) fn tree_of_files(&self, index: &Path) -> Result<String, GitError> {
        let own: [(&str, &OsStr); 1] = [("GIT_INDEX_FILE", index.as_os_str())];
        git(&self.root, ["read-tree", "HEAD"], &own)?;
        git(&self.root, ["add", "--all"], &own)?;
        git(&self.root, ["write-tree"], &own)
    }

    /// What of `paths` differs from the last commit, a line each.
    pub(super) fn uncommitted(&self, paths: &[String]) -> Result<String, GitError> {
        let fixed = ["status", "--porcelain", "--untracked-files=all", "--"].map(str::to_owned);
        git(&self.root, fixed.iter().chain(paths), &[])
    }

    /// Makes a worktree of a commit.
    pub(super) fn add_worktree(&self, path: &Path, commit: &str) -> Result<(), GitError> {
        let words: [&OsStr; 6] = [
            OsStr::new("worktree"),
            OsStr::new("add"),
            OsStr::new("--detach"),
            OsStr::new("--force"),
            path.as_os_str(),
            OsStr::new(commit),
        ];
        git(&self.root, words, &[]).map(drop)
    }

    /// Removes a worktree, and whatever a crash has left of it.
    pub(super) fn remove_worktree(&self, path: &Path) -> Result<(), GitError> {
        match std::fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let what = format!("worktree remove {}", path.display());
                return Err(GitError::Failed { what, said: error.to_string() });
            }
            _ => {}
        }
        git(&self.root, ["worktree", "prune"], &[]).map(drop)
    }
}

/// Has a worktree hold the files of `tree`.
pub(super) fn check_out(worktree: &Path, tree: &str) -> Result<(), GitError> {
    git(worktree, ["read-tree", "--reset", "-u", tree], &[]).map(drop)
}

/// How the files of a worktree differ from its commit, as a patch; files that are not tracked included.
pub(super) fn patch(worktree: &Path) -> Result<String, GitError> {
    git(worktree, ["add", "--all"], &[])?;
    git(worktree, ["diff", "--cached", "--binary", "--no-color", "--no-ext-diff", "HEAD"], &[])
}

/// The files of `commit`, in the repository of the working folder, whose content is that of `file`.
///
/// # Errors
///
/// No repository here, or no such commit in it.
pub fn files_like(file: &Path, commit: &str) -> Result<Vec<String>, GitError> {
    let here = Path::new(".");
    let tree = format!("{commit}^{{tree}}");
    let tree =
        git(here, ["rev-parse", "--verify", "--quiet", "--end-of-options", &tree], &[]).map_err(
            |error| match error {
                GitError::Failed { said, .. } if said == SILENT => GitError::NoCommit { name: commit.to_owned() },
                error => error,
            },
        )?;
    let absolute = file.canonicalize().map_err(GitError::Start)?;
    let words = ["hash-object".as_ref(), "--no-filters".as_ref(), "--".as_ref(), absolute.as_os_str()];
    let id = git(here, words, &[])?;
    let listed = git(here, ["ls-tree", "-r", "-z", "--full-tree", &tree], &[])?;
    let entries = listed.split('\0').filter_map(|entry| entry.split_once('\t'));
    let like = entries.filter(|(head, _)| head.rsplit(' ').next() == Some(id.as_str()));
    Ok(like.map(|(_, name)| name.to_owned()).collect())
}

fn git<W: AsRef<OsStr>>(
    folder: &Path,
    words: impl IntoIterator<Item = W>,
    env: &[(&str, &OsStr)],
) -> Result<String, GitError> {
    let mut command = Command::new("git");
    outside_of_hooks(&mut command);
    command.arg("-C").arg(folder).args(words).envs(env.iter().copied()).env("LC_ALL", "C");
    let output = command.output().map_err(GitError::Start)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned());
    }
    let shown: Vec<_> = command.get_args().skip(2).map(OsStr::to_string_lossy).collect();
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = if said.is_empty() { SILENT.to_owned() } else { said };
    Err(GitError::Failed { what: shown.join(" "), said })
}
