//! `gate verify`

use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;

use super::campaign::{date_of, json};
use super::replanned::replanned;
use super::{Exit, Failure, find, print};
use crate::evidence::{
    Event, Evidence, Finish, Folder, Journal, Ledger, Line, Provenance, Replay, read_gate_file, read_json, read_plan,
};
use crate::fixture;
use crate::plan::Plan;
use crate::target::files_like;
use crate::verdict::{self, Analysis, Verdicts, analyse, judge};

/// The format of the JSON document.
const DOCUMENT: &str = "gate.verification/1";

/// The most findings that are told of one check on a terminal.
const TOLD: usize = 10;

/// Arguments of `gate verify`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    campaign: find::Named,
    /// The digest that the campaign must have, as its report or the history tells it
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    expect: Option<String>,
    /// A commit of the repository here that must hold the campaign's gate file
    #[arg(long, value_name = "COMMIT")]
    against: Option<String>,
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Show,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    /// For a person
    Terminal,
    /// For a program
    Json,
}

/// How one check came out.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    /// What was found, where it holds.
    found: Option<String>,
    /// What is wrong, a sentence each; none where it holds.
    wrong: Vec<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    campaign: String,
    digest: Option<String>,
    holds: bool,
    checks: &'a [Check],
}

/// Checks a campaign's evidence without trust in whoever made it; exits 1 where anything does not hold.
pub(super) fn verify(args: &Args) -> Result<Exit, Failure> {
    let path = args.campaign.folder()?;
    let folder = Folder::at(path.clone());
    let digest = folder.digest().ok();
    let mut checks = vec![check("manifest", || manifest(&folder))];
    if let Some(expected) = &args.expect {
        checks.push(check("digest", || expect(expected, digest.as_deref())));
    }
    checks.extend(of_evidence(&path));
    if let Some(commit) = &args.against {
        checks.push(check("against", || against(&path, commit)));
    }
    let holds = checks.iter().all(|check| check.wrong.is_empty());
    let name = path.canonicalize().unwrap_or_else(|_| path.clone());
    let campaign = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    print::data(&match args.format {
        Show::Json => json(&Document { schema: DOCUMENT, campaign, digest, holds, checks: &checks }),
        Show::Terminal => text(&checks, digest.as_deref()),
    })?;
    if holds {
        return Ok(Exit::Proceed);
    }
    let wrong = checks.iter().filter(|check| !check.wrong.is_empty()).count();
    Err(Failure::work(format!("verify campaign `{}`: {wrong} of {} checks fail", path.display(), checks.len())))
}

/// A digest as a report tells it.
fn digest(text: &str) -> Result<String, String> {
    let whole = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if whole {
        Ok(text.to_owned())
    } else {
        Err("expected the whole digest, 64 digits of 0 to 9 and a to f".to_owned())
    }
}

/// What a check finds: a sentence where it holds, else all that is wrong.
type Found = Result<String, Vec<String>>;

fn check(name: &'static str, look: impl FnOnce() -> Found) -> Check {
    match look() {
        Ok(found) => Check { name, found: Some(found), wrong: Vec::new() },
        Err(wrong) => Check { name, found: None, wrong },
    }
}

fn one(error: impl std::fmt::Display) -> Vec<String> {
    vec![error.to_string()]
}

fn manifest(folder: &Folder) -> Found {
    let wrong = folder.differences().map_err(one)?;
    if wrong.is_empty() { Ok("every file is the one that was sealed".to_owned()) } else { Err(wrong) }
}

fn expect(expected: &str, found: Option<&str>) -> Found {
    match found {
        Some(found) if found == expected => Ok("it is the campaign of this digest".to_owned()),
        Some(found) => Err(vec![format!("its digest is {found}, expected {expected}")]),
        None => Err(vec!["it has no MANIFEST.sha256, so that it has no digest".to_owned()]),
    }
}

/// The checks of what is in the folder, as far as one that fails lets the next be made.
fn of_evidence(path: &Path) -> Vec<Check> {
    let mut checks = Vec::new();
    let plan = read_plan(path).map_err(one);
    let provenance = read_json::<Provenance>(path, "provenance.json", Provenance::SCHEMA).map_err(one);
    checks.push(check("plan", || frozen(path, plan.as_ref(), provenance.as_ref())));
    let lines = Journal::read(&path.join("journal.jsonl")).map_err(one);
    checks.push(check("journal", || chained(lines.as_ref())));
    let (Ok(plan), Ok(provenance), Ok(lines)) = (plan, provenance, lines) else { return checks };
    let ended = lines.last().is_some_and(|line| matches!(line.event, Event::Ended(Finish::Complete)));
    checks.push(check("runs", || complete(path, &plan, &provenance, lines)));
    checks.push(check("fixtures", || fixtures(&plan)));
    if !ended {
        // Nothing was concluded from it, and what is wrong has been told.
        checks.push(check("ledger", || ledger(path, &provenance)));
        return checks;
    }
    let evidence = Evidence::load(path).map_err(one);
    checks.push(check("looks", || looks(evidence.as_ref(), &provenance)));
    let again = evidence.and_then(|(evidence, _)| {
        let analysis = analyse(&evidence, date_of(provenance.started)).map_err(one)?;
        let verdicts = judge(&evidence.plan, &analysis);
        Ok((analysis, verdicts))
    });
    checks.push(check("analysis", || analysis(path, again.as_ref())));
    checks.push(check("verdict", || verdicts(path, again.as_ref())));
    checks.push(check("ledger", || ledger(path, &provenance)));
    checks
}

fn frozen(path: &Path, plan: Result<&Plan, &Vec<String>>, provenance: Result<&Provenance, &Vec<String>>) -> Found {
    let (plan, provenance) = match (plan, provenance) {
        (Ok(plan), Ok(provenance)) => (plan, provenance),
        (plan, provenance) => {
            return Err([plan.err(), provenance.err()].into_iter().flatten().flatten().cloned().collect());
        }
    };
    let digest = plan.digest();
    if digest != provenance.plan {
        return Err(vec![format!("plan.json has digest {digest}, and provenance.json tells of {}", provenance.plan)]);
    }
    let name = replanned(path, plan)?;
    Ok(format!("what {name} gives, digest {digest}"))
}

fn chained(lines: Result<&Vec<Line>, &Vec<String>>) -> Found {
    let lines = lines.map_err(Clone::clone)?;
    Ok(format!("{} lines, each chained to the one before it", lines.len()))
}

/// Whether the journal tells of all that the plan asks for, in its order, and of an end.
fn complete(path: &Path, plan: &Plan, provenance: &Provenance, lines: Vec<Line>) -> Found {
    let began = lines.iter().find_map(|line| match &line.event {
        Event::Host(host) => Some(host.clone()),
        _ => None,
    });
    let finished: Vec<String> = lines
        .iter()
        .filter_map(|line| match &line.event {
            Event::RunFinished { id, .. } => Some(id.clone()),
            _ => None,
        })
        .collect();
    let replay = Replay::of(lines, plan, path).map_err(one)?;
    let mut wrong = Vec::new();
    match &replay.finish {
        Some(Finish::Complete) => {}
        Some(Finish::Failed { message }) => wrong.push(format!("it ended without a verdict: {message}")),
        None => {
            let (placed, all) = (replay.placed.len(), plan.runs.len());
            return Err(vec![format!(
                "it has not ended, or its journal has lost its last lines: {placed} of {all} runs are there; `gate resume` goes on"
            )]);
        }
    }
    if began.is_some_and(|host| *host != provenance.host) {
        wrong.push("provenance.json tells of another host than the journal".to_owned());
    }
    if replay.attempt != provenance.attempt {
        wrong.push(format!(
            "it is attempt {} to the journal, {} to provenance.json",
            replay.attempt, provenance.attempt
        ));
    }
    let checks = plan.checks.iter().filter(|check| !replay.checked.contains(&check.id));
    wrong.extend(checks.map(|check| format!("check `{}` of the plan was not done", check.id)));
    let evidence = Evidence { skipped: replay.skipped.clone(), ..Evidence::new(plan.clone()) };
    let pairs = replay.pairs(plan);
    let planned: Vec<&String> =
        plan.runs.iter().filter(|run| run.pair <= pairs && !evidence.leaves_out(run)).map(|run| &run.id).collect();
    let missing = planned.iter().filter(|id| !replay.placed.contains_key(**id));
    wrong.extend(missing.map(|id| format!("run `{id}` of the plan is missing")));
    let surplus = replay.placed.keys().filter(|id| !planned.contains(id));
    wrong.extend(surplus.map(|id| format!("run `{id}` is not of the pairs that there are to be")));
    // Of a run that was thrown away the last take counts.
    let mut order: Vec<&String> = Vec::new();
    for id in &finished {
        order.retain(|known| *known != id);
        order.push(id);
    }
    if wrong.is_empty() && order != planned {
        wrong.push("its runs were finished in another order than the plan's".to_owned());
    }
    if wrong.is_empty() {
        Ok(format!("all {} of {pairs} pairs, in the planned order", planned.len()))
    } else {
        Err(wrong)
    }
}

/// Makes the fixtures anew, and holds them to their digests.
fn fixtures(plan: &Plan) -> Found {
    let mut wrong = Vec::new();
    for (name, expected) in &plan.digests.fixtures {
        let made = fixture::generate(name, plan.fixture.null_period).and_then(|batch| fixture::digest(&batch));
        match made {
            Ok(found) if found == *expected => {}
            Ok(found) => wrong.push(format!("fixture `{name}` has digest {found} when made anew, the plan {expected}")),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    if wrong.is_empty() { Ok(format!("{} made anew, each as it was", plan.digests.fixtures.len())) } else { Err(wrong) }
}

/// Whether each look that was taken ended the campaign where it settled every verdict, and nowhere else.
fn looks(evidence: Result<&(Evidence, Provenance), &Vec<String>>, provenance: &Provenance) -> Found {
    let (evidence, _) = evidence.map_err(Clone::clone)?;
    let plan = &evidence.plan;
    let mut taken = 0;
    let mut wrong = Vec::new();
    for &look in plan.profile.looks.iter().filter(|&&look| look < plan.profile.pairs && look <= evidence.pairs) {
        let then = Evidence { pairs: look, ..evidence.clone() };
        let settled = analyse(&then, date_of(provenance.started)).is_ok_and(|found| judge(plan, &found).are_settled());
        if settled != (look == evidence.pairs) {
            let (found, did) = if settled { ("every", "went on") } else { ("not every", "ended") };
            wrong.push(format!("after {look} pairs {found} verdict was settled, and the campaign {did}"));
        }
        taken += 1;
    }
    match (wrong.is_empty(), taken) {
        (true, 0) if plan.profile.looks.is_empty() => Ok("the plan has none".to_owned()),
        (true, 0) => Ok("none was reached".to_owned()),
        (true, taken) => Ok(format!("{taken} taken, each with the decision that its pairs give")),
        (false, _) => Err(wrong),
    }
}

fn analysis(path: &Path, again: Result<&(Analysis, Verdicts), &Vec<String>>) -> Found {
    let (again, _) = again.map_err(Clone::clone)?;
    let kept: Analysis = read_json(path, "analysis.json", verdict::ANALYSIS_SCHEMA).map_err(one)?;
    if kept != *again {
        return Err(vec!["analysis.json is not what the plan and the samples give".to_owned()]);
    }
    Ok("recomputed from the samples: the same to the bit".to_owned())
}

fn verdicts(path: &Path, again: Result<&(Analysis, Verdicts), &Vec<String>>) -> Found {
    let (_, again) = again.map_err(Clone::clone)?;
    let kept: Verdicts = read_json(path, "verdict.json", verdict::VERDICT_SCHEMA).map_err(one)?;
    if !again.decides_like(&kept) {
        return Err(vec!["verdict.json is not what the plan and the samples give".to_owned()]);
    }
    let verdicts = kept.hypotheses.iter().map(|one| format!("{} {}", one.id, one.verdict.name()));
    Ok(format!("recomputed: {}", verdicts.collect::<Vec<_>>().join(", ")))
}

/// Whether the ledger beside the campaign still tells of its start.
fn ledger(path: &Path, provenance: &Provenance) -> Found {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let attempts = Ledger::beside(&absolute).read().map_err(one)?;
    let Some(line) = &provenance.ledger else { return Ok("kept by a program that did not chain it".to_owned()) };
    if attempts.iter().next().is_none() {
        return Ok("none beside it: the folder was moved or copied".to_owned());
    }
    let Some(start) = attempts.line(line) else {
        return Err(vec!["ledger.jsonl beside it has lost the line that tells of its start".to_owned()]);
    };
    let name = absolute.file_name().unwrap_or_default().to_string_lossy();
    if start.plan != provenance.plan || start.campaign != name {
        return Err(vec![format!(
            "ledger.jsonl beside it tells of its start as `{}` with plan {}",
            start.campaign, start.plan
        )]);
    }
    let of_plan = attempts.at(&provenance.plan);
    Ok(format!("attempt {} of {} at this plan", provenance.attempt, of_plan.len()))
}

/// Whether the gate file is one of the files of `commit`.
fn against(path: &Path, commit: &str) -> Found {
    let (name, _) = read_gate_file(path).map_err(one)?;
    let same = files_like(&path.join(name), commit).map_err(one)?;
    match same.as_slice() {
        [] => Err(vec![format!("no file of {commit} is the gate file of this campaign")]),
        files => Ok(format!("the gate file is {} of {commit}", files.join(" and "))),
    }
}

fn text(checks: &[Check], digest: Option<&str>) -> String {
    let mut text = String::new();
    for Check { name, found, wrong } in checks {
        let more = wrong.len().saturating_sub(TOLD);
        let more = (more > 0).then(|| format!("and {more} more; the JSON document has them all"));
        let sentences = found.iter().chain(wrong.iter().take(TOLD)).chain(&more);
        let state = if found.is_some() { "holds" } else { "FAILS" };
        // A digest of 64 digits fits behind the name, on a terminal of 80 columns.
        for (index, line) in sentences.flat_map(|sentence| print::folded(sentence, 64)).enumerate() {
            let head = if index == 0 { format!("{state}  {name:<8}") } else { " ".repeat(15) };
            text.push_str(&format!("{head} {line}\n"));
        }
    }
    if let Some(digest) = digest {
        text.push_str(&format!("\ndigest {digest}\n"));
    }
    text
}
