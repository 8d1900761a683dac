//! How few pairs could show anything at all.

use serde::Serialize;

use super::analysis::{BudgetResult, HypothesisAnalysis, Role};
use super::budget::error_of;
use crate::plan::Plan;
use crate::spec::Multiplicity;
use crate::stats::{Alpha, pairs_needed_by_holm};

/// The fewest pairs with which a noisy guardrail of a hypothesis can be found to fail, however plain it is: no p is below 2⁻ⁿ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// The claims that share the error: all noisy guardrails of the hypothesis under Holm's correction, else each has it for itself.
    pub claims: usize,
    /// The pairs.
    pub pairs: u32,
}

/// That of a hypothesis; `None` where it has no noisy guardrail, and where looks share out the error anew.
#[must_use]
pub fn reach(plan: &Plan, hypothesis: &HypothesisAnalysis) -> Option<Reach> {
    let (rule, confidence) = error_of(&plan.analysis).ok()?;
    reach_at(plan, &hypothesis.budgets, rule.alpha(confidence)).filter(|_| plan.profile.looks.is_empty())
}

/// That of `budgets`, where one end of an interval may err with `alpha`.
pub(super) fn reach_at(plan: &Plan, budgets: &[BudgetResult], alpha: Alpha) -> Option<Reach> {
    let noisy = budgets.iter().filter(|budget| budget.role == Role::Guardrail && budget.p.is_some()).count();
    let claims = match plan.analysis.multiplicity {
        Multiplicity::Holm => noisy,
        Multiplicity::None => noisy.min(1),
    };
    (claims > 0).then(|| Reach { claims, pairs: pairs_needed_by_holm(claims, alpha) })
}
