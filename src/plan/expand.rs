//! From a gate and a selection to a plan.

use std::collections::{BTreeMap, BTreeSet};

use super::order::first_sides;
use super::{Digests, LeftOut, Matchup, Plan, PlannedCheck, PlannedHypothesis, PlannedRun, Recorded, SCHEMA};
use crate::program::Stdout;
use crate::spec::{Benefit, COUNTED_OPERATIONS, Gate, Profile, Selector};
use crate::unit::{AxisValue, Case, Metric, Scope, Side};
use crate::workload::catalogue::Suite;

/// What of a gate is to be run, and on what.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The profile's name.
    pub profile: String,
    /// The ids of the hypotheses; none means all.
    pub hypotheses: Vec<String>,
    /// Whether heavy cases are left out.
    pub skip_heavy: bool,
    /// Logical CPUs of the host.
    pub host_cpus: u32,
    /// The recorded baselines, by hypothesis.
    pub recorded: BTreeMap<String, Recorded>,
    /// Whether the campaign itself records a baseline.
    pub records: bool,
}

/// Why a plan can't be made.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The gate has no such profile.
    #[error("profile `{name}` is not in gate `{gate}`; it has {known}: name one of them with --profile")]
    NoSuchProfile {
        /// The profile asked for.
        name: String,
        /// The gate.
        gate: String,
        /// The profiles that it has.
        known: String,
    },
    /// The gate has no such hypothesis.
    #[error("hypothesis `{id}` is not in gate `{gate}`; it has {known}: name one of them with --hypothesis")]
    NoSuchHypothesis {
        /// The id asked for.
        id: String,
        /// The gate.
        gate: String,
        /// The ids that it has.
        known: String,
    },
    /// This program does not have the suite.
    #[error("suite `{0}` is not in this version of gate")]
    NoSuchSuite(String),
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Plan {
    /// Expands `gate` as `selection` says; the digests say what it rests on.
    ///
    /// # Errors
    ///
    /// A profile, hypothesis or suite that is not there.
    pub fn new(gate: &Gate, selection: &Selection, digests: Digests) -> Result<Self, PlanError> {
        let profile = find_profile(gate, &selection.profile)?;
        let suite_name = gate.target.suite();
        let suite = Suite::find(suite_name).ok_or_else(|| PlanError::NoSuchSuite(suite_name.to_owned()))?;
        let all = cases(gate);
        let mut plan = Self {
            schema: SCHEMA.to_owned(),
            gate: gate.name.clone(),
            title: gate.title.clone(),
            target: gate.target.clone(),
            fixture: gate.fixture,
            profile: profile.clone(),
            analysis: gate.analysis.clone(),
            cases: Vec::new(),
            left_out: BTreeMap::new(),
            matchups: Vec::new(),
            contracts: BTreeMap::new(),
            hypotheses: Vec::new(),
            checks: Vec::new(),
            runs: Vec::new(),
            counted: COUNTED_OPERATIONS,
            metrics: suite.metrics.to_vec(),
            diagnostics: true,
            slowdown: None,
            confirms: None,
            recorded: selection.recorded.clone(),
            records: selection.records,
            digests,
        };
        plan.add_hypotheses(gate, selection, &all)?;
        plan.add_reported();
        for (index, case) in plan.cases.iter().enumerate() {
            if selection.skip_heavy && gate.matrix.heavy.iter().any(|heavy| heavy.matches(case)) {
                plan.left_out.insert(index, LeftOut::Heavy);
            } else if cpus(profile, case) > selection.host_cpus {
                plan.left_out.insert(index, LeftOut::Cpus);
            }
        }
        plan.add_contracts(suite);
        plan.add_checks(suite);
        plan.add_runs(&gate.matrix.within_run);
        Ok(plan)
    }

    fn add_hypotheses(&mut self, gate: &Gate, selection: &Selection, all: &[Case]) -> Result<(), PlanError> {
        for id in &selection.hypotheses {
            if !gate.hypotheses.iter().any(|hypothesis| hypothesis.id == *id) {
                return Err(PlanError::NoSuchHypothesis {
                    id: id.clone(),
                    gate: gate.name.clone(),
                    known: list(gate.hypotheses.iter().map(|hypothesis| hypothesis.id.as_str())),
                });
            }
        }
        let chosen: Vec<_> = gate
            .hypotheses
            .iter()
            .filter(|hypothesis| selection.hypotheses.is_empty() || selection.hypotheses.contains(&hypothesis.id))
            .collect();
        self.cases = all
            .iter()
            .filter(|case| chosen.iter().any(|one| one.cases.without_benches().matches(case)))
            .cloned()
            .collect();
        for hypothesis in chosen {
            let matchup = Matchup { baseline: hypothesis.baseline.clone(), candidate: hypothesis.candidate.clone() };
            let position = self.matchups.iter().position(|known| *known == matchup).unwrap_or_else(|| {
                self.matchups.push(matchup);
                self.matchups.len() - 1
            });
            self.hypotheses.push(PlannedHypothesis {
                matchup: position,
                cases: indices(&self.cases, &hypothesis.cases.without_benches()),
                hypothesis: hypothesis.clone(),
            });
        }
        Ok(())
    }

    /// The metrics that a program reports itself are those that the hypotheses name.
    fn add_reported(&mut self) {
        let named: Vec<Metric> =
            self.hypotheses.iter().flat_map(|planned| planned.hypothesis.metrics()).cloned().collect();
        for metric in named.into_iter().filter(|metric| metric.scope == Scope::Reported) {
            if !self.metrics.iter().any(|known| known.name == metric.name) {
                self.metrics.push(metric);
            }
        }
    }

    /// Indices of the cases of a matchup that are measured.
    fn measured(&self, matchup: usize) -> Vec<usize> {
        let wanted: BTreeSet<usize> = self
            .hypotheses
            .iter()
            .filter(|planned| planned.matchup == matchup)
            .flat_map(|planned| planned.cases.iter().copied().filter(|&case| !self.lacks_baseline(planned, case)))
            .filter(|case| !self.left_out.contains_key(case))
            .collect();
        wanted.into_iter().collect()
    }

    fn add_contracts(&mut self, suite: &Suite) {
        let names = self.matchups.iter().flat_map(|matchup| matchup.sides().iter().map(|&side| matchup.lane(side)));
        let contract = |lane: &str| -> Vec<String> {
            let contract = suite.lane(lane).map_or(&[][..], |lane| lane.contract);
            let checks = suite.checks.iter().map(|check| check.name).filter(|check| contract.contains(check));
            checks.filter(|check| self.expects(lane, check)).map(str::to_owned).collect()
        };
        self.contracts = names.map(|lane| (lane.to_owned(), contract(lane))).collect();
    }

    /// Whether there is anything that `check` could hold a lane to: of a program the gate file says what it answers.
    fn expects(&self, lane: &str, check: &str) -> bool {
        let Some(expect) = self.target.expect() else { return true };
        match check {
            "stdout" => match &expect.stdout {
                None => false,
                // The baseline's is what the candidate's is held to.
                Some(Stdout::Same) => lane != Side::Baseline.name(),
                Some(Stdout::Sha256(_)) => true,
            },
            "lines" => expect.lines.is_some(),
            _ => true,
        }
    }

    /// One process for each lane and number of CPUs: its contract, and what the hypotheses ask of it.
    fn add_checks(&mut self, suite: &Suite) {
        let mut wanted: BTreeMap<(String, u32), (BTreeSet<usize>, BTreeSet<String>)> = BTreeMap::new();
        for (index, matchup) in self.matchups.iter().enumerate() {
            for &side in matchup.sides() {
                let lane = matchup.lane(side);
                for case in self.measured(index) {
                    let entry = wanted.entry((lane.to_owned(), cpus(&self.profile, &self.cases[case]))).or_default();
                    entry.0.insert(case);
                    entry.1.extend(self.asked_of(index, side));
                    entry.1.extend(self.contract(lane).iter().cloned());
                }
            }
        }
        for ((lane, cpus), (cases, asked)) in wanted {
            // The catalogue's order is the order in which a reader expects to see them.
            let checks =
                suite.checks.iter().map(|check| check.name.to_owned()).filter(|name| asked.contains(name)).collect();
            let id = unique(&format!("check-{}", slug(&lane)), self.checks.iter().map(|check| check.id.as_str()));
            self.checks.push(PlannedCheck { id, lane, cpus, cases: cases.into_iter().collect(), checks });
        }
    }

    /// The checks that the hypotheses of a matchup ask of one side.
    fn asked_of(&self, matchup: usize, side: Side) -> Vec<String> {
        let mut asked = Vec::new();
        for planned in self.hypotheses.iter().filter(|planned| planned.matchup == matchup) {
            if side == Side::Candidate {
                asked.extend(planned.hypothesis.correctness.iter().map(|check| check.check.clone()));
            }
            asked.extend(planned.hypothesis.benefits.iter().filter_map(|benefit| match benefit {
                Benefit::Capability(check) => Some(check.check.clone()),
                Benefit::Budget(_) => None,
            }));
        }
        asked
    }

    /// Pair by pair, and in each pair case by case, so that both sides of a case see the same hour.
    fn add_runs(&mut self, within_run: &[String]) {
        let groups: Vec<(usize, Vec<usize>)> = (0..self.matchups.len())
            .flat_map(|matchup| {
                group(&self.cases, &self.measured(matchup), within_run).into_iter().map(move |cases| (matchup, cases))
            })
            .collect();
        let mut taken = BTreeSet::new();
        let names: Vec<String> = groups
            .iter()
            .map(|(matchup, cases)| {
                let name = name_of(*matchup, &self.cases[cases[0]], within_run);
                let name = unique(&name, taken.iter().map(String::as_str));
                taken.insert(name.clone());
                name
            })
            .collect();
        for (pair, first) in (1..).zip(first_sides(&self.profile)) {
            let sides = match first {
                Side::Baseline => [Side::Baseline, Side::Candidate],
                Side::Candidate => [Side::Candidate, Side::Baseline],
            };
            for ((matchup, cases), name) in groups.iter().zip(&names) {
                let run = self.matchups[*matchup].sides();
                for side in sides.into_iter().filter(|side| run.contains(side)) {
                    self.runs.push(PlannedRun {
                        id: format!("p{pair:02}-{side}-{name}"),
                        pair,
                        side,
                        matchup: *matchup,
                        cpus: cpus(&self.profile, &self.cases[cases[0]]),
                        cases: cases.clone(),
                    });
                }
            }
        }
    }
}

pub(super) fn find_profile<'a>(gate: &'a Gate, name: &str) -> Result<&'a Profile, PlanError> {
    gate.profiles.iter().find(|profile| profile.name == name).ok_or_else(|| PlanError::NoSuchProfile {
        name: name.to_owned(),
        gate: gate.name.clone(),
        known: list(gate.profiles.iter().map(|profile| profile.name.as_str())),
    })
}

/// Every combination of the axes that is not excluded; the last axis varies fastest.
pub(super) fn cases(gate: &Gate) -> Vec<Case> {
    let mut combinations: Vec<Vec<(String, AxisValue)>> = vec![Vec::new()];
    for axis in &gate.matrix.axes {
        combinations = combinations
            .iter()
            .flat_map(|axes| {
                axis.values.iter().map(move |value| {
                    let mut axes = axes.clone();
                    axes.push((axis.name.clone(), value.clone()));
                    axes
                })
            })
            .collect();
    }
    combinations
        .into_iter()
        .map(Case::new)
        .filter(|case| !gate.matrix.exclude.iter().any(|exclude| exclude.matches(case)))
        .collect()
}

fn indices(cases: &[Case], selector: &Selector) -> Vec<usize> {
    cases.iter().enumerate().filter(|(_, case)| selector.matches(case)).map(|(index, _)| index).collect()
}

/// CPUs of a case: its axis, else the profile's, else one.
fn cpus(profile: &Profile, case: &Case) -> u32 {
    case.integer("cpus").and_then(|cpus| u32::try_from(cpus).ok()).or(profile.cpus).unwrap_or(1)
}

/// Cases that differ only on the axes of `within_run` share a process, in the order of the matrix.
fn group(cases: &[Case], measured: &[usize], within_run: &[String]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Case, Vec<usize>)> = Vec::new();
    for &index in measured {
        let outer = outer(&cases[index], within_run);
        match groups.iter_mut().find(|(known, _)| *known == outer) {
            Some((_, group)) => group.push(index),
            None => groups.push((outer, vec![index])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Whether one process measures both cases.
pub(super) fn share_a_process(one: &Case, other: &Case, within_run: &[String]) -> bool {
    outer(one, within_run) == outer(other, within_run)
}

fn outer(case: &Case, within_run: &[String]) -> Case {
    Case::new(
        case.iter()
            .filter(|(axis, _)| !within_run.iter().any(|within| within == axis))
            .map(|(axis, value)| (axis.to_owned(), value.clone()))
            .collect(),
    )
}

fn name_of(matchup: usize, case: &Case, within_run: &[String]) -> String {
    let values: Vec<String> = outer(case, within_run).iter().map(|(_, value)| slug(&value.to_string())).collect();
    let case = if values.is_empty() { "all".to_owned() } else { values.join("-") };
    if matchup == 0 { case } else { format!("m{}-{case}", matchup + 1) }
}

/// `text` as part of a file name: what is not a letter, a digit or one of `._-` becomes `_`.
fn slug(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).take(64).collect()
}

/// `name`, with a number after it where it is taken.
fn unique<'a>(name: &str, taken: impl Iterator<Item = &'a str>) -> String {
    let taken: BTreeSet<&str> = taken.collect();
    let mut candidate = name.to_owned();
    let mut number = 1;
    while taken.contains(candidate.as_str()) {
        number += 1;
        candidate = format!("{name}~{number}");
    }
    candidate
}
