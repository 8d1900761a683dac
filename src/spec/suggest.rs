//! Which name was meant.

use super::diagnostic::{listed, quoted};

/// The longest name that is compared: beyond it nobody mistyped a name.
const LONGEST: usize = 64;

/// The candidate that `name` is most likely a misspelling of, where there is one.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.chars().count() > LONGEST {
        return None;
    }
    let folded = fold(name);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &fold(candidate)), candidate))
        // One number is as near to another as any.
        .filter(|(_, candidate)| candidate.parse::<f64>().is_err())
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The advice for a name that is not among `candidates`, which are `what`.
#[must_use]
pub fn advice(name: &str, what: &str, candidates: &[&str]) -> String {
    let known = match candidates {
        [] => format!("there are no {what}"),
        [only] => format!("the only one of the {what} is {}", quoted(only)),
        _ => format!("the {what} are {}", listed(candidates.iter().copied(), "and")),
    };
    match nearest(name, candidates.iter().copied()) {
        Some(meant) if candidates.len() > 1 => format!("did you mean {}? {known}", quoted(meant)),
        _ => known,
    }
}

/// The name without what people confuse: case, and which of `-`, `_` and space divides its words.
fn fold(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '_' | ' ') { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_finds_its_name() {
        let names = ["latency", "throughput", "cpu_time", "ipc_bytes"];
        assert_eq!(nearest("latancy", names), Some("latency"));
        assert_eq!(nearest("CPU-Time", names), Some("cpu_time"));
        assert_eq!(nearest("thruoghput", names), Some("throughput"));
        assert_eq!(nearest("icp_bytes", names), Some("ipc_bytes"));
        // Which sign divides the words counts for nothing, however short they are.
        assert_eq!(nearest("a-b c", ["a_b_c"]), Some("a_b_c"));
    }

    #[test]
    fn another_word_finds_nothing() {
        assert_eq!(nearest("rows", ["latency", "throughput"]), None);
        assert_eq!(nearest("", ["latency"]), None);
        let long = "a".repeat(LONGEST);
        assert_eq!(nearest(&long, [long.as_str()]), Some(long.as_str()));
        assert_eq!(nearest(&format!("{long}a"), [long.as_str()]), None);
    }

    #[test]
    fn advice_lists_what_there_is() {
        assert_eq!(
            advice("p96", "statistics", &["p50", "p95"]),
            "did you mean `p95`? the statistics are `p50` and `p95`"
        );
        assert_eq!(advice("p95", "statistics", &["value"]), "the only one of the statistics is `value`");
        assert_eq!(advice("x", "lanes", &[]), "there are no lanes");
    }
}
