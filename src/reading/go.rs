//! The text of `go test -bench`: the Go benchmark data format (golang.org/design/14313-benchmark-format).
//!
//! A bench's line is its name, the iterations, and pairs of value and unit. Lines as `key: value` configure what
//! follows; `Unit` lines say of a unit which way is better. All other lines are noise, among them those of a program
//! that prints.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::unit::{Assumption, Direction};

use super::metric::Metric;
use super::{Bench, Format, Reading, ReadingError};
use crate::printable;

/// What a bench's line begins with; it is no part of the name.
const PREFIX: &[u8] = b"Benchmark";

/// Reads a text of many lines; names and units are compared in place and copied once.
pub(super) fn parse(label: &str, bytes: &[u8]) -> Result<Reading, ReadingError> {
    let bytes = without_colors(bytes);
    let mut reader = Reader { label, ..Reader::default() };
    let mut rest: &[u8] = &bytes;
    while !rest.is_empty() {
        reader.number += 1;
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        reader.line(&rest[..end])?;
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    reader.finish()
}

/// The text without terminal control sequences (ECMA-48, section 5.4), which colour the lines of some tools.
fn without_colors(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&0x1b) {
        return Cow::Borrowed(bytes);
    }
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match after.strip_prefix(b"[").filter(|_| byte == 0x1b) {
            // Parameters and intermediates, then a final byte; a sequence that is cut off ends with its line.
            Some(sequence) => {
                let end = sequence.iter().position(|byte| !(0x20..=0x3f).contains(byte)).unwrap_or(sequence.len());
                let is_whole = sequence.get(end).is_some_and(|last| (0x40..=0x7e).contains(last));
                rest = &sequence[end + usize::from(is_whole)..];
            }
            None => kept.push(byte),
        }
    }
    Cow::Owned(kept)
}

#[derive(Default)]
struct Reader<'a> {
    label: &'a str,
    /// The line, from 1.
    number: usize,
    /// Configuration, each key with its values in their order.
    config: Vec<(&'a [u8], Vec<&'a [u8]>)>,
    /// The packages that have been named, and which of them is the current one.
    packages: Vec<&'a [u8]>,
    package: usize,
    units: Vec<(&'a [u8], Metric)>,
    /// What `Unit` lines say, by the tidied name.
    declared: HashMap<String, (Option<Direction>, Option<Assumption>)>,
    benches: Vec<Slot<'a>>,
    by_name: HashMap<(usize, &'a [u8]), usize>,
    /// The bench of the line before: most often the same.
    last: usize,
}

/// A bench as it grows.
struct Slot<'a> {
    package: usize,
    name: &'a [u8],
    series: Vec<Column>,
}

struct Column {
    /// Which of the reader's units.
    unit: usize,
    /// The last line that gave a value.
    line: usize,
    values: Vec<f64>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a [u8]) -> Result<(), ReadingError> {
        if line.starts_with(PREFIX) {
            return self.bench_line(line);
        }
        match line.first() {
            Some(b'a'..=b'z') => self.config_line(line),
            Some(b'U') => self.unit_line(line),
            Some(b'{' | b'[' | b'"' | b' ' | b'\t') => self.refuse_json(line)?,
            _ => {}
        }
        Ok(())
    }

    fn bench_line(&mut self, line: &'a [u8]) -> Result<(), ReadingError> {
        let mut fields = Fields(line);
        let Some(name) = fields.next() else { return Ok(()) };
        let Some(iterations) = fields.next() else { return Ok(()) };
        // A test that is only named, or one that prints.
        if !iterations[0].is_ascii_digit() {
            return Ok(());
        }
        let wrong = |reader: &Self, why: String| ReadingError::Line {
            label: reader.label.to_owned(),
            line: reader.number,
            bench: printable::bytes(name),
            why,
        };
        if !iterations.iter().all(u8::is_ascii_digit) || iterations.iter().all(|&digit| digit == b'0') {
            let why = format!("`{}` is no number of iterations", printable::bytes(iterations));
            return Err(wrong(self, why));
        }
        // A bench without a name of its own keeps the word.
        let own = name.strip_prefix(PREFIX).filter(|own| !own.is_empty()).unwrap_or(name);
        let bench = self.bench(own);
        let mut pairs = 0;
        while let Some(written) = fields.next() {
            let Some(value) = number(written) else {
                let why = format!("`{}` is no number", printable::bytes(written));
                return Err(wrong(self, why));
            };
            let Some(unit) = fields.next() else {
                let why = format!("`{}` has no unit; the line may be cut off", printable::bytes(written));
                return Err(wrong(self, why));
            };
            let column = self.column(bench, pairs, unit);
            let (at, number) = (self.benches[bench].series[column].unit, self.number);
            let Ok(value) = self.units[at].1.value(value) else {
                return Err(self.no_measurement(name, written, unit));
            };
            let column = &mut self.benches[bench].series[column];
            if column.line == number {
                let why = format!("`{}` stands twice", printable::bytes(unit));
                return Err(wrong(self, why));
            }
            column.line = number;
            column.values.push(value);
            pairs += 1;
        }
        if pairs == 0 { Err(wrong(self, "it has no value; the line may be cut off".to_owned())) } else { Ok(()) }
    }

    fn no_measurement(&self, name: &[u8], written: &[u8], unit: &[u8]) -> ReadingError {
        ReadingError::Value {
            label: self.label.to_owned(),
            at: format!("line {}", self.number),
            bench: printable::bytes(name),
            why: format!("`{} {}` is no measurement", printable::bytes(written), printable::bytes(unit)),
        }
    }

    /// The bench of this name in the current package.
    fn bench(&mut self, name: &'a [u8]) -> usize {
        let package = self.package;
        if self.benches.get(self.last).is_some_and(|last| last.name == name && last.package == package) {
            return self.last;
        }
        let benches = &mut self.benches;
        self.last = *self.by_name.entry((package, name)).or_insert_with(|| {
            benches.push(Slot { package, name, series: Vec::new() });
            benches.len() - 1
        });
        self.last
    }

    /// The column of `unit`, which most often stands where it stood in the line before.
    fn column(&mut self, bench: usize, expected: usize, unit: &'a [u8]) -> usize {
        let series = &self.benches[bench].series;
        let is = |column: &Column| self.units[column.unit].0 == unit;
        if series.get(expected).is_some_and(is) {
            return expected;
        }
        if let Some(column) = series.iter().position(is) {
            return column;
        }
        let known = self.units.iter().position(|(known, _)| *known == unit).unwrap_or_else(|| {
            self.units.push((unit, Metric::tidied(&String::from_utf8_lossy(unit))));
            self.units.len() - 1
        });
        let series = &mut self.benches[bench].series;
        series.push(Column { unit: known, line: 0, values: Vec::new() });
        series.len() - 1
    }

    /// `key: value`; a key begins with a small letter and has neither space nor capital letter.
    fn config_line(&mut self, line: &'a [u8]) {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { return };
        let (key, value) = (&line[..colon], &line[colon + 1..]);
        if key.iter().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_uppercase()) {
            return;
        }
        if !matches!(value.first(), None | Some(b' ' | b'\t' | b'\r')) {
            return;
        }
        let value = value.trim_ascii();
        if key == b"pkg" {
            self.package = self.packages.iter().position(|package| *package == value).unwrap_or_else(|| {
                self.packages.push(value);
                self.packages.len() - 1
            });
        }
        // An empty value only takes the key back.
        if value.is_empty() {
            return;
        }
        match self.config.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) if values.contains(&value) => {}
            Some((_, values)) => values.push(value),
            None => self.config.push((key, vec![value])),
        }
    }

    /// `Unit ns/op better=lower assume=exact`
    fn unit_line(&mut self, line: &'a [u8]) {
        let mut fields = Fields(line);
        if fields.next() != Some(b"Unit") {
            return;
        }
        let Some(unit) = fields.next() else { return };
        let metric = Metric::tidied(&String::from_utf8_lossy(unit));
        let declared = self.declared.entry(metric.name).or_default();
        for field in fields {
            match field {
                b"better=higher" => declared.0 = Some(Direction::Higher),
                b"better=lower" => declared.0 = Some(Direction::Lower),
                b"assume=exact" => declared.1 = Some(Assumption::Exact),
                b"assume=nothing" => declared.1 = Some(Assumption::Noisy),
                _ => {}
            }
        }
    }

    /// A line of another tool's JSON: the file was put together from two.
    fn refuse_json(&self, line: &[u8]) -> Result<(), ReadingError> {
        let line = line.trim_ascii_start();
        if !matches!(line.first(), Some(b'{' | b'[' | b'"')) {
            return Ok(());
        }
        let start = line.trim_ascii_start().iter().position(|byte| !matches!(byte, b'{' | b'[' | b' ')).unwrap_or(0);
        for (key, other) in [
            (&b"\"results\":"[..], Format::Hyperfine),
            (b"\"context\":", Format::GoogleBenchmark),
            (b"\"machine_info\":", Format::PytestBenchmark),
            (b"\"jmhVersion\"", Format::Jmh),
            (b"\"benchmarks\":", Format::Pyperf),
        ] {
            if line[start..].starts_with(key) {
                let (label, place) = (self.label.to_owned(), format!(" at line {}", self.number));
                return Err(ReadingError::Mixed { label, one: "go", other: other.name(), place });
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Reading, ReadingError> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let first = self.benches.first().map(|slot| slot.package);
        let several = self.benches.iter().any(|slot| Some(slot.package) != first);
        let mut metrics: Vec<Metric> = self.units.into_iter().map(|(_, metric)| metric).collect();
        for metric in &mut metrics {
            let (direction, assumption) = self.declared.get(&metric.name).copied().unwrap_or_default();
            metric.direction = direction.unwrap_or(metric.direction);
            metric.assumption = assumption.unwrap_or(metric.assumption);
        }
        let packages = self.packages;
        let benches = self.benches.into_iter().map(|slot| {
            let name = match packages.get(slot.package) {
                Some(package) if several => format!("{}.{}", text(package), text(slot.name)),
                _ => text(slot.name),
            };
            let series = slot.series.into_iter().map(|column| metrics[column.unit].series(column.values)).collect();
            Bench { name, series }
        });
        let benches = benches.collect();
        let config = self.config.into_iter().map(|(key, values)| {
            let values: Vec<String> = values.into_iter().map(text).collect();
            (text(key), values.join(", "))
        });
        Reading::new(self.label, Format::Go, config, benches)
    }
}

/// What stands between white space.
struct Fields<'a>(&'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c);
        let start = self.0.iter().position(|byte| !is_space(byte))?;
        let rest = &self.0[start..];
        let end = rest.iter().position(is_space).unwrap_or(rest.len());
        self.0 = &rest[end..];
        Some(&rest[..end])
    }
}

/// The number that is written, be it infinite or none; nothing where it isn't written as one.
///
/// An integer below 2⁵³ and a power of ten up to 10¹⁵ are exact floats, so that one division rounds once (Clinger 1990,
/// How to Read Floating Point Numbers Accurately). Whatever is longer or has an exponent takes the long way.
fn number(written: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (mut digits, mut decimals, mut in_decimals) = (0_u64, 0, false);
    if written.len() <= 16 && written[0] != b'.' {
        for &byte in written {
            match byte {
                b'0'..=b'9' => {
                    digits = 10 * digits + u64::from(byte - b'0');
                    decimals += usize::from(in_decimals);
                }
                b'.' if !in_decimals => in_decimals = true,
                _ => return long_number(written),
            }
        }
        if digits < 1 << 53 && decimals < POWERS.len() {
            #[expect(clippy::cast_precision_loss, reason = "it is below 2^53")]
            return Some(digits as f64 / POWERS[decimals]);
        }
    }
    long_number(written)
}

#[cold]
fn long_number(written: &[u8]) -> Option<f64> {
    std::str::from_utf8(written).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Reading {
        parse("f", text.as_bytes()).unwrap()
    }

    fn error(text: &str) -> String {
        parse("f", text.as_bytes()).unwrap_err().to_string()
    }

    fn names(reading: &Reading) -> Vec<&str> {
        reading.benches.iter().map(|bench| bench.name.as_str()).collect()
    }

    #[test]
    fn every_pair_is_a_value() {
        let reading = read(
            "goos: linux\ncpu: AMD EPYC  \nBenchmarkA/x=1-8 \t 100\t 250.5 ns/op\t 12.5 MB/s\t 7 p95-ns/op\nPASS\n\
             BenchmarkB-8 1 5 ns/op\nBenchmarkA/x=1-8 100 251 ns/op 13 MB/s 8 p95-ns/op\nok  \tpkg\t1.2s\n",
        );
        assert_eq!(names(&reading), ["A/x=1-8", "B-8"]);
        let series: Vec<_> =
            reading.benches[0].series.iter().map(|series| (series.metric.as_str(), &series.values[..])).collect();
        let expected: [(&str, &[f64]); 3] =
            [("latency", &[250.5, 251.0]), ("B/s", &[12.5e6, 13e6]), ("p95-sec/op", &[7.0, 8.0])];
        assert_eq!(series, expected);
        let host: Vec<_> = reading.host.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(host, [("cpu", "AMD EPYC"), ("goos", "linux")]);
    }

    #[test]
    fn units_may_come_in_any_order_and_be_missing() {
        let reading = read("BenchmarkA 1 5 ns/op 3 x\nBenchmarkA 1 4 x 6 ns/op\nBenchmarkA 1 7 ns/op");
        assert_eq!(reading.benches[0].series[0].values, [5.0, 6.0, 7.0]);
        assert_eq!(reading.benches[0].series[1].values, [3.0, 4.0]);
    }

    #[test]
    fn packages_tell_equal_names_apart() {
        let two = "pkg: a/b\nBenchmarkX 1 1 ns/op\npkg: c\nBenchmarkX 1 2 ns/op\npkg: a/b\nBenchmarkX 1 3 ns/op\n";
        let reading = read(two);
        assert_eq!(names(&reading), ["a/b.X", "c.X"]);
        assert_eq!(reading.benches[0].series[0].values, [1.0, 3.0]);
        assert_eq!(reading.host["pkg"], "a/b, c");
        assert_eq!(names(&read("pkg: empty\nPASS\npkg: c\nBenchmarkX 1 2 ns/op")), ["X"]);
    }

    #[test]
    fn noise_is_skipped() {
        let reading = read(
            "BenchmarkA\nBenchmarkA-8   \tsome log\nBenchmark says hi\nnote:no\nNot: config\na b: c\n\u{0}\n\
             {\"level\":\"info\"}\nBenchmarkA 1 1 ns/op",
        );
        assert_eq!(names(&reading), ["A"]);
        assert!(reading.host.is_empty(), "{:?}", reading.host);
    }

    #[test]
    fn line_ends_and_odd_bytes_are_tolerated() {
        let reading = read("goos: linux\r\nBenchmarkA 1 1 ns/op\r\n\r\nBenchmark 5 2 ns/op\r\n");
        assert_eq!((names(&reading), reading.host["goos"].as_str()), (vec!["A", "Benchmark"], "linux"));
        let reading = parse("f", b"\xff\xfe\xc3\nBenchmark\xff/\x07 1 1 ns/op").unwrap();
        assert_eq!(names(&reading), ["\u{fffd}/\\u{7}"]);
        let reading = read("\u{1b}[32mBenchmarkA\u{1b}[0m 1 1 ns/op\u{1b}[0m\nBenchmark\u{1b}]x 1 1 ns/op\u{1b}[");
        assert_eq!(names(&reading), ["A", r"\u{1b}]x"]);
        assert_eq!(reading.benches[0].series[0].metric, "latency");
    }

    #[test]
    fn unit_lines_declare() {
        let reading =
            read("Unit hits better=higher assume=exact\nUnit MB/s better=lower\nBenchmarkA 1 1 hits 2 MB/s\nUnitary");
        let series = &reading.benches[0].series;
        assert_eq!((series[0].direction, series[0].assumption), (Direction::Higher, Assumption::Exact));
        assert_eq!((series[1].direction, series[1].assumption), (Direction::Lower, Assumption::Noisy));
    }

    #[test]
    fn a_malformed_line_is_told() {
        for (line, says) in [
            ("BenchmarkA 10", "bench `BenchmarkA`: it has no value"),
            ("BenchmarkA 10 5", "`5` has no unit"),
            ("BenchmarkA 10 5 ns/op 7", "`7` has no unit"),
            ("BenchmarkA 10 x ns/op", "`x` is no number"),
            ("BenchmarkA 1.5 5 ns/op", "`1.5` is no number of iterations"),
            ("BenchmarkA 0 5 ns/op", "`0` is no number of iterations"),
            ("BenchmarkA 10 5 ns/op 6 ns/op", "`ns/op` stands twice"),
            ("BenchmarkA 10 NaN ns/op", "`NaN ns/op` is no measurement"),
            ("BenchmarkA 10 +Inf ns/op", "`+Inf ns/op` is no measurement"),
            ("BenchmarkA 10 -1 ns/op", "`-1 ns/op` is no measurement"),
            ("BenchmarkA 10 1e301 ns/op", "`1e301 ns/op` is no measurement"),
            ("BenchmarkA 10 5\u{7} ns/op", r"`5\u{7}` is no number"),
        ] {
            let error = error(&format!("goos: linux\nBenchmarkA 10 5 ns/op\n{line}\n"));
            assert!(error.contains(says) && error.contains("line 3"), "{line}: {error}");
        }
    }

    #[test]
    fn two_formats_in_one_are_an_error() {
        let error = error("BenchmarkA 1 1 ns/op\n{\n  \"results\": [\n");
        assert_eq!(error, "read `f`: it holds both `go` and `hyperfine` at line 3; give each a file of its own");
    }

    #[test]
    fn a_text_without_bench_is_an_error() {
        assert!(error("goos: linux\nPASS\nok").contains("there is no bench in it; expected is the text of `go test"));
    }

    #[test]
    fn numbers_are_the_nearest_floats() {
        for text in ["0", "7", "250.5", "0.1", "1718.123456789", "9007199254740991", "9007199254740993", "1e+06", "5."]
        {
            assert_eq!(number(text.as_bytes()), text.parse().ok(), "{text}");
        }
        for text in ["", ".", "1.2.3", "x", "1_000", "0x10"] {
            if !text.is_empty() {
                assert_eq!(number(text.as_bytes()), None, "{text}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn the_short_way_is_as_good_as_the_long_one(digits in "[0-9]{1,9}", decimals in "[0-9]{1,9}") {
            let text = format!("{digits}.{decimals}");
            proptest::prop_assert_eq!(number(text.as_bytes()), text.parse().ok());
        }
    }
}
