//! Any two programs, through the whole of `gate run`.

use std::fs;

use crate::gate::{Bench, runs};

/// A gate file about two shell scripts; `more` stands in `[target.command]`, `rest` behind the profile.
pub(crate) fn gate(baseline: &str, candidate: &str, more: &str, profile: &str) -> String {
    format!(
        r#"gate = 1
name = "two"
title = "two scripts"
[target.command]
baseline = {{ run = ["sh", "-c", {baseline:?}] }}
candidate = {{ run = ["sh", "-c", {candidate:?}] }}
{more}
[profile.full]
{profile}
[[hypothesis]]
id = "h"
claim = "not slower"
rollback = "none"
[[hypothesis.guardrail]]
metric = "latency"
max_ratio = 50.0
[[hypothesis.report]]
metric = "startup_time"
"#
    )
}

const FIVE: &str = "grade = \"comparison\"\npairs = 5\nsamples = 2";

#[test]
fn two_programs_are_compared_and_the_evidence_gives_its_verdict_again() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("echo a", "echo a", "expect = { stdout_sha256 = \"same\", lines = 1 }", FIVE));
    let run = bench.here(&["run", "two.toml", "--format", "json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let document = run.json();
    assert_eq!(document["hypotheses"][0]["verdict"], "proceed");
    let checks: Vec<&str> = document["hypotheses"][0]["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|check| check["check"].as_str())
        .collect();
    assert_eq!(checks, ["exit-code", "stdout", "lines"]);
    let again = bench.here(&["report", "two", "--format", "json"]);
    assert_eq!(again.stdout, run.stdout);
}

#[test]
fn a_program_that_fails_is_quoted() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "echo no such table >&2; exit 3", "", FIVE));
    let run = bench.here(&["run", "two.toml", "--format", "json"]);
    assert_eq!(run.code, 10, "{run:?}");
    let detail = run.json()["hypotheses"][0]["checks"][0]["detail"].clone();
    assert_eq!(detail, "it exited with 3, expected 0; its stderr ends with `no such table`");
    bench.file("two.toml", &gate("echo a; echo no disk >&2; exit 4", "true", "", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("no disk"), "{}", run.stderr);
}

#[test]
fn another_output_than_the_baselines_rejects() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("echo a", "echo b", "expect = { stdout_sha256 = \"same\" }", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 10, "{run:?}");
    assert!(run.stdout.contains("the baseline's"), "{}", run.stdout);
}

#[test]
fn another_exit_code_of_the_candidate_rejects_and_of_the_baseline_ends_the_campaign() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "exit 3", "", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 10, "{run:?}");
    assert!(run.stdout.contains("it exited with 3, expected 0"), "{}", run.stdout);

    bench.file("two.toml", &gate("kill -9 $$", "true", "", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("baseline `baseline` breaks its contract"), "{}", run.stderr);
    assert!(run.stderr.contains("signal: 9"), "{}", run.stderr);
}

#[test]
fn the_number_of_lines_follows_the_case() {
    let bench = Bench::new();
    let file = gate("seq 1 {n}", "seq 1 {n}", "expect = { lines = \"{n}\" }", FIVE)
        .replace("[profile.full]", "[matrix]\nn = [2, 3]\n[profile.full]");
    bench.file(
        "two.toml",
        &file.replace("baseline = { run = [\"sh\", \"-c\", \"seq 1 {n}\"]", "baseline = { run = [\"seq\", \"{n}\"]"),
    );
    assert_eq!(bench.here(&["run", "two.toml"]).code, 0);
    bench.file(
        "two.toml",
        &file.replace("candidate = { run = [\"sh\", \"-c\", \"seq 1 {n}\"]", "candidate = { run = [\"echo\", \"{n}\"]"),
    );
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 10, "{run:?}");
    assert!(run.stdout.contains("has 1 lines, expected 3"), "{}", run.stdout);
}

#[test]
fn an_answer_that_changes_while_it_is_timed_ends_the_campaign_and_keeps_the_evidence() {
    let bench = Bench::new();
    let counting = "echo x >> count; wc -l < count | awk '{print ($1 > 3)}'";
    bench.file("two.toml", &gate("echo 0", counting, "expect = { stdout_sha256 = \"same\" }", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("run `p01-candidate-all`"), "{}", run.stderr);
    assert!(run.stderr.contains("the baseline's"), "{}", run.stderr);
    assert!(run.stderr.contains("the evidence so far is in"), "{}", run.stderr);
}

#[test]
fn a_program_that_is_not_there_is_named_before_anything_is_written() {
    let bench = Bench::new();
    for (name, said) in [("./none", "find the baseline's program `./none`"), ("no-such-program", "in PATH")] {
        let file = gate("true", "true", "", FIVE);
        bench.file("two.toml", &file.replacen("run = [\"sh\", \"-c\", \"true\"]", &format!("run = [\"{name}\"]"), 1));
        let run = bench.here(&["run", "two.toml"]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(!bench.path("results").exists());
    }
}

#[test]
fn a_program_that_never_ends_is_killed_with_all_that_it_has_started() {
    let bench = Bench::new();
    let script = "if [ -e started ]; then sleep 1000 & echo $! > pid; wait; fi; touch started";
    bench.file("two.toml", &gate("true", script, "", &format!("{FIVE}\ntimeout = \"1s\"")));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("run `p01-candidate-all` (candidate"), "{}", run.stderr);
    assert!(run.stderr.contains("1 s"), "{}", run.stderr);
    let pid = fs::read_to_string(bench.path("pid")).unwrap();
    assert!(!runs(&pid), "{pid} still runs");
}

#[test]
fn what_a_program_leaves_running_is_killed_after_each_execution() {
    let bench = Bench::new();
    // In a session of its own, so that it is in no group of gate's.
    let script = "setsid sleep 1000 > /dev/null 2>&1 & echo $! >> pids";
    bench.file("two.toml", &gate("true", script, "", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 0, "{run:?}");
    let pids = fs::read_to_string(bench.path("pids")).unwrap();
    // One for the check, and in each of five pairs one warm-up and two samples.
    assert_eq!(pids.lines().count(), 16);
    for pid in pids.lines() {
        assert!(!runs(pid), "{pid} still runs");
    }
}

#[test]
fn noise_without_end_or_sense_is_no_answer_and_no_harm() {
    let bench = Bench::new();
    let noise = "head -c 20000000 /dev/urandom; printf '\\033[2J\\377\\376'";
    bench.file("two.toml", &gate("true", noise, "expect = { lines = 0 }", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 10, "{run:?}");
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
}

#[test]
fn a_file_that_the_programs_rest_on_may_not_change_meanwhile() {
    let bench = Bench::new();
    bench.file("script.sh", "exit 0\n");
    let script = "echo '#' >> script.sh";
    bench.file("two.toml", &gate("true", script, "files = [\"script.sh\"]", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("the executable `file script.sh` changed"), "{}", run.stderr);
}

#[test]
fn what_is_built_first_is_there_and_a_failed_build_shows_the_end_of_its_log() {
    let bench = Bench::new();
    let build = "build = [\"sh\", \"-c\", \"seq 30; touch made\"]";
    bench.file("two.toml", &gate("test -e made", "test -e made", build, FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = fs::read_to_string(bench.campaign("two").join("build.log")).unwrap();
    assert!(log.ends_with("29\n30\n"), "{log}");

    bench.file("two.toml", &gate("true", "true", &build.replace("touch made", "exit 4"), FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("it ended with exit status: 4; the last lines of its log:\n11\n"), "{}", run.stderr);
}

/// A gate file about two scripts that print Go benches.
fn benches(baseline: &str, candidate: &str, more: &str) -> String {
    gate(baseline, candidate, "output = \"go\"", "grade = \"comparison\"\npairs = 5\nsamples = 1")
        .replace("max_ratio = 50.0", &format!("max_ratio = 1.05\n{more}"))
        .replace("metric = \"startup_time\"", "metric = \"allocs/op\"")
}

/// A script that prints a Go bench; its time is `ns` and a little more each time.
fn bench(name: &str, ns: u32) -> String {
    format!("echo Benchmark{name} 100 $(({ns} + $$ % 7)) ns/op 12 B/op 3 allocs/op")
}

#[test]
fn benches_that_programs_report_are_judged_one_by_one() {
    let project = Bench::new();
    let (fast, slow) = (
        format!("{}; {}", bench("A", 10_000), bench("B", 10_000)),
        format!("{}; {}", bench("A", 10_000), bench("B", 20_000)),
    );
    project.file("two.toml", &benches(&fast, &fast, ""));
    let run = project.here(&["run", "two.toml", "--format", "json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let document = run.json();
    let cases: Vec<String> = document["hypotheses"][0]["budgets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|budget| format!("{} {}", budget["metric"].as_str().unwrap(), budget["case"]))
        .collect();
    let (a, b) = (r#"{"bench":"A"}"#, r#"{"bench":"B"}"#);
    assert_eq!(
        cases,
        [format!("latency {a}"), format!("latency {b}"), format!("allocs/op {a}"), format!("allocs/op {b}")]
    );
    assert_eq!(project.here(&["report", "two", "--format", "json"]).stdout, run.stdout);

    project.file("two.toml", &benches(&fast, &slow, ""));
    let run = project.here(&["run", "two.toml"]);
    // Five pairs are too few for Holm's correction of two results.
    assert_eq!(run.code, 11, "{run:?}");
    assert!(run.stdout.contains("bench=B"), "{}", run.stdout);
}

#[test]
fn a_bench_that_one_side_lacks_is_named_and_never_passes() {
    let both = format!("{}; {}", bench("A", 10_000), bench("B", 10_000));
    for (baseline, candidate) in [(both.clone(), bench("A", 10_000)), (bench("A", 10_000), both)] {
        let project = Bench::new();
        project.file("two.toml", &benches(&baseline, &candidate, ""));
        let run = project.here(&["run", "two.toml", "--format", "json"]);
        assert_eq!(run.code, 11, "{run:?}");
        let budgets = run.json()["hypotheses"][0]["budgets"].as_array().unwrap().clone();
        let lacking = budgets.iter().find(|budget| budget["case"]["bench"] == "B").unwrap();
        assert_eq!(lacking["outcome"], "inconclusive");
        assert!(lacking["undefined"].as_str().unwrap().contains("did not measure bench=B"), "{lacking}");
    }
}

#[test]
fn a_bench_that_the_gate_names_and_nobody_has_never_passes_and_neither_does_an_unknown_metric() {
    let project = Bench::new();
    let a = bench("A", 10_000);
    project.file("two.toml", &benches(&a, &a, "cases = { bench = [\"A\", \"C\"] }"));
    let run = project.here(&["run", "two.toml"]);
    assert_eq!(run.code, 11, "{run:?}");
    assert!(run.stdout.contains("bench=C"), "{}", run.stdout);

    project.file("two.toml", &benches(&a, &a, "[[hypothesis.guardrail]]\nmetric = \"widgets\"\nmin_ratio = 0.9"));
    let run = project.here(&["run", "two.toml"]);
    assert_eq!(run.code, 11, "{run:?}");
    assert!(run.stdout.contains("no bench of any run has widgets"), "{}", run.stdout);
}

#[test]
fn what_is_no_bench_is_told_with_the_side_that_printed_it() {
    let wrong = [
        ("true", "standard output"),
        ("echo BenchmarkA 100 NaN ns/op", "BenchmarkA"),
        ("echo BenchmarkA 100 -5 ns/op", "BenchmarkA"),
        ("head -c 80000000 /dev/zero", "more than 64 MiB"),
        ("printf '\\033[2J\\377'", "standard output"),
        ("exit 3", "it exited with 3"),
    ];
    for (script, said) in wrong {
        let project = Bench::new();
        project.file("two.toml", &benches(&bench("A", 10_000), script, ""));
        let run = project.here(&["run", "two.toml"]);
        assert!(run.code == 1 || run.code == 10, "{script}: {run:?}");
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(told.contains(said) && told.contains("candidate") && !told.contains('\u{1b}'), "{script}: {told}");
    }
}

#[test]
fn benches_may_be_written_to_a_file_that_the_program_is_told() {
    let project = Bench::new();
    let script = format!("{} > {{output}}; echo noise", bench("A", 10_000));
    project.file("two.toml", &benches(&script, &script, ""));
    let run = project.here(&["run", "two.toml"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!project.path("{output}").exists());

    project.file("two.toml", &benches(&script, &script, "").replace("output = \"go\"", ""));
    let run = project.here(&["run", "two.toml"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("placeholder `{output}`, and no benches are read"), "{}", run.stderr);
}
