//! `gate history`, and what a finished campaign adds to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::campaign::json;
use super::size::Show;
use super::{Exit, Failure, print};
use crate::evidence::history::{self, Line, Survey};
use crate::plan::{Plan, is_trial};
use crate::report::{self, Style};
use crate::unit::Direction;
use crate::verdict::{MachineTrends, trends};

/// The format of its JSON.
const SCHEMA: &str = "gate.trends/1";

/// Arguments of `gate history`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only this gate
    #[arg(value_name = "GATE")]
    gate: Option<String>,
    /// Only this metric; may be given again
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Where campaigns are
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// Another file of history, in the older format too, in place of that of the results
    #[arg(long, value_name = "FILE", conflicts_with = "results")]
    file: Option<PathBuf>,
    /// Which way a metric of the older format is better, as `seal_ms=lower` or `write_mbs=higher`; may be given again
    #[arg(long = "better", value_name = "METRIC=WAY", value_parser = way)]
    better: Vec<(String, Direction)>,
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Show,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    machines: &'a [MachineTrends],
    /// What is wrong with the lines that could not be read.
    wrong: Vec<String>,
}

fn way(text: &str) -> Result<(String, Direction), String> {
    let (metric, way) = text.rsplit_once('=').unwrap_or((text, ""));
    let direction = match way {
        "lower" => Direction::Lower,
        "higher" => Direction::Higher,
        _ => return Err("expected a metric and the way that is better, as `seal_ms=lower`".to_owned()),
    };
    Ok((metric.to_owned(), direction))
}

/// Shows the trends. A line that can't be read is named, the others are shown all the same, and the exit code is 1.
pub(super) fn history(args: &Args) -> Result<Exit, Failure> {
    let path = args.file.clone().unwrap_or_else(|| history::of(&args.results));
    if !path.exists() {
        return Err(Failure::usage(format!(
            "open history `{}`: there is no such file; every finished `gate run` adds to `history.jsonl` in its results, and --results or --file name another",
            path.display()
        )));
    }
    let better: BTreeMap<String, Direction> = args.better.iter().cloned().collect();
    let Survey { lines, wrong, older } = history::survey(&path, &better).map_err(Failure::work)?;
    if let Some(metric) = better.keys().find(|metric| !older.contains(*metric)) {
        return Err(Failure::usage(format!(
            "use --better {metric}: no line of the older format has that metric; {}",
            known(older.iter().map(String::as_str))
        )));
    }
    let wanted = |metric: &str| args.metrics.is_empty() || args.metrics.iter().any(|one| one == metric);
    let open: Vec<&str> =
        older.iter().map(String::as_str).filter(|metric| wanted(metric) && !better.contains_key(*metric)).collect();
    if let Some(first) = open.first() {
        let names: Vec<String> = open.iter().map(|metric| format!("`{metric}`")).collect();
        return Err(Failure::usage(format!(
            "read history `{}`: its lines do not say which way is better for {}; say so, as `--better {first}=lower` or \
             `--better {first}=higher`, for each, or name the metrics to show with --metric",
            path.display(),
            names.join(", ")
        )));
    }
    let chosen = chosen(args, lines)?;
    let machines = trends(&chosen).map_err(Failure::work)?;
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    let text = match args.format {
        Show::Terminal => report::trends(&machines, Style { color: print::stdout_has_color(), ..Style::plain() }),
        Show::Json => json(&Document { schema: SCHEMA, machines: &machines, wrong: wrong.clone() }),
    };
    print::data(&text)?;
    for what in &wrong {
        print::error(&format!("failed to {what}"));
    }
    Ok(if wrong.is_empty() { Exit::Proceed } else { Exit::Failed })
}

/// The lines and figures that are asked for; what nothing of the history has is told with what it has.
fn chosen(args: &Args, mut lines: Vec<Line>) -> Result<Vec<Line>, Failure> {
    if let Some(gate) = &args.gate {
        if !lines.iter().any(|line| line.gate == *gate) {
            let known = known(lines.iter().map(|line| line.gate.as_str()));
            return Err(Failure::usage(format!("find gate `{gate}` in the history: {known}")));
        }
        lines.retain(|line| line.gate == *gate);
    }
    let names = lines.iter().flat_map(|line| &line.metrics).map(|measured| measured.metric.as_str());
    if let Some(metric) = args.metrics.iter().find(|metric| !names.clone().any(|name| name == **metric)) {
        return Err(Failure::usage(format!("find metric `{metric}` in the history: {}", known(names))));
    }
    if !args.metrics.is_empty() {
        for line in &mut lines {
            line.metrics.retain(|measured| args.metrics.contains(&measured.metric));
        }
        lines.retain(|line| !line.metrics.is_empty());
    }
    Ok(lines)
}

/// `there are` and each name once, or that there is none.
fn known<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: std::collections::BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return "there is none".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
    format!("there are {}", quoted.join(", "))
}

/// Whether the history keeps what campaigns of `plan` measure: not where a gate was on trial.
pub(super) fn keeps(plan: &Plan) -> bool {
    !is_trial(&plan.gate)
}

/// Adds the line of a campaign whose folder is sealed.
pub(super) fn keep(results: &Path, line: &Line) -> Result<(), String> {
    history::append(&history::of(results), line)
        .map_err(|error| format!("{error}\nthe campaign itself is whole; only its line in the history is missing"))
}
