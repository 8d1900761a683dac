//! The lanes that measure a piece of a path: the serialisers over retained values, and the stages one by one.
//!
//! No request is governed and no query runs. What a piece takes is made outside of the timing.

use std::time::Duration;

use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;

use super::answer;
use super::bench::{Dashboard, Subject};
use super::cache::{Cache, Key, Lookup};
use super::definition::{Definition, first_page};
use super::engine::Table;
use super::error::QueryError;
use super::governor::{ANALYST, Governor};
use super::lane::Lane;
use super::request::Format;
use super::stage::envelope::Envelope;
use super::stage::frame::{Frame, Window};
use super::stage::native_ipc::NativeWriter;
use super::stage::rows::RowMap;
use super::stage::{capture, decode, project, rows, string_ipc};
use super::trace::Trace;
use crate::digest::sha256;
use crate::fixture::{self, Family, Name};
use crate::workload::{Bench, Counters, Response, Setup, WorkloadError};

/// Opens the piece called `lane`; `None` where it is no piece.
///
/// # Errors
///
/// A stage that there isn't, or a fixture that can't be made.
pub(super) fn open(lane: &str, subject: Subject, setup: &Setup) -> Result<Option<Box<dyn Bench>>, WorkloadError> {
    let retained = || -> Result<Vec<RecordBatch>, WorkloadError> { table(Family::Orders, subject.table, setup) };
    Ok(Some(match lane {
        "string-ipc" => Piece::open(windowed(&retained()?)?, None, |window| strings(&project::project(window)))?,
        "native-ipc" => Piece::open(retained()?, None, |batches| native(batches))?,
        "stage:end-to-end" => Box::new(Dashboard::open(Lane::named("api-direct")?, subject, setup)?),
        _ => match lane.strip_prefix("stage:") {
            Some(stage) => open_stage(stage, lane, subject, setup)?,
            None => return Ok(None),
        },
    }))
}

fn table(family: Family, table: Table, setup: &Setup) -> Result<Vec<RecordBatch>, WorkloadError> {
    let name = Name { family, shape: table.shape, rows: table.rows }.to_string();
    Ok(vec![fixture::generate(&name, setup.null_period)?])
}

fn open_stage(stage: &str, lane: &str, subject: Subject, setup: &Setup) -> Result<Box<dyn Bench>, WorkloadError> {
    let batches = table(Family::Arrow, subject.table, setup)?;
    let names = names(&batches);
    let dictionaries = |wanted: bool| -> Result<RecordBatch, WorkloadError> {
        let batch = &batches[0];
        let is_wanted = |c: &usize| matches!(batch.column(*c).data_type(), DataType::Dictionary(..)) == wanted;
        Ok(batch.project(&(0..batch.num_columns()).filter(is_wanted).collect::<Vec<_>>())?)
    };
    match stage {
        "capture-scalars" => Piece::open(dictionaries(false)?, None, |batch| Ok(capture::capture(batch)?)),
        "capture-dictionaries" => Piece::open(dictionaries(true)?, None, |batch| Ok(capture::capture(batch)?)),
        "decode-rows" => Piece::open(batches, None, |batches| decode::decode(batches)),
        "datum-maps" => Piece::open((names, decode::decode(&batches)?), Some(Clone::clone), |(names, decoded)| {
            let result = rows::name_values(names, std::mem::take(decoded));
            let mut maps = rows::copy(&result);
            rows::normalise(&mut maps);
            Ok(maps)
        }),
        "normalise" => Piece::open(rows::name_values(&names, decode::decode(&batches)?), Some(Clone::clone), |maps| {
            rows::normalise(maps);
            Ok(std::mem::take(maps))
        }),
        "row-shaping" => {
            Piece::open((names.clone(), normal(&names, &batches)?), Some(Clone::clone), |(names, maps)| {
                Ok(Frame::ordered(names, std::mem::take(maps))?.rows)
            })
        }
        "ordered-frame" => {
            Piece::open((names.clone(), normal(&names, &batches)?), Some(Clone::clone), |(names, maps)| {
                Ok(Frame::ordered(names, std::mem::take(maps))?.window(0, usize::MAX))
            })
        }
        "frame-clone" => Piece::open(windowed(&batches)?, None, |window| Ok(window.clone())),
        "string-projection" => Piece::open(windowed(&batches)?, None, |window| Ok(project::project(window))),
        "string-ipc" => Piece::open(project::project(&windowed(&batches)?), None, |projection| strings(projection)),
        "native-ipc" => Piece::open(batches, None, |batches| native(batches)),
        "envelope" => Piece::open((subject.visual, windowed(&batches)?), None, |(visual, window)| {
            Envelope::of(*visual, window, None)
        }),
        "json-response" => Piece::open(Envelope::of(subject.visual, &windowed(&batches)?, None)?, None, |envelope| {
            let bytes = serde_json::to_vec(envelope)?;
            Ok(Body { format: Format::Json, rows: envelope.rows() as u64, bytes })
        }),
        "warm-lookup" => {
            let (cache, key) = kept(subject, batches)?;
            Piece::open((cache, key), None, |(cache, key)| lease(cache, *key))
        }
        _ => Err(WorkloadError::NoSuchLane { suite: super::SUITE, lane: lane.to_owned() }),
    }
}

fn names(batches: &[RecordBatch]) -> Vec<String> {
    batches[0].schema_ref().fields().iter().map(|field| field.name().clone()).collect()
}

fn normal(names: &[String], batches: &[RecordBatch]) -> Result<Vec<RowMap>, QueryError> {
    let mut maps = rows::name_values(names, decode::decode(batches)?);
    rows::normalise(&mut maps);
    Ok(maps)
}

fn windowed(batches: &[RecordBatch]) -> Result<Window, QueryError> {
    let names = names(batches);
    Ok(Frame::ordered(&names, normal(&names, batches)?)?.window(0, usize::MAX))
}

/// The rows and the bytes of a stream of strings.
fn strings(projection: &project::Projection) -> Result<Body, QueryError> {
    let mut body = Vec::new();
    string_ipc::write(projection, &mut body)?;
    Ok(Body { format: Format::Arrow, rows: projection.rows.len() as u64, bytes: body })
}

/// The rows and the bytes of a stream of the batches' own types.
fn native(batches: &[RecordBatch]) -> Result<Body, QueryError> {
    let mut body = Vec::new();
    let mut writer = NativeWriter::new(batches[0].schema(), &mut body)?;
    let mut rows = 0;
    for batch in batches {
        rows += batch.num_rows() as u64;
        writer.write(batch.clone())?;
    }
    writer.finish()?;
    Ok(Body { format: Format::Arrow, rows, bytes: body })
}

/// A cache that has the result of the subject's request, and its key.
fn kept(subject: Subject, batches: Vec<RecordBatch>) -> Result<(Cache, Key), QueryError> {
    let (request, mut trace) = (subject.request(ANALYST), Trace::default());
    let decision = Governor::new().decide(&request, &mut trace)?;
    let first = first_page(&request, &decision, 1);
    let definition = Definition::new(&request, &decision, subject.table.shape, &[], first, 0);
    let cache = Cache::new(u64::MAX);
    match cache.lookup(definition.key, Duration::ZERO, &mut trace)? {
        Lookup::Miss(filling) => drop(filling.fill(batches, &mut trace)),
        Lookup::Hit(_) => {}
    }
    Ok((cache, definition.key))
}

/// Looks a result up and takes a lease of it, which is returned at once.
fn lease(cache: &Cache, key: Key) -> Result<usize, QueryError> {
    match cache.lookup(key, Duration::ZERO, &mut Trace::default())? {
        Lookup::Hit(lease) => Ok(lease.batches().len()),
        Lookup::Miss(_) => Err(QueryError::Answer("the result is not in the cache".to_owned())),
    }
}

/// A piece of a path over an input of its own.
struct Piece<I, O> {
    source: I,
    /// Makes the input of the next operation, where an operation uses it up.
    renew: Option<fn(&I) -> I>,
    run: fn(&mut I) -> Result<O, QueryError>,
    input: Option<I>,
    made: Option<O>,
    rows: u64,
}

impl<I: 'static, O: Made + 'static> Piece<I, O> {
    /// Over this input, which is copied before each operation where there is a way to.
    fn open(
        source: I,
        renew: Option<fn(&I) -> I>,
        run: fn(&mut I) -> Result<O, QueryError>,
    ) -> Result<Box<dyn Bench>, WorkloadError> {
        let mut piece = Self { source, renew, run, input: None, made: None, rows: 0 };
        piece.prepare()?;
        piece.rows = piece.operation(&mut Counters::default())?.rows;
        Ok(Box::new(piece))
    }
}

impl<I, O: Made> Bench for Piece<I, O> {
    fn prepares(&self) -> bool {
        true
    }

    /// What the last operation made goes before the next one is timed.
    fn prepare(&mut self) -> Result<(), WorkloadError> {
        self.made = None;
        self.input = self.renew.map(|renew| renew(&self.source));
        Ok(())
    }

    fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
        let mut made = (self.run)(self.input.as_mut().unwrap_or(&mut self.source))?;
        let (rows, format, body) = (made.rows(), made.format(), made.take_body());
        Trace::default().report(counters, format, body.len());
        self.made = Some(made);
        Ok(Response { rows, body, wall_ns: None })
    }

    fn expected_rows(&self) -> u64 {
        self.rows
    }

    /// The digest of an answer's bytes, or of what the last operation made.
    fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
        match &self.made {
            Some(made) => made.digest(&response.body),
            None => Err(WorkloadError::Answer("nothing was made".to_owned())),
        }
    }
}

/// What a piece makes.
trait Made {
    fn rows(&self) -> u64;
    /// The digest of it, whose bytes were taken where it is an answer.
    fn digest(&self, body: &[u8]) -> Result<String, WorkloadError>;

    /// Its bytes, where it is an answer.
    fn take_body(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn format(&self) -> Format {
        Format::Json
    }
}

/// The bytes of an answer, their form and rows.
struct Body {
    format: Format,
    rows: u64,
    bytes: Vec<u8>,
}

impl Made for Body {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn digest(&self, body: &[u8]) -> Result<String, WorkloadError> {
        answer::digest(self.format, body)
    }

    fn take_body(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    fn format(&self) -> Format {
        self.format
    }
}

impl Made for RecordBatch {
    fn rows(&self) -> u64 {
        self.num_rows() as u64
    }

    fn digest(&self, _: &[u8]) -> Result<String, WorkloadError> {
        Ok(fixture::digest(self)?)
    }
}

/// Digested as it is shown to programmers, which says all of it.
macro_rules! shown {
    ($($made:ty => $rows:expr),* $(,)?) => {$(
        impl Made for $made {
            fn rows(&self) -> u64 {
                let rows: fn(&$made) -> usize = $rows;
                rows(self) as u64
            }

            fn digest(&self, _: &[u8]) -> Result<String, WorkloadError> {
                Ok(sha256(format!("{self:?}").as_bytes()))
            }
        }
    )*};
}

shown! {
    Vec<decode::Row> => Vec::len,
    Vec<RowMap> => Vec::len,
    Window => |window| window.rows.len(),
    project::Projection => |projection| projection.rows.len(),
    Envelope => Envelope::rows,
    usize => |count| *count,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Shape;
    use crate::workload::catalogue::DASHBOARD;

    const SETUP: Setup = Setup { seed: 0, null_period: 13, threads: 1 };

    #[test]
    fn every_piece_of_the_catalogue_opens_and_makes_the_same_again() {
        let pieces = DASHBOARD.lanes.iter().map(|lane| lane.name);
        let pieces: Vec<&str> =
            pieces.filter(|lane| lane.starts_with("stage:") || ["string-ipc", "native-ipc"].contains(lane)).collect();
        assert_eq!(pieces.len(), 17);
        let subject = Subject::detail(Table { shape: Shape::Wide, rows: 50 });
        for lane in pieces {
            let mut piece = open(lane, subject, &SETUP).unwrap().unwrap();
            let mut digests = Vec::new();
            for _ in 0..2 {
                piece.prepare().unwrap();
                let response = piece.operation(&mut Counters::default()).unwrap();
                assert_eq!(response.rows, piece.expected_rows(), "{lane}");
                assert_eq!(response.rows, if lane == "stage:warm-lookup" { 1 } else { 50 }, "{lane}");
                digests.push(piece.digest(&response).unwrap());
            }
            assert_eq!(digests[0], digests[1], "{lane}");
        }
    }

    #[test]
    fn what_is_no_piece_is_left_to_others() {
        let subject = Subject::detail(Table { shape: Shape::Narrow, rows: 1 });
        assert!(open("native-v1", subject, &SETUP).unwrap().is_none());
        let error = open("stage:beauty", subject, &SETUP).err().unwrap().to_string();
        assert_eq!(error, "suite `dashboard` has no lane `stage:beauty`");
    }
}
