//! What the built-in suites measure: lanes over deterministic fixtures, each with checks of its own.
//!
//! A suite is described by its [`catalogue`] entry, which a gate file is validated against, and opened
//! in a worker process as a [`Bench`]: one lane in one case, ready to run operations.

pub mod catalogue;
pub mod dashboard;
pub mod probe;
pub mod program;
pub mod slowed;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::fixture::FixtureError;
use crate::unit::Case;

/// Opens the lane of a suite in one case.
///
/// # Errors
///
/// A suite, lane or case that there isn't, or whatever keeps the lane from opening.
pub fn open(suite: &str, lane: &str, case: &Case, setup: &Setup) -> Result<Box<dyn Bench>, WorkloadError> {
    match suite {
        dashboard::SUITE => dashboard::open(lane, case, setup),
        probe::SUITE => probe::open(lane, case),
        _ => Err(no_such_suite(suite)),
    }
}

/// Runs these checks of the lane of a suite in one case, and says of each how it came out. A check that does not look at
/// all of the case, and is `known` from another case of the same lane and setup, is not run again.
///
/// An answer that can't be had or read fails the checks that need it.
///
/// # Errors
///
/// A suite, lane, case or check that there isn't, or whatever keeps the lane from opening.
pub fn check(
    suite: &str,
    lane: &str,
    case: &Case,
    setup: &Setup,
    checks: &[String],
    known: &mut Known,
) -> Result<Vec<CheckResult>, WorkloadError> {
    match suite {
        dashboard::SUITE => dashboard::check(lane, case, setup, checks, known),
        probe::SUITE => probe::check(lane, case, checks),
        _ => Err(no_such_suite(suite)),
    }
}

/// The names of the fixtures that a case of a suite is measured on.
///
/// # Errors
///
/// A suite or case that there isn't.
pub fn fixtures(suite: &str, case: &Case) -> Result<Vec<String>, WorkloadError> {
    match suite {
        dashboard::SUITE => dashboard::fixtures_for(case),
        probe::SUITE => Ok(Vec::new()),
        _ => Err(no_such_suite(suite)),
    }
}

fn no_such_suite(suite: &str) -> WorkloadError {
    WorkloadError::NoSuchSuite { suite: suite.to_owned() }
}

/// What the cells of a run are built from.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The seed of whatever in a fixture is random.
    pub seed: u64,
    /// A nullable value is null where `(row + column) % null_period == 0`.
    pub null_period: u32,
    /// Threads that the database and the lane may use: the CPUs that the run is bound to.
    pub threads: u32,
}

/// What one operation answered.
#[derive(Debug, Default)]
pub struct Response {
    /// Rows in the answer, counted while it was written.
    pub rows: u64,
    /// The answer as it would go to the client.
    pub body: Vec<u8>,
    /// The time that the operation took in nanoseconds, where it is not all that its caller waited.
    pub wall_ns: Option<u64>,
}

/// The counters that one operation reports beside its time, by metric name.
///
/// The caller owns it, with room for all, so that reporting allocates nothing.
#[derive(Debug, Default)]
pub struct Counters(Vec<(&'static str, u64)>);

impl Counters {
    /// Room for `metrics` counters.
    #[must_use]
    pub fn with_capacity(metrics: usize) -> Self {
        Self(Vec::with_capacity(metrics))
    }

    /// Reports `value` of `metric` for this operation.
    pub fn record(&mut self, metric: &'static str, value: u64) {
        self.0.push((metric, value));
    }

    /// Forgets the last operation's.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// What was reported, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().copied()
    }
}

/// One lane in one case, ready to run.
pub trait Bench {
    /// Whether every operation, or batch of a [`Crowd`], is to be preceded by [`Bench::prepare`].
    fn prepares(&self) -> bool {
        false
    }

    /// Makes the next operation ready, outside of what is timed and counted.
    ///
    /// # Errors
    ///
    /// Whatever keeps the lane from getting ready.
    fn prepare(&mut self) -> Result<(), WorkloadError> {
        Ok(())
    }

    /// The clients, where several ask at once. Then what is measured are their batches, and not single operations.
    fn crowd(&mut self) -> Option<&mut dyn Crowd> {
        None
    }

    /// What the lane reports once a run, by metric name; asked for before the timed pass.
    ///
    /// # Errors
    ///
    /// Whatever keeps the lane from telling.
    fn of_run(&mut self) -> Result<Vec<(&'static str, u64)>, WorkloadError> {
        Ok(Vec::new())
    }

    /// Runs one operation.
    ///
    /// # Errors
    ///
    /// Whatever keeps the lane from answering.
    fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError>;

    /// The rows that every answer must have.
    fn expected_rows(&self) -> u64;

    /// A digest of an answer that is equal for equal values, types, names and order: SHA-256 in hex.
    ///
    /// # Errors
    ///
    /// An answer that can't be read.
    fn digest(&self, response: &Response) -> Result<String, WorkloadError>;
}

/// Clients that ask at once.
pub trait Crowd {
    /// How many they are.
    fn clients(&self) -> u32;

    /// Has every client ask once, all arriving at one moment.
    ///
    /// # Errors
    ///
    /// Whatever kept one of them from its answer.
    fn ask(&mut self) -> Result<Batch, WorkloadError>;
}

/// The answers of one batch.
#[derive(Debug)]
pub struct Batch {
    /// From the arrival of all to the last answer, in nanoseconds.
    pub wall_ns: u64,
    /// The answers, in the order in which they came.
    pub asked: Vec<Asked>,
}

/// One client's answer.
#[derive(Debug)]
pub struct Asked {
    /// From the arrival of all to this answer, in nanoseconds.
    pub latency_ns: u64,
    /// What the request reported.
    pub counters: Counters,
    /// The answer.
    pub response: Response,
}

/// What the mutex guards. A holder that panicked ends its own request, and is no reason to end the others'.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How one check of one lane in one case came out.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CheckResult {
    /// The check's name in the catalogue.
    pub check: String,
    /// The case.
    pub case: Case,
    /// `None` where it holds; else what was found and what was expected.
    pub failure: Option<String>,
}

/// How checks came out that do not look at all of their case: by check, and by what of the case they look at.
#[derive(Debug, Default)]
pub struct Known(BTreeMap<(String, String), Result<(), String>>);

impl Known {
    /// How `check` came out where it looks at `part` of the case; it is run if nobody did yet.
    fn get_or_run(
        &mut self,
        check: &str,
        part: String,
        run: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        self.0.entry((check.to_owned(), part)).or_insert_with(run).clone()
    }
}

/// What keeps a lane from answering.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The suite does not have the lane.
    #[error("suite `{suite}` has no lane `{lane}`")]
    NoSuchLane {
        /// The suite.
        suite: &'static str,
        /// The lane asked for.
        lane: String,
    },
    /// There is no such suite.
    #[error("there is no suite `{suite}`")]
    NoSuchSuite {
        /// The suite asked for.
        suite: String,
    },
    /// The suite does not have the check.
    #[error("suite `{suite}` has no check `{check}`")]
    NoSuchCheck {
        /// The suite.
        suite: &'static str,
        /// The check asked for.
        check: String,
    },
    /// The case lacks an axis that the suite needs, or has a value there that it can't use.
    #[error("suite `{suite}` can't run the case `{case}`: axis `{axis}` must be {expected}")]
    Axis {
        /// The suite.
        suite: &'static str,
        /// The axis.
        axis: &'static str,
        /// The case.
        case: Case,
        /// What the axis may be.
        expected: &'static str,
    },
    /// The answer is too small for what the consumer is there for.
    #[error(
        "the answer has {bytes} bytes, and the consumer `{consumer}` blocks nobody with fewer than {least}; take more rows or the wide shape"
    )]
    NothingBlocks {
        /// The consumer.
        consumer: &'static str,
        /// The bytes of the answer.
        bytes: usize,
        /// The bytes that it must have.
        least: usize,
    },
    /// A server or its client failed.
    #[error(transparent)]
    Http(#[from] dashboard::http::HttpError),
    /// The lane does not take the case.
    #[error("lane `{lane}` of suite `{suite}` can't run the case `{case}`: axis `{axis}` must be {}", values.join(" or "))]
    Refused {
        /// The suite.
        suite: &'static str,
        /// The lane.
        lane: String,
        /// The case.
        case: Case,
        /// The axis.
        axis: &'static str,
        /// The values that it takes there.
        values: &'static [&'static str],
    },
    /// A request was not answered.
    #[error(transparent)]
    Query(#[from] dashboard::error::QueryError),
    /// A fixture could not be made or trusted.
    #[error(transparent)]
    Fixture(#[from] FixtureError),
    /// DuckDB failed.
    #[error("run DuckDB: {0}")]
    Database(#[from] duckdb::Error),
    /// Arrow data could not be built, written or read.
    #[error("read or write Arrow data: {0}")]
    Arrow(#[from] arrow::error::ArrowError),
    /// A program can't be executed.
    #[error("execute `{program}`: {source}")]
    Execute {
        /// The program and its arguments.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// An answer is not what it must be.
    #[error("{0}")]
    Answer(String),
}
