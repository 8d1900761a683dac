//! What the built-in suites offer: their lanes, axes, checks and metrics, as plain data.
//!
//! A gate file is validated against it, and nothing in it needs a database.

mod dashboard;
mod metric;
mod probe;
mod program;

use crate::unit::{Case, Metric};

pub use dashboard::DASHBOARD;
pub use probe::PROBE;
pub use program::{BENCHES, PROGRAM};

/// A suite: what it measures, and the names that a gate file may use.
#[derive(Debug)]
pub struct Suite {
    /// Its name, as in `[target] suite = "NAME"`.
    pub name: &'static str,
    /// What it measures, in one line.
    pub about: &'static str,
    /// The axes that a matrix may have.
    pub axes: &'static [Axis],
    /// Whether a matrix may have others as well, of any values.
    pub any_axis: bool,
    /// Whether its runs report whatever metrics they like, bench by bench.
    pub any_metric: bool,
    /// The lanes.
    pub lanes: &'static [Lane],
    /// The correctness checks.
    pub checks: &'static [Check],
    /// The metrics that its runs report.
    pub metrics: &'static [Metric],
}

/// An axis that a suite understands.
#[derive(Debug)]
pub struct Axis {
    /// Its name.
    pub name: &'static str,
    /// What it varies.
    pub about: &'static str,
    /// The values it takes.
    pub domain: Domain,
    /// Whether every case must have it.
    pub required: bool,
}

/// The values of an axis.
#[derive(Debug)]
pub enum Domain {
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of these numbers.
    Numbers(&'static [i64]),
    /// A number between these two, both included.
    Range(i64, i64),
}

/// A named execution path.
#[derive(Debug)]
pub struct Lane {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What it is for.
    pub kind: LaneKind,
    /// The checks that it must pass on either side: its contract.
    pub contract: &'static [&'static str],
    /// What it takes on the axes on which it does not take every value.
    pub only: &'static [Only],
}

/// The values that a lane takes on one axis.
#[derive(Debug)]
pub struct Only {
    /// The axis.
    pub axis: &'static str,
    /// The values, as a report shows them.
    pub values: &'static [&'static str],
    /// Where a case without the axis stands.
    pub absent: &'static str,
    /// The axis and its values that make the rule hold; none where it always does.
    pub when: Option<(&'static str, &'static [&'static str])>,
}

/// What a lane is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneKind {
    /// A path that somebody may want to adopt or keep.
    Path,
    /// A piece of a path, to see where its time goes.
    Stage,
    /// A path with a known defect or a known extra cost, to see a gate catch it.
    Calibration,
}

/// A correctness check.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What it holds the answer to, in one line.
    pub about: &'static str,
}

impl Lane {
    /// What of the case the lane does not take; `None` where it takes the case.
    #[must_use]
    pub fn refuses(&self, case: &Case) -> Option<&'static Only> {
        self.only.iter().find(|only| !only.takes(case))
    }
}

impl Only {
    fn takes(&self, case: &Case) -> bool {
        let stands = |axis: &str, among: &[&str], absent: &str| {
            case.get(axis).map_or_else(|| among.contains(&absent), |value| among.contains(&value.to_string().as_str()))
        };
        let concerned = self.when.is_none_or(|(axis, values)| stands(axis, values, ""));
        !concerned || stands(self.axis, self.values, self.absent)
    }
}

impl Suite {
    /// `checks of suite …`, as a message has it; what stands on no suite's name is of a program.
    #[must_use]
    pub fn owning(&self, what: &str) -> String {
        if self.any_axis { format!("{what} of a program") } else { format!("{what} of suite `{}`", self.name) }
    }

    /// The suite called `name`; [`PROGRAM`] and [`BENCHES`] are among them.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        SUITES.iter().copied().chain([&PROGRAM, &BENCHES]).find(|suite| suite.name == name)
    }

    /// The lane called `name`.
    #[must_use]
    pub fn lane(&self, name: &str) -> Option<&'static Lane> {
        self.lanes.iter().find(|lane| lane.name == name)
    }

    /// The check called `name`.
    #[must_use]
    pub fn check(&self, name: &str) -> Option<&'static Check> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// The metric called `name`.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<&'static Metric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}

/// Every built-in suite.
pub const SUITES: &[&Suite] = &[&DASHBOARD, &PROBE];

const CPUS_AXIS: Axis = Axis {
    name: "cpus",
    about: "logical CPUs that a run, and the database in it, are bound to",
    domain: Domain::Range(1, 1_024),
    required: false,
};
