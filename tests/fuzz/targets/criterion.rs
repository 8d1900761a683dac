//! The folder that Criterion.rs leaves: the first line is a bench's `benchmark.json`, the others its `sample.json`.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use gate::reading::{self, Format};
use libfuzzer_sys::fuzz_target;

/// A folder of this process' own, in memory where there is one.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = parent.join(format!("gate-fuzz-{}", std::process::id()));
    fs::create_dir_all(folder.join("a/new")).expect("a folder");
    folder
});

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (identity, sample) = bytes.split_at(end);
    fs::write(FOLDER.join("a/new/benchmark.json"), identity).expect("a file");
    fs::write(FOLDER.join("a/new/sample.json"), sample).expect("a file");
    gate_fuzz::hold(reading::read(&FOLDER, Some(Format::Criterion)));
});
