//! What the machine is called in the history: asked for once, and kept with the user's configuration.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::print;
use crate::digest::sha256;
use crate::measure::Host;

/// The environment variable that says what the machine is called.
const VARIABLE: &str = "GATE_MACHINE";

/// The longest name, in characters.
const LONGEST: usize = 64;

/// How often a person is asked.
const TRIES: usize = 3;

/// What this machine is called: by the environment variable `GATE_MACHINE`, else by the user's configuration, else as the
/// person at the terminal answers, which is kept. Without a terminal nobody is asked: the name is derived from what is known
/// of the host, the same every time, and told once.
///
/// # Errors
///
/// A name that can't be one, and a configuration that can't be read or kept.
pub(super) fn name() -> Result<&'static str, String> {
    static NAME: OnceLock<String> = OnceLock::new();
    if let Some(name) = NAME.get() {
        return Ok(name);
    }
    // Some CI services have a terminal, and nobody at it.
    let somebody_is_there = variable("CI").is_none() && io::stdin().is_terminal() && print::stderr_is_terminal();
    let answers = &mut io::stdin().lock().lines();
    let found = find(variable(VARIABLE), file().as_deref(), Host::observe, somebody_is_there, answers)?;
    Ok(NAME.get_or_init(|| found))
}

#[expect(clippy::disallowed_methods, reason = "the environment is read by the command line")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Where a user's configuration has the name (XDG Base Directory Specification); `None` where the user has no place for any.
fn file() -> Option<PathBuf> {
    let home = || variable("HOME").map(|home| Path::new(&home).join(".config"));
    let configuration = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    Some(configuration.or_else(home)?.join("gate").join("machine"))
}

fn find(
    set: Option<OsString>,
    file: Option<&Path>,
    host: impl Fn() -> Host,
    somebody_is_there: bool,
    answers: &mut dyn Iterator<Item = io::Result<String>>,
) -> Result<String, String> {
    if let Some(set) = set {
        return fit(&set.to_string_lossy()).map_err(|what| format!("use {VARIABLE}: {what}"));
    }
    if let Some(file) = file {
        match fs::read_to_string(file) {
            Ok(text) => {
                return fit(&text).map_err(|what| format!("use the machine's name in `{}`: {what}", file.display()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("read the machine's name in `{}`: {error}", file.display())),
        }
    }
    let derived = derived(&host());
    let Some(file) = file.filter(|_| somebody_is_there) else {
        print::note(&format!(
            "the history calls this machine `{derived}`, from its hardware: set {VARIABLE} to call it something else"
        ));
        return Ok(derived);
    };
    let name = ask(&derived, answers)?;
    keep(file, &name)
        .map_err(|error| format!("keep the machine's name in `{}`: {error}; set {VARIABLE} instead", file.display()))?;
    print::note(&format!("kept in {}", file.display()));
    Ok(name)
}

/// A name of 1 to 64 characters on one line; blanks around it are left out.
fn fit(name: &str) -> Result<String, String> {
    let name = name.trim();
    let wrong = if name.is_empty() {
        "it is empty"
    } else if name.chars().any(char::is_control) {
        "it has a line break or another control character"
    } else if name.contains('/') {
        "it has a `/`, and a name is no path"
    } else if name.chars().count() > LONGEST {
        "it is too long"
    } else {
        return Ok(name.to_owned());
    };
    Err(format!("{wrong}; write one line of 1 to {LONGEST} characters, such as `bench-1`"))
}

/// A name that this machine gets every time: of what it is, and nothing that names its user or its places.
fn derived(host: &Host) -> String {
    let facts = (&host.machine, &host.cpu_model);
    format!("{}-{}", host.architecture, &sha256(format!("{facts:?}").as_bytes())[..8])
}

fn ask(proposed: &str, answers: &mut dyn Iterator<Item = io::Result<String>>) -> Result<String, String> {
    for _ in 0..TRIES {
        print::note(&format!("What is this machine called in the history? Enter takes `{proposed}`"));
        let answer = match answers.next() {
            Some(answer) => answer.map_err(|error| format!("read the machine's name: {error}"))?,
            None => String::new(),
        };
        if answer.trim().is_empty() {
            return Ok(proposed.to_owned());
        }
        match fit(&answer) {
            Ok(name) => return Ok(name),
            Err(what) => print::note(&what),
        }
    }
    Err(format!("name this machine: none of {TRIES} answers can be a name; set {VARIABLE}"))
}

fn keep(file: &Path, name: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let aside = file.with_added_extension("new");
    fs::write(&aside, format!("{name}\n"))?;
    fs::rename(&aside, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(lines: &[&str]) -> impl Iterator<Item = io::Result<String>> {
        lines.iter().map(|line| Ok((*line).to_owned())).collect::<Vec<_>>().into_iter()
    }

    fn silent() -> impl Iterator<Item = io::Result<String>> {
        std::iter::from_fn(|| panic!("nobody is to be asked"))
    }

    #[test]
    fn a_person_is_asked_once_and_the_answer_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gate/machine");
        let host = Host::observe();
        let mut answers = given(&["a/b", " bench-1 "]);
        assert_eq!(find(None, Some(&file), || host.clone(), true, &mut answers).unwrap(), "bench-1");
        assert_eq!(fs::read_to_string(&file).unwrap(), "bench-1\n");
        assert_eq!(find(None, Some(&file), || host.clone(), true, &mut silent()).unwrap(), "bench-1");
        // The environment has the last word.
        assert_eq!(find(Some("ci".into()), Some(&file), || host.clone(), true, &mut silent()).unwrap(), "ci");
    }

    #[test]
    fn an_empty_answer_takes_what_is_proposed_and_nobody_there_is_not_asked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("machine");
        let host = Host::observe();
        let name = find(None, Some(&file), || host.clone(), false, &mut silent()).unwrap();
        assert_eq!(name, derived(&host));
        assert!(!file.exists() && !name.contains('/') && name.len() < 30, "{name}");
        assert_eq!(find(None, None, || host.clone(), true, &mut silent()).unwrap(), name);
        assert_eq!(find(None, Some(&file), || host.clone(), true, &mut given(&[" "])).unwrap(), name);
        assert_eq!(fs::read_to_string(&file).unwrap().trim(), name);
    }

    #[test]
    fn what_can_not_be_a_name_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("machine");
        let host = Host::observe();
        for (name, said) in [("a\nb", "line break"), ("/home", "is no path"), (&*"x".repeat(65), "too long")] {
            let error = find(Some(name.into()), None, || host.clone(), true, &mut silent()).unwrap_err();
            assert!(error.starts_with("use GATE_MACHINE") && error.contains(said), "{error}");
        }
        let error = find(None, Some(&file), || host.clone(), true, &mut given(&["/", "/", "/"])).unwrap_err();
        assert!(error.contains("none of 3 answers"), "{error}");
        fs::write(&file, " \n").unwrap();
        let error = find(None, Some(&file), || host.clone(), true, &mut silent()).unwrap_err();
        assert!(error.contains("it is empty"), "{error}");
        let error = find(None, Some(folder.path()), || host.clone(), true, &mut silent()).unwrap_err();
        assert!(error.contains("read the machine's name"), "{error}");
        let error =
            find(None, Some(&Path::new("/proc/none").join("machine")), || host.clone(), true, &mut given(&["a"]))
                .unwrap_err();
        assert!(error.contains("keep the machine's name"), "{error}");
    }
}
