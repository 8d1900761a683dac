//! A tree into the mirror types, with messages that show the value that doesn't fit.
//!
//! Unknown keys are noted and passed over, so that all of them are reported at once; a value of the wrong type ends
//! the reading.

use std::cell::RefCell;
use std::fmt;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::diagnostic::{Problem, listed, quoted};
use super::suggest::nearest;
use super::tree::{Entry, Kind, Node, Span};

/// As many unknown keys are noted; beyond them the file is not a gate file.
const MOST_UNKNOWN: usize = 50;

/// The mirror of `root`, unless a value has the wrong type, and every problem on the way.
pub(super) fn decode<T: DeserializeOwned>(root: &Node) -> (Option<T>, Vec<Problem>) {
    let unknown = RefCell::new(Vec::new());
    let decoded = T::deserialize(Decoder { node: root, unknown: &unknown });
    let mut problems = unknown.into_inner();
    match decoded {
        Ok(file) => (Some(file), problems),
        Err(fault) => {
            problems.push(fault.into_problem(root));
            (None, problems)
        }
    }
}

/// What keeps a value from being read.
#[derive(Debug)]
struct Fault {
    what: What,
    expected: String,
    /// The keys that lead to it, the outermost first.
    keys: Vec<String>,
    node: Option<Box<Node>>,
}

#[derive(Debug)]
enum What {
    Type,
    Value,
    Other(String),
}

impl Fault {
    fn new(what: What, expected: impl Into<String>) -> Self {
        Self { what, expected: expected.into(), keys: Vec::new(), node: None }
    }

    /// The same fault, known to lie in `node`, unless it is known to lie deeper.
    fn at(mut self, node: &Node) -> Self {
        if self.node.is_none() {
            // What a message needs of a table or an array is its place, not what is in it.
            let kind = match &node.kind {
                Kind::List(_) => Kind::List(Vec::new()),
                Kind::Table(_) => Kind::Table(Vec::new()),
                scalar => scalar.clone(),
            };
            self.node = Some(Box::new(Node { span: node.span.clone(), kind }));
        }
        self
    }

    /// The same fault, known to lie under `key`.
    fn under(mut self, key: &str) -> Self {
        self.keys.insert(0, key.to_owned());
        self
    }

    fn into_problem(self, root: &Node) -> Problem {
        let node = self.node.as_deref().unwrap_or(root);
        let key = self.keys.last().map_or("the file", String::as_str);
        let expected = in_words(&self.expected);
        let (message, label) = match &self.what {
            What::Type => {
                (format!("wrong type for {}", quoted(key)), format!("expected {expected}, found {}", node.describe()))
            }
            What::Value => {
                let large = matches!(node.kind, Kind::Integer(value) if value > i128::from(i64::MAX));
                let fit = if large { " that fits 64 bits with its sign" } else { "" };
                (
                    format!("{} is out of range for {}", node.describe(), quoted(key)),
                    format!("expected {expected}{fit}"),
                )
            }
            What::Other(message) => {
                (format!("{} can't be read: {message}", quoted(key)), format!("expected {expected}"))
            }
        };
        Problem::error(node.span.clone(), message, label, remedy(key, &self.keys.join("."), &expected, node))
    }
}

/// serde's words for a type, in the words of a gate file.
fn in_words(expected: &str) -> String {
    match expected {
        "a string" | "string" => "a string in quotes",
        "i64" => "a whole number",
        "u64" => "a whole number, 0 or more",
        "f64" => "a number",
        "a sequence" => "an array",
        other if other.starts_with("struct ") => "a table",
        other => other,
    }
    .to_owned()
}

/// How to turn what was found under `key`, or below the header `path`, into what was expected.
fn remedy(key: &str, path: &str, expected: &str, node: &Node) -> String {
    let wants = |word: &str| expected.starts_with(word);
    match &node.kind {
        Kind::Null => format!("leave `{key}` out, or write {expected}"),
        Kind::Text(text) if expected.contains("number") && text.trim().parse::<f64>().is_ok() => {
            format!("write it without quotes: `{}`", text.trim())
        }
        Kind::Float(value) if expected.contains("whole number") => {
            format!("write it without a fraction: `{value:.0}`")
        }
        Kind::Bool(value) if wants("a string") => format!("put it in quotes: `\"{value}\"`"),
        Kind::Integer(value) if wants("a string") => format!("put it in quotes: `\"{value}\"`"),
        Kind::Float(value) if wants("a string") => format!("put it in quotes: `\"{value}\"`"),
        Kind::Date(value) if wants("a string") => format!("put it in quotes: `\"{value}\"`"),
        Kind::Table(_) if wants("an array") => {
            format!("in TOML, write its header in double brackets, `[[{path}]]`, or its value as an array, `[…]`")
        }
        Kind::List(_) if wants("a table") => {
            format!("in TOML, write its header in single brackets, `[{path}]`, or its value as a table, `{{ … }}`")
        }
        _ if wants("an array") => "put it in square brackets: `[…]`".to_owned(),
        _ if wants("a table") => {
            "write the keys of the table in braces, `{ key = value }`, or below a header of its own".to_owned()
        }
        _ => format!("write {expected}"),
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.expected)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(What::Other(message.to_string()), "another value")
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(What::Type, expected.to_string())
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(What::Value, expected.to_string())
    }
}

#[derive(Clone, Copy)]
struct Decoder<'n> {
    node: &'n Node,
    unknown: &'n RefCell<Vec<Problem>>,
}

impl<'n> Decoder<'n> {
    fn note_unknown(&self, entry: &Entry, fields: &[&str]) {
        let mut unknown = self.unknown.borrow_mut();
        if unknown.len() < MOST_UNKNOWN {
            unknown.push(unknown_key(&entry.key, entry.key_span.clone(), fields));
        }
    }

    fn entries(self, entries: impl Iterator<Item = &'n Entry> + 'n) -> Entries<'n> {
        Entries { rest: Box::new(entries), value: None, unknown: self.unknown }
    }
}

fn unknown_key(key: &str, span: Span, fields: &[&str]) -> Problem {
    // A schema's address is for editors, and no part of what a gate says.
    let mut known: Vec<&str> = fields.iter().copied().filter(|field| !field.starts_with('$')).collect();
    known.sort_unstable();
    let one_of = if known.len() > 1 { "one of " } else { "" };
    let expected = format!("expected {one_of}{}", listed(known.iter().copied(), "or"));
    let help = match nearest(key, known.iter().copied()) {
        Some(meant) => format!("did you mean {}?", quoted(meant)),
        None => "remove the key, or move it to the table that it belongs to".to_owned(),
    };
    Problem::error(span, format!("unknown key {}", quoted(key)), expected, help)
}

impl<'de> Deserializer<'de> for Decoder<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.kind {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool(value) => visitor.visit_bool(*value),
            Kind::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => visitor.visit_i64(value),
                (Err(_), Ok(value)) => visitor.visit_u64(value),
                (Err(_), Err(_)) => Err(Fault::new(What::Value, "a number of 64 bits")),
            },
            Kind::Float(value) => visitor.visit_f64(*value),
            Kind::Text(value) => visitor.visit_borrowed_str(value),
            Kind::Date(_) => Err(de::Error::invalid_type(de::Unexpected::Other("date"), &visitor)),
            Kind::List(items) => visitor.visit_seq(Items { items: items.iter(), unknown: self.unknown }),
            Kind::Table(entries) => visitor.visit_map(self.entries(entries.iter())),
        }
        .map_err(|fault: Fault| fault.at(self.node))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let Kind::Table(entries) = &self.node.kind else {
            return Err(Fault::new(What::Type, "a table").at(self.node));
        };
        for entry in entries.iter().filter(|entry| !fields.contains(&entry.key.as_str())) {
            self.note_unknown(entry, fields);
        }
        visitor
            .visit_map(self.entries(entries.iter().filter(|entry| fields.contains(&entry.key.as_str()))))
            .map_err(|fault: Fault| fault.at(self.node))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

struct Items<'n> {
    items: std::slice::Iter<'n, Node>,
    unknown: &'n RefCell<Vec<Problem>>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        self.items.next().map(|node| seed.deserialize(Decoder { node, unknown: self.unknown })).transpose()
    }
}

struct Entries<'n> {
    rest: Box<dyn Iterator<Item = &'n Entry> + 'n>,
    value: Option<&'n Entry>,
    unknown: &'n RefCell<Vec<Problem>>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.value = self.rest.next();
        self.value.map(|entry| seed.deserialize(BorrowedStrDeserializer::new(&entry.key))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let entry = self.value.take().ok_or_else(|| Fault::new(What::Type, "a key before its value"))?;
        seed.deserialize(Decoder { node: &entry.value, unknown: self.unknown }).map_err(|fault| fault.under(&entry.key))
    }
}
