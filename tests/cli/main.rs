//! The command line, as a user meets it: real processes, real exit codes.

mod compare;
mod dashboard;
mod gate;
mod probe;
mod usage;
