//! Two revisions of a repository, through the whole of `gate run`: real git, real builds.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use ::gate::measure::clock;

use crate::gate::{Answer, Bench, runs, turn};

/// A repository in a folder with a gate file beside it. Its program prints what `harness` and `what` say.
struct Repository {
    bench: Bench,
}

const GATE: &str = r#"gate = 1
name = "two"
title = "two revisions"
[target.revisions]
repo = "repo"
baseline = "one"
candidate = "HEAD"
build = ["sh", "-c", "cat what harness > program.sh && chmod +x program.sh && sed -i 1i'#!/bin/sh' program.sh"]
run = ["./program.sh"]
[profile.full]
grade = "comparison"
pairs = 5
samples = 1
[[hypothesis]]
id = "h"
claim = "not slower"
rollback = "none"
[[hypothesis.guardrail]]
metric = "latency"
max_ratio = 50.0
"#;

impl Repository {
    fn new() -> Self {
        let repository = Self { bench: Bench::new() };
        fs::create_dir(repository.bench.path("repo")).unwrap();
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.git(&["config", "user.email", "a@example.com"]);
        repository.git(&["config", "user.name", "A"]);
        repository.commit("echo one");
        repository.git(&["tag", "one"]);
        repository.commit("echo two");
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        self.bench.path("repo").join(name)
    }

    fn git(&self, words: &[&str]) -> String {
        let output = Command::new("git").arg("-C").arg(self.bench.path("repo")).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self, what: &str) {
        fs::write(self.path("what"), format!("{what}\n")).unwrap();
        fs::write(self.path("harness"), "true\n").unwrap();
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", what]);
    }

    /// Runs the gate, with a cache folder of its own.
    fn run(&self, gate: &str) -> Answer {
        self.bench.file("two.toml", gate);
        self.bench.here_with(&["run", "two.toml"], "XDG_CACHE_HOME", &self.bench.path("cache"))
    }

    /// Nothing is left of the worktrees, neither in git's books nor on the disk.
    fn holds_no_worktree(&self) {
        assert_eq!(self.git(&["worktree", "list"]).lines().count(), 1);
        for home in fs::read_dir(self.bench.path("cache/gate")).unwrap() {
            for side in ["base", "cand"] {
                assert!(!home.as_ref().unwrap().path().join(side).exists());
            }
        }
    }

    fn plan(&self) -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(self.bench.campaign("two").join("plan.json")).unwrap()).unwrap()
    }
}

#[test]
fn two_revisions_are_built_and_compared_and_no_worktree_is_left() {
    let repository = Repository::new();
    let run =
        repository.run(&GATE.replace("run = [\"./program.sh\"]", "run = [\"./program.sh\"]\nexpect = { lines = 1 }"));
    assert_eq!(run.code, 0, "{run:?}");
    let plan = repository.plan();
    assert_eq!(plan["digests"]["sources"]["baseline"], repository.git(&["rev-parse", "one"]));
    assert_eq!(plan["digests"]["sources"]["candidate"], repository.git(&["rev-parse", "HEAD"]));
    let executables = &plan["digests"]["executables"];
    assert_ne!(executables["baseline program"], executables["candidate program"]);
    assert!(repository.bench.campaign("two").join("build-baseline.log").exists());
    repository.holds_no_worktree();
}

#[test]
fn two_sides_of_one_commit_are_told() {
    let repository = Repository::new();
    repository.git(&["tag", "--force", "one"]);
    let run = repository.run(&GATE.replace("candidate = \"HEAD\"", "candidate = \"worktree\""));
    assert_eq!(run.code, 0, "{run:?}");
    let commit = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(repository.plan()["digests"]["sources"]["candidate"], commit, "nothing differs from it");
    let told = format!("both sides are built from {}", &commit[..12]);
    assert!(run.stdout.replace("\n          ", "").contains(&told), "{}", run.stdout);
}

#[test]
fn cargo_builds_each_side_although_both_share_what_it_has_built() {
    let repository = Repository::new();
    fs::create_dir(repository.path("src")).unwrap();
    fs::write(repository.path("Cargo.toml"), "[package]\nname = \"tool\"\nedition = \"2021\"\n").unwrap();
    fs::write(repository.path("src/main.rs"), "fn main() { println!(\"one\") }\n").unwrap();
    repository.commit("one");
    repository.git(&["tag", "--force", "one"]);
    fs::write(repository.path("src/main.rs"), "fn main() { println!(\"one\\ntwo\") }\n").unwrap();
    repository.commit("two");
    let build = GATE.lines().find(|line| line.starts_with("build")).unwrap();
    let gate = GATE
        .replace(build, "build = [\"cargo\", \"build\", \"--release\", \"--offline\"]")
        .replace("run = [\"./program.sh\"]", "run = [\"target/release/tool\"]\nexpect = { lines = 1 }");
    repository.bench.file("two.toml", &gate);
    // The second time everything has been built before.
    for _ in 0..2 {
        let run = repository.bench.within(".", &["run", "two.toml"]);
        assert_eq!(run.code, 10, "{run:?}");
        assert!(run.stdout.contains("2 lines"), "{run:?}");
    }
}

#[test]
fn a_wrong_answer_of_the_candidate_revision_rejects() {
    let repository = Repository::new();
    let run = repository.run(&GATE.replace("[profile.full]", "expect = { stdout_sha256 = \"same\" }\n[profile.full]"));
    assert_eq!(run.code, 10, "{run:?}");
    repository.holds_no_worktree();
}

#[test]
fn the_files_as_they_stand_may_be_the_candidate_and_stay_as_they_are() {
    let repository = Repository::new();
    fs::write(repository.path("what"), "echo one\n").unwrap();
    fs::write(repository.path("harness"), "cat untracked\n").unwrap();
    fs::write(repository.path("untracked"), "").unwrap();
    let before = repository.git(&["status", "--porcelain"]);
    let gate = GATE
        .replace("candidate = \"HEAD\"", "candidate = \"worktree\"")
        .replace("[profile.full]", "expect = { stdout_sha256 = \"same\" }\n[profile.full]");
    let run = repository.run(&gate);
    assert_eq!(run.code, 0, "{run:?}");
    let source = repository.plan()["digests"]["sources"]["candidate"].as_str().unwrap().to_owned();
    let (commit, tree) = source.split_once('+').expect("a commit and a tree");
    assert_eq!(commit, repository.git(&["rev-parse", "HEAD"]));
    assert_eq!(repository.git(&["cat-file", "-t", tree]), "tree");
    let history = fs::read_to_string(repository.bench.results().join("history.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(history.trim()).unwrap();
    assert_eq!((&line["commit"], &line["dirty"]), (&commit.into(), &true.into()));
    assert_eq!(repository.git(&["status", "--porcelain"]), before);
    repository.holds_no_worktree();
}

#[test]
fn an_overlay_is_laid_over_both_and_kept_as_a_patch() {
    let repository = Repository::new();
    fs::write(repository.path("harness"), "echo of the candidate\n").unwrap();
    let gate = GATE
        .replace("build =", "overlay = [\"harness\"]\nbuild =")
        .replace("[profile.full]", "expect = { lines = 2 }\n[profile.full]");
    let run = repository.run(&gate);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("it differs from what is committed:\n M harness"), "{}", run.stderr);
    repository.holds_no_worktree();

    repository.git(&["commit", "--quiet", "--all", "--message", "harness"]);
    let run = repository.run(&gate);
    assert_eq!(run.code, 0, "{run:?}");
    let patch = fs::read_to_string(repository.bench.campaign("two").join("overlay.patch")).unwrap();
    assert!(patch.contains("+echo of the candidate"), "{patch}");
    repository.holds_no_worktree();
}

#[test]
fn an_overlay_may_be_taken_from_a_folder_and_need_not_be_committed() {
    let repository = Repository::new();
    fs::create_dir(repository.bench.path("harnesses")).unwrap();
    fs::write(repository.bench.path("harnesses/harness"), "echo from the folder\n").unwrap();
    let gate = GATE
        .replace("build =", "overlay = [\"harness\"]\noverlay_from = \"harnesses\"\nbuild =")
        .replace("run = ", "expect = { lines = 2 }\nrun = ");
    let run = repository.run(&gate);
    assert_eq!(run.code, 0, "{run:?}");
    for name in ["overlay.patch", "overlay-candidate.patch"] {
        let patch = fs::read_to_string(repository.bench.campaign("two").join(name)).unwrap();
        assert!(patch.contains("+echo from the folder"), "{patch}");
    }
}

#[test]
fn a_merge_base_may_be_the_baseline() {
    let repository = Repository::new();
    repository.git(&["checkout", "--quiet", "-b", "topic", "one"]);
    repository.commit("echo three");
    let run = repository.run(&GATE.replace("baseline = \"one\"", "baseline = \"main...HEAD\""));
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(repository.plan()["digests"]["sources"]["baseline"], repository.git(&["rev-parse", "one"]));
}

#[test]
fn what_keeps_a_revision_from_being_built_is_told_and_nothing_is_left() {
    let repository = Repository::new();
    let wrong = [
        ("baseline = \"one\"", "baseline = \"none\"", "find the baseline's revision `none`"),
        ("build = [\"sh\", \"-c\", \"", "build = [\"sh\", \"-c\", \"seq 30; exit 5; ", "build the baseline: run `sh"),
        (
            "run = [\"./program.sh\"]",
            "run = [\"./other\"]",
            "find the baseline's program `./other`: its build has made no such",
        ),
        (
            "run = [\"./program.sh\"]",
            "run = [\"target/x\"]",
            "find the baseline's program `target/x`: its build has made no such",
        ),
        ("build =", "overlay = [\"none\"]\nbuild =", "there is no `none` where it is taken from"),
    ];
    for (from, to, said) in wrong {
        let run = repository.run(&GATE.replace(from, to));
        assert_eq!(run.code, 1, "{to}: {run:?}");
        assert!(run.stderr.contains(said), "{to}: {}", run.stderr);
        assert!(!repository.bench.path("results").exists());
        repository.holds_no_worktree();
    }
    let run = repository.run(&GATE.replace("repo = \"repo\"", "repo = \"/\""));
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("not a git repository"), "{}", run.stderr);
}

#[test]
fn a_revision_is_never_taken_for_an_option() {
    let repository = Repository::new();
    for name in ["--upload-pack=touch x", "-q", "HEAD --", "HEAD:what"] {
        let run = repository.run(&GATE.replace("baseline = \"one\"", &format!("baseline = \"{name}\"")));
        assert_eq!(run.code, 2, "{name}: {run:?}");
        assert!(run.stderr.contains("is no revision"), "{}", run.stderr);
    }
}

#[test]
fn gate_killed_while_it_builds_leaves_nothing_that_the_next_start_does_not_remove() {
    let repository = Repository::new();
    let slow =
        GATE.replace("build = [\"sh\", \"-c\", \"", "build = [\"sh\", \"-c\", \"sleep 1000 & echo $! > ../pid; wait; ");
    repository.bench.file("slow.toml", &slow);
    let turn = crate::gate::turn();
    let mut gate = Command::new(assert_cmd::cargo::cargo_bin("gate"))
        .args(["run", "slow.toml"])
        .current_dir(repository.bench.path("."))
        .env("XDG_CACHE_HOME", repository.bench.path("cache"))
        .spawn()
        .unwrap();
    let home = || fs::read_dir(repository.bench.path("cache/gate")).ok()?.next()?.ok().map(|entry| entry.path());
    let pid = loop {
        if let Some(pid) =
            home().and_then(|home| fs::read_to_string(home.join("pid")).ok()).filter(|pid| pid.ends_with('\n'))
        {
            break pid;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    gate.kill().unwrap();
    gate.wait().unwrap();
    drop(turn);
    while runs(&pid) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(home().unwrap().join("base").exists());
    assert_eq!(repository.run(GATE).code, 0);
    repository.holds_no_worktree();
}

/// Ten kills, spread over the whole of a campaign: in git's work, the builds, the checks, the runs and the writing.
#[test]
fn gate_killed_at_any_moment_leaves_nothing_that_the_next_start_does_not_remove() {
    const KILLS: u32 = 10;
    let repository = Repository::new();
    // It stands in the environment of everything that the campaign starts.
    let marker = repository.bench.path("cache").display().to_string();
    let gate = GATE.replace("cat what", "sleep 0.1; cat what");
    fs::write(repository.path("harness"), "sleep 0.02\n").unwrap();
    repository.git(&["commit", "--quiet", "--all", "--message", "slower"]);
    repository.bench.file("two.toml", &gate);
    let _turn = crate::gate::turn();
    let start = || {
        Command::new(assert_cmd::cargo::cargo_bin("gate"))
            .args(["run", "two.toml"])
            .current_dir(repository.bench.path("."))
            .env("XDG_CACHE_HOME", repository.bench.path("cache"))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let begin = gate::measure::clock::now();
    assert_eq!(start().wait().unwrap().code(), Some(0));
    let whole = begin.elapsed();
    for kill in 0..KILLS {
        let mut killed = start();
        std::thread::sleep(whole * kill / KILLS + whole / (2 * KILLS));
        killed.kill().unwrap();
        killed.wait().unwrap();
        let begin = gate::measure::clock::now();
        while started(&marker).is_some() {
            let waited = begin.elapsed();
            assert!(waited < std::time::Duration::from_secs(5), "kill {kill}: {:?} still runs", started(&marker));
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
    // Nobody has to wait for a lock or to remove anything.
    assert_eq!(start().wait().unwrap().code(), Some(0));
    repository.holds_no_worktree();
}

/// The command line of a process that still runs and has `marker` in its environment.
fn started(marker: &str) -> Option<String> {
    let mut processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let of = |entry: fs::DirEntry| {
        let read = |name| Some(String::from_utf8_lossy(&fs::read(entry.path().join(name)).ok()?).into_owned());
        let alive = runs(&entry.file_name().to_string_lossy());
        (read("environ")?.contains(marker) && alive).then(|| read("cmdline").unwrap_or_default())
    };
    processes.find_map(of)
}

#[test]
fn a_second_campaign_beside_a_build_of_the_same_program_is_refused_or_waits_as_asked() {
    let repository = Repository::new();
    let slow = GATE.replace("[\"sh\", \"-c\", \"", "[\"sh\", \"-c\", \"touch ../building && sleep 1 && ");
    repository.bench.file("two.toml", &slow);
    let _turn = turn();
    let start = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_gate"))
            .args([&["run", "two.toml"], more].concat())
            .current_dir(repository.bench.path(""))
            .env("XDG_CACHE_HOME", repository.bench.path("cache"))
            .env("GATE_MACHINE", "test-bench")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let first = start(&[]);
    let is_building = || {
        let homes = fs::read_dir(repository.bench.path("cache/gate")).into_iter().flatten();
        homes.filter_map(Result::ok).any(|home| home.path().join("building").exists())
    };
    let begin = clock::now();
    while !is_building() {
        assert!(begin.elapsed() < Duration::from_mins(1), "no build");
        std::thread::sleep(Duration::from_millis(2));
    }
    let refused = start(&[]).wait_with_output().unwrap();
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{told}");
    assert!(told.contains("a campaign of `two`") && told.contains("or add --wait"), "{told}");
    let waited = start(&["--wait"]).wait_with_output().unwrap();
    let told = String::from_utf8(waited.stderr).unwrap();
    assert_eq!(waited.status.code(), Some(0), "{told}");
    assert!(told.contains("waits: lock this host"), "{told}");
    assert!(first.wait_with_output().unwrap().status.success());
    repository.holds_no_worktree();
}
