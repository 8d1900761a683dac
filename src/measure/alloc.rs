//! Counting what Rust code allocates.
//!
//! The binary installs [`CountingAllocator`] as its global allocator. It hands every call to the system's, and counts
//! only while somebody asks: switched off, an allocation costs one relaxed load more than the system's own, so that
//! timing is not disturbed.
//!
//! What is counted is what Go's `B/op` and `allocs/op` count: memory that was asked for.
//!
//! - An allocation counts once, with the bytes of its layout, zeroed or not.
//! - A reallocation to a larger size counts as an allocation of the whole new size, whether or not the system could grow
//!   the block where it stood: that depends on its neighbours, and the count must not.
//! - A reallocation to the same or a smaller size asks for nothing, and counts nothing. Neither does freeing.
//!
//! All threads are counted. The count is exact where the threads that work for the closure are synchronised with its
//! beginning and its end: spawned or sent work inside it, and joined or answered before it returns. C and C++ code
//! that calls `malloc` itself (DuckDB) is not seen.

#![expect(unsafe_code, reason = "a global allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::stacks::{self, Recording};

/// Counts that are running. Allocations are counted while there is one.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// Bytes counted so far; only ever grows.
static BYTES: AtomicU64 = AtomicU64::new(0);
/// Allocations counted so far; only ever grows.
static ALLOCS: AtomicU64 = AtomicU64::new(0);
/// Whether what is counted is noted with its stack, too.
static NOTED: AtomicBool = AtomicBool::new(false);

/// The system's allocator, with a counter that is off until [`count`] runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

/// What was allocated while something ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AllocCount {
    /// Bytes asked for.
    pub bytes: u64,
    /// Allocations.
    pub allocs: u64,
}

#[inline]
fn note(bytes: usize) {
    if RUNNING.load(Ordering::Relaxed) != 0 {
        add(bytes);
    }
}

#[cold]
fn add(bytes: usize) {
    BYTES.fetch_add(bytes as u64, Ordering::Relaxed);
    ALLOCS.fetch_add(1, Ordering::Relaxed);
    if NOTED.load(Ordering::Relaxed) {
        stacks::note(bytes);
    }
}

// SAFETY: every call is handed to `System` with the caller's own arguments, and its answer is returned untouched, so
// that the contract is the system's. Counting touches atomics, and noting stacks has its room before: neither allocates
// nor unwinds.
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps `alloc`'s contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps `alloc_zeroed`'s contract, which is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps `dealloc`'s contract, and `block` came from `System` as all blocks here do.
        unsafe { System.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if new_size > layout.size() {
            note(new_size);
        }
        // SAFETY: the caller keeps `realloc`'s contract, and `block` came from `System` as all blocks here do.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

/// A count that is running; counting ends with it, also when the counted code unwinds.
struct Running;

impl Running {
    fn start() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

fn counted() -> AllocCount {
    AllocCount { bytes: BYTES.load(Ordering::SeqCst), allocs: ALLOCS.load(Ordering::SeqCst) }
}

/// Runs `work`, and counts what Rust code of all threads allocates meanwhile.
///
/// Counts may nest and overlap; each sees all that is allocated between its own beginning and end.
/// Without [`CountingAllocator`] as the global allocator the count is zero: ask [`installed`] first.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, AllocCount) {
    let running = Running::start();
    let before = counted();
    let result = work();
    let after = counted();
    drop(running);
    let count =
        AllocCount { bytes: after.bytes.wrapping_sub(before.bytes), allocs: after.allocs.wrapping_sub(before.allocs) };
    (result, count)
}

/// Runs `work`, counts like [`count`], and notes every allocation with its stack in the recording that runs.
pub fn note_stacks<T>(_recording: &Recording, work: impl FnOnce() -> T) -> (T, AllocCount) {
    struct Noting;

    impl Drop for Noting {
        fn drop(&mut self) {
            NOTED.store(false, Ordering::SeqCst);
        }
    }

    count(|| {
        NOTED.store(true, Ordering::SeqCst);
        let _noting = Noting;
        work()
    })
}

/// Whether [`CountingAllocator`] is this program's global allocator, so that counts mean something.
#[must_use]
pub fn installed() -> bool {
    let (block, count) = count(|| black_box(Vec::<u8>::with_capacity(black_box(64))));
    drop(block);
    count.allocs > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    // The test binary of the library keeps the system's allocator; `tests/worker.rs` counts exactly.

    #[test]
    fn without_the_allocator_nothing_is_counted_and_it_is_known() {
        assert!(!installed());
        let (length, count) = count(|| black_box(vec![1_u8; 100]).len());
        assert_eq!(length, 100);
        assert_eq!(count, AllocCount::default());
    }

    #[test]
    fn calls_are_counted_by_the_bytes_they_ask_for() {
        let allocator = CountingAllocator;
        let layout = Layout::from_size_align(100, 8).expect("a valid layout");
        let grown = Layout::from_size_align(300, 8).expect("a valid layout");
        let ((), count) = count(|| {
            // SAFETY: the layouts are not empty, and every block is used with the layout that it has.
            unsafe {
                let block = allocator.alloc(layout);
                assert!(!block.is_null());
                let block = allocator.realloc(block, layout, 300);
                assert!(!block.is_null());
                let block = allocator.realloc(block, grown, 100);
                assert!(!block.is_null());
                allocator.dealloc(block, layout);
                let zeroed = allocator.alloc_zeroed(layout);
                assert_eq!(*zeroed, 0);
                allocator.dealloc(zeroed, layout);
            }
        });
        assert_eq!(count, AllocCount { bytes: 100 + 300 + 100, allocs: 3 });
    }

    #[test]
    fn a_panic_ends_the_count() {
        let outcome = std::panic::catch_unwind(|| count(|| std::panic::resume_unwind(Box::new(()))));
        assert!(outcome.is_err());
        // Other tests may be counting just now; what matters is that this one's count does not stay.
        let ended = (0..100_000).any(|_| {
            std::thread::yield_now();
            RUNNING.load(Ordering::SeqCst) == 0
        });
        assert!(ended);
    }
}
