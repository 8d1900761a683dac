//! The mirror of a gate file into a [`Gate`]: names resolved, quantities typed, every problem collected.

mod analysis;
mod benefit;
mod bound;
mod budget;
mod cases;
mod check;
mod findings;
mod hypothesis;
mod matrix;
mod profile;
mod recorded;
mod resolution;
mod side;
mod target;
mod waiver;

use super::diagnostic::Problem;
use super::file::{FORMAT_VERSION, FixtureFile, GateFile};
use super::model::{Fixture, Gate};
use super::tree::{At, Kind, Node};
use findings::Findings;

/// The problem with a file of another format version, which nothing else of the file can be judged by.
pub(super) fn other_version(root: &Node) -> Option<Problem> {
    let Kind::Table(entries) = &root.kind else { return None };
    let version = &entries.iter().find(|entry| entry.key == "gate")?.value;
    let Kind::Integer(number) = version.kind else { return None };
    (number != i128::from(FORMAT_VERSION)).then(|| {
        Problem::error(
            version.span.clone(),
            format!("unknown format version `{number}`"),
            format!("expected `{FORMAT_VERSION}`, the version that this gate reads"),
            format!("write `gate = {FORMAT_VERSION}`, or run the version of gate that the file was written for"),
        )
    })
}

/// The gate that `file` describes, unless a problem keeps it from running, and all problems.
///
/// `root` is the tree that `file` was read from.
pub(super) fn validate(file: &GateFile, root: &Node) -> (Option<Gate>, Vec<Problem>) {
    let root = At::root(root);
    let mut findings = Findings::default();
    let gate = gate(file, root, &mut findings);
    let problems = findings.into_problems();
    match gate {
        Some(gate) if problems.iter().all(Problem::is_warning) => (Some(gate), problems),
        _ => (None, problems),
    }
}

fn gate(file: &GateFile, root: At<'_>, findings: &mut Findings) -> Option<Gate> {
    findings.required(root, "gate", file.gate.as_ref(), "1");
    let name = findings.required_name(root, "name", file.name.as_deref(), "my-gate");
    let title = findings.required_line(root, "title", file.title.as_deref(), "what the gate is about");
    let axes: Vec<&str> = file.matrix.iter().flat_map(|matrix| &matrix.axes.0).map(|(name, _)| name.as_str()).collect();
    let hypotheses = file.hypothesis.as_deref();
    let none_is_run = hypotheses.is_some_and(|all| !all.is_empty() && all.iter().all(recorded::is_recorded));
    let (target, suite) = target::target(file.target.as_ref(), root, &axes, none_is_run, findings);
    let fixture = fixture(file.fixture.as_ref(), root.key("fixture"), findings);
    let (matrix, cases) = matrix::matrix(file.matrix.as_ref(), root, suite, findings);
    let profiles = profile::profiles(file.profile.as_ref(), root, suite, findings);
    let analysis = analysis::analysis(file.analysis.as_ref(), root.key("analysis"), findings);

    let claims = hypothesis::hypotheses(hypotheses, root, suite, &cases, findings);
    recorded::recorded(hypotheses, target.as_ref(), root, findings);

    resolution::percentiles(&profiles, root, &claims, findings);
    if let Some(analysis) = &analysis {
        resolution::corrected_claims(&profiles, root, analysis, &claims, findings);
    }
    Some(Gate {
        name: name?,
        title: title?,
        target: target?,
        fixture: fixture?,
        matrix: matrix?,
        profiles: profiles.into_iter().collect::<Option<_>>()?,
        analysis: analysis?,
        hypotheses: claims.into_iter().map(|claim| claim.hypothesis).collect::<Option<_>>()?,
    })
}

fn fixture(file: Option<&FixtureFile>, at: At<'_>, findings: &mut Findings) -> Option<Fixture> {
    let null_period = match file.and_then(|file| file.null_period) {
        None => Some(13),
        Some(period) => findings.whole(at.key("null_period"), "null_period", period, 1..=1_000_000, "13"),
    };
    Some(Fixture { seed: file.and_then(|file| file.seed).unwrap_or(538), null_period: null_period? })
}
