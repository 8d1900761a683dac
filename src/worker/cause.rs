//! What can happen to a child that does not do its work.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use super::lines::TooLong;
use super::protocol::{MAX_LINE, PROTOCOL};
use crate::unit::Case;

/// A child that did not do its work.
#[derive(Debug)]
pub struct WorkerError {
    /// What happened.
    pub cause: Cause,
    /// The case that it was about, where it had begun with one.
    pub case: Option<Case>,
    /// The last lines that it wrote to stderr.
    pub stderr: String,
}

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause)?;
        if let Some(case) = &self.case {
            write!(f, " (in case `{case}`)")?;
        }
        if !self.stderr.is_empty() {
            f.write_str("; its stderr ends with:")?;
            for line in self.stderr.lines() {
                write!(f, "\n  {line}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for WorkerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}

/// What happened to a child that did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// It could not be started.
    #[error("start worker `{program}`: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The kernel did not let the parent watch it.
    #[error("watch the worker: {0}")]
    Watch(#[from] io::Error),
    /// It ended before its work was done, or not well after it.
    #[error("the worker crashed: {0}")]
    Crashed(Ending),
    /// It had not ended when its time was over, and was killed with all that it had started.
    #[error("the worker was killed after {}, its `timeout`; find out what hangs, or raise the timeout", seconds(.0))]
    TimedOut(Duration),
    /// Somebody asked this program to stop, and it was killed with all that it had started.
    #[error("stopped by {0}")]
    Interrupted(&'static str),
    /// It closed its output before its work was done, went on running, and was killed.
    #[error("the worker closed its output before it said `done`, and went on running")]
    ClosedEarly,
    /// It wrote what is no message.
    #[error("the worker wrote `{0}` to its stdout, where only the protocol's messages may stand")]
    Garbage(String),
    /// It wrote a line without an end.
    #[error(
        "the worker wrote a line of more than {MAX_LINE} bytes to its stdout, where only the protocol's messages may stand"
    )]
    LineTooLong,
    /// It said what could not be said there.
    #[error("the worker said {0}")]
    Unexpected(String),
    /// It speaks another version of the protocol.
    #[error(
        "the worker speaks version {child} of the protocol, this program speaks {PROTOCOL}; both ends must be one build"
    )]
    Protocol {
        /// Its version.
        child: u32,
    },
    /// It would not begin.
    #[error("the worker refused: {message}")]
    Refused {
        /// Its reason.
        message: String,
    },
    /// An operation answered, but not what it must.
    #[error("the lane answered wrongly: {message}")]
    Answered {
        /// What was found, and what was expected.
        message: String,
    },
    /// The lane failed, or could not be measured.
    #[error("the lane failed: {message}")]
    Failed {
        /// What went wrong.
        message: String,
    },
    /// It said that it was done, and something is missing.
    #[error("the worker gave no {missing}")]
    Incomplete {
        /// What is missing.
        missing: String,
    },
}

impl Cause {
    /// A line that is no message, shortened.
    pub(super) fn garbage(line: &[u8]) -> Self {
        const SHOWN: usize = 80;
        let text = String::from_utf8_lossy(line);
        let mut shown: String = text.chars().take(SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        if text.chars().nth(SHOWN).is_some() {
            shown.push('…');
        }
        Self::Garbage(shown)
    }

    pub(super) fn unexpected(what: impl Into<String>) -> Self {
        Self::Unexpected(what.into())
    }
}

impl From<TooLong> for Cause {
    fn from(TooLong: TooLong) -> Self {
        Self::LineTooLong
    }
}

impl From<rustix::io::Errno> for Cause {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Watch(errno.into())
    }
}

fn seconds(duration: &Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It returned this exit code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Ending {
    pub(super) fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, signal) => Self::Signal(signal.unwrap_or(0)),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signal = match *self {
            Self::Code(0) => return f.write_str("it ended with exit code 0 before it said `done`"),
            Self::Code(code) => return write!(f, "it ended with exit code {code}"),
            Self::Signal(signal) => signal,
        };
        write!(f, "signal {signal} ended it")?;
        match signal {
            libc::SIGABRT => f.write_str(" (SIGABRT: it aborted)"),
            libc::SIGBUS => f.write_str(" (SIGBUS)"),
            libc::SIGFPE => f.write_str(" (SIGFPE)"),
            libc::SIGILL => f.write_str(" (SIGILL)"),
            libc::SIGINT => f.write_str(" (SIGINT: it was interrupted)"),
            libc::SIGKILL => f.write_str(" (SIGKILL: somebody killed it, or the machine was out of memory)"),
            libc::SIGSEGV => f.write_str(" (SIGSEGV)"),
            libc::SIGTERM => f.write_str(" (SIGTERM: somebody ended it)"),
            _ => Ok(()),
        }
    }
}
