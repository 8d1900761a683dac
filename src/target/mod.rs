//! Where runs come from: what starts the processes of a plan.
//!
//! A campaign asks an [`Executor`] and knows no more. [`SuiteExecutor`] runs this program's own suites, [`CommandExecutor`]
//! any two programs, [`RevisionsExecutor`] two builds of a repository; tests script one. [`open()`] makes the one of a gate.
//! [`Lock`] sees to it that a host runs one campaign at a time.

mod build;
mod command;
mod held;
mod lock;
mod revisions;
mod suite;

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

pub use build::{BuildError, in_path};
pub use command::CommandExecutor;
pub use lock::{Holder, Lock, LockError};
pub use revisions::{GitError, RevisionsExecutor, files_like};
pub use suite::SuiteExecutor;

use crate::spec::Target;
use crate::unit::Side;

use crate::worker::protocol::Request;
use crate::worker::{Cause, WorkerError};

pub use crate::worker::Output;

/// The file that the running program was started from, whatever stands under its name by now.
const OWN_PATH: &str = "/proc/self/exe";

/// Makes everything ready that `target` executes: what has to be built is built here, and never later.
///
/// # Errors
///
/// Something that the target names is not there, or can't be built.
pub fn open(target: &Target) -> Result<Box<dyn Executor>, TargetError> {
    Ok(match target {
        Target::Suite(_) => Box::new(SuiteExecutor::new()),
        Target::Command(command) => Box::new(CommandExecutor::new(command)?),
        Target::Revisions(revisions) => Box::new(RevisionsExecutor::new(revisions)?),
    })
}

/// What keeps a target from being made ready.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// A side's program is not there.
    #[error(
        "find the {side}'s program `{program}`: there is no such executable file; a name with a slash is looked for from the working folder, one without in PATH"
    )]
    NoProgram {
        /// The side.
        side: Side,
        /// The program.
        program: String,
    },
    /// A side's working folder is not there.
    #[error(
        "find the {side}'s working folder `{folder}`: there is no such folder; `cwd` is taken from where gate runs"
    )]
    NoFolder {
        /// The side.
        side: Side,
        /// The folder.
        folder: String,
    },
    /// A file that the programs rest on is not there.
    #[error("find `{file}` of `files`: there is no such file; paths are taken from where gate runs")]
    NoFile {
        /// The file.
        file: String,
    },
    /// A build failed.
    #[error("build {}: {source}", side.map_or_else(|| "the target".to_owned(), |side| format!("the {side}")))]
    Build {
        /// The side; none where it builds for both.
        side: Option<Side>,
        /// Why.
        source: BuildError,
    },
    /// A build has not made what is to be executed.
    #[error(
        "find the {side}'s program `{program}`: its build has made no such executable file; a name in `target/` is cargo's, any other is looked for in the worktree"
    )]
    NotBuilt {
        /// The side.
        side: Side,
        /// The program.
        program: String,
    },
    /// Git refused.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A revision is not there.
    #[error("find the {side}'s revision `{revision}`: it is no commit, tag or branch of this repository ({source})")]
    NoRevision {
        /// The side.
        side: Side,
        /// The revision.
        revision: String,
        /// What git said.
        source: GitError,
    },
    /// The overlay holds what is not committed, and the candidate is a commit.
    #[error(
        "lay the overlay over both sides: it differs from what is committed:\n{files}\ncommit it, or write `candidate = \"worktree\"`"
    )]
    DirtyOverlay {
        /// What differs, as `git status` has it.
        files: String,
    },
    /// A path of the overlay is not there.
    #[error(
        "lay the overlay over both sides: there is no `{path}` where it is taken from, the candidate or `overlay_from`"
    )]
    NoOverlay {
        /// The path.
        path: String,
    },
    /// A file can't be copied or made.
    #[error("copy or make `{path}`: {source}")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// Runs the processes of a plan.
pub trait Executor {
    /// Has a fresh process do what `request` asks, and waits for its end, at most `timeout`.
    ///
    /// # Errors
    ///
    /// The process did not do its work; the error says what happened to it.
    fn execute(&mut self, request: &Request, timeout: Duration) -> Result<Output, RunError>;

    /// SHA-256 of everything that would be executed now, by label.
    ///
    /// # Errors
    ///
    /// A file that can't be read.
    fn digests(&mut self) -> Result<BTreeMap<String, String>, RunError>;

    /// What each side was built from, by side: a commit, or `COMMIT+TREE` where the files differ from that commit.
    fn sources(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// What built each program, as far as the program itself tells, by label.
    fn toolchains(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// What is to be kept with the evidence of how the target was made, by file name.
    fn keepsakes(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// What keeps a process of a plan from doing its work.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was started, or should have been, and did not do its work.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// What would be executed can't be read.
    #[error("read executable `{label}`: {source}")]
    Executable {
        /// Its label.
        label: String,
        /// Why.
        source: io::Error,
    },
}

impl RunError {
    /// Whether somebody asked this program to stop.
    #[must_use]
    pub const fn is_interruption(&self) -> bool {
        matches!(self, Self::Worker(WorkerError { cause: Cause::Interrupted(_), .. }))
    }
}
