//! TOML or JSON as one tree, in which every key and value knows where in the text it stands.

mod json;
mod toml;

use std::ops::Range;

use super::diagnostic::{Problem, quoted};
use super::source::{Format, Source};

/// Bytes of the source.
pub(in crate::spec) type Span = Range<usize>;

/// A value, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::spec) struct Node {
    /// Where to point for it: a scalar or an array whole, a table at its header or opening brace.
    pub(in crate::spec) span: Span,
    /// The value.
    pub(in crate::spec) kind: Kind,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::spec) enum Kind {
    /// JSON's null.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number between the least `i64` and the greatest `u64`.
    Integer(i128),
    /// Any other number, in TOML NaN and the infinities too.
    Float(f64),
    /// A string.
    Text(String),
    /// TOML's date or time, which no key of a gate file takes.
    Date(String),
    /// An array.
    List(Vec<Node>),
    /// A table, in the order of the file.
    Table(Vec<Entry>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::spec) struct Entry {
    /// The key.
    pub(in crate::spec) key: String,
    /// Where the key stands.
    pub(in crate::spec) key_span: Span,
    /// Its value.
    pub(in crate::spec) value: Node,
}

impl Node {
    /// The value as a message shows it: a scalar itself, anything else by its kind.
    pub(in crate::spec) fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "`null`".to_owned(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Integer(value) => format!("the number `{value}`"),
            Kind::Float(value) => format!("the number `{value:?}`"),
            Kind::Text(value) => format!("the string {}", quoted(&format!("\"{value}\""))),
            Kind::Date(value) => format!("the date `{value}`"),
            Kind::List(_) => "an array".to_owned(),
            Kind::Table(_) => "a table".to_owned(),
        }
    }
}

/// The tree of `source`.
///
/// # Errors
///
/// The first problem with the notation itself.
pub(in crate::spec) fn read(source: &Source) -> Result<Node, Problem> {
    // A byte order mark is blanked and not cut, so that all offsets stay those of the file.
    let text = match source.text().strip_prefix('\u{feff}') {
        Some(rest) => std::borrow::Cow::Owned(format!("   {rest}")),
        None => std::borrow::Cow::Borrowed(source.text()),
    };
    let mut root = match source.format() {
        Format::Toml => toml::read(&text)?,
        Format::Json => json::read(&text)?,
    };
    if let Kind::Table(entries) = &root.kind {
        root.span = entries.first().map_or(0..0, |entry| entry.key_span.clone());
    }
    Ok(root)
}

/// A place in a tree that the mirror types were read from, followed by key and index.
///
/// Where a key is missing, the place is the table that should have it.
#[derive(Debug, Clone, Copy)]
pub(in crate::spec) struct At<'t> {
    node: Option<&'t Node>,
    key_span: Option<&'t Span>,
    span: &'t Span,
    is_root: bool,
}

impl<'t> At<'t> {
    /// The root of a tree.
    pub(in crate::spec) const fn root(node: &'t Node) -> Self {
        Self { node: Some(node), key_span: None, span: &node.span, is_root: true }
    }

    /// The value of `key`.
    pub(in crate::spec) fn key(self, key: &str) -> Self {
        let found = match self.node.map(|node| &node.kind) {
            Some(Kind::Table(entries)) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        };
        match found {
            Some(entry) => Self {
                node: Some(&entry.value),
                key_span: Some(&entry.key_span),
                span: &entry.value.span,
                is_root: false,
            },
            None => Self { node: None, ..self },
        }
    }

    /// The value number `index` of an array; of anything else the value itself.
    pub(in crate::spec) fn index(self, index: usize) -> Self {
        match self.node.map(|node| &node.kind) {
            Some(Kind::List(items)) => match items.get(index) {
                Some(item) => Self { node: Some(item), key_span: None, span: &item.span, is_root: false },
                None => Self { node: None, ..self },
            },
            _ => self,
        }
    }

    /// Whether the value is a table that has `key`.
    pub(in crate::spec) fn has(self, key: &str) -> bool {
        match self.node.map(|node| &node.kind) {
            Some(Kind::Table(entries)) => entries.iter().any(|entry| entry.key == key),
            _ => false,
        }
    }

    /// Where a key that is missing belongs, in words.
    pub(in crate::spec) const fn place(self) -> &'static str {
        if self.is_root { "at the top of this file" } else { "in this table" }
    }

    /// Where the value stands.
    pub(in crate::spec) fn value_span(self) -> Span {
        self.span.clone()
    }

    /// Where the key stands; for the value of an array, where that stands.
    pub(in crate::spec) fn key_span(self) -> Span {
        self.key_span.unwrap_or(self.span).clone()
    }
}
