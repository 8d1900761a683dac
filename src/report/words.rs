//! What every renderer says in the same words: names, bounds, intervals, outcomes.

use super::number;
use super::text::plural;
use super::view::{Group, Part, Standing, View};
use crate::spec::{Bound, Grade, IntervalKind};
use crate::unit::{Statistic, Unit};
use crate::verdict::{BudgetResult, CheckStatus, Outcome, Role, Verdict};

/// What `rust_heap_*` does not cover.
pub(super) const RUST_HEAP: &str =
    "`rust_heap_*` is what Rust code allocates, in all threads of the process; DuckDB's C++ heap is not in it";

/// What a rejection asks for.
pub(super) const NOTHING_STAYS: &str = "nothing of the candidate should stay";

/// `PROCEED`, `REVISE`, …
pub(super) fn verdict(verdict: Verdict) -> String {
    verdict.name().to_uppercase()
}

/// `would reject; preliminary evidence`
pub(super) fn would(part: &Part) -> Option<String> {
    part.verdict.would.map(|would| format!("would {}; preliminary evidence", would.name()))
}

/// The grade's name.
pub(super) const fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Preliminary => "preliminary",
        Grade::Comparison => "comparison",
    }
}

/// The role's name.
pub(super) const fn role(role: Role) -> &'static str {
    match role {
        Role::Contract => "contract",
        Role::Correctness => "correctness",
        Role::Capability => "capability",
        Role::Benefit => "benefit",
        Role::Guardrail => "guardrail",
        Role::Report => "report",
    }
}

/// How a check came out; for a capability, whether it is one.
pub(super) const fn check_status(role: Role, status: CheckStatus) -> &'static str {
    match (role, status) {
        (Role::Capability, CheckStatus::Passed) => "gained",
        (Role::Capability, CheckStatus::Failed) => "not gained",
        (_, CheckStatus::Passed) => "holds",
        (_, CheckStatus::Failed) => "FAILS",
        (_, CheckStatus::KnownGapOpen) => "known gap",
        (_, CheckStatus::KnownGapGone) => "gap is gone",
        (_, CheckStatus::NotRun) => "did not run",
    }
}

/// `22 of 24 hold (contract 10 of 10, correctness 12 of 14)`
pub(super) fn checks(part: &Part) -> String {
    let roles = [Role::Contract, Role::Correctness].map(|role| (role, part.holding(role)));
    let present: Vec<_> = roles.into_iter().filter(|(_, (_, all))| *all > 0).collect();
    let of = |(holding, all): (usize, usize)| format!("{} of {}", number::count(holding), number::count(all));
    match present[..] {
        [] => "none ran".to_owned(),
        [(name, counts)] => format!("{} hold ({})", of(counts), role(name)),
        _ => {
            let sum = present.iter().fold((0, 0), |sum, (_, counts)| (sum.0 + counts.0, sum.1 + counts.1));
            let parts: Vec<String> =
                present.iter().map(|(name, counts)| format!("{} {}", role(*name), of(*counts))).collect();
            format!("{} hold ({})", of(sum), parts.join(", "))
        }
    }
}

/// `ratio ≤ 1.05`, `≤ 1.5 MiB`
pub(super) fn bound(bound: Bound, unit: Unit) -> String {
    match bound {
        Bound::MaxRatio(limit) => format!("ratio ≤ {}", number::shortest(limit)),
        Bound::MinRatio(limit) => format!("ratio ≥ {}", number::shortest(limit)),
        Bound::Max(limit) => format!("value ≤ {}", number::bound(limit, unit)),
        Bound::Min(limit) => format!("value ≥ {}", number::bound(limit, unit)),
    }
}

/// ` p95`, and nothing where a run reports one number.
pub(super) fn statistic(group: &Group) -> String {
    if group.statistic == Statistic::Value { String::new() } else { format!(" {}", group.statistic) }
}

/// `ratio ≤ 1.05`, or that there is none.
pub(super) fn group_bound(group: &Group) -> String {
    group.bound.map_or_else(|| "not judged".to_owned(), |limit| bound(limit, group.unit))
}

/// `2 of 4 pass, 1 FAILS, 1 inconclusive`; of a single case only the word.
pub(super) fn tally(group: &Group) -> String {
    let all = group.rows.len();
    if group.bound.is_none() {
        return plural(all, "case", "cases");
    }
    let words = [
        (group.count(|standing| standing == Standing::Fails), "FAILS", "FAIL"),
        (group.count(|standing| standing == Standing::FailsAlone), "fails alone", "fail alone"),
        (group.count(|standing| standing == Standing::Inconclusive), "inconclusive", "inconclusive"),
        (group.count(|standing| standing == Standing::PassesAlone), "passes alone", "pass alone"),
        (group.count(|standing| matches!(standing, Standing::Waived(_))), "waived", "waived"),
        (group.count(|standing| matches!(standing, Standing::Unpaired(_))), "unpaired", "unpaired"),
    ];
    let others: Vec<_> = words.into_iter().filter(|(count, ..)| *count > 0).collect();
    let passing = group.count(|standing| standing == Standing::Passes);
    match (all, &others[..]) {
        (1, [(_, word, _)]) => (*word).to_owned(),
        (1, _) => "passes".to_owned(),
        (_, []) => format!("all {} pass", number::count(all)),
        _ => {
            let mut text = format!("{} of {} pass", number::count(passing), number::count(all));
            for (count, one, many) in others {
                text.push_str(&format!(", {}", plural(count, one, many)));
            }
            text
        }
    }
}

/// How one row came out, in a table's cell.
pub(super) const fn outcome(standing: Standing) -> &'static str {
    match standing {
        Standing::Shown => "",
        Standing::Unpaired(Outcome::Pass) => "pass, unpaired",
        Standing::Unpaired(Outcome::Fail) => "FAIL, unpaired",
        Standing::Unpaired(Outcome::Inconclusive) => "unpaired",
        Standing::Passes => "pass",
        Standing::PassesAlone => "pass alone",
        Standing::Waived(Outcome::Fail) => "FAIL, waived",
        // Its note says that it is inconclusive; both words together make a column too wide.
        Standing::Waived(_) => "waived",
        Standing::Inconclusive => "inconclusive",
        Standing::FailsAlone => "FAIL alone",
        Standing::Fails => "FAIL",
    }
}

/// What the interval is, by name: `95 % interval`, or `one-sided 95 % bounds (5th, 95th)`.
pub(super) fn interval(view: &View) -> String {
    let parts = view.plan.analysis.confidence_parts;
    match view.plan.analysis.interval {
        IntervalKind::TwoSided => format!("{} % interval", percent(parts)),
        IntervalKind::OneSided => format!("one-sided {} % bounds ({})", percent(parts), percentiles(parts)),
    }
}

/// The same as the head of a group's column, where the page says the name once.
pub(super) fn interval_head(view: &View, group: &Group) -> String {
    match view.plan.analysis.interval {
        _ if group.is_exact() => "interval".to_owned(),
        IntervalKind::TwoSided => interval(view),
        IntervalKind::OneSided => percentiles(view.plan.analysis.confidence_parts),
    }
}

fn percentiles(parts: u32) -> String {
    format!("{}, {}", ordinal(10_000_u32.saturating_sub(parts)), ordinal(parts))
}

/// Parts per 10,000 as per cent.
fn percent(parts: u32) -> String {
    number::shortest(f64::from(parts) / 100.0)
}

fn ordinal(parts: u32) -> String {
    let suffix = match (parts % 100, parts / 100 % 100, parts / 100 % 10) {
        (0, 11..=13, _) => "th",
        (0, _, 1) => "st",
        (0, _, 2) => "nd",
        (0, _, 3) => "rd",
        _ => "th",
    };
    format!("{}{suffix}", percent(parts))
}

/// The interval in a table's cell: `[0.9512, 0.9891]`, `exact`, or nothing where it is undefined.
pub(super) fn ends(group: &Group, row: &BudgetResult) -> String {
    let end = |value| {
        if group.is_absolute() {
            number::held(value, group.limit(), row.unit)
        } else {
            number::ratio(value, group.limit())
        }
    };
    match (row.low, row.high) {
        _ if row.exact => "exact".to_owned(),
        (Some(low), Some(high)) if low.is_finite() && high.is_finite() => {
            format!("[{}, {}]", end(row.low), end(row.high))
        }
        _ => String::new(),
    }
}

/// What is held to the bound: the ratio, or the candidate's own value.
pub(super) fn point(group: &Group, row: &BudgetResult) -> String {
    if group.is_absolute() {
        number::held(row.value, group.limit(), row.unit)
    } else {
        number::ratio(row.ratio, group.limit())
    }
}

/// Why a number of `row` is not there; `None` where all are.
pub(super) fn undefined(row: &BudgetResult) -> Option<String> {
    if row.undefined.is_some() {
        return row.undefined.clone();
    }
    let numbers = [row.baseline, row.candidate, row.ratio, row.value, row.low, row.high, row.p, row.p_adjusted];
    if numbers.iter().flatten().any(|number| !number.is_finite()) {
        return Some("a number is not finite".to_owned());
    }
    (row.ratio.is_none() && row.value.is_none()).then(|| "no reason was recorded".to_owned())
}

/// The last line: the gravest verdict, and how many hypotheses came to each.
pub(super) fn summary(view: &View) -> String {
    let Some(gravest) = view.gravest else { return "no hypothesis was judged".to_owned() };
    let counts: Vec<String> = view
        .counts()
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{} {}", number::count(*count), verdict.name()))
        .collect();
    let evidence = match view.plan.profile.grade {
        Grade::Preliminary => "; preliminary evidence",
        Grade::Comparison => "",
    };
    format!("{} ({}{evidence})", verdict(gravest), counts.join(", "))
}

/// Cases that were not measured, by reason.
pub(super) fn left_out(part: &Part) -> Vec<(String, Vec<String>)> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for left in &part.outcomes.left_out {
        let case = left.case.to_string();
        match reasons.iter_mut().find(|(reason, _)| *reason == left.reason) {
            Some((_, cases)) => cases.push(case),
            None => reasons.push((left.reason.clone(), vec![case])),
        }
    }
    reasons
}
