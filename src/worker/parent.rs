//! The end that starts a child, listens until a deadline, and kills what does not end.
//!
//! A child gets a process group of its own. Whatever happens, nothing of that group is left when [`Worker::run`] returns,
//! and it returns by the deadline: a child that hangs, writes garbage, writes without end, closes its output, or leaves
//! grandchildren that hold its pipes open, is an error like any other. While the child works, its parent sleeps.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::cause::{Cause, Ending, WorkerError};
use super::conversation::Conversation;
use super::protocol::{Cell, Observed, Request};
use super::running::Running;
use super::taken::Taken;
use crate::measure::rusage::Usage;
use crate::measure::{clock, spawn};
use crate::unit::Case;
use crate::workload::CheckResult;

/// What a child has done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// The measured cases, in the order of the request.
    pub cells: Vec<Cell>,
    /// How each check of each case came out.
    pub checks: Vec<CheckResult>,
    /// The digest of the answer in each case that was checked; none where a broken check left no answer.
    pub answers: Vec<(Case, String)>,
    /// The profile, where one was asked for.
    pub profile: Option<Taken>,
    /// What the process saw of itself and its limits; always there where the child's work is done.
    pub observed: Option<Observed>,
    /// What the kernel says that it used, with its exit.
    pub usage: Usage,
    /// The last lines that it, and what it executed, wrote to stderr.
    pub stderr: String,
}

/// How to start a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Worker {
    /// The running program itself, as `gate worker`: also when its file was replaced or removed since it started.
    #[must_use]
    pub fn this_program() -> Self {
        // By its number, so that it is found by whatever a child is started under, too.
        Self::new(format!("/proc/{}/exe", std::process::id()), ["worker"])
    }

    /// Another program that speaks the protocol.
    #[must_use]
    pub fn new<A: Into<OsString>>(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = A>) -> Self {
        Self { program: program.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }

    /// Starts a child, has it do what `request` asks, and waits for its end, at most `timeout` from now.
    ///
    /// The child dies with the thread that called this, so that none is left when the program is killed.
    ///
    /// # Errors
    ///
    /// The child could not be started, did not do its work in time, or did other work than it was asked for. It has
    /// ended then, with every process of its group.
    pub fn run(&self, request: &Request, timeout: Duration) -> Result<Output, WorkerError> {
        let begin = clock::now();
        let alone = |cause| WorkerError { cause, case: None, stderr: String::new() };
        let child = self.start(request.task.under()).map_err(alone)?;
        let mut conversation = Conversation::new(request);
        let mut running = Running::new(child, request);
        let listened = running.listen(&mut conversation, begin, timeout);
        // Also after an error: nothing of the group may be left.
        let ended = running.end();
        let outcome = listened.and_then(|()| {
            let reaped = ended?;
            running.hear_the_rest(&mut conversation)?;
            if !conversation.is_done() || !reaped.status.success() {
                return Err(Cause::Crashed(Ending::of(reaped.status)));
            }
            Ok(reaped.usage)
        });
        // Once all is said, nothing is about a case any more.
        let at = conversation.case().filter(|_| !conversation.is_done()).cloned();
        let stderr = running.stderr_tail();
        match outcome.and_then(|usage| conversation.finish(usage)) {
            Ok(output) => Ok(Output { stderr, ..output }),
            Err(cause) => Err(WorkerError { cause, case: at, stderr }),
        }
    }

    /// Starts a child, under another command where there is one.
    fn start(&self, under: Option<&[String]>) -> Result<Child, Cause> {
        let mut command = match under.and_then(<[String]>::split_first) {
            None => Command::new(&self.program),
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(&self.program);
                // A worker ties itself to what it was started by; that, in turn, has to be tied here.
                spawn::die_with_parent(&mut command);
                command
            }
        };
        let program = command.get_program().to_string_lossy().into_owned();
        command
            .args(&self.arguments)
            .process_group(0)
            // A backtrace would push the reason for a panic out of stderr's tail, and taking one costs time in a lane.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| Cause::Start { program, source })
    }
}
