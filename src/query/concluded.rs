//! The views `budgets`, `verdicts` and `warnings`: what is stored, once the samples have given it again.

use serde::Deserialize;

use super::QueryError;
use super::axes::Axes;
use super::campaigns::Campaign;
use super::rows::case;
use super::value::Value;
use crate::spec::Bound;
use crate::unit::Case;
use crate::verdict::{BudgetResult, Concluded, Outcome, Verdict, WaiverUse, Warning};

/// The rows of `budgets`.
pub(super) fn budgets(campaign: &Campaign, axes: &Axes) -> Result<Vec<Vec<Value>>, QueryError> {
    let Concluded { analysis, .. } = Concluded::load(&campaign.outline.folder)?;
    let mut rows = Vec::new();
    for hypothesis in &analysis.hypotheses {
        rows.extend(hypothesis.budgets.iter().map(|result| budget(campaign, &hypothesis.id, result, axes)));
    }
    Ok(rows)
}

fn budget(campaign: &Campaign, hypothesis: &str, result: &BudgetResult, axes: &Axes) -> Vec<Value> {
    let mut row = head(campaign, hypothesis);
    row.extend([
        Value::word(&result.role),
        (&result.metric).into(),
        result.statistic.name().into(),
        Value::word(&result.unit),
        Value::word(&result.direction),
    ]);
    row.extend(case(&result.case, axes));
    let waiver = result.waiver.as_ref();
    row.extend([
        result.bound.map(Bound::key).into(),
        result.bound.map(Bound::value).into(),
        result.baseline.into(),
        result.candidate.into(),
        result.ratio.into(),
        result.value.into(),
        result.low.into(),
        result.high.into(),
        result.undefined.as_deref().into(),
        result.exact.into(),
        result.pairs.into(),
        result.point_within.into(),
        result.outcome.map(Outcome::name).into(),
        result.p.into(),
        result.p_adjusted.into(),
        result.confirmed.into(),
        waiver.map_or(Value::None, |waiver| Value::word(&waiver.state)),
        waiver.map(|waiver| waiver.bound).into(),
        waiver.map(|WaiverUse { until, .. }| *until).into(),
        result.pairs_needed.into(),
    ]);
    row
}

/// The rows of `verdicts`.
pub(super) fn verdicts(campaign: &Campaign, _: &Axes) -> Result<Vec<Vec<Value>>, QueryError> {
    let Concluded { evidence, verdicts, .. } = Concluded::load(&campaign.outline.folder)?;
    let planned = evidence.plan.hypotheses.iter().map(|planned| &planned.hypothesis);
    let rows = planned.zip(&verdicts.hypotheses).map(|(hypothesis, verdict)| {
        let reasons: Vec<String> = verdict.reasons.iter().map(|reason| reason.text.clone()).collect();
        let mut row = head(campaign, &verdict.id);
        row.extend([
            (&hypothesis.claim).into(),
            (&hypothesis.baseline).into(),
            (&hypothesis.candidate).into(),
            Value::word(&verdicts.grade),
            verdict.verdict.name().into(),
            u32::from(verdict.line).into(),
            verdict.would.map(Verdict::name).into(),
            Value::Texts(reasons),
            (&hypothesis.rollback).into(),
        ]);
        row
    });
    Ok(rows.collect())
}

/// The rows of `warnings`.
pub(super) fn warnings(campaign: &Campaign, _: &Axes) -> Result<Vec<Vec<Value>>, QueryError> {
    let Concluded { analysis, .. } = Concluded::load(&campaign.outline.folder)?;
    let mut rows = Vec::new();
    for hypothesis in &analysis.hypotheses {
        rows.extend(hypothesis.warnings.iter().map(|doubt| warning(campaign, &hypothesis.id, doubt)));
    }
    Ok(rows)
}

/// What a warning is about stands in it by these names, whatever its kind.
#[derive(Default, Deserialize)]
struct About {
    kind: Option<String>,
    metric: Option<String>,
    statistic: Option<String>,
    side: Option<String>,
    case: Option<Case>,
}

fn warning(campaign: &Campaign, hypothesis: &str, warning: &Warning) -> Vec<Value> {
    let told = serde_json::to_string(warning).and_then(|text| serde_json::from_str::<About>(&text));
    let About { kind, metric, statistic, side, case } = told.unwrap_or_default();
    let mut row = head(campaign, hypothesis);
    row.extend(
        [kind, metric, statistic, side, case.map(|case| case.to_string())].iter().map(|part| part.as_ref().into()),
    );
    row.push((&warning.text()).into());
    row
}

fn head(campaign: &Campaign, hypothesis: &str) -> Vec<Value> {
    vec![(&campaign.name).into(), (&campaign.outline.plan.gate).into(), hypothesis.into()]
}
