//! The lanes: each from a governed request to the bytes of its answer.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use super::SUITE;
use super::cache::{Key, Lease, Lookup};
use super::cancel::Cancel;
use super::definition::Definition;
use super::engine::Engine;
use super::error::QueryError;
use super::pool::Connected;
use super::request::{Format, Request};
use super::stage::envelope::Envelope;
use super::stage::frame::{Frame, Window};
use super::stage::lease_frame::LeaseFrame;
use super::stage::native_ipc::NativeWriter;
use super::stage::{capture, decode, drop_null, project, rows, string_ipc};
use super::trace::Trace;
use crate::measure::clock;
use crate::workload::WorkloadError;

/// A named execution path, and what is wrong with it where it is there to try a gate on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// The name in the catalogue.
    pub name: &'static str,
    /// The path.
    pub path: Path,
    fault: Option<Fault>,
}

/// An execution path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Owned copy, decoded rows, row maps, ordered frame, string projection, all-string Arrow IPC or JSON.
    ApiDirect,
    /// The same behind the retained-result cache, which is emptied before every request.
    Cold,
    /// The same behind the retained-result cache, which has the result.
    Warm,
    /// Borrowed batches straight into Arrow IPC.
    Native,
    /// The retained result through an ordered frame over its lease: no rows and no maps.
    OrderedFrame,
    /// What a request takes once [`Path::Native`] is adopted for tables: it where it may answer, else [`Path::ApiDirect`].
    Adopted,
}

/// What is wrong with a lane, or comes on top of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    DropNull,
    ExtraCopy,
    SecondQuery,
    StaleCache,
    CrossPrincipal,
    KeepsConnection,
    KeepsLease,
}

const LANES: [Lane; 13] = [
    lane("api-direct", Path::ApiDirect, None),
    lane("dashboard-cold", Path::Cold, None),
    lane("dashboard-warm", Path::Warm, None),
    lane("native-v1", Path::Native, None),
    lane("ordered-frame", Path::OrderedFrame, None),
    lane("adopted", Path::Adopted, None),
    lane("calibrate:extra-copy", Path::Native, Some(Fault::ExtraCopy)),
    lane("fault:drop-null", Path::Native, Some(Fault::DropNull)),
    lane("fault:second-query", Path::Native, Some(Fault::SecondQuery)),
    lane("fault:keeps-connection", Path::Native, Some(Fault::KeepsConnection)),
    lane("fault:stale-cache", Path::Warm, Some(Fault::StaleCache)),
    lane("fault:cross-principal", Path::Warm, Some(Fault::CrossPrincipal)),
    lane("fault:keeps-lease", Path::Warm, Some(Fault::KeepsLease)),
];

const fn lane(name: &'static str, path: Path, fault: Option<Fault>) -> Lane {
    Lane { name, path, fault }
}

/// Where an answer goes.
pub trait Sink: Write {
    /// Says in the answer's head where the next page begins. Only before anything is written.
    fn next_page(&mut self, cursor: &str);

    /// What stops the request once nobody waits for its answer; none where somebody always does.
    fn cancel(&self) -> Option<&Arc<Cancel>> {
        None
    }
}

/// An answer that stays in this process.
#[derive(Debug, Default)]
pub struct Buffer {
    /// The bytes.
    pub body: Vec<u8>,
    /// Where the next page begins, where the head of the answer said so.
    pub cursor: Option<String>,
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.body.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.body.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Buffer {
    fn next_page(&mut self, cursor: &str) {
        self.cursor = Some(cursor.to_owned());
    }
}

/// What a whole answer says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answered {
    /// Its rows.
    pub rows: u64,
    /// The batches that it was made of.
    pub batches: u64,
    /// Where the next page begins, to be said after the last byte.
    pub cursor: Option<String>,
}

impl Lane {
    /// The lane called `name` in the catalogue.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn named(name: &str) -> Result<Self, WorkloadError> {
        LANES
            .into_iter()
            .find(|lane| lane.name == name)
            .ok_or_else(|| WorkloadError::NoSuchLane { suite: SUITE, lane: name.to_owned() })
    }

    /// The path that a request takes, whose adoption may have been decided.
    #[must_use]
    pub const fn path_of(self, request: &Request) -> Path {
        match self.path {
            Path::Adopted if request.visual.is_table() && matches!(request.format, Format::Arrow) => Path::Native,
            Path::Adopted => Path::ApiDirect,
            path => path,
        }
    }

    /// Whether its answers to this request are in the types of the table, and not strings or JSON.
    #[must_use]
    pub fn is_native(self, request: &Request) -> bool {
        self.path_of(request) == Path::Native
    }

    /// Whether a result must be in the cache before the first measured request.
    #[must_use]
    pub const fn is_warm(self) -> bool {
        matches!(self.path, Path::Warm | Path::OrderedFrame)
    }

    /// Answers a request: governs it, and writes the answer to `sink`.
    ///
    /// Where it fails after something was written, what was written is no whole answer.
    ///
    /// # Errors
    ///
    /// The request is denied or refused, or whatever keeps the lane from answering.
    pub fn answer(
        self,
        engine: &Engine,
        request: &Request,
        trace: &mut Trace,
        sink: &mut dyn Sink,
    ) -> Result<Answered, QueryError> {
        let path = self.path_of(request);
        if path == Path::Native && !(request.visual.is_table() && request.format == Format::Arrow) {
            let what = format!("`{}` as {}", request.visual.name(), request.format.media_type());
            return Err(QueryError::Unsuitable { lane: self.name, what, expected: "tables as an Arrow IPC stream" });
        }
        if request.format == Format::Arrow && !request.visual.is_table() {
            let what = format!("`{}` as {}", request.visual.name(), request.format.media_type());
            return Err(QueryError::Unsuitable {
                lane: self.name,
                what,
                expected: "tables as Arrow, and any visual as JSON",
            });
        }
        let governed = engine.govern(request, trace)?;
        let definition = &governed.definition;
        let answered = match path {
            Path::Native => self.native(engine, definition, trace, sink)?,
            Path::ApiDirect | Path::Adopted => direct(engine, definition, request.format, trace, sink)?,
            Path::Cold | Path::Warm | Path::OrderedFrame => {
                let lease = self.retained(engine, definition, sink.cancel(), trace)?;
                let frame = if path == Path::OrderedFrame { Shaping::Lease } else { Shaping::Maps };
                let answered = write(engine, definition, request.format, frame, lease.batches(), None, sink)?;
                if self.fault == Some(Fault::KeepsLease) {
                    std::mem::forget(lease);
                }
                answered
            }
        };
        trace.retained_bytes = engine.cache.bytes();
        Ok(answered)
    }

    /// Batches as they come, no longer held than it takes to write them. The connection is held until the last is.
    fn native(
        self,
        engine: &Engine,
        definition: &Definition,
        trace: &mut Trace,
        sink: &mut dyn Sink,
    ) -> Result<Answered, QueryError> {
        if self.fault == Some(Fault::KeepsConnection) {
            let connected = engine.connect_for(sink.cancel(), trace)?;
            let answered = self.stream(engine, &connected, definition, trace, sink);
            std::mem::forget(connected);
            return answered;
        }
        let cancel = sink.cancel().cloned();
        engine
            .holding(cancel.as_ref(), trace, |connected, trace| self.stream(engine, connected, definition, trace, sink))
    }

    fn stream(
        self,
        engine: &Engine,
        connected: &Connected<'_>,
        definition: &Definition,
        trace: &mut Trace,
        sink: &mut dyn Sink,
    ) -> Result<Answered, QueryError> {
        if self.fault == Some(Fault::SecondQuery) {
            engine.count(connected, definition, trace)?;
        }
        let limit = u64::from(definition.limit);
        let mut answered = Answered::default();
        let mut is_full = false;
        // The stream begins once its first batch is charged: a result that is refused leaves nothing behind.
        let mut sink = Some(sink);
        let mut writer = None;
        let schema = engine.stream(
            connected,
            definition,
            trace,
            |found, charge| Engine::public_schema(definition, found, charge),
            |schema, batch, trace| {
                trace.held(batch.get_array_memory_size() as u64);
                if let Some(sink) = sink.take() {
                    writer = Some(NativeWriter::new(Arc::clone(schema), sink)?);
                }
                let room = usize::try_from(limit - answered.rows).unwrap_or(usize::MAX);
                is_full |= batch.num_rows() > room;
                let batch = if batch.num_rows() > room { batch.slice(0, room) } else { batch };
                answered.rows += batch.num_rows() as u64;
                answered.batches += 1;
                let batch = match self.fault {
                    Some(Fault::DropNull) => drop_null::drop_null(batch)?,
                    Some(Fault::ExtraCopy) => capture::capture(&batch)?,
                    _ => batch,
                };
                writer.as_mut().map_or(Ok(()), |writer| Ok(writer.write(batch)?))
            },
        )?;
        match (writer, sink) {
            (Some(writer), _) => writer.finish()?,
            (None, Some(sink)) => NativeWriter::new(schema, sink)?.finish()?,
            (None, None) => {}
        }
        answered.cursor = is_full.then(|| next(engine, definition));
        Ok(answered)
    }

    /// The retained result, which the first request for it computes.
    fn retained(
        self,
        engine: &Engine,
        definition: &Definition,
        cancel: Option<&Arc<Cancel>>,
        trace: &mut Trace,
    ) -> Result<Lease, QueryError> {
        let key = match self.fault {
            Some(Fault::StaleCache) => Key { snapshot: 0, ..definition.key },
            Some(Fault::CrossPrincipal) => Key { scope: [0; 32], ..definition.key },
            _ => definition.key,
        };
        match engine.cache.lookup_for(key, engine.patience(), cancel, trace)? {
            Lookup::Hit(lease) => Ok(lease),
            Lookup::Miss(filling) => {
                let batches =
                    engine.holding(cancel, trace, |connected, trace| captured(engine, connected, definition, trace))?;
                Ok(filling.fill(batches, trace))
            }
        }
    }
}

/// Where the page behind this one begins.
fn next(engine: &Engine, definition: &Definition) -> String {
    engine.cursors.make(&definition.first_page, definition.offset + u64::from(definition.limit))
}

/// The batches of the result, with every byte their own.
fn captured(
    engine: &Engine,
    connected: &Connected<'_>,
    definition: &Definition,
    trace: &mut Trace,
) -> Result<Vec<RecordBatch>, QueryError> {
    let batches = engine.stream(
        connected,
        definition,
        trace,
        |_, _| Ok(Vec::new()),
        |batches, batch, trace| {
            let begin = clock::now();
            batches.push(capture::capture(&named(definition, &batch)?)?);
            trace.database_ns += begin.elapsed_ns();
            Ok(())
        },
    )?;
    trace.held(batches.iter().map(|batch: &RecordBatch| batch.get_array_memory_size() as u64).sum());
    Ok(batches)
}

/// The batch under the names asked for, which are the database's own where nobody renamed or reordered a column.
fn named(definition: &Definition, batch: &RecordBatch) -> Result<RecordBatch, QueryError> {
    let found = batch.schema_ref().fields();
    if found.iter().map(|field| field.name()).eq(definition.columns.iter().map(|column| &column.name)) {
        return Ok(batch.clone());
    }
    Err(QueryError::Answer(format!("the columns of the result are not {}", definition.names().join(", "))))
}

/// The existing path: its connection is free before anything is shaped. A full page costs a second query.
fn direct(
    engine: &Engine,
    definition: &Definition,
    format: Format,
    trace: &mut Trace,
    sink: &mut dyn Sink,
) -> Result<Answered, QueryError> {
    let (batches, total) = engine.holding(sink.cancel(), trace, |connected, trace| {
        let batches = captured(engine, connected, definition, trace)?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        let is_full = rows > definition.limit as usize;
        let total = if is_full { Some(engine.count(connected, definition, trace)?) } else { None };
        Ok((batches, total))
    })?;
    if total.is_some() {
        sink.next_page(&next(engine, definition));
    }
    write(engine, definition, format, Shaping::Maps, &batches, total, sink)
}

/// How batches become an ordered window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shaping {
    Maps,
    Lease,
}

/// Owned batches to the bytes of the answer.
fn write(
    engine: &Engine,
    definition: &Definition,
    format: Format,
    shaping: Shaping,
    batches: &[RecordBatch],
    total: Option<u64>,
    sink: &mut dyn Sink,
) -> Result<Answered, QueryError> {
    let names = definition.names();
    let limit = definition.limit as usize;
    let count = batches.len() as u64;
    let has_more = batches.iter().map(RecordBatch::num_rows).sum::<usize>() > limit;
    // The direct path has said so in its head.
    let cursor = (has_more && total.is_none()).then(|| next(engine, definition));
    let rows = match format {
        Format::Arrow => {
            let projection = match shaping {
                Shaping::Maps => project::project(&window(&names, batches, limit)?),
                Shaping::Lease => LeaseFrame::of(&names, batches)?.project(limit)?,
            };
            string_ipc::write(&projection, sink)?;
            projection.rows.len()
        }
        Format::Json => {
            let window = match shaping {
                Shaping::Maps => window(&names, batches, limit)?,
                Shaping::Lease => LeaseFrame::of(&names, batches)?.window(limit)?,
            };
            let last = (!has_more).then(|| definition.offset + window.rows.len() as u64);
            let envelope = Envelope::of(definition.visual, &window, total.or(last))?;
            serde_json::to_writer(sink, &envelope)?;
            envelope.rows()
        }
    };
    Ok(Answered { rows: rows as u64, batches: count, cursor })
}

/// Rows, maps twice, normal form, ordered frame.
fn window(names: &[String], batches: &[RecordBatch], limit: usize) -> Result<Window, QueryError> {
    let result = rows::name_values(names, decode::decode(batches)?);
    let mut maps = rows::copy(&result);
    rows::normalise(&mut maps);
    Ok(Frame::ordered(names, maps)?.window(0, limit))
}
