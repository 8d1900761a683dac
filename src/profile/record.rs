//! What a profile belongs to: the small JSON file beside it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::measure::Host;
use crate::plan::Digests;
use crate::unit::{Case, Side};

/// What a profile belongs to, and what is in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The format, [`Record::SCHEMA`].
    pub schema: String,
    /// The version of this program.
    pub version: String,
    /// When it was begun, UTC.
    pub started: jiff::Timestamp,
    /// The gate.
    pub gate: String,
    /// SHA-256 of the plan that a campaign of the whole gate in this profile would have now.
    pub plan: String,
    /// The gate's latest campaign, where it rests on the same digests.
    pub campaign: Option<String>,
    /// The profile of the gate file whose limits and warm-up were in force.
    pub limits: String,
    /// The hypothesis.
    pub hypothesis: String,
    /// The side.
    pub side: Side,
    /// Its lane.
    pub lane: String,
    /// The case.
    pub case: Case,
    /// SHA-256 of what was executed, and of what that rests on.
    pub digests: Digests,
    /// What was seen of the host before.
    pub host: Host,
    /// Where the CPU time went.
    pub cpu: Cpu,
    /// What was allocated; none where the lane is a program, whose allocations are not seen.
    pub allocations: Option<Heap>,
    /// SHA-256 of the files beside this one, by name.
    pub files: BTreeMap<String, String>,
}

impl Record {
    /// The format of `profile.json`.
    pub const SCHEMA: &'static str = "gate.profile/1";
}

/// The figures of a profile of CPU time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// What sampled it: `timer` of the process itself, or `perf`.
    pub sampler: String,
    /// The operations that were sampled.
    pub operations: u64,
    /// How long they took, the sampler's own time included.
    pub wall_ns: u64,
    /// The samples that have a stack.
    pub samples: u64,
    /// The samples that found no room.
    pub lost: u64,
    /// The CPU time that the samples stand for.
    pub cpu_ns: u64,
}

/// The figures of a profile of allocations: of all that Rust code asked for, on all threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heap {
    /// The operations.
    pub operations: u64,
    /// How long they took, the walks of every stack included.
    pub wall_ns: u64,
    /// Allocations.
    pub allocs: u64,
    /// Bytes.
    pub bytes: u64,
    /// The allocations that found no room for their stack.
    pub lost: u64,
}
