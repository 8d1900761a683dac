//! Stacks → the format of `pprof`: a protocol buffer, compressed by gzip.
//!
//! The numbers of fields are those of `profile.proto` in <https://github.com/google/pprof/tree/main/proto>.

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use flate2::{Compression, GzBuilder};

use super::label;
use crate::worker::Taken;

/// What a profile is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// CPU time, by samples.
    Cpu,
    /// Bytes that Rust code asked for, by allocations.
    Heap,
}

impl Kind {
    /// The two values of a stack, each with its unit.
    const fn values(self) -> [(&'static str, &'static str); 2] {
        match self {
            Self::Cpu => [("samples", "count"), ("cpu", "nanoseconds")],
            Self::Heap => [("alloc_objects", "count"), ("alloc_space", "bytes")],
        }
    }

    /// What the whole of it is, in words.
    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::Cpu => "CPU time",
            Self::Heap => "allocated bytes",
        }
    }

    /// A part of it, in words.
    pub(super) fn told(self, weight: u64, count: u64) -> String {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "milliseconds for people")]
            Self::Cpu => format!("{:.1} ms, {count} samples", weight as f64 / 1e6),
            Self::Heap => format!("{weight} bytes in {count} allocations"),
        }
    }
}

/// The file of a profile that was begun at `started`; `comments` say where it comes from.
///
/// # Errors
///
/// The compression's, which knows no reason to fail in memory.
pub fn pprof(taken: &Taken, kind: Kind, started: jiff::Timestamp, comments: &[String]) -> io::Result<Vec<u8>> {
    let mut texts = Texts::default();
    let mut profile = Message::default();
    let [count, weight] = kind.values();
    for (name, unit) in [count, weight] {
        profile.message(1, &value_type(&mut texts, name, unit));
    }
    for stack in &taken.stacks {
        let mut sample = Message::default();
        sample.packed(1, stack.functions.iter().map(|number| u64::from(*number) + 1));
        sample.packed(2, [stack.count, stack.weight].into_iter());
        profile.message(2, &sample);
    }
    let mut modules: BTreeMap<&str, u64> = BTreeMap::new();
    for function in &taken.functions {
        let next = modules.len() as u64 + 1;
        modules.entry(&function.module).or_insert(next);
    }
    for (module, id) in &modules {
        let mut mapping = Message::default();
        mapping.number(1, *id);
        mapping.number(5, texts.number(module));
        // It is known which function each place is in.
        mapping.number(7, 1);
        profile.message(3, &mapping);
    }
    for (id, function) in (1..).zip(&taken.functions) {
        let mut line = Message::default();
        line.number(1, id);
        let mut location = Message::default();
        location.number(1, id);
        location.number(2, modules.get(function.module.as_str()).copied().unwrap_or(0));
        location.message(4, &line);
        profile.message(4, &location);
    }
    for (id, function) in (1..).zip(&taken.functions) {
        // No name of the system's beside it: `pprof` would take that for mangled, and cut what stands in angle brackets.
        let mut told = Message::default();
        told.number(1, id);
        told.number(2, texts.number(&label(function)));
        profile.message(5, &told);
    }
    profile.number(9, u64::try_from(started.as_nanosecond()).unwrap_or(0));
    profile.number(10, taken.profiled.wall_ns);
    let (period_of, period) = match kind {
        Kind::Cpu => (weight, taken.weight() / taken.count().max(1)),
        // Every allocation is there.
        Kind::Heap => (weight, 1),
    };
    profile.message(11, &value_type(&mut texts, period_of.0, period_of.1));
    profile.number(12, period);
    let comments: Vec<u64> = comments.iter().map(|comment| texts.number(comment)).collect();
    profile.packed(13, comments.into_iter());
    profile.number(14, texts.number(weight.0));
    for text in &texts.in_order {
        profile.bytes(6, text.as_bytes());
    }
    // Without a time of its own, so that a profile is one file.
    let mut file = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    file.write_all(&profile.0)?;
    file.finish()
}

fn value_type(texts: &mut Texts, name: &str, unit: &str) -> Message {
    let mut message = Message::default();
    message.number(1, texts.number(name));
    message.number(2, texts.number(unit));
    message
}

/// The table of texts; its first is empty.
struct Texts {
    in_order: Vec<String>,
    numbers: BTreeMap<String, u64>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { in_order: vec![String::new()], numbers: BTreeMap::from([(String::new(), 0)]) }
    }
}

impl Texts {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.in_order.len() as u64;
        self.in_order.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// A message of protocol buffers that is being written.
#[derive(Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    /// A number, in the wire type 0.
    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    /// Bytes, in the wire type 2.
    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint((field << 3) | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn message(&mut self, field: u64, message: &Self) {
        self.bytes(field, &message.0);
    }

    /// Numbers one behind the other.
    fn packed(&mut self, field: u64, values: impl Iterator<Item = u64>) {
        let mut packed = Self::default();
        values.for_each(|value| packed.varint(value));
        self.message(field, &packed);
    }

    /// Seven bits a byte, the lowest first; the highest bit says whether more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::super::flame::tests::taken;
    use super::*;

    fn unpacked(file: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
        bytes
    }

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        for (value, bytes) in [
            (0, &[0][..]),
            (127, &[0x7f][..]),
            (300, &[0xac, 0x02][..]),
            (u64::MAX, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1][..]),
        ] {
            let mut message = Message::default();
            message.varint(value);
            assert_eq!(message.0, bytes, "{value}");
        }
    }

    #[test]
    fn a_small_profile_has_the_bytes_that_the_format_asks_for() {
        let profile = taken(&[(&[1, 0], 300)], &["a", "b"]);
        let started = jiff::Timestamp::UNIX_EPOCH;
        let bytes = unpacked(&pprof(&profile, Kind::Heap, started, &["c".to_owned()]).expect("a file"));
        let mut expected: Vec<u8> = Vec::new();
        let texts = ["", "alloc_objects", "count", "alloc_space", "bytes", "gate", "a", "b", "c"];
        for part in [
            &[0x0a, 4, 8, 1, 16, 2][..],                    // the count is `alloc_objects` in `count`
            &[0x0a, 4, 8, 3, 16, 4],                        // the weight is `alloc_space` in `bytes`
            &[0x12, 9, 0x0a, 2, 2, 1, 0x12, 3, 1, 0xac, 2], // b called by a: 1, 300
            &[0x1a, 6, 8, 1, 40, 5, 56, 1],                 // a mapping `gate` with functions
            &[0x22, 8, 8, 1, 16, 1, 0x22, 2, 8, 1],         // a location for each function
            &[0x22, 8, 8, 2, 16, 1, 0x22, 2, 8, 2],
            &[0x2a, 4, 8, 1, 16, 6], // the functions
            &[0x2a, 4, 8, 2, 16, 7],
            &[72, 0, 80, 0],                // its time, and how long it took
            &[0x5a, 4, 8, 3, 16, 4, 96, 1], // its period: every byte
            &[0x6a, 1, 8, 112, 3],          // the comment; `alloc_space` is shown first
        ] {
            expected.extend_from_slice(part);
        }
        for text in texts {
            expected.push(0x32);
            expected.push(u8::try_from(text.len()).expect("short"));
            expected.extend_from_slice(text.as_bytes());
        }
        assert_eq!(bytes, expected);
    }

    #[test]
    fn the_same_profile_is_the_same_file() {
        let profile = taken(&[(&[0], 1)], &["a"]);
        let file = || pprof(&profile, Kind::Cpu, jiff::Timestamp::UNIX_EPOCH, &[]).expect("a file");
        assert_eq!(file(), file());
    }
}
