//! One budget over its cases: a heading, a row a case, and what the rows have no room for.

use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object as _, Rows};
use tabled::settings::{Alignment, Padding, Style};

use super::page::{Page, Tone};
use crate::report::text::{clean, width};
use crate::report::view::{Group, Standing, View};
use crate::report::{notes, number, words};
use crate::unit::Case;
use crate::verdict::{BudgetResult, Role};

/// Columns before the table: the margin in which the marks stand.
const INDENT: usize = 2;

/// Cases that a note names.
const NAMED: usize = 3;

/// Notes that are shown; the JSON report has what they come from.
const NOTES: usize = 24;

/// Writes the table of one budget.
pub(super) fn write(page: &mut Page, view: &View, group: &Group) {
    let room = page.width().saturating_sub(INDENT);
    let varying = group.varying();
    let whole = grid(view, group, &group.axes()).filter(|lines| fits(lines, room));
    let short = if whole.is_none() { grid(view, group, &varying).filter(|lines| fits(lines, room)) } else { None };
    let constant = short.as_ref().map_or_else(String::new, |_| constants(group, &varying));
    heading(page, group, &constant);
    match whole.or(short) {
        Some(lines) => rows(page, group, &lines),
        None => stacked(page, group),
    }
    let notes = notes::notes(view, group, true);
    for note in notes.iter().take(NOTES) {
        page.hanging("  ·", Tone::Label, 4, &note.sentence(group, NAMED), Tone::Plain);
    }
    page.more(4, notes.len().saturating_sub(NOTES), "notes; the JSON report has all of it");
}

fn capitalised(word: &str) -> String {
    word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect()
}

/// How the group as a whole looks.
fn tone(group: &Group) -> Tone {
    if group.role == Role::Benefit {
        return if group.count(|standing| standing == Standing::Passes) > 0 { Tone::Good } else { Tone::Doubt };
    }
    if group.count(|standing| standing == Standing::Fails) > 0 {
        Tone::Bad
    } else if group.count(|standing| !standing.is_settled()) > 0 {
        Tone::Doubt
    } else {
        Tone::Plain
    }
}

/// What it is on the left, how it came out on the right; below it what all its cases have in common.
fn heading(page: &mut Page, group: &Group, constant: &str) {
    let role = capitalised(words::role(group.role));
    let head = clean(&format!("{}{}, {}", group.metric, words::statistic(group), words::group_bound(group)));
    let tally = words::tally(group);
    let room = page.width().saturating_sub(super::page::INDENT + 2 + width(&tally));
    let inline = if constant.is_empty() { head.clone() } else { format!("{head}, in {constant}") };
    let (line, below) = if width(&inline) <= room { (inline, "") } else { (head, constant) };
    if width(&line) <= room {
        let left = format!("  {role:<9} {line}");
        let gap = " ".repeat(page.width() - width(&left) - width(&tally));
        let line = format!("{}{gap}{}", page.paint(&left, Tone::Title), page.paint(&tally, tone(group)));
        page.line(&line);
    } else {
        page.hanging(&format!("  {role}"), Tone::Title, super::page::INDENT, &line, Tone::Title);
        page.prose(super::page::INDENT, &tally, tone(group));
    }
    if !below.is_empty() {
        page.prose(super::page::INDENT, &format!("in {below}"), Tone::Label);
    }
}

/// The axes that are the same in every row: `clients=1 cpus=2`.
fn constants(group: &Group, varying: &[&str]) -> String {
    let same = group.rows[0].case.iter().filter(|(axis, _)| !varying.contains(axis));
    let same: Vec<_> = same.map(|(axis, value)| (axis.to_owned(), value.clone())).collect();
    if same.is_empty() { String::new() } else { clean(&Case::new(same).to_string()) }
}

/// The lines of the table, the head first; `None` where a cell would not stay on its line.
fn grid(view: &View, group: &Group, axes: &[&str]) -> Option<Vec<String>> {
    let cell = |axis: &str, row: &BudgetResult| {
        row.case.get(axis).map_or_else(|| "–".to_owned(), |value| clean(&value.to_string()))
    };
    let point = if group.is_absolute() { "value" } else { "ratio" };
    let mut head: Vec<String> = axes.iter().map(|axis| clean(axis)).collect();
    head.extend(["baseline", "candidate", point].map(str::to_owned));
    head.push(words::interval_head(view, group));
    head.push(String::new());
    let mut builder = Builder::default();
    let columns = head.len();
    builder.push_record(head);
    for row in &group.rows {
        let mut record: Vec<String> = axes.iter().map(|axis| cell(axis, row)).collect();
        record.extend(numbers(group, row));
        record.push(words::outcome(Standing::of(row)).to_owned());
        builder.push_record(record);
    }
    let mut table = builder.build();
    table.with(Style::empty()).with(Padding::new(0, 2, 0, 0)).modify(Columns::last(), Padding::zero());
    for (index, axis) in axes.iter().enumerate() {
        let numbers = group.rows.iter().all(|row| row.case.integer(axis).is_some());
        table.modify(Columns::one(index), if numbers { Alignment::right() } else { Alignment::left() });
    }
    table.modify(Columns::new(axes.len()..columns - 1).intersect(Rows::new(..)), Alignment::right());
    let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    (lines.len() == group.rows.len() + 1).then_some(lines)
}

/// Medians, ratio or value, interval. Where there is no ratio the word for it stands in the interval's wide column.
fn numbers(group: &Group, row: &BudgetResult) -> [String; 4] {
    let (baseline, candidate) = number::quantities(row.baseline, row.candidate, row.unit);
    let (point, ends) = (words::point(group, row), words::ends(group, row));
    if point != number::UNDEFINED {
        return [baseline, candidate, point, ends];
    }
    let dash = |text: String| if text == number::UNDEFINED { "–".to_owned() } else { text };
    [dash(baseline), dash(candidate), dash(point), number::UNDEFINED.to_owned()]
}

fn fits(lines: &[String], room: usize) -> bool {
    lines.iter().all(|line| width(line) <= room)
}

/// What stands before a row, so that the eye finds those that matter: a benefit that holds, and a guardrail that does not.
const fn mark(role: Role, standing: Standing) -> (&'static str, Tone) {
    match (role, standing) {
        (Role::Benefit, Standing::Passes) => ("✓", Tone::Good),
        (_, Standing::Shown | Standing::Passes) => (" ", Tone::Plain),
        (_, Standing::Waived(_)) => ("w", Tone::Doubt),
        (_, Standing::PassesAlone | Standing::Inconclusive | Standing::Unpaired(_)) => ("?", Tone::Doubt),
        // One benefit is enough, so that a failing one is no harm by itself.
        (Role::Benefit, Standing::Fails) | (_, Standing::FailsAlone) => ("✗", Tone::Doubt),
        (_, Standing::Fails) => ("✗", Tone::Bad),
    }
}

fn rows(page: &mut Page, group: &Group, lines: &[String]) {
    let head = page.paint(&format!("  {}", lines[0]), Tone::Label);
    page.line(&head);
    for (row, line) in group.rows.iter().zip(&lines[1..]) {
        let (mark, tone) = mark(row.role, Standing::of(row));
        let line = page.paint(&format!("{mark} {line}"), tone);
        page.line(&line);
    }
}

/// Two lines a case, for what is too wide for a table.
fn stacked(page: &mut Page, group: &Group) {
    for row in &group.rows {
        let standing = Standing::of(row);
        let (mark, tone) = mark(row.role, standing);
        page.hanging(mark, tone, INDENT, &row.case.to_string(), tone);
        let (baseline, candidate) = number::quantities(row.baseline, row.candidate, row.unit);
        let point = if group.is_absolute() { "value" } else { "ratio" };
        let numbers = if row.baseline.is_none() && row.candidate.is_none() {
            number::UNDEFINED.to_owned()
        } else {
            format!("{baseline} → {candidate}, {point} {} {}", words::point(group, row), words::ends(group, row))
        };
        let outcome = words::outcome(standing);
        let text = if outcome.is_empty() { numbers } else { format!("{}: {outcome}", numbers.trim_end()) };
        page.prose(INDENT + 2, &text, tone);
    }
}
