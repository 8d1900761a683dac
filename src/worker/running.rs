//! A child that runs: its pipes, its process group, and its end.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, pidfd_open, waitid,
};

use super::cause::Cause;
use super::conversation::Conversation;
use super::lines::{Lines, Tail};
use super::protocol::{MAX_LINE, Request};
use crate::measure::clock::{self, Moment};
use crate::measure::interrupt;
use crate::measure::rusage::{self, Reaped};

/// How long a child that has closed its output may take to end, and a killed one to die.
const GRACE: Duration = Duration::from_secs(2);

/// How often a child is looked after where the kernel can't wake its parent at its end.
const SLICE: Duration = Duration::from_millis(50);

/// The most that is read from a pipe once its child has ended: others may hold it, and go on writing.
const MOST_LEFT: usize = 8 << 20;

/// How much is read at once.
const BUFFER: usize = 1 << 16;

/// A child that runs. Dropped before its end, it is killed with its group and reaped.
pub(super) struct Running {
    id: u32,
    /// Wakes the parent when the child ends, where the kernel has that.
    exit: Option<OwnedFd>,
    /// The request, and how much of it the child has taken.
    request: (Vec<u8>, usize),
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    lines: Lines,
    tail: Tail,
    buffer: Vec<u8>,
    gone: bool,
}

/// What a parent waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Stdin,
    Stdout,
    Stderr,
    Exit,
    Interrupt,
}

impl Running {
    pub(super) fn new(mut child: Child, request: &Request) -> Self {
        // A request is plain data; one that could not be written would be refused as an empty one.
        let request = serde_json::to_vec(request).unwrap_or_default();
        Self {
            id: child.id(),
            exit: None,
            request: (request, 0),
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            lines: Lines::new(MAX_LINE),
            tail: Tail::default(),
            buffer: vec![0; BUFFER],
            gone: false,
        }
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.id).ok().and_then(Pid::from_raw)
    }

    /// Hands the request over and hears the child out, until it ends.
    ///
    /// # Errors
    ///
    /// It said what it must not, closed its output early, or still runs when `timeout` has gone by since `begin`.
    pub(super) fn listen(
        &mut self,
        conversation: &mut Conversation<'_>,
        begin: Moment,
        timeout: Duration,
    ) -> Result<(), Cause> {
        self.prepare()?;
        let mut closed: Option<Moment> = None;
        loop {
            let mut left = timeout.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(Cause::TimedOut(timeout));
            }
            if let Some(closed) = closed {
                let grace = GRACE.saturating_sub(closed.elapsed());
                if grace.is_zero() {
                    return Err(Cause::ClosedEarly);
                }
                left = left.min(grace);
            }
            let ready = self.wait(left)?;
            if ready.contains(&Source::Interrupt) {
                return Err(Cause::Interrupted(interrupt::signal().unwrap_or("a signal")));
            }
            if ready.contains(&Source::Stdin) {
                self.hand_over();
            }
            if ready.contains(&Source::Stdout) {
                self.hear(conversation)?;
                if self.stdout.is_none() && !conversation.is_done() {
                    closed = closed.or_else(|| Some(clock::now()));
                }
            }
            if ready.contains(&Source::Stderr) {
                self.follow_stderr();
            }
            if (self.exit.is_none() || ready.contains(&Source::Exit)) && self.has_ended()? {
                return Ok(());
            }
        }
    }

    /// Has no pipe block, and the kernel tell of the child's end.
    fn prepare(&mut self) -> Result<(), Cause> {
        self.exit = self.pid().and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        let prepared = self.unblock();
        if prepared.is_err() {
            // A pipe that may block must not be read, at the end either.
            (self.stdin, self.stdout, self.stderr) = (None, None, None);
        }
        prepared
    }

    fn unblock(&self) -> Result<(), Cause> {
        let pipes = [
            self.stdin.as_ref().map(AsFd::as_fd),
            self.stdout.as_ref().map(AsFd::as_fd),
            self.stderr.as_ref().map(AsFd::as_fd),
        ];
        for pipe in pipes.into_iter().flatten() {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(())
    }

    /// Sleeps until something can be written, read or is over, at most `left`.
    fn wait(&self, left: Duration) -> Result<Vec<Source>, Cause> {
        let left = if self.exit.is_none() { left.min(SLICE) } else { left };
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        let sources = [
            (Source::Stdin, self.stdin.as_ref().map(AsFd::as_fd), PollFlags::OUT),
            (Source::Stdout, self.stdout.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (Source::Stderr, self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (Source::Exit, self.exit.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (Source::Interrupt, interrupt::pipe(), PollFlags::IN),
        ];
        let (names, mut fds): (Vec<_>, Vec<_>) = sources
            .into_iter()
            .filter_map(|(source, fd, flags)| Some((source, PollFd::from_borrowed_fd(fd?, flags))))
            .unzip();
        match poll(&mut fds, Some(&left)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
            Err(errno) => return Err(errno.into()),
        }
        let ready = names.into_iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
        Ok(ready.map(|(source, _)| source).collect())
    }

    /// Writes what the child can take of its request, and closes its stdin behind it.
    fn hand_over(&mut self) {
        let (request, written) = &mut self.request;
        let Some(stdin) = &mut self.stdin else { return };
        match stdin.write(&request[*written..]) {
            Ok(more) => *written += more,
            Err(error) if is_temporary(&error) => {}
            // A child that does not read its request will say why, or crash.
            Err(_) => *written = request.len(),
        }
        if *written == request.len() {
            self.stdin = None;
        }
    }

    /// Reads from the child's stdout once; closes it at its end.
    fn hear(&mut self, conversation: &mut Conversation<'_>) -> Result<usize, Cause> {
        let Some(stdout) = &mut self.stdout else { return Ok(0) };
        let read = match stdout.read(&mut self.buffer) {
            Ok(0) => {
                self.stdout = None;
                return Ok(0);
            }
            Ok(read) => read,
            Err(error) if is_temporary(&error) => return Ok(0),
            Err(error) => return Err(error.into()),
        };
        self.lines.take(&self.buffer[..read], |line| conversation.hear_line(line))?;
        Ok(read)
    }

    /// Reads from the child's stderr once; closes it at its end.
    fn follow_stderr(&mut self) -> usize {
        let Some(stderr) = &mut self.stderr else { return 0 };
        match stderr.read(&mut self.buffer) {
            Err(error) if is_temporary(&error) => 0,
            Ok(0) | Err(_) => {
                self.stderr = None;
                0
            }
            Ok(read) => {
                self.tail.take(&self.buffer[..read]);
                read
            }
        }
    }

    /// Whether the child has ended; it is not reaped yet, so that its id and its group's stay its own.
    fn has_ended(&self) -> Result<bool, Cause> {
        let Some(pid) = self.pid() else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(pid), options)?.is_some())
    }

    /// Kills what is left of the child's group, reaps the child, and says how it had ended.
    ///
    /// # Errors
    ///
    /// The kernel does not let go of it within two seconds.
    pub(super) fn end(&mut self) -> Result<Reaped, Cause> {
        if let Some(pid) = self.pid().filter(|_| !self.gone) {
            // Both may be gone already. The child by itself too, as it may have left its group.
            let _ = kill_process_group(pid, Signal::KILL);
            let _ = kill_process(pid, Signal::KILL);
        }
        let begin = clock::now();
        while !self.has_ended()? {
            if begin.elapsed() >= GRACE {
                return Err(io::Error::new(ErrorKind::TimedOut, "it does not die when killed").into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.gone = true;
        Ok(rusage::reap(self.id)?)
    }

    /// Hears what the child had said before it ended.
    ///
    /// # Errors
    ///
    /// It said what it must not.
    pub(super) fn hear_the_rest(&mut self, conversation: &mut Conversation<'_>) -> Result<(), Cause> {
        let mut left = MOST_LEFT;
        while left > 0 {
            match self.hear(conversation)? {
                0 => break,
                read => left = left.saturating_sub(read),
            }
        }
        if conversation.is_done() && !self.lines.rest().is_empty() {
            return Err(Cause::garbage(self.lines.rest()));
        }
        Ok(())
    }

    /// The last that the child wrote to stderr.
    pub(super) fn stderr_tail(mut self) -> String {
        let mut left = MOST_LEFT;
        while left > 0 {
            match self.follow_stderr() {
                0 => break,
                read => left = left.saturating_sub(read),
            }
        }
        std::mem::take(&mut self.tail).text()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.gone {
            // Nobody is left to be told.
            let _ = self.end();
        }
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
