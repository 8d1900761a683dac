//! The cases of a matrix, and which of them a selector chooses.

use std::collections::HashMap;

use super::findings::Findings;
use crate::spec::diagnostic::{Problem, listed, quoted};
use crate::spec::file::SelectorFile;
use crate::spec::model::{Axis, Selector};
use crate::spec::tree::At;
use crate::unit::{AxisValue, Case};
use crate::workload::catalogue::Suite;

/// The most combinations that a matrix may have.
pub(super) const MOST_CASES: usize = 10_000;

/// Of the values that don't belong to an axis so many are told.
pub(super) const MOST_STRANGERS: usize = 10;

/// The cases of a matrix.
#[derive(Debug)]
pub(super) struct CaseTable {
    axes: Vec<Axis>,
    /// Whether they are the cases of the file, and not a stand-in.
    known: bool,
    /// Whether each is divided into benches that nobody knows before it runs.
    benches: bool,
    /// For each case the position of its value on each axis.
    cells: Vec<Vec<usize>>,
}

/// What the checks and budgets of a hypothesis stand on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'s> {
    /// The suite, whose names they use.
    pub(super) suite: &'static Suite,
    /// The cases of the matrix.
    pub(super) table: &'s CaseTable,
    /// Those of the hypothesis.
    pub(super) within: &'s CaseSet,
}

impl Ground<'_> {
    /// The `cases` of the table at `at`, within the hypothesis' own.
    pub(super) fn narrow(
        self,
        file: Option<&SelectorFile>,
        at: At<'_>,
        findings: &mut Findings,
    ) -> Option<(Selector, CaseSet)> {
        self.table.narrow(file, at.key("cases"), self.within, findings)
    }
}

/// Some of the cases of a table: for each case whether it is one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CaseSet(Vec<bool>);

impl CaseSet {
    /// None of the cases that `all` is about.
    pub(super) fn none(all: &Self) -> Self {
        Self(vec![false; all.0.len()])
    }

    /// Puts those of `other` in.
    pub(super) fn add(&mut self, other: &Self) {
        for (chosen, also) in self.0.iter_mut().zip(&other.0) {
            *chosen |= *also;
        }
    }

    /// How many they are.
    pub(super) fn count(&self) -> usize {
        self.0.iter().filter(|chosen| **chosen).count()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    /// Whether some case is in both.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| *a && *b)
    }

    /// Those that are in `other` too.
    fn and(mut self, other: &Self) -> Self {
        for (chosen, also) in self.0.iter_mut().zip(&other.0) {
            *chosen &= *also;
        }
        self
    }
}

impl CaseTable {
    /// Every combination of the values of `axes`, unless they are more than [`MOST_CASES`].
    pub(super) fn of(axes: Vec<Axis>) -> Option<Self> {
        let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.values.len()))?;
        if count > MOST_CASES {
            return None;
        }
        let mut cells: Vec<Vec<usize>> = vec![Vec::new()];
        for axis in &axes {
            cells = cells
                .iter()
                .flat_map(|cell| (0..axis.values.len()).map(|value| cell.iter().copied().chain([value]).collect()))
                .collect();
        }
        Some(Self { axes, known: true, benches: false, cells })
    }

    /// A single case of no axes, in place of the cases of a matrix that has errors: nothing is said about selectors.
    pub(super) fn stand_in() -> Self {
        Self { axes: Vec::new(), known: false, benches: false, cells: vec![Vec::new()] }
    }

    /// The same cases, each divided into benches that nobody knows before it runs.
    pub(super) fn with_benches(self, benches: bool) -> Self {
        Self { benches, ..self }
    }

    /// All of them.
    pub(super) fn all(&self) -> CaseSet {
        CaseSet(vec![true; self.cells.len()])
    }

    /// Those that `selector` chooses.
    pub(super) fn select(&self, selector: &Selector) -> CaseSet {
        // For each axis that the selector names: which of the axis' values it has.
        let wanted: Vec<(usize, Vec<bool>)> = selector
            .0
            .iter()
            .filter_map(|(name, values)| {
                let position = self.axes.iter().position(|axis| axis.name == *name)?;
                let axis = self.axes.get(position)?;
                Some((position, axis.values.iter().map(|value| values.contains(value)).collect()))
            })
            .collect();
        let chosen = |cell: &Vec<usize>| {
            wanted.iter().all(|(axis, has)| cell.get(*axis).and_then(|value| has.get(*value)).is_some_and(|has| *has))
        };
        CaseSet(self.cells.iter().map(chosen).collect())
    }

    /// Takes the cases of `gone` out.
    pub(super) fn remove(&mut self, gone: &CaseSet) {
        let mut gone = gone.0.iter();
        self.cells.retain(|_| gone.next().is_none_or(|gone| !gone));
    }

    /// The axes of the matrix.
    pub(super) fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Those that are in `chosen`.
    pub(super) fn cases(&self, chosen: &CaseSet) -> impl Iterator<Item = Case> {
        let chosen = self.cells.iter().zip(&chosen.0).filter(|(_, chosen)| **chosen);
        chosen.map(|(cell, _)| {
            let values =
                self.axes.iter().zip(cell).filter_map(|(axis, &value)| axis.values.get(value).map(|v| (axis, v)));
            Case::new(values.map(|(axis, value)| (axis.name.clone(), value.clone())).collect())
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The selector at `at`, with the cases of `within` that it chooses; an error where they are none.
    ///
    /// A stand-in chooses nothing, and says nothing.
    pub(super) fn narrow(
        &self,
        file: Option<&SelectorFile>,
        at: At<'_>,
        within: &CaseSet,
        findings: &mut Findings,
    ) -> Option<(Selector, CaseSet)> {
        let Some(file) = file else { return Some((Selector::default(), within.clone())) };
        if !self.known {
            return None;
        }
        let selector = selector(file, at, &self.axes, self.benches, findings)?;
        let chosen = self.select(&selector).and(within);
        if chosen.is_empty() {
            matches_nothing(at, "`cases`", "expected a selector that some case of the hypothesis matches", findings);
            return None;
        }
        Some((selector, chosen))
    }
}

/// Notes that the selector at `at` chooses no case.
pub(super) fn matches_nothing(at: At<'_>, what: &str, expected: &str, findings: &mut Findings) {
    let help = "choose values that stand together in a case of the matrix, or remove the selector";
    findings.error(at.value_span(), format!("{what} matches nothing"), expected, help);
}

/// The selector at `at`, every axis and value of which is in the matrix.
///
/// Where there are `benches`, any bench may be named.
pub(super) fn selector(
    file: &SelectorFile,
    at: At<'_>,
    axes: &[Axis],
    benches: bool,
    findings: &mut Findings,
) -> Option<Selector> {
    let mut complete = true;
    let mut chosen = Vec::new();
    for (name, values) in &file.0 {
        let at = at.key(name);
        if benches && name == Case::BENCH {
            complete &= distinct(&values.0, at, name, findings);
            chosen.push((name.clone(), values.0.clone()));
            continue;
        }
        let Some(known) = axes.iter().find(|axis| axis.name == *name) else {
            let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
            findings.unknown(at.key_span(), "axis", name, "axes of the matrix", &names);
            complete = false;
            continue;
        };
        complete &= distinct(&values.0, at, name, findings);
        let strangers = values.0.iter().enumerate().filter(|(_, value)| !known.values.contains(value));
        for (index, value) in strangers.take(MOST_STRANGERS) {
            let literals: Vec<String> = known.values.iter().map(literal).collect();
            findings.error(
                at.index(index).value_span(),
                format!("axis {} has no value {}", quoted(name), quoted(&literal(value))),
                format!("expected {}", listed(literals.iter().map(String::as_str), "or")),
                "choose a value of the matrix, or add this one to it",
            );
            complete = false;
        }
        chosen.push((name.clone(), values.0.clone()));
    }
    complete.then_some(Selector(chosen))
}

/// Whether there are values for the axis `name`, not too many, and none twice.
pub(super) fn distinct(values: &[AxisValue], at: At<'_>, name: &str, findings: &mut Findings) -> bool {
    if values.is_empty() {
        findings.error(
            at.value_span(),
            format!("axis {} is empty", quoted(name)),
            "expected at least one value",
            "write the values in the brackets, or remove the axis",
        );
        return false;
    }
    if values.len() > MOST_CASES {
        findings.error(
            at.value_span(),
            format!("axis {} has {} values", quoted(name), values.len()),
            format!("expected at most {MOST_CASES}"),
            "make several gates of it",
        );
        return false;
    }
    let mut seen = HashMap::new();
    for (index, value) in values.iter().enumerate() {
        if let Some(first) = seen.insert(value, index) {
            findings.push(
                Problem::error(
                    at.index(index).value_span(),
                    format!("axis {} has {} twice", quoted(name), quoted(&literal(value))),
                    "expected each value once",
                    "remove one of the two",
                )
                .beside(at.index(first).value_span(), "first here"),
            );
            return false;
        }
    }
    true
}

/// The value as a gate file writes it: a word in quotes.
pub(super) fn literal(value: &AxisValue) -> String {
    match value {
        AxisValue::Integer(number) => number.to_string(),
        AxisValue::Text(word) => format!("\"{word}\""),
    }
}
