//! A program that is measured, and what it must answer: plain data, with placeholders for the axes of a case.
//!
//! `{axis}` in an argument, a variable's value or a number of lines stands for the case's value on that axis. Doubled
//! braces stand for themselves, and so does `${…}`, which is a shell's. Braces around anything but a name are left alone.

use serde::{Deserialize, Serialize};

use crate::reading::Format;
use crate::unit::{AxisValue, Case, Direction, Unit};

/// A program and its arguments: what is executed, without a shell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program and its arguments; never empty.
    pub run: Vec<String>,
    /// Environment variables that are set for it beside those that `gate` itself has.
    pub env: Vec<(String, String)>,
    /// Its working folder; without one, `gate`'s own.
    pub cwd: Option<String>,
}

/// What every execution must answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expect {
    /// The exit code.
    pub exit: u8,
    /// What its standard output is held to.
    pub stdout: Option<Stdout>,
    /// The lines of its standard output: a number, or a placeholder that becomes one.
    pub lines: Option<String>,
}

/// What standard output is held to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stdout {
    /// The baseline's, byte for byte.
    Same,
    /// The one of this SHA-256, in hex.
    Sha256(String),
}

/// What is measured of an execution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// The execution itself: its time, and what it used.
    #[default]
    Time,
    /// What the program reports of its own benches, in this format.
    Benches(Format),
}

/// The placeholder that becomes a path where the program is to write its benches; without it they are on its standard output.
pub const OUTPUT: &str = "output";

/// What one process of a campaign executes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The program.
    pub program: Program,
    /// What is measured of it.
    pub output: Output,
    /// The metrics of its benches that are kept.
    pub metrics: Vec<Kept>,
    /// What every execution must answer.
    pub expect: Expect,
    /// The digests of the baseline's answers, case by case, where they are what this side's are held to.
    pub references: Vec<(Case, String)>,
}

/// A metric of a program's benches that is kept, and what it is taken for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// The unit of its values.
    pub unit: Unit,
    /// Which way is better.
    pub direction: Direction,
}

impl Program {
    /// The program in `case`: its placeholders filled.
    #[must_use]
    pub fn of(&self, case: &Case) -> Self {
        Self {
            run: self.run.iter().map(|text| fill(text, case)).collect(),
            env: self.env.iter().map(|(name, value)| (name.clone(), fill(value, case))).collect(),
            cwd: self.cwd.clone(),
        }
    }

    /// Whether it is told where to write its benches.
    #[must_use]
    pub fn is_told_where(&self) -> bool {
        self.texts().any(|text| placeholders(text).any(|name| name == OUTPUT))
    }

    /// The program with `path` where it is to write its benches.
    #[must_use]
    pub fn told(&self, path: &str) -> Self {
        self.of(&Case::new(vec![(OUTPUT.to_owned(), AxisValue::Text(path.to_owned()))]))
    }

    /// Every text of it that may have placeholders.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.run.iter().chain(self.env.iter().map(|(_, value)| value)).map(String::as_str)
    }
}

/// A piece of a text: itself, or the name between braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    Name(&'t str),
}

/// `text` with the values of `case` in place of its placeholders.
#[must_use]
pub fn fill(text: &str, case: &Case) -> String {
    let value = |name: &str| case.get(name).map_or_else(|| format!("{{{name}}}"), ToString::to_string);
    pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Name(name) => value(name),
        })
        .collect()
}

/// The names of the placeholders in `text`.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Name(name) => Some(name),
        Piece::Text(_) => None,
    })
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, after) = rest.split_at(at);
        pieces.push(Piece::Text(before));
        let doubled = after.starts_with("{{") || after.starts_with("}}");
        let name = after[1..].split_once('}').map(|(name, _)| name).filter(|name| is_name(name));
        rest = match name {
            _ if doubled => {
                pieces.push(Piece::Text(&after[..1]));
                &after[2..]
            }
            Some(name) if after.starts_with('{') && !before.ends_with('$') => {
                pieces.push(Piece::Name(name));
                &after[name.len() + 2..]
            }
            _ => {
                pieces.push(Piece::Text(&after[..1]));
                &after[1..]
            }
        };
    }
    pieces.push(Piece::Text(rest));
    pieces
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> Case {
        Case::new(vec![
            ("rows".to_owned(), AxisValue::Integer(50)),
            ("shape".to_owned(), AxisValue::Text("wide".to_owned())),
        ])
    }

    #[test]
    fn a_placeholder_becomes_the_value_of_its_axis() {
        assert_eq!(fill("--rows={rows}x{shape}", &case()), "--rows=50xwide");
        assert_eq!(placeholders("{rows}{shape}").collect::<Vec<_>>(), ["rows", "shape"]);
    }

    #[test]
    fn braces_that_are_no_placeholder_stay() {
        for text in ["${HOME}", "{print $1}", "{ rows }", "{}", "a{", "}b", "{1}", "[0-9]{3}"] {
            assert_eq!(fill(text, &case()), text);
            assert_eq!(placeholders(text).count(), 0, "{text}");
        }
        assert_eq!(fill("{{rows}}", &case()), "{rows}");
    }

    #[test]
    fn a_program_is_filled_in_its_arguments_and_variables_alone() {
        let program = Program {
            run: vec!["./x".to_owned(), "{rows}".to_owned()],
            env: vec![("N".to_owned(), "{rows}".to_owned())],
            cwd: Some("{rows}".to_owned()),
        };
        let filled = program.of(&case());
        assert_eq!(filled.run, ["./x", "50"]);
        assert_eq!(filled.env, [("N".to_owned(), "50".to_owned())]);
        assert_eq!(filled.cwd.as_deref(), Some("{rows}"));
    }
}
