//! The checks that look at how answers come about.

use arrow::datatypes::Schema;

use super::text;
use crate::workload::Response;
use crate::workload::dashboard::answer;

/// A result without rows has the fields of one that has rows, under the names of `asked`.
///
/// # Errors
///
/// What was expected and what was found.
pub fn empty_result(asked: &Schema, full: &Response, empty: &Response) -> Result<(), String> {
    let full = answer::decode(&full.body).map_err(text::of)?.table;
    let found = answer::decode(&empty.body).map_err(text::of)?.table;
    if (found.num_rows(), empty.rows) != (0, 0) {
        return Err(format!(
            "expected no rows, found {} in an answer that says it has {}",
            found.num_rows(),
            empty.rows
        ));
    }
    let fields = |schema: &Schema| schema.fields().len();
    let (expected, found) = (full.schema(), found.schema());
    if fields(asked) != fields(&found) {
        return Err(format!("expected {} fields, found {}", fields(asked), fields(&found)));
    }
    for (c, asked) in asked.fields().iter().enumerate() {
        if asked.name() != found.field(c).name() {
            let found = found.field(c).name();
            return Err(format!("field {c}: expected `{}`, found `{found}`", asked.name()));
        }
    }
    for (expected, found) in expected.fields().iter().zip(found.fields()) {
        if expected != found {
            return Err(format!(
                "field `{}` of the answer without rows: expected {expected}, found {found}",
                found.name()
            ));
        }
    }
    Ok(())
}

/// The rows came from the database in more than one batch.
///
/// # Errors
///
/// How many there were.
pub fn multiple_batches(rows: u32, batches: u64) -> Result<(), String> {
    if batches < 2 {
        return Err(format!("expected {rows} rows in several batches, found {batches}"));
    }
    Ok(())
}

/// One operation ran exactly one query: by the count at the database's door, by what the operation
/// reported, and by DuckDB's own log.
///
/// # Errors
///
/// The three counts, side by side.
pub fn one_query(counted: u64, reported: Option<u64>, logged: u64) -> Result<(), String> {
    if (counted, reported, logged) == (1, Some(1), 1) {
        return Ok(());
    }
    let reported = reported.map_or_else(|| "nothing".to_owned(), |reported| reported.to_string());
    Err(format!(
        "expected one physical query in an operation: {counted} counted, {reported} reported, {logged} in DuckDB's log"
    ))
}
