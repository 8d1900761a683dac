//! A fresh process for every run: the protocol between parent and child, and both ends of it.
//!
//! | part | is |
//! |---|---|
//! | [`protocol`] | what the two say to each other |
//! | [`child`] | the end that is measured: limits, fixtures, then the passes over each case |
//! | [`parent`] | the end that starts it, listens until a deadline, and kills what does not end |
//!
//! A child measures a case in three passes. The **warm-up** runs operations that are held to their row count and not
//! timed. The **timed pass** takes the wall time of each operation by itself. The **counted pass** counts what each
//! operation allocates, after the timing, so that counting disturbs nothing.
//!
//! A child that is asked for a profile measures nothing: a profiler takes time of its own, and no two profilers the same, so
//! that what is timed beside one is another lane.
//!
//! What is inside an operation's time: the lane, from its query to the last byte of its answer, and the freeing of all
//! that it made on the way. What is not: freeing the answer itself, which a server would hand to its socket; holding it
//! to its row count; storing the sample. The rows are checked right after the time was taken.
//!
//! CPU time is the process' over the whole timed pass, so that work on other threads counts wherever it ends. Freeing
//! answers and storing samples is in it, the same on both sides; comparing answers and growing the sample store is
//! taken out.
//!
//! A child keeps freed memory for its next operation, and gives back what building its fixtures took before it warms up:
//! see [`memory::keep_freed`](crate::measure::memory::keep_freed).

mod cause;
pub mod child;
mod conversation;
mod kept;
mod lines;
pub mod parent;
mod pass;
mod profiled;
pub mod protocol;
mod running;
mod series;
mod taken;

pub use cause::{Cause, Ending, WorkerError};
pub use parent::{Output, Worker};
pub use taken::Taken;
