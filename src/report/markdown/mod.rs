//! GitHub-flavoured Markdown, for a campaign's folder and for a pull request: the verdicts first, then each hypothesis,
//! then what stands behind the numbers.

mod escape;
mod provenance;
mod table;

use escape::{code, inline, prose};

use super::text::plural;
use super::view::{Part, View};
use super::{facts, words};
use crate::verdict::Verdict;

/// Lines of a list that stand open; the rest is folded.
const LISTED: usize = 12;

/// Cases and runs that are named in one place.
const NAMED: usize = 12;

/// Renders the report of one campaign.
pub(super) fn render(view: &View) -> String {
    let mut out = String::new();
    header(&mut out, view);
    for part in &view.hypotheses {
        hypothesis(&mut out, view, part);
    }
    provenance::write(&mut out, view);
    out
}

/// A row of a table; the cells are escaped already.
fn row(out: &mut String, cells: &[String]) {
    out.push_str(&format!("| {} |\n", cells.join(" | ")));
}

/// The two lines that begin a table; a head that ends with `:` is of numbers, which stand on the right.
fn head(out: &mut String, heads: &[&str]) {
    let names: Vec<String> = heads.iter().map(|head| head.trim_end_matches(':').to_owned()).collect();
    row(out, &names);
    let rules: Vec<String> =
        heads.iter().map(|head| if head.ends_with(':') { "---:" } else { "---" }.to_owned()).collect();
    row(out, &rules);
}

fn header(out: &mut String, view: &View) {
    let plan = &view.plan;
    let gravest = view.gravest.map_or_else(|| "NOTHING JUDGED".to_owned(), words::verdict);
    out.push_str(&format!("# {gravest}: {}\n\n{}\n\n", code(&plan.gate), prose(&plan.title)));
    if !view.hypotheses.is_empty() {
        head(out, &["verdict", "hypothesis", "because"]);
        for part in view.gravest_first() {
            let first = part.verdict.reasons.first().map_or_else(String::new, |reason| inline(&reason.text));
            let more = match part.verdict.reasons.len() {
                0 | 1 => String::new(),
                reasons => format!(" (and {} below)", plural(reasons - 1, "more reason", "more reasons")),
            };
            let verdict = words::verdict(part.verdict.verdict);
            let would = words::would(part).map_or_else(String::new, |would| format!(" ({would})"));
            row(out, &[format!("**{verdict}**{would}"), code(&part.verdict.id), format!("{first}{more}")]);
        }
        out.push('\n');
    }
    out.push_str(&format!(
        "{}\n\nProfile {}, {} grade, {}: {}.\nCampaign {}, plan {}, {}.\n",
        prose(&words::summary(view)),
        code(&plan.profile.name),
        words::grade(plan.profile.grade),
        facts::pairs(view),
        facts::analysis(view).join(", "),
        code(&view.campaign),
        code(view.short_plan()),
        facts::attempt(view),
    ));
    out.push_str(&match &view.digest {
        Some(digest) => format!("\nDigest of the campaign: {}.\n", code(digest)),
        None => "\nThe digest of the campaign is the SHA-256 of its MANIFEST.sha256.\n".to_owned(),
    });
    if let Some(calibration) = &view.calibration {
        out.push_str(&format!("\nCalibrated on this host: {}.\n", prose(calibration)));
    }
    for line in facts::confirms(view) {
        out.push_str(&format!("\nConfirms {}\n", prose(&line)));
    }
}

fn hypothesis(out: &mut String, view: &View, part: &Part) {
    let Part { hypothesis, verdict, outcomes, .. } = part;
    let would = words::would(part).map_or_else(String::new, |would| format!(" ({would})"));
    out.push_str(&format!("\n## {}: {}{would}\n\n", words::verdict(verdict.verdict), code(&verdict.id)));
    out.push_str(&format!("> {}\n\n", prose(&hypothesis.claim)));
    let (candidate, baseline) = (code(&hypothesis.candidate), code(&hypothesis.baseline));
    out.push_str(&format!("Candidate {candidate}, baseline {baseline}.\n"));
    reasons(out, part);
    out.push_str("\n**Rollback.** ");
    if verdict.verdict == Verdict::Reject {
        out.push_str(&format!("**{}:** ", sentence(words::NOTHING_STAYS)));
    }
    out.push_str(&format!("{}\n", inline(&hypothesis.rollback)));
    table::checks(out, part);
    for group in &part.groups {
        table::budget(out, view, group);
    }
    let left_out = words::left_out(part);
    if !left_out.is_empty()
        || !outcomes.missing_runs.is_empty()
        || !outcomes.warnings.is_empty()
        || part.shows_rust_heap()
    {
        out.push_str("\n**Beside the numbers**\n\n");
    }
    for (reason, cases) in left_out {
        let count = plural(cases.len(), "case was", "cases were");
        out.push_str(&format!("- {count} left out ({}): {}\n", inline(&reason), names(&cases)));
    }
    if !outcomes.missing_runs.is_empty() {
        let count = plural(outcomes.missing_runs.len(), "run is", "runs are");
        out.push_str(&format!("- {count} missing: {}\n", names(&outcomes.missing_runs)));
    }
    if part.shows_rust_heap() {
        out.push_str(&format!("- Scope: {}\n", inline(words::RUST_HEAP)));
    }
    let warnings: Vec<String> =
        part.warnings().iter().map(|warning| format!("- Warning: {}", inline(warning))).collect();
    folded(out, &warnings, "more warnings");
}

fn reasons(out: &mut String, part: &Part) {
    let reasons = &part.verdict.reasons;
    if reasons.is_empty() {
        return;
    }
    out.push_str("\n**Because**\n\n");
    let reasons: Vec<String> =
        reasons.iter().enumerate().map(|(index, reason)| format!("{}. {}", index + 1, prose(&reason.text))).collect();
    folded(out, &reasons, "more reasons");
}

/// Lines of a list, of which a reader has to open those beyond [`LISTED`].
fn folded(out: &mut String, lines: &[String], more: &str) {
    for (index, line) in lines.iter().enumerate() {
        if index == LISTED {
            let count = super::number::count(lines.len() - LISTED);
            out.push_str(&format!("\n<details><summary>{count} {more}</summary>\n\n"));
        }
        out.push_str(&format!("{line}\n"));
    }
    if lines.len() > LISTED {
        out.push_str("\n</details>\n");
    }
}

/// Names as code, not too many of them.
fn names(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| code(name)).collect();
    let mut text = shown.join(", ");
    if names.len() > NAMED {
        text.push_str(&format!(" and {} more", super::number::count(names.len() - NAMED)));
    }
    text
}

/// `text` with a capital at its start.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}
