//! The line protocol of this program.
#![no_main]

use gate::reading::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| gate_fuzz::read(bytes, Format::Gate));
