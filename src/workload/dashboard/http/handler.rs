//! From a request over HTTP to the lane that answers it.

use std::future::poll_fn;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, TRAILER};
use hyper::{Method, StatusCode};

use super::line::Line;
use super::pipe::{Broken, Head, Outlet, Pipe};
use super::server::Finished;
use super::sink::{Chunks, header};
use super::wait::{Handler, Handlers};
use super::{CURSOR, ROUTE, ROWS, SNAPSHOT, STATUS};
use crate::workload::dashboard::cancel::Cancel;
use crate::workload::dashboard::engine::Engine;
use crate::workload::dashboard::error::QueryError;
use crate::workload::dashboard::lane::{Answered, Lane};
use crate::workload::dashboard::pool::LOOK;
use crate::workload::dashboard::request::Request;
use crate::workload::dashboard::trace::Trace;

/// The most bytes that a request's body may have.
pub(super) const MOST_BYTES: usize = 64 << 10;

type Response = hyper::Response<UnsyncBoxBody<Bytes, io::Error>>;

/// What all handlers of a server share.
pub(super) struct Shared {
    pub(super) engine: Arc<Engine>,
    pub(super) handlers: Arc<Handlers>,
    pub(super) slow_consumer: Duration,
    pub(super) tell: SyncSender<Finished>,
}

/// An error that is all of a response.
struct Refusal(StatusCode, String);

/// Answers one request of the client behind this line.
pub(super) async fn handle(shared: Arc<Shared>, client: Arc<Line>, asked: hyper::Request<Incoming>) -> Response {
    match route(shared, client, asked).await {
        Ok(response) => response,
        Err(Refusal(status, message)) => refused(status, &message),
    }
}

async fn route(shared: Arc<Shared>, client: Arc<Line>, asked: hyper::Request<Incoming>) -> Result<Response, Refusal> {
    let path = asked.uri().path();
    let name = path.strip_prefix(ROUTE).unwrap_or_default();
    let lane = Lane::named(name).map_err(|_| {
        Refusal(StatusCode::NOT_FOUND, format!("there is nothing at `{path}`; ask a lane, as in `{ROUTE}api-direct`"))
    })?;
    if asked.method() != Method::POST {
        let method = asked.method();
        return Err(Refusal(StatusCode::METHOD_NOT_ALLOWED, format!("a lane takes POST, not {method}")));
    }
    let body = Limited::new(asked.into_body(), MOST_BYTES).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() {
            let most = format!("a request has at most {MOST_BYTES} bytes; send a smaller one");
            return Refusal(StatusCode::PAYLOAD_TOO_LARGE, most);
        }
        Refusal(StatusCode::BAD_REQUEST, format!("the request could not be read: {error}"))
    })?;
    let request: Request = serde_json::from_slice(&body.to_bytes())
        .map_err(|error| Refusal(StatusCode::BAD_REQUEST, format!("the body is no request: {error}")))?;
    answer(&shared, client, lane, request).await
}

/// Has the lane answer on a thread of its own. Whoever drops this, or the body that it gives, cancels it.
async fn answer(shared: &Arc<Shared>, client: Arc<Line>, lane: Lane, request: Request) -> Result<Response, Refusal> {
    let pipe = Arc::new(Pipe::new(shared.slow_consumer, client, Arc::clone(&shared.handlers)));
    let cancel = Arc::new(Cancel::default());
    let handler = Arc::new(shared.handlers.enter(&request.identity.correlation, &cancel));
    let (media_type, snapshot) = (request.format.media_type(), shared.engine.snapshot());
    let job = Job {
        shared: Arc::clone(shared),
        lane,
        request,
        pipe: Arc::clone(&pipe),
        cancel: Arc::clone(&cancel),
        _handler: Arc::clone(&handler),
    };
    let running = tokio::task::spawn_blocking(move || job.run());
    let outlet = Outlet::new(pipe, Client { cancel, running: Some(running), _handler: handler });
    let cursor = match poll_fn(|context| outlet.pipe().poll_head(context)).await {
        Head::Answer { cursor } => cursor,
        Head::Error { status, message } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return Err(Refusal(status, message));
        }
    };
    let mut response = hyper::Response::new(outlet.boxed_unsync());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(SNAPSHOT, HeaderValue::from(snapshot));
    if let Some(cursor) = cursor {
        let cursor = header(&cursor).map_err(|error| Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
        headers.insert(CURSOR, cursor);
    }
    if let Ok(names) = HeaderValue::from_str(&[STATUS, ROWS, CURSOR].join(", ")) {
        headers.insert(TRAILER, names);
    }
    Ok(response)
}

fn refused(status: StatusCode, message: &str) -> Response {
    let body = serde_json::json!({ "error": message }).to_string() + "\n";
    let mut response = hyper::Response::new(Full::from(body).map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// What goes away with the client: once it is dropped, the lane's query is interrupted until the lane is over.
struct Client {
    cancel: Arc<Cancel>,
    running: Option<tokio::task::JoinHandle<()>>,
    _handler: Arc<Handler>,
}

impl Drop for Client {
    fn drop(&mut self) {
        let Some(running) = self.running.take().filter(|running| !running.is_finished()) else { return };
        self.cancel.cancel();
        let cancel = Arc::clone(&self.cancel);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                // A query that was about to begin has forgotten the first interrupt.
                while !running.is_finished() {
                    cancel.cancel();
                    tokio::time::sleep(LOOK).await;
                }
            });
        }
    }
}

/// A request, on the thread that answers it.
struct Job {
    shared: Arc<Shared>,
    lane: Lane,
    request: Request,
    pipe: Arc<Pipe>,
    cancel: Arc<Cancel>,
    _handler: Arc<Handler>,
}

impl Job {
    fn run(self) {
        let mut trace = Trace::default();
        // A panic is the end of its request, and of no other.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.answer(&mut trace)))
            .unwrap_or_else(|_| Err(QueryError::Answer("the lane panicked".to_owned())));
        let outcome = outcome.map_err(|error| self.why(error));
        if let Err(error) = &outcome {
            self.pipe.fail(error.status(), error.to_string());
        }
        let correlation = self.request.identity.correlation.clone();
        // Where nobody collects them, the latest are not told.
        let _ = self.shared.tell.try_send(Finished { correlation, trace, outcome });
    }

    fn answer(&self, trace: &mut Trace) -> Result<Answered, QueryError> {
        let mut sink = Chunks::new(Arc::clone(&self.pipe), Arc::clone(&self.cancel));
        let answered = self.lane.answer(&self.shared.engine, &self.request, trace, &mut sink)?;
        sink.finish(&answered)?;
        Ok(answered)
    }

    /// The error, or what the client did that it comes from.
    fn why(&self, error: QueryError) -> QueryError {
        match self.pipe.broken() {
            Some(Broken::Left) => {
                QueryError::Client(io::Error::new(io::ErrorKind::BrokenPipe, "the client left before the end"))
            }
            Some(Broken::Slow) => {
                let waited = self.shared.slow_consumer.as_millis();
                let text = format!("the client did not take a chunk within {waited} ms, and was cut off");
                QueryError::Client(io::Error::new(io::ErrorKind::TimedOut, text))
            }
            Some(Broken::Failed) | None => error,
        }
    }
}
