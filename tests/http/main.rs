//! The lanes behind a real server, with clients that read, wait, leave and never read.

mod checks;
mod scenarios;
mod serving;

use gate::fixture::{NULL_PERIOD, Shape};
use gate::workload::Setup;
use gate::workload::dashboard::bench::Subject;
use gate::workload::dashboard::engine::Table;

const SETUP: Setup = Setup { seed: 538, null_period: NULL_PERIOD, threads: 1 };

/// The detail table of this shape and length as Arrow.
const fn detail(shape: Shape, rows: u32) -> Subject {
    Subject::detail(Table { shape, rows })
}
