//! DuckDB with the views of some campaigns, shut off from everything else.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::RecordBatch;
use duckdb::{Config, Connection};

use super::campaigns::Campaigns;
use super::output::with_offsets;
use super::rows::{RowTable, Rows};
use super::samples::SampleTable;
use super::scan::{Registered, Table, register};
use super::view::{VIEWS, View};
use super::{Output, QueryError, concluded, planned};

/// The views of some campaigns, for SQL.
pub struct Database {
    connection: Connection,
    tables: Vec<Registered>,
    columns: Vec<(&'static str, Vec<String>)>,
}

impl Database {
    /// Opens the campaigns in `folders`, each held to its journal.
    ///
    /// # Errors
    ///
    /// A campaign that can't be read, is not finished or was changed, two of one name, and whatever keeps DuckDB from opening.
    pub fn open(folders: &[PathBuf]) -> Result<Self, QueryError> {
        let campaigns = Arc::new(Campaigns::open(folders)?);
        let connection = connect().map_err(QueryError::Open)?;
        let mut tables = Vec::new();
        let mut columns = Vec::new();
        for view in VIEWS {
            let table = Registered::new(table(view, &campaigns));
            let sql = format!("CREATE VIEW {} AS FROM {}", view.name, table.sql());
            connection.execute_batch(&sql).map_err(QueryError::Open)?;
            tables.push(table);
            columns.push((view.name, view.layout(&campaigns.axes).into_iter().map(|(name, _)| name).collect()));
        }
        // From here on no setting changes.
        connection.execute_batch("SET lock_configuration = true").map_err(QueryError::Open)?;
        Ok(Self { connection, tables, columns })
    }

    /// Runs one statement that reads, and writes what it finds to `output`, batch by batch.
    ///
    /// # Errors
    ///
    /// Text that is not one such statement, whatever DuckDB reports, evidence that was changed meanwhile, and an output that
    /// can't be written.
    pub fn query(&self, sql: &str, output: &mut dyn Output) -> Result<(), QueryError> {
        self.hold_to_one(sql)?;
        let mut statement = self.connection.prepare(sql).map_err(|error| self.failed(&error))?;
        let mut batches = statement.stream_arrow([]).map_err(|error| self.failed(&error))?;
        // What fails before the first rows are there writes nothing.
        let mut next = batches.next().transpose().map_err(|error| self.failed(&error))?;
        let shown = |batch: &RecordBatch| with_offsets(batch).map_err(std::io::Error::other);
        output.begin(shown(&RecordBatch::new_empty(batches.get_schema()))?.schema_ref())?;
        while let Some(batch) = next {
            output.rows(&shown(&batch)?)?;
            next = batches.next().transpose().map_err(|error| self.failed(&error))?;
        }
        output.end()?;
        Ok(())
    }

    /// Holds `sql` to one statement that reads. DuckDB would carry out all but the last of several as it prepares them; its
    /// function `query` takes exactly one, and only such that reads. What else is wrong with it the statement itself tells better.
    fn hold_to_one(&self, sql: &str) -> Result<(), QueryError> {
        let whole = format!("FROM query('{}')", sql.replace('\'', "''"));
        let Err(error) = self.connection.prepare(&whole) else { return Ok(()) };
        let text = error.to_string();
        if text.contains("Expected a single SELECT statement") {
            return Err(QueryError::Statement("what stands there is none, several, or does something else".to_owned()));
        }
        // A PIVOT without its values is several statements in one.
        match text.lines().next() {
            Some(line) if line.contains("PIVOT statements") => Err(QueryError::Statement(line.to_owned())),
            _ => Ok(()),
        }
    }

    /// Why a statement failed: the evidence, where that can't be read, else what DuckDB says.
    fn failed(&self, error: &duckdb::Error) -> QueryError {
        let evidence = self.tables.iter().find_map(Registered::failure);
        evidence.unwrap_or_else(|| QueryError::Sql { message: error.to_string(), columns: self.columns.clone() })
    }
}

/// A database in memory that reaches no file, no network and no extension, and spills nothing to a disk.
fn connect() -> duckdb::Result<Connection> {
    let config = Config::default()
        .with("temp_directory", "")?
        .with("allow_community_extensions", "false")?
        .enable_autoload_extension(false)?
        .enable_external_access(false)?;
    let connection = Connection::open_in_memory_with_flags(config)?;
    register(&connection)?;
    Ok(connection)
}

fn table(view: &'static View, campaigns: &Arc<Campaigns>) -> Box<dyn Table> {
    let rows: Rows = match view.name {
        "samples" => return Box::new(SampleTable::new(Arc::clone(campaigns), view)),
        "plan" => planned::plan,
        "runs" => planned::runs,
        "budgets" => concluded::budgets,
        "verdicts" => concluded::verdicts,
        "warnings" => concluded::warnings,
        "history" => planned::history,
        other => unreachable!("view `{other}` has no rows"),
    };
    Box::new(RowTable::new(Arc::clone(campaigns), view, rows))
}
