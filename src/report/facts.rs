//! What stands behind the numbers, in words: how they were measured and analysed, and on what.

use super::number;
use super::text::plural;
use super::view::View;
use super::words::interval;
use crate::evidence::Provenance;
use crate::measure::Host;
use crate::spec::{Estimator, Multiplicity, Order, Profile, Warmup};
use crate::verdict::{Reach, reach};

/// What stands for a fact that could not be found out.
pub(super) const UNKNOWN: &str = "unknown";

/// How the numbers came to be: estimator, interval, correction.
pub(super) fn analysis(view: &View) -> Vec<String> {
    let analysis = &view.plan.analysis;
    let estimator = match analysis.estimator {
        Estimator::RatioOfMedians => "ratio of medians",
        Estimator::MedianLogRatio => "median of the pairs' ratios",
        Estimator::HodgesLehmann => "Hodges–Lehmann estimate of the pairs' ratios",
    };
    [estimator.to_owned(), interval(view), correction(view)].into_iter().chain(looks(view)).collect()
}

/// What is made of many claims at once, and how many pairs it takes at the least before any of them can stand.
fn correction(view: &View) -> String {
    let correction = match view.plan.analysis.multiplicity {
        Multiplicity::Holm => "Holm's correction",
        Multiplicity::None => "no Holm correction",
    };
    let reaches = view.hypotheses.iter().filter_map(|part| reach(&view.plan, &part.outcomes));
    match reaches.max_by_key(|reach| reach.claims) {
        Some(Reach { claims: 1, pairs }) => format!("{correction} (a noisy guardrail can fail from {pairs} pairs on)"),
        Some(Reach { claims, pairs }) => {
            format!("{correction} (of {claims} noisy guardrails one can fail from {pairs} pairs on)")
        }
        None => correction.to_owned(),
    }
}

/// How many pairs there are, and where the campaign ended early: by which of its looks.
pub(super) fn pairs(view: &View) -> String {
    let planned = view.plan.profile.pairs;
    let pairs = plural(view.pairs() as usize, "pair", "pairs");
    match view.look {
        Some(look) if look.pairs < planned => format!("{pairs} of {planned}, ended by a declared look"),
        _ => pairs,
    }
}

/// The looks that the plan has, and the level at the last that was taken.
pub(super) fn looks(view: &View) -> Option<String> {
    let look = view.look?;
    let ends = view.plan.profile.ends();
    let ends: Vec<String> = ends.iter().map(ToString::to_string).collect();
    let level = look.level.map_or_else(
        || "nothing can be decided".to_owned(),
        |level| format!("an end of an interval may err with {:.2} %", 100.0 * level),
    );
    Some(format!("looks after {} pairs (Lan and DeMets, O'Brien and Fleming); here {level}", ends.join(", ")))
}

/// Which attempt at the plan it is, how those before it ended, and whether its own work was interrupted.
pub(super) fn attempt(view: &View) -> String {
    let Provenance { attempt, earlier, .. } = &view.provenance;
    let mut text = format!("attempt {attempt} of this plan");
    let mut fates: Vec<(&str, usize)> = Vec::new();
    for one in earlier {
        match fates.iter_mut().find(|(fate, _)| *fate == one.state.fate()) {
            Some((_, count)) => *count += 1,
            None => fates.push((one.state.fate(), 1)),
        }
    }
    if !fates.is_empty() {
        let fates: Vec<String> = fates.into_iter().map(|(fate, count)| format!("{count} {fate}")).collect();
        text.push_str(&format!(" (before it: {})", fates.join(", ")));
    }
    if !view.resumptions.is_empty() {
        let times = plural(view.resumptions.len(), "time", "times");
        let away: Vec<&str> =
            view.resumptions.iter().flat_map(|one| one.thrown_away.iter().map(String::as_str)).collect();
        text.push_str(&format!(", interrupted and resumed {times}"));
        text.push_str(&match away.as_slice() {
            [] => ", no run lost".to_owned(),
            away => format!(", half pairs thrown away and run again: {}", away.join(", ")),
        });
    }
    text
}

/// How much was measured, and in which order.
pub(super) fn profile(profile: &Profile) -> Vec<String> {
    let mut words = vec![plural(profile.pairs as usize, "pair", "pairs")];
    match profile.warmup {
        Warmup::Operations(0) | Warmup::TimeNs(0) => {}
        Warmup::Operations(operations) => {
            words.push(format!("{} to warm up", plural(operations as usize, "operation", "operations")));
        }
        Warmup::TimeNs(time) => words.push(format!("{} to warm up", number::nanoseconds(time))),
    }
    if let Some(samples) = profile.samples {
        words.push(plural(samples as usize, "timed operation", "timed operations"));
    }
    if let Some(time) = profile.min_time_ns {
        words.push(format!("timed for at least {}", number::nanoseconds(time)));
    }
    if let Some(samples) = profile.min_samples {
        words.push(format!("at least {}", plural(samples as usize, "timed operation", "timed operations")));
    }
    words.push(match profile.order {
        Order::Alternate => "sides alternate".to_owned(),
        Order::Balanced => format!("sides in balanced order (seed {})", profile.order_seed),
    });
    words
}

/// The host in a few facts, the most telling first.
pub(super) fn host(host: &Host) -> Vec<String> {
    let mut facts = vec![host.cpu_model.clone().unwrap_or_else(|| format!("{UNKNOWN} CPU"))];
    if let Some(cpus) = host.logical_cpus {
        facts.push(plural(cpus, "CPU", "CPUs"));
    }
    if let Some(bytes) = host.memory_bytes {
        facts.push(number::bytes(bytes));
    }
    if let Some(kernel) = &host.kernel {
        facts.push(format!("kernel {kernel}"));
    }
    let version = host.duckdb.as_deref().unwrap_or(UNKNOWN);
    facts.push(format!("DuckDB {} ({})", version.split(' ').next().unwrap_or(version), host.link));
    facts
}

/// The commit, and whether anything was changed since.
pub(super) fn commit(host: &Host) -> String {
    let changes = match host.dirty {
        Some(true) => ", with uncommitted changes",
        Some(false) => "",
        None => ", changes unknown",
    };
    match &host.commit {
        Some(commit) => format!("{}{changes}", commit.get(..12).unwrap_or(commit)),
        None => UNKNOWN.to_owned(),
    }
}

/// The campaign that this one confirms, and what it had left open: none of its pairs are among those of this one.
pub(super) fn confirms(view: &View) -> Vec<String> {
    let Some(confirms) = &view.plan.confirms else { return Vec::new() };
    let mut lines = vec![format!(
        "campaign {}, plan {}, whose verdict stays as it was; none of its pairs are used here",
        confirms.campaign,
        confirms.plan.get(..8).unwrap_or(&confirms.plan)
    )];
    for open in &confirms.open {
        let shown = |value: Option<f64>| number::ratio(value, None);
        lines.push(format!(
            "there {} {} in {} was {} [{}, {}] over {}: inconclusive",
            open.metric,
            open.statistic,
            open.case,
            shown(open.ratio),
            shown(open.low),
            shown(open.high),
            plural(open.pairs as usize, "pair", "pairs")
        ));
    }
    lines
}
