//! The line protocol of `gate` itself, for programs in any language: one JSON object a line.
//!
//! | message | keys |
//! |---|---|
//! | `{"gate":"metric"}` | `name`, `unit`, `direction`, `samples`, and `bench` unless there is only one |
//! | `{"gate":"check"}` | `name`, `expected`, `observed`, and `bench` where it is of one |
//! | `{"gate":"done"}` | none; the last message |
//!
//! Any other line is log. A line that begins as a message, and is none, is an error.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use crate::unit::{Direction, Unit};

use super::json::Place;
use super::metric::{self, Metric};
use super::{Bench, FailedCheck, Format, Reading, ReadingError};
use crate::printable;

/// The bench of a program that names none.
const ONLY: &str = "main";

/// The most of a program's log that is kept, in bytes.
const MOST_LOG: usize = 64 << 10;

/// What a message of this protocol has, and other JSON hasn't.
const KEY: &[u8] = b"\"gate\"";

#[derive(Deserialize)]
#[serde(tag = "gate", rename_all = "kebab-case", deny_unknown_fields)]
enum Message {
    Metric {
        #[serde(default)]
        bench: Option<String>,
        name: String,
        unit: String,
        direction: Direction,
        samples: Vec<f64>,
    },
    Check {
        #[serde(default)]
        bench: Option<String>,
        name: String,
        expected: Value,
        observed: Value,
    },
    Done {},
}

/// Whether some line is a message, or begins as one.
pub(super) fn speaks(bytes: &[u8]) -> bool {
    bytes.split(|&byte| byte == b'\n').any(is_message)
}

/// Whether a line is a message, or begins as one: an object whose first key is `gate`, or any object that has the key.
fn is_message(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Tagged {
        #[serde(rename = "gate")]
        _gate: serde::de::IgnoredAny,
    }
    let Some(object) = line.trim_ascii_start().strip_prefix(b"{") else { return false };
    object.trim_ascii_start().starts_with(KEY)
        || (object.windows(KEY.len()).any(|window| window == KEY) && serde_json::from_slice::<Tagged>(line).is_ok())
}

pub(super) fn parse(label: &str, bytes: &[u8]) -> Result<Reading, ReadingError> {
    let mut reader = Reader { label, number: 0, done: false, benches: Vec::new(), failed: Vec::new() };
    let mut log = Log::default();
    for line in bytes.split(|&byte| byte == b'\n') {
        reader.number += 1;
        if is_message(line) {
            reader.message(line)?;
        } else if !(line.is_empty() && reader.done) {
            log.add(line);
        }
    }
    if !reader.done {
        return Err(reader.wrong(
            "it ends without `{\"gate\":\"done\"}`, so that what it measured may be cut off",
            "let the program write that line last",
        ));
    }
    let mut reading = Reading::new(label, Format::Gate, [], reader.benches)?;
    reading.failed = reader.failed;
    reading.log = log.lines.into_iter().map(printable::bytes).collect();
    Ok(reading)
}

/// The last lines that fit into [`MOST_LOG`].
#[derive(Default)]
struct Log<'a> {
    lines: VecDeque<&'a [u8]>,
    bytes: usize,
}

impl<'a> Log<'a> {
    fn add(&mut self, line: &'a [u8]) {
        self.lines.push_back(line);
        self.bytes += line.len() + 1;
        while self.bytes > MOST_LOG {
            let Some(first) = self.lines.pop_front() else { return };
            self.bytes -= first.len() + 1;
        }
    }
}

struct Reader<'a> {
    label: &'a str,
    /// The line, from 1.
    number: usize,
    done: bool,
    benches: Vec<Bench>,
    failed: Vec<FailedCheck>,
}

impl Reader<'_> {
    fn wrong(&self, why: impl Into<String>, remedy: &'static str) -> ReadingError {
        ReadingError::Message { label: self.label.to_owned(), line: self.number, why: why.into(), remedy }
    }

    fn message(&mut self, line: &[u8]) -> Result<(), ReadingError> {
        if self.done {
            return Err(self.wrong("a message after `{\"gate\":\"done\"}`", "let that be the last one"));
        }
        let message = serde_json::from_slice(line).map_err(|error| {
            // An object that is tagged tells no column.
            let why = match serde_json::from_slice::<Value>(line) {
                Err(syntax) => format!("{} in column {}", words(&syntax), syntax.column()),
                Ok(_) => words(&error),
            };
            self.wrong(
                printable::short(&why),
                "write it as `{\"gate\":\"metric\",\"name\":\"latency\",\"unit\":\"ns\",\"direction\":\"lower\",\"samples\":[1,2]}`",
            )
        })?;
        match message {
            Message::Done {} => self.done = true,
            Message::Metric { bench, name, unit, direction, samples } => {
                self.metric(&bench.unwrap_or_else(|| ONLY.to_owned()), &name, &unit, direction, &samples)?;
            }
            Message::Check { bench, name, expected, observed } => {
                if expected != observed {
                    let shown = |value: &Value| printable::short(&value.to_string());
                    self.failed.push(FailedCheck {
                        bench: bench.as_deref().map(printable::text),
                        check: printable::short(&name),
                        expected: shown(&expected),
                        observed: shown(&observed),
                    });
                }
            }
        }
        Ok(())
    }

    /// Adds samples, after those of the same metric that came before.
    fn metric(
        &mut self,
        bench: &str,
        name: &str,
        unit: &str,
        direction: Direction,
        samples: &[f64],
    ) -> Result<(), ReadingError> {
        if name.trim().is_empty() || bench.trim().is_empty() {
            return Err(self.wrong("a metric or bench without a name", "give each a name that a budget can hold"));
        }
        let metric = Metric { direction, ..in_unit(name, unit) };
        let at = format!("line {}", self.number);
        let place = Place { label: self.label, at: &at, bench };
        let series = place.series(" samples", &metric, samples)?;
        let index = self.benches.iter().position(|known| known.name == bench).unwrap_or_else(|| {
            self.benches.push(Bench { name: bench.to_owned(), series: Vec::new() });
            self.benches.len() - 1
        });
        let known = &mut self.benches[index].series;
        match known.iter_mut().find(|known| known.metric == name) {
            None => known.push(series),
            Some(before) if (before.unit, before.direction) == (series.unit, series.direction) => {
                before.values.extend(series.values);
            }
            Some(_) => {
                return Err(place.wrong(format!(
                    "`{}` came with another unit or direction before; write the same each time",
                    printable::short(name)
                )));
            }
        }
        Ok(())
    }
}

/// What serde says, without a place: each message is a line of its own.
fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(words, _)| words.to_owned())
}

/// The metric `name` whose values are written in `unit`.
fn in_unit(name: &str, unit: &str) -> Metric {
    let (unit, factor) = match unit {
        "B" | "bytes" => (Unit::Bytes, 1.0),
        "kB" => (Unit::Bytes, 1e3),
        "MB" => (Unit::Bytes, 1e6),
        "GB" => (Unit::Bytes, 1e9),
        "KiB" => (Unit::Bytes, 1024.0),
        "MiB" => (Unit::Bytes, 1_048_576.0),
        "GiB" => (Unit::Bytes, 1_073_741_824.0),
        "count" => (Unit::Count, 1.0),
        "op/s" | "ops/s" => (Unit::OperationsPerSecond, 1.0),
        "B/s" => (Unit::BytesPerSecond, 1.0),
        "MB/s" => (Unit::BytesPerSecond, 1e6),
        other => metric::nanoseconds_in(other).map_or((Unit::Other, 1.0), |factor| (Unit::Nanoseconds, factor)),
    };
    Metric::lower(name, unit, factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = "{\"gate\":\"done\"}\n";

    fn read(text: &str) -> Result<Reading, ReadingError> {
        parse("f", text.as_bytes())
    }

    fn latency(more: &str) -> String {
        format!(
            r#"{{"gate":"metric","name":"latency","unit":"ms","direction":"lower","samples":[1.5,2]{more}}}
"#
        )
    }

    #[test]
    fn samples_of_one_metric_come_in_as_many_lines_as_it_likes() {
        let text = format!("starting\n{}{{\"log\":1}}\n{}ready\n{DONE}\n", latency(""), latency(""));
        let reading = read(&text).unwrap();
        assert_eq!(reading.benches.len(), 1);
        assert_eq!(reading.benches[0].name, "main");
        let series = &reading.benches[0].series[0];
        assert_eq!((series.unit, series.values.as_slice()), (Unit::Nanoseconds, &[1.5e6, 2e6, 1.5e6, 2e6][..]));
        assert_eq!(reading.log, ["starting", "{\"log\":1}", "ready"]);
        assert!(reading.failed.is_empty());
    }

    #[test]
    fn a_message_is_told_by_its_key_wherever_that_stands() {
        let sorted = r#"{"bench":"a","direction":"higher","gate":"metric","name":"rows","samples":[3],"unit":"rows"}"#;
        let reading = read(&format!("{sorted}\r\n  {{ \"gate\" : \"done\" }}\r\n")).unwrap();
        let series = &reading.benches[0].series[0];
        assert_eq!((reading.benches[0].name.as_str(), series.metric.as_str()), ("a", "rows"));
        assert_eq!((series.unit, series.direction), (Unit::Other, Direction::Higher));
        assert!(speaks(sorted.as_bytes()) && !speaks(b"{\"a\":\"gate\"}\n[\"gate\"]\n{\"x\":\"\\\"gate\\\"\""));
    }

    #[test]
    fn a_check_that_does_not_hold_is_kept_with_both_values() {
        let check = |expected: &str, observed: &str| {
            format!(
                r#"{{"gate":"check","name":"rows","bench":"main","expected":{expected},"observed":{observed}}}
"#
            )
        };
        let text = format!("{}{}{}{DONE}", latency(""), check("[1,\"a\"]", "[1,\"a\"]"), check("10", "\"9\\u001b\""));
        let failed = read(&text).unwrap().failed;
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].to_string(), r#"check `rows` of bench `main`: expected 10, observed "9\u001b""#);
    }

    #[test]
    fn what_is_no_message_is_an_error_with_its_line() {
        let with = |line: &str| format!("noise\n{line}\n{DONE}");
        for (text, says) in [
            (latency(""), "line 2: it ends without `{\"gate\":\"done\"}`"),
            (format!("{DONE}{}", latency("")), "line 2: a message after"),
            (with(r#"{"gate":"metric","name":"latency","unit":"ns","direction":"lower","samples":[1,"#), "line 2: EOF"),
            (
                with(r#"{"gate":"metric","name":"latency","unit":"ns","direction":"lower","samples":[NaN]}"#),
                "column 78",
            ),
            (with(r#"{"gate":"metric","name":"latency","unit":"ns","direction":"down","samples":[1]}"#), "`down`"),
            (with(r#"{"gate":"metric","name":"latency","unit":"ns","samples":[1]}"#), "missing field `direction`"),
            (with(r#"{"gate":"metric","unit":"ns"}"#), "missing field `name`"),
            (with(r#"{"gate":"mertic"}"#), "unknown variant `mertic`"),
            (with(r#"{"gate":5}"#), "line 2: "),
            (with(latency(",\"sample\":1").trim()), "unknown field `sample`"),
            (with(r#"{"gate":"metric","name":" ","unit":"ns","direction":"lower","samples":[1]}"#), "without a name"),
            (
                with(r#"{"gate":"metric","name":"a","unit":"ns","direction":"lower","samples":[1,-2]}"#),
                "line 2 samples[1], bench `main`: `a -2` is no measurement",
            ),
            (with(r#"{"gate":"metric","name":"a","unit":"s","direction":"lower","samples":[1e300]}"#), "too large"),
            (with(r#"{"gate":"metric","name":"a","unit":"s","direction":"lower","samples":[]}"#), "is empty"),
            (format!("{}{}", latency(""), with(&latency("").replace("ms", "B"))), "another unit or direction"),
            (DONE.to_owned(), "there is no bench in it"),
        ] {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn the_end_of_a_long_log_is_kept() {
        let noise: Vec<String> = (0..20_000).map(|line| format!("line {line} \u{1b}[2J\n")).collect();
        let noise = noise.concat();
        let log = read(&format!("{noise}{}{DONE}", latency(""))).unwrap().log;
        assert_eq!(log.last().unwrap(), r"line 19999 \u{1b}[2J");
        assert_eq!(log.len(), MOST_LOG / "line 19999 \u{1b}[2J\n".len());
    }
}
