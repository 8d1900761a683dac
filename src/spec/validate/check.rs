//! Correctness checks and capabilities.

use super::cases::{CaseSet, Ground};
use super::findings::Findings;
use crate::spec::diagnostic::Problem;
use crate::spec::file::{CorrectnessFile, SelectorFile};
use crate::spec::model::Check;
use crate::spec::tree::At;

/// The checks of one list.
pub(super) struct Checks<'s, 't> {
    ground: Ground<'s>,
    /// What was seen in this list: its name, its cases, where.
    seen: Vec<(&'static str, CaseSet, At<'t>)>,
}

impl<'s, 't> Checks<'s, 't> {
    /// An empty list.
    pub(super) const fn new(ground: Ground<'s>) -> Self {
        Self { ground, seen: Vec::new() }
    }

    /// Whether none was seen.
    pub(super) const fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The correctness check at `at`.
    pub(super) fn correctness(&mut self, file: &CorrectnessFile, at: At<'t>, findings: &mut Findings) -> Option<Check> {
        let known_gap = match file.known_gap.as_deref() {
            None => Some(None),
            Some(text) => findings.line(at.key("known_gap"), "known_gap", text).map(Some),
        };
        let name = findings.required(at, "check", file.check.as_deref(), "\"row-count\"")?;
        let check = self.check(name, file.cases.as_ref(), at, findings)?;
        Some(Check { known_gap: known_gap?, ..check })
    }

    /// The check called `name`, in cases that no other of the same name in this list is about.
    pub(super) fn check(
        &mut self,
        name: &str,
        cases: Option<&SelectorFile>,
        at: At<'t>,
        findings: &mut Findings,
    ) -> Option<Check> {
        let narrowed = self.ground.narrow(cases, at, findings);
        let suite = self.ground.suite;
        let Some(known) = suite.check(name) else {
            let names: Vec<&str> = suite.checks.iter().map(|check| check.name).collect();
            let what = suite.owning("checks");
            findings.unknown(at.key("check").value_span(), "check", name, &what, &names);
            return None;
        };
        let (selector, set) = narrowed?;
        let same = |(other, cases, _): &&(&str, CaseSet, At<'_>)| *other == known.name && cases.overlaps(&set);
        if let Some((.., first)) = self.seen.iter().find(same) {
            findings.push(
                Problem::error(
                    at.key("check").value_span(),
                    format!("check `{name}` stands twice"),
                    "expected each check once in a case",
                    "remove one of the two, or narrow the `cases` of both so that they share none",
                )
                .beside(first.key("check").value_span(), "first here"),
            );
            return None;
        }
        self.seen.push((known.name, set, at));
        Some(Check { check: known.name.to_owned(), known_gap: None, cases: selector })
    }
}
