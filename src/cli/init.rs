//! `gate init`: from the repository that it is run in to a gate file, and a workflow where one is asked for.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{Exit, Failure, print};
use crate::init::{Base, Found, Kind, Look, Repository, gate_file, look, skeleton, workflow};

/// The most that is told of what was found.
const MOST_TOLD: usize = 20;

/// Where the workflow is written.
const WORKFLOW: &str = ".github/workflows/gate.yml";

/// Arguments of `gate init`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to measure, where several things are found
    #[arg(long = "for", value_name = "KIND")]
    kind: Option<Sought>,
    /// Write a workflow too, which runs the gate on every pull request
    #[arg(long, value_name = "SERVICE")]
    ci: Option<Service>,
}

/// What to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sought {
    /// Criterion benches of a Cargo package
    Cargo,
    /// Benches of a Go package
    Go,
    /// A pytest-benchmark suite
    Pytest,
    /// The script `bench` of a package.json, else its program
    Npm,
    /// A binary of a Cargo package
    Binary,
}

impl Sought {
    const fn kind(self) -> Kind {
        match self {
            Self::Cargo => Kind::Cargo,
            Self::Go => Kind::Go,
            Self::Pytest => Kind::Pytest,
            Self::Npm => Kind::Npm,
            Self::Binary => Kind::Binary,
        }
    }
}

/// Who runs workflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Service {
    /// GitHub Actions
    Github,
}

pub(super) fn init(args: &Args) -> Result<Exit, Failure> {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let here = here.map_err(|error| Failure::work(format!("find the current folder: {error}")))?;
    let repository = Repository::open(&here).map_err(Failure::work)?;
    let root = repository.as_ref().map_or(here.as_path(), |repository| repository.root.as_path());
    let start = here.strip_prefix(root).unwrap_or(Path::new(""));
    let mut look = look(root, start);
    for note in &look.notes {
        print::note(&format!("note: {note}"));
    }
    if repository.is_none() {
        // A bench suite of one revision has nothing to be held against.
        look.found.retain(|found| matches!(found.kind, Kind::Npm | Kind::Binary));
    }
    let found = choose(&look, args.kind.map(Sought::kind), repository.as_ref(), root)?;
    let base = repository.as_ref().and_then(|repository| repository.base.as_ref());
    let mut files = vec![(format!("gates/{}.toml", found.name), gate_file(&found, repository.as_ref()))];
    if let Some(Service::Github) = args.ci {
        files.push((WORKFLOW.to_owned(), workflow(&found, base_of_pulls(base)?)));
    }
    let written = write_all(root, &files)?;
    tell(&look, &found, repository.as_ref());
    let up: PathBuf = start.components().map(|_| "..").collect();
    let shown: Vec<String> = written.iter().map(|path| format!("{}\n", up.join(path).display())).collect();
    print::data(&shown.concat())?;
    next(&found, repository.as_ref(), &up);
    Ok(Exit::Proceed)
}

/// The first of what was found, or the first of the kind that is sought.
fn choose(look: &Look, sought: Option<Kind>, repository: Option<&Repository>, root: &Path) -> Result<Found, Failure> {
    let found = look.found.iter().find(|found| sought.is_none_or(|kind| found.kind == kind));
    if let Some(found) = found {
        return Ok(found.clone());
    }
    match (sought, repository) {
        (Some(kind @ (Kind::Cargo | Kind::Go | Kind::Pytest)), None) => Err(Failure::usage(format!(
            "compare the benches of `--for {}`: this is no git repository, so there are no revisions; \
             run `git init` and commit, then try again",
            kind.name()
        ))),
        (Some(kind), _) => {
            let mut kinds: Vec<&str> = look.found.iter().map(|found| found.kind.name()).collect();
            kinds.dedup();
            let there = if kinds.is_empty() {
                "nothing else is there either".to_owned()
            } else {
                format!("there is `--for {}`", kinds.join("`, `--for "))
            };
            Err(Failure::usage(format!(
                "find what `--for {}` measures: expected {}; {there}",
                kind.name(),
                kind.sought()
            )))
        }
        (None, Some(_)) => Ok(skeleton(root)),
        (None, None) => Err(Failure::usage(format!(
            "find a program: this is no git repository, so no revisions can be compared, and there is neither {} \
             nor {}; run `git init` and commit, or write `[target.command]` by hand",
            Kind::Binary.sought(),
            Kind::Npm.sought()
        ))),
    }
}

/// The branch that pull requests go to.
fn base_of_pulls(base: Option<&Base>) -> Result<&Base, Failure> {
    base.ok_or_else(|| {
        Failure::usage(
            "write a workflow: no branch is known that pull requests go to; expected a git repository with \
             `origin/HEAD`, or a branch `main` or `master`; `git remote set-head origin --auto` asks the remote for it",
        )
    })
}

/// Writes files that are not there yet, all or, where one is there, none.
fn write_all<'f>(root: &Path, files: &'f [(String, String)]) -> Result<Vec<&'f str>, Failure> {
    for (path, _) in files {
        if root.join(path).symlink_metadata().is_ok() {
            return Err(Failure::usage(format!(
                "write `{path}`: it is there already, and nothing is overwritten; \
                 move it away and try again, or change it by hand"
            )));
        }
    }
    let failed = |path: &str, error| Failure::work(format!("write `{path}`: {error}"));
    let mut places = Vec::new();
    for (path, _) in files {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        let folder = folder_within(root, folder).map_err(|error| failed(path, error))?;
        places.push(folder.join(name));
    }
    for ((path, text), place) in files.iter().zip(places) {
        let file = File::options().write(true).create_new(true).open(place);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| failed(path, error))?;
    }
    Ok(files.iter().map(|(path, _)| path.as_str()).collect())
}

/// The folder at `path` in `root`, made where it is not there; never one that a link leads to outside.
fn folder_within(root: &Path, path: &str) -> io::Result<PathBuf> {
    let root = root.canonicalize()?;
    let mut folder = root.clone();
    for name in path.split('/') {
        folder.push(name);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        folder = folder.canonicalize()?;
        if !folder.starts_with(&root) {
            let said = format!("`{name}` is a link that leads out of the repository; put a folder in its place");
            return Err(io::Error::other(said));
        }
    }
    Ok(folder)
}

/// Tells what was found, and what of it is used.
fn tell(look: &Look, used: &Found, repository: Option<&Repository>) {
    for found in look.found.iter().take(MOST_TOLD) {
        let rest = if found == used {
            ": used".to_owned()
        } else if found.kind == used.kind {
            ": to use it, change `build` and `run`".to_owned()
        } else {
            format!(": `--for {}` uses it", found.kind.name())
        };
        print::note(&format!("found {}{rest}", found.what));
    }
    if let Some(more) = look.found.len().checked_sub(MOST_TOLD).filter(|more| *more > 0) {
        print::note(&format!("and {more} more"));
    }
    if used.kind == Kind::Skeleton {
        print::note("found nothing to measure: the file times `sleep` against itself until you name two programs");
    }
    if repository.is_none() {
        print::note("note: this is no git repository, so no revisions can be compared: the file has one program twice");
    }
}

/// Tells how to go on.
fn next(used: &Found, repository: Option<&Repository>, up: &Path) {
    if let Some(mend) = &used.mend {
        print::note(&format!("hint: {mend}"));
    }
    if repository.is_some_and(|repository| !repository.has_commit) {
        print::note("hint: commit first: there is nothing yet that a change could be held against");
    }
    if repository.is_some_and(|repository| !repository.ignores_results) {
        print::note("hint: add `/results/` to .gitignore: campaigns land there");
    }
    let cd = if up.as_os_str().is_empty() { String::new() } else { format!("cd {}; ", up.display()) };
    print::note(&format!("next: {cd}gate check {name}; gate run {name} --profile quick", name = used.name));
}
