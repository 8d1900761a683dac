//! Where a lane writes an answer that goes over HTTP: into chunks of a fixed size.

use std::io::{self, Write};
use std::sync::Arc;

use hyper::HeaderMap;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};

use super::pipe::Pipe;
use super::{COMPLETE, CURSOR, ROWS, STATUS};
use crate::workload::dashboard::cancel::Cancel;
use crate::workload::dashboard::lane::{Answered, Sink};

/// The bytes of a chunk; the last one of an answer may have fewer.
pub(super) const CHUNK: usize = 16 << 10;

/// The sink of one request.
pub(super) struct Chunks {
    pipe: Arc<Pipe>,
    cancel: Arc<Cancel>,
    chunk: Vec<u8>,
    cursor: Option<String>,
}

impl Chunks {
    /// Into this pipe.
    pub(super) const fn new(pipe: Arc<Pipe>, cancel: Arc<Cancel>) -> Self {
        Self { pipe, cancel, chunk: Vec::new(), cursor: None }
    }

    fn send(&mut self) -> io::Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        self.pipe.chunk(Bytes::from(chunk), self.cursor.as_deref())
    }

    /// Sends what is left of a whole answer, and says that it is whole.
    ///
    /// # Errors
    ///
    /// The client left, or did not take it in time.
    pub(super) fn finish(mut self, answered: &Answered) -> io::Result<()> {
        if !self.chunk.is_empty() {
            self.send()?;
        }
        let mut trailers = HeaderMap::with_capacity(3);
        trailers.insert(HeaderName::from_static(STATUS), HeaderValue::from_static(COMPLETE));
        trailers.insert(HeaderName::from_static(ROWS), HeaderValue::from(answered.rows));
        if let Some(cursor) = &answered.cursor {
            trailers.insert(HeaderName::from_static(CURSOR), header(cursor)?);
        }
        self.pipe.finish(trailers, self.cursor.as_deref())
    }
}

/// A cursor as the value of a header.
pub(super) fn header(cursor: &str) -> io::Result<HeaderValue> {
    HeaderValue::from_str(cursor).map_err(|_| io::Error::other(format!("the cursor `{cursor}` is no header value")))
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        // Full chunks leave when more follows, so that an answer that fits into one is not committed before its end.
        if self.chunk.len() == CHUNK {
            self.send()?;
        }
        if self.chunk.capacity() == 0 {
            self.chunk.reserve_exact(CHUNK);
        }
        let room = (CHUNK - self.chunk.len()).min(bytes.len());
        self.chunk.extend_from_slice(&bytes[..room]);
        Ok(room)
    }

    /// Nothing: what is left leaves with the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Chunks {
    fn next_page(&mut self, cursor: &str) {
        self.cursor = Some(cursor.to_owned());
    }

    fn cancel(&self) -> Option<&Arc<Cancel>> {
        Some(&self.cancel)
    }
}
