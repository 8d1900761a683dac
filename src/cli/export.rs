//! `gate export`

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::query::{open, written};
use super::{Exit, Failure, print};
use crate::query::{Csv, Database, JsonLines, Output, Parquet, QueryError, VIEWS, View};

/// Arguments of `gate export`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Campaigns' folders, or gates for their latest campaigns
    #[arg(value_name = "CAMPAIGN", required = true)]
    campaigns: Vec<String>,
    /// Where campaigns are
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// The view that is written; `gate query --help` tells them and their columns
    #[arg(long, value_name = "VIEW", default_value = "samples", value_parser = view)]
    view: &'static View,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    format: Format,
    /// A file that is not there yet; without it stdout, but not for parquet
    #[arg(long, value_name = "FILE", required_if_eq("format", "parquet"))]
    output: Option<PathBuf>,
}

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Apache Parquet
    Parquet,
    /// CSV with a head
    Csv,
    /// A JSON object for each row, each on a line
    Jsonl,
}

fn view(name: &str) -> Result<&'static View, String> {
    let names: Vec<&str> = VIEWS.iter().map(|view| view.name).collect();
    View::find(name).ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

/// Writes a view of campaigns to a file that was not there, whole or not at all.
pub(super) fn export(args: &Args) -> Result<Exit, Failure> {
    let Some(path) = &args.output else {
        let database = open(&args.campaigns, &args.results)?;
        return written(write(args, &database, print::stream()));
    };
    // Told before the work; that nothing is overwritten is seen to at its end.
    if path.symlink_metadata().is_ok() {
        return Err(failed(path, &io::ErrorKind::AlreadyExists.into()));
    }
    let database = open(&args.campaigns, &args.results)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // It has no name that lasts until it is whole.
    let readable = Permissions::from_mode(0o666);
    let aside = tempfile::Builder::new().permissions(readable).tempfile_in(parent);
    let aside = aside.map_err(|error| failed(path, &error))?;
    written(write(args, &database, io::BufWriter::new(aside.as_file())))?;
    aside.as_file().sync_all().map_err(|error| failed(path, &error))?;
    aside.persist_noclobber(path).map_err(|error| failed(path, &error.error))?;
    print::note(&format!("written: {}", path.display()));
    Ok(Exit::Proceed)
}

fn write(args: &Args, database: &Database, out: impl Write + Send) -> Result<(), QueryError> {
    let mut output: Box<dyn Output> = match args.format {
        Format::Parquet => Box::new(Parquet::new(out)),
        Format::Csv => Box::new(Csv(out)),
        Format::Jsonl => Box::new(JsonLines::new(out)),
    };
    database.query(&format!("FROM {}", args.view.name), &mut *output)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    let remedy = match error.kind() {
        io::ErrorKind::AlreadyExists => {
            return Failure::usage(format!(
                "write `{}`: it is there already, and nothing is overwritten; name another file",
                path.display()
            ));
        }
        io::ErrorKind::NotFound => "; its folder must be there",
        _ => "",
    };
    Failure::work(format!("write `{}`: {error}{remedy}", path.display()))
}
