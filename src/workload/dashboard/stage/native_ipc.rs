//! An Arrow IPC stream of batches as they come, in their own types.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;

use super::capture::copy;
use crate::workload::WorkloadError;

/// A stream that was written.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    /// Its bytes.
    pub body: Vec<u8>,
    /// The rows in it.
    pub rows: u64,
    /// The batches that came.
    pub batches: u64,
}

/// Writes the batches, each as it comes, to an Arrow IPC stream.
///
/// Nothing is copied but the values of dictionaries: the writer keeps the last ones until the stream ends,
/// and so would keep what a producer wants back after every batch.
///
/// # Errors
///
/// The first error of a batch, or a batch that does not have this schema.
pub fn write<E>(
    schema: &Schema,
    batches: impl IntoIterator<Item = Result<RecordBatch, E>>,
) -> Result<Written, WorkloadError>
where
    WorkloadError: From<E>,
{
    let dictionaries: Vec<usize> = (0..schema.fields().len())
        .filter(|&c| matches!(schema.field(c).data_type(), DataType::Dictionary(..)))
        .collect();
    let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
    let (mut rows, mut count) = (0, 0);
    for batch in batches {
        let batch = own_dictionaries(batch?, &dictionaries)?;
        writer.write(&batch)?;
        rows += batch.num_rows() as u64;
        count += 1;
    }
    Ok(Written { body: writer.into_inner()?, rows, batches: count })
}

/// The batch, with dictionaries whose values are its own.
fn own_dictionaries(batch: RecordBatch, columns: &[usize]) -> Result<RecordBatch, ArrowError> {
    if columns.is_empty() {
        return Ok(batch);
    }
    let (schema, mut arrays, _) = batch.into_parts();
    for &c in columns {
        arrays[c] = own_values(&arrays[c])?;
    }
    RecordBatch::try_new(schema, arrays)
}

fn own_values(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.as_any_dictionary_opt() {
        Some(dictionary) => Ok(dictionary.with_values(copy(dictionary.values())?)),
        None => Ok(Arc::clone(array)),
    }
}

#[cfg(test)]
mod tests {
    use arrow::ipc::reader::StreamReader;

    use super::*;
    use crate::fixture;

    fn written(batches: &[RecordBatch], schema: &Schema) -> Written {
        write(schema, batches.iter().cloned().map(Ok::<_, ArrowError>)).unwrap()
    }

    #[test]
    fn batches_come_back_as_they_were() {
        let table = fixture::generate("arrow-wide-999", 13).unwrap();
        let batches = [table.slice(0, 400), table.slice(400, 599)];
        let written = written(&batches, &table.schema());
        assert_eq!((written.rows, written.batches), (999, 2));
        let reader = StreamReader::try_new(written.body.as_slice(), None).unwrap();
        assert_eq!(reader.schema(), table.schema());
        let read: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
        assert_eq!(read, batches);
    }

    #[test]
    fn without_batches_the_schema_stays() {
        let table = fixture::generate("arrow-wide-1", 13).unwrap();
        let written = written(&[], &table.schema());
        let mut reader = StreamReader::try_new(written.body.as_slice(), None).unwrap();
        assert_eq!(reader.schema(), table.schema());
        assert!(reader.next().is_none());
    }

    #[test]
    fn an_error_among_the_batches_ends_the_stream() {
        let table = fixture::generate("arrow-narrow-1", 13).unwrap();
        let batches = [Ok(table.clone()), Err(ArrowError::ComputeError("lost".to_owned()))];
        let error = write(&table.schema(), batches).unwrap_err().to_string();
        assert!(error.contains("lost"), "{error}");
    }

    #[test]
    fn the_producers_dictionary_is_free_once_its_batch_is_written() {
        let table = fixture::generate("arrow-wide-50", 13).unwrap();
        let text = table.column(8).as_any_dictionary().values().to_data().buffers()[1].clone();
        let schema = table.schema();
        let mut holders = 0;
        let batches = std::iter::once(Ok::<_, ArrowError>(table)).chain(std::iter::from_fn(|| {
            holders = text.strong_count();
            None
        }));
        write(&schema, batches).unwrap();
        assert_eq!(holders, 1, "the writer holds the producer's dictionary");
    }
}
