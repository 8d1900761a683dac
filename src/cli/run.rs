//! `gate run`: the main job, from gate files to verdicts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::progress::Progress;
use super::{Exit, Failure, find, print};
use crate::campaign::Campaign;
use crate::digest::sha256;
use crate::evidence::{Attempt, Event, EvidenceError, Folder, Ledger, Provenance, attempts};
use crate::fixture;
use crate::measure::Host;
use crate::plan::{Digests, Plan, Selection};
use crate::report::{self, Style, View};
use crate::spec::{self, Gate, Loaded, Target};
use crate::target::{self, Executor, Lock};
use crate::verdict::{Verdicts, analyse, judge};
use crate::workload;

/// Arguments of `gate run`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Gate files, or names in gates/; none means all
    #[arg(value_name = "GATE")]
    gates: Vec<String>,
    /// How much to measure
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: String,
    /// Only this hypothesis; may be given again
    #[arg(long, value_name = "ID")]
    hypothesis: Vec<String>,
    /// Where campaigns land
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// How to show the verdicts
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Format,
    /// Leave the heavy cases out
    #[arg(long)]
    skip_heavy: bool,
    /// The mildest verdict that fails: with `reject`, revise and deferred exit 0
    #[arg(long, value_name = "VERDICT", default_value = "revise")]
    fail_on: FailOn,
}

/// How to show verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For a person at 80 columns
    Terminal,
    /// For a pull request
    Markdown,
    /// For a program
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Anything but proceed fails
    Revise,
    /// Only a rejection fails
    Reject,
}

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let gates = find::gates(&args.gates)?;
    // Wrong usage is told before anything is built, waited for or written.
    for loaded in &gates {
        expand(args, &loaded.gate, Digests::default())?;
    }
    let lock = Lock::acquire(&names(&gates)).map_err(Failure::work)?;
    let mut exit = Exit::Proceed;
    for loaded in &gates {
        let done = match one(args, loaded, gates.len() > 1) {
            Ok(done) => done,
            // The other gates still have their say; the gravest counts in the end.
            Err(failure) => {
                print::error(&failure.message);
                failure.exit
            }
        };
        exit = exit.max(done);
    }
    drop(lock);
    if args.fail_on == FailOn::Reject && matches!(exit, Exit::Revise | Exit::Deferred) {
        print::note(&format!("exit 0 in place of {}, because of --fail-on reject", exit.code()));
        exit = Exit::Proceed;
    }
    Ok(exit)
}

fn names(gates: &[Loaded]) -> String {
    gates.iter().map(|loaded| loaded.gate.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Makes the target of one gate ready, freezes the plan, and runs it.
fn one(args: &Args, loaded: &Loaded, several: bool) -> Result<Exit, Failure> {
    let mut executor = target::open(&loaded.gate.target).map_err(Failure::work)?;
    let digests = Digests {
        gate_file: sha256(loaded.source.text().as_bytes()),
        executables: executor.digests().map_err(Failure::work)?,
        sources: executor.sources(),
        ..Digests::default()
    };
    let mut plan = expand(args, &loaded.gate, digests)?;
    plan.digests.fixtures = fixtures(&loaded.gate, &plan)?;
    execute(args, loaded, &plan, executor.as_mut(), several)
}

fn expand(args: &Args, gate: &Gate, digests: Digests) -> Result<Plan, Failure> {
    let selection = Selection {
        profile: args.profile.clone(),
        hypotheses: args.hypothesis.clone(),
        skip_heavy: args.skip_heavy,
        host_cpus: crate::measure::available_cpus(),
    };
    Plan::new(gate, &selection, digests).map_err(Failure::usage)
}

/// The digests of the fixtures that the plan's cases need, as the manifest has them.
fn fixtures(gate: &Gate, plan: &Plan) -> Result<BTreeMap<String, String>, Failure> {
    let Target::Suite(suite) = &gate.target else { return Ok(BTreeMap::new()) };
    let mut digests = BTreeMap::new();
    for case in &plan.cases {
        for name in workload::fixtures(suite, case).map_err(Failure::work)? {
            let digest = fixture::digest_of(&name, gate.fixture.null_period).map_err(Failure::work)?;
            digests.insert(name, digest);
        }
    }
    Ok(digests)
}

/// The UTC day of `time`.
pub(super) fn date_of(time: jiff::Timestamp) -> jiff::civil::Date {
    jiff::tz::Offset::UTC.to_datetime(time).date()
}

#[expect(clippy::disallowed_methods, reason = "the command line is where dates come from")]
fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// Runs one gate's campaign and shows its verdicts.
fn execute(
    args: &Args,
    loaded: &Loaded,
    plan: &Plan,
    executor: &mut dyn Executor,
    several: bool,
) -> Result<Exit, Failure> {
    let digest = plan.digest();
    let (folder, started) = folder(&args.results, plan, &digest)?;
    let ledger = Ledger::of(&args.results, &plan.gate);
    let attempt = attempts(&ledger.read().map_err(Failure::work)?, &digest) + 1;
    let entry =
        |state: &str| Attempt { at: now(), plan: digest.clone(), campaign: folder.name(), state: state.to_owned() };
    ledger.append(&entry("started")).map_err(Failure::work)?;
    let finished = conclude(loaded, plan, executor, &folder, started, attempt);
    ledger.append(&entry(if finished.is_ok() { "complete" } else { "failed" })).map_err(Failure::work)?;
    let (view, verdicts) = finished.map_err(|message| {
        Failure::work(format!("{message}\nthe evidence so far is in `{}`", folder.path().display()))
    })?;
    print::data(&rendered(&view, args.format, several))?;
    print::note(&format!("evidence: {}", folder.path().display()));
    Ok(verdicts.gravest().map_or(Exit::Failed, Exit::of))
}

/// A new folder for a campaign that starts now. A folder's name tells the second; where that one is taken, the next is waited for.
fn folder(results: &Path, plan: &Plan, digest: &str) -> Result<(Folder, jiff::Timestamp), Failure> {
    let started = now();
    match Folder::create(results, &plan.gate, started, digest) {
        Err(EvidenceError::Exists { .. }) => {
            std::thread::sleep(std::time::Duration::from_millis(1_100));
            let started = now();
            Folder::create(results, &plan.gate, started, digest).map(|folder| (folder, started))
        }
        created => created.map(|folder| (folder, started)),
    }
    .map_err(Failure::work)
}

/// Plan → evidence → analysis → verdicts, each kept in the folder as it comes, and sealed.
fn conclude(
    loaded: &Loaded,
    plan: &Plan,
    executor: &mut dyn Executor,
    folder: &Folder,
    started: jiff::Timestamp,
    attempt: u32,
) -> Result<(View, Verdicts), String> {
    let provenance = Provenance::new(plan.digest(), started, attempt, Host::observe());
    let keep = |name: &str, bytes: &[u8]| folder.write(name, bytes).map_err(|error| error.to_string());
    keep(gate_file_name(loaded), loaded.source.text().as_bytes())?;
    keep("plan.json", plan.to_json().as_bytes())?;
    keep("provenance.json", json(&provenance).as_bytes())?;
    for (name, text) in executor.keepsakes() {
        keep(&name, text.as_bytes())?;
    }
    print::note(&format!("{}: plan {} frozen, attempt {attempt}", plan.gate, plan.digest()));
    let progress = Progress::new(plan);
    let mut watch = |event: &Event| progress.show(event);
    let campaign = Campaign { plan, attempt, folder, clock: &now, watch: &mut watch };
    let evidence = campaign.execute(executor).map_err(|error| error.to_string())?;
    let date = date_of(started);
    let analysis = analyse(&evidence, date).map_err(|error| error.to_string())?;
    let verdicts = judge(plan, &analysis);
    keep("analysis.json", json(&analysis).as_bytes())?;
    keep("verdict.json", json(&verdicts).as_bytes())?;
    let view = View::new(plan, &provenance, &analysis, &verdicts, &folder.name());
    keep("report.md", report::render(report::Format::Markdown, &view, Style::plain()).as_bytes())?;
    folder.seal().map_err(|error| error.to_string())?;
    Ok((view, verdicts))
}

/// The gate file keeps its format's extension.
const fn gate_file_name(loaded: &Loaded) -> &'static str {
    match loaded.source.format() {
        spec::Format::Toml => "gate.toml",
        spec::Format::Json => "gate.json",
    }
}

fn json(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("evidence is plain data");
    text.push('\n');
    text
}

/// The view in `format`; JSON takes one line a gate where there are several.
pub(super) fn rendered(view: &View, format: Format, several: bool) -> String {
    match format {
        Format::Terminal => {
            report::render(report::Format::Terminal, view, Style { color: print::stdout_has_color(), ..Style::plain() })
        }
        Format::Markdown => report::render(report::Format::Markdown, view, Style::plain()),
        Format::Json if several => report::render(report::Format::JsonLine, view, Style::plain()),
        Format::Json => report::render(report::Format::Json, view, Style::plain()),
    }
}
