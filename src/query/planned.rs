//! The views `plan`, `runs` and `history`.

use super::QueryError;
use super::axes::Axes;
use super::campaigns::Campaign;
use super::value::Value;
use crate::evidence::history;
use crate::plan::PlannedRun;
use crate::spec::Target;
use crate::worker::protocol::Samples;

/// The row of `plan`.
#[expect(clippy::unnecessary_wraps, reason = "the rows of other views may fail")]
pub(super) fn plan(campaign: &Campaign, _: &Axes) -> Result<Vec<Vec<Value>>, QueryError> {
    let Campaign { name, outline } = campaign;
    let (plan, provenance) = (&outline.plan, &outline.provenance);
    let (analysis, profile, host) = (&plan.analysis, &plan.profile, &provenance.host);
    let target = match plan.target {
        Target::Suite(_) => "suite",
        Target::Command(_) => "command",
        Target::Revisions(_) => "revisions",
    };
    Ok(vec![vec![
        name.into(),
        (&plan.gate).into(),
        (&plan.title).into(),
        (&provenance.plan).into(),
        target.into(),
        plan.target.suite().into(),
        (&profile.name).into(),
        Value::word(&profile.grade),
        profile.pairs.into(),
        plan.cases.len().into(),
        plan.runs.len().into(),
        plan.hypotheses.len().into(),
        Value::word(&profile.order),
        Value::word(&analysis.estimator),
        Value::word(&analysis.interval),
        (f64::from(analysis.confidence_parts) / 10_000.0).into(),
        Value::word(&analysis.multiplicity),
        Value::word(&analysis.quantile),
        analysis.resamples.into(),
        profile.timeout_ns.into(),
        plan.slowdown.into(),
        plan.confirms.as_ref().map(|confirms| confirms.campaign.as_str()).into(),
        provenance.started.into(),
        provenance.attempt.into(),
        (&provenance.version).into(),
        host.machine.as_deref().into(),
        host.cpu_model.as_deref().into(),
        host.logical_cpus.into(),
        host.memory_bytes.into(),
        host.kernel.as_deref().into(),
        host.os.as_deref().into(),
        host.rustc.as_deref().into(),
        host.duckdb.as_deref().into(),
        host.commit.as_deref().into(),
        host.dirty.into(),
    ]])
}

/// The rows of `history`: what the history of the results folder keeps of this very campaign.
pub(super) fn history(campaign: &Campaign, _: &Axes) -> Result<Vec<Vec<Value>>, QueryError> {
    let Campaign { name, outline } = campaign;
    let folder = outline.folder.canonicalize().unwrap_or_else(|_| outline.folder.clone());
    let Some(results) = folder.ancestors().nth(2) else { return Ok(Vec::new()) };
    let lines = history::read(&history::of(results))?;
    let of_campaign = lines.iter().filter(|line| line.campaign == *name && line.plan == outline.provenance.plan);
    let rows = of_campaign.flat_map(|line| {
        line.metrics.iter().map(move |measured| {
            vec![
                name.into(),
                (&line.gate).into(),
                (&measured.hypothesis).into(),
                line.date.into(),
                (&line.machine).into(),
                line.cores.into(),
                line.commit.as_deref().into(),
                line.baseline.into(),
                (&line.digest).into(),
                measured.side.name().into(),
                (&measured.case.to_string()).into(),
                (&measured.metric).into(),
                Value::word(&measured.statistic),
                Value::word(&measured.unit),
                Value::word(&measured.direction),
                measured.value.into(),
            ]
        })
    });
    Ok(rows.collect())
}

/// The rows of `runs`: each file is read for what its process saw of itself.
pub(super) fn runs(campaign: &Campaign, _: &Axes) -> Result<Vec<Vec<Value>>, QueryError> {
    campaign.outline.plan.runs.iter().enumerate().map(|(index, planned)| run(campaign, index, planned)).collect()
}

fn run(campaign: &Campaign, index: usize, planned: &PlannedRun) -> Result<Vec<Value>, QueryError> {
    let Campaign { name, outline } = campaign;
    let file = outline.run(&planned.id);
    let record = outline.read_run(&planned.id)?;
    let samples = record
        .as_ref()
        .map(|record| record.cells.iter().flat_map(|cell| cell.samples.values()).map(Samples::len).sum::<usize>());
    let observed = record.as_ref().map(|record| &record.observed);
    let meanwhile = observed.and_then(|observed| observed.meanwhile);
    Ok(vec![
        name.into(),
        (&outline.plan.gate).into(),
        (&planned.id).into(),
        planned.pair.into(),
        planned.side.name().into(),
        outline.plan.lane(planned).into(),
        (index + 1).into(),
        planned.cpus.into(),
        planned.cases.len().into(),
        samples.into(),
        file.map(|file| file.sha256.as_str()).into(),
        file.and_then(|file| file.started).into(),
        file.map(|file| file.finished).into(),
        observed.map(|observed| observed.cpu_ns).into(),
        observed.map(|observed| observed.minor_faults).into(),
        observed.map(|observed| observed.major_faults).into(),
        observed.map(|observed| observed.voluntary_switches).into(),
        observed.map(|observed| observed.involuntary_switches).into(),
        meanwhile.and_then(|meanwhile| meanwhile.load).into(),
        meanwhile.and_then(|meanwhile| meanwhile.stolen).into(),
        meanwhile.and_then(|meanwhile| meanwhile.throttled).into(),
        observed.map(|observed| observed.peak_reset).into(),
        observed.map(|observed| observed.unenforced.as_slice()).into(),
    ])
}
