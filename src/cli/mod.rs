//! The command line: one file a command. The only place that composes stages, prints, and knows clap.

mod calibrate;
mod campaign;
mod check;
mod compare;
mod confirm;
mod exit;
mod export;
mod find;
mod finished;
mod fixtures;
mod guard;
mod history;
mod init;
mod lock;
mod machine;
mod print;
mod profile;
mod progress;
mod query;
mod record;
mod replanned;
mod report;
mod resume;
mod run;
mod schema;
mod size;
mod unpaired;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use exit::Exit;

/// Decides, with evidence, whether a performance change may go ahead.
#[derive(Debug, Parser)]
#[command(name = "gate", version, about, max_term_width = 100, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run gates and judge them
    Run(run::Args),
    /// Record a baseline on this machine, for hypotheses whose baseline is `{ history = "latest" }`
    Record(record::Args),
    /// Validate gate files, and tell how much they would run
    Check(check::Args),
    /// Render a finished campaign again from what is stored
    Report(report::Args),
    /// Go on with a campaign that was interrupted
    Resume(resume::Args),
    /// Check a campaign's evidence, and recompute what was concluded from it
    Verify(verify::Args),
    /// Tell how many pairs would settle what a campaign left inconclusive
    Size(size::Args),
    /// Run a fresh campaign over what another one left inconclusive
    Confirm(confirm::Args),
    /// See on this host that a gate can fail, and how small a slowdown it sees
    Calibrate(calibrate::Args),
    /// See where the time of one lane goes, and what it allocates, apart from any campaign
    Profile(profile::Args),
    /// Compare what other tools measured: criterion, go, hyperfine, google-benchmark, pytest-benchmark, jmh, pyperf, gate
    Compare(compare::Args),
    /// Run SQL over the evidence of campaigns
    Query(query::Args),
    /// Write the samples of campaigns, or another view of them, for other programs
    Export(export::Args),
    /// Show how figures went from campaign to campaign, machine by machine, and where their level changed
    History(history::Args),
    /// Write a gate file for what can be measured in the repository that this is run in
    Init(init::Args),
    /// Print the JSON Schema of gate files
    Schema,
    /// Print the manifest of the built-in fixtures, generated anew
    Fixtures,
    /// Measure on behalf of a campaign
    #[command(hide = true)]
    Worker,
    /// Execute a command that dies with its parent
    #[command(hide = true)]
    Guard(guard::Args),
}

/// Parses the command line, does what it says, and returns the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Proceed };
            // Where even the message can't be written there is nobody left to tell.
            let _ = error.print();
            return code.into();
        }
    };
    let result = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Record(args) => record::record(&args),
        Command::Report(args) => report::report(&args),
        Command::Resume(args) => resume::resume(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Size(args) => size::size(&args),
        Command::Confirm(args) => confirm::confirm(&args),
        Command::Calibrate(args) => calibrate::calibrate(&args),
        Command::Profile(args) => profile::profile(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Query(args) => query::query(&args),
        Command::Export(args) => export::export(&args),
        Command::History(args) => history::history(&args),
        Command::Init(args) => init::init(&args),
        Command::Schema => schema::schema(),
        Command::Fixtures => fixtures::fixtures(),
        Command::Guard(args) => return guard::guard(&args),
        Command::Worker => return crate::worker::child::main(),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => {
            print::error(&failure.message);
            failure.exit.into()
        }
    }
}

/// What ends a command early.
#[derive(Debug)]
struct Failure {
    exit: Exit,
    /// Ready to be shown; it may have several lines.
    message: String,
}

impl Failure {
    /// Wrong usage or gate file.
    fn usage(message: impl std::fmt::Display) -> Self {
        Self { exit: Exit::Usage, message: message.to_string() }
    }

    /// The gate could not do its work.
    fn work(message: impl std::fmt::Display) -> Self {
        Self { exit: Exit::Failed, message: message.to_string() }
    }
}
