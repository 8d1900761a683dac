//! `gate calibrate`

use std::path::{Path, PathBuf};

use super::campaign::{Finished, Start, date_of, json, now};
use super::lock::Wait;
use super::run::{digests, fixtures};
use super::size::{Show, duration};
use super::{Exit, Failure, find, print};
use crate::evidence::Evidence;
use crate::measure::{Host, clock};
use crate::plan::{Plan, Selection, identical};
use crate::program::Output;
use crate::spec::{Bound, Gate, Loaded, Target};
use crate::target::{self, Executor};
use crate::unit::Unit;
use crate::verdict::{Analysis, CALIBRATION_SCHEMA, Calibration, ExtraCopy, OnBudget, Slowdown, Trial, sights};

/// Where a gate's calibration is kept, beside its campaigns.
const FILE: &str = "calibration.json";

/// The known slowdowns: how many times as long every operation takes.
const SLOWDOWNS: [f64; 4] = [1.01, 1.02, 1.05, 1.10];

/// What all campaigns may take by default, in seconds.
const WHILE: f64 = 500.0;

/// The most campaigns of one kind by default.
const MOST: u32 = 20;

/// The metric that sees an extra copy, and the lanes that differ by one.
const COPIES: &str = "rust_heap_bytes";
const WITHOUT_COPY: &str = "native-v1";
const WITH_COPY: &str = "calibrate:extra-copy";

/// Arguments of `gate calibrate`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A gate file, or a name in gates/; may be left out where there is only one
    #[arg(value_name = "GATE")]
    gate: Option<String>,
    /// Campaigns with identical sides, and half as many of each slowdown; by default as many as fit into some 8 minutes
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    campaigns: Option<u32>,
    /// How much to measure
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: String,
    /// Where campaigns land
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Show,
    #[command(flatten)]
    wait: Wait,
}

/// Runs campaigns whose outcome is known, and keeps how the gate judged them.
pub(super) fn calibrate(args: &Args) -> Result<Exit, Failure> {
    let named: Vec<String> = args.gate.iter().cloned().collect();
    let mut gates = find::gates(&named)?;
    let (Some(mut loaded), true) = (gates.pop(), gates.is_empty()) else {
        return Err(Failure::usage("calibrate: name the gate; there are several in gates/"));
    };
    let name = loaded.gate.name.clone();
    let gate_file = crate::digest::sha256(loaded.source.text().as_bytes());
    let trial = identical_of(&loaded.gate)?;
    let original = std::mem::replace(&mut loaded.gate, trial);
    let lock = args.wait.lock(&loaded.gate.name)?;
    let mut executor = target::open(&loaded.gate.target).map_err(Failure::work)?;
    let mut trials = Trials { args, loaded: &loaded, executor: executor.as_mut() };
    let plan = trials.plan(&loaded.gate)?;
    let host = Host::observe();
    let date = date_of(now());

    let begin = clock::now();
    let mut identical = vec![trials.run(&plan)?];
    let took = begin.elapsed().as_secs_f64();
    let ratios = slowdowns(&loaded.gate);
    let campaigns = args.campaigns.unwrap_or_else(|| fitting(took, ratios.len()));
    let halves = campaigns.div_ceil(2);
    let slowed = if can_be_slowed(&loaded.gate) { ratios.as_slice() } else { &[] };
    print::note(&format!(
        "{campaigns} campaigns with identical sides, {halves} of each of {} slowdowns: about {}",
        slowed.len(),
        duration(took * f64::from(campaigns + halves * u32::try_from(slowed.len()).unwrap_or(0)))
    ));
    while identical.len() < campaigns as usize {
        identical.push(trials.run(&plan)?);
    }
    let mut slowdowns = Vec::new();
    for &ratio in slowed {
        let plan = Plan { slowdown: Some(ratio), ..plan.clone() };
        let mut trial = Trial::default();
        for _ in 0..halves {
            trial.count(&trials.run(&plan)?.1);
        }
        slowdowns.push(Slowdown { ratio, trial });
    }
    let mut trial = Trial::default();
    for (_, analysis) in &identical {
        trial.count(analysis);
    }
    let on_budget = time_bound(&loaded.gate).and_then(|bound| {
        let found = slowdowns.iter().find(|one| (one.ratio - bound).abs() < 1e-12)?;
        Some(OnBudget::of(found.ratio, &found.trial))
    });
    let calibration = Calibration {
        schema: CALIBRATION_SCHEMA.to_owned(),
        gate: name.clone(),
        gate_file,
        profile: plan.profile.name.clone(),
        pairs: plan.profile.pairs,
        cpu_model: host.cpu_model,
        machine: host.machine,
        date,
        identical: trial,
        slowdowns,
        on_budget,
        extra_copy: extra_copy(&mut trials, &original)?,
        budgets: sights(&identical, date).map_err(Failure::work)?,
    };
    drop(lock);
    keep(&args.results, &name, &calibration)?;
    print::data(&match args.format {
        Show::Terminal => text(&calibration, slowed.is_empty()),
        Show::Json => json(&calibration),
    })?;
    Ok(Exit::Proceed)
}

/// The gate with identical sides.
fn identical_of(gate: &Gate) -> Result<Gate, Failure> {
    let trial = identical(gate);
    if trial.hypotheses.is_empty() {
        return Err(Failure::usage(format!(
            "calibrate `{}`: none of its guardrails is a ratio, so that no slowdown can fail it; add `max_ratio` to one",
            gate.name
        )));
    }
    Ok(trial)
}

/// The known slowdowns, and the one that sits on the budget of a time.
fn slowdowns(gate: &Gate) -> Vec<f64> {
    let mut ratios = SLOWDOWNS.to_vec();
    if let Some(bound) = time_bound(gate).filter(|bound| !ratios.iter().any(|ratio| (ratio - bound).abs() < 1e-12)) {
        ratios.push(bound);
        ratios.sort_unstable_by(f64::total_cmp);
    }
    ratios
}

/// The tightest upper bound above 1 on the ratio of a time.
fn time_bound(gate: &Gate) -> Option<f64> {
    let budgets = gate.hypotheses.iter().flat_map(|hypothesis| &hypothesis.guardrails);
    let times = budgets.filter(|budget| budget.metric.unit == Unit::Nanoseconds);
    let bounds = times.filter_map(|budget| match budget.bound {
        Bound::MaxRatio(bound) if bound > 1.0 => Some(bound),
        _ => None,
    });
    bounds.reduce(f64::min)
}

/// Whether the time of an operation is taken here, so that a slowdown can be put into it: not where programs measure
/// their own benches, and not where several clients ask at once.
fn can_be_slowed(gate: &Gate) -> bool {
    let alone =
        |axis: &crate::spec::Axis| axis.name != "clients" || axis.values.iter().all(|value| value.to_string() == "1");
    gate.target.output() == Output::Time && gate.matrix.axes.iter().all(alone)
}

/// The campaigns that fit.
fn fitting(seconds: f64, slowdowns: usize) -> u32 {
    // One with identical sides comes with half of one of each slowdown.
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let fit = WHILE / seconds.max(1e-3) / (1.0 + slowdowns as f64 / 2.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let campaigns = fit as u32;
    campaigns.clamp(1, MOST)
}

/// What runs the campaigns of a trial.
struct Trials<'a> {
    args: &'a Args,
    loaded: &'a Loaded,
    executor: &'a mut dyn Executor,
}

impl Trials<'_> {
    fn plan(&mut self, gate: &Gate) -> Result<Plan, Failure> {
        let selection = Selection {
            profile: self.args.profile.clone(),
            host_cpus: crate::measure::available_cpus(),
            ..Selection::default()
        };
        let mut plan = Plan::new(gate, &selection, digests(self.loaded, self.executor)?).map_err(Failure::usage)?;
        plan.digests.fixtures = fixtures(gate, &plan)?;
        Ok(plan)
    }

    fn run(&mut self, plan: &Plan) -> Result<(Evidence, Analysis), Failure> {
        let start = Start { results: &self.args.results, source: &self.loaded.source, plan };
        let Finished { evidence, analysis, .. } = start.execute(self.executor)?;
        Ok((evidence, analysis))
    }
}

/// Puts a lane with one extra copy against the same without, under the budget that the gate has of allocations.
fn extra_copy(trials: &mut Trials<'_>, gate: &Gate) -> Result<ExtraCopy, Failure> {
    let untried = |detail: &str| Ok(ExtraCopy { caught: None, detail: detail.to_owned() });
    if gate.target != Target::Suite("dashboard".to_owned()) {
        return untried("only the suite `dashboard` has a lane with an extra copy");
    }
    let mut copied = identical(gate);
    for hypothesis in &mut copied.hypotheses {
        WITHOUT_COPY.clone_into(&mut hypothesis.baseline);
        WITH_COPY.clone_into(&mut hypothesis.candidate);
        hypothesis.guardrails.retain(|budget| budget.metric.name == COPIES);
    }
    copied.hypotheses.retain(|hypothesis| !hypothesis.guardrails.is_empty());
    if copied.hypotheses.is_empty() {
        return untried("no guardrail of the gate is a ratio of `rust_heap_bytes`");
    }
    let plan = trials.plan(&copied)?;
    let mut trial = Trial::default();
    trial.count(&trials.run(&plan)?.1);
    Ok(ExtraCopy {
        caught: Some(trial.rejected == 1),
        detail: format!("lane `{WITH_COPY}` against `{WITHOUT_COPY}`, judged by {COPIES}"),
    })
}

fn keep(results: &Path, gate: &str, calibration: &Calibration) -> Result<(), Failure> {
    let folder = results.join(gate);
    let path = folder.join(FILE);
    let written = std::fs::create_dir_all(&folder).and_then(|()| {
        let aside = folder.join(format!("{FILE}.new"));
        std::fs::write(&aside, json(calibration))?;
        std::fs::rename(&aside, &path)
    });
    written.map_err(|error| Failure::work(format!("write `{}`: {error}", path.display())))?;
    print::note(&format!("kept in {}", path.display()));
    Ok(())
}

/// Warns of each budget of the gate that is finer than what it was seen to see on this host.
pub(super) fn warn(results: &Path, loaded: &Loaded) {
    let digest = crate::digest::sha256(loaded.source.text().as_bytes());
    let kept = stored(&results.join(&loaded.gate.name)).filter(|calibration| calibration.gate_file == digest);
    // The host is only looked at where there is something to compare it with.
    let Some(calibration) = kept.filter(|calibration| is_of(calibration, &Host::observe())) else { return };
    for sight in calibration.budgets.iter().filter(|sight| sight.is_too_fine()) {
        print::note(&format!(
            "warning: {}: {} {} in {}, {} = {}, is finer than this host sees with the {} pairs of profile {}: {}",
            loaded.gate.name,
            sight.metric,
            sight.statistic,
            sight.case,
            sight.bound.key(),
            sight.bound.value(),
            calibration.pairs,
            calibration.profile,
            too_fine(sight.passes_80)
        ));
    }
}

/// The calibration among the campaigns of a gate in `folder` that was made on this host, where there is one that can be read.
pub(super) fn of_gate(folder: &Path, host: &Host) -> Option<Calibration> {
    stored(folder).filter(|calibration| is_of(calibration, host))
}

fn stored(folder: &Path) -> Option<Calibration> {
    let text = std::fs::read_to_string(folder.join(FILE)).ok()?;
    let calibration: Calibration = serde_json::from_str(&text).ok()?;
    (calibration.schema == CALIBRATION_SCHEMA).then_some(calibration)
}

fn is_of(calibration: &Calibration, host: &Host) -> bool {
    calibration.cpu_model == host.cpu_model && calibration.machine == host.machine
}

fn text(calibration: &Calibration, unslowed: bool) -> String {
    let Calibration { gate, profile, pairs, identical, .. } = calibration;
    let between = |interval: Option<(f64, f64)>| {
        interval.map_or_else(String::new, |(low, high)| format!(" (95 %: {:.1} to {:.1} %)", 100.0 * low, 100.0 * high))
    };
    let mut text = format!("{gate}, profile {profile}, {pairs} pairs\n\n");
    text.push_str(&format!("identical sides   {} campaigns\n", identical.campaigns));
    text.push_str(&format!("  rejected        {}{}\n", identical.rejected, between(identical.rejected_interval)));
    text.push_str(&format!("  passed          {}{}\n", identical.passed, between(identical.passed_interval)));
    if unslowed {
        text.push_str("\nknown slowdowns   none: these benches are timed by the programs themselves, or by crowds\n");
    } else {
        text.push_str("\nknown slowdowns   campaigns  rejected  passed\n");
    }
    if calibration.budgets.is_empty() && !unslowed {
        text.push_str("  no guardrail is a ratio of what varies from run to run, as times do: a slowdown can't\n  fail this gate\n");
    }
    for Slowdown { ratio, trial } in &calibration.slowdowns {
        let on = calibration.on_budget.as_ref().is_some_and(|on| (on.ratio - ratio).abs() < 1e-12);
        let on = if on { "  on the budget: a pass is false" } else { "" };
        text.push_str(&format!(
            "  {:>+6.1} %       {:>10} {:>9} {:>7}{on}\n",
            100.0 * (ratio - 1.0),
            trial.campaigns,
            trial.rejected,
            trial.passed
        ));
    }
    let caught = match calibration.extra_copy.caught {
        Some(true) => "caught",
        Some(false) => "NOT caught",
        None => "not tried",
    };
    text.push_str(&format!("\nextra copy        {caught}: {}\n", calibration.extra_copy.detail));
    for sight in &calibration.budgets {
        text.push_str(&format!(
            "\n{} {} in {}, {} = {}\n  log ratios of pairs spread by {:.2} %\n  fails with 80 % power from {:.4}, with 95 % from {:.4}\n",
            sight.metric,
            sight.statistic,
            sight.case,
            sight.bound.key(),
            sight.bound.value(),
            100.0 * sight.deviation,
            sight.sees_80,
            sight.sees_95
        ));
        if sight.is_too_fine() {
            let why = print::folded(&format!("too fine for this host: {}", too_fine(sight.passes_80)), 78);
            text.push_str(&format!("  {}\n", why.join("\n  ")));
        }
    }
    text.push_str(&format!("\n{}\n", print::folded(&calibration.quote(), 80).join("\n")));
    text
}

/// What a budget would have to be.
pub(super) fn too_fine(passes: f64) -> String {
    format!("an unchanged candidate passes with 80 % power only at {passes:.4}; loosen it, or take more pairs")
}
