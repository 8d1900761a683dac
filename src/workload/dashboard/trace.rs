//! What one request did, counted at the doors that it went through.

use super::request::Format;
use crate::workload::Counters;

/// What one request did. Every door counts for itself; no lane writes here.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// Decisions of the governor.
    pub decisions: u64,
    /// Requests admitted.
    pub admissions: u64,
    /// Audit records.
    pub audits: u64,
    /// Queries that DuckDB ran.
    pub queries: u64,
    /// Results found in the cache.
    pub hits: u64,
    /// Results looked for and not found.
    pub misses: u64,
    /// Results put into the cache.
    pub populates: u64,
    /// Results that another request was computing, and this one waited for.
    pub coalesced: u64,
    /// From the request to the text of its query, in nanoseconds.
    pub planning_ns: u64,
    /// Waiting for a connection, in nanoseconds.
    pub connection_wait_ns: u64,
    /// Holding a connection, in nanoseconds.
    pub connection_hold_ns: u64,
    /// Running the query, fetching its batches, and copying them where the lane does, in nanoseconds.
    pub database_ns: u64,
    /// Bytes of Arrow data that stay in the cache.
    pub retained_bytes: u64,
    /// The most bytes of Arrow data that the request held at once and let go.
    pub transient_bytes: u64,
    /// How long a slow consumer beside the request held a connection, in nanoseconds.
    pub blocked_hold_ns: u64,
    /// By how much resident memory grew while that consumer was blocked, in bytes.
    pub blocked_rss_bytes: u64,
}

impl Trace {
    /// Reports all of it, for an answer of so many bytes in this form.
    pub fn report(&self, counters: &mut Counters, format: Format, bytes: usize) {
        let bytes = bytes as u64;
        for (metric, value) in [
            ("ipc_bytes", if format == Format::Arrow { bytes } else { 0 }),
            ("response_bytes", bytes),
            ("physical_queries", self.queries),
            ("cache_hits", self.hits),
            ("cache_misses", self.misses),
            ("cache_populates", self.populates),
            ("cache_coalesced", self.coalesced),
            ("governor_decisions", self.decisions),
            ("admissions", self.admissions),
            ("audit_records", self.audits),
            ("arrow_retained_bytes", self.retained_bytes),
            ("arrow_transient_bytes", self.transient_bytes),
            ("planning", self.planning_ns),
            ("connection_wait", self.connection_wait_ns),
            ("connection_hold", self.connection_hold_ns),
            ("database_and_capture", self.database_ns),
            ("blocked_hold", self.blocked_hold_ns),
            ("blocked_rss_bytes", self.blocked_rss_bytes),
        ] {
            counters.record(metric, value);
        }
    }

    /// Remembers that so many bytes of Arrow data were held at once.
    pub fn held(&mut self, bytes: u64) {
        self.transient_bytes = self.transient_bytes.max(bytes);
    }
}
