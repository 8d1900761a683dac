//! The checks of what is kept from one request to the next.

use std::sync::Arc;

use super::oracle;
use super::text::of;
use super::trial::{Trial, ask, refusal};
use crate::workload::dashboard::bench::Dashboard;
use crate::workload::dashboard::expect;
use crate::workload::dashboard::governor::{ANALYST, GUEST, REGIONAL};
use crate::workload::{Bench, Counters};

/// An operation shows exactly the outcomes of its lane, time and again.
pub(super) fn cache_outcomes(trial: &Trial<'_>) -> Result<(), String> {
    let mut bench = Dashboard::open(trial.lane, trial.subject, trial.setup).map_err(of)?;
    for _ in 0..3 {
        bench.prepare().map_err(of)?;
        bench.operation(&mut Counters::default()).map_err(of)?;
    }
    Ok(())
}

/// Once the data have changed, an answer is of the new ones.
pub(super) fn fresh_data(trial: &Trial<'_>) -> Result<(), String> {
    let engine = trial.small()?;
    let request = trial.small_request(ANALYST);
    let orders = trial.small_orders()?;
    let total = Some(orders.num_rows() as u64);
    trial.hold(&orders, total, &ask(&engine, trial.lane, &request).map_err(of)?)?;
    engine.change("UPDATE model.orders SET field_01 = field_01 + 1").map_err(of)?;
    let changed = oracle::changed(&orders)?;
    let asked = ask(&engine, trial.lane, &request).map_err(of)?;
    trial.hold(&changed, total, &asked).map_err(|what| {
        let [hits, queries] = [asked.trace.hits, asked.trace.queries];
        format!("after the data had changed, with {hits} hits and {queries} queries: {what}")
    })
}

/// Whoever asks the same question gets the answer of their own policy.
pub(super) fn own_scope(trial: &Trial<'_>) -> Result<(), String> {
    let engine = trial.small()?;
    let orders = trial.small_orders()?;
    let visible = oracle::regional(&orders)?;
    for (principal, expected) in [(ANALYST, &orders), (REGIONAL, &visible), (ANALYST, &orders), (REGIONAL, &visible)] {
        let asked = ask(&engine, trial.lane, &trial.small_request(principal)).map_err(of)?;
        trial.hold(expected, Some(expected.num_rows() as u64), &asked).map_err(|what| {
            let [hits, queries] = [asked.trace.hits, asked.trace.queries];
            format!("for `{principal}`, with {hits} hits and {queries} queries: {what}")
        })?;
    }
    Ok(())
}

/// Nothing is held once a request is answered, denied or refused.
pub(super) fn nothing_left(trial: &Trial<'_>) -> Result<(), String> {
    let engine = Arc::new(trial.small()?);
    let request = trial.small_request(ANALYST);
    ask(&engine, trial.lane, &request).map_err(of)?;
    expect::nothing_left(&engine).map_err(of)?;
    refusal(&engine, trial.lane, &trial.small_request(GUEST))?;
    let too_many = crate::workload::dashboard::request::Request { limit: u32::MAX, ..request };
    refusal(&engine, trial.lane, &too_many)?;
    expect::nothing_left(&engine).map_err(of)
}
