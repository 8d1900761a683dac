//! The fixtures against their committed digests, and against what DuckDB itself makes of the same formulas.

use arrow::array::{Array, AsArray};
use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;
use duckdb::Connection;
use gate::fixture::{self, FixtureError, NULL_PERIOD, Shape};
use gate::workload::catalogue::{DASHBOARD, Domain};

/// All of `model.orders`, after it was loaded.
fn loaded(shape: Shape, rows: u32, null_period: u32) -> (Connection, RecordBatch) {
    let connection = Connection::open_in_memory().unwrap();
    fixture::load(&connection, shape, rows, null_period).unwrap();
    let table = orders(&connection);
    (connection, table)
}

fn orders(connection: &Connection) -> RecordBatch {
    let mut statement = connection.prepare("SELECT * FROM model.orders ORDER BY field_00").unwrap();
    let stream = statement.stream_arrow([]).unwrap();
    let schema = stream.get_schema();
    let batches: Vec<RecordBatch> = stream.map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

#[test]
fn the_committed_manifest_is_what_the_fixtures_say() {
    let committed = include_str!("../fixtures/manifest.toml");
    assert_eq!(fixture::manifest_toml().unwrap(), committed, "render fixtures/manifest.toml anew");
}

#[test]
fn the_manifest_lists_every_fixture_that_the_suites_use() {
    let manifest = fixture::manifest().unwrap();
    assert_eq!(manifest.null_period, NULL_PERIOD);
    assert_eq!(manifest.sha256.len(), 20);
    let rows = DASHBOARD.axes.iter().find(|axis| axis.name == "rows").unwrap();
    let Domain::Numbers(rows) = rows.domain else { panic!("rows are numbers") };
    for rows in rows {
        for shape in Shape::ALL {
            let name = format!("orders-{}-{rows}", shape.name());
            assert!(manifest.sha256.contains_key(&name), "{name}");
        }
    }
}

#[test]
fn a_fixture_made_anew_is_trusted_and_a_changed_one_is_not() {
    let name = "orders-wide-50";
    let table = fixture::generate(name, NULL_PERIOD).unwrap();
    let digest = fixture::digest(&table).unwrap();
    fixture::verify(name, NULL_PERIOD, &digest).unwrap();

    let shorter = fixture::digest(&table.slice(0, 49)).unwrap();
    let error = fixture::verify(name, NULL_PERIOD, &shorter).unwrap_err();
    assert!(matches!(error, FixtureError::Differs { .. }), "{error}");
}

#[test]
fn every_fixture_differs_from_every_other() {
    let manifest = fixture::manifest().unwrap();
    let mut digests: Vec<&String> = manifest.sha256.values().collect();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 20);
}

#[test]
fn duckdb_holds_what_the_arrow_table_says() {
    for shape in Shape::ALL {
        for (rows, null_period) in [(1, 13), (50, 13), (999, 13), (10_000, 13), (50, 1), (50, 7)] {
            let expected = fixture::generate(&format!("orders-{}-{rows}", shape.name()), null_period).unwrap();
            let (_connection, found) = loaded(shape, rows, null_period);
            for (c, field) in expected.schema().fields().iter().enumerate() {
                let name = field.name();
                assert_eq!(found.schema().field(c).name(), name);
                assert_eq!(found.column(c), expected.column(c), "{name} of {rows} rows");
            }
        }
    }
}

#[test]
fn duckdb_declares_not_null_where_the_arrow_table_does() {
    let expected = fixture::generate("orders-wide-1", NULL_PERIOD).unwrap();
    let (connection, _) = loaded(Shape::Wide, 1, NULL_PERIOD);
    let mut statement = connection
        .prepare(
            "SELECT column_name, is_nullable = 'YES' FROM information_schema.columns \
             WHERE table_schema = 'model' AND table_name = 'orders' ORDER BY ordinal_position",
        )
        .unwrap();
    let found: Vec<(String, bool)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    let expected: Vec<(String, bool)> =
        expected.schema().fields().iter().map(|field| (field.name().clone(), field.is_nullable())).collect();
    assert_eq!(found, expected);
}

#[test]
fn loading_again_replaces_the_table() {
    let (connection, _) = loaded(Shape::Wide, 50, NULL_PERIOD);
    fixture::load(&connection, Shape::Narrow, 10, NULL_PERIOD).unwrap();
    let table = orders(&connection);
    assert_eq!((table.num_columns(), table.num_rows()), (8, 10));
}

#[test]
fn a_null_period_of_zero_is_refused_everywhere() {
    let connection = Connection::open_in_memory().unwrap();
    for error in [
        fixture::load(&connection, Shape::Narrow, 1, 0).unwrap_err(),
        fixture::generate("orders-narrow-1", 0).unwrap_err(),
        fixture::generate("arrow-narrow-1", 0).unwrap_err(),
    ] {
        assert!(matches!(error, FixtureError::NullPeriod), "{error}");
    }
}

#[test]
fn empty_strings_and_nulls_stand_in_the_same_column() {
    let table = fixture::generate("orders-wide-50", NULL_PERIOD).unwrap();
    let text = table.column(30).as_string::<i32>();
    let empty = (0..50).filter(|&row| text.is_valid(row) && text.value(row).is_empty()).count();
    assert_eq!(empty, 1);
    assert!(text.null_count() > 0);
}
