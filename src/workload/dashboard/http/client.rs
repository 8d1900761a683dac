//! A client that reads answers whole.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::HeaderMap;
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST, TE};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Runtime;

use super::{COMPLETE, CURSOR, HttpError, ROUTE, ROWS, SNAPSHOT, STATUS};
use crate::workload::dashboard::lane::Lane;
use crate::workload::dashboard::request::Request;

/// What came over a connection as the answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The snapshot that the head names.
    pub snapshot: Option<u64>,
    /// The media type.
    pub media_type: Option<String>,
    /// Where the next page begins, by the head.
    pub head_cursor: Option<String>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether the trailers say that the answer is whole.
    pub is_complete: bool,
    /// Its rows, by the trailers.
    pub rows: Option<u64>,
    /// Where the next page begins, by the trailers.
    pub trailing_cursor: Option<String>,
}

impl Reply {
    /// Where the next page begins, wherever the answer says so.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.head_cursor.as_deref().or(self.trailing_cursor.as_deref())
    }

    /// The rows of a whole answer.
    ///
    /// # Errors
    ///
    /// It is an error, or does not say that it is whole.
    pub fn whole(&self) -> Result<u64, HttpError> {
        if self.status != 200 {
            let message = String::from_utf8_lossy(&self.body).trim_end().to_owned();
            return Err(HttpError::Refused { status: self.status, message });
        }
        match self.rows {
            Some(rows) if self.is_complete => Ok(rows),
            _ => Err(HttpError::NotWhole { bytes: self.body.len() }),
        }
    }
}

/// How a client takes its answers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// The bytes asked for as its receive buffer; none leaves it to the kernel.
    pub receive_buffer: Option<u32>,
    /// How long it reads nothing between the head and the rest.
    pub pause: Duration,
}

/// A client with one connection, which it keeps for all that it asks.
pub struct Client {
    address: SocketAddr,
    runtime: Runtime,
    sender: SendRequest<Full<Bytes>>,
    pause: Duration,
}

impl Client {
    /// Connects to the server at `address`.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from connecting.
    pub fn connect(address: SocketAddr, manner: Manner) -> Result<Self, HttpError> {
        let system = |what| move |source| HttpError::System { what, source };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .map_err(system("start a client's runtime"))?;
        let sender = runtime.block_on(async {
            let socket = TcpSocket::new_v4().map_err(system("make a client's socket"))?;
            if let Some(bytes) = manner.receive_buffer {
                // Before it connects: the window that it offers follows from it.
                socket.set_recv_buffer_size(bytes).map_err(system("set a client's receive buffer"))?;
            }
            socket.bind((Ipv4Addr::LOCALHOST, 0).into()).map_err(system("bind a client's socket"))?;
            let stream = socket.connect(address).await.map_err(system("connect to the server"))?;
            stream.set_nodelay(true).map_err(system("prepare a client's socket"))?;
            let (sender, connection) = http1::handshake(TokioIo::new(Prompt(stream)))
                .await
                .map_err(|source| Self::broken(address, 0, source))?;
            // A connection that breaks breaks what is asked over it, and says so there.
            tokio::spawn(async { drop(connection.await) });
            Ok::<_, HttpError>(sender)
        })?;
        Ok(Self { address, runtime, sender, pause: manner.pause })
    }

    fn broken(address: SocketAddr, bytes: usize, source: hyper::Error) -> HttpError {
        HttpError::Broken { address, bytes, source }
    }

    /// Asks this lane, and reads all that comes.
    ///
    /// # Errors
    ///
    /// The connection broke before the end.
    pub fn ask(&mut self, lane: Lane, request: &Request) -> Result<Reply, HttpError> {
        let body = serde_json::to_vec(request).map_err(|error| HttpError::Request {
            what: "a dashboard's request".to_owned(),
            reason: error.to_string(),
        })?;
        self.send("POST", &format!("{ROUTE}{}", lane.name), body)
    }

    /// Sends whatever it is, and reads all that comes.
    ///
    /// # Errors
    ///
    /// No request can be made of it, or the connection broke before the end.
    pub fn send(&mut self, method: &str, path: &str, body: Vec<u8>) -> Result<Reply, HttpError> {
        let request = hyper::Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.address.to_string())
            .header(CONTENT_TYPE, "application/json")
            .header(TE, "trailers")
            .body(Full::from(body))
            .map_err(|error| HttpError::Request { what: format!("{method} {path}"), reason: error.to_string() })?;
        let (address, pause) = (self.address, self.pause);
        let Self { runtime, sender, .. } = self;
        runtime.block_on(async {
            let broken = |bytes| move |source| Self::broken(address, bytes, source);
            sender.ready().await.map_err(broken(0))?;
            let response = sender.send_request(request).await.map_err(broken(0))?;
            if !pause.is_zero() {
                // The runtime has no other thread: nothing is read while this one sleeps.
                std::thread::sleep(pause);
            }
            let (head, mut incoming) = response.into_parts();
            let (mut body, mut trailers) = (Vec::new(), HeaderMap::new());
            while let Some(frame) = incoming.frame().await {
                match frame.map_err(broken(body.len()))?.into_data() {
                    Ok(data) => body.extend_from_slice(&data),
                    Err(frame) => trailers.extend(frame.into_trailers().unwrap_or_default()),
                }
            }
            let number = |map: &HeaderMap, name| text(map, name).and_then(|text| text.parse().ok());
            Ok(Reply {
                status: head.status.as_u16(),
                snapshot: number(&head.headers, SNAPSHOT),
                media_type: text(&head.headers, CONTENT_TYPE.as_str()),
                head_cursor: text(&head.headers, CURSOR),
                body,
                is_complete: text(&trailers, STATUS).as_deref() == Some(COMPLETE),
                rows: number(&trailers, ROWS),
                trailing_cursor: text(&trailers, CURSOR),
            })
        })
    }
}

/// A client's socket that acknowledges at once what it has read.
///
/// The kernel would wait up to 40 ms for an answer to send along. A server whose send buffer is full waits for just this, and
/// an operation would take now 5 ms and now 90.
struct Prompt(TcpStream);

impl AsyncRead for Prompt {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.0).poll_read(context, buffer);
        #[cfg(target_os = "linux")]
        if read.is_ready() {
            // It holds until the kernel changes its mind. Where it can't be set, the client is only slower.
            let _ = self.0.set_quickack(true);
        }
        read
    }
}

impl AsyncWrite for Prompt {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

fn text(map: &HeaderMap, name: &str) -> Option<String> {
    Some(map.get(name)?.to_str().ok()?.to_owned())
}
