//! DuckDB's own log of queries, watched over a connection whose queries do not count.

use duckdb::Connection;

use crate::workload::WorkloadError;

/// DuckDB's own log of queries. DuckDB logs the preparing of a query like a run of it.
pub struct QueryLog {
    observer: Connection,
}

impl QueryLog {
    /// Has the database of this connection log its queries from now on.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB reports.
    pub fn start(observer: Connection) -> Result<Self, WorkloadError> {
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
