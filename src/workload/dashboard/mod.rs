//! The suite `dashboard`: governed requests about `model.orders`, answered as Arrow IPC or JSON.
//!
//! A [`request`] is decided upon ([`governor`]), admitted ([`admission`]), planned into one query ([`definition`]) and
//! written to the audit log ([`audit`]) before the lanes part; all of that, the connections ([`pool`]) and the
//! retained results ([`cache`]) are the [`engine`]. The lanes differ in what they make of its batches ([`lane`],
//! [`stage`]). One client asks over and over ([`mod@bench`]), or many at one moment ([`crowd`]), or one over a connection to a
//! server ([`http`]).
//! Their answers are read back and held to the fixture, which is made without the database ([`answer`], [`mod@check`]).

pub mod admission;
pub mod answer;
pub mod audit;
pub mod bench;
pub mod budget;
pub mod cache;
pub mod cancel;
pub mod check;
pub mod crowd;
pub mod cursor;
pub mod definition;
pub mod engine;
pub mod error;
pub mod expect;
pub mod governor;
pub mod http;
pub mod lane;
mod pieces;
pub mod pool;
mod query_log;
pub mod request;
pub mod stage;
pub mod trace;

use self::bench::{Dashboard, Subject};
use self::crowd::Clients;
use self::engine::Table;
use self::http::scenario::{Consumer, Served};
use self::lane::Lane;
use self::request::{Format, Visual};
use super::catalogue::DASHBOARD;
use super::{Bench, Setup, WorkloadError};
use crate::fixture::{Family, Name, Shape};
use crate::unit::Case;

pub use self::check::check;
pub use self::query_log::QueryLog;

/// The suite's name.
pub(super) const SUITE: &str = "dashboard";

/// Opens the lane called `lane` in this case.
///
/// # Errors
///
/// A lane or case that the suite does not have, or whatever keeps DuckDB from opening.
pub fn open(lane: &str, case: &Case, setup: &Setup) -> Result<Box<dyn Bench>, WorkloadError> {
    let subject = subject(case)?;
    if let Some(only) = DASHBOARD.lane(lane).and_then(|lane| lane.refuses(case)) {
        let (lane, case) = (lane.to_owned(), case.clone());
        return Err(WorkloadError::Refused { suite: SUITE, lane, case, axis: only.axis, values: only.values });
    }
    let consumer = consumer(case)?;
    if let Some(piece) = pieces::open(lane, subject, setup)? {
        return Ok(piece);
    }
    let lane = Lane::named(lane)?;
    let clients = clients(case)?;
    if let Some(consumer) = consumer {
        if clients > 1 {
            let expected = "1 or left out where the axis `consumer` is there";
            return Err(WorkloadError::Axis { suite: SUITE, axis: "clients", case: case.clone(), expected });
        }
        return Ok(Box::new(Served::open(consumer, lane, subject, setup)?));
    }
    Ok(match clients {
        1 => Box::new(Dashboard::open(lane, subject, setup)?),
        clients => Box::new(Clients::open(lane, subject, clients, setup)?),
    })
}

/// The names of the fixtures that this case is measured on.
///
/// # Errors
///
/// A case that the suite does not have.
pub fn fixtures_for(case: &Case) -> Result<Vec<String>, WorkloadError> {
    let Table { shape, rows } = subject(case)?.table;
    Ok(vec![Name { family: Family::Orders, shape, rows }.to_string()])
}

/// What a case is about.
fn subject(case: &Case) -> Result<Subject, WorkloadError> {
    let wrong = |axis, expected| WorkloadError::Axis { suite: SUITE, axis, case: case.clone(), expected };
    let shape = case.text("shape").and_then(Shape::named).ok_or_else(|| wrong("shape", "`narrow` or `wide`"))?;
    let rows = case
        .integer("rows")
        .and_then(|rows| u32::try_from(rows).ok())
        .ok_or_else(|| wrong("rows", "a whole number of rows"))?;
    let visual = match case.get("visual") {
        None => Visual::Detail,
        Some(_) => case
            .text("visual")
            .and_then(Visual::named)
            .ok_or_else(|| wrong("visual", "the name of a visual, such as `detail`"))?,
    };
    let format = match case.get("response") {
        None => Format::Arrow,
        Some(_) => {
            case.text("response").and_then(Format::named).ok_or_else(|| wrong("response", "`arrow` or `json`"))?
        }
    };
    Ok(Subject { table: Table { shape, rows }, visual, format })
}

fn consumer(case: &Case) -> Result<Option<Consumer>, WorkloadError> {
    if case.get("consumer").is_none() {
        return Ok(None);
    }
    case.text("consumer").and_then(Consumer::named).map(Some).ok_or_else(|| WorkloadError::Axis {
        suite: SUITE,
        axis: "consumer",
        case: case.clone(),
        expected: "the name of a consumer, such as `normal`",
    })
}

fn clients(case: &Case) -> Result<u32, WorkloadError> {
    if case.get("clients").is_none() {
        return Ok(1);
    }
    let clients = case.integer("clients").and_then(|clients| u32::try_from(clients).ok());
    clients.filter(|clients| *clients > 0).ok_or_else(|| WorkloadError::Axis {
        suite: SUITE,
        axis: "clients",
        case: case.clone(),
        expected: "a whole number of clients, 1 or more",
    })
}
