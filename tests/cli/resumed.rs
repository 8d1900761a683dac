//! Campaigns that are stopped or killed, and go on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ::gate::measure::clock;
use rustix::process::{Pid, Signal, kill_process};

use crate::command::gate;
use crate::gate::{Answer, Bench, gate as run_gate, runs, turn};

const EIGHT: &str = "grade = \"comparison\"\npairs = 8\nsamples = 1";

/// Starts `gate run two.toml` in the bench's folder.
fn start(bench: &Bench) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gate"))
        .args(["run", "two.toml"])
        .current_dir(bench.path(""))
        .env("GATE_MACHINE", "test-bench")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gate")
}

fn campaigns(bench: &Bench) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(bench.results().join("two")).into_iter().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// The digests of the finished runs of a journal, by id, as far as its lines are whole; the last take of each counts.
fn finished(campaign: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read(campaign.join("journal.jsonl")).unwrap_or_default();
    let whole = text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let lines = whole.map(|line| serde_json::from_slice::<serde_json::Value>(line).expect("a line"));
    let runs = lines.filter(|line| line["event"]["kind"] == "run-finished");
    runs.map(|line| {
        let word = |key: &str| line["event"][key].as_str().expect("a word").to_owned();
        (word("id"), word("sha256"))
    })
    .collect()
}

/// Waits until so many runs are finished.
fn until(bench: &Bench, count: usize) -> PathBuf {
    let begin = clock::now();
    loop {
        if let Some(campaign) = campaigns(bench).pop().filter(|campaign| finished(campaign).len() >= count) {
            return campaign;
        }
        assert!(begin.elapsed() < Duration::from_mins(1), "no {count} runs");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn resume(bench: &Bench, campaign: &Path) -> Answer {
    let results = bench.results();
    bench.here(&["resume", campaign.to_str().expect("text"), "--results", results.to_str().expect("text")])
}

#[test]
fn a_signal_stops_a_campaign_and_it_goes_on() {
    for (signal, name) in [(Signal::INT, "SIGINT"), (Signal::TERM, "SIGTERM"), (Signal::HUP, "SIGHUP")] {
        let bench = Bench::new();
        let pid = bench.path("pid");
        let slow = format!("echo $$ > {}; sleep 0.1", pid.display());
        bench.file("two.toml", &gate(&slow, &slow, "", EIGHT));
        let child = {
            let _turn = turn();
            let child = start(&bench);
            let campaign = until(&bench, 3);
            let id = Pid::from_raw(i32::try_from(child.id()).expect("an id")).expect("an id");
            kill_process(id, signal).expect("a signal");
            let output = child.wait_with_output().expect("gate");
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            (campaign, String::from_utf8(output.stderr).expect("text"))
        };
        let (campaign, told) = child;
        assert!(told.contains(&format!("stopped by {name}")), "{told}");
        assert!(told.contains("what was finished is intact; `gate resume"), "{told}");
        assert!(!runs(&std::fs::read_to_string(&pid).expect("an id")), "the program still runs");
        let journal = std::fs::read_to_string(campaign.join("journal.jsonl")).expect("a journal");
        assert!(journal.lines().last().expect("a line").contains("interrupted"), "{journal}");
        let before = finished(&campaign);

        // What is not sealed is neither shown nor verified.
        let report = run_gate(&["report", campaign.to_str().expect("text")]);
        assert_eq!(report.code, 1, "{report:?}");
        assert!(report.stderr.contains("`gate resume` goes on with it"), "{}", report.stderr);
        assert_eq!(run_gate(&["verify", campaign.to_str().expect("text")]).code, 1);

        let resumed = resume(&bench, &campaign);
        assert_eq!(resumed.code, 0, "{resumed:?}");
        let flat = resumed.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("interrupted and resumed 1 time"), "{flat}");
        let after = finished(&campaign);
        assert_eq!(after.len(), 16);
        let kept = before.iter().filter(|(id, digest)| after.get(*id) == Some(digest)).count();
        assert!(kept + 1 >= before.len(), "at most one run of a half pair is lost: {before:?} and {after:?}");
        let verified = run_gate(&["verify", campaign.to_str().expect("text")]);
        assert_eq!(verified.code, 0, "{verified:?}");
        let ledger = std::fs::read_to_string(bench.results().join("two/ledger.jsonl")).expect("a ledger");
        let states: Vec<&str> = ["started", "interrupted", "resumed", "complete"].into();
        assert!(ledger.lines().zip(&states).all(|(line, state)| line.contains(state)), "{ledger}");
        let again = resume(&bench, &campaign);
        assert_eq!(again.code, 2, "{again:?}");
        assert!(again.stderr.contains("complete and sealed"), "{}", again.stderr);
    }
}

/// Kills `gate` with SIGKILL at so many moments, and goes on until the campaign is whole.
fn survive(kills: u32) {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "true", "", EIGHT));
    let begin = clock::now();
    assert_eq!(bench.here(&["run", "two.toml"]).code, 0);
    let whole = begin.elapsed();
    let (mut survived, mut underway) = (0, None::<PathBuf>);
    // As good as random: steps of an irrational share of the time that a campaign takes.
    let mut share = 0.0_f64;
    while survived < kills {
        share = (share + 0.618_033_988_75) % 1.0;
        let before = underway.as_deref().map(finished).unwrap_or_default();
        let alone = turn();
        let mut child = match &underway {
            None => start(&bench),
            Some(campaign) => Command::new(env!("CARGO_BIN_EXE_gate"))
                .arg("resume")
                .arg(campaign)
                .current_dir(bench.path(""))
                .env("GATE_MACHINE", "test-bench")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("gate"),
        };
        std::thread::sleep(whole.mul_f64(share));
        child.kill().expect("a kill");
        child.wait().expect("gate");
        survived += 1;
        let campaign = campaigns(&bench).pop().expect("a campaign");
        let after = finished(&campaign);
        if underway.is_some() {
            // Of a half pair one run may be taken again; a finished pair stays.
            let changed = before.iter().filter(|(id, digest)| after.get(*id) != Some(digest)).count();
            assert!(changed <= 1, "kill {survived}: {before:?} and {after:?}");
        }
        let sealed = campaign.join("MANIFEST.sha256").is_file();
        let has_journal = campaign.join("journal.jsonl").is_file();
        underway = (has_journal && !sealed).then_some(campaign);
        drop(alone);
        // Now and then it is let through.
        if survived % 5 == 0
            && let Some(campaign) = underway.take()
        {
            let resumed = resume(&bench, &campaign);
            assert_eq!(resumed.code, 0, "kill {survived}: {resumed:?}");
            assert_eq!(finished(&campaign).len(), 16);
            let verified = run_gate(&["verify", campaign.to_str().expect("text")]);
            assert_eq!(verified.code, 0, "kill {survived}: {verified:?}");
        }
    }
    // Each that was sealed holds.
    for campaign in campaigns(&bench).iter().filter(|campaign| campaign.join("MANIFEST.sha256").is_file()) {
        let verified = run_gate(&["verify", campaign.to_str().expect("text")]);
        assert_eq!(verified.code, 0, "{verified:?}");
    }
}

#[test]
fn a_campaign_that_is_killed_goes_on_and_loses_no_finished_pair() {
    survive(15);
}

/// The same with 200 kills, some minutes: `cargo nextest run --release --run-ignored only -E 'test(two_hundred)'`
#[test]
#[ignore = "some minutes"]
fn a_campaign_survives_two_hundred_kills() {
    survive(200);
}

#[test]
fn an_attempt_that_was_overtaken_does_not_go_on() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("sleep 0.01", "sleep 0.01", "", EIGHT));
    let first = {
        let _turn = turn();
        let mut child = start(&bench);
        let campaign = until(&bench, 1);
        child.kill().expect("a kill");
        child.wait().expect("gate");
        campaign
    };
    assert_eq!(bench.here(&["run", "two.toml"]).code, 0);
    let second = campaigns(&bench).pop().expect("a campaign");
    assert_ne!(first, second);
    let resumed = resume(&bench, &first);
    assert_eq!(resumed.code, 1, "{resumed:?}");
    let name = second.file_name().expect("a name").to_str().expect("text");
    let told = format!("`{name}` was begun after it by the same plan, and is complete; run the gate anew");
    assert!(resumed.stderr.contains(&told), "{resumed:?}");
    // What a verdict can't be had of is passed over beside others, and refused by itself.
    let [first, second] = [&first, &second].map(|path| path.to_str().expect("text"));
    let both = run_gate(&["query", first, second, "SELECT count(*) AS campaigns FROM plan", "--format", "csv"]);
    assert_eq!((both.code, both.stdout.as_str()), (0, "campaigns\n1\n"), "{both:?}");
    assert!(both.stderr.contains("passed over: read campaign") && both.stderr.contains("has not ended"), "{both:?}");
    assert_eq!(run_gate(&["query", first, "FROM plan"]).code, 1);
    let verified = run_gate(&["verify", first]);
    assert_eq!((verified.code, verified.stdout.matches("FAILS").count()), (1, 2), "{verified:?}");
    assert!(verified.stdout.contains("runs are there; `gate resume` goes on"), "{verified:?}");
}

#[test]
fn what_has_changed_meanwhile_is_refused() {
    let bench = Bench::new();
    let script = bench.path("program");
    std::fs::write(&script, "#!/bin/sh\nsleep 0.1\n").expect("a file");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    let text = gate("true", "true", "", EIGHT)
        .replace("\"sh\", \"-c\", \"true\"", &format!("{:?}", script.display().to_string()));
    bench.file("two.toml", &text);
    let campaign = {
        let _turn = turn();
        let mut child = start(&bench);
        let campaign = until(&bench, 1);
        child.kill().expect("a kill");
        child.wait().expect("gate");
        campaign
    };
    std::fs::write(&script, "#!/bin/sh\nsleep 0.2\n").expect("a file");
    let resumed = resume(&bench, &campaign);
    assert_eq!(resumed.code, 1, "{resumed:?}");
    assert!(resumed.stderr.contains("program` is not what its plan was made for; run the gate anew"), "{resumed:?}");
    std::fs::write(&script, "#!/bin/sh\nsleep 0.1\n").expect("a file");

    let provenance = campaign.join("provenance.json");
    let kept = std::fs::read_to_string(&provenance).expect("a file");
    let kernel = serde_json::from_str::<serde_json::Value>(&kept).expect("JSON")["host"]["kernel"].clone();
    std::fs::write(&provenance, kept.replace(kernel.as_str().expect("a kernel"), "0.0.1")).expect("a file");
    let resumed = resume(&bench, &campaign);
    assert!(resumed.stderr.contains("its kernel was 0.0.1, and is"), "{resumed:?}");
    std::fs::write(&provenance, &kept).expect("a file");

    let plan = campaign.join("plan.json");
    let text = std::fs::read_to_string(&plan).expect("a file");
    std::fs::write(&plan, text.replace("\"resamples\": 20000", "\"resamples\": 20001")).expect("a file");
    let resumed = resume(&bench, &campaign);
    assert!(resumed.stderr.contains("is not the plan that it was begun with"), "{resumed:?}");
    std::fs::write(&plan, text).expect("a file");

    assert_eq!(resume(&bench, &campaign).code, 0);
}

#[test]
fn a_second_campaign_is_refused_or_waits_as_asked() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("sleep 0.05", "sleep 0.05", "", EIGHT));
    let _turn = turn();
    let first = start(&bench);
    until(&bench, 1);
    let second = |more: &[&str]| {
        let arguments = [&["run", "two.toml"], more].concat();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gate"));
        command.args(arguments).current_dir(bench.path("")).env("GATE_MACHINE", "test-bench").output().expect("gate")
    };
    let refused = second(&[]);
    let told = String::from_utf8(refused.stderr).expect("text");
    assert_eq!(refused.status.code(), Some(1), "{told}");
    assert!(told.contains("runs a campaign of `two`") || told.contains("has run a campaign of `two`"), "{told}");
    assert!(told.contains("or add --wait"), "{told}");
    let waited = second(&["--wait"]);
    let told = String::from_utf8(waited.stderr).expect("text");
    assert_eq!(waited.status.code(), Some(0), "{told}");
    assert!(told.contains("waits: lock this host"), "{told}");
    assert!(first.wait_with_output().expect("gate").status.success());
}
