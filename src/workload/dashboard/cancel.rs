//! Whether anybody still waits for a request, and what stops its query where nobody does.

use std::sync::{Arc, Mutex};

use duckdb::InterruptHandle;

use crate::measure::clock::{self, Moment};
use crate::workload::locked;

/// One request's: shared by whoever answers it and whoever sees its client leave.
///
/// It can stop a query only while the request holds the connection: whoever gets the connection next is never hit.
#[derive(Default)]
pub struct Cancel(Mutex<State>);

#[derive(Default)]
struct State {
    is_cancelled: bool,
    running: Option<(Arc<InterruptHandle>, Moment)>,
    held_ns: u64,
}

impl Cancel {
    /// Says that nobody waits any longer, and interrupts what runs.
    ///
    /// A query that is about to begin forgets an interrupt that came before: say it again until the request is over.
    pub fn cancel(&self) {
        let mut state = locked(&self.0);
        state.is_cancelled = true;
        if let Some((running, _)) = &state.running {
            running.interrupt();
        }
    }

    /// Whether nobody waits any longer.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        locked(&self.0).is_cancelled
    }

    /// How long the request has held connections by now, in nanoseconds.
    #[must_use]
    pub fn held_ns(&self) -> u64 {
        let state = locked(&self.0);
        state.held_ns + state.running.as_ref().map_or(0, |(_, since)| since.elapsed_ns())
    }

    /// The request holds a connection from now on.
    pub(super) fn attach(&self, running: Arc<InterruptHandle>) {
        locked(&self.0).running = Some((running, clock::now()));
    }

    /// The connection is about to go back: from here on nothing interrupts it.
    pub(super) fn detach(&self) {
        let mut state = locked(&self.0);
        if let Some((_, since)) = state.running.take() {
            state.held_ns += since.elapsed_ns();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use duckdb::Connection;

    use super::*;
    use crate::workload::dashboard::pool::{Pool, PoolError};
    use crate::workload::dashboard::trace::Trace;

    const ENDLESS: &str = "SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b";

    fn pool(size: usize) -> Pool {
        Pool::new(Connection::open_in_memory().unwrap(), size).unwrap()
    }

    #[test]
    fn it_stops_what_runs_and_never_what_runs_next_on_the_same_connection() {
        let (pool, cancel) = (pool(1), Arc::new(Cancel::default()));
        std::thread::scope(|scope| {
            let mut trace = Trace::default();
            let held = pool.acquire_for(Duration::ZERO, Some(&cancel), &mut trace).unwrap();
            let running = scope.spawn(move || {
                held.stream(ENDLESS, &mut trace, |stream, _| Ok(stream.collect::<Result<Vec<_>, _>>()?)).err()
            });
            while !running.is_finished() {
                cancel.cancel();
                std::thread::sleep(Duration::from_millis(5));
            }
            let error = running.join().unwrap().expect("an endless query ended").to_string();
            assert!(error.to_lowercase().contains("interrupt"), "{error}");
        });
        assert_eq!(pool.held(), 0);
        assert!(cancel.held_ns() > 0);
        // Whoever is late interrupts nobody.
        let mut trace = Trace::default();
        let next = Arc::new(Cancel::default());
        let held = pool.acquire_for(Duration::ZERO, Some(&next), &mut trace).unwrap();
        let counted = held.stream("SELECT count(*) FROM range(3000000)", &mut trace, |stream, _| {
            cancel.cancel();
            Ok(stream.collect::<Result<Vec<_>, _>>()?.len())
        });
        assert_eq!(counted.unwrap(), 1);
        assert!(!next.is_cancelled());
    }

    #[test]
    fn nobody_waits_for_a_connection_on_behalf_of_a_client_that_left() {
        let (pool, cancel) = (pool(1), Arc::new(Cancel::default()));
        let mut trace = Trace::default();
        let _held = pool.acquire(Duration::ZERO, &mut trace).unwrap();
        cancel.cancel();
        let error = pool.acquire_for(Duration::from_mins(10), Some(&cancel), &mut trace).err().unwrap();
        assert!(matches!(error, PoolError::Abandoned { .. }), "{error}");
    }
}
