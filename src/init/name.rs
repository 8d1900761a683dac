//! What a gate is called.

use super::path::last;

/// The longest name of a gate.
const LONGEST: usize = 64;
/// A name that stands beside the gates' own folders under `results/`.
const TAKEN: &str = "reference";

/// The name of a gate about `text`, a package or a folder: its last part, with `-` for whatever no gate's name may have,
/// and for dots, which would make a file's name of it.
pub(super) fn gate_name(text: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    let name: String = last(text).chars().map(kept).take(LONGEST).collect();
    let name = name.trim_start_matches(['-', '_']).trim_end_matches('-');
    if name.is_empty() || name == TAKEN { "gate".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_a_name() {
        for (text, name) in [
            ("parse-fast", "parse-fast"),
            ("@scope/tool", "tool"),
            ("a \"b\"\n\u{1b}[31m", "a--b----31m"),
            ("..", "gate"),
            ("a.toml", "a-toml"),
            ("größe", "gr--e"),
            ("reference", "gate"),
            ("", "gate"),
        ] {
            assert_eq!(gate_name(text), name, "{text:?}");
        }
        assert_eq!(gate_name(&"x".repeat(100)).len(), LONGEST);
    }
}
