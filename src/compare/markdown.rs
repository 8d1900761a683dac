//! For a pull request.

use super::number::{Scale, scaled};
use super::table::percent;
use super::text::{basis, notes, sum};
use super::{Centre, Comparison, Judgement, Table, UNPAIRED};

/// Shows a comparison and its judgements as GitHub's Markdown; the labels stand above the columns, and `verdicts` at the end.
#[must_use]
pub fn markdown(comparison: &Comparison, labels: [&str; 2], judgements: &[Judgement], verdicts: &[String]) -> String {
    let mut out = format!("_{UNPAIRED}_\n");
    if !comparison.host.is_empty() {
        out.push('\n');
    }
    for (key, value) in &comparison.host {
        out.push_str(&format!("- {}: {}\n", escaped(key), escaped(value)));
    }
    for table in &comparison.tables {
        out.push_str(&format!("\n### {}\n\n", escaped(&table.shown_as)));
        show(&mut out, table, labels);
    }
    let notes = notes(comparison);
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        out.push_str(&format!("- {}\n", escaped(&note)));
    }
    for group in judgements.chunk_by(|a, b| a.budget == b.budget) {
        out.push_str(&format!("\n### Budget {}: {}\n\n", escaped(&group[0].budget), sum(group)));
        out.push_str("| outcome | bench | ratio, new to old |\n|---|---|---|\n");
        for one in group {
            out.push_str(&format!("| {} | {} | {} |\n", one.outcome.name(), escaped(&one.bench), escaped(&basis(one))));
        }
    }
    for verdict in verdicts {
        let lines: Vec<String> = verdict.lines().map(|line| escaped(line.trim())).collect();
        out.push_str(&format!("\n{}\n", lines.join("\n- ").replacen("\n- ", "\n\n- ", 1)));
    }
    out
}

fn show(out: &mut String, table: &Table, labels: [&str; 2]) {
    let unit = table.shown_as.as_str();
    out.push_str(&format!("| bench | {} | {} | vs base | |\n", escaped(labels[0]), escaped(labels[1])));
    out.push_str("|---|--:|--:|--:|---|\n");
    for row in &table.rows {
        let scale = Scale::of([row.old, row.new].into_iter().flatten().map(|centre| centre.median), unit);
        let side = |centre: Option<Centre>| {
            centre.map(|centre| format!("{} ± {}", scale.show(centre.median), centre.spread())).unwrap_or_default()
        };
        let delta = escaped(&row.delta().unwrap_or_default());
        let basis = row.basis().unwrap_or_default();
        out.push_str(&format!(
            "| {} | {} | {} | {delta} | {basis} |\n",
            escaped(&row.bench),
            side(row.old),
            side(row.new)
        ));
    }
    if table.rows.len() > 1 {
        let mean = |mean: Option<f64>| mean.map(|mean| scaled(mean, unit)).unwrap_or_default();
        let change = table.geomean.ratio.map_or_else(|| "?".to_owned(), percent);
        out.push_str(&format!(
            "| geomean | {} | {} | {change} | |\n",
            mean(table.geomean.old),
            mean(table.geomean.new)
        ));
    }
}

/// Text that neither ends a cell nor is markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            // A name after it would be notified.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '>' | '!' => {
                out.push('\\');
                out.push(c);
            }
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::go;
    use super::super::{compare, judge};
    use super::*;

    #[test]
    fn text_from_elsewhere_is_no_markup() {
        let reading = go("BenchmarkA|<img>@me_ 1 5 ns/op\nBenchmarkB 1 5 ns/op");
        let judgements = judge(&reading, &reading, &["latency<=1".parse().unwrap()]).unwrap();
        let text = markdown(
            &compare(&reading, &reading).unwrap(),
            ["a|b", "c"],
            &judgements,
            &["hypothesis h: revise\n  a|b".to_owned()],
        );
        assert!(text.contains(r"| A\|&lt;img\>&#64;me\_ | 5.000n ± ∞ | 5.000n ± ∞ | \~ | p=1.000 n=1 |"), "{text}");
        assert!(text.contains(r"| bench | a\|b | c |") && text.contains("### Budget latency.p50 &lt;= 1"), "{text}");
        assert!(text.contains("| geomean | 5.000n | 5.000n | +0.00% | |"), "{text}");
    }
}
