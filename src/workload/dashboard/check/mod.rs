//! The checks of the suite: each holds an answer, or the way it came about, to the fixture.
//!
//! All fail closed: an answer that can't be had or read fails every check that needs it.

mod answers;
mod behaviour;
mod text;

pub use answers::AnswerCheck;
pub use behaviour::{empty_result, multiple_batches, one_query};

use arrow::record_batch::RecordBatch;

use super::answer::{self, Decoded};
use super::lane::{Answer, Dashboard, Lane};
use super::query::Filter;
use super::{SUITE, fixture_name};
use crate::fixture::{self, Family, Name, Shape, orders};
use crate::unit::Case;
use crate::workload::catalogue::DASHBOARD;
use crate::workload::{Bench, CheckResult, Counters, Setup, WorkloadError};

/// Rows of the answer that must come in several batches: DuckDB's hold at most 2,048.
const MANY_ROWS: u32 = 10_000;

/// Runs these checks of the lane called `lane` in this case.
///
/// # Errors
///
/// A lane, case or check that the suite does not have, or whatever keeps DuckDB from opening.
pub fn check(lane: &str, case: &Case, setup: &Setup, checks: &[String]) -> Result<Vec<CheckResult>, WorkloadError> {
    let Name { shape, rows, .. } = fixture_name(case)?;
    let lane = Lane::named(lane)?;
    if let Some(unknown) = checks.iter().find(|check| DASHBOARD.check(check).is_none()) {
        return Err(WorkloadError::NoSuchCheck { suite: SUITE, check: unknown.clone() });
    }
    let mut subject = Subject::open(lane, shape, rows, setup)?;
    let results = checks.iter().map(|check| CheckResult {
        check: check.clone(),
        case: case.clone(),
        failure: subject.run(check).err(),
    });
    Ok(results.collect())
}

/// A lane under test beside what its answers must hold.
struct Subject<'a> {
    lane: Lane,
    shape: Shape,
    setup: &'a Setup,
    bench: Dashboard,
    oracle: RecordBatch,
    answer: Result<(Answer, Decoded), String>,
}

impl<'a> Subject<'a> {
    fn open(lane: Lane, shape: Shape, rows: u32, setup: &'a Setup) -> Result<Self, WorkloadError> {
        let oracle = orders::table(shape, rows, setup.null_period)?;
        let bench = Dashboard::open(lane, shape, rows, setup)?;
        let answer = ask(&bench, Filter::Every);
        Ok(Self { lane, shape, setup, bench, oracle, answer })
    }

    fn run(&mut self, check: &str) -> Result<(), String> {
        if let Some(check) = AnswerCheck::named(check) {
            let (answer, decoded) = self.answer.as_ref().map_err(Clone::clone)?;
            return check.judge_table(&self.oracle, answer.response.rows, &decoded.table);
        }
        match check {
            "empty-result" => self.empty_result(),
            "multiple-batches" => self.multiple_batches(),
            "one-query" => self.one_query(),
            _ => Err(format!("nobody taught the suite how to run the check `{check}`")),
        }
    }

    fn empty_result(&self) -> Result<(), String> {
        let (full, _) = self.answer.as_ref().map_err(Clone::clone)?;
        let empty = self.bench.answer(Filter::Nothing).map_err(|error| error.to_string())?;
        behaviour::empty_result(&self.oracle.schema(), &full.response, &empty.response)
    }

    fn multiple_batches(&self) -> Result<(), String> {
        let name = Name { family: Family::Orders, shape: self.shape, rows: MANY_ROWS }.to_string();
        let oracle = fixture::generate(&name, self.setup.null_period).map_err(text::of)?;
        let digest = fixture::digest(&oracle).map_err(text::of)?;
        fixture::verify(&name, self.setup.null_period, &digest).map_err(text::of)?;
        let bench = Dashboard::open(self.lane, self.shape, MANY_ROWS, self.setup).map_err(text::of)?;
        let answer = bench.answer(Filter::Every).map_err(text::of)?;
        behaviour::multiple_batches(self.lane, &oracle, &answer)
    }

    fn one_query(&mut self) -> Result<(), String> {
        let mut counters = Counters::default();
        let before = self.bench.source().executed();
        let log = self.bench.source().log().map_err(text::of)?;
        self.bench.operation(&mut counters).map_err(text::of)?;
        let logged = log.queries().map_err(text::of)?;
        let counted = self.bench.source().executed() - before;
        let reported = counters.iter().find(|(name, _)| *name == "physical_queries");
        behaviour::one_query(counted, reported.map(|(_, value)| value), logged)
    }
}

fn ask(bench: &Dashboard, filter: Filter) -> Result<(Answer, Decoded), String> {
    let answer = bench.answer(filter).map_err(|error| error.to_string())?;
    let decoded = answer::decode(&answer.response.body).map_err(|error| error.to_string())?;
    Ok((answer, decoded))
}
