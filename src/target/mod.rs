//! Where runs come from: what starts the processes of a plan.
//!
//! A campaign asks an [`Executor`] and knows no more. [`SuiteExecutor`] runs this program's own suites; tests script one.
//! [`Lock`] sees to it that a host runs one campaign at a time.

mod lock;
mod suite;

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

pub use lock::{Holder, Lock, LockError};
pub use suite::SuiteExecutor;

use crate::worker::WorkerError;
use crate::worker::protocol::Request;

pub use crate::worker::Output;

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
