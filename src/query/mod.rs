//! SQL over evidence: campaigns' folders → a [`Database`] of views → what a statement finds, written out.
//!
//! ```text
//! campaigns ─▶ views ─▶ DuckDB ─▶ batches ─▶ terminal, CSV, JSON, JSON lines, Parquet
//! ```
//!
//! Every campaign is held to its journal as it is opened. [`VIEWS`] are table functions that read a run or a campaign at a
//! time, and only what a statement names, so that memory grows with one run and with what DuckDB keeps. The database is
//! in memory, holds nothing but the views, and neither files nor networks can be reached from it.

mod axes;
mod campaigns;
mod concluded;
mod database;
mod error;
mod output;
mod planned;
mod rows;
mod samples;
mod scan;
mod value;
mod view;

pub use database::Database;
pub use error::QueryError;
pub use output::{Csv, Json, JsonLines, Output, Parquet, Terminal};
pub use view::{Column, Kind, VIEWS, View, help};
