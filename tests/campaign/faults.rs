//! What ends a campaign, and what is left of it.

use gate::campaign::CampaignError;
use gate::evidence::{Event, Evidence, EvidenceError, Finish, Journal};

use crate::scripted::{PRELIMINARY, Scripted, execute, gate, hypothesis, plan};

const GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = 1.05\n";

fn failed(script: &mut Scripted) -> (CampaignError, tempfile::TempDir, std::path::PathBuf) {
    let plan = plan(&gate(PRELIMINARY, &hypothesis(GUARDRAIL)), false);
    let results = tempfile::tempdir().expect("a folder");
    let (result, folder, _) = execute(&plan, script, results.path());
    folder.write("plan.json", plan.to_json().as_bytes()).expect("a plan");
    (result.expect_err("a failure"), results, folder.path().to_owned())
}

#[test]
fn a_run_that_fails_is_named_with_its_lane_and_case_and_the_evidence_so_far_stays() {
    let mut script = Scripted::ratio(1.0);
    script.crashes_at = Some(4);
    let (error, _results, folder) = failed(&mut script);
    let text = error.to_string();
    assert!(text.contains("run `p01-candidate-2`") && text.contains("slow") && text.contains("work=2"), "{text}");
    assert!(text.contains("on fire") && text.contains("its last words"), "{text}");
    let files: Vec<_> = std::fs::read_dir(folder.join("runs")).expect("runs").collect();
    assert_eq!(files.len(), 3, "the three runs before it are kept");
    let lines = Journal::read(&folder.join("journal.jsonl")).expect("a journal");
    match &lines.last().expect("a line").event {
        Event::Ended(Finish::Failed { message }) => assert_eq!(*message, text),
        other => panic!("the journal ends with {other:?}"),
    }
}

#[test]
fn a_baseline_that_breaks_its_contract_ends_the_campaign_before_any_run() {
    let mut script = Scripted::ratio(1.0);
    script.failing.push(("steady", "row-count"));
    let (error, _results, folder) = failed(&mut script);
    let text = error.to_string();
    assert!(text.contains("baseline `steady` breaks its contract in work=1"), "{text}");
    assert!(text.contains("found 1, expected 2"), "{text}");
    assert_eq!(std::fs::read_dir(folder.join("runs")).expect("runs").count(), 0);
}

#[test]
fn an_executable_that_changes_is_noticed_before_and_after_a_run() {
    for (digests, when) in
        [(vec!["1"], "before it"), (vec!["0", "1"], "after it"), (vec!["0", "0", "0", "1"], "after it")]
    {
        let mut script = Scripted::ratio(1.0);
        script.digests = digests;
        let (error, _results, _) = failed(&mut script);
        let text = error.to_string();
        assert!(text.contains(&format!("the executable `gate` changed {when}")), "{text}");
    }
}

#[test]
fn a_campaign_that_did_not_finish_can_not_be_read_as_evidence() {
    let mut script = Scripted::ratio(1.0);
    script.crashes_at = Some(1);
    let (_, _results, folder) = failed(&mut script);
    std::fs::write(folder.join("provenance.json"), "{}").expect("a file");
    assert!(matches!(Evidence::load(&folder), Err(EvidenceError::Json { .. })));
}
