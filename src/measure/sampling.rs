//! A sampling profiler of this process: a timer that runs with its CPU time interrupts it, and each time the stack is noted.
//!
//! The timer is the kernel's `ITIMER_PROF`, which needs no permission. It counts in the kernel's ticks, so that samples come
//! at most a hundred to a thousand times a second however many are asked for, and on whichever thread runs then.

#![expect(unsafe_code, reason = "a signal handler and a timer of libc")]

use std::ffi::c_void;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::rusage;
use super::stacks::{self, Recorded, Recording};

/// Whether interruptions are noted just now.
static NOTED: AtomicBool = AtomicBool::new(false);

/// A sampler that runs; dropped, it ends.
#[derive(Debug)]
pub struct Sampler {
    recording: Option<Recording>,
}

impl Sampler {
    /// Starts to interrupt this process, so many times in a second of its CPU time.
    ///
    /// # Errors
    ///
    /// A processor on which the interrupted place can't be read, another profile that runs in this process, or a kernel that
    /// refuses.
    pub fn start(hertz: u32) -> io::Result<Self> {
        if cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64"))) {
            return Err(io::Error::other("CPU profiles are taken on x86-64 and aarch64 alone"));
        }
        let recording = Recording::begin().ok_or_else(|| io::Error::other("another profile is being taken"))?;
        let sampler = Self { recording: Some(recording) };
        // The first walk makes the unwinder look for its tables, which it should not do in a signal handler.
        drop(backtrace::Backtrace::new_unresolved());
        handle(interrupted as *const () as libc::sighandler_t)?;
        set_timer(1_000_000 / hertz.max(1))?;
        Ok(sampler)
    }

    /// Runs `work`, and notes where it is interrupted, on all threads; with the CPU time that the process used meanwhile,
    /// in nanoseconds.
    ///
    /// # Errors
    ///
    /// The kernel's, which knows no reason to fail here.
    pub fn sample<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<(T, u64)> {
        let before = rusage::process_cpu_ns()?;
        NOTED.store(true, Ordering::Relaxed);
        let result = work();
        NOTED.store(false, Ordering::Relaxed);
        Ok((result, rusage::process_cpu_ns()?.saturating_sub(before)))
    }

    /// Ends, with what was noted.
    #[must_use]
    pub fn stop(mut self) -> Recorded {
        quiet();
        self.recording.take().map_or_else(Recorded::default, Recording::end)
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        quiet();
    }
}

/// Stops the timer. A signal that is under way still finds somebody to take it: unhandled, it would end the process.
fn quiet() {
    NOTED.store(false, Ordering::Relaxed);
    // What was set can be unset.
    let _ = set_timer(0);
    let _ = handle(libc::SIG_IGN);
}

/// Has `handler` take the timer's signal.
fn handle(handler: libc::sighandler_t) -> io::Result<()> {
    // SAFETY: a zeroed `sigaction` is a valid one, with an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the action is whole, and its handler is one for three arguments, or none.
    if unsafe { libc::sigaction(libc::SIGPROF, &raw const action, ptr::null_mut()) } == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// Has the timer run out every so many microseconds of CPU time; never where there are none.
fn set_timer(microseconds: u32) -> io::Result<()> {
    let interval = libc::timeval { tv_sec: 0, tv_usec: libc::suseconds_t::from(microseconds) };
    let timer = libc::itimerval { it_interval: interval, it_value: interval };
    // SAFETY: the timer is whole, and nobody asks for the one before.
    if unsafe { libc::setitimer(libc::ITIMER_PROF, &raw const timer, ptr::null_mut()) } == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// The handler: notes the stack of what it interrupts. It allocates nothing, waits for nobody, and leaves `errno` as it was.
extern "C" fn interrupted(_signal: i32, _info: *mut libc::siginfo_t, context: *mut c_void) {
    if !NOTED.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: the address of a thread's own `errno` is always good.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the kernel hands a handler of three arguments what it has interrupted.
    let place = unsafe { place(context.cast()) };
    stacks::note_interrupted(place);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// The address of the instruction that comes next in what was interrupted.
///
/// # Safety
///
/// `context` is what the kernel gave to a signal handler.
#[cfg(target_arch = "x86_64")]
unsafe fn place(context: *const libc::ucontext_t) -> usize {
    // SAFETY: the caller's.
    let registers = unsafe { &(*context).uc_mcontext.gregs };
    usize::try_from(registers[libc::REG_RIP as usize].cast_unsigned()).unwrap_or_default()
}

/// The address of the instruction that comes next in what was interrupted.
///
/// # Safety
///
/// `context` is what the kernel gave to a signal handler.
#[cfg(target_arch = "aarch64")]
unsafe fn place(context: *const libc::ucontext_t) -> usize {
    // SAFETY: the caller's.
    usize::try_from(unsafe { (*context).uc_mcontext.pc }).unwrap_or_default()
}

/// Never asked: [`Sampler::start`] refuses.
///
/// # Safety
///
/// None is needed.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn place(_context: *const libc::ucontext_t) -> usize {
    0
}
