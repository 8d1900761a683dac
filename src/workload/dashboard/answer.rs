//! Reading an answer back, trusting nothing about it.

use std::any::Any;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::StreamReader;
use arrow::record_batch::RecordBatch;

use super::request::Format;
use crate::digest::sha256;
use crate::fixture;
use crate::workload::WorkloadError;

/// An answer that was read.
#[derive(Debug)]
pub struct Decoded {
    /// All rows in one batch.
    pub table: RecordBatch,
    /// The batches that they came in.
    pub batches: usize,
}

/// Reads the bytes of an answer: one Arrow IPC stream, from its schema to its end marker, and nothing after it.
///
/// # Errors
///
/// Bytes that are no such stream, with what is wrong with them.
pub fn decode(body: &[u8]) -> Result<Decoded, WorkloadError> {
    // Arrow's reader checks much, but may still panic on what nobody wrote.
    catch_unwind(AssertUnwindSafe(|| read(body)))
        .unwrap_or_else(|panic| Err(format!("Arrow's reader gave up: {}", reason(&*panic))))
        .map_err(|what| {
            WorkloadError::Answer(format!("the answer of {} bytes is no whole Arrow IPC stream: {what}", body.len()))
        })
}

fn read(body: &[u8]) -> Result<Decoded, String> {
    let mut bytes = Bytes { rest: body, overrun: false };
    let reader = StreamReader::try_new(&mut bytes, None).map_err(|error| error.to_string())?;
    let schema: SchemaRef = reader.schema();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    if bytes.overrun {
        return Err("it stops without its end marker".to_owned());
    }
    if !bytes.rest.is_empty() {
        return Err(format!("{} bytes stand after its end", bytes.rest.len()));
    }
    let table = concat_batches(&schema, &batches).map_err(|error| error.to_string())?;
    Ok(Decoded { table, batches: batches.len() })
}

/// The bytes still to be read, and whether somebody wanted more: the reader takes a stream that just stops
/// between two batches for a whole one.
struct Bytes<'a> {
    rest: &'a [u8],
    overrun: bool,
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.overrun |= self.rest.is_empty() && !buffer.is_empty();
        self.rest.read(buffer)
    }
}

fn reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given")
}

/// A digest of the answer that is equal for equal names, types, nullability, rows, values and nulls. Of an Arrow stream,
/// however its rows are cut into batches, that of its canonical form ([`fixture::digest`]); of JSON that of its bytes.
///
/// # Errors
///
/// An answer that can't be read.
pub fn digest(format: Format, body: &[u8]) -> Result<String, WorkloadError> {
    match format {
        Format::Arrow => Ok(fixture::digest(&decode(body)?.table)?),
        Format::Json => Ok(sha256(body)),
    }
}

#[cfg(test)]
mod tests {
    use arrow::ipc::writer::StreamWriter;
    use proptest::prelude::*;

    use super::*;

    fn stream(batches: &[RecordBatch]) -> Vec<u8> {
        let mut writer = StreamWriter::try_new(Vec::new(), batches[0].schema_ref()).unwrap();
        for batch in batches {
            writer.write(batch).unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn table() -> RecordBatch {
        fixture::generate("arrow-wide-50", 13).unwrap()
    }

    fn failure(body: &[u8]) -> String {
        decode(body).unwrap_err().to_string()
    }

    #[test]
    fn a_whole_stream_is_read_whole() {
        let decoded = decode(&stream(&[table().slice(0, 20), table().slice(20, 30)])).unwrap();
        assert_eq!((decoded.table, decoded.batches), (table(), 2));
    }

    #[test]
    fn a_stream_that_stops_early_is_refused() {
        let body = stream(&[table().slice(0, 20), table().slice(20, 30)]);
        let one = stream(&[table().slice(0, 20)]);
        assert!(failure(&body[..body.len() - 8]).contains("without its end marker"));
        assert!(failure(&body[..one.len() - 8]).contains("without its end marker"));
        assert!(failure(&body[..body.len() - 1]).contains("no whole Arrow IPC stream"));
        assert!(failure(&[]).contains("of 0 bytes"));
    }

    #[test]
    fn bytes_after_the_end_are_refused() {
        let mut body = stream(&[table()]);
        body.extend([0; 3]);
        assert!(failure(&body).contains("3 bytes stand after its end"));
    }

    #[test]
    fn garbage_is_refused() {
        assert!(failure(b"{\"error\": \"no such table\"}").contains("no whole Arrow IPC stream"));
        assert!(failure(&[0xff; 64]).contains("no whole Arrow IPC stream"));
    }

    proptest! {
        #[test]
        fn what_is_damaged_never_panics(at in 0_usize..8_000, with: u8, cut in 0_usize..8_000) {
            let mut body = stream(&[table()]);
            let at = at % body.len();
            body[at] = with;
            let _ = decode(&body);
            let _ = decode(&body[..cut % body.len()]);
        }

        #[test]
        fn the_digest_does_not_depend_on_batches(cuts in prop::collection::vec(0_usize..=50, 0..6)) {
            let mut cuts = cuts;
            cuts.extend([0, 50]);
            cuts.sort_unstable();
            let pieces: Vec<RecordBatch> =
                cuts.windows(2).map(|cut| table().slice(cut[0], cut[1] - cut[0])).collect();
            prop_assert_eq!(digest(Format::Arrow, &stream(&pieces)).unwrap(), digest(Format::Arrow, &stream(&[table()])).unwrap());
        }

        #[test]
        fn the_digest_depends_on_every_row(gone in 0_usize..50) {
            let pieces = [table().slice(0, gone), table().slice(gone + 1, 49 - gone)];
            prop_assert_ne!(digest(Format::Arrow, &stream(&pieces)).unwrap(), digest(Format::Arrow, &stream(&[table()])).unwrap());
        }
    }
}
