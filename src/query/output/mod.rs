//! How what was found is written: batch by batch, as it comes.

mod csv;
mod json;
mod parquet;
mod terminal;

use std::io;
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

pub use csv::Csv;
pub use json::{Json, JsonLines};
pub use parquet::Parquet;
pub use terminal::Terminal;

/// Takes what a statement finds.
pub trait Output {
    /// The columns; called once, and first.
    ///
    /// # Errors
    ///
    /// A writer that does not take it, or a format that can't hold such columns.
    fn begin(&mut self, schema: &Schema) -> io::Result<()>;

    /// Some rows.
    ///
    /// # Errors
    ///
    /// A writer that does not take them, or values that the format can't hold.
    fn rows(&mut self, batch: &RecordBatch) -> io::Result<()>;

    /// That there are no more rows; called once, and last.
    ///
    /// # Errors
    ///
    /// A writer that does not take it.
    fn end(&mut self) -> io::Result<()>;
}

/// The batch with each moment's zone as an offset: DuckDB says `UTC`, and names of zones are not known here.
pub(super) fn with_offsets(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let (mut field, mut column) = (Field::clone(field), Arc::clone(column));
        if let DataType::Timestamp(unit, Some(_)) = column.data_type() {
            let kind = DataType::Timestamp(*unit, Some("+00:00".into()));
            column = cast(&column, &kind)?;
            field = field.with_data_type(kind);
        }
        fields.push(field);
        columns.push(column);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// The values of a column as text, an absent one as none.
fn texts(column: &dyn Array) -> io::Result<ArrayFormatter<'_>> {
    ArrayFormatter::try_new(column, &FormatOptions::new().with_display_error(false)).map_err(wrong)
}

/// Whether there is no value. A column of nothing but NULLs has a type of its own.
fn is_absent(column: &dyn Array, row: usize) -> bool {
    column.is_null(row) || *column.data_type() == DataType::Null
}

fn wrong(error: ArrowError) -> io::Error {
    io::Error::other(error)
}

/// The names of the columns, each once: a name that was there before gets a number, as in `run_1`.
fn names(schema: &Schema) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for field in schema.fields() {
        let numbered = (1..).map(|number| format!("{}_{number}", field.name()));
        let name = std::iter::once(field.name().clone()).chain(numbered).find(|name| !names.contains(name));
        names.extend(name);
    }
    names
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use arrow::array::{
        ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int64Array, ListArray, StringArray,
        TimestampMicrosecondArray, new_null_array,
    };
    use arrow::datatypes::{Field, Int64Type};

    use super::*;

    /// Two rows of every kind that a view has, a sum of whole numbers as DuckDB gives it, and a column of NULLs.
    pub(in crate::query) fn batch() -> RecordBatch {
        let sum = Decimal128Array::from(vec![Some(170_141_183_460_469_231), None]).with_precision_and_scale(38, 0);
        let lists = vec![Some(vec![Some(1), None]), None];
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", Arc::new(StringArray::from(vec![Some("a, \"b\"\n\u{1b}c"), Some("")]))),
            ("whole", Arc::new(Int64Array::from(vec![Some(9_007_199_254_740_993), None]))),
            ("real", Arc::new(Float64Array::from(vec![Some(0.1), Some(f64::NAN)]))),
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None]))),
            ("time", Arc::new(TimestampMicrosecondArray::from(vec![Some(1_500_000), None]))),
            ("sum", Arc::new(sum.unwrap())),
            ("none", new_null_array(&DataType::Null, 2)),
            ("list", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    /// What `output` makes of [`batch`].
    pub(in crate::query) fn written(output: &mut dyn Output) {
        let batch = batch();
        output.begin(&batch.schema()).unwrap();
        output.rows(&batch).unwrap();
        output.end().unwrap();
    }

    #[test]
    fn a_name_stands_once() {
        let field = |name: &str| Field::new(name, DataType::Int64, true);
        let schema = Schema::new(vec![field("a"), field("a_1"), field("a"), field("b"), field("a")]);
        assert_eq!(names(&schema), ["a", "a_1", "a_2", "b", "a_3"]);
    }
}
