//! The JSON of hyperfine.
#![no_main]

use gate::reading::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| gate_fuzz::read(bytes, Format::Hyperfine));
