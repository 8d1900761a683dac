//! Parquet, a row group at a time.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::{Output, names};

/// Rows of a row group, which are in memory until it is full.
const GROUP: usize = 1 << 18;

/// Writes a Parquet file.
pub struct Parquet<W: Write + Send> {
    out: Option<W>,
    writer: Option<(SchemaRef, ArrowWriter<W>)>,
}

impl<W: Write + Send> Parquet<W> {
    /// Writes to `out`.
    pub const fn new(out: W) -> Self {
        Self { out: Some(out), writer: None }
    }
}

impl<W: Write + Send> Output for Parquet<W> {
    fn begin(&mut self, schema: &Schema) -> io::Result<()> {
        let renamed = schema.fields().iter().zip(names(schema));
        let fields: Vec<Field> = renamed.map(|(field, name)| field.as_ref().clone().with_name(name)).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(GROUP))
            .build();
        let Some(out) = self.out.take() else { return Err(io::Error::other("it has begun")) };
        let schema = Arc::new(Schema::new(fields));
        let writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties)).map_err(wrong)?;
        self.writer = Some((schema, writer));
        Ok(())
    }

    fn rows(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let Some((schema, writer)) = &mut self.writer else { return Err(io::Error::other("it has not begun")) };
        let batch = RecordBatch::try_new(Arc::clone(schema), batch.columns().to_vec()).map_err(super::wrong)?;
        writer.write(&batch).map_err(wrong)
    }

    fn end(&mut self) -> io::Result<()> {
        self.writer.take().map_or(Ok(()), |(_, writer)| writer.close().map(drop).map_err(wrong))
    }
}

fn wrong(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}
