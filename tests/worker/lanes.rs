//! What real lanes measure, and what happens to those with a fault.

use std::time::Duration;

use gate::spec::Warmup;
use gate::unit::{AxisValue, Case};
use gate::worker::protocol::{Limits, Measure, PROTOCOL, Request, Samples, Task};
use gate::worker::{Cause, Ending, Output};
use gate::workload::catalogue::{DASHBOARD, PROBE};

use crate::requests::{LONG, answer, case, check, gate_worker, measure, request, run};

fn integers<'a>(output: &'a Output, metric: &str) -> &'a [u64] {
    match &output.cells[0].samples[metric] {
        Samples::Integers(values) => values,
        Samples::Reals(_) => panic!("`{metric}` is counted in whole numbers"),
    }
}

#[test]
fn a_steady_lane_gives_every_metric_of_its_suite() {
    let output = run("steady", 100).unwrap();
    let metrics: Vec<_> = output.cells[0].samples.keys().map(String::as_str).collect();
    let mut declared: Vec<_> = PROBE.metrics.iter().map(|metric| metric.name.as_ref()).collect();
    declared.sort_unstable();
    assert_eq!(metrics, declared);
    assert_eq!(output.cells[0].samples["latency"].len(), 100);
    // Eleven of the timed pass, one of each other.
    assert_eq!(output.cells[0].compared, 13);
    assert!(output.cells[0].rss_at_start_bytes > 0);
    assert!(output.usage.cpu_ns() > 0);
    let observed = output.observed.unwrap();
    assert!(observed.cpu_ns > 0);
    assert!(observed.limits.contains_key("rlimit.data"));
    assert_eq!(observed.duckdb, None, "the suite has no database");
}

#[test]
fn a_lane_is_bound_to_as_many_cpus_as_asked() {
    let output = run("steady", 1).unwrap();
    let allowed = gate::measure::limits::allowed_cpus().unwrap();
    assert_eq!(output.observed.unwrap().cpus, allowed[..1]);
}

#[test]
fn limits_are_in_force_and_told() {
    let limits = Limits { cpus: 1, memory_bytes: Some(1 << 30), processes: Some(4_096) };
    let output = gate_worker().run(&Request { limits, ..check("steady") }, LONG).unwrap();
    let observed = output.observed.unwrap();
    assert_eq!(observed.limits["rlimit.data"], (1_u64 << 30).to_string());
    assert_eq!(observed.limits["rlimit.nproc"], "4096");
    // The kernel does not hold root to the second; nothing else is to be excused.
    assert!(observed.unenforced.iter().all(|why| why.starts_with("processes: ")), "{:?}", observed.unenforced);
}

#[test]
fn counts_are_exact_and_twice_as_high_in_the_slow_lane() {
    let (steady, slow) = (run("steady", 20).unwrap(), run("slow", 20).unwrap());
    for metric in ["rust_heap_bytes", "rust_heap_allocs"] {
        let (steady, slow) = (integers(&steady, metric), integers(&slow, metric));
        assert!(steady[0] > 0, "{metric}");
        assert_eq!(steady, [steady[0]; 3], "{metric}");
        assert_eq!(slow, [2 * steady[0]; 3], "{metric}");
    }
}

#[test]
fn a_least_time_and_a_least_number_hold_together() {
    let least =
        Measure { samples: None, min_time_ns: Some(2_000_000), min_samples: Some(7), ..measure(1, vec![answer()]) };
    let output = gate_worker().run(&request("steady", vec![case(10)], Task::Measure(least)), LONG).unwrap();
    let latencies = integers(&output, "latency");
    assert!(latencies.len() >= 7);
    assert!(latencies.iter().sum::<u64>() >= 2_000_000);
    let before_the_last: u64 = latencies[..latencies.len() - 1].iter().sum();
    assert!(before_the_last < 2_000_000 || latencies.len() == 7, "it goes on no longer than it must");
}

#[test]
fn cases_of_one_process_come_in_the_order_asked() {
    let cases = vec![case(30), case(10), case(20)];
    let task = Measure { warmup: Warmup::TimeNs(1_000), ..measure(5, vec![answer(); 3]) };
    let output = gate_worker().run(&request("steady", cases.clone(), Task::Measure(task)), LONG).unwrap();
    assert_eq!(output.cells.iter().map(|cell| cell.case.clone()).collect::<Vec<_>>(), cases);
}

#[test]
fn more_samples_than_fit_in_one_message_arrive_whole() {
    let output = run("steady", 200_000).unwrap();
    assert_eq!(integers(&output, "latency").len(), 200_000);
}

#[test]
fn a_check_that_fails_is_a_result_and_not_an_error() {
    let output = gate_worker().run(&check("fault:wrong-answer"), LONG).unwrap();
    let failure = output.checks[0].failure.as_ref().expect("one row too few");
    assert!(failure.contains("63"), "{failure}");
}

#[test]
fn a_short_answer_is_found_while_it_is_timed() {
    let error = run("fault:short-answer", 100).unwrap_err();
    assert!(matches!(error.cause, Cause::Answered { .. }), "{error}");
    assert_eq!(error.case, Some(case(10)));
    assert_eq!(
        error.to_string(),
        "the lane answered wrongly: operation 6 of the timed pass answered 63 rows, expected 64 (in case `work=10`)"
    );
}

#[test]
fn an_answer_that_is_not_that_of_the_checks_is_found_after_it_was_timed() {
    let task = Task::Measure(measure(5, vec!["another".to_owned()]));
    let error = gate_worker().run(&request("steady", vec![case(10)], task), LONG).unwrap_err();
    assert!(matches!(error.cause, Cause::Answered { .. }), "{error}");
    assert!(error.to_string().contains("but its checks had `another`"), "{error}");
}

#[test]
fn a_crash_names_signal_and_case() {
    let error = run("fault:crash", 100).unwrap_err();
    assert!(matches!(error.cause, Cause::Crashed(Ending::Signal(libc::SIGABRT))), "{error}");
    assert_eq!(error.case, Some(case(10)));
    assert!(error.to_string().contains("SIGABRT"), "{error}");
}

#[test]
fn a_lane_that_hangs_is_killed_at_its_timeout() {
    let timeout = Duration::from_millis(300);
    let task = Task::Measure(measure(100, vec![answer()]));
    let error = gate_worker().run(&request("fault:hang", vec![case(10)], task), timeout).unwrap_err();
    assert!(matches!(error.cause, Cause::TimedOut(after) if after == timeout), "{error}");
    assert!(error.to_string().contains("0.3 s"), "{error}");
    assert_eq!(error.case, Some(case(10)));
}

#[test]
fn a_lane_or_case_that_there_is_not_is_the_lanes_failure() {
    let error = gate_worker().run(&check("fast"), LONG).unwrap_err();
    assert!(error.to_string().contains("has no lane `fast`"), "{error}");
    let nowhere = Request { cases: vec![Case::default()], ..check("steady") };
    let error = gate_worker().run(&nowhere, LONG).unwrap_err();
    assert!(error.to_string().contains("axis `work`"), "{error}");
}

#[test]
fn another_protocol_is_refused() {
    let error = gate_worker().run(&Request { protocol: PROTOCOL + 1, ..check("steady") }, LONG).unwrap_err();
    assert!(matches!(error.cause, Cause::Refused { .. }), "{error}");
    assert!(error.to_string().contains("version 2 of the protocol"), "{error}");
}

#[test]
fn more_cpus_than_there_are_are_refused() {
    let limits = Limits { cpus: 1_000_000, memory_bytes: None, processes: None };
    let error = gate_worker().run(&Request { limits, ..check("steady") }, LONG).unwrap_err();
    assert!(matches!(error.cause, Cause::Refused { .. }), "{error}");
}

const FIXTURE: &str = "orders-narrow-50";

fn dashboard(digest: Option<String>) -> Request {
    let axes = [("shape", AxisValue::Text("narrow".to_owned())), ("rows", AxisValue::Integer(50))];
    Request {
        suite: "dashboard".to_owned(),
        cases: vec![Case::new(axes.map(|(axis, value)| (axis.to_owned(), value)).into())],
        fixtures: digest.map(|digest| (FIXTURE.to_owned(), digest)).into_iter().collect(),
        ..check("native-v1")
    }
}

#[test]
fn a_database_lives_under_eight_gibibytes_and_is_measured_whole() {
    let digest = gate::fixture::digest(&gate::fixture::generate(FIXTURE, 13).unwrap()).unwrap();
    let limits = Limits { cpus: 1, memory_bytes: Some(8 << 30), processes: Some(4_096) };
    let check = Request { limits, ..dashboard(Some(digest)) };
    let (_, answer) = gate_worker().run(&check, LONG).unwrap().answers.remove(0);
    let task = Task::Measure(measure(20, vec![answer]));
    let output = gate_worker().run(&Request { task, ..check }, LONG).unwrap();
    let metrics: Vec<_> = output.cells[0].samples.keys().map(String::as_str).collect();
    let mut declared: Vec<_> = DASHBOARD.metrics.iter().map(|metric| metric.name.as_ref()).collect();
    declared.sort_unstable();
    assert_eq!(metrics, declared);
    assert_eq!(integers(&output, "physical_queries"), [1; 20]);
    let observed = output.observed.unwrap();
    assert!(observed.duckdb.is_some_and(|version| version.starts_with('v')));
    assert_eq!(observed.limits["rlimit.data"], (8_u64 << 30).to_string());
}

#[test]
fn a_fixture_of_another_digest_is_refused_with_both() {
    let error = gate_worker().run(&dashboard(Some("0000".to_owned())), LONG).unwrap_err();
    assert!(matches!(error.cause, Cause::Refused { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("fixture `orders-narrow-50` before the run: the plan has digest `0000`, it is `"), "{text}");
}

#[test]
fn a_fixture_without_a_digest_is_refused() {
    let error = gate_worker().run(&dashboard(None), LONG).unwrap_err();
    assert!(error.to_string().contains("no digest for fixture `orders-narrow-50`"), "{error}");
}
