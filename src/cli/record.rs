//! `gate record`, and what it has recorded for those who compare with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::campaign::{Format, Start};
use super::lock::Wait;
use super::run::{digests, fixtures};
use super::{Exit, Failure, find, machine, print};
use crate::evidence::history::{self, Line};
use crate::measure::Host;
use crate::plan::{Digests, Figure, Plan, Recorded, Selection, recording};
use crate::spec::{Gate, Hypothesis, Loaded};
use crate::target;
use crate::unit::Side;

/// Arguments of `gate record`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A gate file, or a name in gates/
    #[arg(value_name = "GATE")]
    gate: String,
    /// How much to measure: a later run compares under the same profile
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: String,
    /// Only this hypothesis; may be given again
    #[arg(long, value_name = "ID")]
    hypothesis: Vec<String>,
    /// Where campaigns land
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// How to show what was measured
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Format,
    #[command(flatten)]
    wait: Wait,
}

/// Measures the candidates of the hypotheses whose baselines are recorded, and records them. Exits 0 if their checks hold.
pub(super) fn record(args: &Args) -> Result<Exit, Failure> {
    let mut gates = find::gates(std::slice::from_ref(&args.gate))?;
    let Some(mut loaded) = gates.pop() else { return Err(Failure::usage("record: name the gate")) };
    loaded.gate = recording(&loaded.gate);
    let Loaded { gate, .. } = &loaded;
    if gate.hypotheses.is_empty() {
        return Err(Failure::usage(format!(
            "record a baseline of `{}`: every hypothesis of it runs its baseline; write `baseline = {{ history = \"latest\" }}` in one",
            gate.name
        )));
    }
    // Wrong usage is told before anything is built, waited for or written.
    if plan(args, gate, Digests::default())?.runs.is_empty() {
        return Err(Failure::usage(format!(
            "record a baseline of `{}`: this host can run none of its cases",
            gate.name
        )));
    }
    machine::name().map_err(Failure::usage)?;
    let lock = args.wait.lock(&gate.name)?;
    let mut executor = target::open(&gate.target).map_err(Failure::work)?;
    let mut plan = plan(args, gate, digests(&loaded, executor.as_mut())?)?;
    plan.digests.fixtures = fixtures(gate, &plan)?;
    let start = Start { results: &args.results, source: &loaded.source, plan: &plan };
    let exit = start.execute(executor.as_mut())?.show(args.format, false)?;
    drop(lock);
    if exit != Exit::Deferred {
        print::note("nothing was recorded: a baseline that answers wrongly is none");
        return Ok(exit);
    }
    print::note("recorded: `gate run` compares with it from now on, on this machine and under this profile");
    Ok(Exit::Proceed)
}

fn plan(args: &Args, gate: &Gate, digests: Digests) -> Result<Plan, Failure> {
    let selection = Selection {
        profile: args.profile.clone(),
        hypotheses: args.hypothesis.clone(),
        host_cpus: crate::measure::available_cpus(),
        records: true,
        ..Selection::default()
    };
    Plan::new(gate, &selection, digests).map_err(Failure::usage)
}

/// The baselines that were last recorded under `results` on this machine, for the hypotheses of `plan`, which has none yet: of the
/// same gate, with the same fixture and profile, on the same CPU.
pub(super) fn recorded(results: &Path, plan: &Plan) -> Result<BTreeMap<String, Recorded>, Failure> {
    let hypotheses = plan.hypotheses.iter().map(|planned| &planned.hypothesis);
    let wanted: Vec<&Hypothesis> = hypotheses.filter(|hypothesis| hypothesis.baseline_is_recorded()).collect();
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut lines = history::read(&history::of(results)).map_err(Failure::work)?;
    let (machine, cpu_model) = (machine::name().map_err(Failure::usage)?, Host::observe().cpu_model);
    let conditions = history::conditions(plan);
    lines.retain(|line| {
        line.baseline
            && line.gate == plan.gate
            && line.machine == machine
            && line.cpu_model == cpu_model
            && line.conditions == conditions
    });
    lines.sort_by_key(|line| line.date);
    let latest = |id: &str| {
        let found = lines.iter().rev().map(|line| of_line(line, id));
        found.into_iter().find(|recorded| !recorded.figures.is_empty())
    };
    Ok(wanted.into_iter().filter_map(|one| Some((one.id.clone(), latest(&one.id)?))).collect())
}

/// What a line recorded for the hypothesis with this id.
fn of_line(line: &Line, id: &str) -> Recorded {
    let measured = line.metrics.iter().filter(|one| one.hypothesis == id && one.side == Side::Candidate);
    Recorded {
        campaign: line.campaign.clone(),
        digest: line.digest.clone(),
        date: line.date,
        machine: line.machine.clone(),
        commit: line.commit.clone(),
        figures: measured
            .map(|one| Figure {
                case: one.case.clone(),
                metric: one.metric.clone(),
                statistic: one.statistic,
                runs: one.runs.clone(),
            })
            .collect(),
    }
}
