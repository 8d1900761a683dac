//! `gate report`

use std::path::PathBuf;

use super::campaign::{Format, rendered};
use super::finished::Stored;
use super::{Exit, Failure, print};

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
    let view = Stored::load(&args.campaign, &args.results)?.view();
    print::data(&rendered(&view, args.format, false))?;
    Ok(Exit::Proceed)
}
