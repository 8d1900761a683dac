//! A lane on trial, beside what its answers must hold.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use serde_json::Value;

use super::text::{self, of};
use super::{AnswerCheck, behaviour, governance, oracle, pages, retention, transport, types};
use crate::fixture::{self, Family, Name, orders};
use crate::workload::dashboard::answer;
use crate::workload::dashboard::bench::{Dashboard, Subject};
use crate::workload::dashboard::engine::{Capacity, Engine, Table};
use crate::workload::dashboard::error::QueryError;
use crate::workload::dashboard::governor::ANALYST;
use crate::workload::dashboard::lane::{Answered, Buffer, Lane};
use crate::workload::dashboard::request::{Filter, Format, Request, Visual};
use crate::workload::dashboard::trace::Trace;
use crate::workload::{Bench, Counters, Response, Setup, WorkloadError};

/// Rows of the answer that must come in several batches: DuckDB's hold at most 2,048.
const MANY_ROWS: u32 = 10_000;

/// Rows of the table on which the way is tried that answers come about.
const FEW_ROWS: u32 = 50;

/// An answer that was read.
pub(super) enum Given {
    /// An Arrow stream, and the rows that the lane says it has.
    Arrow(u64, RecordBatch),
    /// JSON, and the rows that the lane says it has.
    Json(u64, Value),
}

impl Given {
    /// Reads an answer.
    pub(super) fn read(format: Format, response: &Response) -> Result<Self, String> {
        match format {
            Format::Arrow => Ok(Self::Arrow(response.rows, answer::decode(&response.body).map_err(of)?.table)),
            Format::Json => serde_json::from_slice(&response.body)
                .map(|value| Self::Json(response.rows, value))
                .map_err(|error| format!("the answer of {} bytes is no JSON: {error}", response.body.len())),
        }
    }

    /// The answer of a piece.
    pub(super) fn of_piece(piece: &mut dyn Bench, subject: Subject) -> Result<(Response, Option<Self>), String> {
        piece.prepare().map_err(of)?;
        let response = piece.operation(&mut Counters::default()).map_err(of)?;
        if response.body.is_empty() {
            return Ok((response, None));
        }
        let format = if response.body.starts_with(b"{") { Format::Json } else { subject.format };
        let given = Self::read(format, &response)?;
        Ok((response, Some(given)))
    }
}

/// Runs a check of a piece, whose answer was read if it makes one.
pub(super) fn judge_piece(
    check: &str,
    lane: &str,
    subject: Subject,
    setup: &Setup,
    given: &Result<(Response, Option<Given>), String>,
) -> Result<(), String> {
    let (response, given) = given.as_ref().map_err(Clone::clone)?;
    if check == "row-count" && given.is_none() {
        // A lookup finds one result, whatever its rows.
        let expected = if lane == "stage:warm-lookup" { 1 } else { u64::from(subject.table.rows) };
        let found = response.rows;
        return if found == expected { Ok(()) } else { Err(format!("expected {expected} rows, found {found}")) };
    }
    let family = if lane.starts_with("stage:") { Family::Arrow } else { Family::Orders };
    let Table { shape, rows } = subject.table;
    let table = fixture::generate(&Name { family, shape, rows }.to_string(), setup.null_period).map_err(of)?;
    match (AnswerCheck::named(check), given) {
        (Some(AnswerCheck::RowCount), Some(Given::Json(said, value))) => rows_of_json(u64::from(rows), *said, value),
        (Some(check), Some(Given::Arrow(rows, found))) => check.judge_table(&table, *rows, found),
        _ => Err(format!("a piece of a path makes nothing that `{check}` could be held to")),
    }
}

fn rows_of_json(expected: u64, said: u64, value: &Value) -> Result<(), String> {
    let found = value["frames"][0]["rows"].as_array().map_or(0, Vec::len) as u64;
    if (found, said) == (expected, expected) {
        return Ok(());
    }
    Err(format!("expected {expected} rows, found {found} in an answer that says it has {said}"))
}

/// A lane under test.
pub(super) struct Trial<'a> {
    pub(super) lane: Lane,
    pub(super) subject: Subject,
    pub(super) setup: &'a Setup,
    bench: Dashboard,
    orders: RecordBatch,
    given: Result<(Response, Given), String>,
}

impl<'a> Trial<'a> {
    /// Opens the lane, and has it answer once.
    pub(super) fn open(lane: Lane, subject: Subject, setup: &'a Setup) -> Result<Self, WorkloadError> {
        let orders = orders::table(subject.table.shape, subject.table.rows, setup.null_period)?;
        let bench = Dashboard::open(lane, subject, setup)?;
        let given = bench.answer(Filter::Every).map_err(of).and_then(|(response, _)| {
            let given = Given::read(subject.format, &response)?;
            Ok((response, given))
        });
        Ok(Self { lane, subject, setup, bench, orders, given })
    }

    /// Whether a check looks at the case's own answer; the others make tables of their own.
    pub(super) fn looks_at_the_case(check: &str) -> bool {
        AnswerCheck::named(check).is_some()
            || ["empty-result", "one-query", "cache-outcomes", "handler-parity"].contains(&check)
    }

    /// Runs a check.
    pub(super) fn run(&mut self, check: &str) -> Result<(), String> {
        if let Some(check) = AnswerCheck::named(check) {
            let (_, given) = self.given.as_ref().map_err(Clone::clone)?;
            return judge(check, self.subject.visual, &self.orders, self.subject.table, given);
        }
        match check {
            "empty-result" => self.empty_result(),
            "multiple-batches" => self.multiple_batches(),
            "one-query" => self.one_query(),
            "governance" => governance::governance(self),
            "denied-first" => governance::denied_first(self),
            "row-policy" => governance::row_policy(self),
            "column-mask" => governance::column_mask(self),
            "result-budget" => governance::result_budget(self),
            "pagination" => pages::pagination(self),
            "cache-outcomes" => retention::cache_outcomes(self),
            "fresh-data" => retention::fresh_data(self),
            "own-scope" => retention::own_scope(self),
            "nothing-left" => retention::nothing_left(self),
            "type-fidelity" => types::type_fidelity(self),
            "handler-parity" => transport::handler_parity(self),
            "cancel-before-first-batch" => transport::cancel_before_first_batch(self),
            "cancel-while-streaming" => transport::cancel_while_streaming(self),
            "slow-consumer" => transport::slow_consumer(self),
            "independent-request" => transport::independent_request(self),
            "no-false-success" => transport::no_false_success(self),
            "pool-exhausted" => transport::pool_exhausted(self),
            _ => Err(format!("nobody taught the suite how to run the check `{check}`")),
        }
    }

    /// An engine over a small table of the same shape, for what does not depend on its rows.
    pub(super) fn small(&self) -> Result<Engine, String> {
        self.engine(FEW_ROWS)
    }

    /// An engine over a table of the same shape with so many rows.
    pub(super) fn engine(&self, rows: u32) -> Result<Engine, String> {
        self.engine_with(rows, Capacity::default())
    }

    /// An engine with this capacity over a table of the same shape with so many rows.
    pub(super) fn engine_with(&self, rows: u32, capacity: Capacity) -> Result<Engine, String> {
        Engine::open(Table { rows, ..self.subject.table }, self.setup, capacity).map_err(of)
    }

    /// The subject, as a table of so many rows: in Arrow, or in JSON where the case asks for it.
    pub(super) fn table(&self, rows: u32) -> Subject {
        let table = Table { rows, ..self.subject.table };
        Subject { table, visual: Visual::Detail, format: self.subject.format }
    }

    /// What the small table holds.
    pub(super) fn small_orders(&self) -> Result<RecordBatch, String> {
        orders::table(self.subject.table.shape, FEW_ROWS, self.setup.null_period).map_err(of)
    }

    /// The request of `principal` for all rows of the small table.
    pub(super) fn small_request(&self, principal: &str) -> Request {
        self.table(FEW_ROWS).request(principal)
    }

    /// Holds an answer about the detail table to these rows of it.
    pub(super) fn hold(&self, expected: &RecordBatch, total: Option<u64>, asked: &Asked) -> Result<(), String> {
        let response = Response { rows: asked.answered.rows, body: asked.buffer.body.clone(), wall_ns: None };
        match Given::read(self.subject.format, &response)? {
            Given::Arrow(rows, table) => {
                AnswerCheck::RowCount.judge_table(expected, rows, &table)?;
                AnswerCheck::ProjectionOrder.judge_table(expected, rows, &table)?;
                self.whole().judge_table(expected, rows, &table)
            }
            Given::Json(_, found) => {
                let expected = oracle::envelope(Visual::Detail, self.subject.table.shape, expected, total)?;
                oracle::difference(&expected, &found, "the answer").map_or(Ok(()), Err)
            }
        }
    }

    /// The check that sees every value of the lane's answers to tables.
    pub(super) fn whole(&self) -> AnswerCheck {
        if self.lane.is_native(&self.table(1).request(ANALYST)) {
            AnswerCheck::ExactValues
        } else {
            AnswerCheck::StringProjection
        }
    }

    fn empty_result(&self) -> Result<(), String> {
        let (full, _) = self.given.as_ref().map_err(Clone::clone)?;
        let (empty, _) = self.bench.answer(Filter::Nothing).map_err(of)?;
        let none = self.orders.slice(0, 0);
        let Table { shape, .. } = self.subject.table;
        match self.subject.format {
            Format::Arrow => {
                let asked = oracle::table(self.subject.visual, shape, &none)?.ok_or("the visual is no table")?;
                behaviour::empty_result(&asked.schema(), full, &empty)
            }
            Format::Json => {
                let Given::Json(_, found) = Given::read(Format::Json, &empty)? else {
                    return Err("no JSON".to_owned());
                };
                let expected = oracle::envelope(self.subject.visual, shape, &none, Some(0))?;
                oracle::difference(&expected, &found, "the answer").map_or(Ok(()), Err)
            }
        }
    }

    fn multiple_batches(&self) -> Result<(), String> {
        let Subject { table, .. } = self.subject;
        let name = Name { family: Family::Orders, shape: table.shape, rows: MANY_ROWS }.to_string();
        let oracle = fixture::generate(&name, self.setup.null_period).map_err(text::of)?;
        let digest = fixture::digest(&oracle).map_err(text::of)?;
        fixture::verify(&name, self.setup.null_period, &digest).map_err(text::of)?;
        let engine = self.engine(MANY_ROWS)?;
        let asked = ask(&engine, self.lane, &self.table(MANY_ROWS).request(ANALYST)).map_err(of)?;
        behaviour::multiple_batches(MANY_ROWS, asked.answered.batches)?;
        self.hold(&oracle, Some(u64::from(MANY_ROWS)), &asked)
    }

    fn one_query(&mut self) -> Result<(), String> {
        let engine = Arc::clone(self.bench.engine());
        let mut counters = Counters::default();
        let before = engine.pool.executed();
        let log = {
            let connected = engine.connect(&mut Trace::default()).map_err(of)?;
            connected.log().map_err(of)?
        };
        self.bench.operation(&mut counters).map_err(of)?;
        let logged = log.queries().map_err(of)?;
        let counted = engine.pool.executed() - before;
        let reported = counters.iter().find(|(name, _)| *name == "physical_queries");
        behaviour::one_query(counted, reported.map(|(_, value)| value), logged)
    }
}

fn judge(check: AnswerCheck, visual: Visual, orders: &RecordBatch, table: Table, given: &Given) -> Result<(), String> {
    match given {
        Given::Arrow(rows, found) => {
            let expected = oracle::table(visual, table.shape, orders)?.ok_or("the visual is no table")?;
            check.judge_table(&expected, *rows, found)
        }
        Given::Json(said, found) => {
            let expected = oracle::envelope(visual, table.shape, orders, Some(u64::from(table.rows)))?;
            match check {
                AnswerCheck::StringProjection => oracle::difference(&expected, found, "the answer").map_or(Ok(()), Err),
                AnswerCheck::ProjectionOrder => {
                    let columns = |value: &Value| -> Vec<Value> {
                        let frames = value["frames"].as_array().cloned().unwrap_or_default();
                        frames.into_iter().map(|frame| frame["columns"].clone()).collect()
                    };
                    let (expected, found) = (columns(&expected), columns(found));
                    oracle::difference(&expected.into(), &found.into(), "the columns").map_or(Ok(()), Err)
                }
                AnswerCheck::RowCount => {
                    let rows = expected["frames"][0]["rows"].as_array().map_or(0, Vec::len);
                    rows_of_json(rows as u64, *said, found)
                }
                _ => Err(format!("a JSON answer has no types of Arrow, which `{}` looks at", check.name())),
            }
        }
    }
}

/// What a lane answered to one request, and what it did for it.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) buffer: Buffer,
    pub(super) answered: Answered,
    pub(super) trace: Trace,
}

impl Asked {
    /// Where the next page begins, by the head of the answer or by what follows it.
    pub(super) fn cursor(&self) -> Option<String> {
        self.answered.cursor.clone().or_else(|| self.buffer.cursor.clone())
    }
}

/// Asks once. What was written before an error is lost here; [`refusal`] looks at it.
pub(super) fn ask(engine: &Engine, lane: Lane, request: &Request) -> Result<Asked, QueryError> {
    let (mut buffer, mut trace) = (Buffer::default(), Trace::default());
    let answered = lane.answer(engine, request, &mut trace, &mut buffer)?;
    Ok(Asked { buffer, answered, trace })
}

/// Asks once for what must be refused: why it was, what was written all the same, and what was done.
///
/// # Errors
///
/// It was answered.
pub(super) fn refusal(engine: &Engine, lane: Lane, request: &Request) -> Result<(QueryError, Buffer, Trace), String> {
    let (mut buffer, mut trace) = (Buffer::default(), Trace::default());
    match lane.answer(engine, request, &mut trace, &mut buffer) {
        Err(error) => Ok((error, buffer, trace)),
        Ok(answered) => Err(format!("expected a refusal, found an answer of {} rows", answered.rows)),
    }
}
