//! The `gate` command: parse, dispatch, exit code. It installs the counting allocator.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: gate::measure::CountingAllocator = gate::measure::CountingAllocator;

fn main() -> ExitCode {
    gate::cli::main()
}
