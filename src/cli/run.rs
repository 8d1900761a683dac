//! `gate run`: the main job, from gate files to verdicts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;

use super::campaign::{Format, Start};
use super::check::expired;
use super::lock::Wait;
use super::record::recorded;
use super::{Exit, Failure, calibrate, find, machine, print};
use crate::digest::sha256;
use crate::fixture;
use crate::plan::{Digests, Plan, Selection};
use crate::printable;
use crate::spec::{Gate, Loaded, Target};
use crate::target::{self, Executor};
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
    #[command(flatten)]
    wait: Wait,
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
        calibrate::warn(&args.results, loaded);
        for waiver in expired(&loaded.gate) {
            print::note(&format!("warning: {}", printable::lines(&waiver)));
        }
    }
    machine::name().map_err(Failure::usage)?;
    let lock = args.wait.lock(&names(&gates))?;
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
        // Whoever has stopped one gate has not asked for the next.
        if crate::measure::interrupt::signal().is_some() {
            break;
        }
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
    let mut plan = expand(args, &loaded.gate, digests(loaded, executor.as_mut())?)?;
    plan.digests.fixtures = fixtures(&loaded.gate, &plan)?;
    let start = Start { results: &args.results, source: &loaded.source, plan: &plan };
    start.execute(executor.as_mut())?.show(args.format, several)
}

/// What a plan of the gate rests on, but for the fixtures.
pub(super) fn digests(loaded: &Loaded, executor: &mut dyn Executor) -> Result<Digests, Failure> {
    Ok(Digests {
        gate_file: sha256(loaded.source.text().as_bytes()),
        executables: executor.digests().map_err(Failure::work)?,
        sources: executor.sources(),
        ..Digests::default()
    })
}

fn expand(args: &Args, gate: &Gate, digests: Digests) -> Result<Plan, Failure> {
    let selection = Selection {
        profile: args.profile.clone(),
        hypotheses: args.hypothesis.clone(),
        skip_heavy: args.skip_heavy,
        host_cpus: crate::measure::available_cpus(),
        ..Selection::default()
    };
    let mut plan = Plan::new(gate, &selection, digests.clone()).map_err(Failure::usage)?;
    let recorded = recorded(&args.results, &plan)?;
    if !recorded.is_empty() {
        plan = Plan::new(gate, &Selection { recorded, ..selection }, digests).map_err(Failure::usage)?;
    }
    Ok(plan)
}

/// The digests of the fixtures that the plan's cases need, as the manifest has them.
pub(super) fn fixtures(gate: &Gate, plan: &Plan) -> Result<BTreeMap<String, String>, Failure> {
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
