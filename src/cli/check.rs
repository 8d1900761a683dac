//! `gate check`

use std::path::Path;
use std::time::Duration;

use super::campaign::{date_of, now};
use super::{Exit, Failure, calibrate, find, print};
use crate::plan::{Digests, Plan, Selection, Size};
use crate::printable;
use crate::spec::{Gate, Grade};
use crate::verdict;

/// Arguments of `gate check`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Gate files, or names in gates/; none means all
    #[arg(value_name = "GATE")]
    gates: Vec<String>,
}

pub(super) fn check(args: &Args) -> Result<Exit, Failure> {
    let mut text = String::new();
    let mut ran_out = Vec::new();
    for loaded in find::gates(&args.gates)? {
        ran_out.extend(expired(&loaded.gate));
        calibrate::warn(Path::new("results"), &loaded);
        text.push_str(&describe(&loaded.gate)?);
    }
    print::data(&printable::lines(&text))?;
    if ran_out.is_empty() { Ok(Exit::Proceed) } else { Err(Failure::usage(ran_out.join("\n"))) }
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
        text.push_str(&looks(&plan)?);
    }
    Ok(text)
}

/// What each look of a plan may decide.
fn looks(plan: &Plan) -> Result<String, Failure> {
    let mut text = String::new();
    for look in verdict::looks(plan, plan.profile.pairs).map_err(Failure::usage)? {
        let level = look.alpha.map_or_else(
            || {
                format!(
                    "nothing can be decided: the level is {:.4} %, and no p of so few is as small",
                    100.0 * look.level
                )
            },
            |alpha| format!("an end of an interval may err with {:.2} %", 100.0 * alpha.as_f64()),
        );
        text.push_str(&format!("    after {} pairs {level}\n", look.pairs));
    }
    Ok(text)
}

/// The waivers of a gate that have run out, a sentence each.
pub(super) fn expired(gate: &Gate) -> Vec<String> {
    let today = date_of(now());
    let budgets = gate.hypotheses.iter().flat_map(|one| one.guardrails.iter().map(move |budget| (one, budget)));
    let waived = budgets.filter_map(|(one, budget)| Some((one, budget, budget.waiver.as_ref()?)));
    waived
        .filter(|(.., waiver)| waiver.until < today)
        .map(|(one, budget, waiver)| {
            format!(
                "gate `{}`, hypothesis `{}`: the waiver of {} {}, approved by {}, ran out on {}: renew it, or remove it and mend what it covered",
                gate.name, one.id, budget.metric.name, budget.statistic, waiver.approved_by, waiver.until
            )
        })
        .collect()
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
