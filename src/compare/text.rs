//! For a person at a terminal: 80 columns for ordinary names, and nothing that only a colour tells.

use tabled::grid::util::string::get_string_width as width;

use super::number::Scale;
use super::table::percent;
use super::{Centre, Comparison, Judgement, Outcome, Row, Table, UNPAIRED, Which};

/// Lines are no longer where names allow it.
const COLUMNS: usize = 80;

/// Labels above columns are no longer.
const LABEL: usize = 16;

/// The name of the last row.
const GEOMEAN: &str = "geomean";

/// What stands in a row: the name, of both sides the centre and its spread, the change and what it rests on.
struct Cells {
    name: String,
    old: (String, String),
    new: (String, String),
    delta: String,
    basis: String,
}

/// Shows a comparison and its judgements; the labels stand above the columns, and `verdicts` at the end.
#[must_use]
pub fn terminal(comparison: &Comparison, labels: [&str; 2], judgements: &[Judgement], verdicts: &[String]) -> String {
    let mut out = format!("{UNPAIRED}\n");
    // Labels that would make a column wide stand above, and short ones for them in the columns.
    let sides = [Which::Old, Which::New].map(Which::name);
    let is_short = labels.iter().all(|label| width(label) <= LABEL);
    if !is_short {
        for (side, label) in sides.iter().zip(labels) {
            out.push_str(&format!("{side}: {label}\n"));
        }
    }
    let labels = if is_short { labels } else { sides };
    for (key, value) in &comparison.host {
        out.push_str(&format!("{key}: {value}\n"));
    }
    for table in &comparison.tables {
        out.push('\n');
        show(&mut out, table, labels);
    }
    let notes = notes(comparison);
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        out.push_str(&format!("{note}\n"));
    }
    if !judgements.is_empty() {
        out.push('\n');
        judged(&mut out, judgements);
    }
    for verdict in verdicts {
        out.push_str(&format!("\n{verdict}\n"));
    }
    out
}

/// What a reader must know beside the tables; the same in every format.
pub(super) fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes = Vec::new();
    let rows = || comparison.tables.iter().flat_map(|table| &table.rows);
    let without = |centre: Option<Centre>| centre.is_some_and(|centre| centre.interval.is_none());
    if rows().any(|row| without(row.old) || without(row.new)) {
        notes.push("± ∞: a side needs at least 6 values for an interval at 95 %".to_owned());
    }
    if rows().any(too_few_to_differ) {
        notes.push("~ with n below 4: so few values can show no difference at p ≤ 0.05".to_owned());
    }
    if comparison.tables.iter().any(|table| !table.geomean.is_of_same_benches) {
        notes.push("geomean: the sides have different benches; the change is of those that both have".to_owned());
    }
    for alone in &comparison.alone {
        notes.push(format!("only on the {} side: {}", other(alone.lacking).name(), alone.bench));
    }
    notes
}

const fn other(which: Which) -> Which {
    match which {
        Which::Old => Which::New,
        Which::New => Which::Old,
    }
}

fn too_few_to_differ(row: &Row) -> bool {
    let few = |centre: Option<Centre>| centre.is_some_and(|centre| centre.n < 4);
    few(row.old) && few(row.new) && row.delta().as_deref() == Some("~")
}

/// The rows of a table as texts, the last one over all benches where there are several.
fn cells(table: &Table) -> Vec<Cells> {
    let unit = table.shown_as.as_str();
    let mut rows: Vec<Cells> = table
        .rows
        .iter()
        .map(|row| {
            let scale = Scale::of([row.old, row.new].into_iter().flatten().map(|centre| centre.median), unit);
            let centre = |centre: Option<Centre>| {
                centre.map(|centre| (scale.show(centre.median), centre.spread())).unwrap_or_default()
            };
            Cells {
                name: row.bench.clone(),
                old: centre(row.old),
                new: centre(row.new),
                delta: row.delta().unwrap_or_default(),
                basis: row.basis().map(|basis| format!("({basis})")).unwrap_or_default(),
            }
        })
        .collect();
    if rows.len() > 1 {
        let mean =
            |mean: Option<f64>| (mean.map(|mean| super::number::scaled(mean, unit)).unwrap_or_default(), String::new());
        rows.push(Cells {
            name: GEOMEAN.to_owned(),
            old: mean(table.geomean.old),
            new: mean(table.geomean.new),
            delta: table.geomean.ratio.map_or_else(|| "?".to_owned(), percent),
            basis: String::new(),
        });
    }
    rows
}

fn show(out: &mut String, table: &Table, labels: [&str; 2]) {
    let rows = cells(table);
    let widest = |cell: fn(&Cells) -> &str| rows.iter().map(|row| width(cell(row))).max().unwrap_or(0);
    let old = (widest(|row| &row.old.0), widest(|row| &row.old.1));
    let new = (widest(|row| &row.new.0), widest(|row| &row.new.1));
    let (delta, basis) = (widest(|row| &row.delta).max(1), widest(|row| &row.basis));
    // ` ± ` between a centre and its spread.
    let side = |(centre, spread): (usize, usize), label: &str| {
        (centre + 3 + spread).max(width(&table.shown_as)).max(width(label))
    };
    let (old_side, new_side) = (side(old, labels[0]), side(new, labels[1]));
    let change = (delta + 1 + basis).max("vs base".len());
    let rest = 2 + old_side + 2 + new_side + 2 + change;
    // A name that doesn't fit has a line of its own.
    let most = COLUMNS.saturating_sub(rest).max(GEOMEAN.len());
    let names = rows.iter().map(|row| width(&row.name)).filter(|name| *name <= most).max().unwrap_or(GEOMEAN.len());
    let mut line = |name: &str, old: &str, new: &str, change: &str| {
        let name = if width(name) > names {
            out.push_str(&format!("{name}\n"));
            ""
        } else {
            name
        };
        let text = format!("{}  {}  {}  {change}", padded(name, names), padded(old, old_side), padded(new, new_side));
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line("", labels[0], labels[1], "");
    line("", &table.shown_as, &table.shown_as, "vs base");
    for row in &rows {
        let side = |(centre, spread): &(String, String), widths: (usize, usize)| match spread.as_str() {
            "" => before(centre, widths.0),
            spread => format!("{} ± {}", before(centre, widths.0), before(spread, widths.1)),
        };
        let change = format!("{} {}", before(&row.delta, delta), row.basis);
        line(&row.name, &side(&row.old, old), &side(&row.new, new), &change);
    }
}

/// `text` and spaces after it.
fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// `text` and spaces before it.
fn before(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

fn judged(out: &mut String, judgements: &[Judgement]) {
    for group in judgements.chunk_by(|a, b| a.budget == b.budget) {
        out.push_str(&format!("budget {}: {}\n", group[0].budget, sum(group)));
        for one in group {
            let mark = match one.outcome {
                Outcome::Pass => "✓",
                Outcome::Inconclusive => "?",
                Outcome::Fail => "✗",
            };
            out.push_str(&format!("{mark} {:<12}  {}  {}\n", one.outcome.name(), padded(&basis(one), 24), one.bench));
        }
    }
}

/// `2 pass, 1 fail`
pub(super) fn sum(group: &[Judgement]) -> String {
    let count = |outcome| group.iter().filter(|one| one.outcome == outcome).count();
    let counts = [Outcome::Fail, Outcome::Inconclusive, Outcome::Pass].map(|outcome| (count(outcome), outcome.name()));
    let counts: Vec<String> =
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    counts.join(", ")
}

/// What an outcome rests on: `1.062 (1.041 to 1.083)`, or why there is nothing.
pub(super) fn basis(one: &Judgement) -> String {
    let number = |value: f64| if value.is_finite() { format!("{value:.4}") } else { "∞".to_owned() };
    match (one.ratio, one.interval, &one.reason) {
        (_, _, Some(reason)) => reason.clone(),
        (Some(ratio), Some((low, high)), None) => format!("{} ({} to {})", number(ratio), number(low), number(high)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::go;
    use super::super::{compare, judge};
    use super::*;

    #[test]
    fn a_long_name_has_a_line_of_its_own() {
        let long = "x".repeat(70);
        let reading = go(&format!("Benchmark{long} 1 5 ns/op\nBenchmarkB 1 5 ns/op"));
        let text = terminal(&compare(&reading, &reading).unwrap(), ["a", "b"], &[], &[]);
        assert!(text.lines().any(|line| line == long), "{text}");
        assert!(text.lines().skip(1).all(|line| width(line) <= COLUMNS), "{text}");
    }

    #[test]
    fn long_labels_stand_above() {
        let reading = go("BenchmarkA 1 5 ns/op");
        let text = terminal(&compare(&reading, &reading).unwrap(), ["control_of_something", "b"], &[], &[]);
        assert!(text.contains("\nold: control_of_something\nnew: b\n"), "{text}");
    }

    #[test]
    fn what_is_missing_is_told() {
        let old = go("BenchmarkA 1 5 ns/op\nBenchmarkGone 1 5 ns/op");
        let new = go("BenchmarkA 1 5 ns/op");
        let judgements = judge(&old, &new, &["latency<=1".parse().unwrap()]).unwrap();
        let text = terminal(&compare(&old, &new).unwrap(), ["a", "b"], &judgements, &[]);
        for says in ["at least 6 values", "n below 4", "different benches", "only on the old side: Gone", "lacks it"] {
            assert!(text.contains(says), "{says}: {text}");
        }
        assert!(text.starts_with(UNPAIRED), "{text}");
    }
}
