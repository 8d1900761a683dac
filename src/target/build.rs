//! Running what builds a target, and finding what it has built.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::OWN_PATH;

/// Variables by which git tells a hook which repository it is about, and which would mislead anything about another.
const OF_A_HOOK: [&str; 5] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"];

/// The lines of a failed build's log that its error shows.
const TOLD: usize = 20;

/// The most of a build's log that is kept, from its end.
const KEPT: u64 = 4 << 20;

/// What keeps a build from its work.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// It can't be started, or its log can't be kept.
    #[error("run `{command}`: {source}")]
    Start {
        /// The command.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// It failed.
    #[error("run `{command}`: it ended with {status}; the last lines of its log:\n{tail}")]
    Failed {
        /// The command.
        command: String,
        /// How it ended.
        status: String,
        /// The last lines of its log.
        tail: String,
    },
}

/// Has `command` look for its repository itself, also where a hook of another one has started this program.
pub(super) fn outside_of_hooks(command: &mut Command) {
    for name in OF_A_HOOK {
        command.env_remove(name);
    }
}

/// Runs a command and its arguments in `folder`, and gives what it wrote to both of its outputs.
///
/// # Errors
///
/// It can't be started, or fails.
pub(super) fn run(words: &[String], folder: &Path, env: &[(&str, OsString)]) -> Result<String, BuildError> {
    let shown = words.join(" ");
    let failed = |source| BuildError::Start { command: shown.clone(), source };
    // A file, so that nobody has to listen while it is written.
    let mut log = unnamed().map_err(failed)?;
    // Under guard, so that nothing of it goes on where this process is killed.
    let mut command = Command::new(OWN_PATH);
    command.arg("guard").arg("--").args(words).current_dir(folder).process_group(0);
    outside_of_hooks(&mut command);
    command.envs(env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null());
    command.stdout(log.try_clone().map_err(failed)?).stderr(log.try_clone().map_err(failed)?);
    let status = command.status().map_err(failed)?;
    let length = log.metadata().map_err(failed)?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(KEPT))).map_err(failed)?;
    let mut bytes = Vec::new();
    log.read_to_end(&mut bytes).map_err(failed)?;
    let text = printable(&String::from_utf8_lossy(&bytes));
    if status.success() {
        return Ok(text);
    }
    let lines: Vec<&str> = text.lines().collect();
    let tail = lines[lines.len().saturating_sub(TOLD)..].join("\n");
    Err(BuildError::Failed { command: shown, status: status.to_string(), tail })
}

/// A file without a name, which is gone with its last handle.
fn unnamed() -> io::Result<fs::File> {
    let file = rustix::fs::memfd_create("gate-build-log", rustix::fs::MemfdFlags::CLOEXEC)?;
    Ok(fs::File::from(file))
}

/// `text` without what would steer a terminal.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' if rest.peek() == Some(&'[') => {
                // A control sequence ends with its first letter, or one of `@` to `~`.
                rest.next();
                while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            '\n' | '\t' => shown.push(c),
            c if c.is_control() => {}
            c => shown.push(c),
        }
    }
    shown
}

/// Whether a file is there that may be executed.
pub(super) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The first program called `name` in the folders of `PATH`.
#[expect(clippy::disallowed_methods, reason = "PATH is how programs are found")]
#[must_use]
pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| is_executable(path))
}
