//! Which format a file is in.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Format, ReadingError, json, protocol};

/// The keys by which JSON documents differ.
#[derive(Deserialize)]
struct Keys {
    results: Option<IgnoredAny>,
    benchmarks: Option<IgnoredAny>,
    context: Option<IgnoredAny>,
    machine_info: Option<IgnoredAny>,
    version: Option<IgnoredAny>,
    #[serde(rename = "primaryMetric")]
    primary_metric: Option<IgnoredAny>,
}

impl Keys {
    /// The formats that these keys belong to.
    fn formats(&self) -> Vec<Format> {
        let mut found = Vec::new();
        if self.results.is_some() {
            found.push(Format::Hyperfine);
        }
        if self.primary_metric.is_some() {
            found.push(Format::Jmh);
        }
        match (self.benchmarks.is_some(), self.context.is_some(), self.machine_info.is_some()) {
            (true, context, true) => {
                found.push(Format::PytestBenchmark);
                if context {
                    found.push(Format::GoogleBenchmark);
                }
            }
            (true, true, false) => found.push(Format::GoogleBenchmark),
            (true, false, false) if self.version.is_some() => found.push(Format::Pyperf),
            _ => {}
        }
        found
    }
}

/// The format of `bytes`; where one is `asked` for, it is that one, unless the bytes are plainly of another.
pub(super) fn format(label: &str, bytes: &[u8], asked: Option<Format>) -> Result<Format, ReadingError> {
    let undetected = |why| ReadingError::Undetected { label: label.to_owned(), why };
    let Some(first) = bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace()) else {
        return Err(ReadingError::Empty { label: label.to_owned() });
    };
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(undetected("it is UTF-16; save it as UTF-8"));
    }
    if asked == Some(Format::Gate) {
        // Its log may look like anything.
        return Ok(Format::Gate);
    }
    let found = match first {
        b'{' | b'[' => match of_json(bytes) {
            Ok(formats) if formats.len() > 1 => {
                let (label, place) = (label.to_owned(), String::new());
                return Err(ReadingError::Mixed { label, one: formats[0].name(), other: formats[1].name(), place });
            }
            Ok(formats) if !formats.is_empty() => formats.first().copied(),
            _ if protocol::speaks(bytes) => Some(Format::Gate),
            Ok(_) => None,
            Err(_) if first == b'{' && is_test_events(bytes) => {
                return Err(undetected("it is the output of `go test -json`; run it without `-json`"));
            }
            Err(error) => {
                let expected = asked.map_or("one whole JSON document", Format::made_by);
                return Err(json::malformed(label, &error, expected));
            }
        },
        _ if has_bench_line(bytes) => Some(Format::Go),
        _ => protocol::speaks(bytes).then_some(Format::Gate),
    };
    match (asked, found) {
        (Some(asked), Some(found)) if asked != found => {
            Err(ReadingError::OtherFormat { label: label.to_owned(), asked, found, made_by: asked.made_by() })
        }
        (Some(asked), _) => Ok(asked),
        (None, Some(found)) => Ok(found),
        (None, None) if matches!(first, b'{' | b'[') => Err(undetected("its JSON has the keys of none of them")),
        (None, None) => Err(undetected("it is no JSON, and no line begins with `Benchmark`")),
    }
}

fn of_json(bytes: &[u8]) -> Result<Vec<Format>, serde_json::Error> {
    /// A document, or a list of them.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Document {
        Object(Keys),
        List(Vec<Keys>),
        Other(IgnoredAny),
    }
    // Parsed as it stands first, because an untagged choice tells no line.
    serde_json::from_slice::<IgnoredAny>(bytes)?;
    let document = serde_json::from_slice(bytes)?;
    Ok(match document {
        Document::Object(keys) => keys.formats(),
        // An empty list has no key at all; only JMH writes lists.
        Document::List(list) => list.first().map_or(vec![Format::Jmh], Keys::formats),
        Document::Other(_) => Vec::new(),
    })
}

fn is_test_events(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1_000)];
    head.windows(9).any(|window| window == b"\"Action\":")
}

fn has_bench_line(bytes: &[u8]) -> bool {
    bytes.split(|&byte| byte == b'\n').any(|line| {
        // Colours may stand before it.
        line.starts_with(b"Benchmark") || (line.first() == Some(&0x1b) && line.windows(9).any(|at| at == b"Benchmark"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<Format, ReadingError> {
        format("f", text.as_bytes(), None)
    }

    #[test]
    fn formats_are_told_by_their_keys() {
        for (text, expected) in [
            ("noise\nBenchmarkA 1 2 ns/op", Format::Go),
            ("\u{1b}[1mBenchmarkA\u{1b}[0m 1 2 ns/op", Format::Go),
            (r#" {"results":[]}"#, Format::Hyperfine),
            (r#"{"context":{},"benchmarks":[]}"#, Format::GoogleBenchmark),
            (r#"{"machine_info":{},"benchmarks":[],"version":"4.0.0"}"#, Format::PytestBenchmark),
            (r#"{"benchmarks":[],"version":"1.0"}"#, Format::Pyperf),
            (r#"[{"primaryMetric":{}}]"#, Format::Jmh),
            ("noise\n{\"gate\":\"done\"}\n", Format::Gate),
            ("{\"level\":\"info\"}\n{\"bench\":\"a\",\"gate\":\"metric\"}", Format::Gate),
        ] {
            assert_eq!(found(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_none_of_them_lists_them() {
        for text in ["hello", "{}", r#"{"a":1}"#, "[1]", "\u{0}\u{1}", r#"{"benchmarks":[]}"#] {
            let error = found(text).unwrap_err();
            assert!(matches!(error, ReadingError::Undetected { .. }), "{text}: {error}");
            for format in Format::ALL {
                assert!(error.to_string().contains(format.name()), "{error}");
            }
        }
        let error = format("f", b"\xff\xfeB\0", None).unwrap_err().to_string();
        assert!(error.contains("UTF-16"), "{error}");
        let error = found("{\"Action\":\"start\"}\n{\"Action\":\"run\"}").unwrap_err().to_string();
        assert!(error.contains("without `-json`"), "{error}");
    }

    #[test]
    fn nothing_at_all_is_an_error() {
        for text in ["", " \r\n\t"] {
            assert!(matches!(found(text), Err(ReadingError::Empty { .. })));
            assert!(matches!(format("f", text.as_bytes(), Some(Format::Go)), Err(ReadingError::Empty { .. })));
        }
    }

    #[test]
    fn two_formats_in_one_are_an_error() {
        for text in [
            r#"{"results":[],"benchmarks":[],"context":{}}"#,
            r#"{"benchmarks":[],"context":{},"machine_info":{}}"#,
            r#"[{"primaryMetric":{},"results":[]}]"#,
        ] {
            assert!(matches!(found(text), Err(ReadingError::Mixed { .. })), "{text}");
        }
        let error = found("{\"results\":[]}\nBenchmarkA 1 2 ns/op").unwrap_err().to_string();
        assert!(error.contains("trailing characters at line 2 column 1"), "{error}");
    }

    #[test]
    fn json_that_is_cut_off_tells_its_line() {
        let error = found("{\"results\":[\n{\"command\":").unwrap_err().to_string();
        assert!(error.contains("line 2 column 11") && error.contains("JSON document"), "{error}");
    }

    #[test]
    fn another_format_than_was_asked_for_is_an_error() {
        let error = format("f", b"BenchmarkA 1 2 ns/op", Some(Format::Jmh)).unwrap_err().to_string();
        assert_eq!(
            error,
            "read `f` as `jmh`: it is `go`; leave out the format, or name the JSON of `-rf json -rff FILE`"
        );
        assert_eq!(format("f", b"nothing", Some(Format::Go)).unwrap(), Format::Go);
    }
}
