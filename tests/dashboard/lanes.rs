//! The lanes over DuckDB, and the checks that each holds and fails.

use arrow::array::AsArray;
use gate::fixture::{self, NULL_PERIOD, Shape};
use gate::unit::{AxisValue, Case, Scope};
use gate::workload::catalogue::{DASHBOARD, LaneKind};
use gate::workload::dashboard::answer;
use gate::workload::dashboard::request::{Filter, Visual};
use gate::workload::dashboard::trace::Trace;
use gate::workload::{self, Counters, Known, Setup};

use super::{SETUP, bench};

/// The case of a visual as JSON.
fn json(shape: &str, rows: i64, visual: &str) -> Case {
    let text = |text: &str| AxisValue::Text(text.to_owned());
    Case::new(vec![
        ("shape".to_owned(), text(shape)),
        ("rows".to_owned(), AxisValue::Integer(rows)),
        ("visual".to_owned(), text(visual)),
        ("response".to_owned(), text("json")),
    ])
}

fn mixed(shape: &str, rows: i64) -> Case {
    let axes = json(shape, rows, "mixed");
    Case::new(
        axes.iter()
            .filter(|(axis, _)| *axis != "response")
            .map(|(axis, value)| (axis.to_owned(), value.clone()))
            .collect(),
    )
}

fn case(shape: &str, rows: i64) -> Case {
    Case::new(vec![
        ("shape".to_owned(), AxisValue::Text(shape.to_owned())),
        ("rows".to_owned(), AxisValue::Integer(rows)),
    ])
}

/// The checks that the lane fails, with why.
fn failures(lane: &str, case: &Case, checks: &[&str]) -> Vec<(String, String)> {
    let checks: Vec<String> = checks.iter().map(|&check| check.to_owned()).collect();
    let results = workload::check("dashboard", lane, case, &SETUP, &checks, &mut Known::default()).unwrap();
    assert!(results.iter().map(|result| &result.check).eq(&checks));
    assert!(results.iter().all(|result| result.case == *case));
    results.into_iter().filter_map(|result| Some((result.check, result.failure?))).collect()
}

fn all_checks() -> Vec<&'static str> {
    DASHBOARD.checks.iter().map(|check| check.name).collect()
}

fn names(failures: &[(String, String)]) -> Vec<&str> {
    failures.iter().map(|(check, _)| check.as_str()).collect()
}

#[test]
fn every_path_keeps_its_contract_on_every_table() {
    for lane in DASHBOARD.lanes.iter().filter(|lane| lane.kind == LaneKind::Path) {
        for shape in ["narrow", "wide"] {
            for rows in [1, 50, 999, 1_000, 10_000] {
                let case = case(shape, rows);
                assert_eq!(failures(lane.name, &case, lane.contract), [], "{}", lane.name);
            }
        }
    }
}

#[test]
fn every_path_keeps_its_contract_on_the_mixed_table() {
    for lane in DASHBOARD.lanes.iter().filter(|lane| lane.kind == LaneKind::Path && !lane.name.ends_with("-ipc")) {
        for shape in ["narrow", "wide"] {
            for rows in [1, 999] {
                assert_eq!(failures(lane.name, &mixed(shape, rows), lane.contract), [], "{}", lane.name);
            }
        }
    }
}

#[test]
fn every_path_with_strings_keeps_its_contract_on_every_visual_in_json() {
    for lane in ["api-direct", "dashboard-cold", "dashboard-warm", "ordered-frame", "adopted"] {
        let lane = DASHBOARD.lane(lane).expect("a lane");
        for visual in Visual::ALL {
            for (shape, rows) in [("narrow", 1), ("narrow", 50), ("wide", 999)] {
                let case = json(shape, rows, visual.name());
                assert_eq!(failures(lane.name, &case, lane.contract), [], "{}", lane.name);
            }
        }
    }
}

#[test]
fn every_stage_has_the_rows_of_its_input() {
    for lane in DASHBOARD.lanes.iter().filter(|lane| lane.kind == LaneKind::Stage) {
        for case in [case("narrow", 1), case("wide", 999)].iter().filter(|case| lane.refuses(case).is_none()) {
            assert_eq!(failures(lane.name, case, lane.contract), [], "{}", lane.name);
        }
    }
}

#[test]
fn native_answers_fail_the_string_projection_alone() {
    let failures = failures("native-v1", &case("wide", 999), &all_checks());
    assert_eq!(names(&failures), ["string-projection"]);
}

#[test]
fn each_fault_is_caught_with_its_counts_side_by_side() {
    for (lane, caught) in [
        ("fault:second-query", &["one-query", "pagination", "cache-outcomes"][..]),
        ("fault:stale-cache", &["fresh-data"]),
        ("fault:cross-principal", &["own-scope"]),
        ("fault:keeps-connection", &["nothing-left"]),
        ("fault:keeps-lease", &["nothing-left"]),
    ] {
        let contract = DASHBOARD.lane(lane).expect("a lane").contract;
        let failures = failures(lane, &case("narrow", 50), contract);
        for check in caught {
            assert!(names(&failures).contains(check), "{lane} {check}: {failures:?}");
        }
    }
}

#[test]
fn string_answers_fail_what_native_ones_hold() {
    let failures = failures("api-direct", &case("wide", 999), &all_checks());
    assert_eq!(
        names(&failures),
        ["physical-types", "exact-values", "null-positions", "decimal-scale", "timestamp-zone", "nullability"]
    );
    assert_eq!(failures[0].1, "field `field_00`: expected type Int64, found Utf8");
}

#[test]
fn a_dropped_null_is_caught() {
    for (shape, rows) in [("narrow", 50), ("wide", 999), ("wide", 1)] {
        let failures = failures("fault:drop-null", &case(shape, rows), &all_checks());
        assert_eq!(names(&failures), names(&failures), "{shape} {rows}");
        assert!(failures[0].1.contains("expected null, found"), "{failures:?}");
        assert_eq!(failures[0].1, failures[1].1);
    }
}

#[test]
fn an_operation_reports_every_counter_of_the_catalogue() {
    let mut declared: Vec<&str> = DASHBOARD
        .metrics
        .iter()
        .filter(|metric| metric.scope == Scope::Timed && metric.name != "latency")
        .map(|metric| metric.name.as_ref())
        .collect();
    declared.sort_unstable();
    // A lane that keeps its connections runs out of them.
    for lane in DASHBOARD.lanes.iter().filter(|lane| lane.kind != LaneKind::Calibration) {
        let mut bench = workload::open("dashboard", lane.name, &case("wide", 50), &SETUP).unwrap();
        for _ in 0..3 {
            let mut counters = Counters::with_capacity(2);
            bench.prepare().unwrap();
            let response = bench.operation(&mut counters).unwrap();
            assert_eq!(response.rows, bench.expected_rows(), "{}", lane.name);
            let of = |name: &str| counters.iter().find(|(metric, _)| *metric == name).unwrap().1;
            assert_eq!(of("response_bytes"), response.body.len() as u64, "{}", lane.name);
            let mut reported: Vec<&str> = counters.iter().map(|(metric, _)| metric).collect();
            reported.sort_unstable();
            assert_eq!(reported, declared, "{}", lane.name);
        }
    }
}

#[test]
fn a_crowd_is_answered_whole_and_leaves_nothing_behind() {
    for lane in ["api-direct", "native-v1", "dashboard-cold", "dashboard-warm", "ordered-frame"] {
        let mut axes: Vec<_> =
            case("narrow", 50).iter().map(|(axis, value)| (axis.to_owned(), value.clone())).collect();
        axes.push(("clients".to_owned(), AxisValue::Integer(100)));
        let mut bench = workload::open("dashboard", lane, &Case::new(axes), &SETUP).unwrap();
        let rows = bench.expected_rows();
        for _ in 0..3 {
            bench.prepare().unwrap();
            let batch = bench.crowd().expect("a crowd").ask().unwrap();
            assert_eq!(batch.asked.len(), 100, "{lane}");
            assert!(batch.asked.iter().all(|asked| asked.response.rows == rows && asked.latency_ns <= batch.wall_ns));
        }
    }
}

#[test]
fn every_answer_of_a_lane_has_the_same_digest() {
    for lane in ["api-direct", "native-v1"] {
        let case = case("wide", 999);
        let mut digests = Vec::new();
        for threads in [1, 1, 2] {
            let setup = Setup { threads, ..SETUP };
            let mut bench = workload::open("dashboard", lane, &case, &setup).unwrap();
            for _ in 0..2 {
                let response = bench.operation(&mut Counters::default()).unwrap();
                digests.push(bench.digest(&response).unwrap());
            }
        }
        digests.dedup();
        assert_eq!(digests.len(), 1, "{lane}");
    }
}

#[test]
fn the_string_projection_is_what_duckdb_itself_would_write() {
    let (response, _) = bench("api-direct", Shape::Wide, 999).answer(Filter::Every).unwrap();
    let found = answer::decode(&response.body).unwrap().table;
    let connection = duckdb::Connection::open_in_memory().unwrap();
    fixture::load(&connection, Shape::Wide, 999, NULL_PERIOD).unwrap();
    for c in (0..32).filter(|c| !matches!(c % 9, 5 | 6)) {
        let sql = format!("SELECT coalesce(field_{c:02}::VARCHAR, '') FROM model.orders ORDER BY field_00");
        let mut statement = connection.prepare(&sql).unwrap();
        let texts = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let column = found.column(c).as_string::<i32>();
        for (row, text) in texts.map(Result::unwrap).enumerate() {
            if c % 9 == 1 && !text.is_empty() {
                let (theirs, ours): (f64, f64) = (text.parse().unwrap(), column.value(row).parse().unwrap());
                assert_eq!(theirs.to_bits(), ours.to_bits(), "row {row}, column {c}");
            } else {
                assert_eq!(column.value(row), text, "row {row}, column {c}");
            }
        }
    }
}

#[test]
fn duckdbs_own_log_counts_the_queries() {
    let bench = bench("native-v1", Shape::Narrow, 50);
    for queries in [0, 1, 3] {
        let before = bench.engine().pool.executed();
        let log = bench.engine().connect(&mut Trace::default()).unwrap().log().unwrap();
        for _ in 0..queries {
            bench.answer(Filter::Every).unwrap();
        }
        assert_eq!(log.queries().unwrap(), queries);
        assert_eq!(bench.engine().pool.executed() - before, queries);
    }
}

#[test]
fn what_there_is_not_is_named() {
    let case_ok = case("wide", 50);
    let open = |suite, lane, case: &Case| workload::open(suite, lane, case, &SETUP).err().unwrap().to_string();
    assert_eq!(open("sales", "native-v1", &case_ok), "there is no suite `sales`");
    assert_eq!(open("dashboard", "native-v2", &case_ok), "suite `dashboard` has no lane `native-v2`");
    assert_eq!(
        open("dashboard", "native-v1", &case("tall", 50)),
        "suite `dashboard` can't run the case `shape=tall rows=50`: axis `shape` must be `narrow` or `wide`"
    );
    assert!(open("dashboard", "native-v1", &case("wide", -1)).contains("axis `rows` must be"));
    assert!(open("dashboard", "native-v1", &Case::default()).contains("axis `shape` must be"));
    let checks = ["beauty".to_owned()];
    let error = workload::check("dashboard", "native-v1", &case_ok, &SETUP, &checks, &mut Known::default());
    assert_eq!(error.unwrap_err().to_string(), "suite `dashboard` has no check `beauty`");
}

#[test]
fn a_case_names_the_fixture_it_is_measured_on() {
    let names = workload::fixtures("dashboard", &case("wide", 999)).unwrap();
    assert_eq!(names, ["orders-wide-999"]);
    assert!(workload::fixtures("probe", &Case::default()).unwrap().is_empty());
    assert!(workload::fixtures("dashboard", &Case::default()).is_err());
}
