//! Where a campaign's numbers come from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::State;
use crate::measure::Host;

/// Where a campaign's numbers come from: the program, the host, the time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The format, `gate.provenance/1`.
    pub schema: String,
    /// SHA-256 of `plan.json`.
    pub plan: String,
    /// The version of this program.
    pub version: String,
    /// When the plan was frozen, UTC.
    pub started: jiff::Timestamp,
    /// Which attempt at this plan it is, from 1.
    pub attempt: u32,
    /// The attempts at this plan before it, and what had become of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Earlier>,
    /// The digest of the line of the ledger that tells of its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// What was seen of the host before the first run.
    pub host: Host,
    /// What built each program that is measured, as far as the program itself tells, by label.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub toolchains: BTreeMap<String, String>,
}

/// An attempt at the same plan that was begun before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The name of its folder.
    pub campaign: String,
    /// What the ledger told of it last.
    pub state: State,
}

impl Provenance {
    /// The format of `provenance.json`.
    pub const SCHEMA: &'static str = "gate.provenance/1";

    /// The provenance of a campaign that starts now.
    #[must_use]
    pub fn new(
        plan: String,
        started: jiff::Timestamp,
        attempt: u32,
        host: Host,
        toolchains: BTreeMap<String, String>,
    ) -> Self {
        Self {
            schema: Self::SCHEMA.to_owned(),
            plan,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started,
            attempt,
            earlier: Vec::new(),
            ledger: None,
            host,
            toolchains,
        }
    }

    /// The UTC day on which the campaign started, which decides about waivers.
    #[must_use]
    pub fn day(&self) -> jiff::civil::Date {
        jiff::tz::Offset::UTC.to_datetime(self.started).date()
    }
}
