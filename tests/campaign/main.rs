//! Campaigns over a scripted executor: everything but the processes is real, from the gate file to the exit code.

mod clock;
mod evidence;
mod faults;
mod looks;
mod order;
mod published;
mod recorded;
mod resumed;
mod scripted;
mod table;
