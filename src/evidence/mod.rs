//! The campaign's records: what happened, in which order, and every sample, on disk and in memory.
//!
//! A campaign's folder holds its frozen plan, a journal chained by hash, one Arrow IPC file a run, what was
//! concluded, and a manifest of digests. [`Folder`] writes it, [`Evidence::load`] reads it back, and what is read
//! back analyses to the same bits as what was written.

mod envelope;
mod event;
mod folder;
pub mod history;
mod journal;
mod ledger;
mod manifest;
mod outline;
mod provenance;
mod record;
mod replay;
mod run_file;
mod summary;

pub use event::{Event, Finish};
pub use folder::{EvidenceError, Folder, latest, read_gate_file, read_json, read_plan};
pub use journal::{Journal, JournalError, Line};
pub use ledger::{Attempt, Attempts, Ledger, State};
pub use outline::Outline;
pub use provenance::{Earlier, Provenance};
pub use record::{Evidence, RunRecord, Skipped};
pub use replay::{Placed, Replay, Resumption};
pub use run_file::{RunFileError, decode as decode_run};
pub use summary::{CellSummary, Figures, RunSummary, Summary};
