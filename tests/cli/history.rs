//! What campaigns add to the history, and `gate history`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::gate;
use crate::gate::{Answer, Bench};

const FIVE: &str = "grade = \"comparison\"\npairs = 5\nsamples = 1";

fn lines(bench: &Bench) -> Vec<Value> {
    let text = fs::read_to_string(bench.results().join("history.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The fixture of the older format.
fn older() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/foreign/history/older.jsonl")
}

fn of_older(bench: &Bench, arguments: &[&str]) -> Answer {
    let older = older();
    let mut all = vec!["history", "--file", older.to_str().unwrap()];
    all.extend(arguments);
    bench.here(&all)
}

#[test]
fn a_finished_campaign_adds_one_line_and_a_failed_one_none() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "true", "", FIVE));
    assert_eq!(bench.here(&["run", "two.toml"]).code, 0);
    let all = lines(&bench);
    let [line] = &all[..] else { panic!("{all:?}") };
    let campaign = bench.campaign("two");
    assert_eq!(line["campaign"], campaign.file_name().unwrap().to_str().unwrap());
    assert_eq!((&line["schema"], &line["gate"]), (&"gate.history/1".into(), &"two".into()));
    assert_eq!((&line["machine"], &line["profile"]), (&"test-bench".into(), &"full".into()));
    assert!(line["cores"].as_u64().unwrap() > 0);
    for digest in ["plan", "digest", "conditions"] {
        assert_eq!(line[digest].as_str().unwrap().len(), 64, "{digest}");
    }
    let told: Vec<(&str, &str, usize)> = line["metrics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            assert_eq!((&one["hypothesis"], &one["unit"]), (&"h".into(), &"nanoseconds".into()));
            assert_eq!((&one["direction"], &one["assumption"]), (&"lower".into(), &"noisy".into()));
            assert!(one["value"].as_f64().unwrap() > 0.0);
            let runs = one["runs"].as_array().unwrap().len();
            (one["metric"].as_str().unwrap(), one["side"].as_str().unwrap(), runs)
        })
        .collect();
    let expected = ["latency", "startup_time"].map(|metric| [(metric, "baseline", 5), (metric, "candidate", 5)]);
    assert_eq!(told, expected.concat());
    // The value is the one of the analysis.
    let analysis: Value = serde_json::from_slice(&fs::read(campaign.join("analysis.json")).unwrap()).unwrap();
    assert_eq!(line["metrics"][1]["value"], analysis["hypotheses"][0]["budgets"][0]["candidate"]);
    let text = fs::read_to_string(bench.results().join("history.jsonl")).unwrap();
    assert!(!text.contains(bench.results().to_str().unwrap()), "no path of this machine: {text}");

    bench.file("two.toml", &gate("exit 3", "true", "", FIVE));
    assert_eq!(bench.here(&["run", "two.toml"]).code, 1);
    assert_eq!(lines(&bench).len(), 1);
}

#[test]
fn what_a_calibration_measures_is_no_history() {
    let bench = Bench::new();
    let busy = "i=0; while [ $i -lt 500 ]; do i=$((i+1)); done";
    let file = gate(busy, busy, "", FIVE).replace("max_ratio = 50.0", "max_ratio = 2.0");
    bench.file("two.toml", &file);
    assert_eq!(bench.here(&["calibrate", "two.toml", "--campaigns", "1"]).code, 0);
    assert!(!bench.results().join("history.jsonl").exists());
}

#[test]
fn trends_are_shown_machine_by_machine() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "true", "", FIVE));
    for machine in ["one", "two"] {
        let run = bench.here_with(&["run", "two.toml"], "GATE_MACHINE", Path::new(machine));
        assert_eq!(run.code, 0, "{run:?}");
    }
    let shown = bench.here(&["history"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let heads: Vec<&str> = shown.stdout.lines().filter(|line| line.starts_with("machine ")).collect();
    assert!(
        heads.len() == 2 && heads[0].starts_with("machine one (") && heads[1].starts_with("machine two ("),
        "{heads:?}"
    );
    assert!(shown.stdout.contains("gate two, profile full, hypothesis h\n"), "{}", shown.stdout);
    assert!(shown.stdout.lines().all(|line| line.chars().count() <= 80), "{}", shown.stdout);

    let document = bench.here(&["history", "two", "--metric", "latency", "--format", "json"]).json();
    let machines = document["machines"].as_array().unwrap();
    assert_eq!((machines.len(), &document["schema"]), (2, &"gate.trends/1".into()));
    for machine in machines {
        let trends = machine["trends"].as_array().unwrap();
        assert_eq!(trends.len(), 2, "both sides of one metric");
        assert!(trends.iter().all(|trend| trend["points"].as_array().unwrap().len() == 1));
    }

    for (arguments, said) in [
        (&["history", "three"][..], "find gate `three` in the history: there are `two`"),
        (&["history", "--metric", "latncy"], "there are `latency`, `startup_time`"),
        (&["history", "--better", "latency=lower"], "no line of the older format"),
        (&["history", "--better", "latency=up"], "expected a metric and the way"),
        (&["history", "--results", "elsewhere"], "open history `elsewhere/history.jsonl`: there is no such file"),
    ] {
        let refused = bench.here(arguments);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(said), "{arguments:?}: {refused:?}");
    }
}

#[test]
fn a_line_that_can_not_be_read_is_named_and_the_others_are_shown() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "true", "", FIVE));
    assert_eq!(bench.here(&["run", "two.toml"]).code, 0);
    let path = bench.results().join("history.jsonl");
    let torn = format!("{}{{\"schema\":", fs::read_to_string(&path).unwrap());
    fs::write(&path, &torn).unwrap();
    assert_eq!(bench.here(&["run", "two.toml"]).code, 0);
    assert!(fs::read_to_string(&path).unwrap().starts_with(&torn), "lines are only added");
    let shown = bench.here(&["history", "--format", "json"]);
    assert_eq!(shown.code, 1, "{shown:?}");
    assert!(shown.stderr.contains("read line 2 of `results/history.jsonl`"), "{}", shown.stderr);
    let document = shown.json();
    assert_eq!(document["machines"][0]["trends"][0]["points"].as_array().unwrap().len(), 2);
    assert_eq!(document["wrong"].as_array().unwrap().len(), 1);
}

#[test]
fn the_older_format_asks_for_directions() {
    let bench = Bench::new();
    let refused = of_older(&bench, &[]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let said = "do not say which way is better for `files`, `seal_ms`, `write_mbs`";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);

    let better = ["--better", "write_mbs=higher", "--better", "seal_ms=lower", "--better", "files=higher"];
    let shown = of_older(&bench, &better);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.starts_with("machine unnamed (8 cores)\n"), "{}", shown.stdout);
    assert!(shown.stdout.contains("machine bench-1 (8 cores)\n\ngate seal\n"), "{}", shown.stdout);
    assert!(shown.stdout.contains("write_mbs in name=small"), "{}", shown.stdout);
    // What is not shown needs no direction.
    let shown = of_older(&bench, &["--metric", "write_mbs", "--better", "write_mbs=higher"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(!shown.stdout.contains("files") && !shown.stdout.contains("bench-1"), "{}", shown.stdout);
}

#[test]
fn the_machine_is_named_by_the_environment_the_configuration_or_the_hardware() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "true", "", FIVE));
    let refused = bench.here_with(&["run", "two.toml"], "GATE_MACHINE", Path::new("a/b"));
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("use GATE_MACHINE: it has a `/`") && !bench.results().exists(), "{refused:?}");

    let configuration = bench.path("configuration");
    let derived = bench.here_with(&["run", "two.toml"], "XDG_CONFIG_HOME", &configuration);
    assert_eq!(derived.code, 0, "{derived:?}");
    assert_eq!(derived.stderr.matches("the history calls this machine `").count(), 1, "{}", derived.stderr);
    fs::create_dir_all(configuration.join("gate")).unwrap();
    fs::write(configuration.join("gate/machine"), "bench-1\n").unwrap();
    let kept = bench.here_with(&["run", "two.toml"], "XDG_CONFIG_HOME", &configuration);
    assert!(kept.code == 0 && !kept.stderr.contains("the history calls"), "{kept:?}");
    let names: Vec<Value> = lines(&bench).into_iter().map(|line| line["machine"].clone()).collect();
    assert!(names.len() == 2 && names[1] == "bench-1" && !names[0].as_str().unwrap().is_empty(), "{names:?}");
}

#[test]
fn a_history_that_can_not_be_written_is_told_and_the_verdict_stands() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "true", "", FIVE));
    fs::create_dir_all(bench.results().join("history.jsonl")).unwrap();
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("PROCEED"), "{run:?}");
    assert!(run.stderr.contains("write `results/history.jsonl`"), "{}", run.stderr);
    assert!(run.stderr.contains("the campaign itself is whole"), "{}", run.stderr);
    assert_eq!(bench.here(&["verify", "two"]).code, 0);
}
