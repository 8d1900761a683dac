//! Executing a program: from its start to its end, with what it wrote and what it used.

#![expect(unsafe_code, reason = "what a forked child does before it becomes the program")]

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdout, Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpgrp, getpid, getppid, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, set_parent_process_death_signal, waitpid,
};

use super::clock;
use super::rusage::{self, Usage};

/// How much is read at once.
const BUFFER: usize = 1 << 16;

/// The most that is read once the program has ended: what it left running may hold the pipe, and go on writing.
const MOST_LEFT: usize = 8 << 20;

/// Takes what a program writes to its standard output, piece by piece.
pub type Sink<'a> = &'a mut dyn FnMut(&[u8]);

/// A program that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// How.
    pub status: ExitStatus,
    /// From before its start to its end, in nanoseconds.
    pub wall_ns: u64,
    /// What it used, with the children that it waited for itself. Its peak of memory is at least what this process had
    /// resident as it started the program: the kernel hands that on.
    pub usage: Usage,
}

/// Executes programs, and lets none of them outlive this process or its parent.
///
/// This process adopts what a program leaves behind, and kills it. Where its parent dies, it kills itself with its
/// process group and all that it has adopted.
#[derive(Debug)]
pub struct Spawner {
    parent: OwnedFd,
    buffer: Vec<u8>,
}

impl Spawner {
    /// Watches over the programs of this process, which leads a process group of its own.
    ///
    /// # Errors
    ///
    /// A kernel without pidfds (older than 5.3), or a parent that is gone.
    pub fn new() -> io::Result<Self> {
        let parent = getppid().ok_or_else(|| io::Error::other("this process has no parent"))?;
        let parent = pidfd_open(parent, PidfdFlags::empty())?;
        set_child_subreaper(Some(getpid()))?;
        // From here on it is this process that looks after its parent, so that it can take the programs with it.
        set_parent_process_death_signal(None)?;
        Ok(Self { parent, buffer: vec![0; BUFFER] })
    }

    /// Executes `command` with nothing on its standard input, and waits for its end; what it writes to its standard
    /// output goes to `sink` where there is one, else where `command` says.
    ///
    /// # Errors
    ///
    /// It can't be started, or the kernel refuses to tell about it.
    pub fn run(&mut self, command: &mut Command, mut sink: Option<Sink<'_>>) -> io::Result<Ended> {
        command.stdin(Stdio::null());
        if sink.is_some() {
            command.stdout(Stdio::piped());
        }
        die_with_parent(command);
        let begin = clock::now();
        let mut child = command.spawn()?;
        let id = child.id();
        let exit = pidfd_open(pid_of(id)?, PidfdFlags::empty())?;
        let mut stdout = child.stdout.take();
        if let Some(stdout) = &stdout {
            fcntl_setfl(stdout, fcntl_getfl(stdout)? | OFlags::NONBLOCK)?;
        }
        let wall_ns = loop {
            let mut fds = vec![PollFd::new(&exit, PollFlags::IN), PollFd::new(&self.parent, PollFlags::IN)];
            fds.extend(stdout.as_ref().map(|stdout| PollFd::new(stdout, PollFlags::IN)));
            match poll(&mut fds, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
            if ready[0] {
                break begin.elapsed_ns();
            }
            if ready[1] {
                end_with_parent();
            }
            if ready.get(2) == Some(&true) && take(&mut stdout, &mut self.buffer, &mut sink)? == Some(0) {
                stdout = None;
            }
        };
        let reaped = rusage::reap(id)?;
        let mut left = MOST_LEFT;
        while let Some(read @ 1..) = take(&mut stdout, &mut self.buffer, &mut sink)? {
            left = left.saturating_sub(read);
            if left == 0 {
                break;
            }
        }
        kill_adopted();
        Ok(Ended { status: reaped.status, wall_ns, usage: reaped.usage })
    }
}

/// Has the kernel kill the process of `command` where the thread that starts it ends.
pub fn die_with_parent(command: &mut Command) {
    // SAFETY: prctl is async-signal-safe, and nothing else happens between fork and exec.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?)) };
}

/// Reads once; `Some(0)` at the end, `None` where there is nothing to read now.
fn take(stdout: &mut Option<ChildStdout>, buffer: &mut [u8], sink: &mut Option<Sink<'_>>) -> io::Result<Option<usize>> {
    let (Some(stdout), Some(sink)) = (stdout, sink) else { return Ok(None) };
    match stdout.read(buffer) {
        Ok(read) => {
            sink(&buffer[..read]);
            Ok(Some(read))
        }
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

fn pid_of(id: u32) -> io::Result<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw).ok_or_else(|| io::Error::other("the kernel gave no process id"))
}

/// The children of this process, those included that it has adopted.
fn children() -> Vec<Pid> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().filter_map(Result::ok);
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let ids: Vec<String> =
        lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    ids.iter().filter_map(|id| id.parse().ok().and_then(Pid::from_raw)).collect()
}

/// Kills what a program has left behind, and what that leaves behind in turn.
fn kill_adopted() {
    loop {
        let children = children();
        if children.is_empty() {
            return;
        }
        for child in children {
            let _ = kill_process(child, Signal::KILL);
            // Each is a child of this process by now, and dies at once.
            let _ = waitpid(Some(child), WaitOptions::empty());
        }
    }
}

/// The parent is dead, and nobody is left to hear what is measured: nothing may go on.
fn end_with_parent() -> ! {
    for child in children() {
        let _ = kill_process(child, Signal::KILL);
    }
    let _ = kill_process_group(getpgrp(), Signal::KILL);
    // Only where this process is in a group of somebody else's that it must not kill.
    panic!("the parent of this process has died")
}
