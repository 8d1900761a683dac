//! `gate check`

use std::path::Path;
use std::time::Duration;

use super::{Exit, Failure, calibrate, find, print};
use crate::plan::{Digests, Plan, Selection, Size};
use crate::spec::{Gate, Grade};

/// Arguments of `gate check`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Gate files, or names in gates/; none means all
    #[arg(value_name = "GATE")]
    gates: Vec<String>,
}

pub(super) fn check(args: &Args) -> Result<Exit, Failure> {
    let mut text = String::new();
    for loaded in find::gates(&args.gates)? {
        calibrate::warn(Path::new("results"), &loaded);
        text.push_str(&describe(&loaded.gate)?);
    }
    print::data(&text)?;
    Ok(Exit::Proceed)
}

fn describe(gate: &Gate) -> Result<String, Failure> {
    let mut text = format!("{}: {}\n", gate.name, gate.title);
    for hypothesis in &gate.hypotheses {
        text.push_str(&format!(
            "  {}: {} against {}, {}, {}, {}\n",
            hypothesis.id,
            hypothesis.candidate,
            hypothesis.baseline,
            counted(hypothesis.correctness.len(), "check"),
            counted(hypothesis.benefits.len(), "benefit"),
            counted(hypothesis.guardrails.len(), "guardrail"),
        ));
    }
    for profile in &gate.profiles {
        // What is recorded here changes from day to day; what a recording runs is what a comparison with it runs.
        let selection =
            Selection { profile: profile.name.clone(), host_cpus: u32::MAX, records: true, ..Selection::default() };
        let plan = Plan::new(gate, &selection, Digests::default()).map_err(Failure::usage)?;
        let size = Size::of(&plan);
        let grade = match profile.grade {
            Grade::Preliminary => "preliminary",
            Grade::Comparison => "comparison",
        };
        text.push_str(&format!(
            "  profile {}: {grade}, {}, {}, {} and {}, at least {}\n",
            profile.name,
            counted(size.cases, "case"),
            counted(size.pairs as usize, "pair"),
            counted(size.runs, "run"),
            counted(size.checks, "check process"),
            rough(size.at_least),
        ));
    }
    Ok(text)
}

/// A number and what is counted, in the plural where it is not one.
fn counted(number: usize, what: &str) -> String {
    let plural = match what {
        _ if number == 1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{number} {what}{plural}")
}

fn rough(time: Duration) -> String {
    match time.as_secs() {
        0..=119 => format!("{} s", time.as_secs().max(1)),
        120..=7_199 => format!("{} min", time.as_secs().div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3_600)),
    }
}
