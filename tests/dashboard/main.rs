//! The dashboard's lanes over DuckDB, and every check of the suite seen to hold and to fail.

mod broken;
mod duckdb_today;
mod lanes;
mod stress;

use gate::fixture::{NULL_PERIOD, Shape};
use gate::workload::Setup;
use gate::workload::dashboard::bench::{Dashboard, Subject};
use gate::workload::dashboard::engine::Table;
use gate::workload::dashboard::lane::Lane;

const SETUP: Setup = Setup { seed: 538, null_period: NULL_PERIOD, threads: 1 };

/// The lane over a detail table.
fn bench(lane: &str, shape: Shape, rows: u32) -> Dashboard {
    Dashboard::open(Lane::named(lane).unwrap(), Subject::detail(Table { shape, rows }), &SETUP).unwrap()
}
