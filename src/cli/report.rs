//! `gate report`

use super::campaign::{Format, rendered};
use super::finished::Stored;
use super::{Exit, Failure, find, print};

/// Arguments of `gate report`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    campaign: find::Named,
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Format,
}

/// Shows a finished campaign; exits 0 whatever the verdict.
///
/// What is stored is held to the samples: the numbers and the verdicts must be what the plan and the runs give.
pub(super) fn report(args: &Args) -> Result<Exit, Failure> {
    let view = Stored::load(&args.campaign)?.view();
    print::data(&rendered(&view, args.format, false))?;
    Ok(Exit::Proceed)
}
