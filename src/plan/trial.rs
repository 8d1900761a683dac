//! From a gate to the one that tries it: the baseline on both sides.

use crate::spec::{Gate, Hypothesis, Target};

/// `gate` with its baseline on both sides, judged by its ratio guardrails alone, waivers left out. A hypothesis without one,
/// or with a recorded baseline, is left out; without any hypothesis nothing of the gate can fail a slowdown.
#[must_use]
pub fn identical(gate: &Gate) -> Gate {
    let mut trial = gate.clone();
    // What a trial leaves is no campaign of the gate.
    trial.name = trial_name(&gate.name);
    match &mut trial.target {
        Target::Suite(_) => {}
        Target::Command(command) => command.candidate = command.baseline.clone(),
        Target::Revisions(revisions) => revisions.candidate = revisions.baseline.clone(),
    }
    // What is not run can't be put on both sides.
    trial.hypotheses.retain(|hypothesis| !hypothesis.baseline_is_recorded());
    let is_suite = matches!(trial.target, Target::Suite(_));
    trial.hypotheses = trial
        .hypotheses
        .iter()
        .map(|hypothesis| {
            let mut guardrails = hypothesis.guardrails.clone();
            guardrails.retain(|budget| budget.bound.is_ratio());
            for budget in &mut guardrails {
                budget.waiver = None;
            }
            let candidate = if is_suite { &hypothesis.baseline } else { &hypothesis.candidate };
            Hypothesis {
                candidate: candidate.clone(),
                correctness: Vec::new(),
                benefits: Vec::new(),
                guardrails,
                reports: Vec::new(),
                ..hypothesis.clone()
            }
        })
        .filter(|hypothesis| !hypothesis.guardrails.is_empty())
        .collect();
    trial
}

/// What the name of a gate ends with that is on trial.
const END: &str = ".calibration";

/// Whether the gate called `name` is one on trial: what its campaigns measure is known, and no news.
#[must_use]
pub fn is_trial(name: &str) -> bool {
    name.ends_with(END)
}

/// What the campaigns of a trial of the gate called `name` are called.
fn trial_name(name: &str) -> String {
    // A gate's name has at most 64 characters, all of them ASCII.
    format!("{}{END}", &name[..name.len().min(64 - END.len())])
}
