//! Bounds: exactly one a budget, finite, and against the way in which the metric gets worse.

use super::findings::Findings;
use crate::spec::diagnostic::Problem;
use crate::spec::model::Bound;
use crate::spec::tree::At;
use crate::unit::{Direction, Metric};

/// The keys of the bounds and what they hold.
pub(super) type BoundKeys = [(&'static str, Option<f64>); 4];

/// The one bound that is named, if it can hold anything back.
pub(super) fn bound(keys: &BoundKeys, metric: Option<&Metric>, at: At<'_>, findings: &mut Findings) -> Option<Bound> {
    const ONE_OF: &str = "expected exactly one of `max_ratio`, `min_ratio`, `max` and `min`";
    let higher = metric.is_some_and(|metric| metric.direction == Direction::Higher);
    let example = if higher { "min_ratio = 0.95" } else { "max_ratio = 1.05" };
    let named: Vec<(&'static str, f64)> = keys.iter().filter_map(|(key, value)| Some((*key, (*value)?))).collect();
    let (key, value) = match named.as_slice() {
        [one] => *one,
        [] => {
            findings.error(at.value_span(), "budget without a bound", ONE_OF, format!("add `{example}`"));
            return None;
        }
        [first, second, ..] => {
            let message = format!("budget with both `{}` and `{}`", first.0, second.0);
            let help = "keep one of the two, and write a budget of its own for the other";
            let problem = Problem::error(at.key(second.0).key_span(), message, ONE_OF, help);
            findings.push(problem.beside(at.key(first.0).key_span(), "the other here"));
            return None;
        }
    };
    let bound = match key {
        "max_ratio" => Bound::MaxRatio(value),
        "min_ratio" => Bound::MinRatio(value),
        "max" => Bound::Max(value),
        _ => Bound::Min(value),
    };
    let in_range = in_range(bound, at.key(key), key, findings);
    let right_way = metric.is_none_or(|metric| right_way(bound, metric, at, findings));
    (in_range && right_way).then_some(bound)
}

/// Whether the number of `bound`, at `at` under `key`, is one that a ratio or a value can be held to.
pub(super) fn in_range(bound: Bound, at: At<'_>, key: &str, findings: &mut Findings) -> bool {
    let value = bound.value();
    let (fits, expected) = if bound.is_ratio() {
        (value.is_finite() && value > 0.0, "expected a finite ratio above 0: candidate / baseline")
    } else {
        (value.is_finite() && value >= 0.0, "expected a finite number, 0 or more, in the metric's unit")
    };
    if !fits {
        let help = if bound.is_ratio() {
            "write 1.05 for up to 5 % more, 0.95 for at least 5 % less"
        } else {
            "write the value that the candidate must keep to"
        };
        findings.error(at.value_span(), format!("`{key}` can't be {value}"), expected, help);
    }
    fits
}

/// Whether `bound` holds the metric back from getting worse, and not from getting better.
fn right_way(bound: Bound, metric: &Metric, at: At<'_>, findings: &mut Findings) -> bool {
    let (better, fitting) = match (metric.direction, bound) {
        (Direction::Higher, Bound::MaxRatio(_)) => ("higher", "min_ratio"),
        (Direction::Higher, Bound::Max(_)) => ("higher", "min"),
        (Direction::Lower, Bound::MinRatio(_)) => ("lower", "max_ratio"),
        (Direction::Lower, Bound::Min(_)) => ("lower", "max"),
        _ => return true,
    };
    findings.push(
        Problem::error(
            at.key(bound.key()).key_span(),
            format!("`{}` holds `{}` back from getting better", bound.key(), metric.name),
            format!("expected `{fitting}`"),
            format!("this metric is better when {better}: use `{fitting}`"),
        )
        .beside(at.key("metric").value_span(), format!("better when {better}")),
    );
    false
}
