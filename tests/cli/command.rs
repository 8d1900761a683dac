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
    let counting = "echo x >> count; wc -l < count | awk '{print ($1 > 4)}'";
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
    // The check executes it a second time for its answer.
    assert!(run.stderr.contains("check `check-candidate` (candidate"), "{}", run.stderr);
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
    // Two for the check and its answer, and in each of five pairs one warm-up and two samples.
    assert_eq!(pids.lines().count(), 17);
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
