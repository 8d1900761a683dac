//! The server: one thread for all connections, and one for each request that a lane is answering.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::HttpError;
use super::handler::{self, Shared};
use super::line::{Line, Socket};
use super::wait::Handlers;
use crate::measure::clock;
use crate::workload::dashboard::engine::Engine;
use crate::workload::dashboard::error::QueryError;
use crate::workload::dashboard::expect;
use crate::workload::dashboard::lane::Answered;
use crate::workload::dashboard::pool::LOOK;
use crate::workload::dashboard::trace::Trace;
use crate::workload::locked;

/// How long a chunk may wait for its client where nobody says otherwise.
///
/// Long beside the 100 ms of a client that is only delayed; short enough that a client that never reads is gone before
/// others run out of patience.
pub const SLOW_CONSUMER: Duration = Duration::from_millis(500);

/// The bytes that are asked for as the buffer of a socket where a consumer is to block; the kernel gives more.
pub const SMALL_BUFFER: u32 = 1_024;

/// What hyper may hold of a body that the socket does not take, one chunk more at the most; its own least.
const HYPER_BYTES: usize = 8 << 10;

/// Finished requests that are kept for whoever owns the server.
const KEPT: usize = 4_096;

/// How long a server that is stopped waits for the lanes that it has cancelled.
const STOP: Duration = Duration::from_secs(2);

/// How a server serves. It listens on the loopback interface, whatever these say.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The bytes asked for as the send buffer of every connection; none leaves it to the kernel.
    pub send_buffer: Option<u32>,
    /// How long a chunk may wait for its client, before the client is cut off.
    pub slow_consumer: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { port: 0, send_buffer: Some(SMALL_BUFFER), slow_consumer: SLOW_CONSUMER }
    }
}

/// A request that a lane is done with, whether or not its client has the answer.
#[derive(Debug)]
pub struct Finished {
    /// The request's correlation.
    pub correlation: String,
    /// What it did.
    pub trace: Trace,
    /// What it answered, all of which its connection has taken; or why it did not.
    pub outcome: Result<Answered, QueryError>,
}

/// A server that runs until it is dropped.
pub struct Server {
    address: SocketAddr,
    send_buffer: usize,
    engine: Arc<Engine>,
    handlers: Arc<Handlers>,
    finished: Mutex<Receiver<Finished>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Server {
    /// Serves this engine's lanes.
    ///
    /// # Errors
    ///
    /// A port that is taken, or whatever keeps the system from giving a thread and a socket.
    pub fn start(engine: Arc<Engine>, options: Options) -> Result<Self, HttpError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listener = TcpListener::bind(address).map_err(|source| HttpError::Bind { address, source })?;
        let system = |what| move |source| HttpError::System { what, source };
        // What the listener has is passed on to the connections that it accepts.
        let socket = SockRef::from(&listener);
        if let Some(bytes) = options.send_buffer {
            socket.set_send_buffer_size(bytes as usize).map_err(system("set the send buffer"))?;
        }
        let send_buffer = socket.send_buffer_size().map_err(system("read the send buffer"))?;
        listener.set_nonblocking(true).map_err(system("prepare the listener"))?;
        let address = listener.local_addr().map_err(system("read the address of the listener"))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(system("start the server's runtime"))?;
        let listener = {
            let _entered = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(system("watch the listener"))?
        };
        let handlers = Arc::new(Handlers::default());
        let (tell, finished) = sync_channel(KEPT);
        let shared = Arc::new(Shared {
            engine: Arc::clone(&engine),
            handlers: Arc::clone(&handlers),
            slow_consumer: options.slow_consumer,
            tell,
        });
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("gate-http".to_owned())
            .spawn(move || run(runtime, listener, shared, stopped))
            .map_err(system("start the server's thread"))?;
        let finished = Mutex::new(finished);
        Ok(Self { address, send_buffer, engine, handlers, finished, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The bytes that the kernel gives every connection as its send buffer; Linux gives twice what it is asked for, and
    /// a least.
    #[must_use]
    pub const fn send_buffer(&self) -> usize {
        self.send_buffer
    }

    /// The engine.
    #[must_use]
    pub const fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The next request that a lane is done with.
    ///
    /// # Errors
    ///
    /// There is none within `patience`.
    pub fn finished(&self, patience: Duration) -> Result<Finished, HttpError> {
        let begin = clock::now();
        locked(&self.finished).recv_timeout(patience).map_err(|error| HttpError::TooLong {
            what: "a request to be finished",
            waited_ms: begin.elapsed_ns() / 1_000_000,
            left: match error {
                RecvTimeoutError::Timeout => format!("{} handlers are at work", self.handlers.count()),
                RecvTimeoutError::Disconnected => "the server has stopped".to_owned(),
            },
        })
    }

    /// The request with this correlation, once a lane is done with it; those before it are forgotten.
    ///
    /// # Errors
    ///
    /// It is not told of within `patience`.
    pub fn finished_as(&self, correlation: &str, patience: Duration) -> Result<Finished, HttpError> {
        let begin = clock::now();
        loop {
            let finished = self.finished(patience.saturating_sub(begin.elapsed()))?;
            if finished.correlation == correlation {
                return Ok(finished);
            }
        }
    }

    /// How many handlers are at work. One is until its lane is done and its connection has let go of the answer.
    #[must_use]
    pub fn handlers(&self) -> usize {
        self.handlers.count()
    }

    /// How many clients were cut off because they took nothing for too long.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.handlers.cuts()
    }

    /// How long the request with this correlation has held connections to the database by now, in nanoseconds; `None` where
    /// it is over.
    #[must_use]
    pub fn held_ns(&self, correlation: &str) -> Option<u64> {
        self.handlers.held_ns(correlation)
    }

    /// Waits until at most `most` handlers are at work.
    ///
    /// # Errors
    ///
    /// There are more after `patience`.
    pub fn wait(&self, most: usize, patience: Duration) -> Result<(), HttpError> {
        self.handlers.wait(most, patience)
    }

    /// Waits until no handler is at work, and holds the engine to having nothing left behind.
    ///
    /// # Errors
    ///
    /// A handler is at work after `patience`, or a connection, a lease or a place is held all the same.
    pub fn settle(&self, patience: Duration) -> Result<(), HttpError> {
        let begin = clock::now();
        self.handlers.wait(0, patience)?;
        expect::nothing_left(&self.engine).map_err(|error| HttpError::TooLong {
            what: "all to be free",
            waited_ms: begin.elapsed_ns() / 1_000_000,
            left: error.to_string(),
        })
    }

    /// How many lanes wait for their clients to take a chunk.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.handlers.stream().0
    }

    /// Waits until `consumers` lanes wait for their clients, and no chunk moves.
    ///
    /// # Errors
    ///
    /// That does not happen within `patience`.
    pub fn wait_until_blocked(&self, consumers: usize, patience: Duration) -> Result<(), HttpError> {
        const STILL: Duration = Duration::from_millis(20);
        let begin = clock::now();
        loop {
            let before = self.handlers.stream();
            thread::sleep(STILL);
            let after = self.handlers.stream();
            if before == after && after.0 == consumers {
                return Ok(());
            }
            if begin.elapsed() > patience {
                return Err(HttpError::TooLong {
                    what: "a consumer to block",
                    waited_ms: begin.elapsed_ns() / 1_000_000,
                    left: format!("{} of {consumers} are; the result must be larger than the buffers", after.0),
                });
            }
        }
    }
}

/// All that the server's thread does.
fn run(
    runtime: tokio::runtime::Runtime,
    listener: tokio::net::TcpListener,
    shared: Arc<Shared>,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        let handlers = Arc::clone(&shared.handlers);
        let accepting = tokio::spawn(accept(listener, shared));
        // A sender that is gone means the same.
        let _ = stopped.await;
        accepting.abort();
        // All clients are gone with it, and their requests cancelled.
        let _ = accepting.await;
        let begin = clock::now();
        while handlers.count() > 0 && begin.elapsed() < STOP {
            tokio::time::sleep(LOOK).await;
        }
    });
    runtime.shutdown_timeout(STOP);
}

async fn accept(listener: tokio::net::TcpListener, shared: Arc<Shared>) {
    let mut clients = JoinSet::new();
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            while clients.try_join_next().is_some() {}
            clients.spawn(serve(stream, Arc::clone(&shared)));
        } else {
            // Out of descriptors, as a rule: some come free.
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Serves one client, until it leaves or is cut off.
async fn serve(stream: tokio::net::TcpStream, shared: Arc<Shared>) {
    // Without it small chunks wait for the client's acknowledgement; with the delay, it only takes longer.
    let _ = stream.set_nodelay(true);
    let line = Arc::new(Line::new(Arc::clone(&shared.handlers)));
    let socket = Socket::new(stream, Arc::clone(&line), shared.slow_consumer);
    let service = service_fn(|asked| {
        let answer = handler::handle(Arc::clone(&shared), Arc::clone(&line), asked);
        async { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new().max_buf_size(HYPER_BYTES).serve_connection(TokioIo::new(socket), service);
    let (mut connection, mut cut) = (pin!(connection), pin!(line.wait()));
    poll_fn(|context| match cut.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(()),
        // A client that left or spoke no HTTP ends its connection, and nothing else.
        Poll::Pending => connection.as_mut().poll(context).map(drop),
    })
    .await;
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // Where nobody listens any more, the thread is over.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
