//! Disks that fill, can't be written, or lose a file.

use std::process::{Command, Output};

use crate::command::gate;
use crate::gate::{Bench, turn};

const EIGHT: &str = "grade = \"comparison\"\npairs = 8\nsamples = 1";

/// Runs a shell script in the bench's folder, with a disk of its own at `disk` that holds so much.
fn on_a_disk(bench: &Bench, options: &str, script: &str) -> Output {
    std::fs::create_dir_all(bench.path("disk")).expect("a folder");
    let _turn = turn();
    Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg(format!("mount -t tmpfs -o {options} none disk && {script}"))
        .current_dir(bench.path(""))
        .env("GATE", env!("CARGO_BIN_EXE_gate"))
        .env("GATE_MACHINE", "test-bench")
        .output()
        .expect("unshare")
}

#[test]
fn a_disk_that_fills_stops_a_campaign_and_with_more_room_it_goes_on() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "true", "", EIGHT));
    let script = "$GATE run two.toml --results disk; code=$?
        cat disk/two/2*/journal.jsonl > before; tail -n 1 disk/two/ledger.jsonl
        mount -o remount,size=20m none disk
        $GATE resume disk/two/2* > resumed; again=$?
        $GATE verify disk/two/2*
        echo codes $code $again $?; cat disk/two/2*/journal.jsonl > after";
    let output = on_a_disk(&bench, "size=120k", script);
    let (told, out) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(out.contains("codes 1 0 0"), "{out}\n{told}");
    assert!(told.contains("free some space and run again: what was finished is intact"), "{told}");
    assert!(told.contains("`gate resume disk/two/2"), "{told}");
    let [before, after] = ["before", "after"].map(|name| std::fs::read_to_string(bench.path(name)).expect("a file"));
    let whole = &before[..=before.rfind('\n').expect("a line")];
    assert!(whole.contains("run-finished"), "the disk has room for some runs: {whole}");
    assert!(after.starts_with(whole), "what was journalled stays");
}

#[test]
fn a_disk_that_can_not_be_written_is_told() {
    let bench = Bench::new();
    bench.file("two.toml", &gate("true", "true", "", EIGHT));
    let output = on_a_disk(&bench, "size=1m,ro", "$GATE run two.toml --results disk; echo code $?");
    let (told, out) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(out.contains("code 1"), "{out}");
    assert!(told.contains("create `disk/two`") && told.contains("make it writable, or name another folder"), "{told}");
}

#[test]
fn a_run_that_somebody_removes_meanwhile_is_missed_before_the_verdict_is_sealed() {
    let bench = Bench::new();
    // The third pair's candidate removes the file of the first run.
    let thief = "n=$(ls results/two/2*/runs | wc -l); [ $n -lt 5 ] || rm -f results/two/2*/runs/p01-baseline-all.arrow";
    bench.file("two.toml", &gate("true", thief, "", EIGHT));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("p01-baseline-all.arrow") && run.stderr.contains("No such file"), "{}", run.stderr);
    assert!(!bench.campaign("two").join("MANIFEST.sha256").exists());
}
