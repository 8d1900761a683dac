//! The bench-first way: `gate record` before the change, `gate run` after it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::gate::{Answer, Bench};

/// A gate about one script, whose baseline is recorded.
fn gate(script: &str, more: &str) -> String {
    format!(
        r#"gate = 1
name = "one"
title = "one script"
[target.command]
candidate = {{ run = ["sh", "-c", {script:?}] }}
{more}
[profile.full]
grade = "comparison"
pairs = 5
samples = 1
[profile.long]
grade = "comparison"
pairs = 6
samples = 1
[[hypothesis]]
id = "h"
claim = "the change makes it no slower"
baseline = {{ history = "latest" }}
rollback = "revert it"
[[hypothesis.guardrail]]
metric = "latency"
max_ratio = 50.0
"#
    )
}

fn baselines(bench: &Bench) -> Vec<bool> {
    let text = fs::read_to_string(bench.results().join("history.jsonl")).unwrap_or_default();
    let line = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    text.lines().map(|text| line(text)["baseline"] == true).collect()
}

fn verdict(run: &Answer) -> Value {
    run.json()["hypotheses"][0]["verdict"].clone()
}

#[test]
fn before_the_change_is_recorded_and_after_it_compared() {
    let bench = Bench::new();
    bench.file("one.toml", &gate("true", ""));
    let early = bench.here(&["run", "one.toml"]);
    assert_eq!(early.code, 12, "{early:?}");
    let flat = early.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("record one with `gate record one`, of the files as they are before the change"), "{flat}");

    let recorded = bench.here(&["record", "one.toml"]);
    assert_eq!(recorded.code, 0, "{recorded:?}");
    assert!(recorded.stderr.contains("recorded: `gate run` compares with it"), "{}", recorded.stderr);
    assert_eq!(baselines(&bench), [false, true]);

    let after = bench.here(&["run", "one.toml", "--format", "json"]);
    assert_eq!((after.code, verdict(&after)), (11, "revise".into()), "{after:?}");
    let document = after.json();
    let budget = &document["hypotheses"][0]["budgets"][0];
    assert_eq!((&budget["outcome"], &budget["unpaired"], &budget["pairs"]), (&"pass".into(), &true.into(), &5.into()));
    assert!(document["hypotheses"][0]["warnings"][0]["text"].as_str().unwrap().starts_with("unpaired: the baseline"));
    // What is no recording never becomes a baseline by itself.
    assert_eq!(baselines(&bench), [false, true, false]);
    let again = bench.here(&["report", "one", "--format", "json"]);
    assert_eq!(again.stdout, after.stdout, "the figures are frozen in the plan");

    for arguments in [&["run", "one.toml", "--profile", "long"][..], &["run", "one.toml", "--results", "elsewhere"]] {
        let other = bench.here(arguments);
        assert_eq!(other.code, 12, "{arguments:?}: {other:?}");
    }
    let other = bench.here_with(&["run", "one.toml"], "GATE_MACHINE", Path::new("another"));
    assert_eq!(other.code, 12, "{other:?}");
}

#[test]
fn what_is_not_paired_is_neither_sized_nor_confirmed_nor_calibrated() {
    let bench = Bench::new();
    bench.file("one.toml", &gate("true", "").replace("50.0", "1.0"));
    assert_eq!(bench.here(&["record", "one.toml"]).code, 0);
    // Of several runs of a program that does nothing some interval holds the bound.
    let open = (0..20).any(|_| {
        let run = bench.here(&["run", "one.toml", "--format", "json"]);
        assert_eq!(run.code, 11, "{run:?}");
        run.json()["hypotheses"][0]["budgets"][0]["outcome"] == "inconclusive"
    });
    assert!(open, "none was inconclusive");
    let sized = bench.here(&["size", "one"]);
    assert_eq!(sized.code, 0, "{sized:?}");
    assert!(sized.stdout.contains("its baseline was recorded"), "{}", sized.stdout);
    let confirmed = bench.here(&["confirm", "one", "--pairs", "10"]);
    assert_eq!(confirmed.code, 2, "{confirmed:?}");
    assert!(confirmed.stderr.contains("has a recorded baseline"), "{}", confirmed.stderr);
    let calibrated = bench.here(&["calibrate", "one.toml"]);
    assert_eq!(calibrated.code, 2, "{calibrated:?}");
}

#[test]
fn a_wrong_answer_is_not_recorded() {
    let bench = Bench::new();
    bench.file("one.toml", &gate("exit 3", ""));
    let recorded = bench.here(&["record", "one.toml"]);
    assert_eq!(recorded.code, 10, "{recorded:?}");
    assert!(recorded.stderr.contains("nothing was recorded"), "{}", recorded.stderr);
    assert_eq!(baselines(&bench), [false]);
    bench.file("one.toml", &gate("true", ""));
    assert_eq!(bench.here(&["run", "one.toml"]).code, 12);
}

#[test]
fn a_recording_that_the_history_does_not_take_is_none() {
    let bench = Bench::new();
    bench.file("one.toml", &gate("true", ""));
    std::fs::create_dir_all(bench.results().join("history.jsonl")).unwrap();
    let recorded = bench.here(&["record", "one.toml"]);
    assert_eq!(recorded.code, 1, "{recorded:?}");
    assert!(recorded.stderr.contains("write `results/history.jsonl`"), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("gate resume") && recorded.stderr.contains("adds it"), "{}", recorded.stderr);
    std::fs::remove_dir(bench.results().join("history.jsonl")).unwrap();
    let campaign = bench.campaign("one");
    let name = campaign.to_str().unwrap();
    assert_eq!(bench.here(&["resume", name]).code, 12);
    assert_eq!(baselines(&bench), [true]);
    let again = bench.here(&["resume", name]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.stderr.contains("complete and sealed"), "{}", again.stderr);
    assert_ne!(bench.here(&["run", "one.toml"]).code, 12);
}

#[test]
fn the_latest_recording_counts_and_a_history_that_can_not_be_read_is_told() {
    let bench = Bench::new();
    bench.file("one.toml", &gate("true", ""));
    for _ in 0..2 {
        assert_eq!(bench.here(&["record", "one.toml"]).code, 0);
    }
    let path = bench.results().join("history.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let run = bench.here(&["run", "one.toml", "--format", "json"]);
    assert_eq!(run.json()["hypotheses"][0]["warnings"][0]["campaign"], last["campaign"]);
    fs::write(&path, format!("{text}torn\n")).unwrap();
    let run = bench.here(&["run", "one.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("read line 3 of `results/history.jsonl`"), "{}", run.stderr);
}

#[test]
fn a_gate_that_runs_its_baselines_has_nothing_to_record() {
    let bench = Bench::new();
    bench
        .file("two.toml", &crate::command::gate("true", "true", "", "grade = \"preliminary\"\npairs = 1\nsamples = 1"));
    let refused = bench.here(&["record", "two.toml"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("every hypothesis of it runs its baseline"), "{}", refused.stderr);
    assert!(!bench.results().exists());
}
