//! Gate + profile → [`Plan`]: every case, check, pair and run of a campaign, in order, with the digests of what is run.
//!
//! A plan is frozen before the first run: its digest is printed, and everything later refers to it. It holds
//! no time and no path, so that the same gate, program and fixtures give the same plan.

mod confirm;
mod expand;
mod order;
mod recorded;
mod size;
mod trial;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use confirm::{Confirms, Open, PROFILE as CONFIRMATION};
pub use expand::{PlanError, Selection};
pub use recorded::{Figure, Recorded, recording};
pub use size::Size;
pub use trial::{identical, is_trial};

use crate::digest::sha256;
use crate::spec::{Analysis, Fixture, Hypothesis, Profile, RECORDED, Target};
use crate::unit::{Case, Metric, Side};
use crate::workload::catalogue;

/// The format of `plan.json`.
pub const SCHEMA: &str = "gate.plan/1";

/// Everything that a campaign will do, and how it will be judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`SCHEMA`].
    pub schema: String,
    /// The gate's name.
    pub gate: String,
    /// The gate's title.
    pub title: String,
    /// What is measured.
    pub target: Target,
    /// What the fixtures are made from.
    pub fixture: Fixture,
    /// How much is measured, and under which conditions.
    pub profile: Profile,
    /// How pairs become outcomes.
    pub analysis: Analysis,
    /// The cases that some hypothesis is about, in matrix order.
    pub cases: Vec<Case>,
    /// The cases that are not measured, by index, and why.
    pub left_out: BTreeMap<usize, LeftOut>,
    /// The pairs of lanes that are compared.
    pub matchups: Vec<Matchup>,
    /// The checks that each of these lanes must pass on either side, in the suite's order.
    pub contracts: BTreeMap<String, Vec<String>>,
    /// The selected hypotheses.
    pub hypotheses: Vec<PlannedHypothesis>,
    /// The checks that run before the first pair.
    pub checks: Vec<PlannedCheck>,
    /// The runs, in order.
    pub runs: Vec<PlannedRun>,
    /// Operations in the counted pass of every case.
    pub counted: u32,
    /// The metrics that the target's runs report.
    pub metrics: Vec<Metric>,
    /// Whether the analysis looks for what makes values doubtful; plans that were made before it did have it off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diagnostics: bool,
    /// How many times as long every timed operation of the candidate is made to take, where the gate is on trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
    /// The campaign that this one confirms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms: Option<Confirms>,
    /// The recorded baselines, by hypothesis.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recorded: BTreeMap<String, Recorded>,
    /// Whether the campaign itself records a baseline: it judges none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub records: bool,
    /// SHA-256 of what the plan rests on.
    pub digests: Digests,
}

/// Why a case is not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// It is heavy, and heavy cases were to be skipped.
    Heavy,
    /// It needs more CPUs than the host has.
    Cpus,
}

impl LeftOut {
    /// The reason in words.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Heavy => "heavy case, left out by --skip-heavy",
            Self::Cpus => "needs more CPUs than this host has",
        }
    }
}

/// Two lanes that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matchup {
    /// The baseline's lane, or [`RECORDED`].
    pub baseline: String,
    /// The candidate's lane.
    pub candidate: String,
}

impl Matchup {
    /// The sides that are run.
    #[must_use]
    pub fn sides(&self) -> &'static [Side] {
        if self.baseline == RECORDED { &[Side::Candidate] } else { &Side::BOTH }
    }

    /// The lane on `side`.
    #[must_use]
    pub fn lane(&self, side: Side) -> &str {
        match side {
            Side::Baseline => &self.baseline,
            Side::Candidate => &self.candidate,
        }
    }
}

/// A hypothesis with its lanes and cases resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedHypothesis {
    /// The hypothesis.
    pub hypothesis: Hypothesis,
    /// Index of its lanes in [`Plan::matchups`].
    pub matchup: usize,
    /// Indices of its cases in [`Plan::cases`], those left out included.
    pub cases: Vec<usize>,
}

/// The checks of one lane, run in one process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCheck {
    /// Its id, unique in the plan.
    pub id: String,
    /// The lane.
    pub lane: String,
    /// Logical CPUs that the process is bound to.
    pub cpus: u32,
    /// Indices of the cases.
    pub cases: Vec<usize>,
    /// Names of the checks.
    pub checks: Vec<String>,
}

/// One fresh process that measures one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedRun {
    /// Its id, unique in the plan; the name of its file.
    pub id: String,
    /// The pair, from 1.
    pub pair: u32,
    /// The side.
    pub side: Side,
    /// Index of its lanes in [`Plan::matchups`].
    pub matchup: usize,
    /// Logical CPUs that the process is bound to.
    pub cpus: u32,
    /// Indices of the cases that the process measures, in order.
    pub cases: Vec<usize>,
}

/// SHA-256 of what a plan rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// The gate file.
    pub gate_file: String,
    /// What is executed, by label.
    pub executables: BTreeMap<String, String>,
    /// The fixtures, by name.
    pub fixtures: BTreeMap<String, String>,
    /// What each side was built from, by side, where revisions are compared: git's own digest of a commit or tree.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, String>,
}

impl Plan {
    /// The bytes of `plan.json`.
    ///
    /// # Panics
    ///
    /// Never: every part of a plan can be written as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a plan is plain data");
        text.push('\n');
        text
    }

    /// SHA-256 of [`Plan::to_json`].
    #[must_use]
    pub fn digest(&self) -> String {
        sha256(self.to_json().as_bytes())
    }

    /// What in it refers to nothing, for a plan that a stranger may have written; `None` where all refers to something.
    #[must_use]
    pub fn dangling(&self) -> Option<String> {
        let cases = |cases: &[usize]| !cases.is_empty() && cases.iter().all(|&case| case < self.cases.len());
        let fits = |matchup: usize, of: &[usize]| matchup < self.matchups.len() && cases(of);
        let hypothesis = self.hypotheses.iter().find(|one| !fits(one.matchup, &one.cases));
        let run = self.runs.iter().find(|run| !fits(run.matchup, &run.cases));
        let check = self.checks.iter().find(|check| !cases(&check.cases));
        let left_out = self.left_out.keys().find(|case| **case >= self.cases.len());
        hypothesis
            .map(|one| format!("hypothesis `{}`", one.hypothesis.id))
            .or_else(|| run.map(|run| format!("run `{}`", run.id)))
            .or_else(|| check.map(|check| format!("check `{}`", check.id)))
            .or_else(|| left_out.map(|case| format!("left-out case {case}")))
            .map(|what| format!("its {what} refers to cases or lanes that it does not have"))
    }

    /// The lane that `run` measures.
    #[must_use]
    pub fn lane(&self, run: &PlannedRun) -> &str {
        self.matchups[run.matchup].lane(run.side)
    }

    /// What the catalogue says of the lane called `name`.
    #[must_use]
    pub fn catalogued(&self, name: &str) -> Option<&'static catalogue::Lane> {
        catalogue::Suite::find(self.target.suite())?.lane(name)
    }

    /// The checks that the lane called `name` must pass on either side.
    #[must_use]
    pub fn contract(&self, name: &str) -> &[String] {
        self.contracts.get(name).map_or(&[], Vec::as_slice)
    }

    /// The metric called `name`.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}
