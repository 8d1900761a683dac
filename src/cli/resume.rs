//! `gate resume`

use std::path::Path;

use super::campaign::{Finished, Format, Underway};
use super::finished::Stored;
use super::lock::Wait;
use super::replanned::replanned;
use super::{Exit, Failure, find};
use crate::evidence::history;
use crate::evidence::{Finish, Folder, Journal, Ledger, Provenance, Replay, State, read_json, read_plan};
use crate::measure::Host;
use crate::plan::{Digests, is_trial};
use crate::target;

/// Arguments of `gate resume`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    campaign: find::Named,
    /// How to show the verdicts
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Format,
    #[command(flatten)]
    wait: Wait,
}

/// Goes on with a campaign by its own plan, on the host and with the executables that it was begun with.
pub(super) fn resume(args: &Args) -> Result<Exit, Failure> {
    let path = args.campaign.folder()?;
    let path = path.canonicalize().unwrap_or(path);
    let plan = read_plan(&path).map_err(Failure::work)?;
    let provenance: Provenance = read_json(&path, "provenance.json", Provenance::SCHEMA).map_err(Failure::work)?;
    let name = path.display();
    let refused = |why: &str| Failure::work(format!("resume campaign `{name}`: {why}; run the gate anew"));
    if provenance.plan != plan.digest() {
        return Err(refused("its plan.json is not the plan that it was begun with"));
    }
    replanned(&path, &plan).map_err(|wrong| refused(&wrong.join("; ")))?;
    if Folder::at(path.clone()).digest().is_ok() {
        return complete(args, &path);
    }
    // A journal that can't be gone on with is told of before anything is built or written.
    let journal = path.join("journal.jsonl");
    if !journal.is_file() {
        return Err(refused("it has no journal, so that nothing of it was done"));
    }
    let lines = Journal::unfinished(&journal).map_err(Failure::work)?;
    if let Some(Finish::Failed { message }) = Replay::of(lines, &plan, &path).map_err(Failure::work)?.finish {
        return Err(refused(&format!("it has failed, and would fail again: {message}")));
    }
    let lock = args.wait.lock(&plan.gate)?;
    let host = Host::observe();
    let moved = provenance.host.differences(&host);
    if !moved.is_empty() {
        return Err(refused(&format!("it may only go on where it was begun, and {}", moved.join(", "))));
    }
    let mut executor = target::open(&plan.target).map_err(Failure::work)?;
    let found = Digests {
        executables: executor.digests().map_err(Failure::work)?,
        sources: executor.sources(),
        ..plan.digests.clone()
    };
    let changed: Vec<&String> = plan
        .digests
        .executables
        .iter()
        .chain(&plan.digests.sources)
        .filter(|(label, digest)| found.executables.get(*label).or_else(|| found.sources.get(*label)) != Some(digest))
        .map(|(label, _)| label)
        .collect();
    if let Some(label) = changed.first() {
        return Err(refused(&format!("`{label}` is not what its plan was made for")));
    }
    let ledger = Ledger::beside(&path);
    let lines = ledger.read().map_err(Failure::work)?;
    let start = provenance.ledger.as_ref().map(|line| lines.line(line));
    if start.is_some_and(|start| start.is_none_or(|start| start.plan != provenance.plan)) {
        return Err(refused("the ledger beside it tells of another start"));
    }
    let attempts = lines.at(&provenance.plan);
    let own = attempts
        .iter()
        .position(|(campaign, _)| path.ends_with(campaign))
        .ok_or_else(|| refused("the ledger beside it does not know it"))?;
    // Whoever has seen another attempt's numbers may not choose which of the two to finish.
    if let Some((later, state)) = attempts.get(own + 1) {
        return Err(refused(&format!("`{later}` was begun after it by the same plan, and is {}", state.fate())));
    }
    let folder = Folder::reopen(path.clone()).map_err(Failure::work)?;
    let results = path.ancestors().nth(2).unwrap_or(&path);
    let campaign = Underway { plan: &plan, folder: &folder, ledger: &ledger, results };
    campaign.record(State::Resumed)?;
    let finished = campaign.through(&host, &provenance, |campaign| campaign.resume(executor.as_mut()))?;
    drop(lock);
    finished.show(args.format, false)
}

/// Adds what a campaign that is sealed still lacks in the ledger and the history; where nothing is lacking, there is nothing to do.
fn complete(args: &Args, path: &Path) -> Result<Exit, Failure> {
    let name = path.display();
    let stored = Stored::load(&args.campaign)?;
    let digest = Folder::at(path.to_owned()).digest().map_err(Failure::work)?;
    let ledger = Ledger::beside(path);
    let (plan, results) = (stored.evidence.plan.clone(), path.ancestors().nth(2).unwrap_or(path));
    let campaign = stored.name();
    let attempts = ledger.read().map_err(Failure::work)?;
    let is_closed = attempts.at(&plan.digest()).contains(&(campaign.as_str(), State::Complete));
    let lines = history::read(&history::of(results)).map_err(Failure::work)?;
    let is_known = is_trial(&plan.gate) || lines.iter().any(|line| line.digest == digest);
    if is_closed && is_known {
        return Err(Failure::usage(format!(
            "resume campaign `{name}`: it is complete and sealed; `gate report {name}` shows it"
        )));
    }
    let folder = Folder::at(path.to_owned());
    let underway = Underway { plan: &plan, folder: &folder, ledger: &ledger, results };
    if !is_closed {
        underway.record(State::Complete)?;
    }
    let provenance = stored.provenance.clone();
    let finished = Finished::from(stored);
    if !is_known {
        underway.remember(&finished, &provenance).map_err(Failure::work)?;
    }
    finished.show(args.format, false)
}
