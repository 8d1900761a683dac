//! `gate profile`

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::campaign::{json, now};
use super::lock::Wait;
use super::run::{digests, fixtures};
use super::{Exit, Failure, find, print};
use crate::evidence;
use crate::measure::{Host, available_cpus};
use crate::plan::{Digests, Plan, Selection};
use crate::profile::{Choice, Cpu, Flame, Folder, Heap, Kind, Order, Perf, Profiles, Record, choose, pprof, take};
use crate::spec::{Gate, Target};
use crate::target;
use crate::unit::Side;
use crate::worker::Taken;

/// How many functions are shown of a profile.
const SHOWN: usize = 5;

/// Arguments of `gate profile`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A gate file, or a name in gates/
    #[arg(value_name = "GATE")]
    gate: String,
    /// The hypothesis; may be left out where there is only one
    #[arg(long, value_name = "ID")]
    hypothesis: Option<String>,
    /// The side whose lane is profiled
    #[arg(long, value_name = "SIDE", default_value = "candidate")]
    side: Which,
    /// The case, an axis and its value; may be given again
    #[arg(long, value_name = "AXIS=VALUE")]
    case: Vec<String>,
    /// The profile of the gate file whose limits and warm-up hold
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: String,
    /// How long operations are sampled
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Where campaigns and profiles are
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    #[command(flatten)]
    wait: Wait,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// What is there today
    Baseline,
    /// What is proposed
    Candidate,
}

/// Runs one lane in one case under profilers, and keeps what they saw.
pub(super) fn profile(args: &Args) -> Result<Exit, Failure> {
    let gates = find::gates(std::slice::from_ref(&args.gate))?;
    let [loaded] = gates.as_slice() else { return Err(Failure::usage("profile: name one gate")) };
    let gate = &loaded.gate;
    let choice = choose(gate, &args.profile, args.hypothesis.as_deref(), &args.case).map_err(Failure::usage)?;
    let side = match args.side {
        Which::Baseline => Side::Baseline,
        Which::Candidate => Side::Candidate,
    };
    let perf = match gate.target {
        Target::Suite(_) => None,
        Target::Command(_) | Target::Revisions(_) => Some(Perf::find().map_err(Failure::work)?),
    };
    let lock = args.wait.lock(&gate.name)?;
    let started = now();
    let folder = Folder::create(&args.results, &gate.name, started, &choice.hypothesis, side).map_err(Failure::work)?;
    let data = folder.aside("perf.data");
    if let Some(perf) = &perf {
        perf.attempt(&data).map_err(Failure::work)?;
    }
    let mut executor = target::open(&gate.target).map_err(Failure::work)?;
    let held = digests(loaded, executor.as_mut())?;
    let frozen = planned(gate, &args.profile, &held)?;
    let plan = planned(&choice.gate, &args.profile, &held)?;
    let host = Host::observe();
    let order = Order {
        plan: &plan,
        side,
        time_ns: args.seconds * 1_000_000_000,
        perf: perf.as_ref().map(|perf| (perf, data.as_path())),
    };
    let profiles = take(&order, executor.as_mut()).map_err(Failure::work)?;
    drop(lock);
    let lane = plan.matchups.first().map_or("", |matchup| matchup.lane(side)).to_owned();
    let record = Record {
        schema: Record::SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started,
        gate: gate.name.clone(),
        plan: frozen.digest(),
        campaign: campaign(&args.results, &gate.name, &frozen.digests),
        limits: args.profile.clone(),
        hypothesis: choice.hypothesis.clone(),
        side,
        lane,
        case: choice.case.clone(),
        digests: plan.digests.clone(),
        host,
        cpu: cpu(&profiles.cpu, perf.is_some()),
        allocations: profiles.heap.as_ref().map(heap),
        files: std::collections::BTreeMap::new(),
    };
    keep(folder, record, &profiles, &choice)
}

/// A plan of `gate` with the digests that it rests on.
fn planned(gate: &Gate, profile: &str, held: &Digests) -> Result<Plan, Failure> {
    let selection = Selection { profile: profile.to_owned(), host_cpus: available_cpus(), ..Selection::default() };
    let mut plan = Plan::new(gate, &selection, held.clone()).map_err(Failure::usage)?;
    plan.digests.fixtures = fixtures(gate, &plan)?;
    Ok(plan)
}

/// The gate's latest campaign, where it rests on these digests.
fn campaign(results: &Path, gate: &str, digests: &Digests) -> Option<String> {
    let folder = evidence::latest(results, gate).ok()?;
    let plan = evidence::read_plan(&folder).ok()?;
    let same = plan.digests.gate_file == digests.gate_file
        && plan.digests.executables == digests.executables
        && plan.digests.sources == digests.sources;
    same.then(|| folder.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

fn cpu(taken: &Taken, by_perf: bool) -> Cpu {
    let told = &taken.profiled;
    Cpu {
        sampler: if by_perf { "perf" } else { "timer" }.to_owned(),
        operations: told.operations,
        wall_ns: told.wall_ns,
        samples: taken.count(),
        lost: told.lost,
        cpu_ns: if by_perf { taken.weight() } else { told.cpu_ns },
    }
}

fn heap(taken: &Taken) -> Heap {
    let told = &taken.profiled;
    Heap {
        operations: told.operations,
        wall_ns: told.wall_ns,
        allocs: told.heap_allocs,
        bytes: told.heap_bytes,
        lost: told.lost,
    }
}

/// Writes the files, and shows what is in them.
fn keep(mut folder: Folder, mut record: Record, profiles: &Profiles, choice: &Choice) -> Result<Exit, Failure> {
    let title = format!("{} in {}", record.lane, choice.case);
    let about = format!("{}, hypothesis {}, {}", record.gate, record.hypothesis, record.side);
    let mut text = format!("{title}\n{about}\n\n");
    text.push_str(&cpu_line(&record.cpu));
    write(&mut folder, &mut text, ("cpu", Kind::Cpu), &profiles.cpu, &record, (&title, &about))?;
    if let (Some(heap), Some(figures)) = (&profiles.heap, &record.allocations) {
        text.push_str(&heap_line(figures));
        if heap.count() > 0 {
            write(&mut folder, &mut text, ("allocations", Kind::Heap), heap, &record, (&title, &about))?;
        }
    } else {
        print::note(
            "no allocation profile: the allocations of programs are not seen here, only those of suites, by gate's own allocator",
        );
    }
    record.files = folder.files().clone();
    folder.write("profile.json", json(&record).as_bytes()).map_err(Failure::work)?;
    let path = folder.finish().map_err(Failure::work)?;
    print::data(&text)?;
    print::note(&format!("profile: {}", path.display()));
    Ok(Exit::Proceed)
}

fn write(
    folder: &mut Folder,
    text: &mut String,
    (name, kind): (&str, Kind),
    taken: &Taken,
    record: &Record,
    (title, about): (&str, &str),
) -> Result<(), Failure> {
    let flame = Flame::of(taken);
    for share in flame.largest(SHOWN) {
        text.push_str(&format!("  {:>5.1} %  {}\n", 100.0 * share.of_all, shortened(&share.name)));
    }
    let what = match kind {
        Kind::Cpu => cpu_line(&record.cpu),
        Kind::Heap => record.allocations.as_ref().map(heap_line).unwrap_or_default(),
    };
    let svg = flame.to_svg(kind, title, &format!("{about}: {}", what.trim_end()));
    folder.write(&format!("{name}.svg"), svg.as_bytes()).map_err(Failure::work)?;
    let comments = [title.to_owned(), about.to_owned(), format!("plan {}", record.plan)];
    let packed = pprof(taken, kind, record.started, &comments)
        .map_err(|error| Failure::work(format!("write the profile as pprof: {error}")))?;
    folder.write(&format!("{name}.pb.gz"), &packed).map_err(Failure::work)
}

/// The name of a function as a line of 80 columns holds it: of a long one the beginning and the end.
fn shortened(name: &str) -> String {
    const BEGINNING: usize = 28;
    const END: usize = 38;
    let length = name.chars().count();
    if length <= BEGINNING + 1 + END {
        return name.to_owned();
    }
    let [beginning, end]: [String; 2] =
        [name.chars().take(BEGINNING).collect(), name.chars().skip(length - END).collect()];
    format!("{beginning}…{end}")
}

#[expect(clippy::cast_precision_loss, reason = "seconds for people")]
fn cpu_line(cpu: &Cpu) -> String {
    let lost = if cpu.lost == 0 { String::new() } else { format!(", {} lost", cpu.lost) };
    format!(
        "CPU: {} operations in {:.1} s, {} samples{lost} of {:.2} s of CPU time\n",
        cpu.operations,
        cpu.wall_ns as f64 / 1e9,
        cpu.samples,
        cpu.cpu_ns as f64 / 1e9
    )
}

fn heap_line(heap: &Heap) -> String {
    let lost = if heap.lost == 0 { String::new() } else { format!(", {} of them lost", heap.lost) };
    format!("allocations: {} operations, {} bytes in {}{lost}\n", heap.operations, heap.bytes, heap.allocs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(shortened(&"ä".repeat(67)), "ä".repeat(67));
        assert_eq!(
            shortened(&format!("{}{}", "a".repeat(28), "b".repeat(40))),
            format!("{}…{}", "a".repeat(28), "b".repeat(38))
        );
    }
}
