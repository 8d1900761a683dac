//! What is written can be read back, and analyses to the same bits.

use std::collections::BTreeMap;
use std::fs;

use gate::digest::sha256;
use gate::evidence::{Attempt, Event, Evidence, EvidenceError, Folder, Journal, Ledger, Provenance, State, latest};
use gate::measure::Host;
use gate::verdict::{analyse, judge};

use crate::scripted::{COMPARISON, PRELIMINARY, Scripted, execute, gate, hypothesis, noon, plan, run};

const BUDGETS: &str = "[[hypothesis.benefit]]\nmetric = \"cpu_time\"\nmax_ratio = 0.9\n
[[hypothesis.guardrail]]\nmetric = \"latency\"\nstatistic = \"p95\"\nmax_ratio = 1.05\n
[[hypothesis.guardrail]]\nmetric = \"rust_heap_bytes\"\nmax_ratio = 1.05\n
[[hypothesis.report]]\nmetric = \"throughput\"\n";

/// A finished campaign's folder under `results`.
fn campaign(results: &std::path::Path, script: &mut Scripted) -> (Evidence, Folder) {
    let plan = plan(&gate(COMPARISON, &hypothesis(BUDGETS)), false);
    let (evidence, folder, _) = execute(&plan, script, results);
    folder.write("plan.json", plan.to_json().as_bytes()).expect("a plan");
    let provenance = Provenance::new(plan.digest(), noon(), 1, Host::observe(), BTreeMap::new());
    folder.write("provenance.json", &serde_json::to_vec(&provenance).expect("JSON")).expect("a file");
    (evidence.expect("a campaign"), folder)
}

fn day() -> jiff::civil::Date {
    "2026-11-30".parse().expect("a date")
}

#[test]
fn what_is_read_back_is_what_was_seen_and_analyses_to_the_same_bits() {
    let results = tempfile::tempdir().expect("a folder");
    let (seen, folder) = campaign(results.path(), &mut Scripted::ratio(0.987_654_321));
    let (read, provenance) = Evidence::load(folder.path()).expect("evidence");
    assert_eq!(read, seen);
    assert_eq!(provenance.started, noon());
    let bits = |evidence: &Evidence| {
        let analysis = analyse(evidence, day()).expect("an analysis");
        let verdicts = judge(&evidence.plan, &analysis);
        (serde_json::to_string(&analysis).expect("JSON"), serde_json::to_string(&verdicts).expect("JSON"))
    };
    assert_eq!(bits(&read), bits(&seen));
    // The written analysis, read back, is the analysis: no digit is lost on the way.
    let written = bits(&seen).0;
    let again: gate::verdict::Analysis = serde_json::from_str(&written).expect("an analysis");
    assert_eq!(serde_json::to_string(&again).expect("JSON"), written);
}

#[test]
fn two_campaigns_with_the_same_plan_and_samples_give_the_same_analysis() {
    let of = || run(&gate(COMPARISON, &hypothesis(BUDGETS)), &mut Scripted::ratio(1.01), false);
    let (first, second) = (of(), of());
    let json = |analysis| serde_json::to_string(analysis).expect("JSON");
    assert_eq!(json(&first.analysis), json(&second.analysis));
    assert_eq!(first.verdict, second.verdict);
    assert_eq!(first.events, second.events);
}

#[test]
fn a_campaigns_folder_is_never_overwritten() {
    let results = tempfile::tempdir().expect("a folder");
    let first = Folder::create(results.path(), "g", noon(), "0123456789").expect("a folder");
    assert_eq!(first.name(), "20261130T120000Z-01234567");
    let error = Folder::create(results.path(), "g", noon(), "0123456789").expect_err("it is there");
    assert!(matches!(error, EvidenceError::Exists { .. }));
    assert!(error.to_string().contains("never overwritten"), "{error}");
}

#[test]
fn the_manifest_is_what_sha256sum_checks() {
    let results = tempfile::tempdir().expect("a folder");
    let (_, folder) = campaign(results.path(), &mut Scripted::ratio(1.0));
    folder.seal().expect("a manifest");
    let check = || {
        std::process::Command::new("sha256sum")
            .args(["--quiet", "--strict", "-c", "MANIFEST.sha256"])
            .current_dir(folder.path())
            .output()
            .expect("sha256sum")
    };
    assert!(check().status.success(), "{check:?}", check = check());
    let text = fs::read_to_string(folder.path().join("MANIFEST.sha256")).expect("a manifest");
    assert_eq!(text.lines().count(), 3 + 40, "plan, provenance, journal, and forty runs");
    assert!(text.lines().map(|line| &line[66..]).is_sorted());
    fs::write(folder.path().join("plan.json"), "{}").expect("a file");
    assert!(!check().status.success());
}

#[test]
fn a_changed_run_file_or_journal_is_refused() {
    let results = tempfile::tempdir().expect("a folder");
    let (_, folder) = campaign(results.path(), &mut Scripted::ratio(1.0));
    let run = folder.path().join("runs/p01-baseline-1.arrow");
    let bytes = fs::read(&run).expect("a run");
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    fs::write(&run, changed).expect("a file");
    assert!(matches!(Evidence::load(folder.path()), Err(EvidenceError::ChangedRun { .. })));
    fs::write(&run, bytes).expect("a file");

    let journal = folder.path().join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<&str> = text.lines().collect();
    let refused = |lines: Vec<&str>, why: &str| {
        fs::write(&journal, lines.join("\n") + "\n").expect("a file");
        let error = Evidence::load(folder.path()).expect_err(why).to_string();
        assert!(error.contains("journal.jsonl"), "{error}");
    };
    let mut swapped = lines.clone();
    swapped.swap(3, 4);
    refused(swapped, "two lines are swapped");
    let mut shorter = lines.clone();
    shorter.remove(3);
    refused(shorter, "a line is gone");
    let edited = text.replacen("12:00:00", "12:00:01", 1);
    refused(edited.lines().collect(), "a line is edited");
    fs::write(&journal, text.trim_end()).expect("a file");
    assert!(Evidence::load(folder.path()).expect_err("torn").to_string().contains("torn off"));
    // Without its last line the chain is whole, and the campaign has no end.
    fs::write(&journal, lines[..lines.len() - 1].join("\n") + "\n").expect("a file");
    assert!(matches!(Evidence::load(folder.path()), Err(EvidenceError::Unfinished { .. })));
    fs::write(&journal, text).expect("a file");
    assert!(Evidence::load(folder.path()).is_ok());
}

#[test]
fn a_journal_tells_everything_in_order() {
    let results = tempfile::tempdir().expect("a folder");
    let plan = plan(&gate(PRELIMINARY, &hypothesis(BUDGETS)), false);
    let (_, folder, events) = execute(&plan, &mut Scripted::ratio(1.0), results.path());
    let lines = Journal::read(&folder.path().join("journal.jsonl")).expect("a journal");
    assert_eq!(lines.iter().map(|line| line.event.clone()).collect::<Vec<_>>(), events);
    assert_eq!(lines[0].previous, sha256(b""));
    let count = |wanted: fn(&Event) -> bool| events.iter().filter(|event| wanted(event)).count();
    assert_eq!(count(|event| matches!(event, Event::Checked { .. })), 2);
    assert_eq!(count(|event| matches!(event, Event::RunFinished { .. })), 12);
    assert_eq!(count(|event| matches!(event, Event::PairFinished { .. })), 3);
}

#[test]
fn a_byte_that_is_no_text_or_before_a_line_feed_is_a_change_of_the_journal() {
    let results = tempfile::tempdir().expect("a folder");
    let plan = plan(&gate(PRELIMINARY, &hypothesis(BUDGETS)), false);
    let (_, folder, _) = execute(&plan, &mut Scripted::ratio(1.0), results.path());
    let path = folder.path().join("journal.jsonl");
    let bytes = fs::read(&path).expect("a journal");
    let refused = |at: usize, by: &[u8]| {
        let changed = [&bytes[..at], by, &bytes[at..]].concat();
        Journal::parse(&path, &changed).expect_err("it is changed").to_string()
    };
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a line");
    assert!(refused(end, b"\r").contains("line 2 of"), "the line after it does not follow");
    assert!(refused(end + 5, b"\xff").contains("line 2 of"));
    assert_eq!(Journal::parse(&path, b"").expect("nothing has happened"), []);
}

#[test]
fn the_ledger_counts_attempts_at_one_plan() {
    let results = tempfile::tempdir().expect("a folder");
    fs::create_dir(results.path().join("g")).expect("a folder");
    let ledger = Ledger::of(results.path(), "g");
    assert!(ledger.read().expect("no ledger yet").at("a").is_empty());
    let states = [
        ("a", "1", State::Started),
        ("a", "1", State::Failed),
        ("a", "2", State::Started),
        ("b", "3", State::Started),
        ("a", "2", State::Interrupted),
        ("a", "2", State::Resumed),
        ("a", "2", State::Complete),
    ];
    let mut digests = Vec::new();
    for (plan, campaign, state) in states {
        let (plan, campaign) = (plan.to_owned(), campaign.to_owned());
        digests.push(ledger.append(Attempt { at: noon(), plan, campaign, state, previous: None }).expect("a line"));
    }
    let attempts = ledger.read().expect("a ledger");
    assert_eq!(attempts.at("a"), [("1", State::Failed), ("2", State::Complete)]);
    assert_eq!((attempts.at("b").len(), attempts.at("c").len()), (1, 0));
    assert!(digests.iter().all(|digest| attempts.line(digest).is_some()) && attempts.line("0").is_none());

    // A line that is gone, doubled, swapped or edited is noticed by the one behind it.
    let path = results.path().join("g/ledger.jsonl");
    let text = fs::read_to_string(&path).expect("a ledger");
    let lines: Vec<&str> = text.lines().collect();
    let refused = |lines: Vec<&str>| {
        fs::write(&path, lines.join("\n") + "\n").expect("a file");
        ledger.read().expect_err("it is refused").to_string()
    };
    for at in 0..lines.len() - 1 {
        let mut changed = lines.clone();
        changed.remove(at);
        assert!(refused(changed).contains("ledger.jsonl"), "line {at} is gone");
        let mut changed = lines.clone();
        changed.swap(at, at + 1);
        assert!(refused(changed).contains("ledger.jsonl"), "line {at} is swapped");
        let mut changed = lines.clone();
        changed.insert(at, lines[at]);
        assert!(refused(changed).contains("changed, added or lost"), "line {at} is doubled");
    }
    assert!(refused(text.replacen("failed", "complete", 1).lines().collect()).contains("line 3"));

    // One that a crash has torn is cut off by the next.
    fs::write(&path, format!("{text}{{\"at\":\"2026")).expect("a file");
    let (plan, campaign) = ("a".to_owned(), "4".to_owned());
    let attempt = Attempt { at: noon(), plan, campaign, state: State::Started, previous: None };
    ledger.append(attempt).expect("a line");
    assert_eq!(ledger.read().expect("a ledger").iter().count(), 8);
}

#[test]
fn a_ledger_of_an_older_program_goes_on() {
    let results = tempfile::tempdir().expect("a folder");
    fs::create_dir(results.path().join("g")).expect("a folder");
    let path = results.path().join("g/ledger.jsonl");
    let old = "{\"at\":\"2026-11-30T12:00:00Z\",\"plan\":\"a\",\"campaign\":\"1\",\"state\":\"started\"}\n";
    fs::write(&path, old.repeat(2)).expect("a file");
    let ledger = Ledger::of(results.path(), "g");
    let (plan, campaign) = ("a".to_owned(), "2".to_owned());
    ledger.append(Attempt { at: noon(), plan, campaign, state: State::Started, previous: None }).expect("a line");
    assert_eq!(ledger.read().expect("a ledger").at("a").len(), 2);
    // Behind a chained line there is none without a chain.
    let text = fs::read_to_string(&path).expect("a ledger");
    fs::write(&path, format!("{text}{old}")).expect("a file");
    assert!(ledger.read().expect_err("it is refused").to_string().contains("line 4"));
}

#[test]
fn the_latest_campaign_is_the_last_by_time() {
    let results = tempfile::tempdir().expect("a folder");
    assert!(latest(results.path(), "g").expect_err("none").to_string().contains("gate run g"));
    for (minute, digest) in [("10", "ffffffff"), ("12", "00000000"), ("11", "88888888")] {
        let at = format!("2026-11-30T12:{minute}:00Z").parse().expect("a time");
        let folder = Folder::create(results.path(), "g", at, digest).expect("a folder");
        folder.write("plan.json", b"{}").expect("a file");
    }
    assert!(latest(results.path(), "g").expect("one").ends_with("20261130T121200Z-00000000"));
    // Of two that began in one second it is the later.
    let at = "2026-11-30T12:12:00Z".parse().expect("a time");
    std::thread::sleep(std::time::Duration::from_millis(20));
    Folder::create(results.path(), "g", at, "ffffffff").expect("a folder").write("plan.json", b"{}").expect("a file");
    assert!(latest(results.path(), "g").expect("one").ends_with("20261130T121200Z-ffffffff"));
    std::thread::sleep(std::time::Duration::from_millis(20));
    Folder::create(results.path(), "g", at, "11111111").expect("a folder").write("plan.json", b"{}").expect("a file");
    assert!(latest(results.path(), "g").expect("one").ends_with("20261130T121200Z-11111111"));
}
