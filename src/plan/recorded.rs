//! Baselines that were recorded earlier, and the gate that records one.

use serde::{Deserialize, Serialize};

use super::{Plan, PlannedHypothesis};
use crate::spec::{Gate, Hypothesis, Reported};
use crate::unit::{Case, Statistic};

/// A baseline that was recorded, as the plan freezes it: where it comes from, and its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// The name of the folder of the campaign that recorded it.
    pub campaign: String,
    /// That campaign's own digest.
    pub digest: String,
    /// When it started, UTC.
    pub date: jiff::Timestamp,
    /// What the user calls the machine.
    pub machine: String,
    /// The commit that was measured.
    pub commit: Option<String>,
    /// Its figures.
    pub figures: Vec<Figure>,
}

/// What was recorded of one metric in one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The case.
    pub case: Case,
    /// The metric.
    pub metric: String,
    /// What reduced each run's samples to one number.
    pub statistic: Statistic,
    /// One number a run.
    pub runs: Vec<f64>,
}

impl Recorded {
    /// One number for each run that was recorded.
    #[must_use]
    pub fn runs(&self, case: &Case, metric: &str, statistic: Statistic) -> Option<&[f64]> {
        let same = |figure: &&Figure| figure.case == *case && figure.metric == metric && figure.statistic == statistic;
        self.figures.iter().find(same).map(|figure| figure.runs.as_slice())
    }

    /// Whether anything was recorded in `case`, or of a bench in it.
    fn has(&self, case: &Case) -> bool {
        self.figures.iter().any(|figure| figure.case.without_bench() == *case)
    }
}

impl Plan {
    /// Whether nothing is measured of a hypothesis in a case, by its index, because no baseline is recorded that it could be
    /// compared with.
    #[must_use]
    pub fn lacks_baseline(&self, planned: &PlannedHypothesis, case: usize) -> bool {
        let Hypothesis { id, .. } = &planned.hypothesis;
        planned.hypothesis.baseline_is_recorded()
            && !self.records
            && !self.recorded.get(id).is_some_and(|recorded| recorded.has(&self.cases[case]))
    }

    /// Why nothing is measured then, and what to do.
    #[must_use]
    pub fn lacking_baseline(&self) -> String {
        let Self { gate, profile, .. } = self;
        let with = if profile.name == "full" { String::new() } else { format!(" --profile {}", profile.name) };
        format!(
            "no baseline of it is recorded on this machine under this profile; record one with `gate record {gate}{with}`, \
             of the files as they are before the change"
        )
    }
}

/// `gate` with nothing but the hypotheses whose baselines are recorded, and these without a budget: what would be judged is
/// only measured. Without any such hypothesis there is nothing to record.
#[must_use]
pub fn recording(gate: &Gate) -> Gate {
    let mut recording = gate.clone();
    recording.hypotheses.retain(Hypothesis::baseline_is_recorded);
    for hypothesis in &mut recording.hypotheses {
        let budgets = hypothesis.budgets().map(|budget| Reported {
            metric: budget.metric.clone(),
            statistic: budget.statistic,
            cases: budget.cases.clone(),
        });
        let mut reports: Vec<Reported> = Vec::new();
        for reported in budgets.chain(hypothesis.reports.iter().cloned()) {
            if !reports.contains(&reported) {
                reports.push(reported);
            }
        }
        hypothesis.reports = reports;
        hypothesis.benefits.clear();
        hypothesis.guardrails.clear();
    }
    recording
}
