//! SHA-256 digests in lower-case hexadecimal, as `sha256sum` prints them.

use std::fmt::Write as _;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`, 64 hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The SHA-256 of everything that `reader` gives, read piece by piece.
///
/// # Errors
///
/// Whatever keeps the reader from reading to its end.
pub fn sha256_of(mut reader: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(read) => hasher.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{sha256, sha256_of};

    #[test]
    fn agrees_with_the_published_digests() {
        // FIPS 180-2, appendix B.1, and the digest of nothing.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b"abc"), abc);
        assert_eq!(sha256(b""), nothing);
        assert_eq!(sha256_of(&b"abc"[..]).unwrap(), abc);
    }
}
