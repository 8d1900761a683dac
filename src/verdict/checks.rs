//! How the checks of a hypothesis came out: its candidate's contract, what it asks, and what it would gain.

use super::analysis::{CheckOutcome, CheckStatus, Role, measured};
use crate::evidence::Evidence;
use crate::plan::PlannedHypothesis;
use crate::spec::{Benefit, Check};
use crate::unit::{Case, Side};

pub(super) fn outcomes(evidence: &Evidence, planned: &PlannedHypothesis) -> Vec<CheckOutcome> {
    let plan = &evidence.plan;
    let hypothesis = &planned.hypothesis;
    let lane = plan.matchups[planned.matchup].lane(Side::Candidate);
    let asked = |name: &str| hypothesis.correctness.iter().any(|check| check.check == name);
    let contract = plan.contract(lane);
    let mut outcomes = Vec::new();
    // What the hypothesis asks too is shown once, as its own.
    for check in contract.iter().filter(|check| !asked(check.as_str())) {
        for case in measured(plan, planned) {
            outcomes.push(plain(evidence, Role::Contract, lane, check, case));
        }
    }
    for check in &hypothesis.correctness {
        for case in measured(plan, planned).filter(|case| check.cases.matches(case)) {
            outcomes.push(known(plain(evidence, Role::Correctness, lane, &check.check, case), check));
        }
    }
    for benefit in &hypothesis.benefits {
        if let Benefit::Capability(check) = benefit {
            for case in measured(plan, planned).filter(|case| check.cases.matches(case)) {
                outcomes.push(capability(evidence, planned, check, case));
            }
        }
    }
    outcomes
}

fn plain(evidence: &Evidence, role: Role, lane: &str, check: &str, case: &Case) -> CheckOutcome {
    let (status, detail) = match evidence.check(lane, check, case) {
        None => (CheckStatus::NotRun, Some(format!("the check did not run on `{lane}`"))),
        Some(result) => match &result.failure {
            None => (CheckStatus::Passed, None),
            Some(failure) => (CheckStatus::Failed, Some(failure.clone())),
        },
    };
    CheckOutcome { role, check: check.to_owned(), case: case.clone(), status, detail }
}

/// A known gap is an assertion too: while it is open the check must fail, and once it is gone the gate file must say so.
fn known(mut outcome: CheckOutcome, check: &Check) -> CheckOutcome {
    if let Some(gap) = &check.known_gap {
        match outcome.status {
            CheckStatus::Failed => {
                outcome.status = CheckStatus::KnownGapOpen;
                outcome.detail = Some(match outcome.detail {
                    Some(detail) => format!("{gap}: {detail}"),
                    None => gap.clone(),
                });
            }
            CheckStatus::Passed => {
                outcome.status = CheckStatus::KnownGapGone;
                outcome.detail =
                    Some(format!("the check passes, so the gap is gone: take `known_gap = \"{gap}\"` out"));
            }
            CheckStatus::KnownGapOpen | CheckStatus::KnownGapGone | CheckStatus::NotRun => {}
        }
    }
    outcome
}

/// The candidate passes it, and the baseline does not.
fn capability(evidence: &Evidence, planned: &PlannedHypothesis, check: &Check, case: &Case) -> CheckOutcome {
    let matchup = &evidence.plan.matchups[planned.matchup];
    let of = |side| plain(evidence, Role::Capability, matchup.lane(side), &check.check, case);
    let (baseline, candidate) = (of(Side::Baseline), of(Side::Candidate));
    match (baseline.status, candidate.status) {
        (_, CheckStatus::NotRun) => candidate,
        (CheckStatus::NotRun, _) => baseline,
        (CheckStatus::Failed, CheckStatus::Passed) => {
            CheckOutcome { detail: baseline.detail.map(|detail| format!("the baseline can't: {detail}")), ..candidate }
        }
        (_, CheckStatus::Passed) => CheckOutcome {
            status: CheckStatus::Failed,
            detail: Some("the baseline passes it too: nothing is gained".to_owned()),
            ..candidate
        },
        _ => candidate,
    }
}
