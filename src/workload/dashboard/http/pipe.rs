//! One chunk at a time, from the thread of a lane to the connection of its client.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::body::{Body, Bytes, Frame, SizeHint};

use super::line::Line;
use super::wait::Handlers;
use crate::measure::clock;
use crate::workload::locked;

/// What goes through.
#[derive(Debug)]
enum Part {
    Chunk(Bytes),
    Trailers(HeaderMap),
}

/// What the head of the answer says: decided once, with the first part or without any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    /// An answer follows.
    Answer {
        /// Where the next page begins, where the lane knew it before its first byte.
        cursor: Option<String>,
    },
    /// No answer, but an error.
    Error {
        /// The status.
        status: u16,
        /// Why.
        message: String,
    },
}

/// Why nothing more goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The client left.
    Left,
    /// The client did not take a chunk in time, and was cut off.
    Slow,
    /// The lane failed.
    Failed,
}

#[derive(Debug, Default)]
struct State {
    head: Option<Head>,
    slot: Option<Part>,
    is_delivered: bool,
    broken: Option<Broken>,
    waker: Option<Waker>,
}

/// The pipe of one request.
pub(super) struct Pipe {
    state: Mutex<State>,
    taken: Condvar,
    patience: Duration,
    line: Arc<Line>,
    handlers: Arc<Handlers>,
}

impl Pipe {
    /// To the client behind `line`, who may let a chunk wait for `patience`.
    pub(super) fn new(patience: Duration, line: Arc<Line>, handlers: Arc<Handlers>) -> Self {
        Self { state: Mutex::default(), taken: Condvar::new(), patience, line, handlers }
    }

    /// Why nothing more goes through, if so.
    pub(super) fn broken(&self) -> Option<Broken> {
        locked(&self.state).broken
    }

    /// Sends a chunk once the one before was taken. The first one decides that the head is that of an answer.
    ///
    /// # Errors
    ///
    /// The client left, or did not take the chunk before in time.
    pub(super) fn chunk(&self, bytes: Bytes, cursor: Option<&str>) -> io::Result<()> {
        let mut state = self.room()?;
        state.slot = Some(Part::Chunk(bytes));
        Self::commit(&mut state, cursor);
        Ok(())
    }

    /// Ends an answer, and waits until the connection has all of it.
    ///
    /// # Errors
    ///
    /// The client left, or did not take it in time.
    pub(super) fn finish(&self, trailers: HeaderMap, cursor: Option<&str>) -> io::Result<()> {
        let mut state = self.room()?;
        state.slot = Some(Part::Trailers(trailers));
        Self::commit(&mut state, cursor);
        drop(state);
        self.room().map(drop)
    }

    /// Ends without a whole answer: with an error where nothing was sent, else by breaking the connection.
    pub(super) fn fail(&self, status: u16, message: String) {
        let mut state = locked(&self.state);
        if state.head.is_none() {
            state.head = Some(Head::Error { status, message });
        } else {
            state.broken.get_or_insert(Broken::Failed);
        }
        Self::wake(&mut state);
    }

    /// The other end is gone.
    fn close(&self) {
        let mut state = locked(&self.state);
        if !state.is_delivered {
            let why = if self.line.is_cut() { Broken::Slow } else { Broken::Left };
            state.broken.get_or_insert(why);
        }
        drop(state);
        self.taken.notify_all();
    }

    fn commit(state: &mut State, cursor: Option<&str>) {
        state.head.get_or_insert_with(|| Head::Answer { cursor: cursor.map(str::to_owned) });
        Self::wake(state);
    }

    fn wake(state: &mut State) {
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }

    /// Waits until there is room for a part.
    fn room(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = locked(&self.state);
        if state.slot.is_none() && state.broken.is_none() {
            return Ok(state);
        }
        let begin = clock::now();
        self.handlers.blocked(true);
        let found = loop {
            match state.broken {
                Some(Broken::Slow) => break Err(io::ErrorKind::TimedOut.into()),
                Some(Broken::Left | Broken::Failed) => break Err(io::ErrorKind::BrokenPipe.into()),
                None if state.slot.is_none() => break Ok(state),
                None => {}
            }
            let left = self.patience.saturating_sub(begin.elapsed());
            if left.is_zero() {
                state.broken = Some(Broken::Slow);
                Self::wake(&mut state);
                self.line.cut();
                break Err(io::ErrorKind::TimedOut.into());
            }
            state = self.taken.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        self.handlers.blocked(false);
        found
    }

    /// The head, once it is decided.
    pub(super) fn poll_head(&self, context: &Context<'_>) -> Poll<Head> {
        let mut state = locked(&self.state);
        if let Some(head) = &state.head {
            return Poll::Ready(head.clone());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn poll_part(&self, context: &Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut state = locked(&self.state);
        if state.broken.is_some() {
            return Poll::Ready(Some(Err(io::ErrorKind::BrokenPipe.into())));
        }
        if state.is_delivered {
            return Poll::Ready(None);
        }
        let Some(part) = state.slot.take() else {
            state.waker = Some(context.waker().clone());
            return Poll::Pending;
        };
        state.is_delivered = matches!(part, Part::Trailers(_));
        drop(state);
        self.handlers.took();
        self.taken.notify_all();
        Poll::Ready(Some(Ok(match part {
            Part::Chunk(bytes) => Frame::data(bytes),
            Part::Trailers(trailers) => Frame::trailers(trailers),
        })))
    }

    fn is_delivered(&self) -> bool {
        locked(&self.state).is_delivered
    }
}

/// The end of the pipe that the client holds, by way of its connection. To drop it is to leave.
pub(super) struct Outlet<G> {
    pipe: Arc<Pipe>,
    /// What is to be dropped after the pipe was closed.
    _guard: G,
}

impl<G> Outlet<G> {
    /// Of this pipe; `guard` is dropped with it.
    pub(super) const fn new(pipe: Arc<Pipe>, guard: G) -> Self {
        Self { pipe, _guard: guard }
    }

    /// The pipe.
    pub(super) fn pipe(&self) -> &Pipe {
        &self.pipe
    }
}

impl<G> Drop for Outlet<G> {
    fn drop(&mut self) {
        self.pipe.close();
    }
}

impl<G: Unpin> Body for Outlet<G> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.pipe.poll_part(context)
    }

    fn is_end_stream(&self) -> bool {
        self.pipe.is_delivered()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    fn pipe(patience_ms: u64) -> Arc<Pipe> {
        Arc::new(Pipe::new(Duration::from_millis(patience_ms), Arc::default(), Arc::default()))
    }

    fn poll(outlet: &mut Outlet<()>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Pin::new(outlet).poll_frame(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn one_part_waits_and_the_end_is_the_trailers() {
        let pipe = pipe(60_000);
        let mut outlet = Outlet::new(Arc::clone(&pipe), ());
        assert!(pipe.poll_head(&Context::from_waker(Waker::noop())).is_pending());
        pipe.chunk(Bytes::from_static(b"one"), Some("next")).unwrap();
        let head = pipe.poll_head(&Context::from_waker(Waker::noop()));
        assert_eq!(head, Poll::Ready(Head::Answer { cursor: Some("next".to_owned()) }));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| pipe.chunk(Bytes::from_static(b"two"), None));
            while pipe.handlers.stream().0 == 0 {
                std::thread::yield_now();
            }
            assert!(!second.is_finished());
            let Poll::Ready(Some(Ok(frame))) = poll(&mut outlet) else { panic!("no part") };
            assert_eq!(frame.into_data().unwrap(), "one");
            second.join().unwrap().unwrap();
            let end = scope.spawn(|| pipe.finish(HeaderMap::new(), None));
            loop {
                if let Poll::Ready(part) = poll(&mut outlet) {
                    if part.is_none() {
                        break;
                    }
                } else {
                    std::thread::yield_now();
                }
            }
            end.join().unwrap().unwrap();
        });
        assert!(outlet.is_end_stream());
        drop(outlet);
        assert_eq!(pipe.broken(), None);
    }

    #[test]
    fn a_client_that_takes_nothing_is_cut_off_and_one_that_leaves_is_noticed() {
        let slow = pipe(5);
        let mut outlet = Outlet::new(Arc::clone(&slow), ());
        slow.chunk(Bytes::from_static(b"one"), None).unwrap();
        let error = slow.chunk(Bytes::from_static(b"two"), None).unwrap_err();
        assert_eq!(
            (error.kind(), slow.broken(), slow.line.is_cut()),
            (io::ErrorKind::TimedOut, Some(Broken::Slow), true)
        );
        assert!(matches!(poll(&mut outlet), Poll::Ready(Some(Err(_)))));
        let left = pipe(60_000);
        drop(Outlet::new(Arc::clone(&left), ()));
        let error = left.chunk(Bytes::from_static(b"one"), None).unwrap_err();
        assert_eq!((error.kind(), left.broken()), (io::ErrorKind::BrokenPipe, Some(Broken::Left)));
    }

    #[test]
    fn a_failure_is_a_status_before_the_first_part_and_a_break_behind_it() {
        let early = pipe(60_000);
        early.fail(503, "full".to_owned());
        let head = early.poll_head(&Context::from_waker(Waker::noop()));
        assert_eq!(head, Poll::Ready(Head::Error { status: 503, message: "full".to_owned() }));
        let late = pipe(60_000);
        let mut outlet = Outlet::new(Arc::clone(&late), ());
        late.chunk(Bytes::from_static(b"one"), None).unwrap();
        late.fail(413, "large".to_owned());
        assert!(matches!(poll(&mut outlet), Poll::Ready(Some(Err(_)))));
    }
}
