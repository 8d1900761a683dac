//! `gate query`

use std::path::{Path, PathBuf};

use super::{Exit, Failure, find, print};
use crate::evidence::{EvidenceError, Outline};
use crate::query::{self, Csv, Database, Json, Output, QueryError, Terminal};

/// Arguments of `gate query`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = query::help())]
pub(super) struct Args {
    /// Campaigns' folders, or gates for their latest campaigns
    #[arg(value_name = "CAMPAIGN", required = true)]
    campaigns: Vec<String>,
    /// One statement that reads; `--help` tells views and columns
    #[arg(value_name = "SQL", required = true)]
    sql: String,
    /// Where campaigns are
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// How to show what is found
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: Show,
}

/// How to show what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Show {
    /// For a person
    Terminal,
    /// For a spreadsheet
    Csv,
    /// For a program: an array with an object for each row
    Json,
}

/// Runs SQL over the evidence of campaigns.
pub(super) fn query(args: &Args) -> Result<Exit, Failure> {
    let database = open(&args.campaigns, &args.results)?;
    let mut out = print::stream();
    let mut output: Box<dyn Output> = match args.format {
        Show::Terminal => Box::new(Terminal::new(&mut out)),
        Show::Csv => Box::new(Csv(&mut out)),
        Show::Json => Box::new(Json::new(&mut out)),
    };
    written(database.query(&args.sql, &mut *output))
}

/// The evidence of the named campaigns.
pub(super) fn open(names: &[String], results: &Path) -> Result<Database, Failure> {
    let mut folders = Vec::new();
    for name in names {
        // Beside campaigns lie ledgers and calibrations, which a shell's `*` names too.
        if Path::new(name).is_file() && names.len() > 1 {
            print::note(&format!("passed over `{name}`: a file is no campaign"));
            continue;
        }
        let folder = find::campaign(name, results)?;
        match Outline::load(&folder) {
            Err(error @ (EvidenceError::Unfinished { .. } | EvidenceError::Failed { .. })) if names.len() > 1 => {
                print::note(&format!("passed over: {error}"));
            }
            _ => folders.push(folder),
        }
    }
    if folders.is_empty() {
        return Err(Failure::usage("open campaigns: none of what is named is a campaign's folder"));
    }
    Database::open(&folders).map_err(|error| failure(&error))
}

/// A reader of stdout that went away is no error: it has what it wanted.
pub(super) fn written(result: Result<(), QueryError>) -> Result<Exit, Failure> {
    match result {
        Err(QueryError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Proceed),
        result => result.map(|()| Exit::Proceed).map_err(|error| failure(&error)),
    }
}

fn failure(error: &QueryError) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::work(error) }
}
