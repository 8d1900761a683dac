//! Checks and budgets as tables.

use super::escape::{code, inline, prose};
use super::{folded, head, names, row, sentence};
use crate::report::view::{CheckGroup, Group, Part, Standing, View};
use crate::report::{notes, number, words};
use crate::verdict::{BudgetResult, CheckStatus, Role};

/// Rows that a table shows before those that nobody has to look at are folded.
const OPEN: usize = 12;

/// Cases that a note names.
const NAMED: usize = 6;

/// Writes how many checks hold, and those that a reviewer must know of.
pub(super) fn checks(out: &mut String, part: &Part) {
    out.push_str(&format!("\n**Checks.** {}\n", words::checks(part)));
    let notable = part.notable_checks();
    if notable.is_empty() {
        return;
    }
    out.push('\n');
    head(out, &["outcome", "check", "cases", "found"]);
    for group in notable {
        let CheckGroup { first, cases, .. } = &group;
        let place = group.everywhere().map_or_else(|| names(cases), |all| format!("all {}", number::count(all)));
        let status = words::check_status(first.role, first.status);
        let bold = first.status != CheckStatus::Passed && first.role != Role::Capability;
        let detail = first.detail.as_deref().map_or_else(String::new, inline);
        row(
            out,
            &[
                if bold { format!("**{status}**") } else { status.to_owned() },
                format!("{} ({})", code(&first.check), words::role(first.role)),
                place,
                detail,
            ],
        );
    }
}

/// Writes one budget over its cases.
pub(super) fn budget(out: &mut String, view: &View, group: &Group) {
    let role = sentence(words::role(group.role));
    let tally = words::tally(group);
    out.push_str(&format!(
        "\n**{role}: {}{}, {}.** {tally}\n",
        code(&group.metric),
        words::statistic(group),
        words::group_bound(group)
    ));
    let (settled, open): (Vec<_>, Vec<_>) = group.rows.iter().partition(|row| Standing::of(row).is_settled());
    if group.rows.len() <= OPEN || settled.is_empty() {
        rows(out, view, group, &group.rows.iter().collect::<Vec<_>>());
    } else {
        if !open.is_empty() {
            rows(out, view, group, &open);
        }
        let what = if group.bound.is_some() { "pass" } else { "are shown, not judged" };
        out.push_str(&format!("\n<details><summary>{} {what}</summary>\n", number::count(settled.len())));
        rows(out, view, group, &settled);
        out.push_str("\n</details>\n");
    }
    let notes = notes::notes(view, group, false);
    if !notes.is_empty() {
        out.push('\n');
    }
    let lines: Vec<String> = notes.iter().map(|note| format!("- {}", prose(&note.sentence(group, NAMED)))).collect();
    folded(out, &lines, "more notes");
}

fn rows(out: &mut String, view: &View, group: &Group, rows: &[&BudgetResult]) {
    let judged = group.bound.is_some();
    let with_p = rows.iter().any(|row| row.p.is_some() && notes::claims(row));
    let with_holm = with_p && rows.iter().any(|row| row.p_adjusted.is_some());
    let point = if group.is_absolute() { "value:" } else { "ratio:" };
    let interval = if group.is_exact() { "interval:".to_owned() } else { format!("{}:", words::interval(view)) };
    let mut heads = if judged { vec!["outcome"] } else { Vec::new() };
    heads.extend(["case", "baseline:", "candidate:", point, &interval]);
    if !group.is_absolute() {
        heads.push("change:");
    }
    heads.extend(with_p.then_some("p:"));
    heads.extend(with_holm.then_some("p (Holm):"));
    out.push('\n');
    head(out, &heads);
    for budget in rows {
        let standing = Standing::of(budget);
        let mut cells = Vec::new();
        if judged {
            let outcome = words::outcome(standing);
            cells.push(if standing.is_settled() { outcome.to_owned() } else { format!("**{outcome}**") });
        }
        let (baseline, candidate) = number::quantities(budget.baseline, budget.candidate, budget.unit);
        cells.extend([code(&budget.case.to_string()), baseline, candidate]);
        cells.extend([words::point(group, budget), words::ends(group, budget)]);
        if !group.is_absolute() {
            cells.push(number::change(budget.ratio));
        }
        let p = |p: Option<f64>| p.map_or_else(String::new, |p| number::probability(Some(p)));
        if with_p {
            cells.push(p(budget.p));
        }
        if with_holm {
            cells.push(p(budget.p_adjusted));
        }
        row(out, &cells);
    }
}
