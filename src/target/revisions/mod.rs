//! Two git revisions as a target: each is built once, in a worktree of its own, before anything is measured.
//!
//! The worktrees stand under the user's cache folder, in one place for each repository, so that the next start finds what
//! a crash has left, and removes it. Both builds share one folder for what cargo builds, so that dependencies are compiled
//! once; what is executed is copied out of it into the worktree before the other side is built.

mod git;
mod renew;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use git::Git;
pub use git::{GitError, files_like};
use renew::renew;

use super::held::Held;
use super::{Executor, RunError, TargetError, build, command};
use crate::digest::sha256;
use crate::program::Program;
use crate::spec::Revisions;
use crate::unit::Side;
use crate::worker::protocol::Request;
use crate::worker::{Output, Worker};

/// Where cargo puts what it builds, as a gate file writes it.
const TARGET: &str = "target/";

/// Executes two builds in workers of this program. Dropped, it removes the worktrees.
#[derive(Debug)]
pub struct RevisionsExecutor {
    worker: Worker,
    held: Held,
    trees: Trees,
    sides: BTreeMap<Side, Built>,
    keepsakes: Vec<(String, String)>,
}

/// One side, ready to be executed.
#[derive(Debug)]
struct Built {
    /// Its commit, or its tree where it is the repository's files as they stand.
    source: String,
    /// The file of its program.
    program: PathBuf,
}

/// The worktrees of a repository.
#[derive(Debug)]
struct Trees {
    git: Git,
    home: PathBuf,
}

impl Trees {
    /// The worktrees of the repository at `repo`; what a crash left of them is removed.
    fn open(repo: &Path) -> Result<Self, TargetError> {
        let git = Git::open(repo)?;
        let name = sha256(git.root().as_os_str().as_encoded_bytes());
        let home = cache_folder().join("gate").join(&name[..16]);
        fs::create_dir_all(&home).map_err(|source| TargetError::File { path: home.display().to_string(), source })?;
        let trees = Self { git, home };
        for side in Side::BOTH {
            trees.git.remove_worktree(&trees.folder(side))?;
        }
        Ok(trees)
    }

    /// The worktree of `side`. Both names are as long, so that no path is.
    fn folder(&self, side: Side) -> PathBuf {
        self.home.join(match side {
            Side::Baseline => "base",
            Side::Candidate => "cand",
        })
    }

    /// Makes the worktree of `side`, and says what is in it: a commit, or `COMMIT+TREE` where files differ from that commit.
    fn check_out(&self, side: Side, revision: &str) -> Result<String, TargetError> {
        let dirty = side == Side::Candidate && revision == Revisions::WORKTREE;
        let name = if dirty { "HEAD" } else { revision };
        let commit = self.git.commit(name).map_err(|source| TargetError::NoRevision {
            side,
            revision: revision.to_owned(),
            source,
        })?;
        let folder = self.folder(side);
        self.git.add_worktree(&folder, &commit)?;
        if !dirty {
            return Ok(commit);
        }
        let index = self.home.join("index");
        let tree = self.git.tree_of_files(&index);
        // Only a means to an end.
        let _ = fs::remove_file(&index);
        let tree = tree?;
        if tree == self.git.tree_of(&commit)? {
            return Ok(commit);
        }
        git::check_out(&folder, &tree)?;
        Ok(format!("{commit}+{tree}"))
    }
}

impl Drop for Trees {
    fn drop(&mut self) {
        for side in Side::BOTH {
            // What stays is removed by the next start.
            let _ = self.git.remove_worktree(&self.folder(side));
        }
    }
}

/// Where a user's programs keep what can be made again.
#[expect(clippy::disallowed_methods, reason = "the folder is the user's")]
fn cache_folder() -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))).unwrap_or_else(std::env::temp_dir)
}

/// Where both builds put what cargo builds: where the user has it, else beside the worktrees.
#[expect(clippy::disallowed_methods, reason = "cargo's own variable")]
fn shared_target(home: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) if Path::new(&folder).is_absolute() => PathBuf::from(folder),
        _ => home.join("target"),
    }
}

impl RevisionsExecutor {
    /// Checks both revisions out, lays the overlay over them, and builds one after the other.
    ///
    /// # Errors
    ///
    /// A repository, revision, overlay or program that is not there, an overlay that is not committed, and a build that
    /// fails. No worktree is left then.
    pub fn new(revisions: &Revisions) -> Result<Self, TargetError> {
        let trees = Trees::open(Path::new(&revisions.repo))?;
        let from_candidate = revisions.overlay_from.is_none();
        if from_candidate && revisions.candidate != Revisions::WORKTREE && !revisions.overlay.is_empty() {
            let uncommitted = trees.git.uncommitted(&revisions.overlay)?;
            if !uncommitted.is_empty() {
                return Err(TargetError::DirtyOverlay { files: uncommitted });
            }
        }
        let sources = Side::BOTH
            .into_iter()
            .map(|side| Ok((side, trees.check_out(side, revisions.revision(side))?)))
            .collect::<Result<BTreeMap<Side, String>, TargetError>>()?;
        let mut keepsakes = Vec::new();
        if !revisions.overlay.is_empty() {
            match &revisions.overlay_from {
                None => lay_over(&trees.folder(Side::Candidate), &trees.folder(Side::Baseline), &revisions.overlay)?,
                Some(folder) => {
                    for side in Side::BOTH {
                        lay_over(Path::new(folder), &trees.folder(side), &revisions.overlay)?;
                    }
                    let patch = git::patch(&trees.folder(Side::Candidate))?;
                    keepsakes.push(("overlay-candidate.patch".to_owned(), patch));
                }
            }
            keepsakes.push(("overlay.patch".to_owned(), git::patch(&trees.folder(Side::Baseline))?));
        }
        let target = shared_target(&trees.home);
        let mut held = Held::this_program();
        let mut sides = BTreeMap::new();
        for (side, source) in sources {
            let folder = trees.folder(side);
            if !revisions.build.is_empty() {
                renew(&folder).map_err(|source| TargetError::File { path: folder.display().to_string(), source })?;
                let env = [("CARGO_TARGET_DIR", OsString::from(&target))];
                let log = build::run(&revisions.build, &folder, &env)
                    .map_err(|source| TargetError::Build { side: Some(side), source })?;
                keepsakes.push((format!("build-{side}.log"), log));
            }
            let program = built(side, &revisions.program, &folder, &target)?;
            held.add(format!("{side} program"), &program);
            sides.insert(side, Built { source, program });
        }
        Ok(Self { worker: Worker::this_program(), held, trees, sides, keepsakes })
    }

    /// The request with the program and the folder of its side.
    fn placed(&self, request: &Request) -> Request {
        let mut request = request.clone();
        let side = Side::BOTH.into_iter().find(|side| side.name() == request.lane);
        let placed = side.and_then(|side| Some((self.trees.folder(side), self.sides.get(&side)?)));
        if let (Some((folder, built)), Some(subject)) = (placed, &mut request.subject) {
            subject.program.cwd = Some(folder.display().to_string());
            if let Some(first) = subject.program.run.first_mut() {
                *first = built.program.display().to_string();
            }
        }
        request
    }
}

/// Copies each of `paths` in the folder `from` over what the worktree `to` has there.
fn lay_over(from: &Path, to: &Path, paths: &[String]) -> Result<(), TargetError> {
    for path in paths {
        let (from, to) = (from.join(path), to.join(path));
        if !from.exists() {
            return Err(TargetError::NoOverlay { path: path.clone() });
        }
        let failed = |source| TargetError::File { path: path.clone(), source };
        remove(&to).map_err(failed)?;
        copy(&from, &to).map_err(failed)?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Copies a file, or a folder with all that is in it; links are copied as links.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    let kind = from.symlink_metadata()?.file_type();
    if kind.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if !kind.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The file of what a side executes: copied out of the folder that both builds share, so that the other build can't
/// change it.
fn built(side: Side, program: &Program, folder: &Path, target: &Path) -> Result<PathBuf, TargetError> {
    let name = program.run.first().map_or("", String::as_str);
    if let Some(within) = name.strip_prefix(TARGET) {
        let missing = || TargetError::NotBuilt { side, program: name.to_owned() };
        let found = newest(&target.join(within)).ok_or_else(missing)?;
        let own = folder.join(TARGET).join(found.strip_prefix(target).unwrap_or(&found));
        if own != found {
            copy(&found, &own).map_err(|source| TargetError::File { path: name.to_owned(), source })?;
        }
        return Ok(own);
    }
    if name.contains('/') {
        return newest(&folder.join(name)).ok_or_else(|| TargetError::NotBuilt { side, program: name.to_owned() });
    }
    command::find(side, program, folder)?.ok_or_else(|| TargetError::NoProgram { side, program: name.to_owned() })
}

/// The executable file at `path`; where that ends in `*`, the newest of those that begin so.
fn newest(path: &Path) -> Option<PathBuf> {
    let Some(begin) = path.to_str().and_then(|path| path.strip_suffix('*')) else {
        return build::is_executable(path).then(|| path.to_owned());
    };
    let folder = Path::new(begin).parent()?;
    let begins = |path: &Path| path.to_str().is_some_and(|path| path.starts_with(begin));
    let paths = fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let files = paths.filter(|path| begins(path) && build::is_executable(path));
    files.max_by_key(|path| path.metadata().and_then(|file| file.modified()).ok())
}

impl Executor for RevisionsExecutor {
    fn execute(&mut self, request: &Request, timeout: Duration) -> Result<Output, RunError> {
        Ok(self.worker.run(&self.placed(request), timeout)?)
    }

    fn digests(&mut self) -> Result<BTreeMap<String, String>, RunError> {
        self.held.digests()
    }

    fn toolchains(&self) -> BTreeMap<String, String> {
        self.held.toolchains()
    }

    fn sources(&self) -> BTreeMap<String, String> {
        self.sides.iter().map(|(side, built)| (side.to_string(), built.source.clone())).collect()
    }

    fn keepsakes(&self) -> Vec<(String, String)> {
        self.keepsakes.clone()
    }
}
