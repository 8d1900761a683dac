//! The checks over a real connection hold for every path, in every form.

use gate::unit::{AxisValue, Case};
use gate::workload::catalogue::{DASHBOARD, LaneKind};
use gate::workload::{self, Known};

use super::SETUP;

pub(super) const CHECKS: [&str; 7] = [
    "handler-parity",
    "cancel-before-first-batch",
    "cancel-while-streaming",
    "slow-consumer",
    "independent-request",
    "no-false-success",
    "pool-exhausted",
];

pub(super) fn case(axes: &[(&str, &str)], rows: i64) -> Case {
    let text = |(axis, value): &(&str, &str)| ((*axis).to_owned(), AxisValue::Text((*value).to_owned()));
    let mut axes: Vec<_> = axes.iter().map(text).collect();
    axes.push(("rows".to_owned(), AxisValue::Integer(rows)));
    Case::new(axes)
}

/// The checks that the lane fails, with why.
fn failures(lane: &str, case: &Case) -> Vec<(String, String)> {
    let checks = CHECKS.map(str::to_owned);
    let results = workload::check("dashboard", lane, case, &SETUP, &checks, &mut Known::default()).unwrap();
    assert_eq!(results.len(), checks.len());
    results.into_iter().filter_map(|result| Some((result.check, result.failure?))).collect()
}

#[test]
fn every_path_keeps_them() {
    let pieces = ["string-ipc", "native-ipc"];
    let paths = DASHBOARD.lanes.iter().filter(|lane| lane.kind == LaneKind::Path && !pieces.contains(&lane.name));
    for lane in paths {
        for shape in ["narrow", "wide"] {
            let found = failures(lane.name, &case(&[("shape", shape)], 50));
            assert!(found.is_empty(), "{} {shape}: {found:#?}", lane.name);
        }
    }
}

#[test]
fn json_keeps_them_too() {
    for (lane, visual) in [("api-direct", "pivot"), ("dashboard-warm", "bundle"), ("adopted", "kpi")] {
        let case = case(&[("shape", "narrow"), ("response", "json"), ("visual", visual)], 50);
        let found = failures(lane, &case);
        assert!(found.is_empty(), "{lane}: {found:#?}");
    }
}

#[test]
fn a_lane_that_keeps_its_connection_fails_them() {
    let found = failures("fault:keeps-connection", &case(&[("shape", "narrow")], 50));
    let names: Vec<&str> = found.iter().map(|(check, _)| check.as_str()).collect();
    for check in ["handler-parity", "pool-exhausted"] {
        assert!(names.contains(&check), "{found:#?}");
    }
}

#[test]
fn a_piece_of_a_path_has_none_of_it() {
    let found = failures("string-ipc", &case(&[("shape", "narrow")], 50));
    assert_eq!(found.len(), CHECKS.len(), "{found:#?}");
}

#[test]
fn the_catalogue_knows_them() {
    assert!(CHECKS.iter().all(|check| DASHBOARD.check(check).is_some()));
}
