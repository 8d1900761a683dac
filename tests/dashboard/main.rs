//! The dashboard's lanes over DuckDB, and every check of the suite seen to hold and to fail.

mod broken;
mod duckdb_today;
mod lanes;

use gate::fixture::NULL_PERIOD;
use gate::workload::Setup;

const SETUP: Setup = Setup { seed: 538, null_period: NULL_PERIOD, threads: 1 };
