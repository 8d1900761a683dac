//! What a table has no room for: why a number is missing, what a correction or a waiver makes of an outcome.

use super::number;
use super::text::some;
use super::view::{Group, Standing, View};
use super::words::{self, undefined};
use crate::spec::Bound;
use crate::verdict::{BudgetResult, Outcome, Role, WaiverState, WaiverUse};

/// A remark on some rows of a group.
#[derive(Debug, PartialEq)]
pub(super) struct Note {
    /// The remark.
    pub(super) text: String,
    /// The cases that it is about.
    pub(super) cases: Vec<String>,
}

impl Note {
    /// The remark and its cases, at most `most` of them; all of a group's cases need no names.
    pub(super) fn sentence(&self, group: &Group, most: usize) -> String {
        match (self.cases.len(), group.rows.len()) {
            (1, 1) => self.text.clone(),
            (all, rows) if all == rows => format!("all {}: {}", number::count(all), self.text),
            _ => format!("{}: {}", some(&self.cases, most, "; "), self.text),
        }
    }
}

/// What a reader must know of a group's rows beside their numbers; what holds for several cases is said once.
///
/// Without `every_p` a p is told only where the correction takes a claim back: for tables that have a column for it.
pub(super) fn notes(view: &View, group: &Group, every_p: bool) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let varying = group.varying();
    for row in &group.rows {
        for text in remarks(view, group, row, every_p) {
            let case = Group::label(&row.case, &varying);
            match notes.iter_mut().find(|note| note.text == text) {
                Some(note) => note.cases.push(case),
                None => notes.push(Note { text, cases: vec![case] }),
            }
        }
    }
    notes
}

fn remarks(view: &View, group: &Group, row: &BudgetResult, every_p: bool) -> Vec<String> {
    let undefined = undefined(row);
    let mut remarks: Vec<String> = holm(row, every_p).into_iter().collect();
    if Standing::of(row) == Standing::Inconclusive && undefined.is_none() {
        let within = match row.point_within {
            Some(true) => "the estimate is inside the bound, the interval reaches beyond it",
            Some(false) => "the estimate is beyond the bound, the interval reaches inside",
            None => "the interval is not on one side of the bound",
        };
        remarks.push(match row.outlook() {
            Some(outlook) => format!("{within}; {outlook}"),
            None => within.to_owned(),
        });
    }
    if let Some(why) = undefined {
        remarks.push(format!("undefined: {why}"));
    }
    if row.pairs > 0 && row.pairs != view.pairs() {
        remarks.push(format!("rests on {} of {} pairs", row.pairs, view.pairs()));
    }
    if let (Some(waiver), Some(limit)) = (&row.waiver, group.bound) {
        remarks.push(self::waiver(waiver, limit, row));
    }
    remarks
}

/// Whether the row says what its p is about: that a guardrail fails, that a benefit passes.
pub(super) fn claims(row: &BudgetResult) -> bool {
    matches!((row.role, row.outcome), (Role::Guardrail, Some(Outcome::Fail)) | (Role::Benefit, Some(Outcome::Pass)))
}

/// The p of what the row claims, where a correction looked at it.
fn holm(row: &BudgetResult, every_p: bool) -> Option<String> {
    let adjusted = row.p_adjusted?;
    if !claims(row) {
        return None;
    }
    let claim = if row.role == Role::Benefit { "passes" } else { "fails" };
    let p =
        format!("p {}, after Holm's correction {}", number::probability(row.p), number::probability(Some(adjusted)));
    if row.confirmed {
        return every_p.then_some(p);
    }
    Some(format!("{claim} alone, but not after the correction: {p}"))
}

/// What became of a waiver, with who approved what until when.
fn waiver(waiver: &WaiverUse, bound: Bound, row: &BudgetResult) -> String {
    let up_to = words::bound(
        match bound {
            Bound::MaxRatio(_) => Bound::MaxRatio(waiver.bound),
            Bound::MinRatio(_) => Bound::MinRatio(waiver.bound),
            Bound::Max(_) => Bound::Max(waiver.bound),
            Bound::Min(_) => Bound::Min(waiver.bound),
        },
        row.unit,
    );
    let state = match waiver.state {
        WaiverState::NotNeeded => "the waiver is not needed, take it out",
        WaiverState::Used if row.outcome == Some(Outcome::Fail) => "it fails, and is waived",
        WaiverState::Used => "it is inconclusive, and is waived",
        WaiverState::Exceeded => "the waiver does not cover it",
        WaiverState::Expired => "the waiver has run out",
    };
    let WaiverUse { reason, approved_by, until, .. } = waiver;
    format!("{state}: {up_to} until {until}, approved by {approved_by}: {reason}")
}
