//! Rows as maps from name to value, across two ownership boundaries.
//!
//! The query's result names the values of each row; that is the first boundary. The dashboard works on a copy
//! of its own, since the result may be shared; that is the second. The copy is then brought to normal form.

use std::collections::BTreeMap;
use std::mem;

use super::Value;
use super::decode::Row;

/// One row, its values by column name.
pub type RowMap = BTreeMap<String, Value>;

/// Each row as a map with keys of its own.
#[must_use]
pub fn name_values(names: &[String], rows: Vec<Row>) -> Vec<RowMap> {
    rows.into_iter().map(|row| names.iter().cloned().zip(row).collect()).collect()
}

/// A copy of the maps, keys and values.
#[must_use]
pub fn copy(rows: &[RowMap]) -> Vec<RowMap> {
    rows.to_vec()
}

/// Brings every value to the dashboard's normal form.
pub fn normalise(rows: &mut [RowMap]) {
    for value in rows.iter_mut().flat_map(BTreeMap::values_mut) {
        *value = mem::replace(value, Value::Null).normal();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_copied_and_normalised() {
        let names = ["b".to_owned(), "a".to_owned()];
        let decimal = Value::Decimal { unscaled: 15, scale: 1 };
        let result = name_values(&names, vec![vec![Value::Integer(1), decimal.clone()]]);
        assert_eq!(result[0]["b"], Value::Integer(1));
        assert_eq!(result[0]["a"], decimal);

        let mut copied = copy(&result);
        normalise(&mut copied);
        assert_eq!(copied[0]["a"], Value::Text("1.5".to_owned()));
        assert_eq!(result[0]["a"], decimal, "the result itself stays as it was");
    }
}
