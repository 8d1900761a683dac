//! Parent and child as real processes, and what can go wrong between them.

mod alone;
mod broken;
mod lanes;
mod messages;
mod requests;

/// Some tests count the allocations of their own process.
#[global_allocator]
static ALLOCATOR: gate::measure::CountingAllocator = gate::measure::CountingAllocator;
