//! Clients that all ask at one moment, each from a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Barrier, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::answer;
use super::bench::Subject;
use super::engine::{Capacity, Engine};
use super::error::QueryError;
use super::expect::{Expectation, nothing_left};
use super::governor::ANALYST;
use super::lane::{Buffer, Lane};
use super::request::{Identity, Request};
use super::trace::Trace;
use crate::measure::clock::{self, Moment};
use crate::workload::{Asked, Batch, Bench, Counters, Crowd, Response, Setup, WorkloadError, locked};

/// Connections that the clients share.
const CONNECTIONS: usize = 4;

/// How long a client waits for the others before it.
const PATIENCE: Duration = Duration::from_mins(1);

/// When the next batch arrives, and how many there were.
#[derive(Default)]
struct Gate {
    /// The number of the batch, and its moment; none once there will be no more.
    batch: Mutex<(u64, Option<Moment>)>,
    opened: Condvar,
}

/// One answer, from a client's thread.
type Told = Result<(u64, Trace, Response), QueryError>;

/// So many clients of one lane over one subject.
pub struct Clients {
    engine: Arc<Engine>,
    lane: Lane,
    request: Request,
    expected: Expectation,
    gate: Arc<Gate>,
    answers: Receiver<Told>,
    threads: Vec<thread::JoinHandle<()>>,
    rows: u64,
}

impl Clients {
    /// Opens an engine over the subject's table, and starts a thread for each client.
    ///
    /// # Errors
    ///
    /// Whatever keeps the engine from opening, a thread from starting, or the lane from answering.
    pub fn open(lane: Lane, subject: Subject, clients: u32, setup: &Setup) -> Result<Self, WorkloadError> {
        let capacity = Capacity { connections: CONNECTIONS, patience: PATIENCE, ..Capacity::default() };
        let engine = Arc::new(Engine::open(subject.table, setup, capacity)?);
        let bench = super::bench::Dashboard::over(Arc::clone(&engine), lane, subject)?;
        let rows = bench.expected_rows();
        let request = subject.request(ANALYST);
        let expected = Expectation::of(lane, &request);
        let gate = Arc::new(Gate::default());
        let (tell, answers) = mpsc::channel();
        let ready = Arc::new(Barrier::new(clients as usize + 1));
        let threads = (0..clients)
            .map(|number| {
                let correlation = format!("client-{number}");
                let identity = Identity { correlation, ..request.identity.clone() };
                let client = Client {
                    lane,
                    engine: Arc::clone(&engine),
                    request: Request { identity, ..request.clone() },
                    gate: Arc::clone(&gate),
                    tell: tell.clone(),
                };
                let ready = Arc::clone(&ready);
                thread::Builder::new()
                    .spawn(move || {
                        ready.wait();
                        client.run();
                    })
                    .map_err(|error| WorkloadError::Answer(format!("start client {number} of {clients}: {error}")))
            })
            .collect::<Result<_, _>>()?;
        ready.wait();
        Ok(Self { engine, lane, request, expected, gate, answers, threads, rows })
    }

    fn open_gate(&self, moment: Option<Moment>) {
        let mut batch = locked(&self.gate.batch);
        *batch = (batch.0 + 1, moment);
        drop(batch);
        self.gate.opened.notify_all();
    }
}

/// One client.
struct Client {
    lane: Lane,
    engine: Arc<Engine>,
    request: Request,
    gate: Arc<Gate>,
    tell: Sender<Told>,
}

impl Client {
    fn run(self) {
        let mut seen = 0;
        while let Some((batch, arrival)) = self.wait(seen) {
            seen = batch;
            // Others wait for every answer: a panic is one too.
            let told = catch_unwind(AssertUnwindSafe(|| self.ask(arrival)))
                .unwrap_or_else(|_| Err(QueryError::Answer("a client panicked".to_owned())));
            if self.tell.send(told).is_err() {
                return;
            }
        }
    }

    fn ask(&self, arrival: Moment) -> Told {
        let (mut trace, mut buffer) = (Trace::default(), Buffer::default());
        let answered = self.lane.answer(&self.engine, &self.request, &mut trace, &mut buffer)?;
        Ok((arrival.elapsed_ns(), trace, Response { rows: answered.rows, body: buffer.body, wall_ns: None }))
    }

    /// The next batch after `seen`, and the moment that it arrived; none once there will be no more.
    fn wait(&self, seen: u64) -> Option<(u64, Moment)> {
        let mut batch = locked(&self.gate.batch);
        while batch.0 == seen {
            batch = self.gate.opened.wait(batch).unwrap_or_else(PoisonError::into_inner);
        }
        Some((batch.0, batch.1?))
    }
}

impl Crowd for Clients {
    fn clients(&self) -> u32 {
        u32::try_from(self.threads.len()).unwrap_or(u32::MAX)
    }

    fn ask(&mut self) -> Result<Batch, WorkloadError> {
        let arrival = clock::now();
        self.open_gate(Some(arrival));
        let told: Vec<Told> = self.answers.iter().take(self.threads.len()).collect();
        let wall_ns = arrival.elapsed_ns();
        let (mut asked, mut traces) = (Vec::with_capacity(told.len()), Vec::with_capacity(told.len()));
        for told in told {
            let (latency_ns, trace, response) = told?;
            traces.push(trace);
            let mut counters = Counters::default();
            trace.report(&mut counters, self.request.format, response.body.len());
            asked.push(Asked { latency_ns, counters, response });
        }
        self.expected.hold_batch(&traces)?;
        nothing_left(&self.engine)?;
        Ok(Batch { wall_ns, asked })
    }
}

impl Bench for Clients {
    fn prepares(&self) -> bool {
        self.expected.is_cold()
    }

    fn prepare(&mut self) -> Result<(), WorkloadError> {
        if self.expected.is_cold() {
            self.engine.cache.clear();
        }
        Ok(())
    }

    fn crowd(&mut self) -> Option<&mut dyn Crowd> {
        Some(self)
    }

    /// One of the clients asks alone.
    fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
        let (mut trace, mut buffer) = (Trace::default(), Buffer::default());
        let answered = self.lane.answer(&self.engine, &self.request, &mut trace, &mut buffer)?;
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

impl Drop for Clients {
    fn drop(&mut self) {
        self.open_gate(None);
        for thread in self.threads.drain(..) {
            // A client that panicked has told so to nobody; its batch could not be whole, and was refused.
            let _ = thread.join();
        }
    }
}
