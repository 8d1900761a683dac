//! One lane under a profiler, apart from any campaign: where its CPU time goes, and what it allocates.
//!
//! | part | from | to |
//! |---|---|---|
//! | [`choose()`] | a gate, a hypothesis and words like `rows=50` | a gate of one case |
//! | [`take()`] | a plan of that gate | the stacks of a lane that keeps its contract |
//! | [`Perf`] | where programs are measured | a sampler for them, and what it has written |
//! | [`Flame`] | stacks | a tree, and its drawing as SVG |
//! | [`pprof()`] | stacks | the format of `pprof` |
//! | [`Record`], [`Folder`] | all of it | files beside the gate's campaigns |
//!
//! A profile is never taken in a timed run. A profiler takes time of its own: a timer that interrupts a lane some hundred times a
//! second to walk its stack, and far more where every allocation is walked. That time falls on whatever is interrupted or
//! allocates, so it is not the same on both sides: a ratio of two lanes that are timed under a profiler is another ratio.

mod choose;
mod flame;
mod folder;
mod perf;
mod pprof;
mod record;
mod svg;
mod take;

pub use choose::{Choice, ChoiceError, choose};
pub use flame::{Flame, Share};
pub use folder::{Folder, FolderError};
pub use perf::{Perf, PerfError};
pub use pprof::{Kind, pprof};
pub use record::{Cpu, Heap, Record};
pub use take::{Order, Profiles, TakeError, take};

use crate::measure::symbols::Function;

/// What a function is called in a profile: its name, or its file's in brackets.
fn label(function: &Function) -> String {
    function.name.clone().unwrap_or_else(|| format!("[{}]", function.module.trim_matches(['[', ']'])))
}
