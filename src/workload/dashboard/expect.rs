//! What every measured request of a lane must have done, and what must be left when all are answered.

use super::engine::Engine;
use super::error::QueryError;
use super::lane::{Lane, Path};
use super::request::Request;
use super::trace::Trace;

/// The counts that every request of a lane must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expectation {
    path: Path,
    queries: u64,
    hits: u64,
    misses: u64,
}

impl Expectation {
    /// Of a request that this lane answers from its last page.
    #[must_use]
    pub fn of(lane: Lane, request: &Request) -> Self {
        let path = lane.path_of(request);
        let (queries, hits, misses) = match path {
            Path::ApiDirect | Path::Native | Path::Adopted => (1, 0, 0),
            Path::Cold => (1, 0, 1),
            Path::Warm | Path::OrderedFrame => (0, 1, 0),
        };
        Self { path, queries, hits, misses }
    }

    /// Whether the cache is emptied before every request.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.path == Path::Cold
    }

    /// Holds one request to it.
    ///
    /// # Errors
    ///
    /// The counts that were expected, beside those that were found.
    pub fn hold(&self, trace: &Trace) -> Result<(), QueryError> {
        Self::same(1, [self.queries, self.hits, self.misses, self.misses, 0], trace)
    }

    /// Holds the requests of one batch to it: each alone, but for the lane with a cold cache, where one of them computes
    /// the result and the others wait for it or find it.
    ///
    /// # Errors
    ///
    /// The counts that were expected, beside those that were found.
    pub fn hold_batch(&self, traces: &[Trace]) -> Result<(), QueryError> {
        if !self.is_cold() {
            return traces.iter().try_for_each(|trace| self.hold(trace));
        }
        let sum = |count: fn(&Trace) -> u64| traces.iter().map(count).sum();
        let all = Trace {
            decisions: sum(|trace| trace.decisions),
            admissions: sum(|trace| trace.admissions),
            audits: sum(|trace| trace.audits),
            queries: sum(|trace| trace.queries),
            hits: sum(|trace| trace.hits),
            misses: sum(|trace| trace.misses),
            populates: sum(|trace| trace.populates),
            coalesced: sum(|trace| trace.coalesced),
            ..Trace::default()
        };
        let clients = traces.len() as u64;
        Self::same(clients, [1, clients.saturating_sub(1), 1, 1, all.coalesced], &all)
    }

    fn same(
        requests: u64,
        [queries, hits, misses, populates, coalesced]: [u64; 5],
        trace: &Trace,
    ) -> Result<(), QueryError> {
        let expected = [requests, requests, requests, queries, hits, misses, populates, coalesced];
        let found = [
            trace.decisions,
            trace.admissions,
            trace.audits,
            trace.queries,
            trace.hits,
            trace.misses,
            trace.populates,
            trace.coalesced,
        ];
        if found == expected {
            return Ok(());
        }
        Err(QueryError::Answer(format!(
            "requests did what their lane does not: expected {}, found {}",
            words(expected),
            words(found)
        )))
    }
}

fn words(counts: [u64; 8]) -> String {
    let names = ["decisions", "admissions", "audit records", "queries", "hits", "misses", "populates", "coalesced"];
    let all: Vec<String> = names.iter().zip(counts).map(|(name, count)| format!("{count} {name}")).collect();
    all.join(", ")
}

/// Nothing is held when all requests are answered.
///
/// # Errors
///
/// What is still held, side by side.
pub fn nothing_left(engine: &Engine) -> Result<(), QueryError> {
    let left = [engine.pool.held(), engine.cache.leases(), engine.admission.inside()];
    if left == [0, 0, 0] {
        return Ok(());
    }
    let [connections, leases, requests] = left;
    Err(QueryError::Answer(format!(
        "expected nothing to be left behind, found {connections} connections held, {leases} leases out, {requests} requests inside"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Shape;
    use crate::workload::dashboard::bench::Subject;
    use crate::workload::dashboard::engine::Table;
    use crate::workload::dashboard::governor::ANALYST;

    fn hold(lane: &str, trace: &Trace) -> Result<(), QueryError> {
        let request = Subject::detail(Table { shape: Shape::Narrow, rows: 1 }).request(ANALYST);
        Expectation::of(Lane::named(lane).unwrap(), &request).hold(trace)
    }

    #[test]
    fn each_lane_has_counts_of_its_own() {
        let governed = Trace { decisions: 1, admissions: 1, audits: 1, ..Trace::default() };
        let direct = Trace { queries: 1, ..governed };
        let cold = Trace { queries: 1, misses: 1, populates: 1, ..governed };
        let warm = Trace { hits: 1, ..governed };
        for (lane, own) in
            [("api-direct", direct), ("native-v1", direct), ("dashboard-cold", cold), ("dashboard-warm", warm)]
        {
            for trace in [direct, cold, warm] {
                assert_eq!(hold(lane, &trace).is_ok(), trace == own, "{lane} {trace:?}");
            }
        }
        assert!(hold("native-v1", &Trace { audits: 0, ..direct }).is_err());
        let request = Subject::detail(Table { shape: Shape::Narrow, rows: 1 }).request(ANALYST);
        let crowd = Expectation::of(Lane::named("dashboard-cold").unwrap(), &request);
        assert!(crowd.hold_batch(&[warm, cold, Trace { coalesced: 1, ..warm }]).is_ok());
        assert!(crowd.hold_batch(&[cold, cold, warm]).is_err());
        let message = hold("dashboard-warm", &direct).unwrap_err().to_string();
        assert!(
            message.contains("expected 1 decisions, 1 admissions, 1 audit records, 0 queries, 1 hits"),
            "{message}"
        );
        assert!(message.contains("found 1 decisions, 1 admissions, 1 audit records, 1 queries, 0 hits"), "{message}");
    }
}
