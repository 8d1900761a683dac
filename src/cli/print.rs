//! The only printer: stdout is data, stderr everything else.

use std::io::{IsTerminal as _, Write as _};

use super::Failure;
use crate::printable;

/// Writes `text` to stdout. A reader that went away is no error: it has what it wanted.
pub(super) fn data(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::work(format!("write to stdout: {error}"))),
    }
}

/// Stdout, for what comes piece by piece.
pub(super) fn stream() -> impl std::io::Write + Send {
    std::io::BufWriter::new(std::io::stdout())
}

/// Tells something on stderr. Where it can't be written there is nobody left to tell.
pub(super) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Tells an error on stderr; a message that is laid out already is told as it is.
pub(super) fn error(message: &str) {
    let laid_out = message.starts_with("error") || message.starts_with('\u{1b}');
    note(&if laid_out { message.to_owned() } else { format!("error: {}", printable::lines(message)) });
}

/// Whether stdout shows colours: a terminal does, and `NO_COLOR` and `CLICOLOR_FORCE` hold.
pub(super) fn stdout_has_color() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Whether stderr shows colours.
pub(super) fn stderr_has_color() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
}

/// Whether stderr is a terminal, and so shows progress.
pub(super) fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
