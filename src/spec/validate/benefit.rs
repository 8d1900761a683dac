//! Benefits: a budget that must pass, or a capability.

use super::budget::{BudgetKeys, Budgets};
use super::check::Checks;
use super::findings::Findings;
use crate::spec::diagnostic::Problem;
use crate::spec::file::BenefitFile;
use crate::spec::model::{Benefit, Bound};
use crate::spec::tree::At;
use crate::workload::catalogue::Lane;

/// The benefit at `at`: a budget, or a check that `baseline` may fail.
pub(super) fn benefit<'t>(
    file: &BenefitFile,
    at: At<'t>,
    baseline: Option<&Lane>,
    budgets: &mut Budgets<'_, 't>,
    checks: &mut Checks<'_, 't>,
    findings: &mut Findings,
) -> Option<Benefit> {
    let keys = BudgetKeys::from(file);
    let Some(name) = file.check.as_deref() else {
        if keys.first_key().is_none() {
            findings.error(
                at.value_span(),
                "benefit without a budget or a check",
                "expected `metric` with a bound, or `check`",
                "add `metric = \"latency\"` and `max_ratio = 0.90`, or `check = \"physical-types\"`",
            );
            return None;
        }
        let budget = budgets.budget(&keys, at, findings)?;
        improves(budget.bound, at, findings);
        return Some(Benefit::Budget(budget));
    };
    if let Some(key) = keys.first_key() {
        findings.push(
            Problem::error(
                at.key(key).key_span(),
                format!("`{key}` beside `check`"),
                "expected either a budget or a check",
                "write two `[[hypothesis.benefit]]`, one with the budget and one with the check",
            )
            .beside(at.key("check").key_span(), "the check here"),
        );
        return None;
    }
    let check = checks.check(name, file.cases.as_ref(), at, findings)?;
    if let Some(lane) = baseline.filter(|lane| lane.contract.contains(&check.check.as_str())) {
        findings.push(Problem::warning(
            at.key("check").value_span(),
            format!("`{}` can never be a benefit over `{}`", check.check, lane.name),
            "the baseline passes it too: it belongs to its contract",
            "name a check that the baseline fails, or a budget",
        ));
    }
    Some(Benefit::Capability(check))
}

/// Warns of a benefit that holds where nothing improves.
fn improves(bound: Bound, at: At<'_>, findings: &mut Findings) {
    let holds_at_equal = match bound {
        Bound::MaxRatio(ratio) => ratio >= 1.0,
        Bound::MinRatio(ratio) => ratio <= 1.0,
        Bound::Max(_) | Bound::Min(_) => false,
    };
    if holds_at_equal {
        let (than, example) = if bound.is_upper() { ("below", "0.90") } else { ("above", "1.10") };
        findings.push(Problem::warning(
            at.key(bound.key()).value_span(),
            format!("benefit with `{} = {}` holds without any improvement", bound.key(), bound.value()),
            format!("a ratio {than} 1 is an improvement"),
            format!("write `{} = {example}`, or make it a guardrail", bound.key()),
        ));
    }
}
