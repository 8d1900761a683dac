//! One client that asks over and over, in the process of the engine.

use std::sync::Arc;

use super::answer;
use super::engine::{Capacity, Engine, Table};
use super::expect::Expectation;
use super::governor::ANALYST;
use super::lane::{Answered, Buffer, Lane};
use super::request::{Filter, Format, Identity, Request, Visual};
use super::trace::Trace;
use crate::workload::{Bench, Counters, Response, Setup, WorkloadError};

/// What a case is about: a table, what is drawn of it, and in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The table.
    pub table: Table,
    /// What is drawn.
    pub visual: Visual,
    /// The form of the answer.
    pub format: Format,
}

impl Subject {
    /// The detail table as Arrow.
    #[must_use]
    pub const fn detail(table: Table) -> Self {
        Self { table, visual: Visual::Detail, format: Format::Arrow }
    }

    /// The request for all of it, on behalf of `principal`.
    ///
    /// The page is one row longer than the table: it is the last one, and no lane counts rows.
    #[must_use]
    pub fn request(self, principal: &str) -> Request {
        Request {
            identity: Identity::of(principal),
            visual: self.visual,
            filter: Filter::Every,
            limit: self.table.rows + 1,
            cursor: None,
            format: self.format,
        }
    }
}

/// One lane over one subject.
pub struct Dashboard {
    lane: Lane,
    engine: Arc<Engine>,
    request: Request,
    expected: Expectation,
    rows: u64,
}

impl Dashboard {
    /// Opens an engine over the subject's table, prepares the query, and where the lane is warm has its result kept.
    ///
    /// # Errors
    ///
    /// Whatever keeps the engine from opening, or the lane from answering.
    pub fn open(lane: Lane, subject: Subject, setup: &Setup) -> Result<Self, WorkloadError> {
        let engine = Arc::new(Engine::open(subject.table, setup, Capacity::default())?);
        Self::over(engine, lane, subject)
    }

    /// Over an engine that is open.
    ///
    /// # Errors
    ///
    /// Whatever keeps the lane from answering.
    pub fn over(engine: Arc<Engine>, lane: Lane, subject: Subject) -> Result<Self, WorkloadError> {
        let request = subject.request(ANALYST);
        let expected = Expectation::of(lane, &request);
        let mut bench = Self { lane, engine, request, expected, rows: 0 };
        let governed = bench.engine.govern(&bench.request, &mut Trace::default())?;
        bench.engine.pool.prepare(&governed.definition.sql)?;
        drop(governed);
        if lane.is_warm() {
            bench.answer(Filter::Every)?;
        }
        // The shape of a matrix follows from its data, and is held to the fixture by the checks.
        bench.rows = bench.answer(Filter::Every)?.0.rows;
        Ok(bench)
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Answers the request with this filter once.
    ///
    /// # Errors
    ///
    /// Whatever keeps the lane from answering.
    pub fn answer(&self, filter: Filter) -> Result<(Response, Answered), WorkloadError> {
        let request = Request { filter, ..self.request.clone() };
        let mut buffer = Buffer::default();
        let answered = self.lane.answer(&self.engine, &request, &mut Trace::default(), &mut buffer)?;
        Ok((Response { rows: answered.rows, body: buffer.body, wall_ns: None }, answered))
    }
}

impl Bench for Dashboard {
    fn prepares(&self) -> bool {
        self.expected.is_cold()
    }

    fn prepare(&mut self) -> Result<(), WorkloadError> {
        if self.expected.is_cold() {
            self.engine.cache.clear();
        }
        Ok(())
    }

    fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
        let mut trace = Trace::default();
        let mut buffer = Buffer::default();
        let answered = self.lane.answer(&self.engine, &self.request, &mut trace, &mut buffer)?;
        self.expected.hold(&trace)?;
        trace.report(counters, self.request.format, buffer.body.len());
        Ok(Response { rows: answered.rows, body: buffer.body, wall_ns: None })
    }

    fn expected_rows(&self) -> u64 {
        self.rows
    }

    fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
        answer::digest(self.request.format, &response.body)
    }
}
