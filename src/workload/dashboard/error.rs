//! Why a request was not answered.

use std::io;

use super::budget::BudgetError;
use super::cursor::CursorError;
use super::governor::Denied;
use super::pool::PoolError;

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The governor said no.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The request is admitted by nobody.
    #[error(transparent)]
    Refused(#[from] super::admission::Refused),
    /// The cursor is not of this query, scope and snapshot.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// No connection came free.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The result is larger than it may be.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The visual is none that this lane draws, or not in this form.
    #[error("{lane} does not answer {what}; it is for {expected}")]
    Unsuitable {
        /// The lane.
        lane: &'static str,
        /// What was asked.
        what: String,
        /// What it answers.
        expected: &'static str,
    },
    /// Another request for the same result is on its way, and did not come back in time.
    #[error("waited {waited_ms} ms for the same result that another request was computing")]
    Coalesced {
        /// How long.
        waited_ms: u64,
    },
    /// The client is gone, or did not take the answer in time.
    #[error("write the answer: {0}")]
    Client(#[from] io::Error),
    /// DuckDB failed.
    #[error("run DuckDB: {0}")]
    Database(#[from] duckdb::Error),
    /// Arrow data could not be built or written.
    #[error("read or write Arrow data: {0}")]
    Arrow(#[from] arrow::error::ArrowError),
    /// JSON could not be written.
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// What came is not what was asked for.
    #[error("{0}")]
    Answer(String),
}

impl QueryError {
    /// The HTTP status that says so, before anything of an answer was sent.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::Denied(_) => 403,
            Self::Refused(_) => 429,
            Self::Cursor(_) | Self::Unsuitable { .. } => 400,
            Self::Pool(_) | Self::Coalesced { .. } => 503,
            Self::Budget(_) => 413,
            _ => 500,
        }
    }
}
