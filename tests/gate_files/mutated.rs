//! Whatever is thrown at it, a gate file is read or refused in words.

use std::fs;

use gate::spec::{self, Format};
use proptest::prelude::*;

use super::{SKETCH, as_json};

/// `text` with `length` bytes from `at` on replaced.
fn spliced(text: &str, at: usize, length: usize, by: &str) -> String {
    let start = text.floor_char_boundary(at);
    let end = text.ceil_char_boundary(at.saturating_add(length));
    format!("{}{by}{}", &text[..start], &text[end..])
}

/// Reads `text`, and holds whatever comes of it to what a caller may rely on.
fn judged(text: &str, format: Format) -> Result<(), TestCaseError> {
    match spec::parse("any", text, format) {
        Ok(loaded) => {
            prop_assert_eq!(loaded.render_warnings(true).is_empty(), loaded.warnings.is_empty());
            for budget in loaded.gate.hypotheses.iter().flat_map(|hypothesis| &hypothesis.guardrails) {
                prop_assert!(budget.bound.value().is_finite());
            }
        }
        Err(error) => {
            let rendered = error.render(false);
            prop_assert!(rendered.contains("any") && rendered.contains("help:"), "{}", rendered);
            prop_assert!(rendered.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", rendered);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>(), json in any::<bool>()) {
        judged(&text, if json { Format::Json } else { Format::Toml })?;
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("any.toml");
        fs::write(&path, &bytes).expect("a file");
        if let Err(error) = spec::load(&path) {
            prop_assert!(error.render(false).contains("any.toml"));
        }
    }

    #[test]
    fn any_splice(
        at in 0..SKETCH.len(),
        length in 0_usize..40,
        text in prop_oneof![
            any::<String>(),
            "[\\[\\]{}=\", \\n.a-z0-9-]{0,20}",
            prop::sample::select(vec!["nan", "inf", "-1", "0", "\"\"", "[]", "{}", "9223372036854775807", "1e308", "[[["])
                .prop_map(str::to_owned),
        ],
    ) {
        judged(&spliced(SKETCH, at, length, &text), Format::Toml)?;
    }

    #[test]
    fn any_splice_of_json(at in 0_usize..3_000, length in 0_usize..40, text in "[\\[\\]{}:\", \\n.a-z0-9-]{0,20}") {
        judged(&spliced(&as_json(SKETCH), at, length, &text), Format::Json)?;
    }

    #[test]
    fn any_two_lines_swapped(a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
        let mut lines: Vec<&str> = SKETCH.lines().collect();
        let count = lines.len();
        lines.swap(a.index(count), b.index(count));
        judged(&lines.join("\n"), Format::Toml)?;
    }

    #[test]
    fn any_line_gone(line in any::<prop::sample::Index>()) {
        let mut lines: Vec<&str> = SKETCH.lines().collect();
        lines.remove(line.index(lines.len()));
        judged(&lines.join("\n"), Format::Toml)?;
    }

    #[test]
    fn any_value_under_any_key(
        line in any::<prop::sample::Index>(),
        value in prop_oneof![
            any::<i64>().prop_map(|number| number.to_string()),
            any::<f64>().prop_map(|number| format!("{number:?}").replace("NaN", "nan")),
            "\"[a-z0-9 .:-]{0,12}\"",
            prop::collection::vec(any::<i64>(), 0..4).prop_map(|numbers| format!("{numbers:?}")),
            prop::sample::select(vec!["{ a = 1 }", "[{ rows = 1 }]", "true", "1979-05-27", "\"\\u0000\""])
                .prop_map(str::to_owned),
        ],
    ) {
        let lines: Vec<&str> = SKETCH.lines().filter(|line| line.contains(" = ")).collect();
        let line = lines[line.index(lines.len())];
        let (key, _) = line.split_once(" = ").expect("a key and a value");
        judged(&SKETCH.replacen(line, &format!("{key} = {value}"), 1), Format::Toml)?;
    }
}

#[test]
fn deep_nesting_is_refused_in_words() {
    for depth in [70, 100, 130, 100_000] {
        let toml = format!("gate = 1\nname = {}1{}\n", "[".repeat(depth), "]".repeat(depth));
        let tables = format!("gate = 1\n[{}]\n", vec!["a"; depth].join("."));
        let json = format!("{{\"gate\": 1, \"name\": {}1{}}}", "[".repeat(depth), "]".repeat(depth));
        for (text, format) in [(toml, Format::Toml), (tables, Format::Toml), (json, Format::Json)] {
            assert!(spec::parse("deep", &text, format).is_err());
        }
    }
}
