//! Resident memory of this process, now and at its highest, and what the C library does with memory that was freed.

#![expect(unsafe_code, reason = "mallopt and malloc_trim of libc")]

use std::fs;
use std::io;

/// Resident memory of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resident {
    /// Bytes resident now (`VmRSS`).
    pub now_bytes: u64,
    /// The most that were resident since the process began, or since [`reset_peak`] (`VmHWM`).
    pub peak_bytes: u64,
}

/// Resident memory of this process, as the kernel accounts for it.
///
/// # Errors
///
/// `/proc` is not mounted, or does not say.
pub fn resident() -> io::Result<Resident> {
    let status = fs::read_to_string("/proc/self/status")?;
    let bytes = |field: &str| {
        kibibytes(&status, field)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("`{field}` is not in /proc/self/status")))
    };
    Ok(Resident { now_bytes: bytes("VmRSS")?, peak_bytes: bytes("VmHWM")? })
}

/// Makes what is resident now the highest level so far, and says whether the machine let it.
///
/// Some kernels (built without `PROC_PAGE_MONITOR`) and sandboxes don't. Then a later peak may be older than this moment.
#[must_use]
pub fn reset_peak() -> bool {
    // Without creating the file: where it is missing there's nothing to reset.
    fs::OpenOptions::new()
        .write(true)
        .open("/proc/self/clear_refs")
        .and_then(|mut file| io::Write::write_all(&mut file, b"5"))
        .is_ok()
}

/// Freed memory above which the C library would give some back, in bytes.
const KEPT: libc::c_int = 256 << 20;
/// Blocks from this size on come from the kernel and go back to it, in bytes: the largest that glibc takes.
const MAPPED: libc::c_int = 32 << 20;

/// Has the C library keep freed memory for the allocations to come, and says whether it does.
///
/// Left to itself glibc gives the end of its heap back whenever more than 128 KiB of it are free, and blocks of 128 KiB and
/// more at once, and faults them in again for the next operation. Whether it does depends on which block happens to lie last,
/// so that the same work takes up to 1.4 times as long in one process as in another. With it, both sides are
/// measured like a server that has been up for a while.
#[must_use]
pub fn keep_freed() -> bool {
    // SAFETY: mallopt takes two numbers, and is called before other threads allocate.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT) == 1 && libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED) == 1
    }
    #[cfg(not(target_env = "gnu"))]
    false
}

/// Gives back what is free now, so that memory that building a fixture took is not counted as a lane's.
pub fn give_back_freed() {
    // SAFETY: malloc_trim takes a number, and gives back nothing that is in use.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The value of a line such as `VmRSS: 1234 kB`, in bytes.
fn kibibytes(status: &str, field: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_read_by_its_whole_name() {
        let status = "VmPeak:\t  900 kB\nVmHWM:\t     128 kB\nVmRSS:\t      64 kB\n";
        assert_eq!(kibibytes(status, "VmRSS"), Some(65_536));
        assert_eq!(kibibytes(status, "VmHWM"), Some(131_072));
        assert_eq!(kibibytes(status, "Vm"), None);
        assert_eq!(kibibytes("VmRSS:\t many kB", "VmRSS"), None);
        assert_eq!(kibibytes("VmRSS:\t 18446744073709551615 kB", "VmRSS"), None);
    }

    #[test]
    fn this_process_is_resident() {
        let resident = resident().expect("a process that knows its memory");
        assert!(resident.now_bytes > 0);
        assert!(resident.peak_bytes > 0);
    }
}
