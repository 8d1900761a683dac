//! `gate size`

use clap::ValueEnum;
use serde::Serialize;

use super::campaign::{date_of, json};
use super::finished::Stored;
use super::{Exit, Failure, find, print};
use crate::evidence::{Event, Journal};
use crate::verdict::{Sizing, sizes};

/// The format of its JSON.
const SCHEMA: &str = "gate.size/1";

/// Arguments of `gate size`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    campaign: find::Named,
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Show,
}

/// How to show what is no report of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Show {
    /// For a person at 80 columns
    Terminal,
    /// For a program
    Json,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    gate: &'a str,
    campaign: String,
    plan: String,
    budgets: &'a [Sizing],
    /// Of the campaign, checks left out.
    seconds_a_pair: f64,
    /// The pairs that settle every budget that can be settled.
    pairs: Option<u32>,
    seconds: Option<f64>,
}

/// Tells how many pairs would settle what is inconclusive, and how long they would take.
pub(super) fn size(args: &Args) -> Result<Exit, Failure> {
    let stored = Stored::load(&args.campaign)?;
    let budgets = inconclusive(&stored, "size")?;
    let seconds_a_pair = seconds_a_pair(&stored)?;
    let pairs = budgets.iter().filter_map(Sizing::needed).max();
    let seconds = pairs.map(|pairs| seconds_a_pair * f64::from(pairs));
    let text = match args.format {
        Show::Terminal => text(&budgets, pairs, seconds),
        Show::Json => json(&Document {
            schema: SCHEMA,
            gate: &stored.evidence.plan.gate,
            campaign: stored.name(),
            plan: stored.evidence.plan.digest(),
            budgets: &budgets,
            seconds_a_pair,
            pairs,
            seconds,
        }),
    };
    print::data(&text)?;
    Ok(Exit::Proceed)
}

/// The budgets of a campaign that are inconclusive, with their sizes.
pub(super) fn inconclusive(stored: &Stored, command: &str) -> Result<Vec<Sizing>, Failure> {
    let date = date_of(stored.provenance.started);
    let budgets = sizes(&stored.evidence, &stored.analysis, date).map_err(Failure::work)?;
    if budgets.is_empty() {
        return Err(Failure::usage(format!(
            "{command} campaign `{}`: none of its budgets is inconclusive; `gate report` shows what they came to",
            stored.name()
        )));
    }
    Ok(budgets)
}

/// What one pair took, over all pairs of the campaign.
pub(super) fn seconds_a_pair(stored: &Stored) -> Result<f64, Failure> {
    let lines = Journal::read(&stored.folder.join("journal.jsonl")).map_err(Failure::work)?;
    let begin = lines.iter().find(|line| matches!(line.event, Event::RunStarted { .. }));
    let end = lines.iter().rfind(|line| matches!(line.event, Event::PairFinished { .. }));
    let (Some(begin), Some(end)) = (begin, end) else { return Ok(0.0) };
    let took = end.at.duration_since(begin.at).as_secs_f64();
    Ok(took / f64::from(stored.evidence.pairs.max(1)))
}

fn text(budgets: &[Sizing], pairs: Option<u32>, seconds: Option<f64>) -> String {
    let mut text = String::new();
    for one in budgets {
        text.push_str(&format!("{}: {} {} in {}\n", one.hypothesis, one.metric, one.statistic, one.case));
        if let (Some(ratio), Some(bound)) = (one.ratio, one.bound) {
            let deviation =
                one.deviation.map_or_else(String::new, |sd| format!(", log ratios spread by {:.2} %", 100.0 * sd));
            text.push_str(&format!(
                "  {ratio:.4} over {} pairs, {} = {}{deviation}\n",
                one.pairs,
                bound.key(),
                bound.value()
            ));
        }
        if let Some(reason) = &one.reason {
            text.push_str(&format!("  {reason}\n"));
            continue;
        }
        let told = |pairs: Option<u32>| pairs.map_or_else(|| "unknown".to_owned(), |pairs| pairs.to_string());
        text.push_str(&format!(
            "  pairs for 80 % power: {} by the normal formula, {} by simulation\n",
            told(one.normal),
            told(one.simulated)
        ));
        let (head, row): (String, String) =
            one.powers.iter().map(|(n, power)| (format!("{n:>7}"), format!("{:>5.0} %", 100.0 * power))).unzip();
        text.push_str(&format!("  pairs{head}\n  power{row}\n"));
        if let Some(share) = one.of_operations {
            let advice = if share > 0.5 { "longer runs help as well as more pairs" } else { "longer runs hardly help" };
            text.push_str(&format!(
                "  {:.0} % of the variance between runs is that of single operations: {advice}\n",
                100.0 * share
            ));
        }
    }
    match (pairs, seconds) {
        (Some(pairs), Some(seconds)) => {
            text.push_str(&format!("\n{pairs} pairs settle what can be settled: about {}\n", duration(seconds)));
            text.push_str("sized by the bound of one side, as `gate confirm` judges\n");
        }
        _ => text.push_str("\nno number of pairs settles any of it\n"),
    }
    text
}

/// A rough time in words.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{seconds:.0} s"),
        90.0..5_400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}
