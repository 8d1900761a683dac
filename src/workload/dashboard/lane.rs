//! The lanes, each from the query to the bytes of the answer.

use arrow::record_batch::RecordBatch;
use duckdb::ArrowStream;

use super::query::{Filter, detail_query, projection};
use super::source::Source;
use super::stage::frame::Frame;
use super::stage::{capture, decode, drop_null, native_ipc, project, rows, string_ipc};
use super::{SUITE, answer};
use crate::fixture::Shape;
use crate::workload::{Bench, Counters, Response, Setup, WorkloadError};

/// An execution path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Owned copy, decoded rows, row maps, ordered frame, string projection, all-string Arrow IPC.
    ApiDirect,
    /// Batches streamed straight into Arrow IPC.
    NativeV1,
    /// [`Lane::NativeV1`] with the first null of each batch answered as a value.
    DropNull,
}

impl Lane {
    /// The lane called `name` in the catalogue.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn named(name: &str) -> Result<Self, WorkloadError> {
        match name {
            "api-direct" => Ok(Self::ApiDirect),
            "native-v1" => Ok(Self::NativeV1),
            "fault:drop-null" => Ok(Self::DropNull),
            _ => Err(WorkloadError::NoSuchLane { suite: SUITE, lane: name.to_owned() }),
        }
    }

    /// Whether its answers are strings, and not the types of the table.
    #[must_use]
    pub const fn answers_strings(self) -> bool {
        matches!(self, Self::ApiDirect)
    }
}

/// What a lane answered, and how many batches it made that of.
#[derive(Debug)]
pub struct Answer {
    /// The answer.
    pub response: Response,
    /// The batches that came from the database.
    pub source_batches: u64,
}

/// One lane over one table.
pub struct Dashboard {
    lane: Lane,
    source: Source,
    names: Vec<String>,
    rows: u32,
    query: String,
    nothing: String,
}

impl Dashboard {
    /// Opens a database with a table of this shape and length, and prepares the query.
    ///
    /// # Errors
    ///
    /// Whatever keeps DuckDB from opening or filling the table.
    pub fn open(lane: Lane, shape: Shape, rows: u32, setup: &Setup) -> Result<Self, WorkloadError> {
        let source = Source::open(shape, rows, setup)?;
        let query = detail_query(shape, Filter::Every, rows);
        source.prepare(&query)?;
        let nothing = detail_query(shape, Filter::Nothing, rows);
        Ok(Self { lane, source, names: projection(shape), rows, query, nothing })
    }

    /// The database.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Answers the query with this filter once.
    ///
    /// # Errors
    ///
    /// Whatever keeps the lane from answering.
    pub fn answer(&self, filter: Filter) -> Result<Answer, WorkloadError> {
        let sql = match filter {
            Filter::Every => &self.query,
            Filter::Nothing => &self.nothing,
        };
        match self.lane {
            Lane::ApiDirect => {
                let batches = self.source.stream(sql, capture_all)?;
                strings(&self.names, &batches, self.rows as usize)
            }
            Lane::NativeV1 => self.source.stream(sql, |stream| {
                let schema = stream.get_schema();
                Ok(native_ipc::write(&schema, stream)?.into())
            }),
            Lane::DropNull => self.source.stream(sql, |stream| {
                let schema = stream.get_schema();
                let faulty = stream.map(|batch| -> Result<_, WorkloadError> { Ok(drop_null::drop_null(batch?)?) });
                Ok(native_ipc::write(&schema, faulty)?.into())
            }),
        }
    }
}

fn capture_all(stream: ArrowStream<'_>) -> Result<Vec<RecordBatch>, WorkloadError> {
    stream.map(|batch| Ok(capture::capture(&batch?)?)).collect()
}

/// The path from owned batches to the bytes of the answer that `api-direct` takes.
fn strings(names: &[String], batches: &[RecordBatch], limit: usize) -> Result<Answer, WorkloadError> {
    let result = rows::name_values(names, decode::decode(batches)?);
    let mut maps = rows::copy(&result);
    rows::normalise(&mut maps);
    let window = Frame::ordered(names, maps)?.window(0, limit);
    let projection = project::project(window);
    let body = string_ipc::write(&projection)?;
    let response = Response { rows: projection.rows.len() as u64, body };
    Ok(Answer { response, source_batches: batches.len() as u64 })
}

impl From<native_ipc::Written> for Answer {
    fn from(written: native_ipc::Written) -> Self {
        let response = Response { rows: written.rows, body: written.body };
        Self { response, source_batches: written.batches }
    }
}

impl Bench for Dashboard {
    fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
        let before = self.source.executed();
        let answer = self.answer(Filter::Every)?;
        counters.record("ipc_bytes", answer.response.body.len() as u64);
        counters.record("physical_queries", self.source.executed() - before);
        Ok(answer.response)
    }

    fn expected_rows(&self) -> u64 {
        u64::from(self.rows)
    }

    fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
        answer::digest(&response.body)
    }
}
