//! The ten cases that a published compatibility campaign decided: its rule and ours agree on every one.
//!
//! Budgets: p50 at most 1.10, p95 at most 1.15, allocation at most 1.10. Of the five-pair cases the publication gives the
//! p50 interval and says that every p95 and allocation interval meets its budget; of the twenty-pair ones it gives the
//! upper one-sided bounds, and a case passes where all three are inside.

use gate::spec::Bound;
use gate::verdict::{Outcome, outcome};

/// Name, low and high of the p50 ratio, verdict.
const FIVE_PAIRS: [(&str, f64, f64, Outcome); 8] = [
    ("1024 legacy_ql", 1.016, 1.138, Outcome::Inconclusive),
    ("1024 legacy_ql_rebound", 0.998, 1.109, Outcome::Inconclusive),
    ("1024 native", 0.961, 1.077, Outcome::Pass),
    ("1024 native_rebound", 0.955, 1.055, Outcome::Pass),
    ("100000 legacy_ql", 0.959, 1.012, Outcome::Pass),
    ("100000 legacy_ql_rebound", 0.967, 0.989, Outcome::Pass),
    ("100000 native", 0.955, 0.974, Outcome::Pass),
    ("100000 native_rebound", 0.964, 0.985, Outcome::Pass),
];

/// Name, then estimate and upper bound of p50, p95 and allocation.
const TWENTY_PAIRS: [(&str, [(f64, f64); 3]); 2] = [
    ("1024 legacy_ql", [(1.0198, 1.0436), (1.0029, 1.0409), (0.8911, 0.8942)]),
    ("1024 legacy_ql_rebound", [(1.0218, 1.0431), (1.0124, 1.0436), (0.8918, 0.8946)]),
];

#[test]
fn five_pairs() {
    for (name, low, high, published) in FIVE_PAIRS {
        assert_eq!(outcome(low, high, Bound::MaxRatio(1.10)).unwrap(), published, "{name}");
    }
}

#[test]
fn twenty_pairs() {
    for (name, metrics) in TWENTY_PAIRS {
        for ((estimate, upper), budget) in metrics.into_iter().zip([1.10, 1.15, 1.10]) {
            // The lower bound is not published; it lies below the estimate, which is inside.
            assert_eq!(outcome(estimate, upper, Bound::MaxRatio(budget)).unwrap(), Outcome::Pass, "{name}");
        }
    }
}

#[test]
fn the_rule_is_symmetric_and_the_bound_itself_is_inside() {
    let of = |low, high, bound| outcome(low, high, bound).unwrap();
    assert_eq!(of(1.10, 1.10, Bound::MaxRatio(1.10)), Outcome::Pass);
    assert_eq!(of(1.11, 1.20, Bound::MaxRatio(1.10)), Outcome::Fail);
    assert_eq!(of(0.95, 1.00, Bound::MinRatio(0.95)), Outcome::Pass);
    assert_eq!(of(0.80, 0.94, Bound::MinRatio(0.95)), Outcome::Fail);
    assert_eq!(of(0.94, 0.96, Bound::MinRatio(0.95)), Outcome::Inconclusive);
    assert_eq!(of(2.0, 2.0, Bound::Max(1.0)), Outcome::Fail);
    assert_eq!(of(2.0, 2.0, Bound::Min(1.0)), Outcome::Pass);
}
