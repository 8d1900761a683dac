//! The trends of a history: machine by machine, and of each what its figures came to and where their level changed.

use super::page::{Page, Tone};
use crate::report::text::plural;
use crate::report::{Style, number};
use crate::unit::Statistic;
use crate::verdict::{Change, MachineTrends, Point, Trend};

/// Columns before a trend, and before what is said of it.
const INDENT: usize = 2;

/// Renders the trends of every machine, each under a head of its own.
pub(in crate::report) fn render(machines: &[MachineTrends], style: Style) -> String {
    let mut page = Page::new(style);
    for (index, machine) in machines.iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        let mut facts: Vec<String> = machine.cpu_model.iter().cloned().collect();
        facts.extend(machine.cores.map(|cores| plural(cores, "core", "cores")));
        let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
        page.prose(0, &format!("machine {}{facts}", machine.machine), Tone::Title);
        let mut head = None;
        for trend in &machine.trends {
            let next = origin(trend);
            if head.as_ref() != Some(&next) {
                page.blank();
                if !next.is_empty() {
                    page.prose(0, &next, Tone::Title);
                }
                head = Some(next);
            }
            one(&mut page, trend);
        }
    }
    page.finish()
}

/// `gate native, profile full, hypothesis detail`
fn origin(trend: &Trend) -> String {
    let parts = [("gate", &trend.gate), ("profile", &trend.profile), ("hypothesis", &trend.hypothesis)];
    let told = parts.iter().filter(|(_, name)| !name.is_empty()).map(|(what, name)| format!("{what} {name}"));
    told.collect::<Vec<_>>().join(", ")
}

fn one(page: &mut Page, trend: &Trend) {
    let statistic = if trend.statistic == Statistic::Value { String::new() } else { format!(" {}", trend.statistic) };
    let place = if trend.case.is_empty() { String::new() } else { format!(" in {}", trend.case) };
    let side = if trend.hypothesis.is_empty() { String::new() } else { format!(" of the {}", trend.side) };
    page.prose(INDENT, &format!("{}{statistic}{side}{place}", trend.metric), Tone::Plain);
    let (Some(first), Some(last)) = (trend.points.first(), trend.points.last()) else { return };
    let text = match trend.points.len() {
        1 => format!("{} on {}", quantity(trend, last.value), day(last)),
        points => {
            let (from, to) = number::quantities(Some(first.value), Some(last.value), trend.unit);
            let change = number::change((first.value > 0.0).then(|| last.value / first.value));
            let values = plural(points, "value", "values");
            format!("{values} from {} to {}: first {from}, latest {to}, {change}", day(first), day(last))
        }
    };
    page.prose(2 * INDENT, &text, Tone::Label);
    for change in &trend.changes {
        let (mark, tone) = if change.better { ("✓", Tone::Good) } else { ("✗", Tone::Bad) };
        let head = format!("{}{mark}", " ".repeat(2 * INDENT));
        page.hanging(&head, tone, 3 * INDENT, &told(trend, change), Tone::Plain);
    }
    if trend.searched < trend.points.len() {
        let text = format!("the latest {} were searched for changes", number::count(trend.searched));
        page.prose(2 * INDENT, &text, Tone::Label);
    }
}

/// `2026-12-01, 20261201T101500Z-3f9a2c1b, commit 1f929d2ffe00: 764 µs → 584 µs, -23.5 %, better (p 0.001)`
fn told(trend: &Trend, change: &Change) -> String {
    let (before, after) = number::quantities(Some(change.before), Some(change.after), trend.unit);
    let better = if change.better { "better" } else { "worse" };
    let p = change.p.map_or_else(|| "exact".to_owned(), |p| format!("p {}", number::probability(Some(p))));
    let at = trend.points.get(change.at).map_or_else(String::new, |point| {
        let commit = point.commit.as_deref().map_or_else(String::new, |commit| {
            let changes = if point.dirty == Some(true) { " with changes" } else { "" };
            format!(", commit {}{changes}", commit.get(..12).unwrap_or(commit))
        });
        format!("{}, {}{commit}", day(point), point.campaign)
    });
    format!("{at}: {before} → {after}, {}, {better} ({p})", number::change(change.ratio))
}

fn quantity(trend: &Trend, value: f64) -> String {
    number::quantity(Some(value), trend.unit)
}

/// The UTC day.
fn day(point: &Point) -> String {
    jiff::tz::Offset::UTC.to_datetime(point.date).date().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::history::tests::line;
    use crate::verdict::trends;

    fn shown(lines: &[crate::evidence::history::Line]) -> String {
        render(&trends(lines).unwrap(), Style::plain())
    }

    #[test]
    fn each_machine_has_a_head_and_each_change_its_place() {
        let value = |day: u8| f64::from(day / 10 * 200 + day * 7 % 5) * 1e3 + 7e5;
        let mut lines: Vec<_> =
            (0..20).map(|day| line("one", &format!("2026-01-{:02}", day + 1), value(day))).collect();
        lines.push(line("two\u{1b}[2J", "2026-02-01", 3e9));
        assert_eq!(
            shown(&lines),
            "machine one (a CPU, 2 cores)\n\
             \n\
             gate g, profile full, hypothesis h\n  \
               latency p50 of the candidate in rows=50\n    \
                 20 values from 2026-01-01 to 2026-01-20: first 700.0 µs, latest 903.0 µs,\n    \
                 +29.0 %\n    \
                 ✗ 2026-01-11, 20260111T100000Z-00000000, commit 1f929d2ffe00: 702.0 µs →\n      \
                   902.0 µs, +28.5 %, worse (p 0.00100)\n\
             \n\
             machine two\\u{1b}[2J (a CPU, 2 cores)\n\
             \n\
             gate g, profile full, hypothesis h\n  \
               latency p50 of the candidate in rows=50\n    \
                 3.000 s on 2026-02-01\n"
        );
    }

    #[test]
    fn nothing_is_shown_of_nothing() {
        assert_eq!(shown(&[]), "");
    }
}
