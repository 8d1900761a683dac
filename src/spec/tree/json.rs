//! JSON into a tree.

use std::collections::HashMap;

use super::{Entry, Kind, Node, Problem, Span, quoted};

/// The tree of a JSON document.
///
/// # Errors
///
/// What is wrong with the JSON, or a key that stands twice in one object.
pub(super) fn read(text: &str) -> Result<Node, Problem> {
    // serde_json judges the text, and bounds its depth, as it does for values and not for what is ignored; the scanner
    // below may then rely on both.
    serde_json::from_str::<serde_json::Value>(text).map_err(|error| syntax(text, &error))?;
    let root = Scanner { text, at: 0 }.value()?;
    if matches!(root.kind, Kind::Table(_)) {
        return Ok(root);
    }
    let found = root.describe();
    Err(Problem::error(
        root.span,
        format!("a gate file holds {found}"),
        "expected an object",
        "write the keys of the gate in `{ … }`",
    ))
}

fn syntax(text: &str, error: &serde_json::Error) -> Problem {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = (line_start + error.column().saturating_sub(1)).min(text.len());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    Problem::error(
        offset..offset + 1,
        format!("invalid JSON: {message}"),
        "this is not valid JSON",
        "check quotes, commas and brackets here and in the line above",
    )
}

/// Walks over text that is known to be JSON.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, these: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&these) {
            self.at += 1;
        }
    }

    /// Skips white space, and the commas and colons whose places are known to be right.
    fn skip_between(&mut self) {
        self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':'));
    }

    fn value(&mut self) -> Result<Node, Problem> {
        self.skip_between();
        let start = self.at;
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                let kind = Kind::Table(self.entries()?);
                Ok(Node { span: start..start + 1, kind })
            }
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.closes(b']') {
                    items.push(self.value()?);
                }
                Ok(Node { span: start..self.at, kind: Kind::List(items) })
            }
            Some(b'"') => {
                let kind = Kind::Text(self.string());
                Ok(Node { span: start..self.at, kind })
            }
            _ => {
                self.skip(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.'));
                // Every value takes something, so that no loop can stand still.
                self.at = self.at.max(start + 1);
                Ok(Node { span: start..self.at, kind: self.scalar(start..self.at) })
            }
        }
    }

    /// Whether the next token is `bracket`, which is then passed; at the end of the text too, so that no loop can hang.
    fn closes(&mut self, bracket: u8) -> bool {
        self.skip_between();
        let closes = self.peek().is_none_or(|byte| byte == bracket);
        if closes {
            self.at += 1;
        }
        closes
    }

    fn entries(&mut self) -> Result<Vec<Entry>, Problem> {
        let mut entries = Vec::new();
        let mut seen: HashMap<String, Span> = HashMap::new();
        while !self.closes(b'}') {
            let start = self.at;
            let key = self.string();
            let key_span = start..self.at;
            if let Some(first) = seen.insert(key.clone(), key_span.clone()) {
                let message = format!("duplicate key {}", quoted(&key));
                return Err(Problem::error(key_span, message, "expected each key once", "keep one of the two")
                    .beside(first, "first here"));
            }
            let value = self.value()?;
            entries.push(Entry { key, key_span, value });
        }
        Ok(entries)
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        self.text.get(start..self.at).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    fn scalar(&self, span: Span) -> Kind {
        match self.text.get(span).and_then(|text| serde_json::from_str(text).ok()) {
            Some(serde_json::Value::Bool(value)) => Kind::Bool(value),
            Some(serde_json::Value::Number(number)) => match (number.as_i128(), number.as_f64()) {
                (Some(value), _) => Kind::Integer(value),
                (None, Some(value)) => Kind::Float(value),
                (None, None) => Kind::Null,
            },
            _ => Kind::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn to_value(node: &Node) -> Value {
        match &node.kind {
            Kind::Null | Kind::Date(_) => Value::Null,
            Kind::Bool(value) => Value::from(*value),
            Kind::Integer(value) => i64::try_from(*value)
                .map_or_else(|_| Value::from(u64::try_from(*value).expect("in range")), Value::from),
            Kind::Float(value) => Value::from(*value),
            Kind::Text(value) => Value::from(value.as_str()),
            Kind::List(items) => Value::from(items.iter().map(to_value).collect::<Vec<_>>()),
            Kind::Table(entries) => {
                Value::Object(entries.iter().map(|entry| (entry.key.clone(), to_value(&entry.value))).collect())
            }
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter("JSON has no others", |value| value.is_finite()).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_scanner_reads_what_serde_json_reads(value in any_value(), pretty in any::<bool>()) {
            let root = serde_json::json!({ "root": value });
            let text = if pretty { serde_json::to_string_pretty(&root) } else { serde_json::to_string(&root) };
            let text = text.expect("serialises");
            prop_assert_eq!(to_value(&read(&text).expect("is JSON")), root);
        }

        #[test]
        fn every_scalar_span_holds_its_own_text(number in any::<i64>(), word in "[a-zäß\"\\\\]{0,8}") {
            let text = serde_json::to_string_pretty(&serde_json::json!({ "a": [number, word] })).expect("serialises");
            let Kind::Table(entries) = read(&text).expect("is JSON").kind else { panic!("an object") };
            let Kind::List(items) = &entries[0].value.kind else { panic!("an array") };
            prop_assert_eq!(&text[entries[0].key_span.clone()], "\"a\"");
            prop_assert_eq!(&text[items[0].span.clone()], number.to_string());
            prop_assert_eq!(serde_json::from_str::<String>(&text[items[1].span.clone()]).expect("a string"), word);
        }
    }
}
