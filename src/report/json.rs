//! One JSON document for programs: the order of its keys is fixed, numbers stay numbers, and what is not there is `null`.

use serde::Serialize;

use super::view::{Part, View};
use super::words;
use crate::evidence::Earlier;
use crate::measure::Host;
use crate::plan::Plan;
use crate::printable::is_hidden;
use crate::spec::{Bound, Grade, IntervalKind, Multiplicity};
use crate::unit::{Case, Direction, Statistic, Unit};
use crate::verdict::{
    BudgetResult, CheckOutcome, LeftOutCase, LookTaken, Outcome, Reach, Reason, Role, Verdict, WaiverUse, Warning,
    reach,
};

/// The format of the document.
const SCHEMA: &str = "gate.report/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    gate: &'a str,
    title: &'a str,
    profile: &'a str,
    grade: Grade,
    plan: &'a str,
    campaign: &'a str,
    digest: Option<&'a str>,
    attempt: u32,
    earlier: &'a [Earlier],
    resumed: usize,
    pairs: u32,
    look: Option<LookTaken>,
    started: jiff::Timestamp,
    interval: IntervalKind,
    confidence: f64,
    multiplicity: Multiplicity,
    verdict: Option<Verdict>,
    hypotheses: Vec<Hypothesis<'a>>,
    host: &'a Host,
}

#[derive(Serialize)]
struct Hypothesis<'a> {
    id: &'a str,
    claim: &'a str,
    baseline: &'a str,
    candidate: &'a str,
    rollback: &'a str,
    verdict: Verdict,
    line: u8,
    would: Option<Verdict>,
    reasons: &'a [Reason],
    #[serde(skip_serializing_if = "Option::is_none")]
    reach: Option<Reach>,
    checks: &'a [CheckOutcome],
    budgets: Vec<Budget<'a>>,
    left_out: &'a [LeftOutCase],
    missing_runs: &'a [String],
    warnings: Vec<Doubt<'a>>,
}

#[derive(Serialize)]
struct Budget<'a> {
    metric: &'a str,
    statistic: Statistic,
    case: &'a Case,
    role: Role,
    ratio: Option<f64>,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    outcome: Option<Outcome>,
    bound: Option<Bound>,
    baseline: Option<f64>,
    candidate: Option<f64>,
    unit: Unit,
    direction: Direction,
    exact: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unpaired: bool,
    pairs: u32,
    point_within: Option<bool>,
    p: Option<f64>,
    p_adjusted: Option<f64>,
    confirmed: bool,
    undefined: Option<String>,
    waiver: Option<&'a WaiverUse>,
    pairs_needed: Option<u32>,
}

/// A warning with its kind, its fields, and the sentence that people read.
#[derive(Serialize)]
struct Doubt<'a> {
    #[serde(flatten)]
    warning: &'a Warning,
    text: String,
}

/// Renders the report of one campaign, over several lines where `pretty`; it ends with a newline.
pub(super) fn render(view: &View, pretty: bool) -> String {
    let document = document(view);
    let text = if pretty { serde_json::to_string_pretty(&document) } else { serde_json::to_string(&document) };
    let mut text = harmless(&text.expect("a report is plain data"));
    text.push('\n');
    text
}

fn document(view: &View) -> Document<'_> {
    let plan = &view.plan;
    Document {
        schema: SCHEMA,
        gate: &plan.gate,
        title: &plan.title,
        profile: &plan.profile.name,
        grade: plan.profile.grade,
        plan: &view.provenance.plan,
        campaign: &view.campaign,
        digest: view.digest.as_deref(),
        attempt: view.provenance.attempt,
        earlier: &view.provenance.earlier,
        resumed: view.resumptions.len(),
        pairs: view.pairs(),
        look: view.look,
        started: view.provenance.started,
        interval: plan.analysis.interval,
        confidence: f64::from(plan.analysis.confidence_parts) / 10_000.0,
        multiplicity: plan.analysis.multiplicity,
        verdict: view.gravest,
        hypotheses: view.hypotheses.iter().map(|part| hypothesis(plan, part)).collect(),
        host: &view.provenance.host,
    }
}

fn hypothesis<'a>(plan: &Plan, part: &'a Part) -> Hypothesis<'a> {
    let outcomes = &part.outcomes;
    Hypothesis {
        id: &part.verdict.id,
        claim: &part.hypothesis.claim,
        baseline: &part.hypothesis.baseline,
        candidate: &part.hypothesis.candidate,
        rollback: &part.hypothesis.rollback,
        verdict: part.verdict.verdict,
        line: part.verdict.line,
        would: part.verdict.would,
        reasons: &part.verdict.reasons,
        reach: reach(plan, outcomes),
        checks: &outcomes.checks,
        budgets: outcomes.budgets.iter().map(budget).collect(),
        left_out: &outcomes.left_out,
        missing_runs: &outcomes.missing_runs,
        warnings: outcomes.warnings.iter().map(|warning| Doubt { warning, text: warning.text() }).collect(),
    }
}

fn budget(row: &BudgetResult) -> Budget<'_> {
    // JSON has no other numbers than finite ones.
    let finite = |number: Option<f64>| number.filter(|number| number.is_finite());
    Budget {
        metric: &row.metric,
        statistic: row.statistic,
        case: &row.case,
        role: row.role,
        ratio: finite(row.ratio),
        value: finite(row.value),
        low: finite(row.low),
        high: finite(row.high),
        outcome: row.outcome,
        bound: row.bound,
        baseline: finite(row.baseline),
        candidate: finite(row.candidate),
        unit: row.unit,
        direction: row.direction,
        exact: row.exact,
        unpaired: row.unpaired,
        pairs: row.pairs,
        point_within: row.point_within,
        p: finite(row.p),
        p_adjusted: finite(row.p_adjusted),
        confirmed: row.confirmed,
        undefined: words::undefined(row),
        waiver: row.waiver.as_ref(),
        pairs_needed: row.pairs_needed,
    }
}

/// The same document with every character as an escape that a terminal might act on: those stand in strings only.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        if c.is_ascii() && c != '\u{7f}' || !is_hidden(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}
