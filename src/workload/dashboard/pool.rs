//! A pool of DuckDB connections, and the only door to the database that lanes have.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use duckdb::{ArrowStream, Connection, InterruptHandle};

use super::cancel::Cancel;
use super::error::QueryError;
use super::query_log::QueryLog;
use super::trace::Trace;
use crate::measure::clock::{self, Moment};
use crate::workload::{WorkloadError, locked};

/// Why there is no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// All are held.
    #[error("all {size} connections are held; waited {waited_ms} ms for one; make the pool larger, or ask again later")]
    Exhausted {
        /// The connections that there are.
        size: usize,
        /// How long was waited.
        waited_ms: u64,
    },
    /// Nobody waits for what it was for.
    #[error("the client left after its request had waited {waited_ms} ms for a connection")]
    Abandoned {
        /// How long was waited.
        waited_ms: u64,
    },
}

/// How often a request that waits looks whether its client is still there.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// Connections to one database.
pub struct Pool {
    idle: Mutex<Vec<Connection>>,
    returned: Condvar,
    size: usize,
    executed: AtomicU64,
}

impl Pool {
    /// `size` connections to the database of `first`, which becomes one of them.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB reports.
    pub fn new(first: Connection, size: usize) -> Result<Self, QueryError> {
        let mut idle = Vec::with_capacity(size);
        for _ in 1..size {
            idle.push(first.try_clone()?);
        }
        idle.push(first);
        Ok(Self { idle: Mutex::new(idle), returned: Condvar::new(), size, executed: AtomicU64::new(0) })
    }

    /// A connection, for which it waits at most `patience`.
    ///
    /// # Errors
    ///
    /// None came free in time.
    pub fn acquire(&self, patience: Duration, trace: &mut Trace) -> Result<Connected<'_>, PoolError> {
        self.acquire_for(patience, None, trace)
    }

    /// A connection for a request that may be cancelled, for which it waits at most `patience`.
    ///
    /// # Errors
    ///
    /// None came free in time, or the request was cancelled before one did.
    pub fn acquire_for(
        &self,
        patience: Duration,
        cancel: Option<&Arc<Cancel>>,
        trace: &mut Trace,
    ) -> Result<Connected<'_>, PoolError> {
        let begin = clock::now();
        let mut idle = locked(&self.idle);
        loop {
            if cancel.is_some_and(|cancel| cancel.is_cancelled()) {
                return Err(PoolError::Abandoned { waited_ms: begin.elapsed_ns() / 1_000_000 });
            }
            if let Some(connection) = idle.pop() {
                drop(idle);
                let since = clock::now();
                trace.connection_wait_ns += since.since_ns(begin);
                if let Some(cancel) = cancel {
                    cancel.attach(connection.interrupt_handle());
                }
                return Ok(Connected { connection: Some(connection), pool: self, since, cancel: cancel.cloned() });
            }
            let left = patience.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(PoolError::Exhausted { size: self.size, waited_ms: begin.elapsed_ns() / 1_000_000 });
            }
            let left = if cancel.is_some() { left.min(LOOK) } else { left };
            idle = self.returned.wait_timeout(idle, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Prepares a query on every connection that is idle, so that running it is all that [`Connected::stream`] does.
    ///
    /// # Errors
    ///
    /// A query that DuckDB can't plan.
    pub fn prepare(&self, sql: &str) -> Result<(), QueryError> {
        for connection in locked(&self.idle).iter() {
            connection.prepare_cached(sql)?;
        }
        Ok(())
    }

    /// How many queries were run.
    #[must_use]
    pub fn executed(&self) -> u64 {
        self.executed.load(Ordering::Relaxed)
    }

    /// How many connections are held.
    #[must_use]
    pub fn held(&self) -> usize {
        self.size - locked(&self.idle).len()
    }

    /// How many connections there are.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }
}

/// A connection that is held.
pub struct Connected<'a> {
    connection: Option<Connection>,
    pool: &'a Pool,
    since: Moment,
    cancel: Option<Arc<Cancel>>,
}

impl Connected<'_> {
    /// Runs the query once and hands its batches to `consume` as they come.
    ///
    /// A query that was not prepared is prepared first, and then kept; one whose batches were not all taken is prepared anew
    /// the next time, since DuckDB runs nothing on a connection that has an open result.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB or `consume` reports.
    ///
    /// # Panics
    ///
    /// Never: a held connection has one.
    pub fn stream<T>(
        &self,
        sql: &str,
        trace: &mut Trace,
        consume: impl FnOnce(&mut ArrowStream<'_>, &mut Trace) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        self.pool.executed.fetch_add(1, Ordering::Relaxed);
        trace.queries += 1;
        let begin = clock::now();
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut stream = statement.stream_arrow([])?;
        trace.database_ns += begin.elapsed_ns();
        let result = consume(&mut stream, trace);
        let is_drained = result.is_ok() && stream.next().is_none();
        drop(stream);
        if !is_drained {
            statement.discard();
        }
        result
    }

    /// What stops the running query from another thread.
    #[must_use]
    pub fn interrupt_handle(&self) -> Arc<InterruptHandle> {
        self.connection().interrupt_handle()
    }

    /// Has DuckDB log its queries from now on.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB reports.
    pub fn log(&self) -> Result<QueryLog, WorkloadError> {
        QueryLog::start(self.connection().try_clone()?)
    }

    /// Gives the connection back, and says how long it was held.
    pub fn release(self, trace: &mut Trace) {
        trace.connection_hold_ns += self.since.elapsed_ns();
    }

    fn connection(&self) -> &Connection {
        match &self.connection {
            Some(connection) => connection,
            None => unreachable!("a connection is given back when it is dropped"),
        }
    }
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            if let Some(cancel) = &self.cancel {
                cancel.detach();
            }
            locked(&self.pool.idle).push(connection);
            self.pool.returned.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(size: usize) -> Pool {
        Pool::new(Connection::open_in_memory().unwrap(), size).unwrap()
    }

    #[test]
    fn an_exhausted_pool_says_so_within_its_bound() {
        let (pool, mut trace) = (pool(2), Trace::default());
        let patience = Duration::from_millis(30);
        let first = pool.acquire(patience, &mut trace).unwrap();
        let _second = pool.acquire(patience, &mut trace).unwrap();
        assert_eq!(pool.held(), 2);
        let error = pool.acquire(patience, &mut trace).err().unwrap().to_string();
        assert!(error.starts_with("all 2 connections are held; waited 3"), "{error}");
        first.release(&mut trace);
        assert_eq!(pool.held(), 1);
        assert!(pool.acquire(patience, &mut trace).is_ok());
        assert!(trace.connection_hold_ns >= 30_000_000, "{trace:?}");
    }

    #[test]
    fn whoever_waits_gets_what_comes_back() {
        let pool = pool(1);
        let held = pool.acquire(Duration::ZERO, &mut Trace::default()).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut trace = Trace::default();
                pool.acquire(Duration::from_secs(30), &mut trace).map(|_| trace.connection_wait_ns)
            });
            std::thread::sleep(Duration::from_millis(20));
            drop(held);
            assert!(waiting.join().unwrap().unwrap() > 0);
        });
        assert_eq!(pool.held(), 0);
    }

    #[test]
    fn a_result_that_was_not_taken_whole_is_in_nobodys_way() {
        let (pool, mut trace) = (pool(1), Trace::default());
        let held = pool.acquire(Duration::ZERO, &mut trace).unwrap();
        let sql = "SELECT * FROM range(100000)";
        for _ in 0..2 {
            held.stream(sql, &mut trace, |stream, _| Ok(stream.next().transpose()?)).unwrap();
            let failed = held.stream(sql, &mut trace, |stream, _| {
                stream.next().transpose()?;
                Err::<(), _>(QueryError::Answer("enough".to_owned()))
            });
            assert_eq!(failed.unwrap_err().to_string(), "enough");
        }
        assert_eq!(held.stream("SELECT 1", &mut trace, |stream, _| Ok(stream.count())).unwrap(), 1);
    }

    #[test]
    fn every_query_is_counted_even_one_that_fails() {
        let (pool, mut trace) = (pool(1), Trace::default());
        let held = pool.acquire(Duration::ZERO, &mut trace).unwrap();
        held.stream("SELECT 1", &mut trace, |stream, _| Ok(stream.count())).unwrap();
        assert!(held.stream("SELECT nothing", &mut trace, |stream, _| Ok(stream.count())).is_err());
        assert_eq!((pool.executed(), trace.queries), (2, 2));
    }
}
