//! From what a user names to gate files and campaigns.

use std::path::{Path, PathBuf};

use super::{Failure, print};
use crate::evidence;
use crate::spec::{self, Loaded};

/// Where gate files are looked for by name.
const GATES: &str = "gates";

/// A campaign that is named on the command line.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Named {
    /// A campaign's folder, or a gate for its latest campaign
    #[arg(value_name = "CAMPAIGN")]
    campaign: String,
    /// Where campaigns are
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(super) results: PathBuf,
}

impl Named {
    /// Its folder.
    pub(super) fn folder(&self) -> Result<PathBuf, Failure> {
        campaign(&self.campaign, &self.results)
    }
}

/// Loads the named gates, all of `gates/` where none is named; every wrong one is told before anything is done.
pub(super) fn gates(names: &[String]) -> Result<Vec<Loaded>, Failure> {
    let paths = if names.is_empty() { all()? } else { names.iter().map(|name| path_of(name)).collect() };
    let color = print::stderr_has_color();
    let mut loaded = Vec::new();
    let mut wrong = Vec::new();
    for path in paths {
        match spec::load(&path) {
            Ok(gate) => loaded.push(gate),
            Err(error) => wrong.push(error.render(color)),
        }
    }
    if !wrong.is_empty() {
        return Err(Failure::usage(wrong.join("\n")));
    }
    for gate in &loaded {
        for warning in gate.render_warnings(color) {
            print::note(&warning);
        }
    }
    Ok(loaded)
}

/// Loads the gate file at `path`; what it would be warned of has been said before.
pub(super) fn one(path: &Path) -> Result<Loaded, Failure> {
    spec::load(path).map_err(|error| Failure::usage(error.render(print::stderr_has_color())))
}

/// A path where `name` looks like one, else the gate of that name in `gates/`.
fn path_of(name: &str) -> PathBuf {
    let path = Path::new(name);
    if path.extension().is_some() || path.components().count() > 1 {
        path.to_owned()
    } else {
        Path::new(GATES).join(format!("{name}.toml"))
    }
}

fn all() -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(GATES).map_err(|error| {
        Failure::usage(format!(
            "list gate files in `{GATES}/`: {error}; name a gate file, or go to the project's folder"
        ))
    })?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    if paths.is_empty() {
        return Err(Failure::usage(format!("find a gate file: there is none in `{GATES}/`")));
    }
    Ok(paths)
}

/// The folder of a campaign: the folder named, or the latest of the gate named.
pub(super) fn campaign(name: &str, results: &Path) -> Result<PathBuf, Failure> {
    let path = Path::new(name);
    if path.join("plan.json").is_file() {
        return Ok(path.to_owned());
    }
    if path.components().count() > 1 || path.is_dir() {
        return Err(Failure::usage(format!(
            "open campaign `{name}`: it has no plan.json, so it is no campaign's folder"
        )));
    }
    evidence::latest(results, name).map_err(Failure::usage)
}
