//! The governor: who may see what. It is asked once for every request, before anything else.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use super::request::{Identity, Request};
use super::trace::Trace;

/// What a principal may see of `model.orders`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// A condition on the rows, in SQL; none means all of them.
    pub rows: Option<&'static str>,
    /// Columns whose values are replaced by null.
    pub masked: &'static [u32],
}

/// The principal of the measured requests, who sees everything.
pub const ANALYST: &str = "analyst";
/// A principal who sees the rows with an odd key, and `field_03` of none.
pub const REGIONAL: &str = "regional";
/// A principal who may not read `model.orders` at all.
pub const GUEST: &str = "guest";

/// The scope of a decision: a digest of the principal and all that the policy says. Results never cross it.
pub type Scope = [u8; 32];

/// What the governor decided in favour of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What may be seen.
    pub policy: Policy,
    /// The scope of whatever comes of it.
    pub scope: Scope,
}

/// What the governor decided against.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// Nobody knows the principal, or the credential is not theirs.
    #[error("principal `{principal}` did not show a credential of theirs")]
    Unknown {
        /// The principal.
        principal: String,
    },
    /// The principal may not read the table.
    #[error("principal `{principal}` may not read model.orders")]
    Forbidden {
        /// The principal.
        principal: String,
    },
}

/// Decides about requests, and counts its decisions.
#[derive(Debug)]
pub struct Governor {
    policies: BTreeMap<Identity, Option<Policy>>,
    decided: AtomicU64,
}

impl Governor {
    /// With the principals of the suite.
    #[must_use]
    pub fn new() -> Self {
        let everything = Policy { rows: None, masked: &[] };
        let regional = Policy { rows: Some("field_00 % 2 = 1"), masked: &[3] };
        let policies = [(ANALYST, Some(everything)), (REGIONAL, Some(regional)), (GUEST, None)];
        let policies = policies.into_iter().map(|(principal, policy)| (unbound(&Identity::of(principal)), policy));
        Self { policies: policies.collect(), decided: AtomicU64::new(0) }
    }

    /// Decides about a request.
    ///
    /// # Errors
    ///
    /// A principal that is unknown, or may not see the table.
    pub fn decide(&self, request: &Request, trace: &mut Trace) -> Result<Decision, Denied> {
        self.decided.fetch_add(1, Ordering::Relaxed);
        trace.decisions += 1;
        let principal = || request.identity.principal.clone();
        match self.policies.get(&unbound(&request.identity)) {
            None => Err(Denied::Unknown { principal: principal() }),
            Some(None) => Err(Denied::Forbidden { principal: principal() }),
            Some(Some(policy)) => {
                let scope = scope(&request.identity.principal, policy);
                Ok(Decision { policy: policy.clone(), scope })
            }
        }
    }

    /// How many decisions there were.
    #[must_use]
    pub fn decided(&self) -> u64 {
        self.decided.load(Ordering::Relaxed)
    }
}

impl Default for Governor {
    fn default() -> Self {
        Self::new()
    }
}

/// The identity without what changes from one interaction to the next.
fn unbound(identity: &Identity) -> Identity {
    Identity { correlation: String::new(), ..identity.clone() }
}

fn scope(principal: &str, policy: &Policy) -> Scope {
    let mut digest = Sha256::new();
    // Each part with its length, so that no two scopes are written alike.
    for part in [principal, policy.rows.unwrap_or_default()] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    policy.masked.iter().for_each(|column| digest.update(column.to_le_bytes()));
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::dashboard::request::{Filter, Format, Visual};

    fn decide(identity: Identity) -> Result<Decision, Denied> {
        let request = Request {
            identity,
            visual: Visual::Detail,
            filter: Filter::Every,
            limit: 10,
            cursor: None,
            format: Format::Arrow,
        };
        let (governor, mut trace) = (Governor::new(), Trace::default());
        let decision = governor.decide(&request, &mut trace);
        assert_eq!((governor.decided(), trace.decisions), (1, 1));
        decision
    }

    #[test]
    fn every_principal_has_a_scope_of_their_own() {
        let analyst = decide(Identity::of(ANALYST)).unwrap();
        let regional = decide(Identity::of(REGIONAL)).unwrap();
        assert_ne!(analyst.scope, regional.scope);
        assert_ne!(scope("a", &analyst.policy), scope("b", &analyst.policy));
        assert_eq!(analyst.scope, decide(Identity::of(ANALYST)).unwrap().scope);
    }

    #[test]
    fn who_may_not_is_denied_by_name() {
        let denied = |identity| decide(identity).unwrap_err().to_string();
        assert_eq!(denied(Identity::of(GUEST)), "principal `guest` may not read model.orders");
        assert!(denied(Identity::of("nobody")).contains("`nobody` did not show"));
        let stolen = Identity { credential: "regional-key".to_owned(), ..Identity::of(ANALYST) };
        assert!(denied(stolen).contains("`analyst` did not show"));
    }
}
