//! The lanes behind a real server on the loopback interface, and the consumers that it must live with.
//!
//! The [`server`] routes a request to a lane ([`handler`](self)), which writes into a sink of bounded chunks; one chunk at
//! a time goes through a pipe to the connection. Nothing is buffered beyond that, so that a client that does not read holds
//! its lane, and with it what the lane holds: for `native-v1` a connection to the database. How long it may is the
//! server's policy. The [`client`] reads answers whole; the [`raw`] consumers are those that don't. A [`scenario`]
//! measures a lane with one of them.

pub mod client;
mod handler;
mod line;
mod pipe;
pub mod raw;
pub mod scenario;
pub mod server;
mod sink;
mod wait;

use std::io;
use std::net::SocketAddr;

/// The header with the snapshot that an answer is of.
pub const SNAPSHOT: &str = "gate-snapshot";
/// The header, or trailer, that says where the next page begins.
pub const CURSOR: &str = "gate-cursor";
/// The trailer of a whole answer, whose value is [`COMPLETE`].
pub const STATUS: &str = "gate-status";
/// What [`STATUS`] says after the last byte of a whole answer.
pub const COMPLETE: &str = "complete";
/// The trailer with the rows of a whole answer.
pub const ROWS: &str = "gate-rows";
/// The path under which every lane has its route.
pub const ROUTE: &str = "/v1/dashboard/";

/// What keeps a server from serving, or a client from its answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address can't be listened on.
    #[error("listen on {address}: {source}; choose another port, or 0 for any that is free")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A thread, a runtime or a socket could not be made.
    #[error("{what}: {source}")]
    System {
        /// What was to be done.
        what: &'static str,
        /// Why it was not.
        source: io::Error,
    },
    /// The connection broke, or what came over it is not HTTP.
    #[error("ask {address}: {source}; after {bytes} bytes of a body")]
    Broken {
        /// The server.
        address: SocketAddr,
        /// The bytes that had come.
        bytes: usize,
        /// Why.
        source: hyper::Error,
    },
    /// A request that can't be made.
    #[error("make a request of {what}: {reason}")]
    Request {
        /// Of what.
        what: String,
        /// Why not.
        reason: String,
    },
    /// The server answered with an error.
    #[error("the server answered {status}: {message}")]
    Refused {
        /// The status.
        status: u16,
        /// What it says.
        message: String,
    },
    /// The answer ended, and does not say that it is whole.
    #[error("an answer of {bytes} bytes ended without `gate-status: complete` and its `gate-rows`; it is not whole")]
    NotWhole {
        /// The bytes of its body.
        bytes: usize,
    },
    /// What must happen did not.
    #[error("waited {waited_ms} ms for {what}; {left}")]
    TooLong {
        /// For what.
        what: &'static str,
        /// How long.
        waited_ms: u64,
        /// What was found instead.
        left: String,
    },
}
