//! An Arrow IPC stream of strings.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatchOptions, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;

use super::project::Projection;

/// Writes the projection as an Arrow IPC stream: every field is a string and never null, and all rows are one batch.
///
/// # Errors
///
/// A column whose text is more than 2 GiB, or `output` can't be written.
///
/// # Panics
///
/// If a row has fewer cells than there are names.
pub fn write(projection: &Projection, output: impl Write) -> Result<(), ArrowError> {
    let Projection { names, rows } = projection;
    let fields: Vec<Field> = names.iter().map(|name| Field::new(name, DataType::Utf8, false)).collect();
    let columns = (0..names.len()).map(|c| column(rows, c)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?;

    let mut writer = StreamWriter::try_new(output, batch.schema_ref())?;
    writer.write(&batch)?;
    writer.finish()
}

fn column(rows: &[Vec<String>], c: usize) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row[c])))
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::ipc::reader::StreamReader;

    use super::*;

    fn read(projection: &Projection) -> RecordBatch {
        let mut bytes = Vec::new();
        write(projection, &mut bytes).unwrap();
        StreamReader::try_new(bytes.as_slice(), None).unwrap().next().unwrap().unwrap()
    }

    #[test]
    fn strings_come_back() {
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let rows = vec![vec!["1".to_owned(), String::new()], vec!["2".to_owned(), "x".to_owned()]];
        let batch = read(&Projection { names, rows });
        assert!(batch.schema().fields().iter().all(|field| !field.is_nullable()));
        assert_eq!(batch.column(0).as_string::<i32>(), &StringArray::from(vec!["1", "2"]));
        assert_eq!(batch.column(1).as_string::<i32>(), &StringArray::from(vec!["", "x"]));
    }

    #[test]
    fn without_rows_the_names_stay() {
        let batch = read(&Projection { names: vec!["a".to_owned()], rows: Vec::new() });
        assert_eq!((batch.num_rows(), batch.schema().field(0).name().as_str()), (0, "a"));
    }
}
