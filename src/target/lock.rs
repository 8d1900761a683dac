//! One campaign at a time on a host: two that overlap would measure each other.
//!
//! The lock is `flock` on one file of a fixed name in `/tmp`, for all users and all results folders alike. The kernel
//! releases it when its holder ends, however that happens. The file itself stays; it tells who holds the lock, or who
//! held it last.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

/// The lock's file. Not `TMPDIR`, not a user's runtime folder: everybody on the host must find the same one.
const PATH: &str = "/tmp/gate-campaign.lock";

/// The most that is read of the file.
const LONGEST: u64 = 64 << 10;

/// How often the file is opened anew because somebody removed it in between.
const ATTEMPTS: u32 = 10;

/// The host-wide lock, held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Who holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// The gates that it runs.
    pub gates: String,
}

/// What keeps a campaign from the lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another campaign runs.
    #[error("lock this host: {}; wait for its end, or end it", held_by(.holder.as_ref(), *.since))]
    Held {
        /// Who it is, where that can be told.
        holder: Option<Holder>,
        /// Since when.
        since: Option<jiff::Timestamp>,
    },
    /// The lock's file can't be used.
    #[error("lock this host by `{}`: {source}; if it belongs to somebody else and can't be opened, have it removed", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The lock's file is removed again and again.
    #[error("lock this host by `{}`: the file is removed as often as it is made; find out by what", path.display())]
    Removed {
        /// The file.
        path: PathBuf,
    },
}

fn held_by(holder: Option<&Holder>, since: Option<jiff::Timestamp>) -> String {
    match (holder, since) {
        (None, _) => "another campaign runs on it, and has not said which".to_owned(),
        (Some(Holder { pid, gates }), None) => format!("process {pid} runs a campaign of `{gates}` on it"),
        (Some(Holder { pid, gates }), Some(since)) => {
            format!("process {pid} has run a campaign of `{gates}` on it since {since:.0}")
        }
    }
}

impl Lock {
    /// Takes the lock for a campaign of these gates.
    ///
    /// # Errors
    ///
    /// Another campaign holds it, or its file can't be used.
    pub fn acquire(gates: &str) -> Result<Self, LockError> {
        Self::acquire_at(Path::new(PATH), gates, FlockOperation::NonBlockingLockExclusive)
    }

    /// The same, after the end of other campaigns, however long they take.
    ///
    /// # Errors
    ///
    /// Its file can't be used.
    pub fn wait(gates: &str) -> Result<Self, LockError> {
        Self::acquire_at(Path::new(PATH), gates, FlockOperation::LockExclusive)
    }

    fn acquire_at(path: &Path, gates: &str, operation: FlockOperation) -> Result<Self, LockError> {
        let failed = |source| LockError::File { path: path.to_owned(), source };
        for _ in 0..ATTEMPTS {
            let Some(mut file) = open(path).map_err(failed)? else { continue };
            match flock(&file, operation) {
                Ok(()) => {}
                Err(rustix::io::Errno::WOULDBLOCK) => return Err(held(&mut file)),
                Err(errno) => return Err(failed(errno.into())),
            }
            // Locking a file that was removed since it was opened would lock nobody out.
            if is_still_at(path, &file).map_err(failed)? {
                let holder = Holder { pid: std::process::id(), gates: gates.to_owned() };
                // The lock holds without a name as well: a file of somebody else may be there to be read only.
                let _ = sign(&mut file, &holder);
                return Ok(Self { file });
            }
        }
        Err(LockError::Removed { path: path.to_owned() })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file releases the lock, and would do so alone.
        let _ = self.file.set_len(0);
    }
}

/// The file, made where it is not there; `None` where somebody else made it meanwhile.
fn open(path: &Path) -> io::Result<Option<File>> {
    let follow_none = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let open = |write| OpenOptions::new().read(true).write(write).custom_flags(follow_none).open(path);
    // Without creating it: in a folder like /tmp the kernel may refuse that for a file of somebody else.
    let opened = match open(true) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => open(false),
        opened => opened,
    };
    match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened.map(Some),
    }
    match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
        Ok(file) => {
            // For every user, whatever the umask says.
            file.set_permissions(Permissions::from_mode(0o666))?;
            Ok(Some(file))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_still_at(path: &Path, file: &File) -> io::Result<bool> {
    let opened = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok(there.dev() == opened.dev() && there.ino() == opened.ino()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn sign(file: &mut File, holder: &Holder) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    serde_json::to_writer(&mut *file, holder)?;
    file.write_all(b"\n")
}

/// Who holds the lock of `file`, as far as the file tells.
fn held(file: &mut File) -> LockError {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(LONGEST).read_to_string(&mut text));
    let holder: Option<Holder> = read.ok().and_then(|_| serde_json::from_str(&text).ok());
    // One that has died has left its name, and somebody else has the lock who has not written it yet.
    let holder = holder.filter(|holder| lives(holder.pid));
    let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
    LockError::Held { holder, since: modified.and_then(|time| jiff::Timestamp::try_from(time).ok()) }
}

fn lives(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    // Not allowed to signal it: it is there, and somebody else's.
    pid.is_some_and(|pid| matches!(test_kill_process(pid), Ok(()) | Err(rustix::io::Errno::PERM)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn acquire_at(path: &Path, gates: &str) -> Result<Lock, LockError> {
        Lock::acquire_at(path, gates, FlockOperation::NonBlockingLockExclusive)
    }

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate.lock");
        (folder, path)
    }

    #[test]
    fn a_second_campaign_is_told_who_runs() {
        let (_folder, path) = folder();
        let lock = acquire_at(&path, "one, two").unwrap();
        let error = acquire_at(&path, "three").unwrap_err().to_string();
        let begin =
            format!("lock this host: process {} has run a campaign of `one, two` on it since 2", std::process::id());
        assert!(error.starts_with(&begin), "{error}");
        assert!(error.ends_with("Z; wait for its end, or end it"), "{error}");
        drop(lock);
        acquire_at(&path, "three").unwrap();
    }

    #[test]
    fn who_waits_has_the_lock_once_it_is_free() {
        let (_folder, path) = folder();
        let lock = acquire_at(&path, "first").unwrap();
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || Lock::acquire_at(&path, "second", FlockOperation::LockExclusive).map(|_| ())
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!waiting.is_finished(), "it has not waited");
        drop(lock);
        waiting.join().unwrap().unwrap();
    }

    #[test]
    fn a_name_that_a_dead_process_left_is_not_told() {
        let (_folder, path) = folder();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let dead = child.id();
        child.wait().unwrap();
        let lock = acquire_at(&path, "old").unwrap();
        fs::write(&path, format!("{{\"pid\":{dead},\"gates\":\"old\"}}")).unwrap();
        let error = acquire_at(&path, "new").unwrap_err();
        assert!(matches!(error, LockError::Held { holder: None, .. }), "{error}");
        drop(lock);
    }

    #[test]
    fn what_the_file_held_before_does_not_matter() {
        let (_folder, path) = folder();
        fs::write(&path, "nonsense of some length, longer than what is written").unwrap();
        let lock = acquire_at(&path, "x").unwrap();
        let holder: Holder = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(holder, Holder { pid: std::process::id(), gates: "x".to_owned() });
        drop(lock);
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn a_link_is_not_followed() {
        let (folder, path) = folder();
        let victim = folder.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, &path).unwrap();
        assert!(matches!(acquire_at(&path, "x"), Err(LockError::File { .. })));
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }

    #[test]
    fn a_file_that_was_removed_locks_nobody_out() {
        let (_folder, path) = folder();
        let lock = acquire_at(&path, "x").unwrap();
        assert!(is_still_at(&path, &lock.file).unwrap());
        fs::remove_file(&path).unwrap();
        assert!(!is_still_at(&path, &lock.file).unwrap());
        // Another file under the name is not the one that was locked, either.
        let other = acquire_at(&path, "y").unwrap();
        assert!(!is_still_at(&path, &lock.file).unwrap());
        assert!(is_still_at(&path, &other.file).unwrap());
    }

    #[test]
    fn every_user_may_open_the_file() {
        let (_folder, path) = folder();
        let _lock = acquire_at(&path, "x").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let (folder, _) = folder();
        let error = acquire_at(&folder.path().join("none/gate.lock"), "x").unwrap_err().to_string();
        assert!(error.contains("none/gate.lock"), "{error}");
    }
}
