//! An Arrow IPC stream of batches as they come, in their own types.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use super::capture::copy;

/// Writes batches, each as it comes, to an Arrow IPC stream.
///
/// Nothing is copied but dictionary columns, keys and values: the stream's writer keeps the last ones until the stream
/// ends, and so would keep what a producer wants back after every batch.
pub struct NativeWriter<W: Write> {
    writer: StreamWriter<W>,
    schema: SchemaRef,
    dictionaries: Vec<usize>,
}

impl<W: Write> NativeWriter<W> {
    /// Begins a stream with this schema.
    ///
    /// # Errors
    ///
    /// A schema that has no IPC form, or `output` can't be written.
    pub fn new(schema: SchemaRef, output: W) -> Result<Self, ArrowError> {
        let dictionaries = (0..schema.fields().len())
            .filter(|&c| matches!(schema.field(c).data_type(), DataType::Dictionary(..)))
            .collect();
        Ok(Self { writer: StreamWriter::try_new(output, &schema)?, schema, dictionaries })
    }

    /// Writes a batch, under the names and the nullability of the stream's schema.
    ///
    /// # Errors
    ///
    /// A batch with other types, or with a null where the schema says that there is none.
    pub fn write(&mut self, batch: RecordBatch) -> Result<(), ArrowError> {
        let (_, mut arrays, rows) = batch.into_parts();
        for &c in &self.dictionaries {
            arrays[c] = owned(&arrays[c])?;
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?;
        self.writer.write(&batch)
    }

    /// Ends the stream.
    ///
    /// # Errors
    ///
    /// The output can't be written.
    pub fn finish(mut self) -> Result<(), ArrowError> {
        self.writer.finish()
    }
}

/// The dictionary column with keys and values of its own.
fn owned(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let keys = copy(array)?;
    match keys.as_any_dictionary_opt() {
        Some(dictionary) => Ok(dictionary.with_values(copy(dictionary.values())?)),
        None => Ok(keys),
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, ArrayData, Date64Array, DictionaryArray, TimestampNanosecondArray};
    use arrow::buffer::Buffer;
    use arrow::datatypes::{Field, Int32Type, Schema};
    use arrow::ipc::reader::StreamReader;

    use super::*;
    use crate::fixture;

    fn written(batches: &[RecordBatch], schema: SchemaRef) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = NativeWriter::new(schema, &mut bytes).unwrap();
        for batch in batches {
            writer.write(batch.clone()).unwrap();
        }
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn batches_come_back_as_they_were() {
        let table = fixture::generate("arrow-wide-999", 13).unwrap();
        let batches = [table.slice(0, 400), table.slice(400, 599)];
        let written = written(&batches, table.schema());
        let reader = StreamReader::try_new(written.as_slice(), None).unwrap();
        assert_eq!(reader.schema(), table.schema());
        let read: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
        assert_eq!(read, batches);
    }

    /// What DuckDB has no type for; the others are held to real DuckDB by the check `type-fidelity`.
    #[test]
    fn what_arrow_alone_has_comes_back_too() {
        let days: ArrayRef = Arc::new(Date64Array::from(vec![Some(-86_400_000), None, Some(4_102_444_800_000)]));
        let zoned: ArrayRef = Arc::new(
            TimestampNanosecondArray::from(vec![Some(i64::MIN), None, Some(i64::MAX)]).with_timezone("+02:00"),
        );
        let keys: DictionaryArray<Int32Type> = [Some("b"), None, Some("a")].into_iter().collect();
        let keys: ArrayRef = Arc::new(keys);
        let table =
            RecordBatch::try_from_iter_with_nullable([("day", days, true), ("at", zoned, true), ("key", keys, true)])
                .unwrap();
        let written = written(std::slice::from_ref(&table), table.schema());
        let read = StreamReader::try_new(written.as_slice(), None).unwrap().next().unwrap().unwrap();
        assert_eq!(read, table);
    }

    #[test]
    fn without_batches_the_schema_stays() {
        let table = fixture::generate("arrow-wide-1", 13).unwrap();
        let written = written(&[], table.schema());
        let mut reader = StreamReader::try_new(written.as_slice(), None).unwrap();
        assert_eq!(reader.schema(), table.schema());
        assert!(reader.next().is_none());
    }

    #[test]
    fn a_null_where_the_schema_promises_none_is_refused() {
        let table = fixture::generate("arrow-narrow-50", 13).unwrap();
        let promised: Vec<Field> =
            table.schema().fields().iter().map(|field| field.as_ref().clone().with_nullable(false)).collect();
        let mut writer = NativeWriter::new(Arc::new(Schema::new(promised)), Vec::new()).unwrap();
        let error = writer.write(table).unwrap_err().to_string();
        assert!(error.contains("non-nullable but contains null"), "{error}");
    }

    /// Every buffer of the batch, so that it can be seen who holds them.
    fn buffers(data: &ArrayData) -> Vec<Buffer> {
        let own = data.buffers().iter().cloned().chain(data.nulls().map(|nulls| nulls.buffer().clone()));
        own.chain(data.child_data().iter().flat_map(buffers)).collect()
    }

    /// A copy of the table that owns its bytes, as a producer makes it.
    fn produced(table: &RecordBatch) -> RecordBatch {
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, table.schema_ref()).unwrap();
        writer.write(table).unwrap();
        writer.finish().unwrap();
        let read = StreamReader::try_new(bytes.as_slice(), None).unwrap().next().unwrap().unwrap();
        let columns = read.columns().iter().map(|column| owned(column).unwrap()).collect();
        RecordBatch::try_new(table.schema(), columns).unwrap()
    }

    #[test]
    fn the_producer_has_every_byte_back_while_the_stream_is_open() {
        let table = fixture::generate("arrow-wide-50", 13).unwrap();
        let mut bytes = Vec::new();
        let mut writer = NativeWriter::new(table.schema(), &mut bytes).unwrap();
        for _ in 0..2 {
            let batch = produced(&table);
            let known: Vec<Buffer> = batch.columns().iter().flat_map(|column| buffers(&column.to_data())).collect();
            assert!(known.len() > 60, "{}", known.len());
            writer.write(batch).unwrap();
            // Only this test holds them still.
            let held = known.iter().filter(|buffer| buffer.strong_count() > 1).count();
            assert_eq!(held, 0, "the writer holds buffers of the producer");
        }
        writer.finish().unwrap();
        let read: Vec<RecordBatch> =
            StreamReader::try_new(bytes.as_slice(), None).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(read, [table.clone(), table]);
    }
}
