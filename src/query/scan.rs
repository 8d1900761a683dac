//! Tables of ours in DuckDB: it asks for chunks of rows, of the columns that a statement needs, as it needs them.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::ArrayRef;
use arrow::datatypes::Fields;
use duckdb::Connection;
use duckdb::core::{
    ArrayVector, DataChunkHandle, FlatVector, Inserter as _, ListVector, LogicalTypeHandle, LogicalTypeId, StructVector,
};
use duckdb::vtab::arrow::{WritableVector, to_duckdb_logical_type_for_field, write_arrow_array_to_vector};
use duckdb::vtab::{BindInfo, InitInfo, TableFunctionInfo, VTab};

use super::QueryError;

/// The most rows of a chunk: DuckDB's vectors have room for as many.
pub(super) const ROWS: usize = 2_048;

/// The table function that reads a [`Table`].
const FUNCTION: &str = "gate_scan";

/// A table that is read part by part. Parts are read side by side, as many at once as DuckDB has threads.
pub(super) trait Table: Send + Sync {
    /// Its columns.
    fn fields(&self) -> &Fields;

    /// How many parts it has.
    fn parts(&self) -> usize;

    /// The rows of a part in chunks, with these columns only.
    fn open(&self, part: usize, columns: &[usize]) -> Result<Chunks, QueryError>;
}

/// The rows of a part.
pub(super) type Chunks = Box<dyn Iterator<Item = Chunk> + Send>;

/// At most [`ROWS`] rows.
pub(super) struct Chunk {
    /// How many.
    pub(super) rows: usize,
    /// The columns that were asked for.
    pub(super) columns: Vec<Filled>,
}

/// A column of a chunk.
pub(super) enum Filled {
    /// The same text in every row.
    Text(Arc<str>),
    /// A value for each row.
    Values(ArrayRef),
}

/// A table that SQL can name, and what went wrong when it was read.
struct Source {
    table: Box<dyn Table>,
    failure: Mutex<Option<QueryError>>,
}

/// DuckDB hands numbers and texts to a table function, so a table is known by its number.
static SOURCES: Mutex<BTreeMap<u64, Arc<Source>>> = Mutex::new(BTreeMap::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A table that SQL can read for as long as this value is there.
pub(super) struct Registered {
    number: u64,
    source: Arc<Source>,
}

impl Registered {
    pub(super) fn new(table: Box<dyn Table>) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let source = Arc::new(Source { table, failure: Mutex::new(None) });
        lock(&SOURCES).insert(number, Arc::clone(&source));
        Self { number, source }
    }

    /// What stands for it in a `FROM`.
    pub(super) fn sql(&self) -> String {
        format!("{FUNCTION}({}::UBIGINT)", self.number)
    }

    /// What went wrong when it was read, where something did.
    pub(super) fn failure(&self) -> Option<QueryError> {
        lock(&self.source.failure).take()
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&SOURCES).remove(&self.number);
    }
}

/// Lets SQL on `connection` read what is registered.
pub(super) fn register(connection: &Connection) -> duckdb::Result<()> {
    connection.register_table_function::<Scan>(FUNCTION)
}

struct Scan;

/// How far a scan has come.
struct Progress {
    columns: Vec<usize>,
    next: AtomicUsize,
    /// Parts that are read and not at their end; a thread takes one for as long as it makes a chunk.
    begun: Mutex<Vec<Chunks>>,
}

impl VTab for Scan {
    type InitData = Progress;
    type BindData = Arc<Source>;

    fn bind(bind: &BindInfo) -> Result<Arc<Source>, Box<dyn Error>> {
        let number = bind.get_parameter(0);
        let known = if number.is_null() { None } else { lock(&SOURCES).get(&number.to_uint64()).cloned() };
        let source = known.ok_or("there is no such table; read the views")?;
        for field in source.table.fields() {
            bind.add_result_column(field.name(), to_duckdb_logical_type_for_field(field)?);
        }
        Ok(source)
    }

    fn init(init: &InitInfo) -> Result<Progress, Box<dyn Error>> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        init.set_max_threads(threads as u64);
        let columns = init.get_column_indices().into_iter();
        let columns = columns.map(|column| usize::try_from(column).unwrap_or(usize::MAX)).collect();
        Ok(Progress { columns, next: AtomicUsize::new(0), begun: Mutex::new(Vec::new()) })
    }

    fn func(function: &TableFunctionInfo<Self>, output: &mut DataChunkHandle) -> Result<(), Box<dyn Error>> {
        let source = function.get_bind_data();
        let progress = function.get_init_data();
        while let Some(mut part) = begun(source, progress)? {
            if let Some(chunk) = part.next() {
                lock(&progress.begun).push(part);
                return fill(&chunk, output);
            }
        }
        output.set_len(0);
        Ok(())
    }

    fn supports_pushdown() -> bool {
        true
    }

    fn parameters() -> Option<Vec<LogicalTypeHandle>> {
        Some(vec![LogicalTypeHandle::from(LogicalTypeId::UBigint)])
    }
}

/// A part that is not at its end, as far as is known.
fn begun(source: &Source, progress: &Progress) -> Result<Option<Chunks>, Box<dyn Error>> {
    if let Some(part) = lock(&progress.begun).pop() {
        return Ok(Some(part));
    }
    let next = progress.next.fetch_add(1, Ordering::Relaxed);
    if next >= source.table.parts() {
        return Ok(None);
    }
    source.table.open(next, &progress.columns).map(Some).map_err(|error| {
        let text = error.to_string();
        lock(&source.failure).get_or_insert(error);
        text.into()
    })
}

fn fill(chunk: &Chunk, output: &mut DataChunkHandle) -> Result<(), Box<dyn Error>> {
    for (index, column) in chunk.columns.iter().enumerate() {
        match column {
            Filled::Text(text) => {
                let vector = output.flat_vector(index);
                (0..chunk.rows).for_each(|row| vector.insert(row, &**text));
            }
            Filled::Values(values) => write_arrow_array_to_vector(values, &mut Column { chunk: output, index })?,
        }
    }
    output.set_len(chunk.rows);
    Ok(())
}

/// A column of a chunk of DuckDB's.
struct Column<'a> {
    chunk: &'a mut DataChunkHandle,
    index: usize,
}

impl WritableVector for Column<'_> {
    fn flat_vector(&mut self) -> FlatVector<'_> {
        self.chunk.flat_vector(self.index)
    }

    fn list_vector(&mut self) -> ListVector<'_> {
        self.chunk.list_vector(self.index)
    }

    fn array_vector(&mut self) -> ArrayVector<'_> {
        self.chunk.array_vector(self.index)
    }

    fn struct_vector(&mut self) -> StructVector<'_> {
        self.chunk.struct_vector(self.index)
    }
}
