//! Copying borrowed batches into batches that own every byte.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, MutableArrayData, make_array};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;

/// The batch, with no byte shared with `batch`.
///
/// Scalar columns are copied buffer by buffer. Dictionary columns make a round trip through Arrow IPC,
/// which gives them keys and values of their own.
///
/// # Errors
///
/// A type that Arrow can't copy or write.
pub fn capture(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let dictionaries = through_ipc(batch)?;
    let mut dictionaries = dictionaries.iter().flat_map(RecordBatch::columns);
    let columns = batch
        .columns()
        .iter()
        .map(|column| match column.data_type() {
            DataType::Dictionary(..) => dictionaries
                .next()
                .map(Arc::clone)
                .ok_or_else(|| ArrowError::IpcError("a dictionary column got lost on its round trip".to_owned())),
            _ => copy(column),
        })
        .collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new(batch.schema(), columns)
}

/// The array, with buffers of its own.
pub(super) fn copy(array: &dyn Array) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    let mut copy = MutableArrayData::try_new(vec![&data], false, data.len())?;
    copy.try_extend(0, 0, data.len())?;
    Ok(make_array(copy.freeze()))
}

/// The dictionary columns of the batch, written and read again; `None` where there are none.
fn through_ipc(batch: &RecordBatch) -> Result<Option<RecordBatch>, ArrowError> {
    let schema = batch.schema();
    let dictionaries: Vec<usize> =
        (0..batch.num_columns()).filter(|&c| matches!(schema.field(c).data_type(), DataType::Dictionary(..))).collect();
    if dictionaries.is_empty() {
        return Ok(None);
    }
    let part = batch.project(&dictionaries)?;
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &part.schema())?;
    writer.write(&part)?;
    writer.finish()?;
    StreamReader::try_new(bytes.as_slice(), None)?.next().transpose()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use arrow::array::ArrayData;
    use arrow::buffer::NullBuffer;

    use super::*;
    use crate::fixture;

    fn buffers(data: &ArrayData, into: &mut BTreeSet<usize>) {
        let nulls = data.nulls().map(NullBuffer::buffer);
        let filled = data.buffers().iter().chain(nulls).filter(|buffer| !buffer.is_empty());
        into.extend(filled.map(|buffer| buffer.as_ptr() as usize));
        for child in data.child_data() {
            buffers(child, into);
        }
    }

    #[test]
    fn a_captured_batch_is_equal_and_shares_no_buffer() {
        let batch = fixture::generate("arrow-wide-50", 13).unwrap();
        let owned = capture(&batch).unwrap();
        assert_eq!(owned, batch);
        for (column, copied) in batch.columns().iter().zip(owned.columns()) {
            let (mut theirs, mut ours) = (BTreeSet::new(), BTreeSet::new());
            buffers(&column.to_data(), &mut theirs);
            buffers(&copied.to_data(), &mut ours);
            assert!(theirs.is_disjoint(&ours), "{}", column.data_type());
        }
    }

    #[test]
    fn a_slice_is_captured_as_its_rows() {
        let batch = fixture::generate("arrow-wide-50", 13).unwrap().slice(7, 20);
        assert_eq!(capture(&batch).unwrap(), batch);
    }

    #[test]
    fn an_empty_batch_stays_empty() {
        let batch = fixture::generate("arrow-wide-0", 13).unwrap();
        assert_eq!(capture(&batch).unwrap(), batch);
    }
}
