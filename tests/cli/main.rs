//! The command line, as a user meets it: real processes, real exit codes.

mod dashboard;
mod gate;
mod probe;
mod usage;
