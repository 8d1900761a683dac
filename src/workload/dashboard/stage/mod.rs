//! The stages that an answer passes through, each a function of its own.
//!
//! | stage | from | to |
//! |---|---|---|
//! | [`capture`] | borrowed batches | batches that own every byte |
//! | [`decode`] | batches | rows of owned [`Value`]s |
//! | [`rows`] | rows | maps from name to value, across two ownership boundaries, normalised |
//! | [`frame`] | maps | an ordered frame, and a window of it |
//! | [`lease_frame`] | batches | an ordered frame over them, without rows or maps |
//! | [`project`] | a window | rows of strings |
//! | [`string_ipc`] | rows of strings | an Arrow IPC stream of strings |
//! | [`envelope`] | a window | named frames, and what a visual calculates, for JSON |
//! | [`native_ipc`] | borrowed batches | an Arrow IPC stream of their own types |
//!
//! [`drop_null`] is the defect of the calibration lane `fault:drop-null`.

pub mod capture;
pub mod decode;
pub mod drop_null;
pub mod envelope;
pub mod frame;
pub mod lease_frame;
pub mod native_ipc;
pub mod project;
pub mod rows;
pub mod string_ipc;
mod value;

pub use value::Value;
