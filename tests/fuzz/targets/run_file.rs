//! A run's file.
#![no_main]

use gate::evidence::decode_run;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(run) = decode_run(bytes) {
        let samples: usize = run.cells.iter().flat_map(|cell| cell.samples.values()).map(|samples| samples.len()).sum();
        // A compressed byte stands for at most 255, and a sample has 8; a column may be there again under another name.
        assert!(samples / 32 <= bytes.len() * bytes.len(), "{samples} samples of {} bytes", bytes.len());
        assert!(run.cells.iter().flat_map(|cell| cell.samples.values()).all(|samples| !samples.is_empty()));
    }
});
