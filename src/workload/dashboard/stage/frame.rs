//! The ordered frame, and a window of it.

use super::Value;
use super::rows::RowMap;
use crate::workload::dashboard::error::QueryError;

/// A table whose columns stand in the order asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The column names.
    pub names: Vec<String>,
    /// The rows, their values in the order of `names`.
    pub rows: Vec<Vec<Value>>,
}

/// A run of a frame's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// The column names.
    pub names: Vec<String>,
    /// The rows in the window.
    pub rows: Vec<Vec<Value>>,
    /// How many rows of the frame stand before it.
    pub offset: usize,
    /// How many rows the frame has.
    pub total: usize,
}

impl Frame {
    /// The frame of these rows with the columns `names`, in that order.
    ///
    /// # Errors
    ///
    /// A row whose columns are not exactly these.
    pub fn ordered(names: &[String], rows: Vec<RowMap>) -> Result<Self, QueryError> {
        // Maps give their values by name: `by_name` says where in the row each of them belongs.
        let mut by_name: Vec<usize> = (0..names.len()).collect();
        by_name.sort_by_key(|&column| &names[column]);
        let rows = rows
            .into_iter()
            .enumerate()
            .map(|(r, row)| {
                ordered_row(names, &by_name, row).map_err(|what| QueryError::Answer(format!("row {r} {what}")))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { names: names.to_vec(), rows })
    }

    /// The window of at most `limit` rows from row `offset` on.
    #[must_use]
    pub fn window(self, offset: usize, limit: usize) -> Window {
        let total = self.rows.len();
        let mut rows = self.rows;
        rows.drain(..offset.min(total));
        rows.truncate(limit);
        Window { names: self.names, rows, offset, total }
    }
}

fn ordered_row(names: &[String], by_name: &[usize], row: RowMap) -> Result<Vec<Value>, String> {
    let mut values = vec![Value::Null; names.len()];
    let mut entries = row.into_iter();
    for &column in by_name {
        let expected = &names[column];
        match entries.next() {
            Some((name, value)) if name == *expected => values[column] = value,
            Some((name, _)) => return Err(format!("has column `{name}` where `{expected}` was expected")),
            None => return Err(format!("lacks column `{expected}`")),
        }
    }
    match entries.next() {
        None => Ok(values),
        Some((name, _)) => Err(format!("has column `{name}`, which was not asked for")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> [String; 2] {
        ["b".to_owned(), "a".to_owned()]
    }

    fn row(pairs: &[(&str, i64)]) -> RowMap {
        pairs.iter().map(|&(name, value)| (name.to_owned(), Value::Integer(value))).collect()
    }

    #[test]
    fn columns_stand_in_the_order_asked_for() {
        let frame = Frame::ordered(&names(), vec![row(&[("a", 1), ("b", 2)])]).unwrap();
        assert_eq!(frame.rows, [[Value::Integer(2), Value::Integer(1)]]);
    }

    #[test]
    fn a_missing_column_and_one_too_many_are_errors() {
        let error = |row| Frame::ordered(&names(), vec![row]).unwrap_err().to_string();
        assert_eq!(error(row(&[("a", 1)])), "row 0 lacks column `b`");
        assert_eq!(error(row(&[("a", 1), ("c", 2)])), "row 0 has column `c` where `b` was expected");
        let extra = error(row(&[("a", 1), ("b", 2), ("c", 3)]));
        assert_eq!(extra, "row 0 has column `c`, which was not asked for");
    }

    #[test]
    fn a_window_keeps_to_its_bounds() {
        let rows = (0..5).map(|i| row(&[("a", i), ("b", i)])).collect();
        let frame = Frame::ordered(&names(), rows).unwrap();
        let firsts = |offset, limit| {
            let window = frame.clone().window(offset, limit);
            assert_eq!((window.offset, window.total), (offset, 5));
            window.rows.into_iter().map(|row| row[0].to_string()).collect::<String>()
        };
        assert_eq!(firsts(0, 5), "01234");
        assert_eq!(firsts(1, 2), "12");
        assert_eq!(firsts(4, 9), "4");
        assert_eq!(firsts(9, 9), "");
    }
}
