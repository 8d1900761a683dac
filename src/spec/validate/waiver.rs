//! Waivers: a failure that somebody has agreed to, up to a bound and a day.

use super::bound::in_range;
use super::findings::Findings;
use crate::spec::diagnostic::quoted;
use crate::spec::file::WaiverFile;
use crate::spec::model::{Bound, Waiver};
use crate::spec::tree::At;

/// The waiver at `at` of a budget with `bound`, where that has no errors of its own.
pub(super) fn waiver(file: &WaiverFile, bound: Option<Bound>, at: At<'_>, findings: &mut Findings) -> Option<Waiver> {
    let reason = findings.required_line(at, "reason", file.reason.as_deref(), "why it is agreed to");
    let approved_by = findings.required_line(at, "approved_by", file.approved_by.as_deref(), "who agreed to it");
    let looser = findings.required(at, "bound", file.bound, "1.12").and_then(|value| {
        let bound = bound?;
        let waived = bound.with(value);
        in_range(waived, at.key("bound"), "bound", findings).then_some(())?;
        if waived.is_looser_than(bound) {
            return Some(value);
        }
        findings.error(
            at.key("bound").value_span(),
            format!("waived `bound` {value} is no looser than `{} = {}`", bound.key(), bound.value()),
            format!("expected a number {} {}", if bound.is_upper() { "above" } else { "below" }, bound.value()),
            "write the bound that was agreed to, or remove the waiver",
        );
        None
    });
    let until = findings.required(at, "until", file.until.as_deref(), "\"2027-01-31\"").and_then(|text| {
        let day = if text.len() == 10 { text.parse().ok() } else { None };
        if day.is_none() {
            let message = format!("`until` can't be {}", quoted(text));
            let at = at.key("until");
            findings.error(at.value_span(), message, "expected a day, `YYYY-MM-DD`", "write `until = \"2027-01-31\"`");
        }
        day
    });
    Some(Waiver { reason: reason?, approved_by: approved_by?, bound: looser?, until: until? })
}
