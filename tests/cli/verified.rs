//! `gate verify`: what it finds.

use std::fs;
use std::path::{Path, PathBuf};

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng as _;

use crate::command::gate;
use crate::gate::{Answer, Bench, gate as run_gate};

const FIVE: &str = "grade = \"comparison\"\npairs = 5\nsamples = 1";

fn campaign(bench: &Bench) -> PathBuf {
    bench.file("two.toml", &gate("true", "true", "", FIVE));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 0, "{run:?}");
    bench.campaign("two")
}

/// What `verify` told, its lines joined.
fn told(answer: &Answer) -> String {
    answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn a_flipped_byte_anywhere_is_found_and_its_file_named() {
    let bench = Bench::new();
    let campaign = campaign(&bench);
    let name = campaign.to_str().expect("text");
    assert_eq!(run_gate(&["verify", name]).code, 0);
    for (number, path) in files(&campaign).into_iter().enumerate() {
        let bytes = fs::read(&path).expect("a file");
        for share in [0, 1, 2, 3] {
            let at = (bytes.len() - 1) * share / 3;
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (number % 8);
            fs::write(&path, changed).expect("a file");
            let found = run_gate(&["verify", name]);
            let file = path.file_name().expect("a name").to_str().expect("text");
            assert_eq!(found.code, 1, "byte {at} of {file}");
            assert!(found.stdout.contains(file), "byte {at} of {file}: {}", found.stdout);
        }
        fs::write(&path, bytes).expect("a file");
    }
    assert_eq!(run_gate(&["verify", name]).code, 0);
}

#[test]
fn a_thousand_flipped_bytes_are_found() {
    let bench = Bench::new();
    let campaign = campaign(&bench);
    let name = campaign.to_str().expect("text");
    let files = files(&campaign);
    let lengths: Vec<usize> = files.iter().map(|path| fs::read(path).expect("a file").len()).collect();
    let mut source = Pcg64::new(1_000, 1);
    let mut below = |most: usize| usize::try_from(source.next_u64() % most as u64).expect("a place");
    for _ in 0..1_000 {
        // Any byte of all files alike, and any other value in its place.
        let mut at = below(lengths.iter().sum());
        let file = lengths.iter().position(|&length| {
            if at < length {
                true
            } else {
                at -= length;
                false
            }
        });
        let path = &files[file.expect("a file")];
        let bytes = fs::read(path).expect("a file");
        let mut changed = bytes.clone();
        changed[at] = changed[at].wrapping_add(u8::try_from(1 + below(255)).expect("a byte"));
        fs::write(path, changed).expect("a file");
        let found = run_gate(&["verify", name]);
        let file = path.file_name().expect("a name").to_str().expect("text");
        assert_eq!(found.code, 1, "byte {at} of {file}");
        assert!(found.stdout.contains(file), "byte {at} of {file}: {}", found.stdout);
        fs::write(path, bytes).expect("a file");
    }
    assert_eq!(run_gate(&["verify", name]).code, 0);
}

#[test]
fn a_line_that_is_removed_added_or_swapped_is_found_and_its_file_named() {
    let bench = Bench::new();
    // Two attempts make a ledger of four lines.
    fs::remove_dir_all(campaign(&bench)).expect("a campaign");
    let campaign = campaign(&bench);
    let name = campaign.to_str().expect("text");
    let beside = campaign.parent().expect("a folder");
    for path in [campaign.join("journal.jsonl"), beside.join("ledger.jsonl"), campaign.join("MANIFEST.sha256")] {
        let text = fs::read_to_string(&path).expect("a file");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        assert!(lines.len() > 3, "{text}");
        let removed = [&lines[..1], &lines[2..]].concat();
        let added = [&lines[..2], &lines[1..]].concat();
        let swapped = [&lines[..1], &[lines[2], lines[1]], &lines[3..]].concat();
        for (what, changed) in [("removed", removed), ("added", added), ("swapped", swapped)] {
            fs::write(&path, changed.concat()).expect("a file");
            let found = run_gate(&["verify", name]);
            let file = path.file_name().expect("a name").to_str().expect("text");
            assert_eq!(found.code, 1, "{what} in {file}: {}", found.stdout);
            assert!(found.stdout.contains(file), "{what} in {file}: {}", found.stdout);
        }
        fs::write(&path, text).expect("a file");
    }
    assert_eq!(run_gate(&["verify", name]).code, 0);
}

#[test]
fn what_is_forged_whole_is_another_campaign() {
    let bench = Bench::new();
    let campaign = campaign(&bench);
    let name = campaign.to_str().expect("text");
    let digest =
        run_gate(&["verify", name, "--format", "json"]).json()["digest"].as_str().expect("a digest").to_owned();
    assert_eq!(run_gate(&["verify", name, "--expect", &digest]).code, 0);
    let history = fs::read_to_string(bench.results().join("history.jsonl")).expect("a history");
    assert!(history.contains(&digest), "{history}");
    let report = run_gate(&["report", name, "--format", "json"]);
    assert_eq!(report.json()["digest"], digest.as_str());
    // The report says something else, and the manifest was made anew.
    let path = campaign.join("report.md");
    fs::write(&path, fs::read_to_string(&path).expect("a report").replace("PROCEED", "REJECT")).expect("a file");
    let manifest = std::process::Command::new("sh")
        .args(["-c", "LC_ALL=C; export LC_ALL; sha256sum $(find . -type f ! -name MANIFEST.sha256 | sed 's/^..//' | sort) > MANIFEST.sha256"])
        .current_dir(&campaign)
        .status()
        .expect("sha256sum");
    assert!(manifest.success());
    let alone = run_gate(&["verify", name]);
    assert_eq!(alone.code, 0, "what is consistent in itself needs a digest to be held to: {}", alone.stdout);
    let held = run_gate(&["verify", name, "--expect", &digest]);
    assert_eq!(held.code, 1);
    assert!(told(&held).contains(&format!("expected {digest}")), "{}", held.stdout);
}

#[test]
fn a_ledger_that_lost_its_end_is_noticed_by_who_was_in_it() {
    let bench = Bench::new();
    let campaign = campaign(&bench);
    let name = campaign.to_str().expect("text");
    let ledger = bench.results().join("two/ledger.jsonl");
    let text = fs::read_to_string(&ledger).expect("a ledger");
    assert_eq!(text.lines().count(), 2);
    fs::write(&ledger, "").expect("a file");
    let empty = run_gate(&["verify", name]);
    assert!(told(&empty).contains("none beside it"), "{}", empty.stdout);
    let other = text.replacen(campaign.file_name().expect("a name").to_str().expect("text"), "another", 1);
    fs::write(&ledger, format!("{}\n", other.lines().next().expect("a line"))).expect("a file");
    let lost = run_gate(&["verify", name]);
    assert_eq!(lost.code, 1, "{lost:?}");
    assert!(told(&lost).contains("has lost the line that tells of its start"), "{}", lost.stdout);
    fs::write(&ledger, text.lines().rev().collect::<Vec<_>>().join("\n") + "\n").expect("a file");
    assert!(told(&run_gate(&["verify", name])).contains("changed, added or lost"));
}

#[test]
fn the_gate_file_is_looked_for_in_a_commit() {
    let bench = Bench::new();
    let campaign = campaign(&bench);
    let git = |words: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words).current_dir(bench.path(""));
        assert!(command.output().expect("git").status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "two.toml"]);
    git(&["commit", "-qm", "one"]);
    let name = campaign.to_str().expect("text");
    let same = bench.here(&["verify", name, "--against", "HEAD"]);
    assert_eq!(same.code, 0, "{same:?}");
    assert!(told(&same).contains("the gate file is two.toml of HEAD"), "{}", same.stdout);
    bench.file("two.toml", &gate("true", "true", "", "grade = \"comparison\"\npairs = 6\nsamples = 1"));
    git(&["commit", "-qam", "two"]);
    let other = bench.here(&["verify", name, "--against", "HEAD"]);
    assert_eq!(other.code, 1, "{other:?}");
    assert!(told(&other).contains("no file of HEAD is the gate file of this campaign"), "{}", other.stdout);
    let nowhere = told(&bench.here(&["verify", name, "--against", "nowhere"]));
    assert!(nowhere.contains("FAILS against find commit `nowhere`"), "{nowhere}");
    let short = bench.here(&["verify", name, "--expect", "0a1b2c3d"]);
    assert_eq!(short.code, 2, "{short:?}");
    assert!(short.stderr.contains("the whole digest, 64 digits"), "{}", short.stderr);
}

/// Writes a campaign's plan anew, with all that refers to it, as a forger would; the conclusions and the seal are taken away.
fn forge(campaign: &Path, change: impl Fn(&str) -> String) {
    let sha = |text: &str| ::gate::digest::sha256(text.as_bytes());
    let read = |name: &str| fs::read_to_string(campaign.join(name)).expect("a file");
    let plan: ::gate::plan::Plan = serde_json::from_str(&change(&read("plan.json"))).expect("a plan");
    let (before, after) = (sha(&read("plan.json")), plan.digest());
    fs::write(campaign.join("plan.json"), plan.to_json()).expect("a file");
    fs::write(campaign.join("provenance.json"), read("provenance.json").replace(&before, &after)).expect("a file");
    let mut previous = sha("");
    let mut journal = String::new();
    for line in read("journal.jsonl").lines() {
        let mut line: ::gate::evidence::Line = serde_json::from_str(&line.replace(&before, &after)).expect("a line");
        line.previous = previous;
        let text = serde_json::to_string(&line).expect("JSON");
        previous = sha(&text);
        journal.push_str(&(text + "\n"));
    }
    fs::write(campaign.join("journal.jsonl"), journal).expect("a file");
    for name in ["analysis.json", "verdict.json", "report.md", "MANIFEST.sha256"] {
        fs::remove_file(campaign.join(name)).expect("a file");
    }
}

#[test]
fn a_plan_that_its_gate_file_does_not_give_is_found_and_never_concluded() {
    let bench = Bench::new();
    let campaign = campaign(&bench);
    let name = campaign.to_str().expect("text");
    forge(&campaign, |plan| plan.replace("50.0", "5000.0"));
    let resumed = run_gate(&["resume", name]);
    assert_eq!(resumed.code, 1, "{resumed:?}");
    assert!(resumed.stderr.contains("plan.json is not what gate.toml gives: `hypotheses` is another"), "{resumed:?}");
    let verified = run_gate(&["verify", name]);
    assert_eq!(verified.code, 1);
    let found = told(&verified);
    assert!(found.contains("FAILS plan plan.json is not what gate.toml gives: `hypotheses` is another"), "{found}");
    assert!(found.contains("FAILS ledger ledger.jsonl beside it tells of its start as"), "{found}");
}

#[test]
fn a_plan_that_refers_to_nothing_is_refused() {
    let changes: [fn(&str) -> String; 4] = [
        |plan| plan.replacen("\"matchup\": 0", "\"matchup\": 99", 1),
        |plan| {
            let at = plan.rfind("\"matchup\": 0").expect("a run");
            format!("{}\"matchup\": 99{}", &plan[..at], &plan[at + 12..])
        },
        |plan| {
            let mut plan: serde_json::Value = serde_json::from_str(plan).expect("JSON");
            plan["runs"][0]["cases"] = serde_json::json!([99]);
            plan.to_string()
        },
        |plan| {
            let mut plan: serde_json::Value = serde_json::from_str(plan).expect("JSON");
            plan["hypotheses"][0]["cases"] = serde_json::json!([]);
            plan.to_string()
        },
    ];
    let bench = Bench::new();
    let original = campaign(&bench);
    for (number, change) in changes.into_iter().enumerate() {
        let copy = bench.path("stranger").join(original.file_name().expect("a name")).join(number.to_string());
        fs::create_dir_all(copy.join("runs")).expect("a folder");
        for path in files(&original) {
            fs::copy(&path, copy.join(path.strip_prefix(&original).expect("a name"))).expect("a copy");
        }
        forge(&copy, change);
        let name = copy.to_str().expect("text");
        for arguments in [&["verify", name][..], &["report", name], &["query", name, "FROM runs"], &["resume", name]] {
            let answer = run_gate(arguments);
            assert_eq!(answer.code, 1, "{number}, {arguments:?}: {answer:?}");
            let all = told(&answer) + &answer.stderr;
            assert!(all.contains("refers to cases or lanes that it does not have"), "{number}, {arguments:?}: {all}");
        }
    }
}

#[test]
fn what_is_not_as_it_was_sealed_is_not_reported() {
    let bench = Bench::new();
    let campaign = campaign(&bench);
    let name = campaign.to_str().expect("text");
    let verdict = campaign.join("verdict.json");
    let text = fs::read_to_string(&verdict).expect("a verdict");
    fs::write(&verdict, text.replace("checks hold", "it flies")).expect("a file");
    let report = run_gate(&["report", name]);
    assert_eq!(report.code, 1, "{report:?}");
    assert!(report.stderr.contains("it is not as it was sealed: `verdict.json`"), "{report:?}");
    // Without a seal the words are the program's own.
    fs::remove_file(campaign.join("MANIFEST.sha256")).expect("a file");
    let report = run_gate(&["report", name]);
    assert_eq!(report.code, 0, "{report:?}");
    assert!(report.stdout.contains("checks hold") && !report.stdout.contains("it flies"), "{report:?}");
}

#[test]
fn a_folder_of_a_stranger_leads_nowhere() {
    let bench = Bench::new();
    let campaign = campaign(&bench);
    let name = campaign.to_str().expect("text");
    let secret = bench.path("secret");
    fs::write(&secret, "precious").expect("a file");
    let run = campaign.join("runs/p01-baseline-all.arrow");
    let kept = fs::read(&run).expect("a run");
    fs::remove_file(&run).expect("a run");
    std::os::unix::fs::symlink(&secret, &run).expect("a link");
    let link = run_gate(&["verify", name]);
    assert_eq!(link.code, 1);
    assert!(link.stdout.contains("a link or a device"), "{}", link.stdout);
    assert!(run_gate(&["report", name]).stderr.contains("no plain file"));
    fs::remove_file(&run).expect("a link");
    fs::write(&run, kept).expect("a file");
    let gate_file = campaign.join("gate.toml");
    let kept = fs::read(&gate_file).expect("a gate file");
    fs::remove_file(&gate_file).expect("a gate file");
    std::os::unix::fs::symlink(&secret, &gate_file).expect("a link");
    let link = told(&run_gate(&["verify", name]));
    assert!(link.contains("FAILS plan read") && link.contains("no plain file"), "{link}");
    fs::remove_file(&gate_file).expect("a link");
    fs::write(&gate_file, kept).expect("a file");
    // A file of an absurd size is refused by it, and not read.
    let journal = campaign.join("journal.jsonl");
    fs::File::options().write(true).open(&journal).expect("a journal").set_len(1 << 40).expect("a hole");
    assert!(run_gate(&["report", name]).stderr.contains("larger than"));
}
