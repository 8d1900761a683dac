//! The problems found so far, and the checks that many keys share.

use std::ops::RangeInclusive;

use crate::spec::diagnostic::{Problem, listed, quoted};
use crate::spec::quantity::{QuantityError, time_ns};
use crate::spec::suggest::{advice, nearest};
use crate::spec::tree::{At, Span};

/// The longest line of text, in characters.
const LONGEST_LINE: usize = 1_000;
/// The longest name, in characters: it becomes part of a file's name.
const LONGEST_NAME: usize = 64;
/// The longest time, in nanoseconds: a day.
const LONGEST_TIME_NS: u64 = 24 * 3_600_000_000_000;
/// What already stands beside the gates' own folders under `results/`.
const TAKEN_NAMES: &[&str] = &["history.jsonl", "reference"];

/// The problems found so far.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Problem>);

impl Findings {
    /// Notes an error at `span`.
    pub(super) fn error(
        &mut self,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Problem::error(span, message, expected, help));
    }

    /// Notes a problem.
    pub(super) fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// All problems.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.0
    }

    /// The value of a key that the table at `table` needs; `example` is what help shows as its value.
    pub(super) fn required<T>(&mut self, table: At<'_>, key: &str, value: Option<T>, example: &str) -> Option<T> {
        if value.is_none() {
            self.error(
                table.value_span(),
                format!("missing key `{key}`"),
                format!("expected `{key}` {}", table.place()),
                format!("add `{key} = {example}`"),
            );
        }
        value
    }

    /// A line of text that the table at `table` needs.
    pub(super) fn required_line(
        &mut self,
        table: At<'_>,
        key: &str,
        value: Option<&str>,
        example: &str,
    ) -> Option<String> {
        let text = self.required(table, key, value, &format!("\"{example}\""))?;
        self.line(table.key(key), key, text)
    }

    /// A line of text: neither blank nor overlong, without control characters.
    pub(super) fn line(&mut self, at: At<'_>, key: &str, text: &str) -> Option<String> {
        let message = if text.trim().is_empty() {
            format!("empty `{key}`")
        } else if text.chars().any(char::is_control) {
            format!("`{key}` has a line break or another control character")
        } else if text.chars().count() > LONGEST_LINE {
            format!("`{key}` is longer than {LONGEST_LINE} characters")
        } else {
            return Some(text.to_owned());
        };
        let help = "write one line; in TOML a long one may be broken by a backslash at the end within `\"\"\"`";
        self.error(at.value_span(), message, "expected one line of text", help);
        None
    }

    /// A name that the table at `table` needs.
    pub(super) fn required_name(
        &mut self,
        table: At<'_>,
        key: &str,
        value: Option<&str>,
        example: &str,
    ) -> Option<String> {
        let name = self.required(table, key, value, &format!("\"{example}\""))?;
        self.name(table.key(key).value_span(), key, name)
    }

    /// A name that is fit to become part of a file's name.
    pub(super) fn name(&mut self, span: Span, what: &str, name: &str) -> Option<String> {
        let fit = name.len() <= LONGEST_NAME
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !name.ends_with('.');
        if fit && !TAKEN_NAMES.contains(&name) {
            return Some(name.to_owned());
        }
        let (expected, help) = if fit {
            ("this name is taken by another file of `results/`".to_owned(), "choose another name")
        } else {
            (
                format!("expected a letter or digit, then letters, digits, `-`, `_` and `.`: at most {LONGEST_NAME}"),
                "choose a name that can be the name of a file, such as `native-detail`",
            )
        };
        let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        self.error(span, format!("{} can't be {article} {what}", quoted(name)), expected, help);
        None
    }

    /// A whole number within `range`; `example` is what help shows as its value.
    pub(super) fn whole(
        &mut self,
        at: At<'_>,
        key: &str,
        value: i64,
        range: RangeInclusive<u32>,
        example: &str,
    ) -> Option<u32> {
        match u32::try_from(value) {
            Ok(value) if range.contains(&value) => Some(value),
            _ => {
                let message = format!("`{key}` can't be {value}");
                let expected = format!("expected a whole number from {} to {}", range.start(), range.end());
                self.error(at.value_span(), message, expected, format!("write `{key} = {example}`"));
                None
            }
        }
    }

    /// The nanoseconds of a time of at most a day.
    pub(super) fn time(&mut self, at: At<'_>, key: &str, text: &str, example: &str) -> Option<u64> {
        let ns = time_ns(text).and_then(|ns| if ns > LONGEST_TIME_NS { Err(QuantityError::TooLarge) } else { Ok(ns) });
        let expected =
            "expected a time from `1ns` to `24h`: a number and one of the units `ns`, `us`, `ms`, `s`, `m` and `h`";
        self.quantity(at, key, text, ns, expected, example)
    }

    /// What a quantity came to, or a problem that says why it came to nothing.
    pub(super) fn quantity(
        &mut self,
        at: At<'_>,
        key: &str,
        text: &str,
        value: Result<u64, QuantityError>,
        expected: &str,
        example: &str,
    ) -> Option<u64> {
        value
            .map_err(|why| {
                let message = format!("`{key}` can't be {}: {why}", quoted(text));
                self.error(at.value_span(), message, expected, format!("write `{key} = \"{example}\"`"));
            })
            .ok()
    }

    /// The one of `choices` that `name` names.
    pub(super) fn choice<T: Copy>(&mut self, at: At<'_>, key: &str, name: &str, choices: &[(&str, T)]) -> Option<T> {
        let found = choices.iter().find(|(choice, _)| *choice == name).map(|(_, value)| *value);
        if found.is_none() {
            let names = || choices.iter().map(|(choice, _)| *choice);
            let help = match nearest(name, names()) {
                Some(meant) => format!("did you mean {}?", quoted(meant)),
                None => format!("write `{key} = \"{}\"`", names().next().unwrap_or_default()),
            };
            let message = format!("unknown {key} {}", quoted(name));
            self.error(at.value_span(), message, format!("expected {}", listed(names(), "or")), help);
        }
        found
    }

    /// Notes that `name` is not among `known`, which are `what`.
    pub(super) fn unknown(&mut self, span: Span, kind: &str, name: &str, what: &str, known: &[&str]) {
        let message = format!("unknown {kind} {}", quoted(name));
        self.error(span, message, format!("expected one of the {what}"), advice(name, what, known));
    }
}
