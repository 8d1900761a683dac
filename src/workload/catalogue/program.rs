//! Any program: what is executed and timed, and what measures benches of its own.

use std::borrow::Cow;

use super::metric::LATENCY;
use super::{CPUS_AXIS, Check, Lane, LaneKind, Suite};
use crate::unit::{Assumption, Direction, Metric, Scope, Statistic, Unit};

/// What a gate knows of any program: the two sides, what an execution can be held to, and what the kernel tells of it.
///
/// No gate file names it: it is what `[target.command]` and `[target.revisions]` stand on.
pub static PROGRAM: Suite = Suite {
    name: "program",
    about: "any program: each operation is one execution, in a process of its own",
    axes: &[CPUS_AXIS],
    any_axis: true,
    any_metric: false,
    lanes: &[
        Lane {
            name: "baseline",
            about: "the program that is there today",
            kind: LaneKind::Path,
            contract: &["exit-code", "stdout", "lines"],
            only: &[],
        },
        Lane {
            name: "candidate",
            about: "the program that is proposed",
            kind: LaneKind::Path,
            contract: &["exit-code", "stdout", "lines"],
            only: &[],
        },
    ],
    checks: &[
        Check { name: "exit-code", about: "it ends by itself, with the expected exit code" },
        Check { name: "stdout", about: "its standard output is the expected one, byte for byte" },
        Check { name: "lines", about: "its standard output has the expected number of lines" },
    ],
    metrics: &[
        LATENCY,
        execution(
            "cpu_time",
            Unit::Nanoseconds,
            "user and system time of one execution, with the children it waited for",
        ),
        execution("user_time", Unit::Nanoseconds, "CPU time of one execution in user mode"),
        execution("system_time", Unit::Nanoseconds, "CPU time of one execution in the kernel"),
        execution(
            "peak_rss_bytes",
            Unit::Bytes,
            "highest resident memory of one execution, or of the largest child it waited for; never less than what the process that starts it has resident",
        ),
        execution("minor_faults", Unit::Count, "page faults of one execution that needed no I/O"),
        execution("major_faults", Unit::Count, "page faults of one execution that needed I/O"),
        execution("voluntary_switches", Unit::Count, "context switches of one execution that it asked for, by waiting"),
        execution("involuntary_switches", Unit::Count, "context switches of one execution that it did not ask for"),
        Metric {
            name: Cow::Borrowed("startup_time"),
            unit: Unit::Nanoseconds,
            direction: Direction::Lower,
            assumption: Assumption::Noisy,
            scope: Scope::Run,
            default_statistic: Statistic::Value,
            about: Cow::Borrowed(
                "wall time of an execution of an empty program (`true`) in the same process: what of `latency` is the measuring's own",
            ),
        },
    ],
};

/// What a gate knows of a program that measures benches of its own, and reports them.
///
/// No gate file names it either.
pub static BENCHES: Suite = Suite {
    name: "benches",
    about: "a program that measures benches of its own, and reports them; each run executes it in a process of its own",
    axes: PROGRAM.axes,
    any_axis: true,
    any_metric: true,
    lanes: &[
        Lane { contract: BENCHES_CONTRACT, ..PROGRAM.lanes[0] },
        Lane { contract: BENCHES_CONTRACT, ..PROGRAM.lanes[1] },
    ],
    checks: &[
        PROGRAM.checks[0],
        PROGRAM.checks[1],
        PROGRAM.checks[2],
        Check { name: "own-checks", about: "every check holds that it reports itself (`output = \"gate\"`)" },
    ],
    metrics: &[],
};

const BENCHES_CONTRACT: &[&str] = &["exit-code", "stdout", "lines", "own-checks"];

/// A noisy metric of one execution, lower is better.
const fn execution(name: &'static str, unit: Unit, about: &'static str) -> Metric {
    Metric {
        name: Cow::Borrowed(name),
        unit,
        direction: Direction::Lower,
        assumption: Assumption::Noisy,
        scope: Scope::Timed,
        default_statistic: Statistic::P50,
        about: Cow::Borrowed(about),
    }
}
