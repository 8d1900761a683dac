//! Signals that ask this program to stop: once they are listened to, they end the run that is under way, and what was finished
//! is kept.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, low_level};

/// The signals, and their names.
const SIGNALS: [(i32, &str); 3] = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP")];

/// What has been heard.
struct Heard {
    /// The number of the last signal; 0 before the first.
    signal: Arc<AtomicUsize>,
    /// Readable from the first signal on; it is never read.
    pipe: UnixStream,
}

static HEARD: OnceLock<Heard> = OnceLock::new();

/// Listens from now on, and for good: the signals do not end this program any more. A file that grows beyond a limit becomes an
/// error of the write, too, and no signal.
///
/// # Errors
///
/// The kernel does not let signals be listened to.
pub fn listen() -> io::Result<()> {
    if HEARD.get().is_some() {
        return Ok(());
    }
    let (pipe, end) = UnixStream::pair()?;
    let signal = Arc::new(AtomicUsize::new(0));
    for (number, _) in SIGNALS {
        flag::register_usize(number, Arc::clone(&signal), usize::try_from(number).unwrap_or(0))?;
        low_level::pipe::register(number, end.try_clone()?)?;
    }
    flag::register(SIGXFSZ, Arc::default())?;
    let _ = HEARD.set(Heard { signal, pipe });
    Ok(())
}

/// What becomes readable once a signal has come; `None` where nobody listens.
#[must_use]
pub fn pipe() -> Option<BorrowedFd<'static>> {
    HEARD.get().map(|heard| heard.pipe.as_fd())
}

/// The signal that has come.
#[must_use]
pub fn signal() -> Option<&'static str> {
    let number = HEARD.get()?.signal.load(Ordering::SeqCst);
    SIGNALS.iter().find(|(known, _)| usize::try_from(*known) == Ok(number)).map(|(_, name)| *name)
}
