//! The one input of every renderer.

use crate::evidence::{Evidence, Provenance, Resumption};
use crate::plan::Plan;
use crate::spec::{Bound, Hypothesis};
use crate::unit::{Case, Statistic, Unit};
use crate::verdict::{
    Analysis, BudgetResult, CheckOutcome, CheckStatus, HypothesisAnalysis, HypothesisVerdict, LookTaken, Outcome, Role,
    Verdict, Verdicts, WaiverState, Warning,
};

/// What a report shows: a campaign's plan, where its numbers come from, and what was concluded from them.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    pub(super) plan: Plan,
    pub(super) provenance: Provenance,
    pub(super) campaign: String,
    pub(super) gravest: Option<Verdict>,
    pub(super) hypotheses: Vec<Part>,
    /// The look that it ended with, where the plan has looks.
    pub(super) look: Option<LookTaken>,
    /// What the gate was seen to see on this host.
    pub(super) calibration: Option<String>,
    /// How often work was interrupted and went on.
    pub(super) resumptions: Vec<Resumption>,
    /// The SHA-256 of the campaign's manifest, once there is one.
    pub(super) digest: Option<String>,
}

/// One hypothesis: what was claimed, measured and concluded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) hypothesis: Hypothesis,
    pub(super) outcomes: HypothesisAnalysis,
    pub(super) verdict: HypothesisVerdict,
    pub(super) groups: Vec<Group>,
}

/// One budget, or one reported metric, over all its cases.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    pub(super) role: Role,
    pub(super) metric: String,
    pub(super) statistic: Statistic,
    pub(super) unit: Unit,
    pub(super) bound: Option<Bound>,
    /// One for each case, in the order of the analysis.
    pub(super) rows: Vec<BudgetResult>,
}

/// Where a budget stands in one case: its outcome, and what correction and waiver make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is not judged.
    Shown,
    /// It comes to this, and is not paired.
    Unpaired(Outcome),
    /// It passes, and where it is a benefit that stands after the correction.
    Passes,
    /// A benefit that passes by itself, and not after the correction.
    PassesAlone,
    /// It does not pass, and a waiver covers it.
    Waived(Outcome),
    /// Neither passes nor fails.
    Inconclusive,
    /// A guardrail that fails by itself, and not after the correction.
    FailsAlone,
    /// It fails.
    Fails,
}

/// Checks that came out alike: one role, check, status and finding, over cases.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CheckGroup<'a> {
    pub(super) first: &'a CheckOutcome,
    pub(super) cases: Vec<String>,
    /// Cases that the check looked at, those that came out otherwise included.
    pub(super) of: usize,
}

impl View {
    /// The view of one campaign; all four are of the same plan, and `campaign` is the name of its folder.
    #[must_use]
    pub fn new(
        evidence: &Evidence,
        provenance: &Provenance,
        analysis: &Analysis,
        verdicts: &Verdicts,
        campaign: &str,
    ) -> Self {
        let plan = &evidence.plan;
        let hypotheses = plan
            .hypotheses
            .iter()
            .zip(&analysis.hypotheses)
            .zip(&verdicts.hypotheses)
            .map(|((planned, outcomes), verdict)| Part {
                hypothesis: planned.hypothesis.clone(),
                groups: groups(&outcomes.budgets),
                outcomes: outcomes.clone(),
                verdict: verdict.clone(),
            })
            .collect();
        Self {
            plan: plan.clone(),
            provenance: provenance.clone(),
            campaign: campaign.to_owned(),
            gravest: verdicts.gravest(),
            hypotheses,
            calibration: None,
            resumptions: evidence.resumptions.clone(),
            digest: None,
            look: analysis.look,
        }
    }

    /// The view with what the gate was seen to see on this host, in words.
    #[must_use]
    pub fn calibrated(self, calibration: Option<String>) -> Self {
        Self { calibration, ..self }
    }

    /// The view with the digest of the campaign, which is the SHA-256 of its manifest.
    #[must_use]
    pub fn sealed(self, digest: String) -> Self {
        Self { digest: Some(digest), ..self }
    }

    /// The pairs that the campaign has: fewer than planned where it ended at a look.
    pub(super) fn pairs(&self) -> u32 {
        self.look.map_or(self.plan.profile.pairs, |look| look.pairs)
    }

    /// The start of the plan's digest, as the campaign's folder has it.
    pub(super) fn short_plan(&self) -> &str {
        self.provenance.plan.get(..8).unwrap_or(&self.provenance.plan)
    }

    /// The hypotheses, the gravest verdict first.
    pub(super) fn gravest_first(&self) -> Vec<&Part> {
        let mut parts: Vec<&Part> = self.hypotheses.iter().collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.verdict.verdict));
        parts
    }

    /// How many hypotheses came to each verdict, the gravest first.
    pub(super) fn counts(&self) -> [(Verdict, usize); 4] {
        [Verdict::Reject, Verdict::Revise, Verdict::Deferred, Verdict::Proceed]
            .map(|verdict| (verdict, self.hypotheses.iter().filter(|part| part.verdict.verdict == verdict).count()))
    }
}

/// One group for each budget, in the order in which they first come.
fn groups(budgets: &[BudgetResult]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for budget in budgets {
        let same = |group: &&mut Group| {
            group.role == budget.role
                && group.metric == budget.metric
                && group.statistic == budget.statistic
                && group.bound == budget.bound
        };
        // Mostly it is the last one.
        match groups.iter_mut().rev().find(same) {
            Some(group) => group.rows.push(budget.clone()),
            None => groups.push(Group {
                role: budget.role,
                metric: budget.metric.clone(),
                statistic: budget.statistic,
                unit: budget.unit,
                bound: budget.bound,
                rows: vec![budget.clone()],
            }),
        }
    }
    groups
}

impl Part {
    /// How many checks of `role` hold, and how many there are.
    pub(super) fn holding(&self, role: Role) -> (usize, usize) {
        let checks = self.outcomes.checks.iter().filter(|check| check.role == role);
        let holds = |check: &&CheckOutcome| matches!(check.status, CheckStatus::Passed | CheckStatus::KnownGapGone);
        (checks.clone().filter(holds).count(), checks.count())
    }

    /// The checks that a reviewer must know of: all that do not simply pass, and every capability.
    pub(super) fn notable_checks(&self) -> Vec<CheckGroup<'_>> {
        let mut groups: Vec<CheckGroup<'_>> = Vec::new();
        let notable = |check: &&CheckOutcome| check.status != CheckStatus::Passed || check.role == Role::Capability;
        for check in self.outcomes.checks.iter().filter(notable) {
            let case = check.case.to_string();
            let same = |group: &&mut CheckGroup<'_>| {
                let first = group.first;
                (first.role, first.status) == (check.role, check.status)
                    && first.check == check.check
                    && first.detail == check.detail
            };
            if let Some(group) = groups.iter_mut().find(same) {
                group.cases.push(case);
            } else {
                let alike = |other: &&CheckOutcome| other.role == check.role && other.check == check.check;
                let of = self.outcomes.checks.iter().filter(alike).count();
                groups.push(CheckGroup { first: check, cases: vec![case], of });
            }
        }
        groups.sort_by_key(|group| gravity(group.first.status));
        groups
    }

    /// The warnings in words, those that differ in their case alone told once.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut groups: Vec<(&Warning, usize)> = Vec::new();
        for warning in &self.outcomes.warnings {
            match groups.iter_mut().find(|(first, _)| alike(first, warning)) {
                Some((_, count)) => *count += 1,
                None => groups.push((warning, 1)),
            }
        }
        let told = |(warning, count): (&Warning, usize)| match count {
            1 => warning.text(),
            _ => format!("{} (and {} more like it)", warning.text(), super::number::count(count - 1)),
        };
        groups.into_iter().map(told).collect()
    }

    /// Whether a metric is shown that leaves the database's own heap out.
    pub(super) fn shows_rust_heap(&self) -> bool {
        self.groups.iter().any(|group| group.metric.starts_with("rust_heap_"))
    }
}

/// Whether two warnings say the same of different cases.
fn alike(one: &Warning, other: &Warning) -> bool {
    match (one, other) {
        (
            Warning::Unresolved { metric, statistic, .. },
            Warning::Unresolved { metric: other_metric, statistic: other_statistic, .. },
        ) => metric == other_metric && statistic == other_statistic,
        (
            Warning::ExactVaried { metric, side, .. },
            Warning::ExactVaried { metric: other_metric, side: other_side, .. },
        ) => metric == other_metric && side == other_side,
        (Warning::PeakNotReset { .. }, Warning::PeakNotReset { .. }) => true,
        _ => one == other,
    }
}

/// The gravest first.
const fn gravity(status: CheckStatus) -> u8 {
    match status {
        CheckStatus::Failed => 0,
        CheckStatus::NotRun => 1,
        CheckStatus::KnownGapOpen => 2,
        CheckStatus::KnownGapGone => 3,
        CheckStatus::Passed => 4,
    }
}

impl CheckGroup<'_> {
    /// How many cases there are, where it is all of several.
    pub(super) fn everywhere(&self) -> Option<usize> {
        (self.of > 1 && self.cases.len() == self.of).then_some(self.of)
    }
}

impl Group {
    /// How many rows stand as `is` asks.
    pub(super) fn count(&self, is: impl Fn(Standing) -> bool) -> usize {
        self.rows.iter().filter(|row| is(Standing::of(row))).count()
    }

    /// The bound's number.
    pub(super) const fn limit(&self) -> Option<f64> {
        match self.bound {
            Some(Bound::MaxRatio(limit) | Bound::MinRatio(limit) | Bound::Max(limit) | Bound::Min(limit)) => {
                Some(limit)
            }
            None => None,
        }
    }

    /// The axes of the cases in the order in which they come.
    pub(super) fn axes(&self) -> Vec<&str> {
        let mut axes: Vec<&str> = Vec::new();
        for row in &self.rows {
            for (axis, _) in row.case.iter() {
                if !axes.contains(&axis) {
                    axes.push(axis);
                }
            }
        }
        axes
    }

    /// Those of them on which the cases differ.
    pub(super) fn varying(&self) -> Vec<&str> {
        let first = &self.rows[0].case;
        let differs = |axis: &&str| self.rows.iter().any(|row| row.case.get(axis) != first.get(axis));
        self.axes().into_iter().filter(differs).collect()
    }

    /// What tells `case` from the group's other cases, which differ on `varying`; the whole case where it is the only one.
    pub(super) fn label(case: &Case, varying: &[&str]) -> String {
        let told = |axis: &str| varying.is_empty() || varying.contains(&axis);
        let axes = case.iter().filter(|(axis, _)| told(axis)).map(|(axis, value)| (axis.to_owned(), value.clone()));
        Case::new(axes.collect()).to_string()
    }

    /// Whether every row was compared exactly, so that there is no interval.
    pub(super) fn is_exact(&self) -> bool {
        self.rows.iter().all(|row| row.exact)
    }

    /// Whether the bound is on the candidate's own value, not on a ratio.
    pub(super) const fn is_absolute(&self) -> bool {
        matches!(self.bound, Some(Bound::Max(_) | Bound::Min(_)))
    }
}

impl Standing {
    /// Where `budget` stands.
    pub(super) fn of(budget: &BudgetResult) -> Self {
        let Some(outcome) = budget.outcome else { return Self::Shown };
        if budget.is_doubtful() {
            return Self::Unpaired(outcome);
        }
        let used = budget.waiver.as_ref().is_some_and(|waiver| waiver.state == WaiverState::Used);
        if used && budget.role == Role::Guardrail {
            return Self::Waived(outcome);
        }
        match (outcome, budget.role) {
            (Outcome::Pass, Role::Benefit) if !budget.confirmed => Self::PassesAlone,
            (Outcome::Pass, _) => Self::Passes,
            (Outcome::Inconclusive, _) => Self::Inconclusive,
            (Outcome::Fail, Role::Guardrail) if !budget.confirmed => Self::FailsAlone,
            (Outcome::Fail, _) => Self::Fails,
        }
    }

    /// Whether nobody has to look at it.
    pub(super) const fn is_settled(self) -> bool {
        matches!(self, Self::Shown | Self::Passes)
    }
}
