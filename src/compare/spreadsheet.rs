//! The CSV of Go's `benchstat`, byte for byte.

use super::number::shortest;
use super::table::percent;
use super::{Centre, Comparison, Row, Table};

/// Shows a comparison as `benchstat -format csv` does; the labels stand above the columns.
#[must_use]
pub fn csv(comparison: &Comparison, labels: [&str; 2]) -> String {
    let mut out = String::new();
    for (key, value) in &comparison.host {
        line(&mut out, &[format!("{key}: {value}")]);
    }
    for (i, table) in comparison.tables.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        show(&mut out, table, labels);
    }
    out
}

fn show(out: &mut String, table: &Table, labels: [&str; 2]) {
    let has = |centre: fn(&Row) -> Option<Centre>| table.rows.iter().any(|row| centre(row).is_some());
    // A side without the metric has no column; only beside an old side there is a change.
    let (old, new) = (has(|row| row.old), has(|row| row.new));
    let mut show = |label: &str, of_old: [String; 2], of_new: [String; 2], change: [String; 2]| {
        let mut cells = vec![label.to_owned()];
        if old {
            cells.extend(of_old);
        }
        if new {
            cells.extend(of_new);
        }
        if old && new {
            cells.extend(change);
        }
        line(out, &cells);
    };
    let none = || [String::new(), String::new()];
    let unit = || [table.shown_as.clone(), "CI".to_owned()];
    let label = |side: usize| [labels[side].to_owned(), String::new()];
    show("", label(0), label(1), none());
    show("", unit(), unit(), ["vs base".to_owned(), "P".to_owned()]);
    for row in &table.rows {
        let centre =
            |centre: Option<Centre>| centre.map_or_else(none, |centre| [shortest(centre.median), centre.spread()]);
        let change = [row.delta().unwrap_or_default(), row.basis().unwrap_or_default()];
        show(&row.bench, centre(row.old), centre(row.new), change);
    }
    let mean = |value: Option<f64>| [value.map(shortest).unwrap_or_default(), String::new()];
    let change = [table.geomean.ratio.map_or_else(|| "?".to_owned(), percent), String::new()];
    show("geomean", mean(table.geomean.old), mean(table.geomean.new), change);
}

/// Fields with a comma between; quoted where they must be.
fn line(out: &mut String, fields: &[String]) {
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        if field.contains([',', '"', '\r', '\n']) || field.starts_with(char::is_whitespace) || field == r"\." {
            out.push_str(&format!("\"{}\"", field.replace('"', "\"\"")));
        } else {
            out.push_str(field);
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::compare;
    use super::super::tests::go;
    use super::*;

    #[test]
    fn a_table_is_written_for_each_metric() {
        let old =
            go("goos: linux\ncpu: a, b\nBenchmarkA 1 250 ns/op 0 B/op\nBenchmarkB 1 100 ns/op\nBenchmarkB 1 100 ns/op");
        let new = go("goos: linux\ncpu: a, b\nBenchmarkA 1 300 ns/op 8 B/op\nBenchmarkC,x 1 1 ns/op 5 hits");
        let expected = "\
goos: linux
\"cpu: a, b\"
,old.txt,,new.txt,,,
,sec/op,CI,sec/op,CI,vs base,P
A,2.5000000000000004e-07,∞,3.0000000000000004e-07,∞,~,p=1.000 n=1
B,1.0000000000000001e-07,∞,,,,
\"C,x\",,,1e-09,∞,,
geomean,1.5811388300841893e-07,,1.7320508075688785e-08,,+20.00%,

,old.txt,,new.txt,,,
,B/op,CI,B/op,CI,vs base,P
A,0,∞,8,∞,~,p=1.000 n=1
geomean,,,7.999999999999998,,?,

,new.txt,
,hits,CI
\"C,x\",5,∞
geomean,5,
";
        assert_eq!(csv(&compare(&old, &new).unwrap(), ["old.txt", "new.txt"]), expected);
    }
}
