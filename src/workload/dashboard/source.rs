//! The database that all lanes ask, and the count of what it ran.

use std::cell::Cell;

use duckdb::{ArrowStream, Config, Connection};

use crate::fixture::{self, Shape};
use crate::workload::{Setup, WorkloadError};

/// An embedded DuckDB in memory with the table `model.orders`.
///
/// Lanes get at it through [`Source::stream`] alone, so that every query they run is counted.
pub struct Source {
    connection: Connection,
    executed: Cell<u64>,
}

impl Source {
    /// A new [`database`] with a table of this shape and length.
    ///
    /// # Errors
    ///
    /// Whatever keeps DuckDB from opening or filling the table.
    pub fn open(shape: Shape, rows: u32, setup: &Setup) -> Result<Self, WorkloadError> {
        Ok(Self { connection: database(shape, rows, setup)?, executed: Cell::new(0) })
    }

    /// Prepares the query, so that running it is all that [`Source::stream`] does.
    ///
    /// # Errors
    ///
    /// A query that DuckDB can't plan.
    pub fn prepare(&self, sql: &str) -> Result<(), WorkloadError> {
        self.connection.prepare_cached(sql)?;
        Ok(())
    }

    /// Runs the query once and hands its batches to `consume` as they come.
    ///
    /// A query that was not prepared is prepared first, and then kept.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB or `consume` reports.
    pub fn stream<T>(
        &self,
        sql: &str,
        consume: impl FnOnce(ArrowStream<'_>) -> Result<T, WorkloadError>,
    ) -> Result<T, WorkloadError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        self.executed.set(self.executed.get() + 1);
        consume(statement.stream_arrow([])?)
    }

    /// How many queries were run through [`Source::stream`] so far.
    #[must_use]
    pub fn executed(&self) -> u64 {
        self.executed.get()
    }

    /// Has DuckDB log its queries from now on.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB reports.
    pub fn log(&self) -> Result<QueryLog, WorkloadError> {
        QueryLog::start(self.connection.try_clone()?)
    }
}

/// A new database in memory with a table `model.orders` of this shape and length.
///
/// It uses as many threads as `setup` says, keeps rows in order, looks for no extensions, and draws no
/// progress bar. It never reads the ordered keys first and the other columns later: DuckDB does so up to 50
/// rows, and then answers of 50 and of 51 rows would differ by more than a row.
///
/// # Errors
///
/// Whatever keeps DuckDB from opening or filling the table.
pub fn database(shape: Shape, rows: u32, setup: &Setup) -> Result<Connection, WorkloadError> {
    let config = Config::default()
        .threads(i64::from(setup.threads))?
        .enable_autoload_extension(false)?
        .with("preserve_insertion_order", "true")?;
    let connection = Connection::open_in_memory_with_flags(config)?;
    connection.execute_batch("SET enable_progress_bar = false; SET late_materialization_max_rows = 0")?;
    fixture::load(&connection, shape, rows, setup.null_period)?;
    Ok(connection)
}

/// DuckDB's own log of queries, watched over a connection whose queries do not count.
///
/// DuckDB logs the preparing of a query like a run of it.
pub struct QueryLog {
    observer: Connection,
}

impl QueryLog {
    fn start(observer: Connection) -> Result<Self, WorkloadError> {
        observer.execute_batch("CALL truncate_duckdb_logs(); CALL enable_logging('QueryLog')")?;
        Ok(Self { observer })
    }

    /// How many queries other connections ran since the log was started; ends it.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB reports.
    pub fn queries(self) -> Result<u64, WorkloadError> {
        self.observer.execute_batch("CALL disable_logging()")?;
        let count: i64 = self.observer.query_row(
            "SELECT count(*) FROM duckdb_logs \
             WHERE type = 'QueryLog' AND connection_id <> current_connection_id()",
            [],
            |row| row.get(0),
        )?;
        Ok(u64::try_from(count).unwrap_or_default())
    }
}
