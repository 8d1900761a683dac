//! The retained-result cache: results by scope, question and snapshot, lent out by lease.
//!
//! A lease is a reference count: to take or return one costs the same whatever the rows and columns. Bytes are
//! accounted from the moment a result is kept until its last lease is returned, so that the budget holds for what was
//! thrown out but is still read. Of requests that miss the same result at once one computes it, the others wait for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use arrow::record_batch::RecordBatch;

use super::cancel::Cancel;
use super::error::QueryError;
use super::governor::Scope;
use super::pool::LOOK;
use super::trace::Trace;
use crate::measure::clock;
use crate::workload::locked;

/// What a result is kept under. All of it must be equal: nothing crosses a principal, a policy, a question or a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Who may see it: the principal and the policy.
    pub scope: Scope,
    /// What was asked, before any policy: a digest of visual, filter, page and place.
    pub question: [u8; 32],
    /// The state of the data.
    pub snapshot: u64,
}

/// A result that owns its bytes.
#[derive(Debug)]
pub struct Retained {
    /// Its batches.
    pub batches: Vec<RecordBatch>,
    bytes: u64,
    accounts: Arc<Accounts>,
}

impl Drop for Retained {
    fn drop(&mut self) {
        self.accounts.bytes.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

/// What is out there.
#[derive(Debug, Default)]
struct Accounts {
    /// Bytes of all results that are kept or lent out.
    bytes: AtomicU64,
    /// The most that `bytes` ever was.
    peak: AtomicU64,
    /// Leases that are out.
    leases: AtomicUsize,
}

/// The right to read a result, until it is dropped.
#[derive(Debug)]
pub struct Lease {
    result: Arc<Retained>,
    accounts: Arc<Accounts>,
}

impl Lease {
    fn new(result: &Arc<Retained>, accounts: &Arc<Accounts>) -> Self {
        accounts.leases.fetch_add(1, Ordering::AcqRel);
        Self { result: Arc::clone(result), accounts: Arc::clone(accounts) }
    }

    /// The batches.
    #[must_use]
    pub fn batches(&self) -> &[RecordBatch] {
        &self.result.batches
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.accounts.leases.fetch_sub(1, Ordering::AcqRel);
    }
}

#[derive(Debug)]
enum Entry {
    /// Somebody is computing it.
    Filling,
    /// It is here, and was last looked up at this tick.
    Kept(Arc<Retained>, u64),
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<Key, Entry>,
    tick: u64,
}

/// The cache.
#[derive(Debug)]
pub struct Cache {
    state: Mutex<State>,
    settled: Condvar,
    accounts: Arc<Accounts>,
    budget_bytes: u64,
}

/// What a lookup gives.
#[derive(Debug)]
pub enum Lookup<'a> {
    /// The result.
    Hit(Lease),
    /// It is not here: the caller is to compute it, and others wait for that.
    Miss(Filling<'a>),
}

impl Cache {
    /// Empty, for results of so many bytes together.
    #[must_use]
    pub fn new(budget_bytes: u64) -> Self {
        Self { state: Mutex::default(), settled: Condvar::new(), accounts: Arc::default(), budget_bytes }
    }

    /// Looks the result up, and waits at most `patience` where somebody is computing it.
    ///
    /// # Errors
    ///
    /// Nobody came back with it in time.
    pub fn lookup(&self, key: Key, patience: Duration, trace: &mut Trace) -> Result<Lookup<'_>, QueryError> {
        self.lookup_for(key, patience, None, trace)
    }

    /// Looks the result up for a request that may be cancelled.
    ///
    /// # Errors
    ///
    /// Nobody came back with it in time, or the request was cancelled before.
    pub fn lookup_for(
        &self,
        key: Key,
        patience: Duration,
        cancel: Option<&Arc<Cancel>>,
        trace: &mut Trace,
    ) -> Result<Lookup<'_>, QueryError> {
        let mut state = locked(&self.state);
        let mut begin = None;
        loop {
            state.tick += 1;
            let tick = state.tick;
            match state.entries.get_mut(&key) {
                Some(Entry::Kept(result, used)) => {
                    *used = tick;
                    let lease = Lease::new(result, &self.accounts);
                    trace.hits += 1;
                    trace.coalesced += u64::from(begin.is_some());
                    return Ok(Lookup::Hit(lease));
                }
                Some(Entry::Filling) => {
                    let begin = *begin.get_or_insert_with(clock::now);
                    let left = patience.saturating_sub(begin.elapsed());
                    if left.is_zero() || cancel.is_some_and(|cancel| cancel.is_cancelled()) {
                        return Err(QueryError::Coalesced { waited_ms: begin.elapsed_ns() / 1_000_000 });
                    }
                    let left = if cancel.is_some() { left.min(LOOK) } else { left };
                    state = self.settled.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                }
                None => {
                    state.entries.insert(key, Entry::Filling);
                    trace.misses += 1;
                    return Ok(Lookup::Miss(Filling { cache: self, key, done: false }));
                }
            }
        }
    }

    /// Throws every result out; those that are lent out live until they are returned.
    pub fn clear(&self) {
        locked(&self.state).entries.retain(|_, entry| matches!(entry, Entry::Filling));
    }

    /// Bytes of all results that are kept or lent out.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.accounts.bytes.load(Ordering::Acquire)
    }

    /// The most that [`Cache::bytes`] ever was.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.accounts.peak.load(Ordering::Acquire)
    }

    /// Leases that are out.
    #[must_use]
    pub fn leases(&self) -> usize {
        self.accounts.leases.load(Ordering::Acquire)
    }

    /// Results that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        locked(&self.state).entries.values().filter(|entry| matches!(entry, Entry::Kept(..))).count()
    }

    /// Whether none is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes room for `bytes` more by throwing out what was not looked up for longest and is not lent out.
    /// Called with the lock, under which alone results are kept and leases of kept ones are taken.
    fn make_room(&self, state: &mut State, bytes: u64) -> bool {
        while self.bytes().saturating_add(bytes) > self.budget_bytes {
            let oldest = state.entries.iter().filter_map(|(key, entry)| match entry {
                Entry::Kept(result, used) if Arc::strong_count(result) == 1 => Some((*used, *key)),
                _ => None,
            });
            let Some((_, key)) = oldest.min_by_key(|(used, _)| *used) else { return false };
            state.entries.remove(&key);
        }
        true
    }
}

/// The duty to compute a result that others may be waiting for. Dropped without it, the next of them has the duty.
#[derive(Debug)]
pub struct Filling<'a> {
    cache: &'a Cache,
    key: Key,
    done: bool,
}

impl Filling<'_> {
    /// Keeps the result, and lends it out. One that does not fit is lent out alone, and goes when it is returned.
    #[must_use]
    pub fn fill(mut self, batches: Vec<RecordBatch>, trace: &mut Trace) -> Lease {
        let bytes = batches.iter().map(|batch| batch.get_array_memory_size() as u64).sum();
        let cache = self.cache;
        let mut state = locked(&cache.state);
        let fits = cache.make_room(&mut state, bytes);
        // What is not kept is the request's own, and not the cache's to account for.
        let accounted = if fits { bytes } else { 0 };
        let now = cache.accounts.bytes.fetch_add(accounted, Ordering::AcqRel) + accounted;
        cache.accounts.peak.fetch_max(now, Ordering::AcqRel);
        let result = Arc::new(Retained { batches, bytes: accounted, accounts: Arc::clone(&cache.accounts) });
        let lease = Lease::new(&result, &cache.accounts);
        if fits {
            state.tick += 1;
            let tick = state.tick;
            state.entries.insert(self.key, Entry::Kept(result, tick));
            trace.populates += 1;
        } else {
            state.entries.remove(&self.key);
        }
        self.done = true;
        drop(state);
        cache.settled.notify_all();
        lease
    }
}

impl Drop for Filling<'_> {
    fn drop(&mut self) {
        if !self.done {
            locked(&self.cache.state).entries.remove(&self.key);
            self.cache.settled.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    const PATIENCE: Duration = Duration::from_millis(20);

    fn key(number: u8) -> Key {
        Key { scope: [0; 32], question: [number; 32], snapshot: 1 }
    }

    fn table() -> Vec<RecordBatch> {
        vec![fixture::generate("orders-narrow-50", 13).unwrap()]
    }

    fn size() -> u64 {
        table()[0].get_array_memory_size() as u64
    }

    fn fill(cache: &Cache, key: Key) -> Lease {
        match cache.lookup(key, PATIENCE, &mut Trace::default()).unwrap() {
            Lookup::Miss(filling) => filling.fill(table(), &mut Trace::default()),
            Lookup::Hit(_) => panic!("{key:?} is there already"),
        }
    }

    fn is_kept(cache: &Cache, key: Key) -> bool {
        // A miss that is not filled leaves nothing behind.
        matches!(cache.lookup(key, PATIENCE, &mut Trace::default()).unwrap(), Lookup::Hit(_))
    }

    #[test]
    fn a_result_is_found_under_its_whole_key_alone() {
        let cache = Cache::new(1 << 20);
        drop(fill(&cache, key(1)));
        assert!(is_kept(&cache, key(1)));
        for other in [Key { scope: [1; 32], ..key(1) }, Key { snapshot: 2, ..key(1) }, key(2)] {
            assert!(!is_kept(&cache, other), "{other:?}");
        }
    }

    #[test]
    fn a_lease_outlives_its_entry_and_its_bytes_count_until_it_is_returned() {
        let cache = Cache::new(1 << 20);
        let lease = fill(&cache, key(1));
        cache.clear();
        assert_eq!((cache.len(), cache.bytes(), cache.leases()), (0, size(), 1));
        assert_eq!(lease.batches(), table());
        drop(lease);
        assert_eq!((cache.bytes(), cache.leases()), (0, 0));
    }

    #[test]
    fn the_budget_holds_with_leases_out() {
        let cache = Cache::new(2 * size());
        let lent = [fill(&cache, key(1)), fill(&cache, key(2))];
        // Both are read: nothing can be thrown out, and the third is not kept.
        let third = fill(&cache, key(3));
        assert_eq!(third.batches(), table());
        assert!(!is_kept(&cache, key(3)));
        assert_eq!((cache.bytes(), cache.peak_bytes()), (2 * size(), 2 * size()));
        // Thrown out but lent, they still count.
        cache.clear();
        drop(fill(&cache, key(4)));
        assert!(!is_kept(&cache, key(4)));
        drop(lent);
        drop(fill(&cache, key(5)));
        assert!(is_kept(&cache, key(5)));
        assert_eq!(cache.peak_bytes(), 2 * size());
    }

    #[test]
    fn what_was_not_looked_up_for_longest_goes_first() {
        let cache = Cache::new(2 * size());
        drop(fill(&cache, key(1)));
        drop(fill(&cache, key(2)));
        assert!(is_kept(&cache, key(1)));
        drop(fill(&cache, key(3)));
        assert_eq!([1, 2, 3].map(|number| is_kept(&cache, key(number))), [true, false, true]);
    }

    #[test]
    fn who_waits_in_vain_is_told_and_who_gives_up_makes_room() {
        let cache = Cache::new(1 << 20);
        let mut trace = Trace::default();
        let Lookup::Miss(filling) = cache.lookup(key(1), PATIENCE, &mut trace).unwrap() else { panic!("a hit") };
        let error = cache.lookup(key(1), PATIENCE, &mut trace).unwrap_err().to_string();
        assert!(error.contains("waited 2"), "{error}");
        drop(filling);
        assert!(matches!(cache.lookup(key(1), PATIENCE, &mut trace), Ok(Lookup::Miss(_))));
        assert_eq!((trace.misses, trace.hits, trace.coalesced), (2, 0, 0));
    }
}
