//! The defect of `fault:drop-null`: a null that is answered as a value.

use arrow::array::{Array, ArrayRef, BooleanBufferBuilder, make_array};
use arrow::buffer::NullBuffer;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

/// The batch with its first null, in the first column that has one, answered as the value that lies under it.
///
/// # Errors
///
/// What lies under the null is no value of the column's type.
pub fn drop_null(batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let Some(c) = batch.columns().iter().position(|column| column.null_count() > 0) else {
        return Ok(batch);
    };
    let (schema, mut columns, _) = batch.into_parts();
    columns[c] = without_first_null(&columns[c])?;
    RecordBatch::try_new(schema, columns)
}

fn without_first_null(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let data = column.to_data();
    let Some(nulls) = data.nulls() else {
        return Ok(column.clone());
    };
    let mut bits = BooleanBufferBuilder::new(nulls.len());
    bits.append_buffer(nulls.inner());
    if let Some(row) = (0..nulls.len()).find(|&row| nulls.is_null(row)) {
        bits.set_bit(row, true);
    }
    let nulls = NullBuffer::new(bits.finish());
    Ok(make_array(data.into_builder().nulls(Some(nulls)).build()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn one_null_less_and_everything_else_the_same() {
        let batch = fixture::generate("orders-wide-50", 13).unwrap();
        let faulty = drop_null(batch.clone()).unwrap();
        // Column 2 is the first that may hold nulls, and its first null is in row 11.
        assert!(batch.column(2).is_null(11) && faulty.column(2).is_valid(11));
        assert_eq!(faulty.column(2).null_count() + 1, batch.column(2).null_count());
        for c in (0..32).filter(|&c| c != 2) {
            assert_eq!(faulty.column(c), batch.column(c));
        }
        assert_eq!(faulty.column(2).slice(0, 11).as_ref(), batch.column(2).slice(0, 11).as_ref());
        assert_eq!(faulty.column(2).slice(12, 38).as_ref(), batch.column(2).slice(12, 38).as_ref());
    }

    #[test]
    fn the_only_null_can_go() {
        let batch = fixture::generate("orders-wide-1", 13).unwrap();
        let faulty = drop_null(batch.clone()).unwrap();
        let nulls = |batch: &RecordBatch| -> usize { batch.columns().iter().map(Array::null_count).sum() };
        assert_eq!((nulls(&batch), nulls(&faulty)), (1, 0));
    }

    #[test]
    fn a_batch_without_nulls_stays_as_it_is() {
        let batch = fixture::generate("orders-narrow-1", 13).unwrap();
        assert_eq!(drop_null(batch.clone()).unwrap(), batch);
    }
}
