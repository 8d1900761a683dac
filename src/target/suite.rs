//! The built-in suites as a target: every run is this program itself, started anew.

use std::collections::BTreeMap;
use std::time::Duration;

use super::held::Held;
use super::{Executor, RunError};
use crate::worker::protocol::Request;
use crate::worker::{Output, Worker};

/// Runs the built-in suites in workers of this program.
#[derive(Debug)]
pub struct SuiteExecutor {
    worker: Worker,
    held: Held,
}

impl SuiteExecutor {
    /// With workers of the running program.
    #[must_use]
    pub fn new() -> Self {
        Self { worker: Worker::this_program(), held: Held::this_program() }
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
        self.held.digests()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::digest::sha256;

    #[test]
    fn the_running_program_has_the_digest_of_its_file() {
        let expected = sha256(&fs::read("/proc/self/exe").unwrap());
        assert_eq!(SuiteExecutor::new().digests().unwrap(), BTreeMap::from([("gate".to_owned(), expected)]));
    }
}
