//! `gate compare`: exit codes, what is refused, and what is shown.

use std::fs;
use std::path::PathBuf;

use crate::gate::{Answer, gate};

/// A file of `fixtures/foreign`.
fn foreign(name: &str) -> String {
    format!("fixtures/foreign/{name}")
}

fn compare(old: &str, new: &str, more: &[&str]) -> Answer {
    let mut arguments = vec!["compare".to_owned(), foreign(old), foreign(new)];
    arguments.extend(more.iter().map(|&argument| argument.to_owned()));
    gate(&arguments)
}

#[test]
fn a_comparison_without_budget_decides_nothing() {
    let answer = compare("old.txt", "new.txt", &[]);
    assert_eq!(answer.code, 0, "{answer:?}");
    insta::assert_snapshot!(answer.stdout);
    for line in answer.stdout.lines().skip(1) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn budgets_are_shown_and_decide() {
    let answer = compare("old.txt", "new.txt", &["--budget", "sec/op<=1.05", "--budget", "B/op<=1.0"]);
    assert_eq!(answer.code, 10, "{answer:?}");
    let budgets = answer.stdout.find("budget ").expect("budgets");
    insta::assert_snapshot!(answer.stdout[budgets..]);
}

#[test]
fn exit_codes_say_what_budgets_come_to() {
    for (old, new, budgets, code) in [
        ("old.txt", "old.txt", &["latency<=1.05"][..], 0),
        ("old.txt", "old.txt", &["latency<=1.000001"], 11),
        ("old.txt", "new.txt", &["latency.p50<=1.2", "allocs/op<=1"], 10),
        ("new.txt", "old.txt", &["allocs/op>=0.5"], 10),
        ("criterion/sum/base", "criterion/sum/new", &["latency<=1.05"], 10),
        ("criterion/sum/base", "criterion/sum/new", &["B/s>=0.8"], 0),
        ("hyperfine.json", "hyperfine.json", &["latency.mean<=1.1"], 0),
        ("google-benchmark.json", "google-benchmark.json", &["bytes_per_second>=0.9", "cpu_time<=1.1"], 0),
        ("pytest-benchmark.json", "pytest-benchmark.json", &["latency<=1.2"], 0),
        ("jmh.json", "jmh.json", &["throughput>=0.9"], 0),
        ("pyperf.json", "pyperf.json", &["latency<=1.2"], 0),
    ] {
        let budgets: Vec<&str> = budgets.iter().flat_map(|&budget| ["--budget", budget]).collect();
        let answer = compare(old, new, &budgets);
        assert_eq!(answer.code, code, "{old} {new} {budgets:?}: {answer:?}");
    }
}

#[test]
fn a_bench_that_one_side_lacks_is_told_and_no_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let fewer = folder.path().join("fewer.txt");
    let text = fs::read_to_string(foreign("old.txt")).expect("a fixture");
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("BenchmarkDecode")).collect();
    fs::write(&fewer, kept.join("\n")).expect("a file");
    let (old, new) = (foreign("old.txt"), fewer.display().to_string());
    let answer = gate(&["compare", &old, &new, "--budget", "latency<=1.05"]);
    assert_eq!(answer.code, 11, "{answer:?}");
    assert!(answer.stdout.contains("only on the old side: Decode-4"), "{}", answer.stdout);
    assert!(answer.stdout.contains("the new side lacks it"), "{}", answer.stdout);
    assert_eq!(gate(&["compare", &old, &new]).code, 0, "without budget nothing is decided");
    // Also where the budget is of a metric that the missing bench has not.
    fs::write(&fewer, format!("{text}\nBenchmarkOther-4 1 5 hits\n")).expect("a file");
    assert_eq!(gate(&["compare", &new, &old, "--budget", "latency<=1.05"]).code, 11);
}

#[test]
fn what_can_not_be_compared_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path
    };
    let (old, other_host, json) = (foreign("old.txt"), foreign("other-host.txt"), foreign("hyperfine.json"));
    let empty = file("empty.txt", "").display().to_string();
    let cut = file("cut.json", "{\"results\":[\n{\"command\":").display().to_string();
    let text = file("text.txt", "hello\n").display().to_string();
    let broken = file("broken.txt", "goos: linux\nBenchmarkA-8 \t 100\t 12\n").display().to_string();
    for (arguments, says) in [
        (&["/dev/null", &old][..], "`/dev/null`: it is empty"),
        (&[&empty, &old], "it is empty; run the benches again"),
        (&["/nowhere/old.txt", &old], "No such file"),
        (&[&cut, &old], "line 2 column 11"),
        (
            &[&text, &old],
            "criterion, go, hyperfine, google-benchmark, pytest-benchmark, jmh, pyperf and gate are known",
        ),
        (&[&broken, &old], "line 2, bench `BenchmarkA-8`: `12` has no unit"),
        (&[&json, &json, "--from", "go"], "it is `hyperfine`"),
        (&[&old, &old, "--from", "benchstat"], "`benchstat`"),
        (&[&old, &json], "no bench is on both sides"),
        (&[&old, &other_host], "`cpu` is `AMD EPYC 7B13` on the old side and `Apple M2` on the new one"),
        (&[&old, &old, "--budget", "latncy<=1"], "there are `latency`, `B/op`, `allocs/op`"),
        (&[&old, &old, "--budget", "latency"], "it has neither `<=` nor `>=`"),
        (&[&old], "<NEW>"),
        (&[&old, &old, "--by", "/"], "--by"),
        (&[&old, "--by", "x"], "`/` takes the last part"),
        (&[&old, "--by", "/"], "it has no part"),
    ] {
        let answer = gate(&[&["compare"], arguments].concat());
        assert_eq!(answer.code, 2, "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stdout.is_empty(), "{arguments:?}: {}", answer.stdout);
    }
}

#[test]
fn hosts_may_differ_where_it_is_wanted() {
    let answer = compare("new.txt", "other-host.txt", &["--across-hosts"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("warning: `cpu` differs"), "{}", answer.stderr);
}

#[test]
fn two_lanes_of_one_file_are_compared() {
    let answer = gate(&["compare", &foreign("lanes.txt"), "--by", "/", "--budget", "latency<=0.9"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.contains("Detail/wide-4") && answer.stdout.contains("today"), "{}", answer.stdout);
    assert!(answer.stdout.contains("-24."), "{}", answer.stdout);
}

#[test]
fn every_format_is_shown() {
    let markdown = compare("old.txt", "new.txt", &["--format", "markdown"]);
    assert!(markdown.stdout.contains("| Encode/json-4 | 2.015µ ± "), "{}", markdown.stdout);
    let csv = compare("old.txt", "new.txt", &["--format", "csv"]);
    assert!(csv.stdout.starts_with("goos: linux\ngoarch: amd64\npkg: example.com/codec\ncpu: AMD"), "{}", csv.stdout);
    assert!(csv.stdout.contains("\n,old.txt,,new.txt,,,\n,sec/op,CI,sec/op,CI,vs base,P\n"), "{}", csv.stdout);
    assert!(csv.stderr.contains("unpaired"), "{}", csv.stderr);
    let json = compare("old.txt", "new.txt", &["--format", "json", "--budget", "B/op<=1"]);
    assert_eq!((json.code, &json.json()["exit_code"]), (10, &serde_json::json!(10)));
    assert_eq!(json.json()["tables"][0]["metric"], "latency");
    assert_eq!(json.json()["tables"][0]["rows"][0]["old"]["n"], 10);
    assert!(json.json()["budgets"][2]["ratio"].is_null(), "from zero to more is infinite");
}

#[test]
fn no_escape_sequence_reaches_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hostile.txt");
    fs::write(&path, b"cpu: \x1b]0;x\x07\nBenchmarkA\x1b[2J/\x08\xff 1 5 ns/op\x1b[31m\n").expect("a file");
    let path = path.display().to_string();
    for format in ["terminal", "markdown", "csv", "json"] {
        let answer = gate(&["compare", &path, &path, "--format", format]);
        assert_eq!(answer.code, 0, "{answer:?}");
        let is_raw = |c: char| c.is_control() && c != '\n';
        assert!(!answer.stdout.contains(is_raw) && !answer.stderr.contains(is_raw), "{answer:?}");
    }
}

#[test]
fn a_hypothesis_of_a_gate_file_is_at_best_to_revise() {
    let bench = crate::gate::Bench::new();
    let gate_file = |bound: f64, more: &str| {
        bench.file(
            "g.toml",
            &format!(
                "gate = 1\nname = \"g\"\ntitle = \"t\"\n[target.command]\nbaseline = {{ run = [\"true\"] }}\ncandidate = {{ run = [\"false\"] }}\noutput = \"go\"\n[profile.full]\ngrade = \"comparison\"\npairs = 10\nsamples = 1\n[[hypothesis]]\nid = \"h\"\nclaim = \"c\"\nrollback = \"r\"\n[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = {bound:?}\n{more}"
            ),
        )
    };
    let judge = |file: &std::path::Path, more: &[&str]| {
        let file = file.display().to_string();
        compare("old.txt", "new.txt", &[&["--gate", file.as_str()], more].concat())
    };
    let kept =
        judge(&gate_file(50.0, "[[hypothesis.guardrail]]\nmetric = \"latency\"\nstatistic = \"p95\"\nmax = 1e12"), &[]);
    assert_eq!(kept.code, 11, "{kept:?}");
    assert!(kept.stdout.contains("hypothesis h: revise\n  evidence that is not paired"), "{}", kept.stdout);
    assert!(kept.stdout.contains("not judged here: p95 of latency, max = 1000000000000"), "{}", kept.stdout);
    let broken = judge(&gate_file(0.5, ""), &["--hypothesis", "h"]);
    assert_eq!(broken.code, 10, "{broken:?}");
    assert!(broken.stdout.contains("hypothesis h: reject\n  latency.p50 <= 0.5 fails in "), "{}", broken.stdout);
    let without = judge(&gate_file(50.0, "[[hypothesis.benefit]]\nmetric = \"latency\"\nmax_ratio = 0.1"), &[]);
    assert_eq!(without.code, 10, "{without:?}");
    assert!(without.stdout.contains("every benefit fails"), "{}", without.stdout);
    let nobody = judge(&gate_file(50.0, "cases = { bench = [\"None\"] }"), &[]);
    assert_eq!(nobody.code, 2, "{nobody:?}");
    assert!(nobody.stderr.contains("no side has it of bench `None`"), "{}", nobody.stderr);
    assert_eq!(judge(&gate_file(50.0, ""), &["--hypothesis", "other"]).code, 2);
}
