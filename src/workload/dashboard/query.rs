//! The one query that every lane answers.

use crate::fixture::{Shape, field_name};

/// Which rows of `model.orders` an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Every row: the key is never negative.
    Every,
    /// None.
    Nothing,
}

/// The names of the columns asked for, in order.
#[must_use]
pub fn projection(shape: Shape) -> Vec<String> {
    (0..shape.columns()).map(field_name).collect()
}

/// The text of the query: all columns of `model.orders`, filtered, ordered by the key, at most `limit` rows.
#[must_use]
pub fn detail_query(shape: Shape, filter: Filter, limit: u32) -> String {
    let condition = match filter {
        Filter::Every => "field_00 >= 0",
        Filter::Nothing => "field_00 < 0",
    };
    format!(
        "SELECT {} FROM model.orders WHERE {condition} ORDER BY field_00 LIMIT {limit}",
        projection(shape).join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_names_every_column_in_order() {
        assert_eq!(
            detail_query(Shape::Narrow, Filter::Every, 50),
            "SELECT field_00, field_01, field_02, field_03, field_04, field_05, field_06, field_07 \
             FROM model.orders WHERE field_00 >= 0 ORDER BY field_00 LIMIT 50"
        );
        assert!(detail_query(Shape::Wide, Filter::Nothing, 1).contains("field_31 FROM"));
    }
}
