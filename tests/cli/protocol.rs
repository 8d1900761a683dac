//! The line protocol for programs in any language, through the whole of `gate run` and `gate compare`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use gate::reading::{Format, Reading, parse};

use crate::command::gate;
use crate::gate::Bench;

/// As few as can show that one budget fails.
const SIX: &str = "grade = \"comparison\"\npairs = 6\nsamples = 1";

/// A shell script that says these lines.
fn says(lines: &[&str]) -> String {
    let quoted: Vec<String> = lines.iter().map(|line| format!("'{line}'")).collect();
    format!("printf '%s\\n' {}", quoted.join(" "))
}

fn metric(name: &str, unit: &str, direction: &str, samples: &str) -> String {
    format!(
        r#"{{"gate":"metric","bench":"parse","name":"{name}","unit":"{unit}","direction":"{direction}","samples":[{samples}]}}"#
    )
}

const END: &str = r#"{"gate":"done"}"#;

fn protocol(baseline: &str, candidate: &str) -> String {
    gate(baseline, candidate, "output = \"gate\"", SIX).replace("[[hypothesis.report]]\nmetric = \"startup_time\"", "")
}

/// What a program of `gates/examples/protocol` said.
fn example(command: &mut Command) -> Reading {
    let output = command.arg("500").output().expect("a program");
    assert!(output.status.success(), "{output:?}");
    parse("example", &output.stdout, Some(Format::Gate)).expect("the protocol")
}

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("gates/examples/protocol")
}

#[test]
fn the_example_programs_speak_the_protocol() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("bench");
    let built = Command::new("rustc").arg("-O").arg("-o").arg(&binary).arg(examples().join("bench.rs")).status();
    assert!(built.expect("rustc").success());
    for mut command in [
        {
            let mut sh = Command::new("sh");
            sh.arg(examples().join("bench.sh"));
            sh
        },
        {
            let mut python = Command::new("python3");
            python.arg(examples().join("bench.py"));
            python
        },
        Command::new(&binary),
    ] {
        let reading = example(&mut command);
        let latency = &reading.benches[0].series[0];
        assert_eq!((reading.benches[0].name.as_str(), latency.metric.as_str()), ("sort", "latency"), "{command:?}");
        assert_eq!(latency.values.len(), 5);
        assert_eq!(reading.log, ["sorted 500 numbers five times"]);
        assert!(reading.failed.is_empty());
    }
}

#[test]
fn what_programs_say_is_judged_and_their_log_is_kept() {
    let bench = Bench::new();
    let (fast, slow) = (metric("latency", "ms", "lower", "1.5,1.5"), metric("latency", "s", "lower", "1,1"));
    let say = |metric: &str| says(&["warming up", "{\"level\":\"info\"}", metric, END]);
    bench.file("two.toml", &protocol(&say(&fast), &say(&fast)));
    let run = bench.here(&["run", "two.toml", "--format", "json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let budget = &run.json()["hypotheses"][0]["budgets"][0];
    assert_eq!((&budget["case"]["bench"], &budget["baseline"]), (&"parse".into(), &1.5e6.into()));
    let campaign = bench.campaign("two");
    let file = fs::read(campaign.join("runs/p01-baseline-all.arrow")).expect("a run's file");
    let text = String::from_utf8_lossy(&file);
    assert!(text.contains("warming up") && text.contains("level"), "the log is in the run's file");

    bench.file("slow.toml", &protocol(&say(&fast), &say(&slow)));
    assert_eq!(bench.here(&["run", "slow.toml"]).code, 10);
}

#[test]
fn a_check_of_its_own_that_does_not_hold_rejects_the_candidate_and_ends_on_the_baseline() {
    let bench = Bench::new();
    let latency = metric("latency", "ms", "lower", "1");
    let check = r#"{"gate":"check","bench":"parse","name":"rows","expected":1000,"observed":999}"#;
    let (right, wrong) = (says(&[&latency, END]), says(&[&latency, check, END]));
    bench.file("two.toml", &protocol(&right, &wrong));
    let run = bench.here(&["run", "two.toml", "--format", "markdown"]);
    assert_eq!(run.code, 10, "{run:?}");
    assert!(run.stdout.contains("expected 1000, observed 999"), "{}", run.stdout);

    bench.file("two.toml", &protocol(&wrong, &right));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("check `own-checks`"), "{}", run.stderr);
}

#[test]
fn a_check_that_breaks_while_it_is_measured_ends_the_campaign() {
    let bench = Bench::new();
    let latency = metric("latency", "ms", "lower", "1");
    let check =
        r#"{"gate":"check","name":"rows","expected":1,"observed":'$(wc -l < count | awk "{print (\$1 < 3)}")'}"#;
    let counting = format!("echo x >> count; {}", says(&[&latency, check, END]));
    bench.file("two.toml", &protocol(&says(&[&latency, END]), &counting));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("-candidate-all`") && run.stderr.contains("expected 1, observed 0"), "{}", run.stderr);
}

#[test]
fn what_does_not_speak_the_protocol_is_told_with_its_side() {
    let good = says(&[&metric("latency", "ns", "lower", "5"), END]);
    for (lines, says_) in [
        (vec!["nothing"], "ends without"),
        (vec![END], "there is no bench in it"),
        (vec![&metric("latency", "ns", "lower", "NaN"), END], "expected value in column"),
        (vec![&metric("latency", "ns", "lower", "-1"), END], "`latency -1` is no measurement"),
        (vec![&metric("latency", "ns", "lower", "1e301"), END], "too large"),
        (vec![&metric("latency", "B", "lower", "1"), END], "in bytes, and by its name it is in units of time"),
        (vec![&metric("latency", "ns", "higher", "1"), END], "bound it with `min_ratio`"),
    ] {
        let bench = Bench::new();
        bench.file("two.toml", &protocol(&good, &says(&lines)));
        let run = bench.here(&["run", "two.toml"]);
        assert_eq!(run.code, 1, "{lines:?}: {run:?}");
        assert!(run.stderr.contains(says_) && run.stderr.contains("candidate"), "{lines:?}: {}", run.stderr);
    }
}

#[test]
fn compare_takes_the_unit_that_the_program_says_and_refuses_wrong_answers() {
    let bench = Bench::new();
    let queue = metric("queue", "ms", "lower", "1,2,3,4,5,6");
    bench.file("old.txt", &format!("{queue}\n{END}\n"));
    let compared = bench.here(&["compare", "old.txt", "old.txt", "--budget", "queue<=9"]);
    assert_eq!(compared.code, 0, "{compared:?}");
    assert!(compared.stdout.contains("3.500m"), "{}", compared.stdout);
    let check = r#"{"gate":"check","name":"rows","expected":1,"observed":2}"#;
    bench.file("new.txt", &format!("{queue}\n{check}\n{END}\n"));
    let refused = bench.here(&["compare", "old.txt", "new.txt"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("`new.txt` says that its own check `rows`: expected 1, observed 2"), "{refused:?}");
}
