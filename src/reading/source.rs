//! Bytes from a file.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::ReadingError;

/// No bench output is larger: 1 GiB.
pub(super) const LIMIT: u64 = 1 << 30;

/// The bytes of a file, of at most [`LIMIT`].
pub(super) fn file(label: &str, path: &Path) -> Result<Vec<u8>, ReadingError> {
    within(label, path, LIMIT)
}

fn within(label: &str, path: &Path, limit: u64) -> Result<Vec<u8>, ReadingError> {
    let io = |source| ReadingError::Io { label: label.to_owned(), source };
    let file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let too_large = || ReadingError::TooLarge { label: label.to_owned(), limit };
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    // A pipe has no size, and a file may grow.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("five");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(within("five", &path, 5).unwrap(), b"12345");
        assert!(matches!(within("five", &path, 4), Err(ReadingError::TooLarge { limit: 4, .. })));
        // Sparse: it takes no space.
        File::create(&path).unwrap().set_len(LIMIT + 1).unwrap();
        assert!(matches!(file("huge", &path), Err(ReadingError::TooLarge { limit: LIMIT, .. })));
        assert!(matches!(within("endless", Path::new("/dev/zero"), 100), Err(ReadingError::TooLarge { .. })));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = file("none", Path::new("/nowhere/none")).unwrap_err().to_string();
        assert!(error.starts_with("read `none`: ") && error.contains("name a file"), "{error}");
    }
}
