//! One campaign at a time on a host.

use super::{Failure, print};
use crate::target::{Lock, LockError};

/// What to do where another campaign runs on this host.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Wait {
    /// Wait for the end of another campaign on this host, which is refused otherwise
    #[arg(long)]
    wait: bool,
}

impl Wait {
    /// Takes the host's lock for campaigns of `gates`.
    pub(super) fn lock(self, gates: &str) -> Result<Lock, Failure> {
        match Lock::acquire(gates) {
            Err(held @ LockError::Held { .. }) if self.wait => {
                print::note(&format!("waits: {held}"));
                Lock::wait(gates).map_err(Failure::work)
            }
            acquired => acquired.map_err(|error| match error {
                LockError::Held { .. } => Failure::work(format!("{error}, or add --wait")),
                error => Failure::work(error),
            }),
        }
    }
}
