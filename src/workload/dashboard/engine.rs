//! The governed executor: what every lane goes through before it may see a row.
//!
//! A request is decided upon, admitted, planned and written to the audit log, once each and in this order, before a
//! connection is taken. A denied one ends there. What comes out of the database is charged to the result's budget batch
//! by batch, before a lane sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use duckdb::{Config, Connection};

use super::admission::{Admission, Permit};
use super::audit::{Audit, Outcome, Record};
use super::budget::{Charge, ResultBudget};
use super::cache::Cache;
use super::cancel::Cancel;
use super::cursor::Cursors;
use super::definition::{Definition, first_page};
use super::error::QueryError;
use super::governor::Governor;
use super::pool::{Connected, Pool};
use super::request::Request;
use super::trace::Trace;
use crate::fixture::{self, Shape};
use crate::measure::clock;
use crate::workload::{Setup, WorkloadError};

/// The rows and columns of `model.orders`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Its columns.
    pub shape: Shape,
    /// Its rows.
    pub rows: u32,
}

/// What an engine has to give.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    /// Connections to the database.
    pub connections: usize,
    /// Bytes that the cache may hold.
    pub cache_bytes: u64,
    /// What one result may hold.
    pub result: ResultBudget,
    /// How long a request waits for a connection, or for a result that another one computes.
    pub patience: Duration,
}

impl Default for Capacity {
    fn default() -> Self {
        Self {
            connections: 2,
            cache_bytes: 64 << 20,
            result: ResultBudget::default(),
            patience: Duration::from_secs(2),
        }
    }
}

/// How many requests are worked on at once.
const SLOTS: usize = 256;

/// A database with `model.orders`, and everything between it and a lane.
pub struct Engine {
    shape: Shape,
    /// The connections.
    pub pool: Pool,
    /// Who may see what.
    pub governor: Governor,
    /// How many may ask at once.
    pub admission: Admission,
    /// What was asked.
    pub audit: Audit,
    /// Results that are kept.
    pub cache: Cache,
    /// Where pages ended.
    pub cursors: Cursors,
    nullable: Vec<bool>,
    snapshot: AtomicU64,
    capacity: Capacity,
}

impl Engine {
    /// A new database in memory with this table, and an engine with this capacity over it.
    ///
    /// # Errors
    ///
    /// Whatever keeps DuckDB from opening or filling the table.
    pub fn open(table: Table, setup: &Setup, capacity: Capacity) -> Result<Self, WorkloadError> {
        let connection = database(table, setup)?;
        let nullable = declared_nullability(&connection)?;
        Ok(Self {
            shape: table.shape,
            pool: Pool::new(connection, capacity.connections)?,
            governor: Governor::new(),
            admission: Admission::new(SLOTS),
            audit: Audit::default(),
            cache: Cache::new(capacity.cache_bytes),
            cursors: Cursors::new([0x5e; 32]),
            nullable,
            snapshot: AtomicU64::new(1),
            capacity,
        })
    }

    /// The columns of the table.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// How long a request waits for what others hold.
    #[must_use]
    pub const fn patience(&self) -> Duration {
        self.capacity.patience
    }

    /// Holds the results to come to another budget.
    pub const fn limit_results(&mut self, budget: ResultBudget) {
        self.capacity.result = budget;
    }

    /// The state of the data.
    #[must_use]
    pub fn snapshot(&self) -> u64 {
        self.snapshot.load(Ordering::Acquire)
    }

    /// Changes the data with this SQL, and begins a new snapshot.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB reports.
    pub fn change(&self, sql: &str) -> Result<(), QueryError> {
        let mut trace = Trace::default();
        let connected = self.pool.acquire(self.capacity.patience, &mut trace)?;
        connected.stream(sql, &mut trace, |stream, _| Ok(stream.count()))?;
        self.snapshot.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Governs a request: decision, admission, plan, audit record.
    ///
    /// # Errors
    ///
    /// The request is denied, refused, or has a cursor that is not its own; the audit log says so too.
    pub fn govern(&self, request: &Request, trace: &mut Trace) -> Result<Governed<'_>, QueryError> {
        let begin = clock::now();
        let planned = self.plan(request, trace);
        let outcome = match &planned {
            Ok((definition, _)) => Outcome::Allowed { query: definition.sql.to_string() },
            Err(error) => Outcome::Denied { reason: error.to_string() },
        };
        self.audit.write(Record { identity: request.identity.clone(), outcome }, trace);
        let (definition, permit) = planned?;
        trace.planning_ns += begin.elapsed_ns();
        Ok(Governed { definition, _permit: permit })
    }

    fn plan(&self, request: &Request, trace: &mut Trace) -> Result<(Definition, Permit<'_>), QueryError> {
        let decision = self.governor.decide(request, trace)?;
        let permit = self.admission.admit(request.limit, trace)?;
        let first = first_page(request, &decision, self.snapshot());
        let offset = request.cursor.as_deref().map_or(Ok(0), |cursor| self.cursors.read(cursor, &first))?;
        let definition = Definition::new(request, &decision, self.shape, &self.nullable, first, offset);
        Ok((definition, permit))
    }

    /// A connection.
    ///
    /// # Errors
    ///
    /// None came free in time.
    pub fn connect(&self, trace: &mut Trace) -> Result<Connected<'_>, QueryError> {
        self.connect_for(None, trace)
    }

    /// A connection for a request that may be cancelled.
    ///
    /// # Errors
    ///
    /// None came free in time, or the request was cancelled before one did.
    pub fn connect_for(&self, cancel: Option<&Arc<Cancel>>, trace: &mut Trace) -> Result<Connected<'_>, QueryError> {
        Ok(self.pool.acquire_for(self.capacity.patience, cancel, trace)?)
    }

    /// Does `work` with a connection for a request that may be cancelled, gives it back, and adds the time that it was held
    /// to `trace`, whatever came of the work.
    ///
    /// # Errors
    ///
    /// No connection, or what `work` reports.
    pub fn holding<T>(
        &self,
        cancel: Option<&Arc<Cancel>>,
        trace: &mut Trace,
        work: impl FnOnce(&Connected<'_>, &mut Trace) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        let connected = self.connect_for(cancel, trace)?;
        let result = work(&connected, trace);
        connected.release(trace);
        result
    }

    /// Runs the query of `definition` and hands its batches, charged and with their columns in the order asked for, to
    /// `each` as they come. `begin` sees the schema and the charge before the first of them.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB, the budget, `begin` or `each` report.
    pub fn stream<S>(
        &self,
        connected: &Connected<'_>,
        definition: &Definition,
        trace: &mut Trace,
        begin: impl FnOnce(&Schema, &mut Charge) -> Result<S, QueryError>,
        mut each: impl FnMut(&mut S, RecordBatch, &mut Trace) -> Result<(), QueryError>,
    ) -> Result<S, QueryError> {
        let mut charge = Charge::new(self.capacity.result);
        let order = definition.order.as_deref();
        connected.stream(&definition.sql, trace, |stream, trace| {
            let schema = stream.get_schema();
            let mut state = match order {
                None => begin(&schema, &mut charge)?,
                Some(order) => begin(&schema.project(order)?, &mut charge)?,
            };
            loop {
                let waited = clock::now();
                let batch = stream.next().transpose()?;
                trace.database_ns += waited.elapsed_ns();
                let Some(batch) = batch else { return Ok(state) };
                charge.batch(&batch)?;
                let batch = match order {
                    None => batch,
                    Some(order) => batch.project(order)?,
                };
                each(&mut state, batch, trace)?;
            }
        })
    }

    /// The exact number of rows of all pages, by a query of its own.
    ///
    /// # Errors
    ///
    /// Whatever DuckDB reports.
    pub fn count(
        &self,
        connected: &Connected<'_>,
        definition: &Definition,
        trace: &mut Trace,
    ) -> Result<u64, QueryError> {
        use arrow::array::AsArray;
        use arrow::datatypes::Int64Type;
        connected.stream(&definition.count_sql, trace, |stream, _| {
            let batch = stream.next().transpose()?;
            let count = batch.as_ref().and_then(|batch| batch.column(0).as_primitive_opt::<Int64Type>());
            let count = count.filter(|count| !count.is_empty()).map(|count| count.value(0));
            count
                .and_then(|count| u64::try_from(count).ok())
                .ok_or_else(|| QueryError::Answer("the count query answered no count".to_owned()))
        })
    }

    /// The schema of an answer in the database's own types, its public metadata charged.
    ///
    /// # Errors
    ///
    /// The result is larger than it may be with them.
    pub fn public_schema(
        definition: &Definition,
        found: &Schema,
        charge: &mut Charge,
    ) -> Result<SchemaRef, QueryError> {
        let schema = definition.schema(found);
        let size = |schema: &Schema| -> u64 {
            let of_field = |field: &Field| {
                let metadata = field.metadata().iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
                (field.name().len() + metadata) as u64
            };
            schema.fields().iter().map(|field| of_field(field)).sum()
        };
        charge.bytes(size(&schema).saturating_sub(size(found)))?;
        Ok(schema)
    }
}

/// A request that was let through, and its place among those that are worked on.
pub struct Governed<'a> {
    /// Its query.
    pub definition: Definition,
    _permit: Permit<'a>,
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
pub fn database(table: Table, setup: &Setup) -> Result<Connection, WorkloadError> {
    let config = Config::default()
        .threads(i64::from(setup.threads))?
        .enable_autoload_extension(false)?
        .with("preserve_insertion_order", "true")?;
    let connection = Connection::open_in_memory_with_flags(config)?;
    connection.execute_batch("SET enable_progress_bar = false; SET GLOBAL late_materialization_max_rows = 0")?;
    fixture::load(&connection, table.shape, table.rows, setup.null_period)?;
    Ok(connection)
}

/// Of each column of `model.orders` whether it may hold nulls, by DuckDB's own catalogue: the schema of a result says
/// nullable of every field, `NOT NULL` columns too.
fn declared_nullability(connection: &Connection) -> Result<Vec<bool>, WorkloadError> {
    let mut statement = connection.prepare(
        "SELECT is_nullable FROM duckdb_columns() \
         WHERE schema_name = 'model' AND table_name = 'orders' ORDER BY column_index",
    )?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
