//! For a person at a terminal: complete in monochrome, the verdict first and the sum last.

mod page;
mod table;
mod trends;

use page::{INDENT, Page, Tone};
pub(super) use trends::render as trends;

use super::text::{plural, some};
use super::view::{CheckGroup, Part, View};
use super::{Style, facts, words};
use crate::verdict::{CheckStatus, Role, Verdict};

/// Reasons that are shown, one digit each; the rest stand in the tables below them.
const REASONS: usize = 9;

/// Checks and warnings that are shown; a reader who has seen so many wants the JSON report.
const LISTED: usize = 24;

/// Cases, runs and the like that are named in one place.
const NAMED: usize = 3;

/// Renders the report of one campaign.
pub(super) fn render(view: &View, style: Style) -> String {
    let mut page = Page::new(style);
    header(&mut page, view);
    if view.hypotheses.len() > 1 {
        page.blank();
        for part in view.gravest_first() {
            title(&mut page, part);
        }
    }
    for part in &view.hypotheses {
        page.blank();
        page.rule();
        hypothesis(&mut page, view, part);
    }
    page.blank();
    page.rule();
    let tone = view.gravest.map_or(Tone::Title, Tone::of);
    page.prose(0, &format!("{}: {}", view.plan.gate, words::summary(view)), tone);
    page.finish()
}

fn header(page: &mut Page, view: &View) {
    let plan = &view.plan;
    page.prose(0, &plan.gate, Tone::Title);
    page.prose(0, &plan.title, Tone::Plain);
    page.blank();
    let grade = words::grade(plan.profile.grade);
    page.field("profile", &format!("{}, {grade} grade, {}", plan.profile.name, facts::pairs(view)));
    page.field("analysis", &facts::analysis(view).join(", "));
    page.field("campaign", &view.campaign);
    page.field("plan", &format!("{}, {}", view.short_plan(), facts::attempt(view)));
    if let Some(digest) = &view.digest {
        page.field("digest", digest);
    }
    for line in facts::confirms(view) {
        page.field("confirms", &line);
    }
    if let Some(calibration) = &view.calibration {
        page.field("sees", calibration);
    }
    page.field("host", &facts::host(&view.provenance.host).join(", "));
    page.field("commit", &facts::commit(&view.provenance.host));
}

/// `REJECT    slow-path`
fn title(page: &mut Page, part: &Part) {
    let verdict = part.verdict.verdict;
    let mut text = part.verdict.id.clone();
    if let Some(would) = words::would(part) {
        text.push_str(&format!(" ({would})"));
    }
    page.hanging(&words::verdict(verdict), Tone::of(verdict), INDENT, &text, Tone::Title);
}

fn hypothesis(page: &mut Page, view: &View, part: &Part) {
    title(page, part);
    page.prose(INDENT, &part.hypothesis.claim, Tone::Plain);
    let sides = format!("candidate {}, baseline {}", part.hypothesis.candidate, part.hypothesis.baseline);
    page.prose(INDENT, &sides, Tone::Label);
    page.blank();
    reasons(page, part);
    checks(page, part);
    for group in &part.groups {
        page.blank();
        table::write(page, view, group);
    }
    if !part.groups.is_empty() {
        page.blank();
    }
    for (reason, cases) in words::left_out(part) {
        page.field(
            "left out",
            &format!("{} ({reason}): {}", plural(cases.len(), "case", "cases"), some(&cases, NAMED, "; ")),
        );
    }
    if !part.outcomes.missing_runs.is_empty() {
        let runs = &part.outcomes.missing_runs;
        page.field("missing", &format!("{}: {}", plural(runs.len(), "run", "runs"), some(runs, NAMED, ", ")));
    }
    let warnings = part.warnings();
    for warning in warnings.iter().take(LISTED) {
        page.hanging("  warning", Tone::Doubt, INDENT, warning, Tone::Plain);
    }
    page.more(INDENT, warnings.len().saturating_sub(LISTED), "warnings; the JSON report has them all");
    if part.shows_rust_heap() {
        page.field("scope", words::RUST_HEAP);
    }
    if part.verdict.verdict == Verdict::Reject {
        page.hanging(
            "  rollback",
            Tone::Bad,
            INDENT,
            &format!("{}: {}", words::NOTHING_STAYS, part.hypothesis.rollback),
            Tone::Plain,
        );
    } else {
        page.field("rollback", &part.hypothesis.rollback);
    }
}

/// Every reason on lines of its own, numbered where there are several.
fn reasons(page: &mut Page, part: &Part) {
    let reasons = &part.verdict.reasons;
    for (index, reason) in reasons.iter().take(REASONS).enumerate() {
        let label = if index == 0 { "because" } else { "" };
        if reasons.len() == 1 {
            page.field(label, &reason.text);
        } else {
            let head = format!("  {label:<10}{}.", index + 1);
            page.hanging(&head, Tone::Label, INDENT + 3, &reason.text, Tone::Plain);
        }
    }
    page.more(INDENT + 3, reasons.len().saturating_sub(REASONS), "reasons, which the tables below show");
}

fn checks(page: &mut Page, part: &Part) {
    page.field("checks", &words::checks(part));
    let notable = part.notable_checks();
    for group in notable.iter().take(LISTED) {
        let CheckGroup { first, cases, .. } = group;
        let place = match group.everywhere() {
            Some(all) => format!("all {} cases", super::number::count(all)),
            None => some(cases, NAMED, "; "),
        };
        let mut text = format!("{} {} in {place}", words::check_status(first.role, first.status), first.check);
        if first.role == Role::Capability {
            text = format!("capability {text}");
        }
        if let Some(detail) = &first.detail {
            text.push_str(&format!(": {detail}"));
        }
        let (mark, tone) = match (first.role, first.status) {
            (Role::Capability, _) | (_, CheckStatus::Passed) => ("·", Tone::Label),
            (_, CheckStatus::Failed) => ("✗", Tone::Bad),
            _ => ("?", Tone::Doubt),
        };
        page.hanging(&format!("{}{mark}", " ".repeat(INDENT)), tone, INDENT + 2, &text, Tone::Plain);
    }
    page.more(INDENT, notable.len().saturating_sub(LISTED), "checks; the JSON report has them all");
}
