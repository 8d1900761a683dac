//! Admission: how many requests are worked on at once, and how much one of them may ask for.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::trace::Trace;

/// The most rows that a page may have.
pub const MOST_ROWS: u32 = 10_001;

/// Why a request is not worked on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Too many are worked on.
    #[error("{slots} requests are worked on, as many as there may be; ask again later")]
    Busy {
        /// How many there may be.
        slots: usize,
    },
    /// The page has no rows, or too many.
    #[error("a page of {asked} rows was asked for; it may have 1 to {MOST_ROWS}")]
    Page {
        /// The rows asked for.
        asked: u32,
    },
}

/// Lets requests in, and counts them.
#[derive(Debug)]
pub struct Admission {
    slots: usize,
    inside: AtomicUsize,
    admitted: AtomicU64,
}

impl Admission {
    /// With room for so many at once.
    #[must_use]
    pub const fn new(slots: usize) -> Self {
        Self { slots, inside: AtomicUsize::new(0), admitted: AtomicU64::new(0) }
    }

    /// Lets a request for so many rows in, until its permit is dropped.
    ///
    /// # Errors
    ///
    /// No room, or a page that may not be.
    pub fn admit(&self, rows: u32, trace: &mut Trace) -> Result<Permit<'_>, Refused> {
        if rows == 0 || rows > MOST_ROWS {
            return Err(Refused::Page { asked: rows });
        }
        let permit = Permit(self);
        if self.inside.fetch_add(1, Ordering::AcqRel) >= self.slots {
            // The permit gives the place back.
            drop(permit);
            return Err(Refused::Busy { slots: self.slots });
        }
        self.admitted.fetch_add(1, Ordering::Relaxed);
        trace.admissions += 1;
        Ok(permit)
    }

    /// How many were admitted.
    #[must_use]
    pub fn admitted(&self) -> u64 {
        self.admitted.load(Ordering::Relaxed)
    }

    /// How many are inside.
    #[must_use]
    pub fn inside(&self) -> usize {
        self.inside.load(Ordering::Acquire)
    }
}

/// A place inside.
#[derive(Debug)]
pub struct Permit<'a>(&'a Admission);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_as_many_as_said_and_again_when_they_leave() {
        let (admission, mut trace) = (Admission::new(2), Trace::default());
        let first = admission.admit(1, &mut trace).unwrap();
        let _second = admission.admit(MOST_ROWS, &mut trace).unwrap();
        assert_eq!(admission.admit(1, &mut trace).unwrap_err(), Refused::Busy { slots: 2 });
        assert_eq!(admission.inside(), 2);
        drop(first);
        assert!(admission.admit(1, &mut trace).is_ok());
        assert_eq!((admission.admitted(), trace.admissions, admission.inside()), (3, 3, 1));
    }

    #[test]
    fn a_page_without_rows_or_with_too_many_is_refused() {
        let (admission, mut trace) = (Admission::new(2), Trace::default());
        for asked in [0, MOST_ROWS + 1] {
            assert_eq!(admission.admit(asked, &mut trace).unwrap_err(), Refused::Page { asked });
        }
        assert_eq!((trace.admissions, admission.inside()), (0, 0));
    }
}
