//! What answers must hold, made from the fixture: no database, and no code of the lanes.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch, new_null_array};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{DataType, Decimal128Type, Field, Float64Type, Int64Type, Schema};
use serde_json::{Value, json};

use super::text::{self, projected};
use crate::fixture::{Shape, field_name};
use crate::workload::dashboard::definition::{BUNDLE, cross, mixed};
use crate::workload::dashboard::request::Visual;

/// The table as the principal `regional` may see it: the rows with an odd key, and nothing of `field_03`.
///
/// # Errors
///
/// A table that is not the fixture.
pub(super) fn regional(orders: &RecordBatch) -> Result<RecordBatch, String> {
    let keys = orders.column(0).as_primitive_opt::<Int64Type>().ok_or("the key is no int64")?;
    let odd: BooleanArray = keys.iter().map(|key| key.map(|key| key % 2 == 1)).collect();
    let visible = filter_record_batch(orders, &odd).map_err(text::of)?;
    let (schema, mut columns, rows) = visible.into_parts();
    columns[3] = new_null_array(&DataType::Utf8, rows);
    let mut fields: Vec<Field> = schema.fields().iter().map(|field| field.as_ref().clone()).collect();
    fields[3] = fields[3].clone().with_nullable(true);
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(text::of)
}

/// The table that a visual shows in the types of `model.orders`; `None` where it shows no table.
///
/// # Errors
///
/// A table that is not the fixture.
pub(super) fn table(visual: Visual, shape: Shape, orders: &RecordBatch) -> Result<Option<RecordBatch>, String> {
    match visual {
        Visual::Detail => Ok(Some(orders.clone())),
        Visual::Mixed => {
            // Every group is one row, so that sums are the values themselves.
            let columns = mixed(shape).map(|(name, column)| {
                let place = orders.schema_ref().index_of(column).map_err(text::of)?;
                let field = orders.schema_ref().field(place).clone().with_name(name);
                Ok::<_, String>((field, Arc::clone(orders.column(place))))
            });
            let (fields, columns): (Vec<Field>, Vec<ArrayRef>) =
                columns.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
            Ok(Some(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(text::of)?))
        }
        _ => Ok(None),
    }
}

/// The JSON that a visual of these rows is drawn from; the rows are the last of `total`.
///
/// # Errors
///
/// A table that is not the fixture.
pub(super) fn envelope(
    visual: Visual,
    shape: Shape,
    orders: &RecordBatch,
    total: Option<u64>,
) -> Result<Value, String> {
    let all = |table: &RecordBatch| -> Result<Value, String> {
        Ok(json!([{ "name": visual.name(), "columns": names(table), "rows": rows(table)? }]))
    };
    let frames = match visual {
        Visual::Detail | Visual::WideChart => all(orders)?,
        Visual::Mixed => all(&table(visual, shape, orders)?.ok_or("no table")?)?,
        Visual::Kpi => kpi(orders)?,
        Visual::Bundle => bundle(orders)?,
        Visual::Calculated => calculated(orders)?,
        Visual::Matrix | Visual::Pivot => crossed(visual, shape, orders)?,
    };
    let total = match (visual, total) {
        // Groups are as many as the frame has cells; it counts what the query answers.
        (Visual::Kpi, Some(_)) => Some(1),
        (Visual::Matrix | Visual::Pivot, Some(_)) => Some(groups(shape, orders)?.len() as u64),
        (_, total) => total,
    };
    Ok(json!({ "visual": visual.name(), "frames": frames, "total": total }))
}

fn names(table: &RecordBatch) -> Vec<&str> {
    table.schema_ref().fields().iter().map(|field| field.name().as_str()).collect()
}

/// A value in the dashboard's normal form.
fn cell(column: &dyn Array, row: usize) -> Result<Value, String> {
    if column.is_null(row) {
        return Ok(Value::Null);
    }
    Ok(match column.data_type() {
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into(),
        _ => projected(column, row).map_err(text::of)?.into(),
    })
}

fn rows(table: &RecordBatch) -> Result<Vec<Vec<Value>>, String> {
    (0..table.num_rows()).map(|row| table.columns().iter().map(|column| cell(column, row)).collect()).collect()
}

/// A sum of decimals with three places, as text.
fn decimal(unscaled: i128) -> Value {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = unscaled.unsigned_abs();
    format!("{sign}{}.{:03}", digits / 1_000, digits % 1_000).into()
}

fn amounts(orders: &RecordBatch) -> Result<&arrow::array::Decimal128Array, String> {
    orders.column(7).as_primitive_opt::<Decimal128Type>().ok_or_else(|| "field_07 is no decimal".to_owned())
}

fn kpi(orders: &RecordBatch) -> Result<Value, String> {
    let amounts = amounts(orders)?;
    let last = orders.num_rows().checked_sub(1);
    let row = match last {
        None => vec![0.into(), Value::Null, Value::Null, Value::Null],
        Some(last) => vec![
            orders.num_rows().into(),
            decimal(amounts.iter().flatten().sum()),
            cell(orders.column(0), last)?,
            cell(orders.column(5), 0)?,
        ],
    };
    Ok(json!([{ "name": "kpi", "columns": ["orders", "amount", "last_key", "first_at"], "rows": [row] }]))
}

fn bundle(orders: &RecordBatch) -> Result<Value, String> {
    let charts = BUNDLE.iter().map(|&measure| {
        let name = field_name(measure);
        let rows = (0..orders.num_rows())
            .map(|row| Ok(vec![cell(orders.column(5), row)?, cell(orders.column(measure as usize), row)?]))
            .collect::<Result<Vec<_>, String>>()?;
        Ok(json!({ "name": name, "columns": ["field_05", name], "rows": rows }))
    });
    charts.collect::<Result<Vec<Value>, String>>().map(Value::from)
}

fn calculated(orders: &RecordBatch) -> Result<Value, String> {
    let keys = orders.column(0).as_primitive_opt::<Int64Type>().ok_or("the key is no int64")?.values();
    let mut columns: Vec<String> = names(orders).into_iter().map(str::to_owned).collect();
    columns.extend(["running_total".to_owned(), "step".to_owned()]);
    let mut rows = rows(orders)?;
    for (row, values) in rows.iter_mut().enumerate() {
        values.push(keys[..=row].iter().sum::<i64>().into());
        values.push(if row == 0 { Value::Null } else { (keys[row] - keys[row - 1]).into() });
    }
    Ok(json!([{ "name": "calculated", "columns": columns, "rows": rows }]))
}

/// A category as text, null apart from the empty string.
type Category = Option<String>;

/// Sum and number of the orders where two categories meet, and the first row of each.
fn groups(shape: Shape, orders: &RecordBatch) -> Result<Vec<(Category, Category, i128, u64)>, String> {
    let (down, across) = cross(shape);
    let amounts = amounts(orders)?;
    let category = |column: u32, row: usize| -> Result<Category, String> {
        let column = orders.column(column as usize);
        if column.is_null(row) { Ok(None) } else { projected(column, row).map(Some).map_err(text::of) }
    };
    let mut groups: Vec<(Category, Category, i128, u64)> = Vec::new();
    let mut places = BTreeMap::new();
    for row in 0..orders.num_rows() {
        let key = (category(down, row)?, category(across, row)?);
        let place = *places.entry(key.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key.0, key.1, 0, 0));
        }
        groups[place].2 += amounts.value(row);
        groups[place].3 += 1;
    }
    Ok(groups)
}

fn crossed(visual: Visual, shape: Shape, orders: &RecordBatch) -> Result<Value, String> {
    let groups = groups(shape, orders)?;
    let (mut headers, mut lines): (Vec<Category>, Vec<Category>) = (Vec::new(), Vec::new());
    for (down, across, ..) in &groups {
        if !headers.contains(across) {
            headers.push(across.clone());
        }
        if !lines.contains(down) {
            lines.push(down.clone());
        }
    }
    let pivot = visual == Visual::Pivot;
    let mut columns = vec!["down".to_owned()];
    for header in &headers {
        let header = header.as_deref().unwrap_or("null");
        columns.push(format!("{header} amount"));
        if pivot {
            columns.push(format!("{header} orders"));
        }
    }
    if pivot {
        columns.push("orders".to_owned());
    }
    let found: BTreeMap<(&Category, &Category), (i128, u64)> =
        groups.iter().map(|(down, across, amount, orders)| ((down, across), (*amount, *orders))).collect();
    let mut rows = Vec::new();
    for line in &lines {
        let mut row = vec![line.clone().map_or(Value::Null, Value::from)];
        for header in &headers {
            let cell = found.get(&(line, header));
            row.push(cell.map_or(Value::Null, |(amount, _)| decimal(*amount)));
            if pivot {
                row.push(cell.map_or(Value::Null, |(_, orders)| (*orders).into()));
            }
        }
        if pivot {
            let total: u64 =
                headers.iter().filter_map(|header| found.get(&(line, header))).map(|(_, orders)| orders).sum();
            row.push(total.into());
        }
        rows.push(row);
    }
    Ok(json!([{ "name": visual.name(), "columns": columns, "rows": rows }]))
}

/// The first place where two JSON values differ, and what stands there.
pub(super) fn difference(expected: &Value, found: &Value, place: &str) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) if expected.keys().eq(found.keys()) => {
            expected.iter().find_map(|(key, value)| difference(value, &found[key], &format!("{place}.{key}")))
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => expected
            .iter()
            .zip(found)
            .enumerate()
            .find_map(|(at, (expected, found))| difference(expected, found, &format!("{place}[{at}]"))),
        (Value::Array(expected), Value::Array(found)) => {
            Some(format!("{place}: expected {} entries, found {}", expected.len(), found.len()))
        }
        (expected, found) if expected == found => None,
        (expected, found) => Some(format!("{place}: expected {expected}, found {found}")),
    }
}

/// The table with `field_01` one larger in every row.
///
/// # Errors
///
/// A table that is not the fixture.
pub(super) fn changed(orders: &RecordBatch) -> Result<RecordBatch, String> {
    let values = orders.column(1).as_primitive_opt::<Float64Type>().ok_or("field_01 is no float64")?;
    let (schema, mut columns, _) = orders.clone().into_parts();
    columns[1] = Arc::new(values.unary::<_, Float64Type>(|value| value + 1.0));
    RecordBatch::try_new(schema, columns).map_err(text::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_named_by_its_place() {
        let expected = json!({ "rows": [[1, null], [2, "x"]] });
        assert_eq!(difference(&expected, &expected, "$"), None);
        let found = json!({ "rows": [[1, null], [2, "y"]] });
        assert_eq!(difference(&expected, &found, "$").unwrap(), "$.rows[1][1]: expected \"x\", found \"y\"");
        let short = json!({ "rows": [[1, null]] });
        assert_eq!(difference(&expected, &short, "$").unwrap(), "$.rows: expected 2 entries, found 1");
        let null = json!({ "rows": [[1, ""], [2, "x"]] });
        assert_eq!(difference(&expected, &null, "$").unwrap(), "$.rows[0][1]: expected null, found \"\"");
    }

    #[test]
    fn regional_sees_every_second_row_and_no_names() {
        let orders = crate::fixture::generate("orders-narrow-50", 13).unwrap();
        let seen = regional(&orders).unwrap();
        assert_eq!(seen.num_rows(), 25);
        assert_eq!(seen.column(3).null_count(), 25);
        assert_eq!(seen.column(3).data_type(), &DataType::Utf8);
    }
}
