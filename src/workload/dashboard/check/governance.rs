//! The checks of who may see what, and how much.

use arrow::array::Array;
use arrow::datatypes::DataType;

use super::oracle;
use super::text::of;
use super::trial::{Given, Trial, ask, refusal};
use crate::workload::Response;
use crate::workload::dashboard::audit::Outcome;
use crate::workload::dashboard::budget::{BudgetError, ResultBudget};
use crate::workload::dashboard::error::QueryError;
use crate::workload::dashboard::governor::{ANALYST, GUEST, REGIONAL};
use crate::workload::dashboard::lane::Lane;

/// One decision, one admission, one audit record, and the identity and query that `api-direct` has too.
pub(super) fn governance(trial: &Trial<'_>) -> Result<(), String> {
    let engine = trial.small()?;
    let request = trial.small_request(ANALYST);
    let control = Lane::named("api-direct").map_err(of)?;
    let mut records = Vec::new();
    for lane in [control, trial.lane] {
        let before = (engine.governor.decided(), engine.admission.admitted(), engine.audit.written());
        let trace = ask(&engine, lane, &request).map_err(of)?.trace;
        let after = (engine.governor.decided(), engine.admission.admitted(), engine.audit.written());
        let counted = [after.0 - before.0, after.1 - before.1, after.2 - before.2];
        let reported = [trace.decisions, trace.admissions, trace.audits];
        if (counted, reported) != ([1; 3], [1; 3]) {
            return Err(format!(
                "expected one decision, one admission and one audit record in an operation of `{}`: counted {counted:?}, reported {reported:?}",
                lane.name
            ));
        }
        records.push(engine.audit.last().ok_or("the audit log is empty")?);
    }
    if records[0] != records[1] {
        return Err(format!("expected the audit record of api-direct, {:?}, found {:?}", records[0], records[1]));
    }
    Ok(())
}

/// A denial comes before any plan, query or answer, and is written to the audit log.
pub(super) fn denied_first(trial: &Trial<'_>) -> Result<(), String> {
    let engine = trial.small()?;
    let before = engine.pool.executed();
    let (error, buffer, trace) = refusal(&engine, trial.lane, &trial.small_request(GUEST))?;
    if !matches!(error, QueryError::Denied(_)) {
        return Err(format!("expected the principal to be denied, found: {error}"));
    }
    let did = [trace.admissions, trace.queries, engine.pool.executed() - before, trace.planning_ns];
    if did != [0; 4] || !buffer.body.is_empty() {
        return Err(format!(
            "expected nothing to be done for who is denied, found {} admissions, {} queries, {} ns of planning, {} bytes of an answer",
            did[0],
            did[1].max(did[2]),
            did[3],
            buffer.body.len()
        ));
    }
    match engine.audit.last().map(|record| record.outcome) {
        Some(Outcome::Denied { .. }) => Ok(()),
        other => Err(format!("expected an audit record of the denial, found {other:?}")),
    }
}

/// A principal under a row policy gets exactly the rows that it lets through.
pub(super) fn row_policy(trial: &Trial<'_>) -> Result<(), String> {
    let engine = trial.small()?;
    let asked = ask(&engine, trial.lane, &trial.small_request(REGIONAL)).map_err(of)?;
    let visible = oracle::regional(&trial.small_orders()?)?;
    trial.hold(&visible, Some(visible.num_rows() as u64), &asked)
}

/// A masked column has its own type, and no value.
pub(super) fn column_mask(trial: &Trial<'_>) -> Result<(), String> {
    let engine = trial.small()?;
    let asked = ask(&engine, trial.lane, &trial.small_request(REGIONAL)).map_err(of)?;
    let response = Response { rows: asked.answered.rows, body: asked.buffer.body, wall_ns: None };
    let leaks =
        |row, value: &str| Err(format!("row {row} of `field_03`, which is masked: expected no value, found {value}"));
    match Given::read(trial.subject.format, &response)? {
        Given::Arrow(_, table) => {
            let column = table.column_by_name("field_03").ok_or("`field_03` is missing")?;
            if *column.data_type() != DataType::Utf8 {
                return Err(format!("`field_03`, which is masked: expected type Utf8, found {}", column.data_type()));
            }
            let text = arrow::array::AsArray::as_string::<i32>(column);
            match (0..text.len()).find(|&row| text.is_valid(row) && !text.value(row).is_empty()) {
                Some(row) => leaks(row, text.value(row)),
                None => Ok(()),
            }
        }
        Given::Json(_, value) => {
            let rows = value["frames"][0]["rows"].as_array().ok_or("the answer has no rows")?;
            match rows.iter().position(|row| !row[3].is_null()) {
                Some(row) => leaks(row, &rows[row][3].to_string()),
                None => Ok(()),
            }
        }
    }
}

/// The largest budget under which the result is refused is one byte below the smallest under which it is answered, and a
/// refusal leaves neither a body nor a cursor.
pub(super) fn result_budget(trial: &Trial<'_>) -> Result<(), String> {
    let mut engine = trial.small()?;
    let request = trial.small_request(ANALYST);
    let most = ResultBudget::default();
    let mut bytes = 0;
    // Each refusal says what had been charged by then.
    let enough = loop {
        engine.limit_results(ResultBudget { bytes, ..most });
        engine.cache.clear();
        match ask(&engine, trial.lane, &request) {
            Ok(_) => break bytes,
            Err(QueryError::Budget(BudgetError::Bytes { found, .. })) if found > bytes => bytes = found,
            Err(other) => return Err(format!("expected an answer or a refusal for its bytes, found: {other}")),
        }
    };
    let short = [ResultBudget { bytes: enough - 1, ..most }, ResultBudget { rows: 49, ..most }];
    for budget in short {
        engine.limit_results(budget);
        engine.cache.clear();
        let (error, buffer, _) = refusal(&engine, trial.lane, &request)?;
        if !matches!(error, QueryError::Budget(_)) || !buffer.body.is_empty() || buffer.cursor.is_some() {
            let sent = buffer.body.len();
            return Err(format!("expected a refusal without a body or a cursor, found {sent} bytes and: {error}"));
        }
        if !engine.cache.is_empty() {
            return Err("a result that was refused is kept in the cache".to_owned());
        }
    }
    Ok(())
}
