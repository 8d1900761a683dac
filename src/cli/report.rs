//! `gate report`

use std::path::PathBuf;

use super::campaign::{Format, date_of, rendered};
use super::{Exit, Failure, find, print};
use crate::evidence::{Evidence, EvidenceError, read_json};
use crate::report::View;
use crate::verdict::{self, Analysis, Verdicts, analyse, judge};

/// Arguments of `gate report`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A campaign's folder, or a gate for its latest campaign
    #[arg(value_name = "CAMPAIGN")]
    campaign: String,
    /// Where campaigns are
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Format,
}

/// Shows a finished campaign; exits 0 whatever the verdict.
///
/// What is stored is held to the samples: the numbers and the verdicts must be what the plan and the runs give.
pub(super) fn report(args: &Args) -> Result<Exit, Failure> {
    let folder = find::campaign(&args.campaign, &args.results)?;
    let (evidence, provenance) = Evidence::load(&folder).map_err(Failure::work)?;
    let analysis: Analysis = read_json(&folder, "analysis.json", verdict::ANALYSIS_SCHEMA).map_err(Failure::work)?;
    let verdicts: Verdicts = read_json(&folder, "verdict.json", verdict::VERDICT_SCHEMA).map_err(Failure::work)?;
    let other = |name: &str| Failure::work(EvidenceError::OtherConclusion { path: folder.join(name) });
    let again = analyse(&evidence, date_of(provenance.started)).map_err(Failure::work)?;
    if again != analysis {
        return Err(other("analysis.json"));
    }
    if !judge(&evidence.plan, &again).decides_like(&verdicts) {
        return Err(other("verdict.json"));
    }
    let name = folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let view = View::new(&evidence.plan, &provenance, &analysis, &verdicts, &name);
    print::data(&rendered(&view, args.format, false))?;
    Ok(Exit::Proceed)
}
