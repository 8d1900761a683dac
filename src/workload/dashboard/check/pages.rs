//! The check of pages and cursors.

use super::text::of;
use super::trial::{Trial, ask, refusal};
use crate::fixture::orders;
use crate::workload::dashboard::cursor::CursorError;
use crate::workload::dashboard::error::QueryError;
use crate::workload::dashboard::governor::{ANALYST, REGIONAL};
use crate::workload::dashboard::lane::Path;
use crate::workload::dashboard::request::Request;

/// Rows of the table that is paged through.
const ROWS: u32 = 2_501;
/// Rows of a full page.
const PAGE: u32 = 1_000;

/// 2,501 rows as 1,000, 1,000 and 501: whole, in order, with a cursor on all but the last, which nobody else can use.
pub(super) fn pagination(trial: &Trial<'_>) -> Result<(), String> {
    let engine = trial.engine(ROWS)?;
    let orders = orders::table(engine.shape(), ROWS, trial.setup.null_period).map_err(of)?;
    let first = Request { limit: PAGE, ..trial.table(ROWS).request(ANALYST) };
    let is_direct = trial.lane.path_of(&first) == Path::ApiDirect;
    let mut cursor = None;
    let mut kept = None;
    for (page, rows) in [1_000, 1_000, 501].into_iter().enumerate() {
        let asked = ask(&engine, trial.lane, &Request { cursor: cursor.clone(), ..first.clone() }).map_err(of)?;
        let is_last = page == 2;
        let total = (is_last || is_direct).then_some(u64::from(ROWS));
        trial
            .hold(&orders.slice(page * PAGE as usize, rows), total, &asked)
            .map_err(|what| format!("page {}: {what}", page + 1))?;
        cursor = asked.cursor();
        if cursor.is_some() == is_last {
            let (expected, found) = if is_last { ("no cursor", "one") } else { ("a cursor", "none") };
            return Err(format!("page {}: expected {expected}, found {found}", page + 1));
        }
        // The existing path counts behind a full page, and says where the next begins before its first byte.
        let expected = if is_direct && !is_last { 2 } else { 1 };
        if asked.trace.queries != expected {
            return Err(format!("page {}: expected {expected} queries, found {}", page + 1, asked.trace.queries));
        }
        if is_direct && asked.answered.cursor.is_some() || !is_direct && asked.buffer.cursor.is_some() {
            return Err(format!("page {}: its cursor stands in the wrong place", page + 1));
        }
        kept = kept.or_else(|| cursor.clone());
    }
    let foreign = Request { limit: PAGE, cursor: kept.clone(), ..trial.table(ROWS).request(REGIONAL) };
    refused(trial, &engine, &foreign, "of another principal", |error| matches!(error, CursorError::Foreign))?;
    let other = Request { limit: PAGE - 1, cursor: kept.clone(), ..first.clone() };
    refused(trial, &engine, &other, "of another question", |error| matches!(error, CursorError::Foreign))?;
    engine.change("UPDATE model.orders SET field_01 = field_01 + 1").map_err(of)?;
    let stale = Request { cursor: kept, ..first };
    refused(trial, &engine, &stale, "of older data", |error| matches!(error, CursorError::Stale { .. }))
}

fn refused(
    trial: &Trial<'_>,
    engine: &crate::workload::dashboard::engine::Engine,
    request: &Request,
    whose: &str,
    is_expected: fn(&CursorError) -> bool,
) -> Result<(), String> {
    let (error, buffer, trace) =
        refusal(engine, trial.lane, request).map_err(|found| format!("a cursor {whose}: {found}"))?;
    match &error {
        QueryError::Cursor(error) if is_expected(error) && trace.queries == 0 && buffer.body.is_empty() => Ok(()),
        _ => Err(format!("a cursor {whose}: expected it to be refused before any query, found: {error}")),
    }
}
