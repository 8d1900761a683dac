//! The main job on real DuckDB, made small: one shape, one page.

use std::fs;

use crate::gate::{Answer, Bench};

/// The gate that ships, cut down to one small case, under another name.
fn small(name: &str, edit: impl Fn(&str) -> String) -> String {
    let text = fs::read_to_string("gates/dashboard-native.toml").expect("the gate");
    let text = text.replace("name = \"dashboard-native\"", &format!("name = \"{name}\""));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in &mut lines {
        if line.starts_with("shape ") || line.starts_with("shape=") {
            "shape = [\"narrow\"]".clone_into(line);
        } else if line.starts_with("rows ") || line.starts_with("rows=") {
            "rows = [50]".clone_into(line);
        } else if ["heavy", "cases", "visual", "exclude"].iter().any(|key| line.starts_with(key)) {
            line.clear();
        }
    }
    edit(&lines.join("\n"))
}

fn run(name: &str, edit: impl Fn(&str) -> String) -> (Bench, Answer) {
    let bench = Bench::new();
    let file = bench.file(&format!("{name}.toml"), &small(name, edit));
    let answer = bench.run(&file, &["--profile", "quick", "--format", "json"]);
    (bench, answer)
}

fn lanes(text: &str, baseline: &str, candidate: &str) -> String {
    text.lines()
        .map(|line| {
            if line.starts_with("baseline") {
                format!("baseline = {{ lane = \"{baseline}\" }}")
            } else if line.starts_with("candidate") {
                format!("candidate = {{ lane = \"{candidate}\" }}")
            } else {
                line.to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_quick_profile_is_preliminary_and_never_proceeds() {
    let (_bench, answer) = run("forward", str::to_owned);
    assert_eq!(answer.code, 11, "{answer:?}");
    let report = answer.json();
    assert_eq!(report["grade"], "preliminary");
    let hypothesis = &report["hypotheses"][0];
    assert_eq!(hypothesis["verdict"], "revise");
    let budgets = hypothesis["budgets"].as_array().expect("budgets");
    let of = |metric: &str| budgets.iter().find(|budget| budget["metric"] == metric).expect("a budget");
    assert_eq!(of("physical_queries")["outcome"], "pass");
    assert_eq!(of("physical_queries")["value"], 1.0);
    assert_eq!(of("rust_heap_bytes")["outcome"], "pass");
    assert_eq!(of("rust_heap_bytes")["exact"], true, "equal work allocates equally");
}

#[test]
fn with_the_sides_exchanged_the_gate_rejects_by_checks_and_exact_metrics() {
    let (_bench, answer) = run("reversed", |text| lanes(text, "native-v1", "api-direct"));
    assert_eq!(answer.code, 10, "{answer:?}");
    let report = answer.json();
    let hypothesis = &report["hypotheses"][0];
    assert_eq!(hypothesis["verdict"], "reject");
    let failed = |list: &str, key: &str| {
        hypothesis[list].as_array().expect("a list").iter().any(|item| item[key] == "fail" || item[key] == "failed")
    };
    assert!(failed("checks", "status"), "{hypothesis:#}");
    assert!(failed("budgets", "outcome"), "{hypothesis:#}");
}

#[test]
fn a_lane_that_drops_one_null_is_rejected_though_it_is_fast() {
    let (_bench, answer) = run("broken", |text| lanes(text, "api-direct", "fault:drop-null"));
    assert_eq!(answer.code, 10, "{answer:?}");
    let text = answer.stdout;
    assert!(text.contains("null-positions") && text.contains("exact-values"), "{text}");
}

#[test]
fn equal_lanes_never_proceed() {
    let (_bench, answer) = run("equal", |text| lanes(text, "native-v1", "native-v1"));
    assert_eq!(answer.code, 11, "{answer:?}");
}

#[test]
fn one_more_copy_of_the_payload_is_caught_by_the_allocation_budget() {
    let bench = Bench::new();
    let text = r#"
gate = 1
name = "copied"
title = "One more copy of the payload"
target = { suite = "dashboard" }
matrix = { shape = ["wide"], rows = [999] }
profile.quick = { grade = "preliminary", pairs = 3, min_time = "50ms" }

[[hypothesis]]
id = "copied"
claim = "A copy of every batch costs nothing"
baseline = { lane = "native-v1" }
candidate = { lane = "calibrate:extra-copy" }
rollback = "take the copy out"
[[hypothesis.guardrail]]
metric = "rust_heap_bytes"
max_ratio = 1.05
"#;
    let answer = bench.run(&bench.file("copied.toml", text), &["--profile", "quick", "--format", "json"]);
    assert_eq!(answer.code, 10, "{answer:?}");
    let report = answer.json();
    let budgets = report["hypotheses"][0]["budgets"].as_array().expect("budgets");
    let copied = budgets.iter().find(|budget| budget["metric"] == "rust_heap_bytes").expect("the allocation budget");
    assert_eq!((&copied["outcome"], &copied["exact"]), (&"fail".into(), &true.into()), "{copied}");
    // It answers the same, so that nothing else tells.
    let checks = report["hypotheses"][0]["checks"].as_array().expect("checks");
    assert!(checks.iter().all(|check| check["status"] == "passed"), "{checks:?}");
}

#[test]
fn a_query_where_a_warm_hit_was_is_rejected_however_fast() {
    let bench = Bench::new();
    let text = fs::read_to_string("gates/dashboard-warm.toml").expect("the gate");
    let text = text
        .replace("shape = [\"narrow\", \"wide\"]", "shape = [\"wide\"]")
        .replace("rows  = [50, 999]", "rows  = [999]");
    let file = bench.file("warm.toml", &text);
    let answer = bench.run(&file, &["--profile", "quick", "--format", "json", "--hypothesis", "direct-instead-of-hit"]);
    assert_eq!(answer.code, 10, "{answer:?}");
    let report = answer.json();
    let budgets = report["hypotheses"][0]["budgets"].as_array().expect("budgets");
    let of = |metric: &str| budgets.iter().find(|budget| budget["metric"] == metric).expect("a budget");
    assert_eq!(of("physical_queries")["outcome"], "fail");
    assert_eq!((&of("physical_queries")["value"], &of("ipc_bytes")["outcome"]), (&1.0.into(), &"pass".into()));
}

#[test]
fn the_committed_evidence_gives_its_verdicts_again_to_the_bit() {
    for (gate, verdict) in [
        ("dashboard-native", "proceed"),
        ("dashboard-http", "proceed"),
        ("dashboard-warm", "reject"),
        ("dashboard-serializer", "proceed"),
        ("dashboard-frame", "proceed"),
        ("dashboard-controls", "revise"),
        ("dashboard-concurrency", "revise"),
    ] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference").join(gate);
        let campaign = fs::read_dir(folder)
            .expect("reference evidence")
            .map(|entry| entry.expect("an entry").path())
            .find(|path| path.is_dir())
            .expect("a campaign");
        let answer =
            crate::gate::gate(&["report".as_ref(), campaign.as_os_str(), "--format".as_ref(), "json".as_ref()]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let report = answer.json();
        assert_eq!((&report["grade"], &report["verdict"]), (&"comparison".into(), &verdict.into()), "{gate}");
    }
}
