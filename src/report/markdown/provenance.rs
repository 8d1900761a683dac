//! What stands behind the numbers, and how to check it.

use super::escape::{code, inline};
use super::{head, row};
use crate::measure::Host;
use crate::report::view::View;
use crate::report::{facts, number};

/// Writes what was measured, on what, and how to check it.
pub(super) fn write(out: &mut String, view: &View) {
    metrics(out, view);
    out.push_str("\n## Provenance\n\n");
    head(out, &["fact", "value"]);
    for (fact, value) in campaign(view).into_iter().chain(host(&view.provenance.host)) {
        let value = value.as_deref().map_or_else(|| facts::UNKNOWN.to_owned(), inline);
        row(out, &[fact.to_owned(), value]);
    }
    for (label, digest) in &view.plan.digests.executables {
        row(out, &[format!("SHA-256 of {}", inline(label)), code(digest)]);
    }
    for (side, source) in &view.plan.digests.sources {
        row(out, &[format!("source of the {}", inline(side)), code(source)]);
    }
    for (label, toolchain) in &view.provenance.toolchains {
        row(out, &[format!("toolchain of {}", inline(label)), inline(toolchain)]);
    }
    for (name, value) in &view.provenance.host.limits {
        row(out, &[format!("limit {}", code(name)), inline(value)]);
    }
    out.push_str(&format!(
        "\nTo check it, in the campaign's folder {}:\n\n```sh\nsha256sum -c MANIFEST.sha256   # every file is as it was written\nsha256sum plan.json            # {}\n```\n",
        code(&format!("{}/{}", view.plan.gate, view.campaign)),
        // A digest is hexadecimal; anything else would not belong into a block of commands.
        view.provenance.plan.chars().filter(char::is_ascii_hexdigit).collect::<String>(),
    ));
}

/// What the metrics of this report mean.
fn metrics(out: &mut String, view: &View) {
    let shown = |name: &str| view.hypotheses.iter().flat_map(|part| &part.groups).any(|group| group.metric == name);
    let metrics: Vec<_> = view.plan.metrics.iter().filter(|metric| shown(&metric.name)).collect();
    if metrics.is_empty() {
        return;
    }
    out.push_str("\n## What was measured\n\n");
    head(out, &["metric", "meaning"]);
    for metric in metrics {
        row(out, &[code(&metric.name), inline(&metric.about)]);
    }
}

type Facts = Vec<(&'static str, Option<String>)>;

fn campaign(view: &View) -> Facts {
    let provenance = &view.provenance;
    let analysis = &view.plan.analysis;
    vec![
        ("campaign", Some(view.campaign.clone())),
        ("started", Some(provenance.started.to_string())),
        ("attempt at this plan", Some(provenance.attempt.to_string())),
        ("plan, SHA-256", Some(provenance.plan.clone())),
        ("gate file, SHA-256", Some(view.plan.digests.gate_file.clone())),
        ("fixtures", Some(format!("{}, their digests in plan.json", view.plan.digests.fixtures.len()))),
        ("profile", Some(facts::profile(&view.plan.profile).join(", "))),
        ("analysis", Some(facts::analysis(view).join(", "))),
        ("resampling", Some(format!("{} draws, seed {}", number::count(analysis.resamples as usize), analysis.seed))),
        ("gate", Some(provenance.version.clone())),
    ]
}

fn host(host: &Host) -> Facts {
    let yes = |value: Option<bool>| value.map(|yes| if yes { "on" } else { "off" }.to_owned());
    let load = &host.load;
    let average = |value: Option<f64>| value.map_or_else(|| facts::UNKNOWN.to_owned(), number::shortest);
    vec![
        ("compiler", host.rustc.clone()),
        ("DuckDB", Some(format!("{}, {}", host.duckdb.as_deref().unwrap_or(facts::UNKNOWN), host.link))),
        ("commit", Some(facts::commit(host))),
        ("machine", host.machine.clone()),
        ("CPU", host.cpu_model.clone()),
        ("logical CPUs", host.logical_cpus.map(number::count)),
        ("SMT", yes(host.smt)),
        ("turbo", yes(host.turbo)),
        ("governor", host.governor.clone()),
        ("architecture", Some(host.architecture.clone())),
        ("memory", host.memory_bytes.map(number::bytes)),
        ("swap", host.swap_bytes.map(number::bytes)),
        ("system", host.os.clone()),
        ("kernel", host.kernel.clone()),
        ("clock", host.clock_source.clone()),
        ("clock step", host.clock_granularity_ns.map(number::nanoseconds)),
        (
            "load over 1, 5, 15 minutes",
            Some([load.average_1m, load.average_5m, load.average_15m].map(average).join(", ")),
        ),
        ("steal since boot", load.steal_ticks.map(|ticks| format!("{ticks} ticks"))),
        ("throttled since boot", load.throttled_ns.map(number::nanoseconds)),
    ]
}
