//! Wrong usage and wrong gate files: exit 2, the place and the remedy, and nothing written.

use crate::gate::{Bench, gate};

#[test]
fn what_is_not_there_is_named() {
    for (arguments, says) in [
        (&["run", "no-such-gate"][..], "no-such-gate.toml"),
        (&["check", "nowhere/none.toml"], "nowhere/none.toml"),
        (&["run", "dashboard-native", "--profile", "none"], "--profile"),
        (&["run", "dashboard-native", "--hypothesis", "none"], "--hypothesis"),
        (&["report", "no-such-gate"], "gate run no-such-gate"),
        (&["report", "src/main.rs"], "no campaign's folder"),
        (&["run", "--format", "pdf"], "json"),
        (&["frobnicate"], "frobnicate"),
    ] {
        let answer = gate(arguments);
        assert_eq!(answer.code, 2, "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stdout.is_empty(), "{arguments:?}: {}", answer.stdout);
    }
}

#[test]
fn a_wrong_gate_file_runs_nothing_and_writes_nothing() {
    let bench = Bench::new();
    let minimal = std::fs::read_to_string("gates/examples/minimal.toml").expect("the example");
    let wrong = bench.file("wrong.toml", &minimal.replacen("max_ratio", "max_ration", 1));
    let answer = bench.run(&wrong, &[]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("wrong.toml") && answer.stderr.contains("max_ration"), "{}", answer.stderr);
    assert!(!bench.results().exists());
}

#[test]
fn text_that_would_reorder_a_terminal_is_shown_as_its_code() {
    let bench = Bench::new();
    let minimal = std::fs::read_to_string("gates/examples/minimal.toml").expect("the example");
    let title = minimal.lines().find(|line| line.starts_with("title")).expect("a title");
    let file = bench.file("odd.toml", &minimal.replace(title, "title = \"abc\u{202e}def\""));
    let answer = gate(&["check".as_ref(), file.as_os_str()]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.contains(r"abc\u{202e}def"), "{}", answer.stdout);
}

#[test]
fn one_wrong_gate_among_several_stops_all_of_them() {
    let bench = Bench::new();
    let wrong = bench.file("wrong.toml", "gate = 1\n");
    let answer = bench.run(std::path::Path::new("gates/examples/minimal.toml"), &[wrong.to_str().expect("a path")]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(!bench.results().exists());
}

#[test]
fn help_and_version_are_data() {
    let help = gate(&["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.stdout.contains("Exit codes") && help.stderr.is_empty(), "{help:?}");
    assert!(!help.stdout.contains("worker"), "{}", help.stdout);
    assert_eq!(gate(&["--version"]).stdout, format!("gate {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_gate_that_ships_passes_its_check() {
    let all = gate::<&str>(&["check"]);
    assert_eq!(all.code, 0, "{all:?}");
    assert!(all.stdout.contains("dashboard-native"), "{}", all.stdout);
    assert!(all.stdout.contains("profile quick") && all.stdout.contains("runs"), "{}", all.stdout);
    assert_eq!(gate(&["check", "gates/examples/minimal.toml"]).code, 0);
}

#[test]
fn schema_and_fixtures_are_what_is_committed() {
    let committed = |path: &str| std::fs::read_to_string(path).expect("a file");
    assert_eq!(gate(&["schema"]).stdout, committed("gates/gate.schema.json"));
    assert_eq!(gate(&["fixtures"]).stdout, committed("fixtures/manifest.toml"));
}

#[test]
fn a_waiver_that_ran_out_fails_the_check_and_looks_are_told() {
    let bench = Bench::new();
    let text =
        crate::command::gate("true", "true", "", "grade = \"comparison\"\npairs = 20\nlooks = [5, 10]\nsamples = 1");
    let file = bench.file("two.toml", &text);
    let told = gate(&["check", file.to_str().expect("text")]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.stdout.contains("after 5 pairs nothing can be decided: the level is 0.0007 %"), "{}", told.stdout);
    assert!(told.stdout.contains("after 10 pairs an end of an interval may err with 0.15 %"), "{}", told.stdout);
    assert!(told.stdout.contains("after 20 pairs an end of an interval may err with 2.45 %"), "{}", told.stdout);

    let waiver = "waiver = { reason = \"r\", approved_by = \"Ada\", bound = 60.0, until = \"2026-01-31\" }";
    let text = text.replacen("max_ratio = 50.0", &format!("max_ratio = 50.0\n{waiver}"), 1);
    let file = bench.file("two.toml", &text);
    let failed = gate(&["check", file.to_str().expect("text")]);
    assert_eq!(failed.code, 2, "{failed:?}");
    let expected =
        "hypothesis `h`: the waiver of latency p50, approved by Ada, ran out on 2026-01-31: renew it, or remove it";
    assert!(failed.stderr.contains(expected), "{}", failed.stderr);
    let file = bench.file("two.toml", &text.replace("2026-01-31", "9999-12-31"));
    assert_eq!(gate(&["check", file.to_str().expect("text")]).code, 0);
}
