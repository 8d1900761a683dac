//! The machine, as a run sees it: clock, allocations, CPU time, memory, limits, and facts about the host.
//!
//! This is the only home of `unsafe` in the crate, and the only place that reads the monotonic clock.
//! Everything here is Linux's; what a machine does not offer is `None` or named, never guessed.
//!
//! [`clock`] times, [`alloc`] counts allocations, [`rusage`] and [`memory`] account for what a process used,
//! [`limits`] binds it to CPUs and bounds, [`cgroup`] reads the bounds that were there before, [`host`] describes
//! the machine and [`toolchain`] the compiler that built this binary. Apart from all measuring, [`sampling`] and [`alloc`]
//! note [`stacks`] for a profile, and [`symbols`] names what is on them.

pub mod alloc;
pub mod cgroup;
pub mod clock;
pub mod host;
pub mod interrupt;
pub mod limits;
pub mod memory;
pub mod rusage;
pub mod sampling;
pub mod spawn;
pub mod stacks;
pub mod symbols;
pub mod toolchain;

pub use alloc::{AllocCount, CountingAllocator};
pub use clock::Moment;
pub use host::{Fingerprint, Host, Load};
pub use limits::available_cpus;
