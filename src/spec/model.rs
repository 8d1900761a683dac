//! The validated gate: what a gate file says, with names resolved and quantities typed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::program::{Expect, Output, Program};
use crate::unit::{AxisValue, Case, Metric, Side, Statistic};
use crate::workload::catalogue::{BENCHES, PROGRAM};

/// Operations of the counted pass of every case: what counted metrics have samples of.
pub const COUNTED_OPERATIONS: u32 = 10;

/// A gate file that has passed every check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// The gate's name: letters, digits, `-`, `_` and `.`; it becomes a folder under `results/`.
    pub name: String,
    /// What the gate is about, in one line.
    pub title: String,
    /// What is measured.
    pub target: Target,
    /// What the fixtures are made from.
    pub fixture: Fixture,
    /// The axes whose combinations are the cases.
    pub matrix: Matrix,
    /// The profiles, in the order of the file.
    pub profiles: Vec<Profile>,
    /// How pairs become outcomes.
    pub analysis: Analysis,
    /// The claims.
    pub hypotheses: Vec<Hypothesis>,
}

/// What is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// A built-in suite, by its name in the catalogue.
    Suite(String),
    /// Any two programs.
    Command(Command),
    /// Two git revisions.
    Revisions(Revisions),
}

impl Target {
    /// The suite whose lanes, checks and metrics it has.
    #[must_use]
    pub fn suite(&self) -> &str {
        match self {
            Self::Suite(name) => name,
            Self::Command(Command { output, .. }) | Self::Revisions(Revisions { output, .. }) => match output {
                Output::Time => PROGRAM.name,
                Output::Benches(_) => BENCHES.name,
            },
        }
    }

    /// What is measured of an execution.
    #[must_use]
    pub const fn output(&self) -> Output {
        match self {
            Self::Suite(_) => Output::Time,
            Self::Command(command) => command.output,
            Self::Revisions(revisions) => revisions.output,
        }
    }

    /// What the program on `side` must answer; `None` where the target is a suite.
    #[must_use]
    pub const fn expect(&self) -> Option<&Expect> {
        match self {
            Self::Suite(_) => None,
            Self::Command(command) => Some(&command.expect),
            Self::Revisions(revisions) => Some(&revisions.expect),
        }
    }

    /// The program on `side`, as the gate file has it; `None` where the target is a suite.
    #[must_use]
    pub const fn program(&self, side: Side) -> Option<&Program> {
        match (self, side) {
            (Self::Suite(_), _) => None,
            (Self::Command(command), Side::Baseline) => Some(&command.baseline),
            (Self::Command(command), Side::Candidate) => Some(&command.candidate),
            (Self::Revisions(revisions), _) => Some(&revisions.program),
        }
    }
}

/// Any two programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The program that is there today.
    pub baseline: Program,
    /// The program that is proposed.
    pub candidate: Program,
    /// What is run once before anything is measured; empty where nothing is.
    pub build: Vec<String>,
    /// Files that the programs rest on beside their executables.
    pub files: Vec<String>,
    /// What is measured of an execution.
    pub output: Output,
    /// What every execution must answer.
    pub expect: Expect,
}

/// Two git revisions, each built once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revisions {
    /// The repository.
    pub repo: String,
    /// The revision that is there today.
    pub baseline: String,
    /// The revision that is proposed.
    pub candidate: String,
    /// Paths that are laid over both sides.
    pub overlay: Vec<String>,
    /// The folder that they are taken from, in place of the candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay_from: Option<String>,
    /// The command that builds a revision; empty where nothing is to be built.
    pub build: Vec<String>,
    /// The program of a build.
    pub program: Program,
    /// What is measured of an execution.
    pub output: Output,
    /// What every execution must answer.
    pub expect: Expect,
}

impl Revisions {
    /// What stands for the repository's files as they are, in place of a revision.
    pub const WORKTREE: &'static str = "worktree";

    /// The revision on `side`, as the gate file has it.
    #[must_use]
    pub fn revision(&self, side: Side) -> &str {
        match side {
            Side::Baseline => &self.baseline,
            Side::Candidate => &self.candidate,
        }
    }
}

/// What the fixtures are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixture {
    /// The seed of whatever in a fixture is random.
    pub seed: u64,
    /// A nullable value is null where `(row + column) % null_period == 0`.
    pub null_period: u32,
}

/// The axes whose combinations are the cases.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// The axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// Combinations that are no case.
    pub exclude: Vec<Selector>,
    /// Combinations that `--skip-heavy` leaves out.
    pub heavy: Vec<Selector>,
    /// Axes whose values one process measures in the order given.
    pub within_run: Vec<String>,
}

/// One axis of the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its values, in the order of the file; never empty, without repeats.
    pub values: Vec<AxisValue>,
}

/// A choice of cases: for each named axis, the values that are chosen. Names no axis: every case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selector(pub Vec<(String, Vec<AxisValue>)>);

impl Selector {
    /// The same choice, but for benches: those that a program reports are not known before it runs.
    #[must_use]
    pub fn without_benches(&self) -> Self {
        Self(self.0.iter().filter(|(axis, _)| axis != Case::BENCH).cloned().collect())
    }

    /// The benches that it chooses; `None` where it chooses all.
    #[must_use]
    pub fn benches(&self) -> Option<&[AxisValue]> {
        self.0.iter().find(|(axis, _)| axis == Case::BENCH).map(|(_, values)| values.as_slice())
    }

    /// Whether `case` is among the chosen.
    #[must_use]
    pub fn matches(&self, case: &Case) -> bool {
        self.0.iter().all(|(axis, values)| case.get(axis).is_some_and(|value| values.contains(value)))
    }
}

/// How much is measured, and under which conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Its name, as in `[profile.NAME]`.
    pub name: String,
    /// What its evidence is good for.
    pub grade: Grade,
    /// Pairs of each case.
    pub pairs: u32,
    /// The numbers of pairs after which the campaign ends where every verdict is settled by then; ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<u32>,
    /// What runs, validated but not timed, before the first sample.
    pub warmup: Warmup,
    /// The least time that the timed pass of a case takes, in nanoseconds.
    pub min_time_ns: Option<u64>,
    /// The exact number of timed operations, in place of `min_time_ns`.
    pub samples: Option<u32>,
    /// The least number of timed operations beside `min_time_ns`.
    pub min_samples: Option<u32>,
    /// Which side of a pair goes first.
    pub order: Order,
    /// The seed of a balanced order.
    pub order_seed: u64,
    /// Logical CPUs that a run is bound to, where the matrix has no axis `cpus`.
    pub cpus: Option<u32>,
    /// The memory limit of a run in bytes.
    pub memory_bytes: Option<u64>,
    /// The limit on the processes of a run.
    pub processes: Option<u64>,
    /// The time after which a run is killed, in nanoseconds.
    pub timeout_ns: u64,
}

impl Profile {
    /// The numbers of pairs at which the campaign may end: its looks, and all of them last.
    #[must_use]
    pub fn ends(&self) -> Vec<u32> {
        let before = self.looks.iter().copied().filter(|&look| look < self.pairs);
        before.chain([self.pairs]).collect()
    }
}

/// What a campaign's evidence is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// A smoke and iteration check: it never proceeds.
    Preliminary,
    /// Fit to decide; at least 5 pairs.
    Comparison,
}

/// What runs before the first sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warmup {
    /// So many operations.
    Operations(u32),
    /// Operations until so many nanoseconds have gone by.
    TimeNs(u64),
}

/// Which side of a pair goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The baseline on odd pairs, the candidate on even ones.
    Alternate,
    /// Equally many of both, shuffled with the order seed.
    Balanced,
}

/// How pairs become outcomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Bootstrap draws where the distribution is not enumerated exactly.
    pub resamples: u32,
    /// The seed of the draws.
    pub seed: u64,
    /// What is estimated from the pairs.
    pub estimator: Estimator,
    /// Which percentiles bound the estimate.
    pub interval: IntervalKind,
    /// The confidence in parts per 10,000.
    pub confidence_parts: u32,
    /// How many budgets together are corrected for.
    pub multiplicity: Multiplicity,
    /// How a percentile of one run's samples is read.
    pub quantile: QuantileKind,
}

/// What is estimated from the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// The median of the candidate's values divided by the median of the baseline's.
    RatioOfMedians,
    /// The median of the ratios that are formed inside the pairs.
    MedianLogRatio,
    /// The pseudo-median of the pairs' log ratios, with exact bounds from their signed ranks.
    HodgesLehmann,
}

/// Which percentiles bound the estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalKind {
    /// At 95 %: the 2.5th and the 97.5th.
    TwoSided,
    /// At 95 %: the 5th and the 95th, as two separate bounds.
    OneSided,
}

/// How many budgets together are corrected for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Multiplicity {
    /// Holm (1979).
    Holm,
    /// No correction: the rule of gates that replay older campaigns.
    None,
}

/// How a percentile of one run's samples is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QuantileKind {
    /// The smallest sample whose cumulative share reaches the level.
    NearestRank,
    /// Interpolated between neighbours.
    Linear,
}

/// What stands for the baseline's lane where nothing of it is run: the baseline that was recorded last on the machine.
pub const RECORDED: &str = "history:latest";

/// One claim about a candidate against a baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// Its id, unique in the gate.
    pub id: String,
    /// The claim, in a sentence.
    pub claim: String,
    /// The baseline's lane, or [`RECORDED`].
    pub baseline: String,
    /// The candidate's lane.
    pub candidate: String,
    /// The cases it is about.
    pub cases: Selector,
    /// How to go back if it turns out wrong.
    pub rollback: String,
    /// Checks of the candidate; any failure rejects.
    pub correctness: Vec<Check>,
    /// Of these at least one must hold.
    pub benefits: Vec<Benefit>,
    /// Of these every one must hold, in every case.
    pub guardrails: Vec<Budget>,
    /// What is measured and shown, never judged.
    pub reports: Vec<Reported>,
}

impl Hypothesis {
    /// Whether its baseline is one that was recorded, so that only the candidate is run.
    #[must_use]
    pub fn baseline_is_recorded(&self) -> bool {
        self.baseline == RECORDED
    }

    /// Its budgets: the benefits', then the guardrails.
    pub fn budgets(&self) -> impl Iterator<Item = &Budget> {
        let benefits = self.benefits.iter().filter_map(|benefit| match benefit {
            Benefit::Budget(budget) => Some(budget),
            Benefit::Capability(_) => None,
        });
        benefits.chain(&self.guardrails)
    }

    /// The metrics of its budgets and reports.
    pub fn metrics(&self) -> impl Iterator<Item = &Metric> {
        self.budgets().map(|budget| &budget.metric).chain(self.reports.iter().map(|reported| &reported.metric))
    }
}

/// A correctness check of the candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Its name in the catalogue.
    pub check: String,
    /// Why it is known to fail today. While it fails the hypothesis is revised, and once it passes too.
    pub known_gap: Option<String>,
    /// The cases it is about, within the hypothesis'.
    pub cases: Selector,
}

/// Something that makes the candidate worth having.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Benefit {
    /// A budget that must pass.
    Budget(Budget),
    /// A check that the candidate passes and the baseline fails.
    Capability(Check),
}

/// A bound on a metric's statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The metric.
    pub metric: Metric,
    /// What reduces a run's samples to one number.
    pub statistic: Statistic,
    /// The bound.
    pub bound: Bound,
    /// The cases it is about, within the hypothesis'.
    pub cases: Selector,
    /// A failure that somebody has agreed to, up to a bound and a day.
    pub waiver: Option<Waiver>,
}

/// The bound of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Candidate / baseline at most.
    MaxRatio(f64),
    /// Candidate / baseline at least.
    MinRatio(f64),
    /// The candidate's value at most.
    Max(f64),
    /// The candidate's value at least.
    Min(f64),
}

impl Bound {
    /// Its key in a gate file.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::MaxRatio(_) => "max_ratio",
            Self::MinRatio(_) => "min_ratio",
            Self::Max(_) => "max",
            Self::Min(_) => "min",
        }
    }

    /// Its number: a ratio, or a value in the metric's unit.
    #[must_use]
    pub const fn value(self) -> f64 {
        match self {
            Self::MaxRatio(value) | Self::MinRatio(value) | Self::Max(value) | Self::Min(value) => value,
        }
    }

    /// The bound of the same kind with another number, such as a waiver's.
    #[must_use]
    pub const fn with(self, value: f64) -> Self {
        match self {
            Self::MaxRatio(_) => Self::MaxRatio(value),
            Self::MinRatio(_) => Self::MinRatio(value),
            Self::Max(_) => Self::Max(value),
            Self::Min(_) => Self::Min(value),
        }
    }

    /// Whether it bounds candidate / baseline, not the candidate's value.
    #[must_use]
    pub const fn is_ratio(self) -> bool {
        matches!(self, Self::MaxRatio(_) | Self::MinRatio(_))
    }

    /// Whether it bounds from above.
    #[must_use]
    pub const fn is_upper(self) -> bool {
        matches!(self, Self::MaxRatio(_) | Self::Max(_))
    }

    /// Whether it lets more pass than `other`, a bound of the same kind.
    #[must_use]
    pub fn is_looser_than(self, other: Self) -> bool {
        if self.is_upper() { self.value() > other.value() } else { self.value() < other.value() }
    }
}

/// A failure that somebody has agreed to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Waiver {
    /// Why.
    pub reason: String,
    /// Who.
    pub approved_by: String,
    /// The bound that holds in place of the budget's, of the same kind.
    pub bound: f64,
    /// The last day on which it holds, `YYYY-MM-DD`.
    pub until: jiff::civil::Date,
}

/// A metric that is shown and not judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The metric.
    pub metric: Metric,
    /// What reduces a run's samples to one number.
    pub statistic: Statistic,
    /// The cases it is about, within the hypothesis'.
    pub cases: Selector,
}
