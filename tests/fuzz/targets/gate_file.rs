//! A gate file, in both notations.
#![no_main]

use gate::spec::{self, Format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for format in [Format::Toml, Format::Json] {
        match spec::parse("any", text, format) {
            Ok(loaded) => {
                assert_eq!(loaded.render_warnings(true).len(), loaded.warnings.len().min(21));
                for budget in loaded.gate.hypotheses.iter().flat_map(|hypothesis| &hypothesis.guardrails) {
                    assert!(budget.bound.value().is_finite());
                }
            }
            Err(error) => {
                let rendered = error.render(false);
                assert!(rendered.contains("any") && rendered.contains("help:"), "{rendered}");
                rendered.lines().for_each(gate_fuzz::printable);
                let _ = error.render(true);
            }
        }
    }
});
