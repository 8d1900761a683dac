//! The probe suite.

use super::metric::{
    CPU_TIME, LATENCY, PEAK_RSS_BYTES, RUST_HEAP_ALLOCS, RUST_HEAP_BYTES, STEADY_RSS_BYTES, THROUGHPUT,
};
use super::{Axis, CPUS_AXIS, Check, Domain, Lane, LaneKind, Suite};

/// Tiny lanes of a known cost or with a known fault: what a gate is tried on before it is trusted.
pub static PROBE: Suite = Suite {
    name: "probe",
    about: "tiny lanes of a known cost or with a known fault, to try a gate on",
    axes: &[
        Axis {
            name: "work",
            about: "rounds of a fixed arithmetic loop in one operation",
            domain: Domain::Range(1, 100_000_000),
            required: true,
        },
        CPUS_AXIS,
    ],
    any_axis: false,
    any_metric: false,
    lanes: &[
        Lane { name: "steady", about: "does the work", kind: LaneKind::Path, contract: &["row-count"], only: &[] },
        Lane {
            name: "slow",
            about: "does half as much work again, and allocates twice as much",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
        Lane {
            name: "fault:wrong-answer",
            about: "answers one row too few, in checks as well",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
        Lane {
            name: "fault:short-answer",
            about: "passes its checks, then answers one row too few from its ninth operation on",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
        Lane {
            name: "fault:crash",
            about: "passes its checks, then aborts its process in its ninth operation",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
        Lane {
            name: "fault:hang",
            about: "passes its checks, then never returns from its ninth operation",
            kind: LaneKind::Calibration,
            contract: &["row-count"],
            only: &[],
        },
    ],
    checks: &[Check { name: "row-count", about: "the answer has the rows asked for" }],
    metrics: &[LATENCY, THROUGHPUT, CPU_TIME, RUST_HEAP_BYTES, RUST_HEAP_ALLOCS, PEAK_RSS_BYTES, STEADY_RSS_BYTES],
};
