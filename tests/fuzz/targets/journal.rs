//! A campaign's journal: the bytes as they are, and each of their lines as the event of a line that is chained.
#![no_main]

use std::path::Path;

use gate::digest::sha256;
use gate::evidence::Journal;
use libfuzzer_sys::fuzz_target;

/// A journal of these events, every line chained to the one before it.
fn chained(events: &[u8]) -> Vec<u8> {
    let mut journal = Vec::new();
    let mut previous = sha256(b"");
    for (seq, event) in events.split(|&byte| byte == b'\n').enumerate() {
        let head = format!(r#"{{"seq":{seq},"at":"2026-11-30T12:00:00Z","previous":"{previous}","event":"#);
        let line = [head.as_bytes(), event, b"}"].concat();
        previous = sha256(&line);
        journal.extend_from_slice(&line);
        journal.push(b'\n');
    }
    journal
}

fuzz_target!(|bytes: &[u8]| {
    for journal in [bytes, &chained(bytes)] {
        if let Ok(lines) = Journal::parse(Path::new("journal.jsonl"), journal) {
            assert_eq!(lines.len(), journal.iter().filter(|&&byte| byte == b'\n').count());
            assert!(lines.iter().zip(0..).all(|(line, seq)| line.seq == seq));
        }
    }
});
