//! A consumer that does not do what clients do: it stops, leaves, or looks at every byte.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use super::server::SMALL_BUFFER;
use super::{HttpError, ROUTE};
use crate::measure::clock;
use crate::workload::dashboard::lane::Lane;
use crate::workload::dashboard::request::Request;

/// A connection whose receive buffer is as small as the kernel makes it.
pub struct Raw {
    stream: TcpStream,
    seen: Vec<u8>,
}

/// All that came over a connection until the server had no more to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The status line and the headers; empty where none came.
    pub head: String,
    /// The body, its chunks put together.
    pub body: Vec<u8>,
    /// What stands behind the chunk that ends the body; `None` where that never came.
    pub trailers: Option<String>,
}

impl Received {
    /// The status.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.head.split(' ').nth(1)?.parse().ok()
    }

    /// Reads a response byte by byte.
    fn of(bytes: &[u8]) -> Self {
        let Some(end) = find(bytes, b"\r\n\r\n") else {
            return Self { head: String::new(), body: Vec::new(), trailers: None };
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut rest = &bytes[end + 4..];
        let mut body = Vec::new();
        if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            return Self { head, body: rest.to_vec(), trailers: None };
        }
        // Chunks: their length in hex, the bytes, an end of line after either.
        while let Some(line) = find(rest, b"\r\n") {
            let length = std::str::from_utf8(&rest[..line]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
            rest = &rest[line + 2..];
            match length {
                Some(0) => {
                    let trailers = Some(String::from_utf8_lossy(rest).trim_end().to_owned());
                    return Self { head, body, trailers };
                }
                Some(length) if rest.len() >= length + 2 => {
                    body.extend_from_slice(&rest[..length]);
                    rest = &rest[length + 2..];
                }
                _ => break,
            }
        }
        Self { head, body, trailers: None }
    }
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

impl Raw {
    /// Connects to the server at `address`.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from connecting.
    pub fn connect(address: SocketAddr) -> Result<Self, HttpError> {
        let connect = || -> io::Result<TcpStream> {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
            // Before it connects: the window that it offers follows from it.
            socket.set_recv_buffer_size(SMALL_BUFFER as usize)?;
            socket.connect(&address.into())?;
            Ok(socket.into())
        };
        let stream = connect().map_err(|source| HttpError::System { what: "connect to the server", source })?;
        Ok(Self { stream, seen: Vec::new() })
    }

    /// Sends a request to this lane, and reads nothing.
    ///
    /// # Errors
    ///
    /// The connection broke.
    pub fn ask(&mut self, lane: Lane, request: &Request) -> Result<(), HttpError> {
        let body = serde_json::to_string(request).map_err(|error| HttpError::Request {
            what: "a dashboard's request".to_owned(),
            reason: error.to_string(),
        })?;
        let text = format!(
            "POST {ROUTE}{} HTTP/1.1\r\nhost: gate\r\nte: trailers\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            lane.name,
            body.len()
        );
        self.stream.write_all(text.as_bytes()).map_err(|source| HttpError::System { what: "send a request", source })
    }

    /// Reads until the first byte of a body has come.
    ///
    /// # Errors
    ///
    /// None comes within `patience`.
    pub fn first_byte(&mut self, patience: Duration) -> Result<(), HttpError> {
        let begin = clock::now();
        loop {
            if find(&self.seen, b"\r\n\r\n").is_some_and(|end| self.seen.len() > end + 4) {
                return Ok(());
            }
            let left = patience.saturating_sub(begin.elapsed());
            if left.is_zero() || !self.read(left)? {
                return Err(HttpError::TooLong {
                    what: "the first byte of a body",
                    waited_ms: begin.elapsed_ns() / 1_000_000,
                    left: format!("{} bytes came: {}", self.seen.len(), String::from_utf8_lossy(&self.seen)),
                });
            }
        }
    }

    /// Reads until the end of the answer or of the connection, and no longer than `patience`.
    ///
    /// # Errors
    ///
    /// Neither has come by then.
    pub fn rest(mut self, patience: Duration) -> Result<Received, HttpError> {
        let begin = clock::now();
        loop {
            let left = patience.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(HttpError::TooLong {
                    what: "the server to close a connection",
                    waited_ms: begin.elapsed_ns() / 1_000_000,
                    left: format!("it is open after {} bytes", self.seen.len()),
                });
            }
            let may_be_whole = self.seen.ends_with(b"\r\n\r\n");
            if may_be_whole && Received::of(&self.seen).trailers.is_some() || !self.read(left)? {
                return Ok(Received::of(&self.seen));
            }
        }
    }

    /// Reads once; whether the connection is open.
    fn read(&mut self, patience: Duration) -> Result<bool, HttpError> {
        let system = |source| HttpError::System { what: "read an answer", source };
        self.stream.set_read_timeout(Some(patience)).map_err(system)?;
        let mut bytes = [0; 4_096];
        match self.stream.read(&mut bytes) {
            Ok(0) => Ok(false),
            Ok(count) => {
                self.seen.extend_from_slice(&bytes[..count]);
                Ok(true)
            }
            Err(error) => match error.kind() {
                io::ErrorKind::ConnectionReset => Ok(false),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted => Ok(true),
                _ => Err(system(error)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_from_a_cut() {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let whole = Received::of(format!("{head}3\r\nabc\r\n2\r\n0\r\r\n0\r\ngate-rows: 3\r\n\r\n").as_bytes());
        assert_eq!((whole.status(), whole.body.as_slice()), (Some(200), &b"abc0\r"[..]));
        assert_eq!(whole.trailers.as_deref(), Some("gate-rows: 3"));
        for cut in ["3\r\nabc\r\n", "3\r\nabc\r\n2\r\n0\r", "3\r\nabc\r\n5\r\n0\r\n\r\n"] {
            let cut = Received::of(format!("{head}{cut}").as_bytes());
            assert_eq!((cut.body.as_slice(), cut.trailers), (&b"abc"[..], None));
        }
        assert_eq!(Received::of(b"HTTP/1.1 503").status(), None);
    }
}
