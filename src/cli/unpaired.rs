//! Hypotheses of a gate file on evidence that is not paired: they may be rejected by it, and never proceed.

use serde::Serialize;

use super::{Exit, Failure, find};
use crate::compare::{Budget, Judgement, Outcome, judge};
use crate::reading::Reading;
use crate::spec::{self, Benefit, Hypothesis};
use crate::stats::Bound;
use crate::verdict::Verdict;

/// What becomes of a hypothesis.
#[derive(Debug, Serialize)]
pub(super) struct Claim {
    id: String,
    verdict: Verdict,
    reasons: Vec<String>,
}

impl Claim {
    /// The verdict and its reasons, one a line.
    pub(super) fn text(&self) -> String {
        let mut text = format!("hypothesis {}: {}", self.id, self.verdict.name());
        for reason in &self.reasons {
            text.push_str(&format!("\n  {reason}"));
        }
        text
    }

    /// What it makes of the command's exit code.
    pub(super) fn exit(&self) -> Exit {
        if self.verdict == Verdict::Reject { Exit::Reject } else { Exit::Revise }
    }
}

/// The hypotheses of `gate`, or those of `ids` where some are named, on two readings, and what their budgets come to.
pub(super) fn claims(
    gate: &str,
    ids: &[String],
    old: &Reading,
    new: &Reading,
) -> Result<(Vec<Claim>, Vec<Judgement>), Failure> {
    let loaded = find::gates(&[gate.to_owned()])?;
    let hypotheses: Vec<&Hypothesis> = loaded.iter().flat_map(|loaded| &loaded.gate.hypotheses).collect();
    if let Some(id) = ids.iter().find(|id| !hypotheses.iter().any(|hypothesis| hypothesis.id == **id)) {
        let known: Vec<String> = hypotheses.iter().map(|hypothesis| format!("`{}`", hypothesis.id)).collect();
        return Err(Failure::usage(format!(
            "find hypothesis `{}` in `{gate}`: there are {}",
            id.escape_debug(),
            known.join(", ")
        )));
    }
    let (mut claims, mut judgements) = (Vec::new(), Vec::new());
    for hypothesis in hypotheses.into_iter().filter(|hypothesis| ids.is_empty() || ids.contains(&hypothesis.id)) {
        claims.push(claim(hypothesis, old, new, &mut judgements)?);
    }
    Ok((claims, judgements))
}

fn claim(
    hypothesis: &Hypothesis,
    old: &Reading,
    new: &Reading,
    judgements: &mut Vec<Judgement>,
) -> Result<Claim, Failure> {
    let mut unjudged: Vec<String> =
        hypothesis.correctness.iter().map(|check| format!("not judged here: check {}", check.check)).collect();
    let mut judged = |budget: &spec::Budget| -> Result<Vec<Judgement>, Failure> {
        let Some(asked) = of_gate(hypothesis, budget) else {
            unjudged.push(format!(
                "not judged here: {} of {}, {}",
                budget.statistic,
                budget.metric.name,
                limit(budget)
            ));
            return Ok(Vec::new());
        };
        judge(old, new, &[asked]).map_err(Failure::usage)
    };
    let guardrails = hypothesis.guardrails.iter().map(&mut judged).collect::<Result<Vec<_>, _>>()?.concat();
    let (mut benefits, mut capabilities) = (Vec::new(), Vec::new());
    for benefit in &hypothesis.benefits {
        match benefit {
            Benefit::Budget(budget) => benefits.push(judged(budget)?),
            Benefit::Capability(check) => capabilities.push(format!("not judged here: check {}", check.check)),
        }
    }
    let failed = |judgements: &[Judgement]| {
        judgements.iter().filter(|one| one.outcome == Outcome::Fail).cloned().collect::<Vec<_>>()
    };
    let beyond = failed(&guardrails);
    let without_benefit = !benefits.is_empty()
        && capabilities.is_empty()
        && benefits.iter().all(|benefit| !benefit.is_empty() && failed(benefit).len() == benefit.len());
    let mut reasons: Vec<String> = beyond.iter().map(|one| format!("{} fails in {}", one.budget, one.bench)).collect();
    if without_benefit {
        reasons.push("every benefit fails".to_owned());
    }
    let verdict = if reasons.is_empty() { Verdict::Revise } else { Verdict::Reject };
    if verdict == Verdict::Revise {
        reasons.push("evidence that is not paired never lets it proceed: use `gate run`".to_owned());
    }
    unjudged.append(&mut capabilities);
    reasons.append(&mut unjudged);
    judgements.extend(guardrails);
    judgements.extend(benefits.into_iter().flatten());
    Ok(Claim { id: hypothesis.id.clone(), verdict, reasons })
}

/// A budget of a gate file as one on readings; none where it is absolute, or on a percentile that they have no interval of.
fn of_gate(hypothesis: &Hypothesis, budget: &spec::Budget) -> Option<Budget> {
    let bound = match budget.bound {
        spec::Bound::MaxRatio(most) => Bound::at_most(most).ok()?,
        spec::Bound::MinRatio(least) => Bound::at_least(least).ok()?,
        spec::Bound::Max(_) | spec::Bound::Min(_) => return None,
    };
    let benches = budget.cases.benches().or_else(|| hypothesis.cases.benches()).unwrap_or_default();
    let benches = benches.iter().map(ToString::to_string).collect();
    Budget::new(&budget.metric.name, budget.statistic.name(), bound, benches)
}

fn limit(budget: &spec::Budget) -> String {
    format!("{} = {}", budget.bound.key(), budget.bound.value())
}
