//! An ordered frame over a lease: cells are read from the Arrow columns where they lie, without rows or maps between.

use arrow::record_batch::RecordBatch;

use super::decode::{self, Column};
use super::frame::Window;
use super::project::Projection;
use crate::workload::dashboard::error::QueryError;

/// A frame that lives no longer than the batches that it reads.
pub struct LeaseFrame<'a> {
    names: &'a [String],
    parts: Vec<(usize, Vec<Column<'a>>)>,
}

impl<'a> LeaseFrame<'a> {
    /// The frame of these batches, whose columns stand in the order of `names`.
    ///
    /// # Errors
    ///
    /// Batches with other columns, or of a type that a dashboard does not read.
    pub fn of(names: &'a [String], batches: &'a [RecordBatch]) -> Result<Self, QueryError> {
        let part = |batch: &'a RecordBatch| {
            let found = batch.schema_ref().fields();
            if !found.iter().map(|field| field.name()).eq(names) {
                return Err(QueryError::Answer(format!("the columns are not {}, in this order", names.join(", "))));
            }
            Ok((batch.num_rows(), decode::columns(batch)?))
        };
        Ok(Self { names, parts: batches.iter().map(part).collect::<Result<_, _>>()? })
    }

    /// The first `limit` rows as text, nulls as empty strings.
    ///
    /// # Errors
    ///
    /// A time out of range.
    pub fn project(&self, limit: usize) -> Result<Projection, QueryError> {
        let rows = self.cells().take(limit).map(|(columns, row)| {
            columns.iter().map(|column| Ok(column.value(row)?.into_text())).collect::<Result<Vec<_>, QueryError>>()
        });
        Ok(Projection { names: self.names.to_vec(), rows: rows.collect::<Result<_, _>>()? })
    }

    /// The first `limit` rows in the dashboard's normal form.
    ///
    /// # Errors
    ///
    /// A time out of range.
    pub fn window(&self, limit: usize) -> Result<Window, QueryError> {
        let rows = self.cells().take(limit).map(|(columns, row)| {
            columns.iter().map(|column| Ok(column.value(row)?.normal())).collect::<Result<Vec<_>, QueryError>>()
        });
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(Window { names: self.names.to_vec(), rows, offset: 0, total: self.parts.iter().map(|(rows, _)| rows).sum() })
    }

    fn cells(&self) -> impl Iterator<Item = (&[Column<'a>], usize)> {
        self.parts.iter().flat_map(|(rows, columns)| (0..*rows).map(move |row| (columns.as_slice(), row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::workload::dashboard::stage::frame::Frame;
    use crate::workload::dashboard::stage::{project, rows};

    #[test]
    fn it_shows_what_the_path_through_maps_shows() {
        let table = fixture::generate("orders-wide-50", 13).unwrap();
        let batches = [table.slice(0, 30), table.slice(30, 20)];
        let names: Vec<String> = table.schema().fields().iter().map(|field| field.name().clone()).collect();
        let mut maps = rows::name_values(&names, decode::decode(&batches).unwrap());
        rows::normalise(&mut maps);
        let window = Frame::ordered(&names, maps).unwrap().window(0, 40);
        let frame = LeaseFrame::of(&names, &batches).unwrap();
        assert_eq!(frame.window(40).unwrap(), window);
        assert_eq!(frame.project(40).unwrap(), project::project(&window));
    }

    #[test]
    fn another_order_is_refused() {
        let table = fixture::generate("orders-narrow-1", 13).unwrap();
        let names = ["field_01", "field_00"].map(str::to_owned);
        let error = LeaseFrame::of(&names, &[table]).err().unwrap().to_string();
        assert_eq!(error, "the columns are not field_01, field_00, in this order");
    }
}
