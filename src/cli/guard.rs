//! `gate guard`: executes a command that dies with whoever asked for it, whole.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use super::print;
use crate::measure::spawn::Spawner;

/// The exit code of a command that can't be started, as a shell has it.
const NOT_STARTED: u8 = 127;

/// Arguments of `gate guard`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Executes the command, and ends as it does.
pub(super) fn guard(args: &Args) -> ExitCode {
    let (program, rest) = args.command.split_first().unwrap_or_else(|| unreachable!("clap asks for one"));
    let ended = Spawner::new().and_then(|mut spawner| spawner.run(Command::new(program).args(rest), None));
    match ended {
        Ok(ended) => {
            ended.status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) => {
            print::error(&format!("run `{}`: {error}", program.display()));
            ExitCode::from(NOT_STARTED)
        }
    }
}
