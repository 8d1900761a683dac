//! Stacks of calls, noted while code runs: what a profile is made of.
//!
//! Stacks are noted where nothing may be allocated: inside the allocator, and inside a signal handler. So the room for them
//! is there before the first, equal stacks share a place, and what finds no room is counted as lost.

#![expect(unsafe_code, reason = "walking the stack")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The deepest stack that is noted whole; of a deeper one the outermost calls are cut off.
const DEPTH: usize = 256;

/// The places for stacks; a power of two.
const PLACES: usize = 1 << 16;

/// The most stacks that differ, so that a place is found soon.
const MOST: usize = PLACES / 2;

/// The room for the addresses of all of them.
const ROOM: usize = 1 << 22;

/// The stacks of the recording that runs, where one does.
static TABLE: Mutex<Option<Table>> = Mutex::new(None);

/// Stacks of the recording that runs which found the table in use.
static MISSED: AtomicU64 = AtomicU64::new(0);

/// A stack, and what was noted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stack {
    /// Where each call returns to, the innermost first. The place of an interruption is told one byte further, so that all
    /// of them lie behind the instruction that they are about.
    pub addresses: Vec<usize>,
    /// How often it was noted.
    pub count: u64,
    /// The sum of the bytes that it was noted with.
    pub bytes: u64,
}

/// What a recording has noted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The stacks, in no order.
    pub stacks: Vec<Stack>,
    /// How often there was no room for one.
    pub lost: u64,
}

/// A recording that runs. There is one at a time in a process.
#[derive(Debug)]
pub struct Recording(());

impl Recording {
    /// Begins a recording; `None` while another one runs.
    #[must_use]
    pub fn begin() -> Option<Self> {
        // Made before the table is locked: whatever is allocated meanwhile may be noted by the recording that runs.
        let fresh = Table::new();
        let mut table = table();
        if table.is_some() {
            return None;
        }
        *table = Some(fresh);
        MISSED.store(0, Ordering::Relaxed);
        Some(Self(()))
    }

    /// Ends it.
    #[must_use]
    pub fn end(self) -> Recorded {
        let ended = table().take();
        let missed = MISSED.load(Ordering::Relaxed);
        // Another one may run by now, which is not to be taken away.
        std::mem::forget(self);
        ended.map_or_else(Recorded::default, |table| Recorded { lost: table.lost + missed, stacks: table.stacks() })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let ended = table().take();
        drop(ended);
    }
}

fn table() -> MutexGuard<'static, Option<Table>> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes the stack of the caller, with so many bytes; for code that nothing interrupts to note a stack itself.
pub(super) fn note(bytes: usize) {
    let mut addresses = [0; DEPTH];
    let depth = walk(&mut addresses);
    if let Some(table) = table().as_mut() {
        table.add(&addresses[..depth], bytes as u64);
    }
}

/// Notes the stack of what was interrupted at `place`; for signal handlers. Never waits: where the table is in use, the stack
/// is lost.
pub(super) fn note_interrupted(place: usize) {
    let mut addresses = [0; DEPTH];
    let depth = walk(&mut addresses);
    // The innermost calls are the handler's. Where the walk does not come by the place, the place is all that is known.
    let begin = addresses[..depth].iter().position(|address| *address == place);
    let stack = match begin {
        Some(begin) => &mut addresses[begin..depth],
        None => &mut addresses[..1],
    };
    stack[0] = place + 1;
    match TABLE.try_lock() {
        Ok(mut table) => {
            if let Some(table) = table.as_mut() {
                table.add(stack, 0);
            }
        }
        Err(_) => {
            MISSED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes the return addresses of the caller's stack, the innermost first; returns how many they are.
#[inline(never)]
fn walk(addresses: &mut [usize; DEPTH]) -> usize {
    let mut depth = 0;
    // SAFETY: what is unsynchronised is a debugging library of another system; here the walk reads the stack and the
    // unwinding tables of loaded files, and allocates nothing.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            let Some(address) = addresses.get_mut(depth) else { return false };
            *address = frame.ip() as usize;
            depth += 1;
            true
        });
    }
    depth
}

/// A place for a stack; free where nothing was noted.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    hash: u64,
    begin: usize,
    depth: usize,
    count: u64,
    bytes: u64,
}

/// Stacks by their addresses, in room that is there from the beginning.
#[derive(Debug)]
struct Table {
    places: Vec<Place>,
    addresses: Vec<usize>,
    taken: usize,
    lost: u64,
}

impl Table {
    fn new() -> Self {
        Self { places: vec![Place::default(); PLACES], addresses: Vec::with_capacity(ROOM), taken: 0, lost: 0 }
    }

    /// Adds a stack; allocates nothing.
    fn add(&mut self, stack: &[usize], bytes: u64) {
        let hash = hash(stack);
        #[expect(clippy::cast_possible_truncation, reason = "taken modulo the places")]
        let mut at = hash as usize % PLACES;
        loop {
            let place = &mut self.places[at];
            if place.count == 0 {
                if self.taken == MOST || self.addresses.len() + stack.len() > ROOM {
                    self.lost += 1;
                    return;
                }
                *place = Place { hash, begin: self.addresses.len(), depth: stack.len(), count: 1, bytes };
                self.addresses.extend_from_slice(stack);
                self.taken += 1;
                return;
            }
            if place.hash == hash && self.addresses[place.begin..place.begin + place.depth] == *stack {
                place.count += 1;
                place.bytes += bytes;
                return;
            }
            at = (at + 1) % PLACES;
        }
    }

    fn stacks(&self) -> Vec<Stack> {
        let taken = self.places.iter().filter(|place| place.count > 0);
        taken
            .map(|place| Stack {
                addresses: self.addresses[place.begin..place.begin + place.depth].to_vec(),
                count: place.count,
                bytes: place.bytes,
            })
            .collect()
    }
}

/// FNV-1a over whole addresses, folded so that its low bits depend on all of them.
fn hash(stack: &[usize]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash =
        stack.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, address| (hash ^ *address as u64).wrapping_mul(PRIME));
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack_of(table: &Table, addresses: &[usize]) -> Option<Stack> {
        table.stacks().into_iter().find(|stack| stack.addresses == addresses)
    }

    #[test]
    fn equal_stacks_share_a_place_and_others_do_not() {
        let mut table = Table::new();
        table.add(&[1, 2, 3], 10);
        table.add(&[1, 2, 3], 5);
        table.add(&[1, 2], 7);
        assert_eq!(table.stacks().len(), 2);
        assert_eq!(stack_of(&table, &[1, 2, 3]), Some(Stack { addresses: vec![1, 2, 3], count: 2, bytes: 15 }));
        assert_eq!(stack_of(&table, &[1, 2]), Some(Stack { addresses: vec![1, 2], count: 1, bytes: 7 }));
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let mut table = Table::new();
        for address in 0..MOST + 3 {
            table.add(&[address], 1);
        }
        assert_eq!((table.stacks().len(), table.lost), (MOST, 3));
        // One that has its place is still noted.
        table.add(&[0], 1);
        assert_eq!(stack_of(&table, &[0]).map(|stack| stack.count), Some(2));
        let mut deep = Table::new();
        let stacks = ROOM / DEPTH;
        for number in 0..stacks + 2 {
            deep.add(&[number; DEPTH], 0);
        }
        assert_eq!((deep.stacks().len(), deep.lost), (stacks, 2));
    }

    #[test]
    fn one_recording_runs_at_a_time_and_has_the_callers_stack() {
        let recording = Recording::begin().expect("none runs");
        assert!(Recording::begin().is_none());
        note(3);
        let recorded = recording.end();
        let [stack] = recorded.stacks.as_slice() else { panic!("{recorded:?}") };
        assert_eq!((stack.count, stack.bytes, recorded.lost), (1, 3, 0));
        assert!(stack.addresses.len() > 3, "{stack:?}");
        // Nobody records: nothing happens. And an abandoned recording makes way for the next.
        note(3);
        drop(Recording::begin());
        let next = Recording::begin().expect("the last is gone").end();
        assert_eq!(next, Recorded::default());
    }
}
