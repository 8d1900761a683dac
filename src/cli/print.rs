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

/// `text` in lines of at most `columns` characters, without what a terminal would obey; a longer word, such as a path or a
/// digest, stays whole on a line of its own.
pub(super) fn folded(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in printable::text(text).split(' ') {
        let line = lines.last_mut().expect("a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_stays_whole() {
        assert_eq!(folded("one two threefour five", 7), ["one two", "threefour", "five"]);
        assert_eq!(folded("a\u{202e}b", 80), [r"a\u{202e}b"]);
    }
}
