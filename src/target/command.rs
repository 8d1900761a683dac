//! Any two programs as a target: every run is a worker of this program that executes one of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::build;
use super::held::Held;
use super::{Executor, RunError, TargetError};
use crate::program::{Program, placeholders};
use crate::spec::Command;
use crate::unit::Side;
use crate::worker::protocol::Request;
use crate::worker::{Output, Worker};

/// Executes two programs in workers of this program.
#[derive(Debug)]
pub struct CommandExecutor {
    worker: Worker,
    held: Held,
    log: Option<String>,
}

impl CommandExecutor {
    /// Runs what `command` builds, and finds its programs.
    ///
    /// # Errors
    ///
    /// A build that fails, and a program that is not there.
    pub fn new(command: &Command) -> Result<Self, TargetError> {
        let log = match command.build.as_slice() {
            [] => None,
            words => Some(
                build::run(words, Path::new("."), &[]).map_err(|source| TargetError::Build { side: None, source })?,
            ),
        };
        let mut held = Held::this_program();
        for (side, program) in [(Side::Baseline, &command.baseline), (Side::Candidate, &command.candidate)] {
            let folder = program.cwd.as_deref().map_or(Path::new("."), Path::new);
            if !folder.is_dir() {
                return Err(TargetError::NoFolder { side, folder: folder.display().to_string() });
            }
            if let Some(path) = find(side, program, folder)? {
                held.add(format!("{side} program"), path);
            }
        }
        for file in &command.files {
            if !Path::new(file).is_file() {
                return Err(TargetError::NoFile { file: file.clone() });
            }
            held.add(format!("file {file}"), file);
        }
        Ok(Self { worker: Worker::this_program(), held, log })
    }
}

/// The file of a program: in `folder` where its name has a slash, else in `PATH`. `None` where a placeholder is in its
/// name, so that it differs from case to case.
pub(super) fn find(side: Side, program: &Program, folder: &Path) -> Result<Option<PathBuf>, TargetError> {
    let name = program.run.first().map_or("", String::as_str);
    if placeholders(name).next().is_some() {
        return Ok(None);
    }
    let found = if name.contains('/') {
        Some(folder.join(name)).filter(|path| build::is_executable(path))
    } else {
        build::in_path(name)
    };
    found.map(Some).ok_or_else(|| TargetError::NoProgram { side, program: name.to_owned() })
}

impl Executor for CommandExecutor {
    fn execute(&mut self, request: &Request, timeout: Duration) -> Result<Output, RunError> {
        Ok(self.worker.run(request, timeout)?)
    }

    fn digests(&mut self) -> Result<BTreeMap<String, String>, RunError> {
        self.held.digests()
    }

    fn toolchains(&self) -> BTreeMap<String, String> {
        self.held.toolchains()
    }

    fn keepsakes(&self) -> Vec<(String, String)> {
        self.log.iter().map(|log| ("build.log".to_owned(), log.clone())).collect()
    }
}
