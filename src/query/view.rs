//! The views, their columns, and what each holds in which unit.

use super::axes::Axes;

/// A view of a database of evidence.
#[derive(Debug)]
pub struct View {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub about: &'static str,
    /// Its columns, in order; behind [`Column::CASE`] stands one for each axis, in the views that have axes.
    pub columns: &'static [Column],
    /// Whether it has a column for each axis.
    pub has_axes: bool,
}

/// A column of a view.
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What it means, and in which unit it is.
    pub about: &'static str,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A list of texts.
    Texts,
    /// Whole numbers.
    Whole,
    /// Real numbers.
    Real,
    /// True or false.
    Flag,
    /// A moment, UTC.
    Time,
    /// A day.
    Day,
}

impl Kind {
    /// The type in SQL.
    #[must_use]
    pub const fn sql(self) -> &'static str {
        match self {
            Self::Text => "VARCHAR",
            Self::Texts => "VARCHAR[]",
            Self::Whole => "BIGINT",
            Self::Real => "DOUBLE",
            Self::Flag => "BOOLEAN",
            Self::Time => "TIMESTAMP",
            Self::Day => "DATE",
        }
    }
}

impl Column {
    /// The column behind which the axes stand.
    pub const CASE: &'static str = "case_name";
}

impl View {
    /// The view called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.name == name)
    }

    /// Names and kinds of all columns, those of `axes` among them.
    pub(super) fn layout(&self, axes: &Axes) -> Vec<(String, Kind)> {
        let mut layout = Vec::new();
        for column in self.columns {
            layout.push((column.name.to_owned(), column.kind));
            if self.has_axes && column.name == Column::CASE {
                layout.extend(axes.iter().map(|axis| (axis.column.clone(), axis.kind())));
            }
        }
        layout
    }
}

/// All views, with their columns and units, for a reader.
#[must_use]
pub fn help() -> String {
    let mut text = String::from("Views and their columns:\n");
    for view in VIEWS {
        text.push_str(&format!("\n{}: {}\n", view.name, view.about));
        for column in view.columns {
            text.push_str(&format!("  {:<22}{:<11}{}\n", column.name, column.kind.sql(), column.about));
            if view.has_axes && column.name == Column::CASE {
                text.push_str(&format!(
                    "  {:<22}{:<11}{}\n",
                    "…", "", "one for each axis of the matrix, by its name: its value, BIGINT or VARCHAR"
                ));
            }
        }
    }
    text.push_str(
        "\nAn axis that has the name of another column is called axis_NAME; `DESCRIBE samples` shows them all.\n",
    );
    text
}

const fn column(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, about }
}

const CAMPAIGN: Column = column("campaign", Kind::Text, "the campaign: the name of its folder");
const GATE: Column = column("gate", Kind::Text, "the gate");
const HYPOTHESIS: Column = column("hypothesis", Kind::Text, "the hypothesis' id");
const RUN: Column = column("run", Kind::Text, "the run's id, unique in its campaign");
const PAIR: Column = column("pair", Kind::Whole, "the pair, from 1");
const SIDE: Column = column("side", Kind::Text, "`baseline` or `candidate`");
const LANE: Column = column("lane", Kind::Text, "the lane");
const CASE: Column = column(Column::CASE, Kind::Text, "the case, as in `shape=wide rows=1000`");
const METRIC: Column = column("metric", Kind::Text, "the metric");
const STATISTIC: Column = column("statistic", Kind::Text, "what reduces a run's samples to one number");
const UNIT: Column =
    column("unit", Kind::Text, "`nanoseconds`, `bytes`, `count`, `operations-per-second`, `bytes-per-second`, `other`");

/// All views.
pub const VIEWS: &[View] = &[
    View {
        name: "plan",
        about: "a row for each campaign: what was to be done, and where",
        has_axes: false,
        columns: &[
            CAMPAIGN,
            GATE,
            column("title", Kind::Text, "the gate's title"),
            column("plan", Kind::Text, "SHA-256 of plan.json"),
            column("target", Kind::Text, "`suite`, `command` or `revisions`"),
            column("suite", Kind::Text, "the suite whose lanes and metrics it has"),
            column("profile", Kind::Text, "the profile"),
            column("grade", Kind::Text, "`preliminary` or `comparison`"),
            column("pairs", Kind::Whole, "pairs of each case"),
            column("cases", Kind::Whole, "cases of the matrix that some hypothesis is about"),
            column("runs", Kind::Whole, "runs that were planned"),
            column("hypotheses", Kind::Whole, "hypotheses"),
            column("run_order", Kind::Text, "which side of a pair goes first: `alternate` or `balanced`"),
            column("estimator", Kind::Text, "what is estimated from the pairs"),
            column("interval", Kind::Text, "`two-sided` or `one-sided`"),
            column("confidence", Kind::Real, "confidence of the interval, from 0 to 1"),
            column("multiplicity", Kind::Text, "the correction for many claims: `holm` or `none`"),
            column("quantile", Kind::Text, "how a percentile is read: `nearest-rank` or `linear`"),
            column("resamples", Kind::Whole, "bootstrap draws"),
            column("timeout_ns", Kind::Whole, "time after which a run is killed, nanoseconds"),
            column("slowdown", Kind::Real, "known slowdown of the candidate, a ratio; NULL where there is none"),
            column("confirms", Kind::Text, "the campaign that this one confirms"),
            column("started", Kind::Time, "when the plan was frozen, UTC"),
            column("attempt", Kind::Whole, "which attempt at this plan it is, from 1"),
            column("gate_version", Kind::Text, "the version of this program that ran it"),
            column("machine", Kind::Text, "the machine, as a digest of its id"),
            column("cpu_model", Kind::Text, "the CPU's model"),
            column("logical_cpus", Kind::Whole, "logical CPUs"),
            column("memory_bytes", Kind::Whole, "memory, bytes"),
            column("kernel", Kind::Text, "the kernel's release"),
            column("os", Kind::Text, "the operating system"),
            column("rustc", Kind::Text, "the compiler that built this program"),
            column("duckdb", Kind::Text, "DuckDB's version and source id"),
            column("commit", Kind::Text, "the commit of the working folder"),
            column("dirty", Kind::Flag, "whether the working folder differed from it"),
        ],
    },
    View {
        name: "runs",
        about: "a row for each planned run, one process that measures one side",
        has_axes: false,
        columns: &[
            CAMPAIGN,
            GATE,
            RUN,
            PAIR,
            SIDE,
            LANE,
            column("position", Kind::Whole, "its place in the order of the runs, from 1"),
            column("cpus", Kind::Whole, "logical CPUs that it was bound to"),
            column("cases", Kind::Whole, "cases that it measured"),
            column("samples", Kind::Whole, "samples in its file"),
            column(
                "sha256",
                Kind::Text,
                "SHA-256 of its file; NULL where it was left out because a lane broke its contract",
            ),
            column("started", Kind::Time, "when its process was started, UTC"),
            column("finished", Kind::Time, "when its file was in place, UTC"),
            column("cpu_ns", Kind::Whole, "user and system time of the process, nanoseconds"),
            column("minor_faults", Kind::Whole, "page faults that needed no I/O"),
            column("major_faults", Kind::Whole, "page faults that did"),
            column("voluntary_switches", Kind::Whole, "context switches that it asked for"),
            column("involuntary_switches", Kind::Whole, "context switches that it did not"),
            column("load", Kind::Real, "processes that wanted to run in the minute before it"),
            column("stolen", Kind::Real, "share of its time that a hypervisor took, from 0 to 1"),
            column("throttled", Kind::Real, "share of its time for which its CPU was taken away, from 0 to 1"),
            column("peak_reset", Kind::Flag, "whether `peak_rss_bytes` is the timed pass' own"),
            column("unenforced", Kind::Texts, "limits that could not be enforced, and why"),
        ],
    },
    View {
        name: "samples",
        about: "a row for each sample of each run",
        has_axes: true,
        columns: &[
            CAMPAIGN,
            GATE,
            RUN,
            PAIR,
            SIDE,
            LANE,
            CASE,
            METRIC,
            UNIT,
            column("pass", Kind::Text, "`timed`, `counted`, `run` or `reported`"),
            column("operation", Kind::Whole, "its place in the pass, from 0"),
            column("value", Kind::Real, "the sample, in `unit`"),
            column(
                "whole",
                Kind::Whole,
                "the sample as it was taken, in `unit`, where it is a whole number below 2^63; else NULL",
            ),
        ],
    },
    View {
        name: "budgets",
        about: "a row for each budget, or reported metric, in each case",
        has_axes: true,
        columns: &[
            CAMPAIGN,
            GATE,
            HYPOTHESIS,
            column("role", Kind::Text, "`benefit`, `guardrail` or `report`"),
            METRIC,
            STATISTIC,
            UNIT,
            column("direction", Kind::Text, "which way is better: `lower` or `higher`"),
            CASE,
            column(
                "bound_kind",
                Kind::Text,
                "`max_ratio`, `min_ratio`, `max` or `min`; NULL where it is only reported",
            ),
            column("bound", Kind::Real, "the bound: a ratio, or a value in `unit`"),
            column("baseline", Kind::Real, "median over the baseline's runs, in `unit`"),
            column("candidate", Kind::Real, "median over the candidate's runs, in `unit`"),
            column("ratio", Kind::Real, "candidate / baseline; NULL on absolute budgets and where it is undefined"),
            column("value", Kind::Real, "what an absolute budget is about, in `unit`"),
            column("low", Kind::Real, "lower end of the interval of `ratio` or `value`"),
            column("high", Kind::Real, "its upper end"),
            column("undefined", Kind::Text, "why a number is missing"),
            column("exact", Kind::Flag, "whether values were compared exactly"),
            column("pairs", Kind::Whole, "pairs that the numbers rest on"),
            column("point_within", Kind::Flag, "whether the estimate itself is inside the bound"),
            column("outcome", Kind::Text, "`pass`, `fail` or `inconclusive`; NULL where it is only reported"),
            column("p", Kind::Real, "the p of what the verdict would claim, from 0 to 1"),
            column("p_adjusted", Kind::Real, "`p` after Holm's correction, from 0 to 1"),
            column("confirmed", Kind::Flag, "whether that claim stands"),
            column("waiver_state", Kind::Text, "`not-needed`, `used`, `exceeded` or `expired`; NULL without a waiver"),
            column("waiver_bound", Kind::Real, "the waiver's bound, as `bound`"),
            column("waiver_until", Kind::Day, "the last day on which the waiver holds"),
            column(
                "pairs_needed",
                Kind::Whole,
                "pairs for 80 % power by the normal formula; where the estimate is beyond the bound, to show that it fails",
            ),
        ],
    },
    View {
        name: "verdicts",
        about: "a row for each hypothesis",
        has_axes: false,
        columns: &[
            CAMPAIGN,
            GATE,
            HYPOTHESIS,
            column("claim", Kind::Text, "the claim"),
            column("baseline", Kind::Text, "the baseline's lane"),
            column("candidate", Kind::Text, "the candidate's lane"),
            column("grade", Kind::Text, "`preliminary` or `comparison`"),
            column("verdict", Kind::Text, "`proceed`, `revise`, `reject` or `deferred`"),
            column("line", Kind::Whole, "the line of the verdict table that gave it, from 1"),
            column(
                "would",
                Kind::Text,
                "what comparison-grade evidence of this kind would give; NULL unless it is preliminary",
            ),
            column("reasons", Kind::Texts, "why, in order of weight"),
            column("rollback", Kind::Text, "how to go back if it turns out wrong"),
        ],
    },
    View {
        name: "warnings",
        about: "a row for each doubt about a hypothesis' results",
        has_axes: false,
        columns: &[
            CAMPAIGN,
            GATE,
            HYPOTHESIS,
            column("kind", Kind::Text, "what kind of doubt it is, as in analysis.json"),
            column("metric", Kind::Text, "the metric that it is about; NULL where it is about none"),
            column("statistic", Kind::Text, "the statistic; NULL where it is about none"),
            column("side", Kind::Text, "the side; NULL where it is about none"),
            column(Column::CASE, Kind::Text, "the case; NULL where it is about none"),
            column("text", Kind::Text, "the doubt in a sentence, and what to do about it"),
        ],
    },
    View {
        name: "history",
        about: "a row for each metric of each side, as results/history.jsonl beside the campaign keeps it",
        has_axes: false,
        columns: &[
            CAMPAIGN,
            GATE,
            HYPOTHESIS,
            column("date", Kind::Time, "when the campaign was begun, UTC"),
            column("machine", Kind::Text, "what its user calls the machine"),
            column("cores", Kind::Whole, "logical CPUs"),
            column("commit_id", Kind::Text, "the commit that the candidate is of"),
            column("baseline", Kind::Flag, "whether it was recorded to be a baseline"),
            column("digest", Kind::Text, "the campaign's digest: SHA-256 of its MANIFEST.sha256"),
            SIDE,
            CASE,
            METRIC,
            column("statistic", Kind::Text, "what reduced each run's samples to one number"),
            column("unit", Kind::Text, "the unit of `value`"),
            column("direction", Kind::Text, "which way is better"),
            column("value", Kind::Real, "the median over the runs, in `unit`"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_plain_and_told_once() {
        for view in VIEWS {
            let names: BTreeSet<_> = view.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), view.columns.len(), "{}", view.name);
            let plain = |name: &&str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
            assert!(names.iter().all(plain), "{}", view.name);
            assert!(!view.has_axes || names.contains(Column::CASE), "{}", view.name);
        }
    }

    #[test]
    fn the_help_tells_every_view_and_column() {
        let help = help();
        for view in VIEWS {
            assert!(help.contains(&format!("\n{}: ", view.name)));
            for column in view.columns {
                assert!(
                    help.contains(&format!("  {} ", column.name)) && help.contains(column.about),
                    "{}",
                    column.name
                );
            }
        }
    }
}
