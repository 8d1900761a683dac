//! What DuckDB does that the suite is built around. When one of these fails, DuckDB has changed.

use arrow::datatypes::{DataType, SchemaRef, TimeUnit};
use gate::fixture::Shape;
use gate::workload::dashboard::engine::{Table, database};
use gate::workload::dashboard::request::Filter;

use super::{SETUP, bench};

/// The schema of a result, as DuckDB says it.
fn schema(shape: Shape) -> SchemaRef {
    let connection = database(Table { shape, rows: 50 }, &SETUP).unwrap();
    let mut statement = connection.prepare("SELECT * FROM model.orders").unwrap();
    statement.stream_arrow([]).unwrap().get_schema()
}

#[test]
fn its_arrow_schema_says_nullable_of_every_column() {
    let schema = schema(Shape::Wide);
    let not_nullable = schema.fields().iter().filter(|field| !field.is_nullable()).count();
    assert_eq!(not_nullable, 0, "DuckDB tells of NOT NULL now: its catalogue need not be asked");
}

#[test]
fn its_batches_have_at_most_2048_rows() {
    let (_, answered) = bench("native-v1", Shape::Narrow, 10_000).answer(Filter::Every).unwrap();
    assert_eq!(answered.batches, 10_000_u64.div_ceil(2_048));
}

#[test]
fn timestamps_with_time_zone_are_in_utc_whatever_the_host_says() {
    let expected = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    assert_eq!(schema(Shape::Narrow).field(6).data_type(), &expected);
}

#[test]
fn every_connection_of_a_database_plans_alike() {
    let first = database(Table { shape: Shape::Narrow, rows: 50 }, &SETUP).unwrap();
    for connection in [first.try_clone().unwrap(), first] {
        let sql = "SELECT value FROM duckdb_settings() WHERE name = 'late_materialization_max_rows'";
        assert_eq!(connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap(), "0");
    }
}
