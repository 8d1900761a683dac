//! From a gate and what its campaign left open to the gate of a confirmation.

use serde::{Deserialize, Serialize};

use super::expand::{cases, share_a_process};
use crate::spec::{Benefit, Budget, Gate, Grade, Hypothesis, IntervalKind, Order, Profile, Reported, Selector};
use crate::unit::{Case, Statistic};

/// The profile of a confirmation.
pub const PROFILE: &str = "confirm";

/// The campaign that a plan confirms, and what it left open. None of its pairs are used again, and its verdict stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confirms {
    /// The folder of that campaign.
    pub campaign: String,
    /// SHA-256 of its `plan.json`.
    pub plan: String,
    /// What it left inconclusive.
    pub open: Vec<Open>,
}

/// One budget in one case that a campaign left inconclusive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// The hypothesis.
    pub hypothesis: String,
    /// The metric.
    pub metric: String,
    /// The statistic.
    pub statistic: Statistic,
    /// The case.
    pub case: Case,
    /// The pairs that there were.
    pub pairs: u32,
    /// The estimate from them, where there is one.
    pub ratio: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Confirms {
    /// The gate of the confirmation, after the protocol of a published one: `pairs` fresh pairs in a balanced, shuffled order
    /// and the bounds of one side. In a case with something open all budgets are judged, and all have to pass; other cases
    /// of the same processes run as before, as context, and are only reported; cases of other processes are left out.
    /// `profile` is that of the campaign.
    #[must_use]
    pub fn gate(&self, gate: &Gate, profile: &Profile, pairs: u32) -> Gate {
        let mut fresh = gate.clone();
        let profile = Profile {
            name: PROFILE.to_owned(),
            grade: Grade::Comparison,
            pairs,
            // The number of its pairs is fixed.
            looks: Vec::new(),
            order: Order::Balanced,
            ..profile.clone()
        };
        fresh.profiles = vec![profile];
        fresh.analysis.interval = IntervalKind::OneSided;
        let within = &gate.matrix.within_run;
        let (runs, left_out): (Vec<Case>, Vec<Case>) = cases(gate)
            .into_iter()
            .partition(|case| self.open.iter().any(|open| share_a_process(case, &open.case.without_bench(), within)));
        fresh.matrix.exclude.extend(left_out.iter().map(only));
        fresh.hypotheses = gate.hypotheses.iter().filter_map(|hypothesis| self.hypothesis(hypothesis, &runs)).collect();
        fresh
    }

    /// The hypothesis of a confirmation in which the cases `runs` run; none where nothing of it is open.
    fn hypothesis(&self, hypothesis: &Hypothesis, runs: &[Case]) -> Option<Hypothesis> {
        let mut gating: Vec<&Case> = Vec::new();
        for open in self.open.iter().filter(|open| open.hypothesis == hypothesis.id) {
            if !gating.contains(&&open.case) {
                gating.push(&open.case);
            }
        }
        let narrowed = |budget: &Budget| -> Vec<Budget> {
            let about = gating.iter().filter(|case| budget.cases.matches(case));
            about.map(|case| Budget { cases: only(case), ..budget.clone() }).collect()
        };
        let benefits = hypothesis.benefits.iter().flat_map(|benefit| match benefit {
            Benefit::Budget(budget) => narrowed(budget).into_iter().map(Benefit::Budget).collect(),
            Benefit::Capability(check) => vec![Benefit::Capability(check.clone())],
        });
        let context: Vec<&Case> =
            runs.iter().filter(|case| !gating.iter().any(|gating| gating.without_bench() == **case)).collect();
        let mut reports = hypothesis.reports.clone();
        for budget in hypothesis.budgets() {
            for case in context.iter().filter(|case| budget.cases.matches(case)) {
                let Budget { metric, statistic, .. } = budget.clone();
                let reported = Reported { metric, statistic, cases: only(case) };
                if !reports.contains(&reported) {
                    reports.push(reported);
                }
            }
        }
        (!gating.is_empty()).then(|| Hypothesis {
            benefits: benefits.collect(),
            guardrails: hypothesis.guardrails.iter().flat_map(narrowed).collect(),
            reports,
            ..hypothesis.clone()
        })
    }
}

/// The choice of this case and no other.
fn only(case: &Case) -> Selector {
    Selector(case.iter().map(|(axis, value)| (axis.to_owned(), vec![value.clone()])).collect())
}
