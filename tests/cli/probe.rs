//! Campaigns of the `probe` suite: every kind of end, with real worker processes.

use crate::gate::{Answer, Bench, gate};

/// A gate of two small cases; `candidate` is a lane.
fn gate_file(candidate: &str, profile: &str) -> String {
    format!(
        r#"gate = 1
name = "probe"
title = "a loop against another"
[target]
suite = "probe"
[matrix]
work = [1000, 20000]
[profile.quick]
grade = "preliminary"
pairs = 3
samples = 20
{profile}
[[hypothesis]]
id = "loop"
claim = "the candidate is no slower"
baseline = {{ lane = "steady" }}
candidate = {{ lane = "{candidate}" }}
rollback = "keep steady"
[[hypothesis.correctness]]
check = "row-count"
[[hypothesis.guardrail]]
metric = "rust_heap_bytes"
max_ratio = 1.05
[[hypothesis.report]]
metric = "latency"
"#
    )
}

fn run(bench: &Bench, candidate: &str, profile: &str, arguments: &[&str]) -> Answer {
    let file = bench.file("probe.toml", &gate_file(candidate, profile));
    bench.run(&file, &[&["--profile", "quick"], arguments].concat())
}

#[test]
fn equal_sides_are_allowed_with_a_warning_and_never_proceed() {
    let bench = Bench::new();
    let answer = run(&bench, "steady", "", &["--format", "json"]);
    assert_eq!(answer.code, 11, "{answer:?}");
    assert!(answer.stderr.contains("both sides are `steady`"), "{}", answer.stderr);
    let report = answer.json();
    assert_eq!(report["hypotheses"][0]["verdict"], "revise");
    assert_eq!(report["grade"], "preliminary");
}

#[test]
fn a_candidate_that_allocates_more_is_rejected_in_any_grade() {
    let bench = Bench::new();
    let answer = run(&bench, "slow", "", &["--format", "json"]);
    assert_eq!(answer.code, 10, "{answer:?}");
    let budgets = answer.json()["hypotheses"][0]["budgets"].as_array().expect("budgets").clone();
    let heap: Vec<_> = budgets.iter().filter(|budget| budget["metric"] == "rust_heap_bytes").collect();
    assert_eq!(heap.len(), 2);
    for budget in heap {
        assert_eq!(
            (&budget["outcome"], &budget["role"], &budget["exact"]),
            (&"fail".into(), &"guardrail".into(), &true.into())
        );
        for key in ["metric", "statistic", "case", "ratio", "low", "high"] {
            assert!(!budget[key].is_null(), "{key}: {budget}");
        }
    }
}

#[test]
fn a_wrong_answer_is_rejected_and_not_timed() {
    let bench = Bench::new();
    let answer = run(&bench, "fault:wrong-answer", "", &[]);
    assert_eq!(answer.code, 10, "{answer:?}");
    assert!(answer.stdout.contains("row-count"), "{}", answer.stdout);
    let runs = std::fs::read_dir(bench.campaign("probe").join("runs")).expect("runs").count();
    assert_eq!(runs, 0);
}

#[test]
fn a_worker_that_crashes_hangs_or_answers_wrongly_ends_the_campaign_with_what_was_measured() {
    for (lane, says) in [
        ("fault:crash", "the worker crashed"),
        ("fault:hang", "was killed after 1"),
        ("fault:short-answer", "answered wrongly"),
    ] {
        let bench = Bench::new();
        let answer = run(&bench, lane, "timeout = \"1s\"", &[]);
        assert_eq!(answer.code, 1, "{answer:?}");
        assert!(answer.stderr.contains(says), "{lane}: {}", answer.stderr);
        assert!(
            answer.stderr.contains("p01-candidate-1000") && answer.stderr.contains("work=1000"),
            "{}",
            answer.stderr
        );
        assert!(answer.stdout.is_empty(), "{}", answer.stdout);
        let campaign = bench.campaign("probe");
        assert!(campaign.join("runs/p01-baseline-1000.arrow").is_file(), "the baseline's run is kept");
        assert!(answer.stderr.contains(campaign.to_str().expect("a path")), "{}", answer.stderr);
        assert!(!campaign.join("verdict.json").exists());
        let ledger = std::fs::read_to_string(bench.results().join("probe/ledger.jsonl")).expect("a ledger");
        assert!(ledger.lines().last().expect("a line").contains("failed"), "{ledger}");
    }
}

#[test]
fn a_report_is_rendered_again_from_what_is_stored() {
    let bench = Bench::new();
    let first = run(&bench, "slow", "", &["--format", "json"]);
    let campaign = bench.campaign("probe");
    let path = campaign.to_str().expect("a path");
    let again = gate(&["report", path, "--format", "json"]);
    assert_eq!((again.code, &again.stdout), (0, &first.stdout), "{}", again.stderr);
    let markdown = gate(&["report", path, "--format", "markdown"]);
    // The one in the folder is under the manifest whose digest this is, and can't have it.
    let kept = std::fs::read_to_string(campaign.join("report.md")).expect("a report");
    let manifest = std::fs::read(campaign.join("MANIFEST.sha256")).expect("a manifest");
    let digest = format!("Digest of the campaign: `{}`.", ::gate::digest::sha256(&manifest));
    let kept = kept.replace("The digest of the campaign is the SHA-256 of its MANIFEST.sha256.", &digest);
    assert_eq!(markdown.stdout, kept);
    let results = bench.results();
    let latest = gate(&["report", "probe", "--results", results.to_str().expect("a path")]);
    assert_eq!(latest.code, 0, "{latest:?}");
    assert!(latest.stdout.contains("REJECT"), "{}", latest.stdout);
    assert!(latest.stdout.lines().all(|line| line.chars().count() <= 80), "{}", latest.stdout);
}

#[test]
fn the_manifest_checks_and_holds_every_file() {
    let bench = Bench::new();
    run(&bench, "steady", "", &[]);
    let campaign = bench.campaign("probe");
    let check = std::process::Command::new("sha256sum")
        .args(["--quiet", "--strict", "-c", "MANIFEST.sha256"])
        .current_dir(&campaign)
        .status()
        .expect("sha256sum");
    assert!(check.success());
    let manifest = std::fs::read_to_string(campaign.join("MANIFEST.sha256")).expect("a manifest");
    for name in
        ["gate.toml", "plan.json", "provenance.json", "journal.jsonl", "analysis.json", "verdict.json", "report.md"]
    {
        assert!(manifest.contains(&format!("  {name}\n")), "{name} is not in {manifest}");
    }
    assert_eq!(manifest.lines().count(), 7 + 12);
}

#[test]
fn stored_samples_analyse_to_the_stored_analysis() {
    let bench = Bench::new();
    run(&bench, "slow", "", &[]);
    let campaign = bench.campaign("probe");
    let (evidence, provenance) = ::gate::evidence::Evidence::load(&campaign).expect("evidence");
    let date = jiff::tz::Offset::UTC.to_datetime(provenance.started).date();
    let analysis = ::gate::verdict::analyse(&evidence, date).expect("an analysis");
    let stored = std::fs::read_to_string(campaign.join("analysis.json")).expect("an analysis");
    assert_eq!(serde_json::to_string_pretty(&analysis).expect("JSON") + "\n", stored);
    let verdicts = ::gate::verdict::judge(&evidence.plan, &analysis);
    let stored = std::fs::read_to_string(campaign.join("verdict.json")).expect("verdicts");
    assert_eq!(serde_json::to_string_pretty(&verdicts).expect("JSON") + "\n", stored);
}

#[test]
fn fail_on_reject_lets_a_revise_through_and_says_so() {
    let bench = Bench::new();
    let answer = run(&bench, "steady", "", &["--fail-on", "reject"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("--fail-on reject"), "{}", answer.stderr);
    let bench = Bench::new();
    assert_eq!(run(&bench, "slow", "", &["--fail-on", "reject"]).code, 10);
}

#[test]
fn an_attempt_at_the_same_plan_is_counted() {
    let bench = Bench::new();
    let first = run(&bench, "steady", "", &["--format", "json"]);
    let second = run(&bench, "steady", "", &["--format", "json"]);
    assert_eq!((&first.json()["attempt"], &second.json()["attempt"]), (&1.into(), &2.into()));
    assert_eq!(first.json()["plan"], second.json()["plan"]);
}

#[test]
fn results_that_can_not_be_written_are_named() {
    let bench = Bench::new();
    std::fs::write(bench.results(), "a file where a folder should be").expect("a file");
    let answer = run(&bench, "steady", "", &[]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("results"), "{}", answer.stderr);
}

#[test]
fn a_lock_that_is_held_is_told_with_its_holder() {
    let bench = Bench::new();
    let file = bench.file("probe.toml", &gate_file("steady", ""));
    let _turn = crate::gate::turn();
    let lock = ::gate::target::Lock::acquire("a test").expect("the lock");
    let answer = gate(&[
        "run".as_ref(),
        file.as_os_str(),
        "--profile".as_ref(),
        "quick".as_ref(),
        "--results".as_ref(),
        bench.results().as_os_str(),
    ]);
    drop(lock);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("a test"), "{}", answer.stderr);
    assert!(!bench.results().exists(), "nothing was written");
}

#[test]
fn several_gates_print_one_line_each_and_the_gravest_counts() {
    let bench = Bench::new();
    let steady = bench.file("steady.toml", &gate_file("steady", "").replace("name = \"probe\"", "name = \"one\""));
    let slow = bench.file("slow.toml", &gate_file("slow", "").replace("name = \"probe\"", "name = \"two\""));
    let answer = bench.run(&steady, &[slow.to_str().expect("a path"), "--profile", "quick", "--format", "json"]);
    assert_eq!(answer.code, 10, "{answer:?}");
    let names: Vec<String> = answer
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")["gate"].as_str().expect("a name").to_owned()
        })
        .collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn a_file_that_can_not_be_written_whole_is_named_and_what_was_written_stays() {
    let bench = Bench::new();
    let file = bench.file("probe.toml", &gate_file("steady", ""));
    let _turn = crate::gate::turn();
    // Like a disk that fills: no file may grow beyond 4 KiB, and the plan is longer than that.
    let script = "trap '' XFSZ; ulimit -f 4; exec \"$0\" run \"$1\" --profile quick --results \"$2\"";
    let output = std::process::Command::new("bash")
        .args(["-c", script])
        .arg(assert_cmd::cargo::cargo_bin("gate"))
        .arg(&file)
        .arg(bench.results())
        .output()
        .expect("bash");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("write `") && stderr.contains("too large"), "{stderr}");
    let campaign = bench.campaign("probe");
    assert_eq!(std::fs::read_to_string(campaign.join("gate.toml")).expect("the gate"), gate_file("steady", ""));
    let left: Vec<String> = std::fs::read_dir(&campaign)
        .expect("a campaign")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".partial"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_report_of_what_was_changed_is_refused() {
    let bench = Bench::new();
    run(&bench, "slow", "", &[]);
    let campaign = bench.campaign("probe");
    let path = campaign.to_str().expect("a path");
    let refused = |name: &str, from: &str, to: &str| {
        let file = campaign.join(name);
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(text.contains(from), "{name} has no {from}");
        std::fs::write(&file, text.replace(from, to)).expect("a file");
        let answer = gate(&["report", path]);
        assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{name}: {answer:?}");
        std::fs::write(&file, text).expect("a file");
        answer.stderr
    };
    assert!(refused("verdict.json", "\"reject\"", "\"proceed\"").contains("verdict.json"));
    assert!(refused("analysis.json", "\"fail\"", "\"pass\"").contains("analysis.json"));
    assert!(refused("plan.json", "\"pairs\": 3", "\"pairs\": 2").contains("another plan"));
    assert!(refused("journal.jsonl", "pair-finished", "pair-finishes").contains("journal.jsonl"));
    let run = campaign.join("runs/p01-baseline-1000.arrow");
    std::fs::copy(campaign.join("runs/p02-baseline-1000.arrow"), &run).expect("a copy");
    let answer = gate(&["report", path]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("p01-baseline-1000.arrow"), "{}", answer.stderr);
}

#[test]
fn a_pipe_where_a_file_should_be_is_refused_and_not_waited_for() {
    let bench = Bench::new();
    let pipe = |path: &std::path::Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo");
        assert!(made.success());
    };
    let file = bench.file("pipe.toml", "");
    std::fs::remove_file(&file).expect("a file");
    pipe(&file);
    let answer = gate(&["check".as_ref(), file.as_os_str()]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("it is a pipe"), "{}", answer.stderr);
    std::fs::create_dir_all(bench.results().join("probe")).expect("a folder");
    pipe(&bench.results().join("probe/ledger.jsonl"));
    let answer = run(&bench, "steady", "", &[]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("no plain file"), "{}", answer.stderr);
}
