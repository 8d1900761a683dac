//! A lane behind a server, measured with one kind of consumer.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::client::{Client, Manner};
use super::raw::Raw;
use super::server::{Finished, Options, SLOW_CONSUMER, SMALL_BUFFER, Server};
use crate::digest::sha256;
use crate::measure::memory;
use crate::workload::dashboard::answer;
use crate::workload::dashboard::bench::{Dashboard, Subject};
use crate::workload::dashboard::engine::{Capacity, Engine};
use crate::workload::dashboard::error::QueryError;
use crate::workload::dashboard::expect::Expectation;
use crate::workload::dashboard::governor::ANALYST;
use crate::workload::dashboard::lane::{Answered, Lane};
use crate::workload::dashboard::request::{Filter, Identity, Request};
use crate::workload::dashboard::trace::Trace;
use crate::workload::{Bench, Counters, Response, Setup, WorkloadError};

/// Connections to the database.
pub const CONNECTIONS: usize = 2;

/// How soon all that a request held must be free once its client has left or was cut off.
pub const FREE: Duration = Duration::from_secs(2);

/// How long a consumer is let block where it is there to hold something, and not to be cut off.
const HELD: Duration = Duration::from_mins(1);

/// How long a delayed consumer waits behind the head.
const DELAY: Duration = Duration::from_millis(100);

/// The bytes from which an answer is sure to block a lane whose client does not read.
///
/// A chunk in the pipe, one and a half with hyper, and what the two sockets take with the least buffers that there are,
/// come to half of this.
pub const BLOCKS: usize = 128 << 10;

/// Who takes the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consumer {
    /// One who reads on.
    Normal,
    /// One who waits 100 ms behind the head.
    Delayed,
    /// One who leaves behind the first bytes of the body.
    Disconnecting,
    /// One who reads on, beside another who holds a lane and does not read.
    BesideSlow,
    /// One who never reads.
    Stalled,
}

impl Consumer {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Normal, Self::Delayed, Self::Disconnecting, Self::BesideSlow, Self::Stalled];

    /// The name in gate files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Delayed => "delayed",
            Self::Disconnecting => "disconnecting",
            Self::BesideSlow => "beside-slow",
            Self::Stalled => "stalled",
        }
    }

    /// The consumer called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|consumer| consumer.name() == name)
    }

    /// Whether its operations end with a whole answer.
    #[must_use]
    pub const fn is_answered(self) -> bool {
        matches!(self, Self::Normal | Self::Delayed | Self::BesideSlow)
    }

    /// Whether somebody in it does not read, so that the answer must be larger than all buffers.
    #[must_use]
    pub const fn blocks(self) -> bool {
        matches!(self, Self::Disconnecting | Self::BesideSlow | Self::Stalled)
    }

    const fn deadline(self) -> Duration {
        match self {
            Self::Disconnecting | Self::BesideSlow => HELD,
            Self::Normal | Self::Delayed | Self::Stalled => SLOW_CONSUMER,
        }
    }

    const fn manner(self) -> Manner {
        match self {
            // With a small buffer of its own, or the kernel takes the answer in its stead.
            Self::Delayed => Manner { receive_buffer: Some(SMALL_BUFFER), pause: DELAY },
            _ => Manner { receive_buffer: None, pause: Duration::ZERO },
        }
    }
}

/// A consumer that does not read.
struct Idle {
    raw: Raw,
    correlation: String,
    /// By how much resident memory grew until it blocked.
    grown_bytes: u64,
}

/// One lane over one subject, behind a server.
pub struct Served {
    consumer: Consumer,
    lane: Lane,
    server: Server,
    client: Client,
    idle: Option<Idle>,
    request: Request,
    expected: Expectation,
    rows: u64,
    asked: u64,
}

impl Served {
    /// Opens an engine with two connections over the subject's table, and a server over it; where the lane is warm, has its
    /// result kept.
    ///
    /// # Errors
    ///
    /// Whatever keeps engine, server or client from starting or the lane from answering; or the answer is too small to block
    /// anybody, and the consumer is there to.
    pub fn open(consumer: Consumer, lane: Lane, subject: Subject, setup: &Setup) -> Result<Self, WorkloadError> {
        let capacity = Capacity { connections: CONNECTIONS, ..Capacity::default() };
        let engine = Arc::new(Engine::open(subject.table, setup, capacity)?);
        let bench = Dashboard::over(Arc::clone(&engine), lane, subject)?;
        let bytes = bench.answer(Filter::Every)?.0.body.len();
        if consumer.blocks() && bytes < BLOCKS {
            return Err(WorkloadError::NothingBlocks { consumer: consumer.name(), bytes, least: BLOCKS });
        }
        let rows = if consumer.is_answered() { bench.expected_rows() } else { 0 };
        let options = Options { slow_consumer: consumer.deadline(), ..Options::default() };
        let server = Server::start(engine, options)?;
        let client = Client::connect(server.address(), consumer.manner())?;
        let request = subject.request(ANALYST);
        let expected = Expectation::of(lane, &request);
        Ok(Self { consumer, lane, server, client, idle: None, request, expected, rows, asked: 0 })
    }

    /// The server.
    #[must_use]
    pub const fn server(&self) -> &Server {
        &self.server
    }

    /// The request, under a correlation that no other had.
    fn next(&mut self) -> Request {
        self.asked += 1;
        let correlation = format!("{}-{}", self.consumer.name(), self.asked);
        let identity = Identity { correlation, ..self.request.identity.clone() };
        Request { identity, ..self.request.clone() }
    }

    fn empty_where_cold(&self) {
        if self.expected.is_cold() {
            self.server.engine().cache.clear();
        }
    }

    /// Has a consumer ask and not read, until its lane waits for it.
    fn block(&mut self) -> Result<(), WorkloadError> {
        let request = self.next();
        self.empty_where_cold();
        let before = resident()?;
        let mut raw = Raw::connect(self.server.address())?;
        raw.ask(self.lane, &request)?;
        raw.first_byte(HELD)?;
        self.server.wait_until_blocked(1, FREE)?;
        let grown_bytes = resident()?.saturating_sub(before);
        self.idle = Some(Idle { raw, correlation: request.identity.correlation, grown_bytes });
        Ok(())
    }

    /// Reads a whole answer.
    fn whole(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
        let request = self.next();
        let reply = self.client.ask(self.lane, &request)?;
        let rows = reply.whole()?;
        let Finished { mut trace, outcome, .. } = self.server.finished_as(&request.identity.correlation, FREE)?;
        outcome?;
        self.expected.hold(&trace)?;
        if let Some(idle) = &self.idle {
            if self.server.blocked() != 1 {
                let blocked = self.server.blocked();
                return Err(WorkloadError::Answer(format!("expected one blocked consumer, found {blocked}")));
            }
            trace.blocked_hold_ns = self.server.held_ns(&idle.correlation).unwrap_or_default();
            trace.blocked_rss_bytes = idle.grown_bytes;
        }
        trace.report(counters, request.format, reply.body.len());
        Ok(Response { rows, body: reply.body, wall_ns: None })
    }

    /// Leaves, and waits until all is free.
    fn disconnected(&mut self) -> Result<Trace, WorkloadError> {
        if self.idle.is_none() {
            self.prepare()?;
        }
        let Some(Idle { raw, correlation, .. }) = self.idle.take() else {
            return Err(WorkloadError::Answer("there is no consumer that could leave".to_owned()));
        };
        drop(raw);
        self.server.settle(FREE)?;
        let finished = self.server.finished_as(&correlation, FREE)?;
        broken(&finished.outcome, io::ErrorKind::BrokenPipe)?;
        Ok(finished.trace)
    }

    /// Never reads, and waits until it is cut off and all is free.
    fn stalled(&mut self) -> Result<Trace, WorkloadError> {
        let request = self.next();
        let mut raw = match self.idle.take() {
            Some(idle) => idle.raw,
            None => Raw::connect(self.server.address())?,
        };
        raw.ask(self.lane, &request)?;
        let finished = self.server.finished_as(&request.identity.correlation, self.consumer.deadline() + FREE)?;
        self.server.settle(FREE)?;
        broken(&finished.outcome, io::ErrorKind::TimedOut)?;
        Ok(finished.trace)
    }
}

/// Holds the end of a request to having been this fault of its client.
fn broken(outcome: &Result<Answered, QueryError>, expected: io::ErrorKind) -> Result<(), WorkloadError> {
    let found = match outcome {
        Err(QueryError::Client(error)) if error.kind() == expected => return Ok(()),
        Err(error) => error.to_string(),
        Ok(answered) => format!("an answer of {} rows that was taken whole", answered.rows),
    };
    Err(WorkloadError::Answer(format!("expected the request to end with its client ({expected}), found: {found}")))
}

fn resident() -> Result<u64, WorkloadError> {
    let resident = memory::resident();
    Ok(resident.map_err(|error| WorkloadError::Answer(format!("read the resident memory: {error}")))?.now_bytes)
}

impl Bench for Served {
    fn prepares(&self) -> bool {
        self.consumer.blocks() || self.expected.is_cold()
    }

    fn prepare(&mut self) -> Result<(), WorkloadError> {
        if self.idle.take().is_some() {
            self.server.settle(FREE)?;
        }
        match self.consumer {
            Consumer::Disconnecting | Consumer::BesideSlow => self.block()?,
            Consumer::Stalled => {
                let raw = Raw::connect(self.server.address())?;
                self.idle = Some(Idle { raw, correlation: String::new(), grown_bytes: 0 });
            }
            Consumer::Normal | Consumer::Delayed => {}
        }
        self.empty_where_cold();
        Ok(())
    }

    fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
        let trace = match self.consumer {
            Consumer::BesideSlow if self.idle.is_none() => {
                self.prepare()?;
                return self.whole(counters);
            }
            Consumer::Normal | Consumer::Delayed | Consumer::BesideSlow => return self.whole(counters),
            Consumer::Disconnecting => self.disconnected()?,
            Consumer::Stalled => self.stalled()?,
        };
        trace.report(counters, self.request.format, 0);
        Ok(Response::default())
    }

    fn expected_rows(&self) -> u64 {
        self.rows
    }

    fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
        if !self.consumer.is_answered() && response.body.is_empty() {
            return Ok(sha256(&[]));
        }
        answer::digest(self.request.format, &response.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_consumer_has_a_name() {
        for consumer in Consumer::ALL {
            assert_eq!(Consumer::named(consumer.name()), Some(consumer));
        }
        assert_eq!(Consumer::named("none"), None);
    }
}
