//! The campaign's records: what happened, in which order, and every sample, on disk and in memory.
//!
//! A campaign's folder holds its frozen plan, a journal chained by hash, one Arrow IPC file a run, what was
//! concluded, and a manifest of digests. [`Folder`] writes it, [`Evidence::load`] reads it back, and what is read
//! back analyses to the same bits as what was written.

mod event;
mod folder;
pub mod history;
mod journal;
mod ledger;
mod provenance;
mod record;
mod run_file;

pub use event::{Event, Finish};
pub use folder::{EvidenceError, Folder, latest, read_json};
pub use journal::{Journal, JournalError, Line};
pub use ledger::{Attempt, Ledger, attempts};
pub use provenance::Provenance;
pub use record::{Evidence, RunRecord, Skipped};
pub use run_file::RunFileError;
