//! The verdict table. The first line that matches gives the verdict; the lines below it that match too are told as well.
//!
//! | line | when | verdict |
//! |---|---|---|
//! | 1 | nothing of it was measured, or no baseline is recorded yet | deferred |
//! | 2 | a correctness check fails | reject |
//! | 3 | an exact guardrail fails without a valid waiver | reject |
//! | 4 | comparison grade, and a noisy guardrail fails after the correction without a valid waiver | reject |
//! | 5 | comparison grade, and every benefit fails | reject |
//! | 6 | anything incomplete, inconclusive, failing only before the correction, a known gap open or gone, no benefit shown, noisy and not paired | revise |
//! | 7 | preliminary grade | revise |
//! | 8 | all else | proceed |

use std::collections::BTreeMap;

use super::analysis::{BudgetResult, CheckOutcome, CheckStatus, HypothesisAnalysis, Outcome, Role, WaiverState};
use super::{HypothesisVerdict, Reason, Verdict, Warning};
use crate::plan::PlannedHypothesis;
use crate::spec::{Benefit, Grade};
use crate::unit::{Case, Statistic};

/// The verdict on one hypothesis; with `records` its figures are to be a baseline, and only its checks are judged.
pub(super) fn verdict(
    planned: &PlannedHypothesis,
    outcomes: &HypothesisAnalysis,
    grade: Grade,
    records: bool,
) -> HypothesisVerdict {
    let mut reasons = if records { of_recording(planned, outcomes) } else { reasons(planned, outcomes) };
    reasons.sort_by_key(|reason| reason.line);
    let (line, verdict) = first_line(&reasons, grade);
    let would =
        (grade == Grade::Preliminary && verdict == Verdict::Revise).then(|| first_line(&reasons, Grade::Comparison).1);
    if let Some(would) = would {
        reasons.push(Reason { line: 7, text: format!("preliminary evidence: would {}", would.name()) });
    }
    if line == 8 {
        reasons.push(Reason { line: 8, text: in_favour(planned, outcomes) });
    }
    HypothesisVerdict { id: outcomes.id.clone(), verdict, line, would, reasons }
}

/// The first line of the table that some reason speaks for, and its verdict. Lines 4 and 5 want comparison grade.
fn first_line(reasons: &[Reason], grade: Grade) -> (u8, Verdict) {
    let reaches = |line: u8| grade == Grade::Comparison || !matches!(line, 4 | 5);
    match reasons.iter().map(|reason| reason.line).filter(|&line| reaches(line)).min() {
        Some(1) => (1, Verdict::Deferred),
        Some(line @ 2..=5) => (line, Verdict::Reject),
        Some(line) => (line, Verdict::Revise),
        None if grade == Grade::Preliminary => (7, Verdict::Revise),
        None => (8, Verdict::Proceed),
    }
}

/// What speaks against a baseline that is recorded: a wrong answer. Where nothing does there is nothing to judge yet.
fn of_recording(planned: &PlannedHypothesis, outcomes: &HypothesisAnalysis) -> Vec<Reason> {
    let reason = |(line, text)| Reason { line, text };
    let mut reasons: Vec<Reason> = checks(outcomes).into_iter().map(reason).collect();
    let nothing = outcomes.left_out.len() == planned.cases.len();
    if nothing {
        reasons.push(reason((1, format!("nothing of it was measured: {}", left_out(outcomes)))));
    } else if !reasons.iter().any(|reason| reason.line == 2) {
        let text = "its figures are recorded as the baseline of this machine; run the gate after the change";
        reasons.push(reason((1, text.to_owned())));
    }
    reasons
}

/// Every reason against the candidate, with the line that it speaks for.
fn reasons(planned: &PlannedHypothesis, outcomes: &HypothesisAnalysis) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut add = |line: u8, text: String| reasons.push(Reason { line, text });
    if outcomes.left_out.len() == planned.cases.len() {
        let first = outcomes.left_out.first();
        let alike = first.filter(|first| outcomes.left_out.iter().all(|other| other.reason == first.reason));
        add(
            1,
            match alike.filter(|_| planned.hypothesis.baseline_is_recorded()) {
                Some(first) => format!("nothing of it was measured: {}", first.reason),
                None => format!("nothing of it was measured: {}", left_out(outcomes)),
            },
        );
        return reasons;
    }
    for (line, text) in checks(outcomes) {
        add(line, text);
    }
    for (line, text) in outcomes.budgets.iter().filter(|budget| budget.role == Role::Guardrail).filter_map(guardrail) {
        add(line, text);
    }
    match benefit(planned, outcomes) {
        Gain::Shown | Gain::NotAsked => {}
        Gain::Refuted => add(5, "every benefit fails: nothing speaks for the candidate".to_owned()),
        Gain::Open(text) => add(6, text),
    }
    if !outcomes.left_out.is_empty() {
        add(6, format!("incomplete: {}", left_out(outcomes)));
    }
    if let Some(first) = outcomes.missing_runs.first() {
        add(6, format!("incomplete: {} runs are missing, first `{first}`", outcomes.missing_runs.len()));
    }
    for warning in &outcomes.warnings {
        if matches!(warning, Warning::EqualSides { .. }) {
            add(6, warning.text());
        }
    }
    reasons
}

fn left_out(outcomes: &HypothesisAnalysis) -> String {
    const SHOWN: usize = 3;
    let mut cases: Vec<String> =
        outcomes.left_out.iter().take(SHOWN).map(|left| format!("{} ({})", left.case, left.reason)).collect();
    if outcomes.left_out.len() > SHOWN {
        cases.push(format!("{} more", outcomes.left_out.len() - SHOWN));
    }
    cases.join(", ")
}

/// Checks that do not simply pass, one reason for each check, with the cases and what was found in the first.
fn checks(outcomes: &HypothesisAnalysis) -> Vec<(u8, String)> {
    let mut found: BTreeMap<(u8, &'static str, &str), Vec<&CheckOutcome>> = BTreeMap::new();
    for check in outcomes.checks.iter().filter(|check| check.role != Role::Capability) {
        let (line, what) = match check.status {
            CheckStatus::Passed => continue,
            CheckStatus::Failed => (2, "fails"),
            CheckStatus::KnownGapOpen => (6, "has a known gap"),
            CheckStatus::KnownGapGone => (6, "has no gap any more"),
            CheckStatus::NotRun => (6, "did not run"),
        };
        found.entry((line, what, &check.check)).or_default().push(check);
    }
    found
        .into_iter()
        .map(|((line, what, name), checks)| {
            let more = match checks.len() {
                1 => String::new(),
                2 => " and 1 more case".to_owned(),
                cases => format!(" and {} more cases", cases - 1),
            };
            let detail = checks[0].detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
            (line, format!("check `{name}` {what}{}{more}{detail}", within(&checks[0].case)))
        })
        .collect()
}

/// What a guardrail says against the candidate, if it does.
fn guardrail(budget: &BudgetResult) -> Option<(u8, String)> {
    if budget.is_doubtful() {
        let comes_to = match budget.outcome? {
            Outcome::Pass => "passes",
            Outcome::Fail => "fails",
            Outcome::Inconclusive => "is inconclusive",
        };
        return Some((6, format!("guardrail {comes_to}, and is not paired: {}", describe(budget))));
    }
    if budget.waiver.as_ref().is_some_and(|waiver| waiver.state == WaiverState::Used) {
        return None;
    }
    let waiver = match &budget.waiver {
        Some(waiver) if waiver.state == WaiverState::Expired => {
            format!("; its waiver ran out on {}", waiver.until)
        }
        Some(waiver) if waiver.state == WaiverState::Exceeded => {
            format!("; its waiver up to {} by {} does not cover it", waiver.bound, waiver.approved_by)
        }
        _ => String::new(),
    };
    let text = describe(budget);
    match budget.outcome? {
        Outcome::Pass => None,
        Outcome::Fail if budget.exact => Some((3, format!("guardrail fails: {text}{waiver}"))),
        Outcome::Fail if budget.confirmed => Some((4, format!("guardrail fails: {text}{waiver}"))),
        Outcome::Fail => Some((6, format!("guardrail fails alone, but not after the correction: {text}{waiver}"))),
        Outcome::Inconclusive => Some((6, format!("guardrail is inconclusive: {text}{waiver}"))),
    }
}

/// What the benefits together say.
enum Gain {
    /// None was declared.
    NotAsked,
    /// One holds.
    Shown,
    /// Every one fails.
    Refuted,
    /// None is shown.
    Open(String),
}

fn benefit(planned: &PlannedHypothesis, outcomes: &HypothesisAnalysis) -> Gain {
    if planned.hypothesis.benefits.is_empty() {
        return Gain::NotAsked;
    }
    let budgets: Vec<&BudgetResult> = outcomes.budgets.iter().filter(|budget| budget.role == Role::Benefit).collect();
    let capabilities = capabilities(planned, outcomes);
    if budgets.iter().any(|budget| budget.outcome == Some(Outcome::Pass) && budget.confirmed)
        || capabilities.contains(&CheckStatus::Passed)
    {
        return Gain::Shown;
    }
    let refuted = budgets.iter().all(|budget| budget.outcome == Some(Outcome::Fail) && !budget.is_doubtful())
        && capabilities.iter().all(|&status| status == CheckStatus::Failed);
    if refuted && budgets.len() + capabilities.len() > 0 {
        return Gain::Refuted;
    }
    if let Some(budget) = budgets.iter().find(|budget| budget.is_doubtful()) {
        return Gain::Open(format!("no benefit is shown by what is not paired: {}", describe(budget)));
    }
    let alone: Vec<&&BudgetResult> = budgets.iter().filter(|budget| budget.outcome == Some(Outcome::Pass)).collect();
    if let Some(first) = alone.first() {
        return Gain::Open(format!(
            "no benefit is confirmed: {} of {} results are inside their bound alone, but not after the correction, \
             for which {} pairs are too few; the first is {}",
            alone.len(),
            budgets.len(),
            first.pairs,
            describe(first)
        ));
    }
    let open =
        budgets.iter().find(|budget| budget.outcome == Some(Outcome::Inconclusive)).map(|budget| describe(budget));
    Gain::Open(match open {
        Some(open) => format!("no benefit is shown; inconclusive is {open}"),
        None => "no benefit is shown".to_owned(),
    })
}

/// One status for each capability: it holds where it holds in every case.
fn capabilities(planned: &PlannedHypothesis, outcomes: &HypothesisAnalysis) -> Vec<CheckStatus> {
    let mut statuses = Vec::new();
    for benefit in &planned.hypothesis.benefits {
        if let Benefit::Capability(check) = benefit {
            let mut cases = outcomes
                .checks
                .iter()
                .filter(|outcome| outcome.role == Role::Capability && outcome.check == check.check)
                .map(|outcome| outcome.status);
            let Some(first) = cases.next() else { continue };
            statuses.push(cases.fold(first, |all, status| match (all, status) {
                (CheckStatus::Failed, _) | (_, CheckStatus::Failed) => CheckStatus::Failed,
                (CheckStatus::Passed, status) => status,
                (all, _) => all,
            }));
        }
    }
    statuses
}

fn in_favour(planned: &PlannedHypothesis, outcomes: &HypothesisAnalysis) -> String {
    let guardrails = outcomes.budgets.iter().filter(|budget| budget.role == Role::Guardrail);
    let waived = guardrails
        .clone()
        .filter(|budget| budget.waiver.as_ref().is_some_and(|waiver| waiver.state == WaiverState::Used))
        .count();
    let all = guardrails.count();
    let guardrails = match (all - waived, waived) {
        (1, 0) => "and the guardrail passes".to_owned(),
        (_, 0) => format!("and all {all} guardrails pass"),
        (0, 1) => "and the guardrail is waived".to_owned(),
        (0, _) => format!("and all {all} guardrails are waived"),
        (passing, waived) => {
            let passing =
                if passing == 1 { "1 guardrail passes".to_owned() } else { format!("{passing} guardrails pass") };
            format!("{passing}, and {waived} {} waived", if waived == 1 { "is" } else { "are" })
        }
    };
    let mut text = format!("checks hold, {guardrails}");
    let holds = outcomes
        .budgets
        .iter()
        .find(|budget| budget.role == Role::Benefit && budget.outcome == Some(Outcome::Pass) && budget.confirmed);
    if let Some(budget) = holds {
        text.push_str(&format!("; benefit: {}", describe(budget)));
    } else if !planned.hypothesis.benefits.is_empty() {
        text.push_str("; benefit: the candidate passes a check that the baseline does not");
    }
    text
}

/// A budget in words: what, where, how much, against what, and what would settle it.
fn describe(budget: &BudgetResult) -> String {
    let mut text = budget.metric.clone();
    if budget.statistic != Statistic::Value {
        text.push_str(&format!(" {}", budget.statistic));
    }
    text.push_str(&within(&budget.case));
    let bound = budget.bound.map(|bound| (bound.value(), if bound.is_upper() { "at most" } else { "at least" }));
    let unit = match budget.unit.symbol() {
        symbol if budget.value.is_some() && !symbol.is_empty() => format!(" {symbol}"),
        _ => String::new(),
    };
    let number = |value: f64| format!("{}{unit}", apart(value, bound.map(|(bound, _)| bound)));
    if let Some(what) = budget.ratio.or(budget.value) {
        text.push_str(&format!(" is {}", number(what)));
        if let (false, Some(low), Some(high)) = (budget.exact, budget.low, budget.high) {
            text.push_str(&format!(" [{}, {}]", number(low), number(high)));
        }
    }
    if let Some((bound, words)) = bound {
        text.push_str(&format!(", {words} {bound}{unit}"));
    }
    if let Some(why) = &budget.undefined {
        text.push_str(&format!(": {why}"));
    }
    if let Some(outlook) = budget.outlook() {
        text.push_str(&format!("; {outlook}"));
    }
    text
}

/// ` in CASE`, and nothing where the matrix has no axis.
fn within(case: &Case) -> String {
    if case.is_empty() { String::new() } else { format!(" in {case}") }
}

/// `value` with four significant digits, and with as many more as tell it from the bound that it is not.
fn apart(value: f64, bound: Option<f64>) -> String {
    let digits = |significant: i32| {
        let magnitude = if value == 0.0 { 0 } else { magnitude(value) };
        let decimals = usize::try_from(significant - 1 - magnitude).unwrap_or(0);
        format!("{value:.decimals$}")
    };
    let differs = |text: &String| match bound {
        Some(bound) if value.total_cmp(&bound).is_ne() => {
            text.parse::<f64>().is_ok_and(|shown| (shown < bound, shown > bound) == (value < bound, value > bound))
        }
        _ => true,
    };
    (4..=17).map(digits).find(differs).unwrap_or_else(|| value.to_string())
}

/// The power of ten of the first digit.
#[expect(clippy::cast_possible_truncation, reason = "the exponent of a float is small")]
fn magnitude(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn a_number_never_looks_like_the_bound_that_it_is_not() {
        assert_eq!(apart(1.0723, Some(1.05)), "1.072");
        assert_eq!(apart(1.050_02, Some(1.05)), "1.05002");
        assert_eq!(apart(1.05, Some(1.05)), "1.050");
        assert_eq!(apart(0.000_041_87, Some(0.8)), "0.00004187");
        assert_eq!(apart(123_456.0, None), "123456");
        assert_eq!(apart(0.0, Some(1.0)), "0.000");
    }
}
