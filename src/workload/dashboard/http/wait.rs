//! What finished requests and handlers are waited for with.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::HttpError;
use crate::measure::clock;
use crate::workload::dashboard::cancel::Cancel;
use crate::workload::locked;

/// The handlers that are at work, and what their clients keep them from.
#[derive(Default)]
pub(super) struct Handlers {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    next: u64,
    inside: Vec<Inside>,
    blocked: usize,
    taken: u64,
    cut: u64,
}

struct Inside {
    number: u64,
    correlation: String,
    cancel: Arc<Cancel>,
}

impl Handlers {
    /// A handler begins.
    pub(super) fn enter(self: &Arc<Self>, correlation: &str, cancel: &Arc<Cancel>) -> Handler {
        let mut state = locked(&self.state);
        state.next += 1;
        let number = state.next;
        state.inside.push(Inside { number, correlation: correlation.to_owned(), cancel: Arc::clone(cancel) });
        Handler { number, handlers: Arc::clone(self) }
    }

    /// How many are at work.
    pub(super) fn count(&self) -> usize {
        locked(&self.state).inside.len()
    }

    /// How long the request with this correlation has held connections to the database by now; `None` where it is over.
    pub(super) fn held_ns(&self, correlation: &str) -> Option<u64> {
        let state = locked(&self.state);
        let inside = state.inside.iter().find(|inside| inside.correlation == correlation)?;
        Some(inside.cancel.held_ns())
    }

    /// A chunk waits for its client, or no longer does.
    pub(super) fn blocked(&self, is_blocked: bool) {
        let mut state = locked(&self.state);
        state.blocked = if is_blocked { state.blocked + 1 } else { state.blocked.saturating_sub(1) };
    }

    /// A client took a chunk.
    pub(super) fn took(&self) {
        locked(&self.state).taken += 1;
    }

    /// A client was cut off.
    pub(super) fn cut(&self) {
        locked(&self.state).cut += 1;
    }

    /// How many clients were cut off.
    pub(super) fn cuts(&self) -> u64 {
        locked(&self.state).cut
    }

    /// How many chunks wait for their clients, and how many were ever taken.
    pub(super) fn stream(&self) -> (usize, u64) {
        let state = locked(&self.state);
        (state.blocked, state.taken)
    }

    /// Waits until at most `most` handlers are at work.
    pub(super) fn wait(&self, most: usize, patience: Duration) -> Result<(), HttpError> {
        let begin = clock::now();
        let mut state = locked(&self.state);
        loop {
            if state.inside.len() <= most {
                return Ok(());
            }
            let left = patience.saturating_sub(begin.elapsed());
            if left.is_zero() {
                let names: Vec<&str> = state.inside.iter().map(|inside| inside.correlation.as_str()).collect();
                return Err(HttpError::TooLong {
                    what: "handlers to be free",
                    waited_ms: begin.elapsed_ns() / 1_000_000,
                    left: format!("still at work: {}", names.join(", ")),
                });
            }
            state = self.left.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A handler at work. It is free once all that hold this have let it go: its lane, and its connection.
pub(super) struct Handler {
    number: u64,
    handlers: Arc<Handlers>,
}

impl Drop for Handler {
    fn drop(&mut self) {
        locked(&self.handlers.state).inside.retain(|inside| inside.number != self.number);
        self.handlers.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_is_free_once_all_have_let_it_go() {
        let handlers = Arc::new(Handlers::default());
        let first = Arc::new(handlers.enter("one", &Arc::default()));
        let second = Arc::clone(&first);
        drop(first);
        assert_eq!((handlers.count(), handlers.held_ns("one"), handlers.held_ns("two")), (1, Some(0), None));
        let message = handlers.wait(0, Duration::from_millis(1)).unwrap_err().to_string();
        assert!(message.ends_with("still at work: one"), "{message}");
        drop(second);
        handlers.wait(0, Duration::ZERO).unwrap();
    }
}
