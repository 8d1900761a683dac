//! History → trends: the figures of one machine in the order of time, and where their level changes.

use serde::Serialize;

use crate::evidence::history::{Line, Measured};
use crate::stats::{MOST_VALUES, StatsError, change_points, median};
use crate::unit::{Assumption, Case, Direction, Side, Statistic, Unit};

/// The largest p of a change that is shown.
const LEVEL: f64 = 0.05;

/// The trends of one machine. Figures of different machines, or of one name on another CPU, never stand in one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineTrends {
    /// What the user calls it.
    pub machine: String,
    /// The CPU's model.
    pub cpu_model: Option<String>,
    /// Logical CPUs.
    pub cores: Option<usize>,
    /// One for each gate, profile, hypothesis, metric, statistic, case and side, in the order of their first appearance.
    pub trends: Vec<Trend>,
}

/// The figures of one metric in the order of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// The gate; empty where the history does not say.
    pub gate: String,
    /// The profile; empty where the history does not say.
    pub profile: String,
    /// The hypothesis; empty where the history does not say.
    pub hypothesis: String,
    /// The case.
    pub case: Case,
    /// The metric.
    pub metric: String,
    /// The statistic.
    pub statistic: Statistic,
    /// The side.
    pub side: Side,
    /// The unit of the values.
    pub unit: Unit,
    /// Which way is better.
    pub direction: Direction,
    /// The figures, the oldest first.
    pub points: Vec<Point>,
    /// Where their level changes, the oldest first.
    pub changes: Vec<Change>,
    /// How many of the latest figures were searched for changes.
    pub searched: usize,
}

/// One campaign's figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// When the campaign started, UTC.
    pub date: jiff::Timestamp,
    /// The name of its folder.
    pub campaign: String,
    /// The commit that was measured.
    pub commit: Option<String>,
    /// Whether the files differed from it.
    pub dirty: Option<bool>,
    /// The figure: the median over the campaign's runs.
    pub value: f64,
    /// Whether equal work must give it again.
    #[serde(skip)]
    exact: bool,
}

/// A change of level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The index in [`Trend::points`] of the first figure after it.
    pub at: usize,
    /// The median from the change before it, or the start, to here.
    pub before: f64,
    /// The median from here to the next change, or the end.
    pub after: f64,
    /// `after` / `before`; `None` from zero to more.
    pub ratio: Option<f64>,
    /// Whether it went to the better.
    pub better: bool,
    /// The p of no change; `None` where the figure is exact, so that any difference is a change.
    pub p: Option<f64>,
}

/// The trends in the lines of a history, machine by machine.
///
/// A noisy metric is searched by [`change_points()`] at a level of 0.05, over its latest [`MOST_VALUES`] figures. One whose runs
/// agree in every campaign, as equal work must, changes wherever it differs from the figure before.
///
/// # Errors
///
/// Figures that can't be searched: see [`change_points()`].
pub fn trends(lines: &[Line]) -> Result<Vec<MachineTrends>, StatsError> {
    let mut lines: Vec<&Line> = lines.iter().collect();
    lines.sort_by_key(|line| line.date);
    let mut machines: Vec<MachineTrends> = Vec::new();
    for line in lines {
        let same = |one: &MachineTrends| {
            (&one.machine, &one.cpu_model, one.cores) == (&line.machine, &line.cpu_model, line.cores)
        };
        let at = machines.iter().position(same).unwrap_or_else(|| {
            let (machine, cpu_model, cores) = (line.machine.clone(), line.cpu_model.clone(), line.cores);
            machines.push(MachineTrends { machine, cpu_model, cores, trends: Vec::new() });
            machines.len() - 1
        });
        for measured in &line.metrics {
            add(&mut machines[at].trends, line, measured);
        }
    }
    for trend in machines.iter_mut().flat_map(|machine| &mut machine.trends) {
        search(trend)?;
    }
    Ok(machines)
}

fn add(trends: &mut Vec<Trend>, line: &Line, measured: &Measured) {
    let same = |trend: &Trend| {
        (&trend.metric, trend.statistic, &trend.case, trend.side)
            == (&measured.metric, measured.statistic, &measured.case, measured.side)
            && (&trend.gate, &trend.profile, &trend.hypothesis) == (&line.gate, &line.profile, &measured.hypothesis)
            && (trend.unit, trend.direction) == (measured.unit, measured.direction)
    };
    let at = trends.iter().position(same).unwrap_or_else(|| {
        trends.push(Trend {
            gate: line.gate.clone(),
            profile: line.profile.clone(),
            hypothesis: measured.hypothesis.clone(),
            case: measured.case.clone(),
            metric: measured.metric.clone(),
            statistic: measured.statistic,
            side: measured.side,
            unit: measured.unit,
            direction: measured.direction,
            points: Vec::new(),
            changes: Vec::new(),
            searched: 0,
        });
        trends.len() - 1
    });
    trends[at].points.push(Point {
        date: line.date,
        campaign: line.campaign.clone(),
        commit: line.commit.clone(),
        dirty: line.dirty,
        value: measured.value,
        exact: measured.assumption == Assumption::Exact
            && measured.runs.iter().all(|run| run.total_cmp(&measured.value).is_eq()),
    });
}

fn search(trend: &mut Trend) -> Result<(), StatsError> {
    let values: Vec<f64> = trend.points.iter().map(|point| point.value).collect();
    let found: Vec<(usize, Option<f64>)> = if trend.points.iter().all(|point| point.exact) {
        trend.searched = values.len();
        (1..values.len()).filter(|&at| values[at].total_cmp(&values[at - 1]).is_ne()).map(|at| (at, None)).collect()
    } else {
        let skipped = values.len().saturating_sub(MOST_VALUES);
        trend.searched = values.len() - skipped;
        let found = change_points(&values[skipped..], LEVEL)?;
        found.into_iter().map(|change| (change.at + skipped, Some(change.p))).collect()
    };
    // The level before the first change is that of the figures that were searched with it.
    let mut ends = vec![values.len() - trend.searched];
    ends.extend(found.iter().map(|(at, _)| *at));
    ends.push(values.len());
    for (&(at, p), ends) in found.iter().zip(ends.windows(3)) {
        let (before, after) = (median(&values[ends[0]..ends[1]])?, median(&values[ends[1]..ends[2]])?);
        let better = match trend.direction {
            Direction::Lower => after < before,
            Direction::Higher => after > before,
        };
        let ratio = (before > 0.0).then(|| after / before);
        trend.changes.push(Change { at, before, after, ratio, better, p });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::history::tests::line;

    /// Ten days on `machine` at each of two levels.
    fn twenty(machine: &str, levels: [f64; 2]) -> Vec<Line> {
        let value = |day: usize| levels[day / 10] + f64::from(u8::try_from(day * 7 % 5).unwrap()) / 10.0;
        (0..20).map(|day| line(machine, &format!("2026-01-{:02}", day + 1), value(day))).collect()
    }

    #[test]
    fn a_change_is_found_where_it_is_and_told_for_better_or_worse() {
        for (levels, better) in [([10.0, 12.0], false), ([12.0, 10.0], true)] {
            let machines = trends(&twenty("one", levels)).unwrap();
            let trend = &machines[0].trends[0];
            assert_eq!((machines.len(), machines[0].trends.len(), trend.points.len()), (1, 1, 20));
            let [change] = &trend.changes[..] else { panic!("{:?}", trend.changes) };
            assert_eq!((change.at, change.better), (10, better));
            assert!((change.before - levels[0] - 0.2).abs() < 1e-9 && (change.after - levels[1] - 0.2).abs() < 1e-9);
            assert!(change.p.is_some_and(|p| p <= 0.05), "{change:?}");
        }
    }

    #[test]
    fn a_change_of_machine_is_no_change_of_level() {
        let mut lines = twenty("one", [10.0, 10.0]);
        lines.extend(twenty("two", [20.0, 20.0]));
        // The same name on another CPU is another machine.
        lines.extend(twenty("one", [30.0, 30.0]).into_iter().map(|line| Line { cpu_model: None, ..line }));
        // Taken for one, they would change: the order of the file is that of the dates no more.
        lines.reverse();
        let machines = trends(&lines).unwrap();
        assert_eq!(machines.len(), 3);
        for machine in &machines {
            assert_eq!((machine.trends.len(), machine.trends[0].points.len()), (1, 20));
            assert_eq!(machine.trends[0].changes, []);
            assert!(machine.trends[0].points.is_sorted_by_key(|point| point.date));
        }
    }

    #[test]
    fn what_is_exact_changes_with_every_difference() {
        let exact = |day: usize, value: f64| {
            let mut line = line("one", &format!("2026-01-{:02}", day + 1), value);
            line.metrics[0].assumption = Assumption::Exact;
            line
        };
        let lines: Vec<Line> =
            [7.0, 7.0, 0.0, 8.0].into_iter().enumerate().map(|(day, value)| exact(day, value)).collect();
        let trend = trends(&lines).unwrap().remove(0).trends.remove(0);
        let told: Vec<_> =
            trend.changes.iter().map(|one| (one.at, one.before, one.after, one.ratio, one.better, one.p)).collect();
        assert_eq!(told, [(2, 7.0, 0.0, Some(0.0), true, None), (3, 0.0, 8.0, None, false, None)]);
        // Runs that differ make it a noisy one.
        let mut varied = lines;
        varied[1].metrics[0].runs = vec![7.0, 7.5];
        assert_eq!(trends(&varied).unwrap()[0].trends[0].changes, []);
    }

    #[test]
    fn profiles_sides_and_directions_are_kept_apart() {
        let one = line("one", "2026-01-01", 1.0);
        let mut others = [one.clone(), one.clone(), one.clone(), one.clone()];
        "quick".clone_into(&mut others[0].profile);
        others[1].metrics[0].side = Side::Baseline;
        others[2].metrics[0].direction = Direction::Higher;
        others[3].metrics[0].statistic = Statistic::P95;
        let lines: Vec<Line> = std::iter::once(one).chain(others).collect();
        assert_eq!(trends(&lines).unwrap()[0].trends.len(), 5);
    }

    #[test]
    fn of_a_long_history_the_latest_figures_are_searched() {
        let start: jiff::Timestamp = "2020-01-01T00:00:00Z".parse().unwrap();
        let lines: Vec<Line> = (0..MOST_VALUES + 50)
            .map(|index| {
                let value = if index < 10 { 50.0 } else { 10.0 };
                let hours = jiff::SignedDuration::from_hours(i64::try_from(index).unwrap());
                Line { date: start + hours, ..line("one", "2020-01-01", value) }
            })
            .collect();
        let trend = trends(&lines).unwrap().remove(0).trends.remove(0);
        assert_eq!((trend.points.len(), trend.searched, trend.changes.len()), (MOST_VALUES + 50, MOST_VALUES, 0));
    }
}
