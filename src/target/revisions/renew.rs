//! Making the files of a worktree newer than whatever has been built.

use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};

/// Sets the time of every file in `folder` to now; links are not followed.
///
/// Cargo tells by time whether what it has built is still good, and takes the packages of two worktrees for the same. Without
/// this a side whose files are older than the other side's build is not built at all, and the other's program is measured.
pub(super) fn renew(folder: &Path) -> io::Result<()> {
    let omitted = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    let times = Timestamps { last_access: omitted, last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW } };
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            renew(&entry.path())?;
        } else {
            utimensat(CWD, entry.path(), &times, AtFlags::SYMLINK_NOFOLLOW)?;
        }
    }
    Ok(())
}
