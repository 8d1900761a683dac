//! Answers made by hand, right and wrong, and the checks that tell them apart.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, StringArray, UInt32Array, new_null_array};
use arrow::compute::{cast, take};
use arrow::datatypes::{DataType, Decimal128Type, Field, Int64Type, Schema, TimeUnit};
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;
use gate::fixture::{self, NULL_PERIOD, Shape};
use gate::workload::Response;
use gate::workload::dashboard::answer;
use gate::workload::dashboard::check::{AnswerCheck, empty_result, multiple_batches, one_query};
use gate::workload::dashboard::request::Filter;

use super::bench;

fn oracle() -> RecordBatch {
    fixture::generate("orders-wide-50", NULL_PERIOD).unwrap()
}

fn stream(table: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), table.schema_ref()).unwrap();
    writer.write(table).unwrap();
    writer.into_inner().unwrap()
}

fn response(table: &RecordBatch) -> Response {
    Response { rows: table.num_rows() as u64, body: stream(table), wall_ns: None }
}

fn judge(check: AnswerCheck, table: &RecordBatch) -> Result<(), String> {
    check.judge(&oracle(), &response(table))
}

/// The checks that an answer with this table fails, of those that native answers are held to.
fn failed(table: &RecordBatch) -> Vec<&'static str> {
    let native = AnswerCheck::ALL.into_iter().filter(|c| *c != AnswerCheck::StringProjection);
    native.filter(|check| judge(*check, table).is_err()).map(AnswerCheck::name).collect()
}

/// The fixture with another column `c`.
fn with_column(c: usize, column: ArrayRef) -> RecordBatch {
    let oracle = oracle();
    let (schema, mut columns, _) = oracle.into_parts();
    let mut fields: Vec<Field> = schema.fields().iter().map(|f| f.as_ref().clone()).collect();
    fields[c] = fields[c].clone().with_data_type(column.data_type().clone());
    columns[c] = column;
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn swapped(column: &dyn Array, a: u32, b: u32) -> ArrayRef {
    let rows = u32::try_from(column.len()).unwrap();
    let order: UInt32Array = (0..rows)
        .map(|row| match row {
            row if row == a => b,
            row if row == b => a,
            row => row,
        })
        .collect();
    take(column, &order, None).unwrap()
}

#[test]
fn the_fixture_itself_passes() {
    assert!(failed(&oracle()).is_empty());
}

#[test]
fn two_values_that_changed_places_are_found_in_every_type() {
    // Rows 1 and 2 differ in every column, and hold nulls in a few.
    for c in 0..32 {
        let table = with_column(c, swapped(oracle().column(c), 1, 2));
        let message = judge(AnswerCheck::ExactValues, &table).unwrap_err();
        let place = format!("row 1 of field `field_{c:02}`: expected ");
        assert!(message.starts_with(&place), "{message}");
    }
}

#[test]
fn messages_show_both_values() {
    let table = with_column(3, swapped(oracle().column(3), 1, 2));
    let message = judge(AnswerCheck::ExactValues, &table).unwrap_err();
    assert_eq!(message, r#"row 1 of field `field_03`: expected "", found "value-37""#);
    let table = with_column(6, swapped(oracle().column(6), 1, 2));
    let message = judge(AnswerCheck::ExactValues, &table).unwrap_err();
    assert_eq!(
        message,
        "row 1 of field `field_06`: expected 2023-11-14T22:13:20.000001Z, found 2023-11-14T22:13:20.000002Z"
    );
}

#[test]
fn an_empty_string_a_zero_and_a_false_are_no_nulls() {
    let (text, number, truth) = (oracle().column(30).clone(), oracle().column(18).clone(), oracle().column(2).clone());
    let text: StringArray = text.as_string::<i32>().iter().map(|v| Some(v.unwrap_or(""))).collect();
    let number: Int64Array = number.as_primitive::<Int64Type>().iter().map(|v| Some(v.unwrap_or(0))).collect();
    let truth: BooleanArray = truth.as_boolean().iter().map(|v| Some(v.unwrap_or(false))).collect();
    let filled: [(usize, ArrayRef, &str); 3] =
        [(30, Arc::new(text), "\"\""), (18, Arc::new(number), "0"), (2, Arc::new(truth), "false")];
    for (c, column, shown) in filled {
        let table = with_column(c, column);
        assert_eq!(failed(&table), ["exact-values", "null-positions"]);
        let message = judge(AnswerCheck::NullPositions, &table).unwrap_err();
        assert!(message.ends_with(&format!("expected null, found {shown}")), "{message}");
    }
}

#[test]
fn a_null_too_many_is_found() {
    let table = with_column(2, new_null_array(&DataType::Boolean, 50));
    let message = judge(AnswerCheck::NullPositions, &table).unwrap_err();
    assert_eq!(message, "row 0 of field `field_02`: expected true, found null");
}

#[test]
fn another_type_is_found() {
    let table = with_column(0, cast(oracle().column(0), &DataType::Int32).unwrap());
    assert_eq!(failed(&table), ["physical-types", "exact-values"]);
    let message = judge(AnswerCheck::PhysicalTypes, &table).unwrap_err();
    assert_eq!(message, "field `field_00`: expected type Int64, found Int32");
}

#[test]
fn another_decimal_scale_or_value_is_found() {
    let decimal = oracle().column(7).as_primitive::<Decimal128Type>().clone();
    let scale = decimal.clone().with_precision_and_scale(38, 2).unwrap();
    let precision = decimal.clone().with_precision_and_scale(20, 3).unwrap();
    let value = decimal.unary::<_, Decimal128Type>(|unscaled| unscaled + 1);
    let value = value.with_precision_and_scale(38, 3).unwrap();
    for column in [&scale, &precision, &value] {
        let failed = failed(&with_column(7, Arc::new(column.clone())));
        assert!(failed.contains(&"decimal-scale") && failed.contains(&"exact-values"));
    }
    let message = judge(AnswerCheck::DecimalScale, &with_column(7, Arc::new(scale))).unwrap_err();
    assert_eq!(message, "field `field_07`: expected type Decimal128(38, 3), found Decimal128(38, 2)");
    let message = judge(AnswerCheck::DecimalScale, &with_column(7, Arc::new(value))).unwrap_err();
    assert_eq!(message, "row 0 of field `field_07`: expected 8.000, found 8.001");
}

#[test]
fn another_zone_or_unit_is_found() {
    let micros = TimeUnit::Microsecond;
    for (c, wrong) in [
        (6, DataType::Timestamp(micros, None)),
        (6, DataType::Timestamp(micros, Some("+00:00".into()))),
        (5, DataType::Timestamp(micros, Some("UTC".into()))),
        (5, DataType::Timestamp(TimeUnit::Nanosecond, None)),
    ] {
        // Casting to another zone name reads it, which needs a table of zones: go through the number.
        let number = cast(oracle().column(c), &DataType::Int64).unwrap();
        let table = with_column(c, cast(&number, &wrong).unwrap());
        assert_eq!(failed(&table), ["physical-types", "exact-values", "timestamp-zone"]);
    }
}

#[test]
fn other_names_and_another_order_are_found() {
    let (schema, mut columns, _) = oracle().into_parts();
    let mut fields: Vec<Field> = schema.fields().iter().map(|f| f.as_ref().clone()).collect();
    fields.swap(1, 10);
    columns.swap(1, 10);
    let table = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    // Both are doubles, so that nothing but names and values tells.
    assert_eq!(failed(&table), ["exact-values", "null-positions", "projection-order", "nullability"]);
    let message = judge(AnswerCheck::ProjectionOrder, &table).unwrap_err();
    assert_eq!(message, "field 1: expected `field_01`, found `field_10`");
}

#[test]
fn missing_and_additional_fields_are_found() {
    let narrow = oracle().project(&(0..31).collect::<Vec<_>>()).unwrap();
    assert_eq!(failed(&narrow).len(), 7);
    let message = judge(AnswerCheck::ProjectionOrder, &narrow).unwrap_err();
    assert_eq!(message, "expected 32 fields, found 31");
}

#[test]
fn a_missing_row_is_found() {
    let message = judge(AnswerCheck::RowCount, &oracle().slice(0, 49)).unwrap_err();
    assert_eq!(message, "expected 50 rows, found 49 in an answer that says it has 49");
    assert_eq!(failed(&oracle().slice(1, 49)), ["exact-values", "null-positions", "decimal-scale", "row-count"]);
}

#[test]
fn an_answer_that_lies_about_its_rows_is_found() {
    let lie = Response { rows: 49, ..response(&oracle()) };
    let message = AnswerCheck::RowCount.judge(&oracle(), &lie).unwrap_err();
    assert_eq!(message, "expected 50 rows, found 50 in an answer that says it has 49");
}

#[test]
fn lost_nullability_is_found() {
    let (schema, columns, _) = oracle().into_parts();
    let fields: Vec<Field> = schema.fields().iter().map(|f| f.as_ref().clone().with_nullable(true)).collect();
    let table = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    assert_eq!(failed(&table), ["nullability"]);
}

#[test]
fn unreadable_answers_fail_every_check() {
    let whole = stream(&oracle());
    let mut longer = whole.clone();
    longer.push(0);
    for body in [
        Vec::new(),
        b"no table today".to_vec(),
        vec![0; 512],
        whole[..whole.len() / 2].to_vec(),
        whole[..whole.len() - 8].to_vec(),
        longer,
    ] {
        for check in AnswerCheck::ALL {
            let answer = Response { rows: 50, body: body.clone(), wall_ns: None };
            let message = check.judge(&oracle(), &answer).unwrap_err();
            assert!(message.contains("no whole Arrow IPC stream"), "{message}");
        }
    }
}

fn strings() -> RecordBatch {
    let (response, _) = bench("api-direct", Shape::Wide, 50).answer(Filter::Every).unwrap();
    answer::decode(&response.body).unwrap().table
}

#[test]
fn strings_that_are_not_the_projection_are_found() {
    let (schema, columns, _) = strings().into_parts();
    let judge = |fields: Vec<Field>, columns: Vec<ArrayRef>| {
        let table = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
        judge(AnswerCheck::StringProjection, &table)
    };
    let fields: Vec<Field> = schema.fields().iter().map(|f| f.as_ref().clone()).collect();
    assert_eq!(judge(fields.clone(), columns.clone()), Ok(()));

    for c in 0..32 {
        let mut columns = columns.clone();
        columns[c] = swapped(&columns[c], 1, 2);
        let message = judge(fields.clone(), columns).unwrap_err();
        assert!(message.starts_with(&format!("row 1 of field `field_{c:02}`")), "{message}");
    }

    let mut nullable = fields.clone();
    nullable[4] = nullable[4].clone().with_nullable(true);
    let message = judge(nullable.clone(), columns.clone()).unwrap_err();
    assert_eq!(message, "field `field_04`: expected not nullable, found nullable");

    let mut with_null = columns.clone();
    let text = columns[4].as_string::<i32>();
    with_null[4] = Arc::new(text.iter().map(|v| v.filter(|v| !v.is_empty())).collect::<StringArray>());
    let message = judge(nullable, with_null).unwrap_err();
    assert_eq!(message, "row 9 of field `field_04`: expected \"\", found null");
}

#[test]
fn native_values_are_no_string_projection() {
    let message = judge(AnswerCheck::StringProjection, &oracle()).unwrap_err();
    assert_eq!(message, "field `field_00`: expected type Utf8, found Int64");
}

#[test]
fn an_empty_result_that_loses_its_schema_is_found() {
    let full = oracle();
    let empty = full.slice(0, 0);
    let judge = |empty: &RecordBatch| empty_result(&oracle().schema(), &response(&oracle()), &response(empty));
    assert_eq!(judge(&empty), Ok(()));
    assert!(judge(&full).unwrap_err().contains("expected no rows, found 50"));
    let narrow = empty.project(&[0, 1]).unwrap();
    assert_eq!(judge(&narrow).unwrap_err(), "expected 32 fields, found 2");
    let none = RecordBatch::new_empty(Arc::new(Schema::empty()));
    assert_eq!(judge(&none).unwrap_err(), "expected 32 fields, found 0");
    let text: Vec<Field> =
        full.schema().fields().iter().map(|field| Field::new(field.name(), DataType::Utf8, true)).collect();
    let message = judge(&RecordBatch::new_empty(Arc::new(Schema::new(text)))).unwrap_err();
    assert!(message.starts_with("field `field_00` of the answer without rows"), "{message}");
    let unread = Response { rows: 0, body: Vec::new(), wall_ns: None };
    let message = empty_result(&full.schema(), &response(&full), &unread).unwrap_err();
    assert!(message.contains("no whole Arrow IPC stream"), "{message}");
}

#[test]
fn batches_that_did_not_come_are_found() {
    assert_eq!(multiple_batches(10_000, 2), Ok(()));
    assert_eq!(multiple_batches(10_000, 1).unwrap_err(), "expected 10000 rows in several batches, found 1");
}

#[test]
fn any_count_but_one_is_found() {
    assert_eq!(one_query(1, Some(1), 1), Ok(()));
    for counts in [(2, Some(1), 1), (1, Some(2), 1), (1, Some(1), 2), (1, None, 1), (0, Some(0), 0)] {
        assert!(one_query(counts.0, counts.1, counts.2).is_err(), "{counts:?}");
    }
    assert_eq!(
        one_query(1, None, 2).unwrap_err(),
        "expected one physical query in an operation: 1 counted, nothing reported, 2 in DuckDB's log"
    );
}
