//! From what a user names to the one case of a hypothesis.

use crate::plan::{Digests, Plan, PlanError, Selection};
use crate::spec::{Gate, Hypothesis, Selector, advice};
use crate::unit::{AxisValue, Case};

/// The most cases that an error names.
const NAMED: usize = 6;

/// Why what was named is no one case.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// The gate has several hypotheses, and none was named.
    #[error("choose a hypothesis of gate `{gate}`: it has {known}; name one of them with --hypothesis")]
    NoHypothesis {
        /// The gate.
        gate: String,
        /// The ids that it has.
        known: String,
    },
    /// The profile or the hypothesis is not there.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// It is no axis with a value.
    #[error("choose a case by `{word}`: expected an axis and its value, as in `--case rows=50`")]
    NotPaired {
        /// What was given.
        word: String,
    },
    /// The matrix has no such axis.
    #[error("choose a case by axis `{axis}`: the matrix has no such axis; {advice}")]
    NoSuchAxis {
        /// The axis.
        axis: String,
        /// What is there.
        advice: String,
    },
    /// An axis was named twice.
    #[error("choose a case by axis `{axis}`: it is named twice; a case has one value there")]
    Twice {
        /// The axis.
        axis: String,
    },
    /// The axis has no such value.
    #[error("choose a case by `{axis}={value}`: the axis has no such value; {advice}")]
    NoSuchValue {
        /// The axis.
        axis: String,
        /// The value.
        value: String,
        /// What is there.
        advice: String,
    },
    /// No case of the hypothesis has these values.
    #[error("choose a case by `{chosen}`: hypothesis `{hypothesis}` has none such; its cases are {cases}")]
    NoSuchCase {
        /// The values.
        chosen: String,
        /// The hypothesis.
        hypothesis: String,
        /// Its cases.
        cases: String,
    },
    /// Several cases have these values.
    #[error(
        "choose one case of hypothesis `{hypothesis}`: {count} fit, {cases}; name {axes} with --case, as in `--case {example}`"
    )]
    Several {
        /// The hypothesis.
        hypothesis: String,
        /// How many there are.
        count: usize,
        /// Some of them.
        cases: String,
        /// The axes on which they differ.
        axes: String,
        /// A value on one of them.
        example: String,
    },
}

/// One case of one hypothesis.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The gate with that hypothesis alone, and of it that case alone.
    pub gate: Gate,
    /// The hypothesis.
    pub hypothesis: String,
    /// The case.
    pub case: Case,
}

/// The one case of a hypothesis that has all of `words`, each like `rows=50` or several such with spaces between. The
/// hypothesis need not be named where the gate has only one, nor an axis on which its cases don't differ.
///
/// # Errors
///
/// A profile, hypothesis, axis, value or case that there isn't, and several cases that fit.
pub fn choose(gate: &Gate, profile: &str, hypothesis: Option<&str>, words: &[String]) -> Result<Choice, ChoiceError> {
    let id = match (hypothesis, gate.hypotheses.as_slice()) {
        (Some(id), _) => id.to_owned(),
        (None, [only]) => only.id.clone(),
        (None, several) => {
            let known: Vec<String> = several.iter().map(|hypothesis| format!("`{}`", hypothesis.id)).collect();
            return Err(ChoiceError::NoHypothesis { gate: gate.name.clone(), known: known.join(", ") });
        }
    };
    let selection = Selection {
        profile: profile.to_owned(),
        hypotheses: vec![id.clone()],
        host_cpus: u32::MAX,
        ..Selection::default()
    };
    let plan = Plan::new(gate, &selection, Digests::default())?;
    let wanted = wanted(gate, words)?;
    let fits = |case: &&Case| wanted.iter().all(|(axis, value)| case.get(axis) == Some(value));
    let fitting: Vec<&Case> = plan.cases.iter().filter(fits).collect();
    let case = match fitting.as_slice() {
        [case] => (*case).clone(),
        [] => {
            return Err(ChoiceError::NoSuchCase {
                chosen: Case::new(wanted).to_string(),
                hypothesis: id,
                cases: named(&plan.cases.iter().collect::<Vec<_>>()),
            });
        }
        [first, ..] => {
            let differ = |axis: &str| fitting.iter().any(|case| case.get(axis) != first.get(axis));
            let open: Vec<(&str, &AxisValue)> = first.iter().filter(|(axis, _)| differ(axis)).collect();
            let axes: Vec<String> = open.iter().map(|(axis, _)| format!("`{axis}`")).collect();
            let example = open.first().map(|(axis, value)| format!("{axis}={value}")).unwrap_or_default();
            return Err(ChoiceError::Several {
                hypothesis: id,
                count: fitting.len(),
                cases: named(&fitting),
                axes: axes.join(" and "),
                example,
            });
        }
    };
    let only = Selector(case.iter().map(|(axis, value)| (axis.to_owned(), vec![value.clone()])).collect());
    let mut narrowed = gate.clone();
    narrowed.hypotheses.retain(|hypothesis| hypothesis.id == id);
    narrowed.hypotheses =
        narrowed.hypotheses.into_iter().map(|hypothesis| Hypothesis { cases: only.clone(), ..hypothesis }).collect();
    Ok(Choice { gate: narrowed, hypothesis: id, case })
}

/// The axes and values that the words name, all of which the matrix has.
fn wanted(gate: &Gate, words: &[String]) -> Result<Vec<(String, AxisValue)>, ChoiceError> {
    let mut wanted: Vec<(String, AxisValue)> = Vec::new();
    for word in words.iter().flat_map(|words| apart(words)) {
        let (name, value) =
            word.split_once('=').ok_or_else(|| ChoiceError::NotPaired { word: word.escape_debug().to_string() })?;
        let axis = gate.matrix.axes.iter().find(|axis| axis.name == name).ok_or_else(|| {
            let names: Vec<&str> = gate.matrix.axes.iter().map(|axis| axis.name.as_str()).collect();
            ChoiceError::NoSuchAxis {
                axis: name.escape_debug().to_string(),
                advice: advice(name, "axes of the matrix", &names),
            }
        })?;
        if wanted.iter().any(|(known, _)| known == name) {
            return Err(ChoiceError::Twice { axis: name.to_owned() });
        }
        let known = axis.values.iter().find(|known| known.to_string() == value).ok_or_else(|| {
            let values: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            ChoiceError::NoSuchValue {
                axis: name.to_owned(),
                value: value.escape_debug().to_string(),
                advice: advice(value, &format!("values of `{name}`"), &values),
            }
        })?;
        wanted.push((name.to_owned(), known.clone()));
    }
    Ok(wanted)
}

/// A case as reports print it is several words; a value with a space in it is one.
fn apart(words: &str) -> Vec<&str> {
    let pieces: Vec<&str> = words.split_whitespace().collect();
    if pieces.iter().all(|piece| piece.contains('=')) && !pieces.is_empty() { pieces } else { vec![words] }
}

/// The first of these cases, and how many more there are.
fn named(cases: &[&Case]) -> String {
    let first: Vec<String> = cases.iter().take(NAMED).map(|case| format!("`{case}`")).collect();
    let more = cases.len().saturating_sub(NAMED);
    if more == 0 { first.join(", ") } else { format!("{} and {more} more", first.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Format, parse};

    const FILE: &str = r#"gate = 1
name = "two"
title = "two scripts"
[target.command]
baseline = { run = ["true"] }
candidate = { run = ["true"] }
[matrix]
n = [1, 50, 500]
name = ["plain", "a b"]
exclude = [{ n = 500, name = "a b" }]
[profile.full]
grade = "comparison"
pairs = 10
samples = 1
[[hypothesis]]
id = "all"
claim = "c"
rollback = "r"
[[hypothesis.guardrail]]
metric = "latency"
max_ratio = 2.0
[[hypothesis]]
id = "small"
claim = "c"
rollback = "r"
cases = { n = [1] }
[[hypothesis.guardrail]]
metric = "latency"
max_ratio = 2.0
"#;

    fn gate() -> Gate {
        parse("two.toml", FILE, Format::Toml).expect("a gate").gate
    }

    fn chosen(hypothesis: Option<&str>, words: &[&str]) -> Result<Choice, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        choose(&gate(), "full", hypothesis, &words).map_err(|error| error.to_string())
    }

    #[test]
    fn a_case_is_chosen_by_its_values_in_one_word_or_several() {
        for words in [&["n=50", "name=a b"][..], &["name=a b", "n=50"][..]] {
            assert_eq!(chosen(Some("all"), words).expect("a case").case.to_string(), "n=50 name=a b");
        }
        let choice = chosen(Some("all"), &["n=50 name=plain"]).expect("a case");
        assert_eq!(choice.case.to_string(), "n=50 name=plain");
        let [hypothesis] = choice.gate.hypotheses.as_slice() else { panic!("one hypothesis") };
        assert_eq!((hypothesis.id.as_str(), choice.hypothesis.as_str()), ("all", "all"));
        assert!(hypothesis.cases.matches(&choice.case));
    }

    #[test]
    fn an_axis_on_which_the_cases_do_not_differ_need_not_be_named() {
        assert_eq!(chosen(Some("all"), &["n=500"]).expect("a case").case.to_string(), "n=500 name=plain");
        assert_eq!(chosen(Some("small"), &["name=plain"]).expect("a case").case.to_string(), "n=1 name=plain");
    }

    #[test]
    fn what_there_is_not_is_told_with_what_there_is() {
        for (hypothesis, words, told) in [
            (
                None,
                &[][..],
                "choose a hypothesis of gate `two`: it has `all`, `small`; name one of them with --hypothesis",
            ),
            (
                Some("none"),
                &[][..],
                "hypothesis `none` is not in gate `two`; it has `all`, `small`: name one of them with --hypothesis",
            ),
            (
                Some("all"),
                &["n50"][..],
                "choose a case by `n50`: expected an axis and its value, as in `--case rows=50`",
            ),
            (
                Some("all"),
                &["nam=plain"][..],
                "choose a case by axis `nam`: the matrix has no such axis; did you mean `name`? the axes of the matrix are `n` and `name`",
            ),
            (
                Some("all"),
                &["name=plian"][..],
                "choose a case by `name=plian`: the axis has no such value; did you mean `plain`? the values of `name` are `plain` and `a b`",
            ),
            (
                Some("all"),
                &["n=1", "n=50"][..],
                "choose a case by axis `n`: it is named twice; a case has one value there",
            ),
            (
                Some("all"),
                &["n=500", "name=a b"][..],
                "choose a case by `n=500 name=a b`: hypothesis `all` has none such; its cases are `n=1 name=plain`, `n=1 name=a b`, `n=50 name=plain`, `n=50 name=a b`, `n=500 name=plain`",
            ),
            (
                Some("small"),
                &["n=50"][..],
                "choose a case by `n=50`: hypothesis `small` has none such; its cases are `n=1 name=plain`, `n=1 name=a b`",
            ),
            (
                Some("small"),
                &[][..],
                "choose one case of hypothesis `small`: 2 fit, `n=1 name=plain`, `n=1 name=a b`; name `name` with --case, as in `--case name=plain`",
            ),
        ] {
            assert_eq!(chosen(hypothesis, words).expect_err(told), told);
        }
        let error = choose(&gate(), "quick", Some("all"), &[]).expect_err("no such profile").to_string();
        assert!(error.contains("profile `quick` is not in gate `two`"), "{error}");
    }

    #[test]
    fn many_cases_are_named_in_part() {
        let cases: Vec<Case> = (0..9).map(|n| Case::new(vec![("n".to_owned(), AxisValue::Integer(n))])).collect();
        let text = named(&cases.iter().collect::<Vec<_>>());
        assert!(text.ends_with("`n=5` and 3 more"), "{text}");
    }
}
