//! What a process used: CPU time, page faults, context switches; its own, or a child's when it is reaped.

#![expect(unsafe_code, reason = "getrusage, wait4 and clock_gettime of libc")]

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use serde::{Deserialize, Serialize};

/// What a process used, from its start until now or until its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time in user mode, all threads.
    pub user_ns: u64,
    /// CPU time in the kernel, all threads.
    pub system_ns: u64,
    /// Page faults that needed no I/O.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
    /// Context switches that the process asked for, by waiting.
    pub voluntary_switches: u64,
    /// Context switches that it did not ask for.
    pub involuntary_switches: u64,
    /// The highest resident memory of the process' whole life. For a process that is the last in a chain of forks
    /// and execs it begins with what its parent had resident at the fork: prefer `VmHWM`, read in the process itself.
    pub peak_rss_bytes: u64,
}

impl Usage {
    /// CPU time in both modes.
    #[must_use]
    pub const fn cpu_ns(&self) -> u64 {
        self.user_ns.saturating_add(self.system_ns)
    }
}

/// A child that has ended and was reaped.
#[derive(Debug, Clone, Copy)]
pub struct Reaped {
    /// How it ended.
    pub status: ExitStatus,
    /// What it used, with the children that it waited for itself.
    pub usage: Usage,
}

/// What this process has used so far.
///
/// # Errors
///
/// The kernel's, which knows no reason to fail here.
pub fn own() -> io::Result<Usage> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writes of one `rusage`.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all zeros is a valid `rusage`, and the kernel has written over it.
    Ok(usage_of(unsafe { usage.assume_init() }))
}

/// CPU time that all threads of this process have used so far, in nanoseconds.
///
/// Finer than [`own`], whose split into user and system time is sampled on some kernels.
///
/// # Errors
///
/// A kernel without a CPU clock for processes.
pub fn process_cpu_ns() -> io::Result<u64> {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` is valid for writes of one `timespec`.
    if unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, time.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all zeros is a valid `timespec`, and the kernel has written over it.
    let time = unsafe { time.assume_init() };
    Ok(unsigned(time.tv_sec).saturating_mul(1_000_000_000).saturating_add(unsigned(time.tv_nsec)))
}

/// Waits until the child `pid` has ended, reaps it, and says how it ended and what it used.
///
/// A child can be reaped once only: afterwards its id may belong to another process, so don't use it again, nor
/// `wait` on the `std::process::Child` that it came from.
///
/// # Errors
///
/// `pid` is not a child of this process, or was reaped before.
pub fn reap(pid: u32) -> io::Result<Reaped> {
    loop {
        match wait4(pid, 0) {
            Ok(Some(reaped)) => return Ok(reaped),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reaps the child `pid` if it has ended, like [`reap`]; `None` where it still runs.
///
/// # Errors
///
/// `pid` is not a child of this process, or was reaped before.
pub fn try_reap(pid: u32) -> io::Result<Option<Reaped>> {
    wait4(pid, libc::WNOHANG)
}

fn wait4(pid: u32, options: libc::c_int) -> io::Result<Option<Reaped>> {
    // Zero and negative numbers mean groups and any child.
    let pid = libc::pid_t::try_from(pid)
        .ok()
        .filter(|pid| *pid > 0)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, format!("`{pid}` is no process id")))?;
    let mut status: libc::c_int = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `status` and `usage` are valid for writes of their types.
    match unsafe { libc::wait4(pid, &raw mut status, options, usage.as_mut_ptr()) } {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(Some(Reaped {
            status: ExitStatus::from_raw(status),
            // SAFETY: all zeros is a valid `rusage`, and the kernel has written over it.
            usage: usage_of(unsafe { usage.assume_init() }),
        })),
    }
}

fn usage_of(usage: libc::rusage) -> Usage {
    Usage {
        user_ns: nanoseconds(usage.ru_utime),
        system_ns: nanoseconds(usage.ru_stime),
        minor_faults: unsigned(usage.ru_minflt),
        major_faults: unsigned(usage.ru_majflt),
        voluntary_switches: unsigned(usage.ru_nvcsw),
        involuntary_switches: unsigned(usage.ru_nivcsw),
        // Linux counts in KiB.
        peak_rss_bytes: unsigned(usage.ru_maxrss).saturating_mul(1_024),
    }
}

fn nanoseconds(time: libc::timeval) -> u64 {
    unsigned(time.tv_sec).saturating_mul(1_000_000_000).saturating_add(unsigned(time.tv_usec).saturating_mul(1_000))
}

/// The kernel's counters are signed and never negative.
fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::process::Command;

    use super::*;

    #[test]
    fn cpu_time_grows_with_work_on_any_thread() {
        let before = process_cpu_ns().expect("a CPU clock");
        let spin = std::thread::spawn(|| {
            let start = process_cpu_ns().expect("a CPU clock");
            while process_cpu_ns().expect("a CPU clock") < start + 5_000_000 {
                black_box(());
            }
        });
        spin.join().expect("a thread that ends");
        assert!(process_cpu_ns().expect("a CPU clock") >= before + 5_000_000);
    }

    #[test]
    fn own_usage_counts_faults() {
        let before = own().expect("usage");
        let pages = vec![1_u8; 32 << 20];
        black_box(&pages);
        let after = own().expect("usage");
        assert!(after.minor_faults > before.minor_faults, "{before:?} {after:?}");
        assert!(after.peak_rss_bytes >= 32 << 20);
    }

    #[test]
    fn a_child_is_reaped_with_its_own_usage() {
        let child = Command::new("sh").args(["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 7"]).spawn();
        let reaped = reap(child.expect("a shell").id()).expect("a child that ends");
        assert_eq!(reaped.status.code(), Some(7));
        assert!(reaped.usage.cpu_ns() > 0);
        assert!(reaped.usage.peak_rss_bytes > 0);
    }

    #[test]
    #[expect(clippy::zombie_processes, reason = "it is reaped by what is tested")]
    fn a_running_child_is_not_reaped() {
        let mut child = Command::new("sleep").arg("1000").spawn().expect("sleep");
        assert!(try_reap(child.id()).expect("a child").is_none());
        child.kill().expect("a child that can be killed");
        let reaped = reap(child.id()).expect("a child that ends");
        assert_eq!(reaped.status.signal(), Some(libc::SIGKILL));
    }

    #[test]
    fn what_is_no_child_is_an_error() {
        assert!(reap(0).is_err());
        assert!(reap(u32::MAX).is_err());
        assert!(reap(1).is_err());
    }
}
