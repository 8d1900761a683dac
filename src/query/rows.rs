//! Views with few rows, which are made a campaign at a time.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::Fields;

use super::QueryError;
use super::axes::Axes;
use super::campaigns::{Campaign, Campaigns};
use super::scan::{Chunk, Chunks, Filled, ROWS, Table};
use super::value::{Value, array, field};
use super::view::{Kind, View};
use crate::unit::{AxisValue, Case};

/// The rows of one campaign, each with a value for each column of the view.
pub(super) type Rows = fn(&Campaign, &Axes) -> Result<Vec<Vec<Value>>, QueryError>;

/// A view whose rows are made by [`Rows`].
pub(super) struct RowTable {
    campaigns: Arc<Campaigns>,
    kinds: Vec<Kind>,
    fields: Fields,
    rows: Rows,
}

impl RowTable {
    pub(super) fn new(campaigns: Arc<Campaigns>, view: &View, rows: Rows) -> Self {
        let layout = view.layout(&campaigns.axes);
        let fields = layout.iter().map(|(name, kind)| field(name, *kind)).collect();
        let kinds = layout.iter().map(|(_, kind)| *kind).collect();
        Self { campaigns, kinds, fields, rows }
    }
}

impl Table for RowTable {
    fn fields(&self) -> &Fields {
        &self.fields
    }

    fn parts(&self) -> usize {
        self.campaigns.all.len()
    }

    fn open(&self, part: usize, columns: &[usize]) -> Result<Chunks, QueryError> {
        let rows = (self.rows)(&self.campaigns.all[part], &self.campaigns.axes)?;
        let of = |&column: &usize| array(self.kinds[column], rows.iter().map(|row| &row[column]));
        let columns: Vec<ArrayRef> = columns.iter().map(of).collect();
        let count = rows.len();
        Ok(Box::new((0..count).step_by(ROWS).map(move |begin| {
            let rows = (count - begin).min(ROWS);
            Chunk { rows, columns: columns.iter().map(|column| Filled::Values(column.slice(begin, rows))).collect() }
        })))
    }
}

/// The name of a case, and its value on each axis.
pub(super) fn case<'a>(case: &Case, axes: &'a Axes) -> impl Iterator<Item = Value> + use<'a> {
    let case = case.clone();
    std::iter::once(Value::Text(case.to_string())).chain(axes.iter().map(move |axis| {
        match (case.get(&axis.name), axis.kind()) {
            (Some(AxisValue::Integer(value)), Kind::Whole) => Value::Whole(*value),
            (Some(value), Kind::Text) => Value::Text(value.to_string()),
            _ => Value::None,
        }
    }))
}
