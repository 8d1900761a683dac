//! What DuckDB does that the suite is built around. When one of these fails, DuckDB has changed.

use arrow::datatypes::{DataType, SchemaRef, TimeUnit};
use gate::fixture::Shape;
use gate::workload::dashboard::answer;
use gate::workload::dashboard::lane::{Dashboard, Lane};
use gate::workload::dashboard::query::Filter;

use super::SETUP;

fn schema(shape: Shape) -> SchemaRef {
    let bench = Dashboard::open(Lane::NativeV1, shape, 50, &SETUP).unwrap();
    answer::decode(&bench.answer(Filter::Every).unwrap().response.body).unwrap().table.schema()
}

#[test]
fn its_arrow_schema_says_nullable_of_every_column() {
    let schema = schema(Shape::Wide);
    let not_nullable = schema.fields().iter().filter(|field| !field.is_nullable()).count();
    assert_eq!(not_nullable, 0, "DuckDB tells of NOT NULL now: close the known gap");
}

#[test]
fn its_batches_have_at_most_2048_rows() {
    let bench = Dashboard::open(Lane::NativeV1, Shape::Narrow, 10_000, &SETUP).unwrap();
    let batches = bench.answer(Filter::Every).unwrap().source_batches;
    assert_eq!(batches, 10_000_u64.div_ceil(2_048));
}

#[test]
fn timestamps_with_time_zone_are_in_utc_whatever_the_host_says() {
    let expected = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    assert_eq!(schema(Shape::Narrow).field(6).data_type(), &expected);
}
