//! What a process may use: CPUs, memory, processes; and that it does not outlive its parent.
//!
//! Limits are set on the calling process itself, before it starts a thread.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};
use rustix::thread::{CapabilitySet, CpuSet, capabilities, sched_getaffinity, sched_setaffinity};

use super::cgroup;

/// Why a process could not be bound.
#[derive(Debug, thiserror::Error)]
pub enum LimitError {
    /// More CPUs than there are.
    #[error("bind to `{wanted}` CPUs: this process may use {allowed}; lower `cpus`, or run on a larger machine")]
    TooFewCpus {
        /// CPUs asked for.
        wanted: u32,
        /// CPUs that the process may use.
        allowed: usize,
    },
    /// No CPU at all.
    #[error("bind to `0` CPUs: a run needs at least one; raise `cpus`")]
    NoCpus,
    /// The kernel refused.
    #[error("{doing}: {source}")]
    Kernel {
        /// What was asked of it.
        doing: &'static str,
        /// Its answer.
        source: io::Error,
    },
}

fn kernel(doing: &'static str) -> impl FnOnce(rustix::io::Errno) -> LimitError {
    move |errno| LimitError::Kernel { doing, source: errno.into() }
}

/// The logical CPUs that this thread may run on, ascending.
///
/// # Errors
///
/// The kernel does not say (it has more than 1,024 CPUs).
pub fn allowed_cpus() -> Result<Vec<usize>, LimitError> {
    let set = sched_getaffinity(None).map_err(kernel("read the CPUs that this process may use"))?;
    Ok((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect())
}

/// How many logical CPUs this process may use; at least one.
#[must_use]
pub fn available_cpus() -> u32 {
    let allowed = allowed_cpus().map_or(1, |cpus| cpus.len());
    u32::try_from(allowed).unwrap_or(u32::MAX).max(1)
}

/// Binds this thread, and every thread it starts from now on, to the first `count` of the CPUs it may use; returns them.
///
/// The first ones, so that both sides of a pair get the same. Whether two of them share a core is the host's `smt`.
///
/// # Errors
///
/// There are fewer CPUs than that, or the kernel refuses.
pub fn bind_cpus(count: u32) -> Result<Vec<usize>, LimitError> {
    if count == 0 {
        return Err(LimitError::NoCpus);
    }
    let mut cpus = allowed_cpus()?;
    if cpus.len() < count as usize {
        return Err(LimitError::TooFewCpus { wanted: count, allowed: cpus.len() });
    }
    cpus.truncate(count as usize);
    let mut set = CpuSet::new();
    for cpu in &cpus {
        set.set(*cpu);
    }
    sched_setaffinity(None, &set).map_err(kernel("bind this process to its CPUs"))?;
    allowed_cpus()
}

/// Limits the memory of this process to `bytes`. `Some` says why that does not hold in full.
///
/// It is `RLIMIT_DATA` that is set: what the process may have in private writable mappings, touched or not. That is the
/// heap, all stacks, and whatever `mmap` hands out to be written, of Rust code and of C++ code. Address space that is
/// only reserved, shared mappings and page cache don't count, so that a database that reserves much and touches little
/// lives under it, as it would not under `RLIMIT_AS`. Swap can't be limited from inside a process: see `observed`.
///
/// # Errors
///
/// The kernel refuses.
pub fn limit_memory(bytes: u64) -> Result<Option<String>, LimitError> {
    let lowered = lower(Resource::Data, bytes).map_err(kernel("limit the memory of this process"))?;
    if let Some(hard) = lowered {
        return Ok(Some(format!("memory: asked for {bytes} bytes, but the hard limit here is {hard} bytes")));
    }
    let ignored = fs::read_to_string("/sys/module/kernel/parameters/ignore_rlimit_data");
    Ok(ignored
        .is_ok_and(|value| value.trim() == "Y")
        .then(|| "memory: this kernel was told to ignore RLIMIT_DATA (`ignore_rlimit_data`)".to_owned()))
}

/// Limits the processes and threads of this process' user to `count`. `Some` says why that does not hold in full.
///
/// The kernel counts all of the user's, not only this run's, and doesn't hold a privileged process to it.
///
/// # Errors
///
/// The kernel refuses.
pub fn limit_processes(count: u64) -> Result<Option<String>, LimitError> {
    let lowered = lower(Resource::Nproc, count).map_err(kernel("limit the processes of this process"))?;
    if let Some(hard) = lowered {
        return Ok(Some(format!("processes: asked for {count}, but the hard limit here is {hard}")));
    }
    let privileged = rustix::process::getuid().is_root()
        || capabilities(None)
            .is_ok_and(|sets| sets.effective.intersects(CapabilitySet::SYS_RESOURCE | CapabilitySet::SYS_ADMIN));
    Ok(privileged.then(|| format!("processes: RLIMIT_NPROC is {count}, but the kernel does not hold root to it")))
}

/// Lowers both limits of `resource`; `Some` is the hard limit where it was lower before.
fn lower(resource: Resource, wanted: u64) -> Result<Option<u64>, rustix::io::Errno> {
    let hard = getrlimit(resource).maximum.filter(|hard| *hard < wanted);
    let value = hard.unwrap_or(wanted);
    setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?;
    Ok(hard)
}

/// Asks the kernel to kill this process when the thread that started it ends.
///
/// # Errors
///
/// The kernel refuses.
pub fn die_with_parent() -> Result<(), LimitError> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(kernel("tie this process to its parent"))
}

/// The limits that this process is under, by name, each a number or `unlimited`.
///
/// `rlimit.*` are the process' own soft limits. `cgroup.*` are those of its control groups (version 1 and 2 alike), the
/// tightest of the group and its ancestors; one that the machine does not have is left out.
#[must_use]
pub fn observed() -> BTreeMap<String, String> {
    const RLIMITS: [(&str, Resource); 5] = [
        ("rlimit.as", Resource::As),
        ("rlimit.data", Resource::Data),
        ("rlimit.nofile", Resource::Nofile),
        ("rlimit.nproc", Resource::Nproc),
        ("rlimit.stack", Resource::Stack),
    ];
    let mut limits = cgroup::Groups::of_this_process().limits();
    for (name, resource) in RLIMITS {
        let current = getrlimit(resource).current;
        limits.insert(name.to_owned(), current.map_or_else(|| cgroup::UNLIMITED.to_owned(), |bound| bound.to_string()));
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Affinity belongs to a thread: each test binds one of its own.
    fn on_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(work).join()).expect("a thread that ends")
    }

    #[test]
    fn the_first_cpu_alone_is_bound_and_threads_inherit_it() {
        let before = allowed_cpus().expect("CPUs");
        let (bound, inherited) = on_a_thread(|| {
            let bound = bind_cpus(1).expect("one CPU");
            (bound, on_a_thread(|| allowed_cpus().expect("CPUs")))
        });
        assert_eq!(bound, before[..1]);
        assert_eq!(inherited, bound);
        assert_eq!(allowed_cpus().expect("CPUs"), before, "other threads stay free");
    }

    #[test]
    fn no_cpus_and_too_many_are_refused() {
        on_a_thread(|| {
            assert!(matches!(bind_cpus(0), Err(LimitError::NoCpus)));
            let error = bind_cpus(100_000).expect_err("no machine has so many");
            assert!(error.to_string().starts_with("bind to `100000` CPUs: this process may use "), "{error}");
        });
    }

    #[test]
    fn observed_limits_name_no_path() {
        let limits = observed();
        assert!(limits.contains_key("rlimit.data"));
        for (name, value) in &limits {
            assert!(!value.contains('/'), "{name} = {value}");
            assert!(!value.is_empty(), "{name}");
        }
    }
}
