//! How the tests start `gate`.

use std::fs::File;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

/// A folder with gate files of its own, and where campaigns land.
pub(crate) struct Bench {
    folder: TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// Writes a gate file and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a gate file");
        path
    }

    pub(crate) fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    /// Runs a gate file; one campaign at a time, as the host-wide lock wants.
    pub(crate) fn run(&self, file: &Path, arguments: &[&str]) -> Answer {
        let _turn = turn();
        answer(
            Command::cargo_bin("gate")
                .expect("gate")
                .arg("run")
                .arg(file)
                .arg("--results")
                .arg(self.results())
                .args(arguments),
        )
    }

    /// A file of the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `gate` in the folder, as a user would who has gone there; one campaign at a time.
    pub(crate) fn here(&self, arguments: &[&str]) -> Answer {
        let _turn = turn();
        answer_in(self.folder.path(), Command::cargo_bin("gate").expect("gate").args(arguments))
    }

    /// The same, with an environment variable.
    pub(crate) fn here_with(&self, arguments: &[&str], name: &str, value: &Path) -> Answer {
        let _turn = turn();
        answer_in(self.folder.path(), Command::cargo_bin("gate").expect("gate").args(arguments).env(name, value))
    }

    /// Runs `gate` in a folder of the folder, with places of its own for worktrees and for what cargo builds.
    pub(crate) fn within(&self, folder: &str, arguments: &[&str]) -> Answer {
        let _turn = turn();
        let mut command = Command::cargo_bin("gate").expect("gate");
        command.env("XDG_CACHE_HOME", self.path("cache")).env("CARGO_TARGET_DIR", self.path("cache/target"));
        answer_in(&self.path(folder), command.args(arguments))
    }

    /// The one campaign of `gate`.
    pub(crate) fn campaign(&self, gate: &str) -> PathBuf {
        let mut found: Vec<PathBuf> = std::fs::read_dir(self.results().join(gate))
            .expect("campaigns")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_dir())
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }
}

/// Whether the process still runs. One that is dead and waits for its parent to notice does not.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

/// Waits until no other test runs a campaign, in this process or another.
pub(crate) fn turn() -> File {
    let path = std::env::temp_dir().join("gate-tests.turn");
    let file = File::options().write(true).create(true).truncate(false).open(path).expect("a file");
    flock(&file, FlockOperation::LockExclusive).expect("a lock");
    file
}

/// Runs `gate` with these arguments, where nothing is measured.
pub(crate) fn gate<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Answer {
    answer(Command::cargo_bin("gate").expect("gate").args(arguments))
}

fn answer(command: &mut Command) -> Answer {
    answer_in(Path::new(env!("CARGO_MANIFEST_DIR")), command)
}

fn answer_in(folder: &Path, command: &mut Command) -> Answer {
    // A test that is about the machine's name sets its own.
    let named = command.get_envs().any(|(name, _)| name == "GATE_MACHINE" || name == "XDG_CONFIG_HOME");
    if !named {
        command.env("GATE_MACHINE", "test-bench");
    }
    let output = command.current_dir(folder).env_remove("CLICOLOR_FORCE").output().expect("gate");
    Answer {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
