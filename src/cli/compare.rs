//! `gate compare`

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::unpaired::{Claim, claims};
use super::{Exit, Failure, print};
use crate::compare::{
    self, Budget, Comparison, HostDifference, Judgement, Lanes, Outcome, UNPAIRED, csv, host_differences, judge,
    markdown, sides, terminal,
};
use crate::reading::{self, Format, Reading};

/// What `gate compare --help` says beside its arguments.
const HELP: &str = "\
Exit codes:
   0  every budget is kept, or there is none
  10  a budget is exceeded
  11  none is exceeded, one is inconclusive, or a side lacks a bench
   2  wrong usage, or input that can't be read or compared";

/// Arguments of `gate compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// What was measured before: a file, or a folder of Criterion's
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// What was measured after
    #[arg(value_name = "NEW", required_unless_present = "by", conflicts_with = "by")]
    new: Option<PathBuf>,
    /// The format of the input; detected where it is not named
    #[arg(long, value_name = "FORMAT", value_parser = |text: &str| text.parse::<Format>())]
    from: Option<Format>,
    /// A bound on the ratio of new to old, as `latency.p50<=1.05` or `throughput>=0.95`
    #[arg(long = "budget", value_name = "BUDGET", value_parser = |text: &str| text.parse::<Budget>())]
    budgets: Vec<Budget>,
    /// A gate file, or a name in gates/, whose hypotheses are judged too; at best they are to revise
    #[arg(long, value_name = "GATE")]
    gate: Option<String>,
    /// Only these hypotheses of the gate file
    #[arg(long, value_name = "ID", requires = "gate")]
    hypothesis: Vec<String>,
    /// Compare two lanes of one file: `/` takes the last part of each name as the side, `/key` the part `key=…`
    #[arg(long, value_name = "KEY", value_parser = |text: &str| text.parse::<Lanes>())]
    by: Option<Lanes>,
    /// Compare although the hosts differ
    #[arg(long)]
    across_hosts: bool,
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Show,
}

/// How to show a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Show {
    /// For a person
    Terminal,
    /// For a pull request
    Markdown,
    /// For a program
    Json,
    /// As benchstat writes it
    Csv,
}

/// The JSON of a comparison.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    note: &'static str,
    old: &'a str,
    new: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
    host_differences: &'a [HostDifference],
    budgets: &'a [Judgement],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    hypotheses: &'a [Claim],
    exit_code: u8,
}

pub(super) fn compare(args: &Args) -> Result<Exit, Failure> {
    let [(old_label, old), (new_label, new)] = both(args)?;
    let labels = [old_label.as_str(), new_label.as_str()];
    let differences = host_differences(&old, &new);
    for HostDifference { key, old, new } in &differences {
        if !args.across_hosts {
            return Err(Failure::usage(format!(
                "compare: `{key}` is `{old}` on the old side and `{new}` on the new one; \
                 measure both on one host, or add `--across-hosts` to compare all the same"
            )));
        }
        print::note(&format!("warning: `{key}` differs: `{old}` and `{new}`; differences may be those of the hosts"));
    }
    let comparison = compare::compare(&old, &new).map_err(Failure::usage)?;
    let mut judgements = judge(&old, &new, &args.budgets).map_err(Failure::usage)?;
    let mut exit = exit(&comparison, &judgements);
    let mut claimed = Vec::new();
    if let Some(gate) = &args.gate {
        let (found, mut budgets) = claims(gate, &args.hypothesis, &old, &new)?;
        exit = found.iter().map(Claim::exit).fold(exit, Exit::max);
        judgements.append(&mut budgets);
        claimed = found;
    }
    let verdicts: Vec<String> = claimed.iter().map(Claim::text).collect();
    let text = match args.format {
        Show::Terminal => terminal(&comparison, labels, &judgements, &verdicts),
        Show::Markdown => markdown(&comparison, labels, &judgements, &verdicts),
        Show::Json => {
            let shown = Document {
                schema: "gate-compare-1",
                note: UNPAIRED,
                old: labels[0],
                new: labels[1],
                comparison: &comparison,
                host_differences: &differences,
                budgets: &judgements,
                hypotheses: &claimed,
                exit_code: exit.code(),
            };
            let text = serde_json::to_string_pretty(&shown);
            text.map_err(|error| Failure::work(format!("write JSON: {error}")))? + "\n"
        }
        Show::Csv => {
            // Its form has no place for more than the tables.
            print::note(UNPAIRED);
            for one in judgements.iter().filter(|one| one.outcome != Outcome::Pass) {
                print::note(&format!("{}: {} in {}", one.outcome.name(), one.budget, one.bench));
            }
            for verdict in &verdicts {
                print::note(verdict);
            }
            csv(&comparison, labels)
        }
    };
    print::data(&text)?;
    Ok(exit)
}

/// Both sides and what they are called.
fn both(args: &Args) -> Result<[(String, Reading); 2], Failure> {
    let read = |path: &Path| {
        let reading = reading::read(path, args.from).map_err(Failure::usage)?;
        match reading.failed.first() {
            None => Ok(reading),
            Some(failed) => Err(Failure::usage(format!(
                "compare: `{}` says that its own {failed}; mend the answer first, a wrong one has no speed",
                label(path)
            ))),
        }
    };
    let old = read(&args.old)?;
    match (&args.by, &args.new) {
        (Some(lanes), _) => sides(&old, lanes).map_err(Failure::usage),
        (None, Some(new)) => Ok([(label(&args.old), old), (label(new), read(new)?)]),
        (None, None) => Err(Failure::usage("compare: name what was measured after, or the sides by `--by`")),
    }
}

/// The last part of a path, without what a terminal would obey.
fn label(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    name.chars().flat_map(|c| if c.is_control() { c.escape_unicode().collect() } else { vec![c] }).collect()
}

/// Without a budget nothing is decided.
fn exit(comparison: &Comparison, judgements: &[Judgement]) -> Exit {
    let any = |outcome| judgements.iter().any(|one| one.outcome == outcome);
    if judgements.is_empty() {
        Exit::Proceed
    } else if any(Outcome::Fail) {
        Exit::Reject
    } else if any(Outcome::Inconclusive) || !comparison.alone.is_empty() {
        Exit::Revise
    } else {
        Exit::Proceed
    }
}
