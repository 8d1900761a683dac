//! The two sides of a hypothesis.

use super::cases::{CaseSet, CaseTable};
use super::findings::Findings;
use crate::spec::diagnostic::{Problem, listed};
use crate::spec::file::{BaselineFile, HypothesisFile, SideFile};
use crate::spec::tree::At;
use crate::unit::Side;
use crate::workload::catalogue::{Lane, LaneKind, Suite};

/// The lanes of the two sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides {
    pub(super) baseline: Base,
    pub(super) candidate: &'static Lane,
}

/// What the candidate is compared with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Base {
    /// A lane that is run.
    Run(&'static Lane),
    /// What was recorded.
    Recorded,
}

impl Base {
    /// The lane that is run.
    pub(super) const fn lane(self) -> Option<&'static Lane> {
        match self {
            Self::Run(lane) => Some(lane),
            Self::Recorded => None,
        }
    }
}

/// The lanes of baseline and candidate.
pub(super) fn sides(
    file: &HypothesisFile,
    at: At<'_>,
    suite: &'static Suite,
    findings: &mut Findings,
) -> Option<Sides> {
    if suite.any_axis {
        return the_targets(file, at, suite, findings);
    }
    let baseline = baseline(file.baseline.as_ref(), at, suite, findings);
    let candidate = side(Side::Candidate, file.candidate.as_ref(), at, suite, findings);
    let (baseline, candidate) = (baseline?, candidate?);
    if baseline.lane().is_some_and(|baseline| baseline.name == candidate.name) {
        findings.push(
            Problem::warning(
                at.key("candidate").key("lane").value_span(),
                format!("both sides are `{}`", candidate.name),
                "this measures the noise of the host, and never proceeds",
                "name the lane that is proposed, unless the gate itself is on trial",
            )
            .beside(at.key("baseline").key("lane").value_span(), "the same here"),
        );
    }
    Some(Sides { baseline, candidate })
}

/// The two sides of a target that has them itself: a hypothesis names none, or that its baseline was recorded.
fn the_targets(file: &HypothesisFile, at: At<'_>, suite: &'static Suite, findings: &mut Findings) -> Option<Sides> {
    let recorded = file.baseline.as_ref().filter(|baseline| baseline.lane.is_none() && baseline.history.is_some());
    let names_baseline = file.baseline.is_some() && recorded.is_none();
    for (side, named) in [(Side::Baseline, names_baseline), (Side::Candidate, file.candidate.is_some())] {
        if named {
            findings.error(
                at.key(side.name()).key_span(),
                format!("`{side}` in a hypothesis about the target's own two sides"),
                "expected no lane here: lanes are of suites",
                format!("remove `{side}`: `[target]` says what it is"),
            );
            return None;
        }
    }
    let baseline = match recorded {
        Some(file) => baseline(Some(file), at, suite, findings)?,
        None => Base::Run(suite.lane(Side::Baseline.name())?),
    };
    Some(Sides { baseline, candidate: suite.lane(Side::Candidate.name())? })
}

/// What the table `baseline` of a hypothesis names.
fn baseline(file: Option<&BaselineFile>, at: At<'_>, suite: &'static Suite, findings: &mut Findings) -> Option<Base> {
    let example = example(Side::Baseline, suite);
    let file = findings.required(at, Side::Baseline.name(), file, &format!("{{ lane = {example} }}"))?;
    let at = at.key(Side::Baseline.name());
    let Some(history) = file.history.as_deref() else {
        return lane(Side::Baseline, file.lane.as_deref(), at, suite, findings).map(Base::Run);
    };
    if file.lane.is_some() {
        findings.push(
            Problem::error(
                at.key("history").key_span(),
                "`history` beside `lane`",
                "expected either a lane that is run or a baseline that was recorded",
                "keep one of the two; a lane that is run in pairs shows more",
            )
            .beside(at.key("lane").key_span(), "the lane here"),
        );
        return None;
    }
    findings.choice(at.key("history"), "history", history, &[("latest", Base::Recorded)])
}

fn side(
    side: Side,
    file: Option<&SideFile>,
    at: At<'_>,
    suite: &'static Suite,
    findings: &mut Findings,
) -> Option<&'static Lane> {
    let example = example(side, suite);
    let file = findings.required(at, side.name(), file, &format!("{{ lane = {example} }}"))?;
    lane(side, file.lane.as_deref(), at.key(side.name()), suite, findings)
}

/// The lane that the table at `at` names.
fn lane(
    side: Side,
    name: Option<&str>,
    at: At<'_>,
    suite: &'static Suite,
    findings: &mut Findings,
) -> Option<&'static Lane> {
    let name = findings.required(at, "lane", name, &example(side, suite))?;
    let at = at.key("lane");
    let Some(lane) = suite.lane(name) else {
        let names: Vec<&str> = suite.lanes.iter().map(|lane| lane.name).collect();
        findings.unknown(at.value_span(), "lane", name, &suite.owning("lanes"), &names);
        return None;
    };
    if lane.kind == LaneKind::Calibration {
        findings.push(Problem::warning(
            at.value_span(),
            format!("the {side} `{}` is there to try a gate on", lane.name),
            format!("what it does: {}", lane.about),
            "name a lane that somebody may adopt, unless the gate itself is on trial",
        ));
    }
    Some(lane)
}

/// Notes the first case within `within` that the lane of either side does not take.
pub(super) fn takes(sides: Sides, at: At<'_>, table: &CaseTable, within: &CaseSet, findings: &mut Findings) {
    let baseline = sides.baseline.lane().map(|lane| (Side::Baseline, lane));
    for (side, lane) in baseline.into_iter().chain([(Side::Candidate, sides.candidate)]) {
        let refused = table.cases(within).find_map(|case| Some((lane.refuses(&case)?, case)));
        let Some((only, case)) = refused else { continue };
        let values: Vec<String> = only.values.iter().map(|value| format!("`{value}`")).collect();
        let when = only.when.map_or_else(String::new, |(axis, _)| format!(" for this `{axis}`"));
        findings.error(
            at.key(side.name()).key("lane").value_span(),
            format!("lane `{}` does not take the case `{case}`", lane.name),
            format!("expected `{}` to be {}{when}", only.axis, listed(values.iter().map(String::as_str), "or")),
            format!("narrow the hypothesis with `cases`, set `{}` in `[matrix]`, or name another lane", only.axis),
        );
    }
}

/// A lane that may stand on `side`, as a gate file writes it: the first path of the suite, or for a candidate the second.
fn example(side: Side, suite: &Suite) -> String {
    let paths: Vec<&str> =
        suite.lanes.iter().filter(|lane| lane.kind == LaneKind::Path).map(|lane| lane.name).collect();
    let lane = match side {
        Side::Baseline => paths.first(),
        Side::Candidate => paths.get(1).or(paths.first()),
    };
    format!("\"{}\"", lane.copied().unwrap_or_default())
}
