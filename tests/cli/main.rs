//! The command line, as a user meets it: real processes, real exit codes.

mod command;
mod compare;
mod dashboard;
mod disks;
mod gate;
mod history;
mod init;
mod probe;
mod profile;
mod protocol;
mod query;
mod recorded;
mod resumed;
mod revisions;
mod sized;
mod usage;
mod verified;
