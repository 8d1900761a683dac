//! The checks over a real connection: what the handler answers, what it does without its client, and what it never says.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::text::of;
use super::trial::{Trial, ask};
use crate::measure::clock;
use crate::workload::dashboard::answer;
use crate::workload::dashboard::budget::ResultBudget;
use crate::workload::dashboard::engine::{Capacity, Engine};
use crate::workload::dashboard::error::QueryError;
use crate::workload::dashboard::governor::{ANALYST, GUEST};
use crate::workload::dashboard::http::client::{Client, Manner, Reply};
use crate::workload::dashboard::http::raw::Raw;
use crate::workload::dashboard::http::scenario::{CONNECTIONS, FREE};
use crate::workload::dashboard::http::server::{Finished, Options, SLOW_CONSUMER, Server};
use crate::workload::dashboard::http::{CURSOR, ROUTE, STATUS};
use crate::workload::dashboard::request::{Filter, Format, Identity, Request};
use crate::workload::dashboard::trace::Trace;

/// Rows of a table whose answer blocks whoever writes it to a client that does not read.
const MANY_ROWS: u32 = 10_000;
/// Rows of a table of which a page is full.
const PAGED_ROWS: u32 = 2_501;
/// Rows of that page.
const PAGE: u32 = 1_000;
/// How long a request waits for a connection where none is to come free.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long a client may block where it is not the deadline that is tried.
const HELD: Duration = Duration::from_mins(1);

/// A server over an engine of the trial's table with so many rows.
fn serve(trial: &Trial<'_>, rows: u32, slow_consumer: Duration) -> Result<Server, String> {
    let capacity = Capacity { connections: CONNECTIONS, patience: FREE, ..Capacity::default() };
    serve_over(trial.engine_with(rows, capacity)?, slow_consumer)
}

fn serve_over(engine: Engine, slow_consumer: Duration) -> Result<Server, String> {
    Server::start(Arc::new(engine), Options { slow_consumer, ..Options::default() }).map_err(of)
}

fn connect(server: &Server) -> Result<Client, String> {
    Client::connect(server.address(), Manner::default()).map_err(of)
}

/// The request for all rows, under this correlation.
fn request(trial: &Trial<'_>, rows: u32, correlation: &str) -> Request {
    let request = trial.table(rows).request(ANALYST);
    Request { identity: Identity { correlation: correlation.to_owned(), ..request.identity.clone() }, ..request }
}

/// Whether two bodies are the same answer: byte for byte, but for what lies under the nulls of an Arrow stream. That is
/// what DuckDB had left in its vectors, and differs from one run of a query to the next.
fn is_same(format: Format, one: &[u8], other: &[u8]) -> bool {
    let digest = |body| answer::digest(format, body).ok();
    one == other
        || format == Format::Arrow
            && one.len() == other.len()
            && digest(one).is_some_and(|one| digest(other) == Some(one))
}

/// Over HTTP comes byte for byte what the lane answers in this process, with the cursor in the same place.
pub(super) fn handler_parity(trial: &Trial<'_>) -> Result<(), String> {
    let server = serve(trial, PAGED_ROWS, HELD)?;
    let mut client = connect(&server)?;
    let page = Request { limit: PAGE, ..trial.table(PAGED_ROWS).request(ANALYST) };
    let drawn = Request { limit: PAGED_ROWS + 1, ..trial.subject.request(ANALYST) };
    for (what, request) in [("a full page", page), ("the visual of the case", drawn)] {
        let inside = ask(server.engine(), trial.lane, &request).map_err(of)?;
        let outside = client.ask(trial.lane, &request).map_err(of)?;
        let rows = outside.whole().map_err(|error| format!("{what}: {error}"))?;
        let expected = Reply {
            status: 200,
            snapshot: Some(server.engine().snapshot()),
            media_type: Some(request.format.media_type().to_owned()),
            head_cursor: inside.buffer.cursor,
            body: inside.buffer.body,
            is_complete: true,
            rows: Some(inside.answered.rows),
            trailing_cursor: inside.answered.cursor,
        };
        let same = is_same(request.format, &expected.body, &outside.body);
        if !same || (Reply { body: Vec::new(), ..outside.clone() }) != (Reply { body: Vec::new(), ..expected.clone() })
        {
            return Err(format!("{what}: {}", difference(&expected, &outside, rows)));
        }
        if (request.limit == PAGE) != outside.cursor().is_some() {
            return Err(format!("{what}: a cursor stands behind full pages only, found {:?}", outside.cursor()));
        }
    }
    for (status, method, path, body) in [
        (404, "POST", "/v1/dashboard/nobody".to_owned(), "{}".to_owned()),
        (404, "POST", format!("/{}", trial.lane.name), "{}".to_owned()),
        (405, "GET", format!("{ROUTE}{}", trial.lane.name), String::new()),
        (400, "POST", format!("{ROUTE}{}", trial.lane.name), "{\"visual\":".to_owned()),
        (413, "POST", format!("{ROUTE}{}", trial.lane.name), " ".repeat((64 << 10) + 1)),
    ] {
        let before = server.engine().audit.written();
        // What is too large may end the connection.
        let reply = connect(&server)?.send(method, &path, body.into_bytes()).map_err(of)?;
        refused(&reply, status).map_err(|found| format!("{method} {path}: {found}"))?;
        if server.engine().audit.written() != before {
            return Err(format!("{method} {path}: expected no lane to be asked"));
        }
    }
    server.settle(FREE).map_err(of)
}

fn difference(expected: &Reply, found: &Reply, rows: u64) -> String {
    let heads = |reply: &Reply| {
        let Reply { snapshot, media_type, head_cursor, trailing_cursor, .. } = reply;
        format!("snapshot {snapshot:?}, media type {media_type:?}, cursors {head_cursor:?} and {trailing_cursor:?}")
    };
    if heads(expected) != heads(found) {
        return format!("expected {}, found {}", heads(expected), heads(found));
    }
    let pairs = expected.body.iter().zip(&found.body);
    let first = pairs.take_while(|(expected, found)| expected == found).count();
    format!(
        "expected the {} bytes and {:?} rows of the lane, found {} bytes and {rows} rows; they differ from byte {first} on",
        expected.body.len(),
        expected.rows.unwrap_or_default(),
        found.body.len()
    )
}

/// Holds a refusal to its status, a reason, and no cursor.
fn refused(reply: &Reply, status: u16) -> Result<(), String> {
    let reason = serde_json::from_slice::<serde_json::Value>(&reply.body)
        .ok()
        .and_then(|body| Some(body.get("error")?.as_str()?.to_owned()));
    if reply.status == status && reason.is_some() && reply.cursor().is_none() && !reply.is_complete {
        return Ok(());
    }
    Err(format!(
        "expected status {status} with a reason and no cursor, found status {} with reason {reason:?} and cursor {:?}",
        reply.status,
        reply.cursor()
    ))
}

/// A client that leaves while the query runs takes it along.
pub(super) fn cancel_before_first_batch(trial: &Trial<'_>) -> Result<(), String> {
    let server = serve(trial, 50, HELD)?;
    let endless = Request { filter: Filter::Endless, ..request(trial, 50, "leaves-early") };
    let before = server.engine().pool.executed();
    cancelled(trial, &server, &endless, |_| {
        let begin = clock::now();
        while server.engine().pool.executed() == before {
            if begin.elapsed() > FREE {
                return Err("the query has not begun".to_owned());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // Into the query, and not only to its door.
        std::thread::sleep(Duration::from_millis(20));
        Ok(())
    })
}

/// A client that leaves in the middle of the answer ends it.
pub(super) fn cancel_while_streaming(trial: &Trial<'_>) -> Result<(), String> {
    let server = serve(trial, MANY_ROWS, HELD)?;
    cancelled(trial, &server, &request(trial, MANY_ROWS, "leaves-late"), |raw| {
        raw.first_byte(HELD).map_err(of)?;
        server.wait_until_blocked(1, FREE).map_err(of)
    })
}

/// A client asks, and leaves once `leaves` returns: all is free in time, there is one audit record, and whoever asks next is
/// answered.
fn cancelled(
    trial: &Trial<'_>,
    server: &Server,
    request: &Request,
    leaves: impl FnOnce(&mut Raw) -> Result<(), String>,
) -> Result<(), String> {
    let mut raw = Raw::connect(server.address()).map_err(of)?;
    raw.ask(trial.lane, request).map_err(of)?;
    leaves(&mut raw)?;
    drop(raw);
    let begin = clock::now();
    server.settle(FREE).map_err(|error| format!("after the client had left: {error}"))?;
    let left = FREE.saturating_sub(begin.elapsed());
    let finished = server.finished_as(&request.identity.correlation, left).map_err(of)?;
    ended_with(&finished, io::ErrorKind::BrokenPipe)?;
    one_audit(server, &finished.trace)?;
    // The connections have been in other hands by now; none of them may be interrupted any more.
    for _ in 0..2 * CONNECTIONS {
        let next = Request { filter: Filter::Every, ..request.clone() };
        ask(server.engine(), trial.lane, &next).map_err(|error| format!("the request behind it: {error}"))?;
    }
    Ok(())
}

fn ended_with(finished: &Finished, kind: io::ErrorKind) -> Result<(), String> {
    match &finished.outcome {
        Err(QueryError::Client(error)) if error.kind() == kind => Ok(()),
        Err(error) => Err(format!("expected the request to end with its client ({kind}), found: {error}")),
        Ok(answered) => {
            Err(format!("expected the request to end with its client ({kind}), found {} rows answered", answered.rows))
        }
    }
}

fn one_audit(server: &Server, trace: &Trace) -> Result<(), String> {
    let written = server.engine().audit.written();
    if (written, trace.audits, trace.admissions) == (1, 1, 1) {
        return Ok(());
    }
    Err(format!(
        "expected one audit record and one admission, found {written} records in the log, {} and {} reported",
        trace.audits, trace.admissions
    ))
}

/// A client that never reads is cut off, and what it held is free.
pub(super) fn slow_consumer(trial: &Trial<'_>) -> Result<(), String> {
    let server = serve(trial, MANY_ROWS, SLOW_CONSUMER)?;
    let mut raw = Raw::connect(server.address()).map_err(of)?;
    let request = request(trial, MANY_ROWS, "never-reads");
    raw.ask(trial.lane, &request).map_err(of)?;
    // Lanes that shape the whole answer first do so before anybody waits for the client.
    raw.first_byte(HELD).map_err(of)?;
    let begin = clock::now();
    let bound = SLOW_CONSUMER + FREE;
    let finished = server.finished_as(&request.identity.correlation, bound).map_err(of)?;
    server.settle(bound.saturating_sub(begin.elapsed())).map_err(|error| format!("after the cut: {error}"))?;
    ended_with(&finished, io::ErrorKind::TimedOut)?;
    one_audit(&server, &finished.trace)?;
    if server.cut() != 1 {
        return Err(format!("expected one client to be cut off, found {}", server.cut()));
    }
    let received = raw.rest(FREE).map_err(of)?;
    unfinished(&received.head, received.trailers.as_deref())
}

/// Holds what came of a broken answer to not looking like a whole one.
fn unfinished(head: &str, trailers: Option<&str>) -> Result<(), String> {
    if let Some(trailers) = trailers {
        return Err(format!("expected the answer to break off, found its end, with the trailers `{trailers}`"));
    }
    // The head names the trailers that may come.
    let said =
        head.lines().find(|line| [CURSOR, STATUS].iter().any(|name| line.to_ascii_lowercase().starts_with(name)));
    said.map_or(Ok(()), |said| Err(format!("expected a head that promises nothing, found `{said}`")))
}

/// While one client blocks its lane, another is answered whole.
pub(super) fn independent_request(trial: &Trial<'_>) -> Result<(), String> {
    let server = serve(trial, MANY_ROWS, HELD)?;
    let expected = ask(server.engine(), trial.lane, &request(trial, MANY_ROWS, "inside")).map_err(of)?;
    let mut raw = Raw::connect(server.address()).map_err(of)?;
    raw.ask(trial.lane, &request(trial, MANY_ROWS, "blocked")).map_err(of)?;
    raw.first_byte(HELD).map_err(of)?;
    server.wait_until_blocked(1, FREE).map_err(of)?;
    let held = server.engine().pool.held();
    if held > 1 {
        return Err(format!("expected a blocked client to hold one connection to the database at most, found {held}"));
    }
    let reply = connect(&server)?.ask(trial.lane, &request(trial, MANY_ROWS, "beside")).map_err(of)?;
    let rows = reply.whole().map_err(|error| format!("beside a blocked client: {error}"))?;
    if rows != expected.answered.rows || !is_same(trial.subject.format, &reply.body, &expected.buffer.body) {
        return Err(format!(
            "beside a blocked client: {} bytes and {rows} rows, not those of the lane",
            reply.body.len()
        ));
    }
    // Its handler may have a step to do behind the last byte.
    server.wait(1, FREE).map_err(of)?;
    let (blocked, held) = (server.blocked(), server.engine().pool.held());
    if blocked != 1 || held > 1 {
        return Err(format!("expected one blocked client and one connection at most, found {blocked} and {held}"));
    }
    drop(raw);
    server.settle(FREE).map_err(of)
}

/// What fails says so, or breaks off: it never ends like a whole answer, and has no cursor.
pub(super) fn no_false_success(trial: &Trial<'_>) -> Result<(), String> {
    let mut engine = trial.engine(MANY_ROWS)?;
    // Two batches are within the budget, and the third is not; the page would be full.
    engine.limit_results(ResultBudget { rows: 5_000, ..ResultBudget::default() });
    let server = serve_over(engine, HELD)?;
    let late = Request { limit: 6_000, ..request(trial, MANY_ROWS, "fails-late") };
    let mut raw = Raw::connect(server.address()).map_err(of)?;
    raw.ask(trial.lane, &late).map_err(of)?;
    let received = raw.rest(HELD).map_err(of)?;
    let expected = if trial.lane.is_native(&late) { 200 } else { 413 };
    if received.status() != Some(expected) {
        let found = received.status();
        return Err(format!("a result over its budget: expected status {expected}, found {found:?}"));
    }
    unfinished(&received.head, received.trailers.as_deref())?;
    if expected == 200 && received.body.is_empty() {
        return Err("expected an answer that breaks off behind its first batches, found nothing of it".to_owned());
    }
    let finished = server.finished_as(&late.identity.correlation, FREE).map_err(of)?;
    if !matches!(finished.outcome, Err(QueryError::Budget(_))) {
        return Err(format!("expected a result over its budget, found {:?}", finished.outcome));
    }
    let denied = connect(&server)?.ask(trial.lane, &trial.table(MANY_ROWS).request(GUEST)).map_err(of)?;
    refused(&denied, 403)?;
    server.settle(FREE).map_err(of)
}

/// With every connection in other hands a request is refused, in time; and answered once one is free.
pub(super) fn pool_exhausted(trial: &Trial<'_>) -> Result<(), String> {
    let capacity = Capacity { connections: CONNECTIONS, patience: PATIENCE, ..Capacity::default() };
    let server = serve_over(trial.engine_with(50, capacity)?, HELD)?;
    let mut client = connect(&server)?;
    let request = request(trial, 50, "waits");
    let mut held = Vec::new();
    for _ in 0..CONNECTIONS {
        held.push(server.engine().connect(&mut Trace::default()).map_err(of)?);
    }
    let begin = clock::now();
    let reply = client.ask(trial.lane, &request).map_err(of)?;
    let waited = begin.elapsed();
    refused(&reply, 503)?;
    if waited > PATIENCE + FREE {
        return Err(format!("expected a refusal within {PATIENCE:?} and {FREE:?}, found it after {waited:?}"));
    }
    drop(held);
    server.settle(FREE).map_err(of)?;
    client.ask(trial.lane, &request).map_err(of)?.whole().map_err(of)?;
    server.settle(FREE).map_err(of)
}
