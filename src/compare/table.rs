//! One metric over all benches, with the arithmetic of Go's `benchstat` (golang.org/x/perf/benchmath).

use std::collections::HashMap;

use serde::Serialize;

use crate::reading::{Reading, Series};
use crate::stats::{Confidence, exact_ratio, geometric_mean, mann_whitney, median, median_interval};
use crate::unit::{Assumption, Direction, Unit};

use super::number;

/// Above this p there is no difference.
const ALPHA: f64 = 0.05;

/// A metric of all benches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The metric, as budgets name it.
    pub metric: String,
    /// Its unit as `benchstat` shows it, in which the centres are: `sec/op` for `latency`.
    pub shown_as: String,
    /// Which way is better.
    pub direction: Direction,
    /// A row for each bench that has the metric on either side, the old side's benches first.
    pub rows: Vec<Row>,
    /// All benches together.
    pub geomean: Geomean,
}

/// A bench.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub bench: String,
    /// The old side's, where it has the metric.
    pub old: Option<Centre>,
    /// The new side's.
    pub new: Option<Centre>,
    /// How they differ, where both are there.
    pub difference: Option<Difference>,
}

/// The samples of one side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Centre {
    /// How many samples.
    pub n: usize,
    /// Their median.
    pub median: f64,
    /// The interval of the median at 95 %, where there are enough samples for one.
    pub interval: Option<(f64, f64)>,
}

/// How the sides of a bench differ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// The p of the rank test; nothing for a metric that is compared exactly.
    pub p: Option<f64>,
    /// The new median divided by the old one; 1 where they are equal, nothing where only the old one is zero.
    pub ratio: Option<f64>,
}

/// All benches together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Geomean {
    /// Of the old medians; nothing where one of them is zero.
    pub old: Option<f64>,
    /// Of the new medians.
    pub new: Option<f64>,
    /// Of the ratios of those benches that both sides have; nothing where one of them is zero or has no ratio.
    pub ratio: Option<f64>,
    /// Whether both sides have the same benches; else the means of the sides are of different things.
    pub is_of_same_benches: bool,
}

impl Centre {
    fn of(series: &Series) -> Self {
        // Scaled one by one, as benchstat does: the digits of a median depend on it.
        let scale = if series.unit == Unit::Nanoseconds { 1e-9 } else { 1.0 };
        let mut sorted: Vec<f64> = series.values.iter().map(|value| value * scale).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let exact = series.assumption == Assumption::Exact && sorted.first() == sorted.last();
        let interval = if exact {
            Some((sorted[0], sorted[0]))
        } else {
            median_interval(&sorted, Confidence::P95).ok().flatten().map(|interval| (interval.low(), interval.high()))
        };
        let median = median(&sorted).expect("readings have finite values, and at least one");
        Self { n: sorted.len(), median, interval }
    }

    /// How far the interval reaches from the median, in percent of it: `3%`, `∞` where there is none, and `?` where
    /// there are no percents of it.
    #[must_use]
    pub fn spread(&self) -> String {
        let Some((low, high)) = self.interval else { return "∞".to_owned() };
        if (self.median > 0.0) != (low > 0.0) || (self.median > 0.0) != (high > 0.0) {
            return "?".to_owned();
        }
        if self.median == 0.0 {
            return "0%".to_owned();
        }
        let reach = (high / self.median - 1.0).max(1.0 - low / self.median);
        format!("{:.0}%", 100.0 * reach)
    }
}

impl Row {
    /// The difference as `benchstat` shows it: `-17.20%`, `~` where it may be chance, `?` where there are no percents.
    #[must_use]
    pub fn delta(&self) -> Option<String> {
        let difference = self.difference?;
        Some(match difference {
            Difference { p: Some(p), .. } if p > ALPHA => "~".to_owned(),
            Difference { ratio: None, .. } => "?".to_owned(),
            Difference { .. } if self.old?.median.total_cmp(&self.new?.median).is_eq() => "0.00%".to_owned(),
            Difference { ratio: Some(ratio), .. } => percent(ratio),
        })
    }

    /// What the difference rests on: `p=0.446 n=10`, `n=10+9` where the sides have unequally many samples.
    #[must_use]
    pub fn basis(&self) -> Option<String> {
        let (difference, old, new) = (self.difference?, self.old?, self.new?);
        let n = if old.n == new.n { format!("n={}", old.n) } else { format!("n={}+{}", old.n, new.n) };
        Some(match difference.p {
            Some(p) => format!("p={p:.3} {n}"),
            None => n,
        })
    }
}

/// A ratio as a signed change: `+4.21%`.
pub(super) fn percent(ratio: f64) -> String {
    format!("{:+.2}%", (ratio - 1.0) * 100.0)
}

/// The tables of all metrics.
pub(super) fn tables(old: &Reading, new: &Reading) -> Vec<Table> {
    let mut tables: Vec<Sides<'_>> = Vec::new();
    let mut by_metric = HashMap::new();
    for (side, reading) in [old, new].into_iter().enumerate() {
        for bench in &reading.benches {
            for series in &bench.series {
                let index = *by_metric.entry(series.metric.as_str()).or_insert_with(|| {
                    tables.push(Sides { first: series, rows: Vec::new(), by_name: HashMap::new() });
                    tables.len() - 1
                });
                tables[index].add(&bench.name, side, series);
            }
        }
    }
    tables.into_iter().map(Sides::table).collect()
}

/// The series of one metric, as they are found.
struct Sides<'a> {
    first: &'a Series,
    rows: Vec<(&'a str, [Option<&'a Series>; 2])>,
    by_name: HashMap<&'a str, usize>,
}

impl<'a> Sides<'a> {
    fn add(&mut self, bench: &'a str, side: usize, series: &'a Series) {
        let index = *self.by_name.entry(bench).or_insert_with(|| {
            self.rows.push((bench, [None, None]));
            self.rows.len() - 1
        });
        self.rows[index].1[side] = Some(series);
    }

    fn table(self) -> Table {
        let rows: Vec<Row> = self.rows.into_iter().map(|(bench, [old, new])| row(bench, old, new)).collect();
        let Series { metric, unit, direction, .. } = self.first;
        let geomean = geomean(&rows);
        Table {
            metric: metric.clone(),
            shown_as: number::shown_as(metric, *unit),
            direction: *direction,
            rows,
            geomean,
        }
    }
}

fn row(bench: &str, old: Option<&Series>, new: Option<&Series>) -> Row {
    let centres = (old.map(Centre::of), new.map(Centre::of));
    let difference = match ((old, new), centres) {
        ((Some(old), Some(new)), (Some(below), Some(above))) => {
            let is_exact = old.assumption == Assumption::Exact && below.interval.is_some() && above.interval.is_some();
            let p = mann_whitney(&old.values, &new.values).expect("readings have finite values, and at least one");
            Some(Difference { p: (!is_exact).then_some(p), ratio: exact_ratio(below.median, above.median) })
        }
        _ => None,
    };
    Row { bench: bench.to_owned(), old: centres.0, new: centres.1, difference }
}

/// The ratio is the mean of the ratios, not the ratio of the means: so it is of the benches that both sides have.
fn geomean(rows: &[Row]) -> Geomean {
    let of = |centre: fn(&Row) -> Option<Centre>| {
        let medians: Vec<f64> = rows.iter().filter_map(centre).map(|centre| centre.median).collect();
        geometric_mean(&medians).ok()
    };
    let differences: Vec<Difference> = rows.iter().filter_map(|row| row.difference).collect();
    let ratios: Option<Vec<f64>> = differences.iter().map(|difference| difference.ratio).collect();
    Geomean {
        old: of(|row| row.old),
        new: of(|row| row.new),
        ratio: ratios.and_then(|ratios| geometric_mean(&ratios).ok()),
        is_of_same_benches: differences.len() == rows.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{go, values};
    use super::*;

    fn only(old: &Reading, new: &Reading) -> Table {
        let mut tables = tables(old, new);
        assert_eq!(tables.len(), 1);
        tables.remove(0)
    }

    #[test]
    fn a_row_has_the_arithmetic_of_benchstat() {
        let ten = |from: f64| (0..10).map(|i| from + f64::from(i)).collect::<Vec<_>>();
        let table = only(&values("ns/op", &ten(100.0)), &values("ns/op", &ten(200.0)));
        assert_eq!((table.metric.as_str(), table.shown_as.as_str()), ("latency", "sec/op"));
        let row = &table.rows[0];
        // The median of 100 to 109 is 104.5, ranks 2 and 9 are 101 and 108: 3.5 / 104.5 = 3.3 %.
        assert_eq!(number::scaled(row.old.unwrap().median, "sec/op"), "104.5n");
        assert_eq!(row.old.unwrap().spread(), "3%");
        // 204.5 / 104.5 − 1.
        assert_eq!(row.delta().unwrap(), "+95.69%");
        assert_eq!(row.basis().unwrap(), "p=0.000 n=10");
    }

    #[test]
    fn what_may_be_chance_is_no_difference() {
        let row = &only(&values("x", &[1.0, 2.0, 3.0]), &values("x", &[2.0, 3.0, 4.0, 5.0])).rows[0];
        assert_eq!(row.delta().unwrap(), "~");
        assert_eq!(row.old.unwrap().spread(), "∞");
        assert!(row.basis().unwrap().ends_with("n=3+4"), "{row:?}");
    }

    #[test]
    fn equal_values_differ_by_nothing() {
        let row = &only(&values("x", &[2.0; 6]), &values("x", &[2.0; 6])).rows[0];
        assert_eq!((row.delta().unwrap(), row.basis().unwrap()), ("~".to_owned(), "p=1.000 n=6".to_owned()));
        assert_eq!(row.old.unwrap().spread(), "0%");
    }

    #[test]
    fn from_zero_there_are_no_percents() {
        let table = only(&values("x", &[0.0; 6]), &values("x", &[2.0; 6]));
        assert_eq!(table.rows[0].delta().unwrap(), "?");
        assert_eq!((table.geomean.old, table.geomean.ratio), (None, None));
        let table = only(&values("x", &[0.0; 6]), &values("x", &[0.0; 6]));
        assert_eq!((table.geomean.old, table.geomean.ratio), (None, Some(1.0)), "nothing changed");
        let spread =
            |values: &[f64]| Centre { n: 6, median: values[1], interval: Some((values[0], values[2])) }.spread();
        assert_eq!(spread(&[0.0, 1.0, 1.0]), "?");
        assert_eq!(spread(&[0.0, 0.0, 1.0]), "?");
    }

    #[test]
    fn exact_metrics_need_no_test() {
        let text = |value| go(&format!("Unit text-bytes assume=exact\nBenchmarkA 1 {value} text-bytes"));
        let row = &only(&text(100), &text(105)).rows[0];
        assert_eq!((row.delta().unwrap(), row.basis().unwrap()), ("+5.00%".to_owned(), "n=1".to_owned()));
        assert_eq!(only(&text(100), &text(100)).rows[0].delta().unwrap(), "0.00%");
    }

    #[test]
    fn the_mean_ratio_is_of_what_both_have() {
        let old = go("BenchmarkA 1 2 x\nBenchmarkB 1 8 x\nBenchmarkGone 1 1000 x");
        let new = go("BenchmarkA 1 4 x\nBenchmarkB 1 4 x\nBenchmarkNew 1 9 x");
        let table = only(&old, &new);
        let names: Vec<_> = table.rows.iter().map(|row| row.bench.as_str()).collect();
        assert_eq!(names, ["A", "B", "Gone", "New"]);
        // √(2 · ½)
        assert!((table.geomean.ratio.unwrap() - 1.0).abs() < 1e-15);
        assert!(!table.geomean.is_of_same_benches);
        assert!(table.rows[2].new.is_none() && table.rows[2].delta().is_none());
    }
}
