//! Whether a campaign's plan is what its gate file asks for.

use std::path::Path;

use crate::digest::sha256;
use crate::evidence::read_gate_file;
use crate::plan::{CONFIRMATION, LeftOut, Plan, Selection, is_trial, recording};
use crate::spec::{self, Format, Gate};

/// What a plan says beside the gate file: on what it was made, or by which program.
const ITS_OWN: [&str; 5] = ["digests", "diagnostics", "slowdown", "confirms", "recorded"];

/// Holds `plan`, of the campaign in `folder`, to the gate file beside it, and gives the gate file's name.
///
/// The gate file must be the one of the plan's digest, and expanded again as the plan was selected from it must give the same
/// plan. The trials of `gate calibrate` are made by rules of their own: of them the digest is held alone.
///
/// # Errors
///
/// What differs, a sentence each.
pub(super) fn replanned(folder: &Path, plan: &Plan) -> Result<&'static str, Vec<String>> {
    let one = |text: String| vec![text];
    let (name, bytes) = read_gate_file(folder).map_err(|error| one(error.to_string()))?;
    let found = sha256(&bytes);
    if found != plan.digests.gate_file {
        return Err(one(format!("{name} has SHA-256 {found}, and its plan was made from {}", plan.digests.gate_file)));
    }
    if is_trial(&plan.gate) {
        return Ok(name);
    }
    let format = if name == "gate.json" { Format::Json } else { Format::Toml };
    let gate = spec::parse(name, &String::from_utf8_lossy(&bytes), format)
        .map_err(|error| one(format!("{name} is no gate file for this program: {}", error.render(false))))?
        .gate;
    // A confirmation does not tell the profile of the campaign that it confirms.
    let gates: Vec<Gate> = match &plan.confirms {
        Some(confirms) => {
            gate.profiles.iter().map(|profile| confirms.gate(&gate, profile, plan.profile.pairs)).collect()
        }
        None if plan.records => vec![recording(&gate)],
        None => vec![gate],
    };
    let mut wrong: Vec<String> = Vec::new();
    for gate in &gates {
        let differing = match Plan::new(gate, &selection(plan), plan.digests.clone()) {
            Ok(again) => differing(plan, &again),
            Err(error) => vec![error.to_string()],
        };
        if differing.is_empty() {
            return Ok(name);
        }
        wrong = differing;
    }
    Err(wrong.into_iter().map(|what| format!("plan.json is not what {name} gives: {what} is another")).collect())
}

/// What was selected, as far as the plan shows it.
fn selection(plan: &Plan) -> Selection {
    let needed = |case: usize| {
        let axis = plan.cases[case].integer("cpus").and_then(|cpus| u32::try_from(cpus).ok());
        axis.or(plan.profile.cpus).unwrap_or(1)
    };
    let lacked = plan.left_out.iter().filter(|(_, why)| **why == LeftOut::Cpus).map(|(case, _)| needed(*case)).min();
    Selection {
        profile: if plan.confirms.is_some() { CONFIRMATION.to_owned() } else { plan.profile.name.clone() },
        hypotheses: plan.hypotheses.iter().map(|planned| planned.hypothesis.id.clone()).collect(),
        skip_heavy: plan.left_out.values().any(|why| *why == LeftOut::Heavy),
        host_cpus: lacked.map_or(u32::MAX, |cpus| cpus.saturating_sub(1)),
        recorded: plan.recorded.clone(),
        records: plan.records,
    }
}

/// The parts in which two plans differ, but for what is a plan's own.
fn differing(plan: &Plan, again: &Plan) -> Vec<String> {
    let [plan, again] = [plan, again].map(|plan| serde_json::to_value(plan).expect("a plan is plain data"));
    let parts = plan.as_object().into_iter().chain(again.as_object()).flat_map(serde_json::Map::keys);
    let mut differing: Vec<String> = parts
        .filter(|part| !ITS_OWN.contains(&part.as_str()) && plan.get(part.as_str()) != again.get(part.as_str()))
        .map(|part| format!("`{part}`"))
        .collect();
    differing.dedup();
    differing.sort();
    differing.dedup();
    differing
}
