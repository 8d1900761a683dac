//! Two readings side by side: what changed between what was measured apart, and whether it keeps to budgets.
//!
//! 1. [`compare`] matches the benches by name: a [`Table`] for each metric, a [`Row`] for each bench, with the
//!    arithmetic of Go's `benchstat`. [`sides`] makes both readings of one whose names tell the sides.
//! 2. [`judge`] holds every bench to the [`Budget`]s.
//! 3. [`terminal`], [`markdown`] and [`csv`] show a [`Comparison`]; as JSON it is shown as it is.
//!
//! The sides are **unpaired**: each was measured in one go, so that whatever changed between (the load of the host, its
//! clock, the order) is part of the difference. A campaign of `gate run` interleaves them instead.

mod budget;
mod lanes;
mod markdown;
mod number;
mod spreadsheet;
mod table;
mod text;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::reading::Reading;

pub use budget::{Budget, BudgetError, Judgement, Outcome, judge};
pub use lanes::{Lanes, LanesError, sides};
pub use markdown::markdown;
pub use spreadsheet::csv;
pub use table::{Centre, Difference, Geomean, Row, Table};
pub use text::terminal;

/// What is said above every comparison.
pub const UNPAIRED: &str = "unpaired: the sides were measured apart, so order and drift are not controlled";

/// Facts of a host that make times of two hosts incomparable.
const DECISIVE: [&str; 5] = ["cpu", "goos", "goarch", "num_cpus", "machine"];

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// What was there before.
    Old,
    /// What is compared with it.
    New,
}

impl Which {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::New => "new",
        }
    }
}

/// A bench that only one side has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Alone {
    /// Its name.
    pub bench: String,
    /// The side that lacks it.
    pub lacking: Which,
}

/// Two readings side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What both hosts have in common, in the order in which Go writes it.
    pub host: Vec<(String, String)>,
    /// One for each metric, in the order of their first appearance.
    pub tables: Vec<Table>,
    /// The benches that only one side has.
    pub alone: Vec<Alone>,
}

/// A fact in which two hosts differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostDifference {
    /// The fact, as `cpu`.
    pub key: String,
    /// The old side's.
    pub old: String,
    /// The new side's.
    pub new: String,
}

/// Why two readings can't be compared. Each message fits after "failed to".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// No bench is on both sides.
    #[error(
        "compare: no bench is on both sides, `{old}` is only on the old one and `{new}` only on the new one; benches are matched by their full names"
    )]
    NothingInCommon {
        /// A bench of the old side.
        old: String,
        /// A bench of the new side.
        new: String,
    },
}

/// Puts `new` beside `old`, bench by bench.
///
/// # Errors
///
/// [`CompareError::NothingInCommon`].
pub fn compare(old: &Reading, new: &Reading) -> Result<Comparison, CompareError> {
    let names = |reading: &Reading| reading.benches.iter().map(|bench| bench.name.clone()).collect::<BTreeSet<_>>();
    let (old_names, new_names) = (names(old), names(new));
    let lacking = |reading: &Reading, other: &BTreeSet<String>, lacking| {
        let benches = reading.benches.iter().filter(|bench| !other.contains(&bench.name));
        benches.map(|bench| Alone { bench: bench.name.clone(), lacking }).collect::<Vec<_>>()
    };
    let mut alone = lacking(old, &new_names, Which::New);
    alone.extend(lacking(new, &old_names, Which::Old));
    if old_names.is_disjoint(&new_names) {
        let first = |reading: &Reading| reading.benches.first().map_or_else(String::new, |bench| bench.name.clone());
        return Err(CompareError::NothingInCommon { old: first(old), new: first(new) });
    }
    Ok(Comparison { host: common_host(old, new), tables: table::tables(old, new), alone })
}

/// The facts that decide on times, and in which both hosts differ.
#[must_use]
pub fn host_differences(old: &Reading, new: &Reading) -> Vec<HostDifference> {
    let differs = |key: &str| {
        let (old, new) = (old.host.get(key)?, new.host.get(key)?);
        (old != new).then(|| HostDifference { key: key.to_owned(), old: old.clone(), new: new.clone() })
    };
    DECISIVE.into_iter().filter_map(differs).collect()
}

/// Go's own facts in the order in which Go writes them, then the others.
fn common_host(old: &Reading, new: &Reading) -> Vec<(String, String)> {
    const FIRST: [&str; 4] = ["goos", "goarch", "pkg", "cpu"];
    let mut common: Vec<_> = old
        .host
        .iter()
        .filter(|(key, value)| new.host.get(*key) == Some(value))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    common.sort_by_key(|(key, _)| FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len()));
    common
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::reading::{Format, parse};

    /// A reading of a text of Go's.
    pub(crate) fn go(text: &str) -> Reading {
        parse("f", text.as_bytes(), Some(Format::Go)).expect("a reading")
    }

    /// A reading with these values of one bench.
    pub(crate) fn values(unit: &str, values: &[f64]) -> Reading {
        let mut text = String::new();
        for value in values {
            text.push_str(&format!("BenchmarkA 1 {value} {unit}\n"));
        }
        go(&text)
    }

    #[test]
    fn benches_of_one_side_are_named() {
        let old = go("BenchmarkA 1 1 ns/op\nBenchmarkGone 1 1 ns/op");
        let new = go("BenchmarkNew 1 1 ns/op\nBenchmarkA 1 1 ns/op");
        let alone = compare(&old, &new).unwrap().alone;
        let expected = [("Gone", Which::New), ("New", Which::Old)];
        assert_eq!(alone, expected.map(|(bench, lacking)| Alone { bench: bench.to_owned(), lacking }));
    }

    #[test]
    fn nothing_in_common_is_an_error() {
        let error = compare(&go("BenchmarkA 1 1 ns/op"), &go("BenchmarkB 1 1 ns/op")).unwrap_err().to_string();
        assert!(error.contains("`A` is only on the old one and `B` only on the new one"), "{error}");
    }

    #[test]
    fn hosts_are_held_against_each_other() {
        let old = go("cpu: one\ngoos: linux\npkg: a\nnote: x\nBenchmarkA 1 1 ns/op");
        let new = go("pkg: a\ncpu: two\ngoos: linux\nBenchmarkA 1 1 ns/op");
        let differences = host_differences(&old, &new);
        assert_eq!(differences.len(), 1);
        assert_eq!((differences[0].old.as_str(), differences[0].new.as_str()), ("one", "two"));
        let common: Vec<_> = common_host(&old, &new).into_iter().map(|(key, _)| key).collect();
        assert_eq!(common, ["goos", "pkg"]);
        assert!(host_differences(&old, &go("BenchmarkA 1 1 ns/op")).is_empty(), "what is not told does not differ");
    }
}
