//! A client's connection that is cut off where the client takes nothing for too long.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::Sleep;

use super::wait::Handlers;

/// Whether a client was cut off.
#[derive(Default)]
pub(super) struct Line {
    handlers: Arc<Handlers>,
    is_cut: AtomicBool,
    noticed: Notify,
}

impl Line {
    /// Of a client of these handlers.
    pub(super) fn new(handlers: Arc<Handlers>) -> Self {
        Self { handlers, ..Self::default() }
    }

    /// Cuts the client off.
    pub(super) fn cut(&self) {
        if !self.is_cut.swap(true, Ordering::AcqRel) {
            self.handlers.cut();
            self.noticed.notify_one();
        }
    }

    /// Whether it was cut off.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Acquire)
    }

    /// Waits until it is.
    pub(super) async fn wait(&self) {
        while !self.is_cut() {
            self.noticed.notified().await;
        }
    }
}

/// The socket of a client, who may let bytes wait for `patience`.
///
/// What a lane has written is the pipe's to watch; this watches the bytes that are behind it, the last ones of an answer
/// too.
pub(super) struct Socket {
    stream: TcpStream,
    line: Arc<Line>,
    patience: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Socket {
    /// Over this stream.
    pub(super) const fn new(stream: TcpStream, line: Arc<Line>, patience: Duration) -> Self {
        Self { stream, line, patience, stalled: None }
    }

    fn watch<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(stalled.as_mut().poll(context));
        self.line.cut();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.line.is_cut() {
            // What the client never read is thrown away, and not kept by the kernel for it.
            let _ = socket2::SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
        }
    }
}
