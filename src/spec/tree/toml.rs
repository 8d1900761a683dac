//! TOML into a tree.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Entry, Kind, Node, Problem, Span};

/// The tree of a TOML document.
///
/// # Errors
///
/// What is wrong with the TOML, or a number that doesn't fit.
pub(super) fn read(text: &str) -> Result<Node, Problem> {
    let document = DeTable::parse(text).map_err(|error| syntax(text, &error))?;
    let span = document.span();
    table(document.into_inner(), span)
}

fn table(table: DeTable<'_>, span: Span) -> Result<Node, Problem> {
    let mut entries = table
        .into_iter()
        .map(|(key, value)| {
            let key_span = key.span();
            Ok(Entry { key: key.into_inner().into_owned(), key_span, value: node(value)? })
        })
        .collect::<Result<Vec<_>, Problem>>()?;
    // The parser sorts by name; the order of the file is the order of the axes.
    entries.sort_by_key(|entry| entry.key_span.start);
    Ok(Node { span, kind: Kind::Table(entries) })
}

fn node(value: Spanned<DeValue<'_>>) -> Result<Node, Problem> {
    let span = value.span();
    let kind = match value.into_inner() {
        DeValue::String(text) => Kind::Text(text.into_owned()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) if (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value) => Kind::Integer(value),
            _ => return Err(too_large(span, number.as_str())),
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(value) if value.is_infinite() && !number.as_str().contains("inf") => {
                return Err(too_large(span, number.as_str()));
            }
            Ok(value) => Kind::Float(value),
            Err(_) => return Err(too_large(span, number.as_str())),
        },
        DeValue::Boolean(value) => Kind::Bool(value),
        DeValue::Datetime(value) => Kind::Date(value.to_string()),
        DeValue::Array(items) => Kind::List(items.into_iter().map(node).collect::<Result<_, _>>()?),
        DeValue::Table(inner) => return table(inner, span),
    };
    Ok(Node { span, kind })
}

fn too_large(span: Span, number: &str) -> Problem {
    let number = super::quoted(number);
    Problem::error(
        span,
        format!("number {number} does not fit"),
        "expected a number of 64 bits",
        "write a smaller number",
    )
}

fn syntax(text: &str, error: &toml::de::Error) -> Problem {
    let span = error.span().unwrap_or(text.len()..text.len());
    let (message, expected) = match error.message().split_once(", expected ") {
        Some((message, expected)) => (message, format!("expected {expected}")),
        None => (error.message(), "this is not valid TOML".to_owned()),
    };
    let ends = text.get(span.start..).is_none_or(|rest| rest.is_empty() || rest.starts_with(['\n', '\r']));
    if ends && message.contains("must be quoted") {
        let help = "write a value after the `=`";
        return Problem::error(span, "invalid TOML: key without a value", "expected a value", help);
    }
    let help = match message {
        "duplicate key" => {
            "keep one of the two; a list of tables has a header in double brackets, `[[name]]`, each time"
        }
        _ if message.contains("must be quoted") => "write text in quotes: `key = \"text\"`",
        _ => {
            "TOML is `key = value`, a key to a line, below headers such as `[table]`; gates/examples/minimal.toml is one to start from"
        }
    };
    Problem::error(span, format!("invalid TOML: {message}"), expected, help)
}
