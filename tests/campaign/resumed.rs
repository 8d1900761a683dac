//! Campaigns that are interrupted and go on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gate::campaign::CampaignError;
use gate::evidence::{Event, Evidence, EvidenceError, Folder, Journal, Replay};
use gate::plan::Plan;
use gate::verdict::analyse;

use crate::scripted::{PRELIMINARY, Scripted, campaign, execute, gate, hypothesis, plan, settled};

const GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = 1.05\n";

fn planned() -> Plan {
    plan(&gate(PRELIMINARY, &hypothesis(GUARDRAIL)), false)
}

/// Samples that tell the pairs apart.
fn script() -> Scripted {
    Scripted::new(|_, lane, pair| 1_000.0 + f64::from(pair * pair) + if lane == "slow" { 3.0 } else { 0.0 })
}

fn replay(plan: &Plan, folder: &Path) -> Replay {
    Replay::of(Journal::unfinished(&folder.join("journal.jsonl")).expect("a journal"), plan, folder).expect("a replay")
}

/// A script that answers each run as it would have been answered without an interruption.
fn script_after(plan: &Plan, folder: &Path) -> Scripted {
    let replay = replay(plan, folder);
    let halves = replay.halves(plan);
    let mut asked: BTreeMap<String, u32> = BTreeMap::new();
    for run in plan.runs.iter().filter(|run| replay.placed.contains_key(&run.id) && !halves.contains(&run.id)) {
        *asked.entry(format!("{} in {}", plan.lane(run), plan.cases[run.cases[0]])).or_default() += 1;
    }
    Scripted { asked, ..script() }
}

/// Goes on with the campaign in `folder`, stopped at its run of this number, from 1, or not at all.
fn resume(plan: &Plan, folder: &Path, stopped_at: Option<usize>) -> (Result<Evidence, CampaignError>, Vec<Event>) {
    let mut executor = Scripted { crashes_at: stopped_at, interrupted: true, ..script_after(plan, folder) };
    let folder = Folder::reopen(folder.to_owned()).expect("a folder");
    let mut events = Vec::new();
    let mut watch = |event: &Event| events.push(event.clone());
    let result = campaign(plan, &folder, &mut watch, &settled).resume(&mut executor);
    (result, events)
}

fn analysis(evidence: &Evidence) -> String {
    let analysis = analyse(evidence, "2026-11-30".parse().expect("a date")).expect("an analysis");
    serde_json::to_string(&analysis).expect("JSON")
}

#[test]
fn nothing_is_written_through_a_link() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let campaign = tempfile::tempdir().expect("a folder");
    fs::write(elsewhere.path().join("x.partial"), "").expect("a file");
    std::os::unix::fs::symlink(elsewhere.path(), campaign.path().join("runs")).expect("a link");
    let refused = Folder::reopen(campaign.path().to_owned()).expect_err("a link").to_string();
    assert!(refused.contains("never written through a link"), "{refused}");
    assert!(elsewhere.path().join("x.partial").exists());
}

#[test]
fn a_campaign_that_is_stopped_at_any_runs_has_the_analysis_of_one_that_is_not() {
    let plan = planned();
    let results = tempfile::tempdir().expect("a folder");
    let (whole, ..) = execute(&plan, &mut script(), results.path());
    let whole = analysis(&whole.expect("a campaign"));
    for first in 1..=plan.runs.len() {
        for then in [None, Some(1), Some(2), Some(3)] {
            let results = tempfile::tempdir().expect("a folder");
            let mut executor = Scripted { crashes_at: Some(first), interrupted: true, ..script() };
            let (stopped, folder, events) = execute(&plan, &mut executor, results.path());
            assert!(stopped.expect_err("stopped").may_be_resumed());
            assert!(matches!(events.last(), Some(Event::Interrupted { by }) if by.contains("SIGINT")), "{events:?}");
            let mut interruptions = 1;
            if let Some(then) = then {
                let (again, _) = resume(&plan, folder.path(), Some(then));
                interruptions += usize::from(again.is_err());
            }
            let (evidence, _) = resume(&plan, folder.path(), None);
            let evidence = evidence.expect("a campaign");
            assert_eq!(analysis(&evidence), whole, "stopped at {first}, then at {then:?}");
            assert_eq!(evidence.resumptions.len(), interruptions, "stopped at {first}, then at {then:?}");
        }
    }
}

#[test]
fn a_half_pair_is_thrown_away_whole_and_both_takes_are_kept() {
    let plan = planned();
    let results = tempfile::tempdir().expect("a folder");
    // The candidate of the first case of the second pair.
    let at = 1 + plan.runs.iter().position(|run| run.pair == 2).expect("a second pair") + 1;
    let mut executor = Scripted { crashes_at: Some(at), interrupted: true, ..script() };
    let (_, folder, _) = execute(&plan, &mut executor, results.path());
    let half = plan.runs[at - 2].id.clone();
    assert_eq!(replay(&plan, folder.path()).halves(&plan), std::slice::from_ref(&half));
    let (evidence, events) = resume(&plan, folder.path(), None);
    let away = vec![half.clone()];
    assert!(matches!(&events[0], Event::Resumed { thrown_away, .. } if *thrown_away == away), "{:?}", events[0]);
    assert_eq!(evidence.expect("a campaign").resumptions[0].thrown_away, away);
    let runs = folder.path().join("runs");
    assert!(runs.join(format!("{half}.arrow")).is_file() && runs.join(format!("{half}.take2.arrow")).is_file());
    assert_eq!(fs::read_dir(&runs).expect("runs").count(), plan.runs.len() + 1, "no finished pair was run again");
}

#[test]
fn a_run_that_has_no_other_side_is_no_half() {
    let mut plan = planned();
    plan.runs.retain(|run| run.side == gate::unit::Side::Candidate);
    let results = tempfile::tempdir().expect("a folder");
    let mut executor = Scripted { crashes_at: Some(4), interrupted: true, ..script() };
    let (_, folder, _) = execute(&plan, &mut executor, results.path());
    assert_eq!(replay(&plan, folder.path()).placed.len(), 3);
    assert!(replay(&plan, folder.path()).halves(&plan).is_empty());
}

#[test]
fn what_a_crash_tore_is_cut_off_and_told() {
    let plan = planned();
    let results = tempfile::tempdir().expect("a folder");
    let (_, folder, events) = execute(&plan, &mut script(), results.path());
    let journal = folder.path().join("journal.jsonl");
    let text = fs::read(&journal).expect("a journal");
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), events.len());
    // After each line, and in the middle of the next.
    for count in 0..lines.len() {
        let mut torn = lines[..count].concat();
        torn.extend_from_slice(&lines[count][..lines[count].len() / 2]);
        fs::write(&journal, &torn).expect("a file");
        fs::write(folder.path().join("runs/p01-x.arrow.partial"), "half").expect("a file");
        let (evidence, resumed) = resume(&plan, folder.path(), None);
        let evidence = evidence.unwrap_or_else(|error| panic!("after {count} lines: {error}"));
        assert_eq!(evidence.runs.len(), plan.runs.len(), "after {count} lines");
        assert!(!folder.path().join("runs/p01-x.arrow.partial").exists());
        if count > 0 {
            let half = lines[count].len() as u64 / 2;
            assert!(matches!(resumed[0], Event::Resumed { torn_bytes, .. } if torn_bytes == half), "{:?}", resumed[0]);
        }
        assert!(Journal::read(&journal).is_ok());
    }
}

#[test]
fn a_campaign_that_is_complete_is_only_read() {
    let plan = planned();
    let results = tempfile::tempdir().expect("a folder");
    let (whole, folder, _) = execute(&plan, &mut script(), results.path());
    let journal = fs::read(folder.path().join("journal.jsonl")).expect("a journal");
    let (evidence, events) = resume(&plan, folder.path(), None);
    assert_eq!(evidence.expect("evidence"), whole.expect("a campaign"));
    assert!(events.is_empty());
    assert_eq!(fs::read(folder.path().join("journal.jsonl")).expect("a journal"), journal);
}

#[test]
fn a_campaign_that_failed_does_not_go_on() {
    let plan = planned();
    let results = tempfile::tempdir().expect("a folder");
    let mut executor = Scripted { crashes_at: Some(2), ..script() };
    let (failed, folder, _) = execute(&plan, &mut executor, results.path());
    assert!(!failed.expect_err("a failure").may_be_resumed());
    let (again, _) = resume(&plan, folder.path(), None);
    let error = again.expect_err("it has failed");
    assert!(matches!(error, CampaignError::Evidence(EvidenceError::Failed { .. })), "{error}");
}

#[test]
fn a_journal_that_no_campaign_of_this_plan_has_written_is_refused() {
    let plan = planned();
    let results = tempfile::tempdir().expect("a folder");
    let (_, folder, events) = execute(&plan, &mut script(), results.path());
    let refused = |change: &dyn Fn(&mut Vec<Event>)| {
        let mut events = events.clone();
        change(&mut events);
        let path = results.path().join("journal.jsonl");
        let mut journal = Journal::create(path.clone()).expect("a journal");
        for event in events {
            journal.append(crate::scripted::noon(), event).expect("a line");
        }
        let lines = Journal::read(&path).expect("lines");
        fs::remove_file(&path).expect("a file");
        Replay::of(lines, &plan, folder.path()).expect_err("it is refused").to_string()
    };
    let finished = events.iter().position(|event| matches!(event, Event::RunFinished { .. })).expect("a run");
    let doubled = refused(&|events| events.insert(finished, events[finished].clone()));
    assert!(doubled.contains("or was finished before"), "{doubled}");
    let begun_twice = refused(&|events| events.insert(1, events[0].clone()));
    assert!(begun_twice.contains("starts with its first line"), "{begun_twice}");
    let after_its_end = refused(&|events| events.push(Event::PairFinished { pair: 1 }));
    assert!(after_its_end.contains("behind the campaign's end"), "{after_its_end}");
    let stranger = refused(&|events| {
        events[finished] = Event::RunFinished { id: "../../x".to_owned(), sha256: String::new(), take: 0 };
    });
    assert!(stranger.contains("is not in the plan"), "{stranger}");
    let away = refused(&|events| {
        let Event::Host(host) = events[1].clone() else { panic!("a host") };
        events.insert(2, Event::Resumed { host, thrown_away: vec!["x".to_owned()], torn_bytes: 0 });
    });
    assert!(away.contains("throws away a run that is not there"), "{away}");
}
