//! The axes of the workload.

use super::cases::{CaseSet, CaseTable, MOST_CASES, MOST_STRANGERS, distinct, literal, matches_nothing, selector};
use super::findings::Findings;
use crate::spec::diagnostic::{listed, quoted};
use crate::spec::file::{MatrixFile, SelectorFile};
use crate::spec::model::{Axis, Matrix, Selector};
use crate::spec::tree::At;
use crate::unit::{AxisValue, Case};
use crate::workload::catalogue::{Domain, Suite};

/// A file with more axes than this is not a gate file.
const MOST_AXES: usize = 32;
/// The most selectors of one kind.
const MOST_SELECTORS: usize = 1_000;

/// The matrix, unless it has errors, and the cases that it has.
pub(super) fn matrix(
    file: Option<&MatrixFile>,
    root: At<'_>,
    suite: Option<&Suite>,
    findings: &mut Findings,
) -> (Option<Matrix>, CaseTable) {
    match complete(file, root, suite, findings) {
        Some((matrix, cases)) => (Some(matrix), cases.with_benches(suite.is_some_and(|suite| suite.any_metric))),
        None => (None, CaseTable::stand_in()),
    }
}

fn complete(
    file: Option<&MatrixFile>,
    root: At<'_>,
    suite: Option<&Suite>,
    findings: &mut Findings,
) -> Option<(Matrix, CaseTable)> {
    let at = root.key("matrix");
    let default = MatrixFile::default();
    let file = file.unwrap_or(&default);
    let axes = axes(file, at, suite, findings);
    let names: Vec<&str> = file.axes.0.iter().map(|(name, _)| name.as_str()).collect();
    let within_run = within_run(file.within_run.as_deref().unwrap_or_default(), at.key("within_run"), &names, findings);
    let axes = axes?;
    let Some(mut table) = CaseTable::of(axes.clone()) else {
        let combinations = axes.iter().fold(1_u128, |count, axis| count.saturating_mul(axis.values.len() as u128));
        findings.error(
            at.value_span(),
            format!("the matrix has {combinations} combinations"),
            format!("expected at most {MOST_CASES}, before anything is excluded"),
            "take values from its axes, or make several gates of it",
        );
        return None;
    };
    let all = table.all();
    let excludes = file.exclude.as_deref().unwrap_or_default();
    let (exclude, gone) = selectors("exclude", excludes, at, &table, &all, findings)?;
    table.remove(&gone);
    if table.len() == 0 {
        findings.error(
            at.key("exclude").value_span(),
            "`exclude` leaves no case",
            "expected at least one combination that is not excluded",
            "exclude less",
        );
        return None;
    }
    let left = table.all();
    let heavies = file.heavy.as_deref().unwrap_or_default();
    let (heavy, _) = selectors("heavy", heavies, at, &table, &left, findings)?;
    Some((Matrix { axes, exclude, heavy, within_run: within_run? }, table))
}

fn axes(file: &MatrixFile, at: At<'_>, suite: Option<&Suite>, findings: &mut Findings) -> Option<Vec<Axis>> {
    if file.axes.0.len() > MOST_AXES {
        findings.error(
            at.value_span(),
            format!("the matrix has {} axes", file.axes.0.len()),
            format!("expected at most {MOST_AXES}"),
            "remove what is not an axis",
        );
        return None;
    }
    let mut complete = true;
    for (name, values) in &file.axes.0 {
        let at = at.key(name);
        complete &= distinct(&values.0, at, name, findings);
        if let Some(suite) = suite {
            complete &= in_domain(name, &values.0, at, suite, findings);
        }
    }
    for axis in suite.map_or(&[][..], |suite| suite.axes).iter().filter(|axis| axis.required) {
        if file.axes.0.iter().all(|(name, _)| name != axis.name) {
            findings.error(
                at.value_span(),
                format!("missing axis `{}`", axis.name),
                "expected it in `[matrix]`: every case of the suite needs it",
                format!("add `{} = [{}]` to `[matrix]`: {}", axis.name, example(&axis.domain), axis.about),
            );
            complete = false;
        }
    }
    complete.then(|| {
        file.axes.0.iter().map(|(name, values)| Axis { name: name.clone(), values: values.0.clone() }).collect()
    })
}

/// A value of `domain`, as a gate file writes it.
fn example(domain: &Domain) -> String {
    match domain {
        Domain::Words(words) => words.first().map(|word| format!("\"{word}\"")).unwrap_or_default(),
        Domain::Numbers(numbers) => numbers.first().map(i64::to_string).unwrap_or_default(),
        Domain::Range(least, _) => least.to_string(),
    }
}

/// What `domain` allows, in words.
fn allowed(domain: &Domain) -> String {
    let values: Vec<String> = match domain {
        Domain::Words(words) => words.iter().map(|word| format!("\"{word}\"")).collect(),
        Domain::Numbers(numbers) => numbers.iter().map(i64::to_string).collect(),
        Domain::Range(least, greatest) => return format!("a whole number from {least} to {greatest}"),
    };
    listed(values.iter().map(String::as_str), "or")
}

/// Whether `domain` allows `value`.
fn allows(domain: &Domain, value: &AxisValue) -> bool {
    match (domain, value) {
        (Domain::Words(words), AxisValue::Text(word)) => words.contains(&word.as_str()),
        (Domain::Numbers(numbers), AxisValue::Integer(number)) => numbers.contains(number),
        (Domain::Range(least, greatest), AxisValue::Integer(number)) => (least..=greatest).contains(&number),
        _ => false,
    }
}

/// Whether the suite has the axis `name`, and the axis all of `values`.
fn in_domain(name: &str, values: &[AxisValue], at: At<'_>, suite: &Suite, findings: &mut Findings) -> bool {
    let Some(axis) = suite.axes.iter().find(|axis| axis.name == name) else {
        if suite.any_axis && name != Case::BENCH {
            return true;
        }
        let names: Vec<&str> = suite.axes.iter().map(|axis| axis.name).collect();
        findings.unknown(at.key_span(), "axis", name, &suite.owning("axes"), &names);
        return false;
    };
    let mut inside = true;
    let strangers = values.iter().enumerate().filter(|(_, value)| !allows(&axis.domain, value));
    for (index, value) in strangers.take(MOST_STRANGERS) {
        findings.error(
            at.index(index).value_span(),
            format!("axis `{name}` can't be {}", quoted(&literal(value))),
            format!("expected {}", allowed(&axis.domain)),
            format!("choose among the values that suite `{}` measures: {}", suite.name, axis.about),
        );
        inside = false;
    }
    inside
}

/// The selectors under `key`, each of which chooses some case of `table`, and all that they choose together.
fn selectors(
    key: &str,
    files: &[SelectorFile],
    at: At<'_>,
    table: &CaseTable,
    all: &CaseSet,
    findings: &mut Findings,
) -> Option<(Vec<Selector>, CaseSet)> {
    let at = at.key(key);
    if files.len() > MOST_SELECTORS {
        findings.error(
            at.value_span(),
            format!("`{key}` has {} selectors", files.len()),
            format!("expected at most {MOST_SELECTORS}"),
            "name several values of an axis in one selector, as an array",
        );
        return None;
    }
    let mut chosen = CaseSet::none(all);
    let read: Vec<Option<Selector>> = files
        .iter()
        .enumerate()
        .map(|(index, file)| {
            let at = at.index(index);
            let selector = selector(file, at, table.axes(), false, findings)?;
            let these = table.select(&selector);
            if these.is_empty() {
                matches_nothing(
                    at,
                    &format!("a selector of `{key}`"),
                    "expected a selector that some case matches",
                    findings,
                );
                return None;
            }
            chosen.add(&these);
            Some(selector)
        })
        .collect();
    Some((read.into_iter().collect::<Option<_>>()?, chosen))
}

/// The axes that one process measures, each of which the matrix has.
fn within_run(names: &[String], at: At<'_>, axes: &[&str], findings: &mut Findings) -> Option<Vec<String>> {
    let mut complete = true;
    for (index, name) in names.iter().enumerate() {
        let at = at.index(index);
        if !axes.contains(&name.as_str()) {
            findings.unknown(at.value_span(), "axis", name, "axes of the matrix", axes);
        } else if name == "cpus" {
            findings.error(
                at.value_span(),
                "`cpus` can't vary within a run",
                "a process is bound to its CPUs once, when it starts",
                "remove `cpus` from `within_run`",
            );
        } else if names.iter().take(index).any(|earlier| earlier == name) {
            let message = format!("`within_run` names {} twice", quoted(name));
            findings.error(at.value_span(), message, "expected each axis once", "remove one of the two");
        } else {
            continue;
        }
        complete = false;
    }
    complete.then(|| names.to_vec())
}
