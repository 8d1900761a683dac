//! `gate confirm`

use super::campaign::{Format, Start};
use super::finished::Stored;
use super::lock::Wait;
use super::run::{digests, fixtures};
use super::size::{duration, inconclusive, seconds_a_pair};
use super::{Exit, Failure, find, machine, print};
use crate::plan::{CONFIRMATION, Confirms, Open, Plan, Selection};
use crate::target;
use crate::verdict::{BudgetResult, Outcome, Sizing};

/// The fewest pairs of a confirmation.
const FEWEST: u32 = 10;

/// Arguments of `gate confirm`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    campaign: find::Named,
    /// Fresh pairs; by default a quarter more than `gate size` says, at least 10
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(5..=1_000))]
    pairs: Option<u32>,
    /// How to show the verdicts
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Format,
    #[command(flatten)]
    wait: Wait,
}

/// Runs a fresh campaign over what another one left inconclusive, which stays as it is.
pub(super) fn confirm(args: &Args) -> Result<Exit, Failure> {
    let stored = Stored::load(&args.campaign)?;
    let budgets = inconclusive(&stored, "confirm")?;
    machine::name().map_err(Failure::usage)?;
    let pilot = &stored.evidence.plan;
    let pairs = match args.pairs {
        Some(pairs) => pairs,
        None => pairs(&budgets)?,
    };
    let file = ["gate.toml", "gate.json"].map(|name| stored.folder.join(name)).into_iter().find(|path| path.is_file());
    let file =
        file.ok_or_else(|| Failure::work(format!("read the gate file in `{}`: there is none", stored.name())))?;
    let mut loaded = find::one(&file)?;
    let found = crate::digest::sha256(loaded.source.text().as_bytes());
    if found != pilot.digests.gate_file {
        return Err(Failure::work(format!(
            "confirm campaign `{}`: its gate file has SHA-256 {found}, and its plan was made from {}",
            stored.name(),
            pilot.digests.gate_file
        )));
    }
    let open: Vec<Open> = stored
        .analysis
        .hypotheses
        .iter()
        .flat_map(|one| one.budgets.iter().map(|budget| (one.id.clone(), budget)))
        .filter(|(_, budget)| budget.outcome == Some(Outcome::Inconclusive) && !budget.unpaired)
        .map(|(hypothesis, budget)| of_budget(hypothesis, budget))
        .collect();
    if open.is_empty() {
        return Err(Failure::usage(format!(
            "confirm campaign `{}`: what it left inconclusive has a recorded baseline, and no number of runs pairs them; name a baseline that is run",
            stored.name()
        )));
    }
    let confirms = Confirms { campaign: stored.name(), plan: pilot.digest(), open };
    loaded.gate = confirms.gate(&loaded.gate, &pilot.profile, pairs);
    let lock = args.wait.lock(&loaded.gate.name)?;
    let mut executor = target::open(&loaded.gate.target).map_err(Failure::work)?;
    let selection = Selection {
        profile: CONFIRMATION.to_owned(),
        host_cpus: crate::measure::available_cpus(),
        ..Selection::default()
    };
    let mut plan = Plan::new(&loaded.gate, &selection, digests(&loaded, executor.as_mut())?).map_err(Failure::usage)?;
    plan.digests.fixtures = fixtures(&loaded.gate, &plan)?;
    if plan.digests.executables != pilot.digests.executables || plan.digests.sources != pilot.digests.sources {
        return Err(Failure::work(format!(
            "confirm campaign `{}`: what would be executed is not what it executed; run the gate anew",
            stored.name()
        )));
    }
    plan.confirms = Some(confirms);
    let took = seconds_a_pair(&stored)? * f64::from(pairs);
    print::note(&format!(
        "confirms `{}` with {pairs} fresh pairs, at most about {}; its own verdict stays as it was",
        stored.name(),
        duration(took)
    ));
    let start = Start { results: &args.campaign.results, source: &loaded.source, plan: &plan };
    let exit = start.execute(executor.as_mut())?.show(args.format, false);
    drop(lock);
    exit
}

/// A quarter more than the largest size, because the spread of the pilot's pairs is itself an estimate; even, so that
/// both orders have as many.
fn pairs(budgets: &[Sizing]) -> Result<u32, Failure> {
    let needed = budgets.iter().filter_map(Sizing::needed).max().ok_or_else(|| {
        let reason = budgets.iter().find_map(|budget| budget.reason.clone()).unwrap_or_default();
        Failure::usage(format!("size the confirmation: {reason}; name the pairs with --pairs to run it all the same"))
    })?;
    Ok((needed + needed.div_ceil(4)).next_multiple_of(2).clamp(FEWEST, 1_000))
}

fn of_budget(hypothesis: String, budget: &BudgetResult) -> Open {
    Open {
        hypothesis,
        metric: budget.metric.clone(),
        statistic: budget.statistic,
        case: budget.case.clone(),
        pairs: budget.pairs,
        ratio: budget.ratio.or(budget.value),
        low: budget.low,
        high: budget.high,
    }
}
