//! Cursors: where a page ended, in a form that nobody else can make or use.
//!
//! A cursor is bound to the scope, the question and the snapshot that it came from, and signed with a key that never
//! leaves the engine: one of another principal, of another question or of older data is refused.

use sha2::{Digest, Sha256};

use super::cache::Key;
use crate::digest::hex;

/// A cursor that is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// It is none, or was made for somebody or something else.
    #[error("the cursor is not of this question and scope; ask for the first page again")]
    Foreign,
    /// It was made before the data changed.
    #[error("the cursor is of snapshot {made}, the data are at {now}; ask for the first page again")]
    Stale {
        /// The snapshot that it was made for.
        made: u64,
        /// The snapshot now.
        now: u64,
    },
}

/// Makes and reads cursors.
#[derive(Debug)]
pub struct Cursors {
    secret: [u8; 32],
}

impl Cursors {
    /// With this secret.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    /// The cursor behind `offset` rows of the answer to `key`.
    #[must_use]
    pub fn make(&self, key: &Key, offset: u64) -> String {
        format!("{offset:016x}{:016x}{}", key.snapshot, hex(&self.seal(key, offset)))
    }

    /// The rows before the page that `cursor` asks for.
    ///
    /// # Errors
    ///
    /// A cursor that is not of this key.
    pub fn read(&self, cursor: &str, key: &Key) -> Result<u64, CursorError> {
        let number = |from: usize| {
            let digits = cursor.get(from..from + 16).ok_or(CursorError::Foreign)?;
            u64::from_str_radix(digits, 16).map_err(|_| CursorError::Foreign)
        };
        let (offset, snapshot) = (number(0)?, number(16)?);
        let made = Key { snapshot, ..*key };
        if cursor != self.make(&made, offset) {
            return Err(CursorError::Foreign);
        }
        if snapshot != key.snapshot {
            return Err(CursorError::Stale { made: snapshot, now: key.snapshot });
        }
        Ok(offset)
    }

    fn seal(&self, key: &Key, offset: u64) -> [u8; 32] {
        let parts = Sha256::new()
            .chain_update(self.secret)
            .chain_update(key.scope)
            .chain_update(key.question)
            .chain_update(key.snapshot.to_le_bytes())
            .chain_update(offset.to_le_bytes())
            .finalize();
        // Twice, so that a seal can't be made longer.
        Sha256::new().chain_update(self.secret).chain_update(parts).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key { scope: [1; 32], question: [2; 32], snapshot: 7 };

    #[test]
    fn a_cursor_is_read_where_it_was_made() {
        let cursors = Cursors::new([9; 32]);
        assert_eq!(cursors.read(&cursors.make(&KEY, 1_000), &KEY), Ok(1_000));
    }

    #[test]
    fn of_anybody_else_it_is_refused() {
        let cursors = Cursors::new([9; 32]);
        let cursor = cursors.make(&KEY, 1_000);
        for key in [Key { scope: [3; 32], ..KEY }, Key { question: [3; 32], ..KEY }] {
            assert_eq!(cursors.read(&cursor, &key), Err(CursorError::Foreign));
        }
        assert_eq!(Cursors::new([8; 32]).read(&cursor, &KEY), Err(CursorError::Foreign));
        let now = Key { snapshot: 8, ..KEY };
        assert_eq!(cursors.read(&cursor, &now), Err(CursorError::Stale { made: 7, now: 8 }));
    }

    #[test]
    fn no_part_of_it_can_be_changed() {
        let cursors = Cursors::new([9; 32]);
        let cursor = cursors.make(&KEY, 1_000);
        for at in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(cursors.read(&changed, &KEY), Err(CursorError::Foreign), "{changed}");
        }
        for wrong in ["", "0", "ünd so weiter, länger als zweiunddreissig", &cursor[..40], &format!("{cursor}0")] {
            assert_eq!(cursors.read(wrong, &KEY), Err(CursorError::Foreign), "{wrong}");
        }
    }
}
