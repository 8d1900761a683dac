//! The claims, and what each of them is judged by.

use std::collections::HashMap;

use super::benefit::benefit;
use super::budget::{BudgetKeys, Budgets, Percentile};
use super::cases::{CaseTable, Ground};
use super::check::Checks;
use super::findings::Findings;
use super::recorded::is_recorded;
use super::side::{sides, takes};
use crate::spec::diagnostic::{Problem, quoted};
use crate::spec::file::HypothesisFile;
use crate::spec::model::{Benefit, Budget, Check, Hypothesis, RECORDED, Reported};
use crate::spec::tree::At;
use crate::workload::catalogue::{Lane, Suite};

/// The most hypotheses of a gate.
const MOST_HYPOTHESES: usize = 100;
/// The most checks, benefits, guardrails or reports of a hypothesis.
const MOST_ENTRIES: usize = 200;

/// A hypothesis, `None` where it has errors, and what it asks of the profiles.
#[derive(Debug, Default)]
pub(super) struct Claim {
    /// The hypothesis.
    pub(super) hypothesis: Option<Hypothesis>,
    /// What messages call it.
    pub(super) id: String,
    /// The percentiles that it uses.
    pub(super) percentiles: Vec<Percentile>,
    /// Results on noisy metrics that its guardrails make: one for each budget and case.
    pub(super) noisy_guardrails: usize,
    /// Results on noisy metrics that its benefits make, where it has no other benefits.
    pub(super) noisy_benefits: usize,
}

/// The hypotheses at the root of a gate file, about the lanes of `suite` and cases of `table`.
pub(super) fn hypotheses(
    files: Option<&[HypothesisFile]>,
    root: At<'_>,
    suite: Option<&'static Suite>,
    table: &CaseTable,
    findings: &mut Findings,
) -> Vec<Claim> {
    let at = root.key("hypothesis");
    let files = files.unwrap_or_default();
    if files.is_empty() || files.len() > MOST_HYPOTHESES {
        findings.error(
            at.value_span(),
            if files.is_empty() { "no hypothesis".to_owned() } else { format!("{} hypotheses", files.len()) },
            format!("expected from 1 to {MOST_HYPOTHESES} hypotheses in this file"),
            "add `[[hypothesis]]` with `id`, `claim`, `baseline`, `candidate`, `rollback` and a budget or a check",
        );
        return vec![Claim::default()];
    }
    let mut ids: HashMap<&str, At<'_>> = HashMap::new();
    files
        .iter()
        .enumerate()
        .map(|(index, file)| {
            let at = at.index(index);
            if let Some(id) = file.id.as_deref()
                && let Some(first) = ids.insert(id, at)
            {
                findings.push(
                    Problem::error(
                        at.key("id").value_span(),
                        format!("duplicate id {}", quoted(id)),
                        "expected an id of its own for each hypothesis",
                        "rename one of the two",
                    )
                    .beside(first.key("id").value_span(), "first here"),
                );
            }
            claim(file, at, suite, table, findings)
        })
        .collect()
}

fn claim(
    file: &HypothesisFile,
    at: At<'_>,
    suite: Option<&'static Suite>,
    table: &CaseTable,
    findings: &mut Findings,
) -> Claim {
    let mut claim = Claim { id: file.id.clone().unwrap_or_default(), ..Claim::default() };
    let id = findings.required_name(at, "id", file.id.as_deref(), "native-detail");
    let sentence = findings.required_line(at, "claim", file.claim.as_deref(), "what the candidate does better");
    let rollback = findings.required_line(at, "rollback", file.rollback.as_deref(), "how to go back");
    let sized = judges_something(file, at, findings);
    let Some(suite) = suite else { return claim };
    let sides = sides(file, at, suite, findings);
    let chosen = table.narrow(file.cases.as_ref(), at.key("cases"), &table.all(), findings);
    if let (Some(sides), Some((_, within))) = (sides, &chosen) {
        takes(sides, at, table, within, findings);
    }
    if !sized {
        return claim;
    }
    // Where its cases are wrong, the rest is judged as if it were about one case.
    let stand_in = CaseTable::stand_in();
    let all = stand_in.all();
    let ground = match &chosen {
        Some((_, within)) => Ground { suite, table, within },
        None => Ground { suite, table: &stand_in, within: &all },
    };
    let judged = judged(file, at, ground, sides.and_then(|sides| sides.baseline.lane()), &mut claim, findings);
    if is_recorded(file) {
        // What is not paired claims nothing that a correction could look at.
        (claim.noisy_guardrails, claim.noisy_benefits) = (0, 0);
    }
    claim.hypothesis = (|| {
        let sides = sides?;
        let (cases, _) = chosen?;
        let judged = judged?;
        Some(Hypothesis {
            id: id?,
            claim: sentence?,
            baseline: sides.baseline.lane().map_or(RECORDED, |lane| lane.name).to_owned(),
            candidate: sides.candidate.name.to_owned(),
            cases,
            rollback: rollback?,
            correctness: judged.correctness,
            benefits: judged.benefits,
            guardrails: judged.guardrails,
            reports: judged.reports,
        })
    })();
    claim
}

/// Whether the hypothesis has something to be judged by, and not too much of it.
fn judges_something(file: &HypothesisFile, at: At<'_>, findings: &mut Findings) -> bool {
    let counts = [
        ("correctness", file.correctness.as_ref().map_or(0, Vec::len)),
        ("benefit", file.benefit.as_ref().map_or(0, Vec::len)),
        ("guardrail", file.guardrail.as_ref().map_or(0, Vec::len)),
        ("report", file.report.as_ref().map_or(0, Vec::len)),
    ];
    if counts.iter().all(|(key, count)| *count == 0 || *key == "report") {
        findings.error(
            at.value_span(),
            "hypothesis that judges nothing",
            "expected a check, a benefit or a guardrail",
            "add `[[hypothesis.guardrail]]` with `metric = \"latency\"` and `max_ratio = 1.05`",
        );
        return false;
    }
    let Some((key, count)) = counts.iter().find(|(_, count)| *count > MOST_ENTRIES) else { return true };
    findings.error(
        at.key(key).value_span(),
        format!("hypothesis with {count} tables `{key}`"),
        format!("expected at most {MOST_ENTRIES}"),
        "make several hypotheses of it",
    );
    false
}

/// What a hypothesis is judged by.
struct Judged {
    correctness: Vec<Check>,
    benefits: Vec<Benefit>,
    guardrails: Vec<Budget>,
    reports: Vec<Reported>,
}

fn judged(
    file: &HypothesisFile,
    at: At<'_>,
    ground: Ground<'_>,
    baseline: Option<&Lane>,
    claim: &mut Claim,
    findings: &mut Findings,
) -> Option<Judged> {
    let mut checks = Checks::new(ground);
    let correctness =
        each(file.correctness.as_deref(), at.key("correctness"), |file, at| checks.correctness(file, at, findings));

    let (mut budgets, mut checks) = (Budgets::new(ground), Checks::new(ground));
    let benefits = each(file.benefit.as_deref(), at.key("benefit"), |file, at| {
        benefit(file, at, baseline, &mut budgets, &mut checks, findings)
    });
    let all_noisy = budgets.exact == 0 && checks.is_empty();
    claim.noisy_benefits = if all_noisy { budgets.noisy } else { 0 };
    claim.percentiles.append(&mut budgets.percentiles);

    let mut budgets = Budgets::new(ground);
    let guardrails = each(file.guardrail.as_deref(), at.key("guardrail"), |file, at| {
        budgets.budget(&BudgetKeys::from(file), at, findings)
    });
    claim.noisy_guardrails = budgets.noisy;
    claim.percentiles.append(&mut budgets.percentiles);

    let mut budgets = Budgets::new(ground);
    let reports = each(file.report.as_deref(), at.key("report"), |file, at| budgets.reported(file, at, findings));
    claim.percentiles.append(&mut budgets.percentiles);
    Some(Judged { correctness: correctness?, benefits: benefits?, guardrails: guardrails?, reports: reports? })
}

/// Every entry of a list, unless one of them has errors; the others are read all the same, for theirs.
fn each<'t, F, T>(files: Option<&[F]>, at: At<'t>, mut read: impl FnMut(&F, At<'t>) -> Option<T>) -> Option<Vec<T>> {
    let entries = files.unwrap_or_default().iter().enumerate();
    let read: Vec<Option<T>> = entries.map(|(index, file)| read(file, at.index(index))).collect();
    read.into_iter().collect()
}
