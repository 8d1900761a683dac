//! The audit log: one record for every request, whether it was answered or denied.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::request::Identity;
use super::trace::Trace;
use crate::workload::locked;

/// The records that are kept; older ones go.
const KEPT: usize = 1_024;

/// One record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Who asked.
    pub identity: Identity,
    /// What was decided.
    pub outcome: Outcome,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was let through to this query.
    Allowed {
        /// The text of the query.
        query: String,
    },
    /// It was denied or refused.
    Denied {
        /// Why.
        reason: String,
    },
}

/// The log.
#[derive(Debug)]
pub struct Audit {
    records: Mutex<VecDeque<Record>>,
    written: AtomicU64,
}

impl Default for Audit {
    /// With room for all records that are kept: no request pays for the room of others.
    fn default() -> Self {
        Self { records: Mutex::new(VecDeque::with_capacity(KEPT)), written: AtomicU64::new(0) }
    }
}

impl Audit {
    /// Writes a record.
    pub fn write(&self, record: Record, trace: &mut Trace) {
        let mut records = locked(&self.records);
        if records.len() == KEPT {
            records.pop_front();
        }
        records.push_back(record);
        self.written.fetch_add(1, Ordering::Relaxed);
        trace.audits += 1;
    }

    /// How many records were written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// The last record.
    #[must_use]
    pub fn last(&self) -> Option<Record> {
        locked(&self.records).back().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_all_and_keeps_the_last() {
        let (audit, mut trace) = (Audit::default(), Trace::default());
        for number in 0..KEPT + 3 {
            let outcome = Outcome::Denied { reason: number.to_string() };
            audit.write(Record { identity: Identity::of("a"), outcome }, &mut trace);
        }
        assert_eq!((audit.written(), trace.audits, locked(&audit.records).len()), (1_027, 1_027, KEPT));
        assert_eq!(audit.last().map(|record| record.outcome), Some(Outcome::Denied { reason: "1026".to_owned() }));
    }
}
