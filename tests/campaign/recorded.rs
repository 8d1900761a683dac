//! Hypotheses whose baseline was recorded: only the candidate runs, and what is not exact decides nothing.

use std::collections::BTreeMap;

use gate::evidence::Provenance;
use gate::measure::Host;
use gate::plan::{Figure, Plan, Recorded, Selection, recording};
use gate::report::{Format, Style, View, render};
use gate::unit::{AxisValue, Case, Side, Statistic};
use gate::verdict::{Outcome, Verdict, Warning, figures, judge};

use crate::scripted::{
    COMPARISON, Done, PRELIMINARY, Scripted, expect, gate, hypothesis, noon, parsed, run_plan, selected,
};

const GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = 1.05\n";
const HEAP_GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"rust_heap_bytes\"\nmax_ratio = 1.05\n";
const BENEFIT: &str = "[[hypothesis.benefit]]\nmetric = \"cpu_time\"\nmax_ratio = 0.90\n";
const HEAP_BENEFIT: &str = "[[hypothesis.benefit]]\nmetric = \"rust_heap_bytes\"\nmax_ratio = 0.90\n";
const CHECK: &str = "[[hypothesis.correctness]]\ncheck = \"row-count\"\n";

fn text(profile: &str, parts: &str) -> String {
    gate(profile, &hypothesis(parts).replace("{ lane = \"steady\" }", "{ history = \"latest\" }"))
}

fn case(work: i64) -> Case {
    Case::new(vec![("work".to_owned(), AxisValue::Integer(work))])
}

/// What ten runs of `Scripted::ratio(1.0)` would have recorded in the cases of these values of `work`.
fn recorded(works: &[i64], runs: usize) -> Recorded {
    let figure = |work: i64, metric: &str, statistic: Statistic| Figure {
        case: case(work),
        metric: metric.to_owned(),
        statistic,
        runs: (0..runs)
            .map(|run| {
                if metric.starts_with("rust_heap") {
                    1_000.0
                } else {
                    [1_000.0, 1_001.0, 999.0, 1_002.0, 998.0][run % 5]
                }
            })
            .collect(),
    };
    let metrics = [("latency", Statistic::P50), ("cpu_time", Statistic::P50), ("rust_heap_bytes", Statistic::Mean)];
    Recorded {
        campaign: "20261101T120000Z-12345678".to_owned(),
        digest: "d".repeat(64),
        date: "2026-11-01T12:00:00Z".parse().unwrap(),
        machine: "bench-1".to_owned(),
        commit: Some("1f929d2ffe001f929d2ffe001f929d2ffe001f92".to_owned()),
        figures: works
            .iter()
            .flat_map(|&work| metrics.map(|(metric, statistic)| figure(work, metric, statistic)))
            .collect(),
    }
}

fn plan(profile: &str, parts: &str, recorded: Option<Recorded>) -> Plan {
    let recorded = recorded.map(|recorded| ("h".to_owned(), recorded)).into_iter().collect();
    selected(&parsed(&text(profile, parts)), Selection { recorded, ..Selection::default() })
}

fn judged(parts: &str, ratio: f64) -> Done {
    run_plan(&plan(COMPARISON, parts, Some(recorded(&[1, 2], 10))), &mut Scripted::ratio(ratio))
}

fn reasons(done: &Done) -> String {
    done.verdict.reasons.iter().map(|reason| format!("{}: {}", reason.line, reason.text)).collect::<Vec<_>>().join("\n")
}

#[test]
fn without_a_recorded_baseline_nothing_runs_and_the_verdict_is_deferred() {
    let done = run_plan(&plan(COMPARISON, GUARDRAIL, None), &mut Scripted::ratio(0.5));
    expect(&done, Verdict::Deferred, 1, 12);
    assert!(done.evidence.runs.is_empty() && done.evidence.checks.is_empty());
    let said = "1: nothing of it was measured: no baseline of it is recorded on this machine under this profile; \
                record one with `gate record scripted --profile p`";
    assert!(reasons(&done).starts_with(said), "{}", reasons(&done));
}

#[test]
fn only_the_candidate_runs_and_what_is_noisy_is_to_revise_whichever_way_it_comes_out() {
    for (ratio, outcome) in [(0.5, Outcome::Pass), (1.05, Outcome::Inconclusive), (2.0, Outcome::Fail)] {
        let done = judged(GUARDRAIL, ratio);
        expect(&done, Verdict::Revise, 6, 11);
        assert!(done.evidence.plan.runs.iter().all(|run| run.side == Side::Candidate));
        assert_eq!((done.evidence.runs.len(), done.evidence.checks.len()), (20, 1));
        let budgets = &done.analysis.hypotheses[0].budgets;
        assert_eq!(budgets.len(), 2);
        for budget in budgets {
            assert_eq!((budget.outcome, budget.unpaired, budget.exact, budget.p), (Some(outcome), true, false, None));
            assert!((budget.ratio.unwrap() - ratio).abs() < 1e-3 && budget.low < budget.high, "{budget:?}");
        }
        assert!(reasons(&done).contains("and is not paired"), "{}", reasons(&done));
    }
}

#[test]
fn what_is_exact_counts_fully() {
    expect(&judged(HEAP_GUARDRAIL, 2.0), Verdict::Reject, 3, 10);
    let done = judged(&format!("{HEAP_BENEFIT}{HEAP_GUARDRAIL}"), 0.5);
    expect(&done, Verdict::Proceed, 8, 0);
    assert!(done.analysis.hypotheses[0].budgets.iter().all(|budget| budget.exact && budget.unpaired));
    // Beside a noisy guardrail that would pass it is to revise all the same.
    expect(&judged(&format!("{HEAP_BENEFIT}{GUARDRAIL}"), 0.5), Verdict::Revise, 6, 11);
    // A bound on the candidate alone compares nothing.
    let absolute = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax = 2000.0\n";
    let done = judged(absolute, 1.0);
    expect(&done, Verdict::Proceed, 8, 0);
    assert!(done.analysis.hypotheses[0].budgets.iter().all(|budget| !budget.unpaired));
    expect(&judged(absolute, 3.0), Verdict::Reject, 4, 10);
}

#[test]
fn a_noisy_benefit_is_neither_shown_nor_refuted() {
    for ratio in [0.5, 2.0] {
        let done = judged(BENEFIT, ratio);
        expect(&done, Verdict::Revise, 6, 11);
        assert!(reasons(&done).contains("no benefit is shown by what is not paired"), "{}", reasons(&done));
    }
}

#[test]
fn a_waiver_does_not_make_it_proceed() {
    let waiver = "waiver = { reason = \"x\", approved_by = \"y\", bound = 3.0, until = \"2030-01-01\" }\n";
    expect(&judged(&format!("{GUARDRAIL}{waiver}"), 2.0), Verdict::Revise, 6, 11);
}

#[test]
fn a_wrong_answer_rejects_as_ever() {
    let mut script = Scripted::ratio(0.5);
    script.failing.push(("slow", "row-count"));
    let done = run_plan(&plan(COMPARISON, &format!("{CHECK}{GUARDRAIL}"), Some(recorded(&[1, 2], 10))), &mut script);
    expect(&done, Verdict::Reject, 2, 10);
}

#[test]
fn what_was_not_recorded_is_incomplete() {
    let done = run_plan(&plan(COMPARISON, HEAP_GUARDRAIL, Some(recorded(&[2], 10))), &mut Scripted::ratio(0.5));
    expect(&done, Verdict::Revise, 6, 11);
    assert_eq!(done.evidence.runs.len(), 10);
    assert!(reasons(&done).contains("incomplete: work=1 (no baseline of it is recorded"), "{}", reasons(&done));

    let other = "[[hypothesis.guardrail]]\nmetric = \"throughput\"\nmin_ratio = 0.5\n";
    let done = judged(other, 1.0);
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("no baseline of it was recorded"), "{}", reasons(&done));
}

#[test]
fn few_runs_and_zeros_have_no_interval() {
    let few = run_plan(&plan(COMPARISON, GUARDRAIL, Some(recorded(&[1, 2], 4))), &mut Scripted::ratio(0.5));
    expect(&few, Verdict::Revise, 6, 11);
    assert!(reasons(&few).contains("the recorded baseline has 4 runs, and 5 are needed"), "{}", reasons(&few));
    let few = run_plan(&plan(PRELIMINARY, GUARDRAIL, Some(recorded(&[1, 2], 10))), &mut Scripted::ratio(0.5));
    expect(&few, Verdict::Revise, 6, 11);
    assert!(reasons(&few).contains("the candidate has 3 runs, and 5 are needed"), "{}", reasons(&few));

    let mut zero = recorded(&[1, 2], 10);
    for figure in &mut zero.figures {
        figure.runs.fill(0.0);
    }
    let done = run_plan(&plan(COMPARISON, GUARDRAIL, Some(zero.clone())), &mut Scripted::ratio(0.5));
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("the recorded baseline is zero"), "{}", reasons(&done));
    expect(&run_plan(&plan(COMPARISON, HEAP_GUARDRAIL, Some(zero)), &mut Scripted::ratio(0.5)), Verdict::Reject, 3, 10);
}

#[test]
fn the_plan_freezes_the_figures_and_where_they_come_from() {
    let plan = plan(COMPARISON, GUARDRAIL, Some(recorded(&[1, 2], 10)));
    let again: Plan = serde_json::from_str(&plan.to_json()).unwrap();
    assert_eq!((&again, again.digest()), (&plan, plan.digest()));
    let mut other = plan.clone();
    other.recorded.get_mut("h").unwrap().figures[0].runs[0] = 1.0;
    assert_ne!(other.digest(), plan.digest());
    // A plan without any has the bytes that it always had.
    let json = crate::scripted::plan(&gate(COMPARISON, &hypothesis(GUARDRAIL)), false).to_json();
    assert!(!json.contains("\"recorded\"") && !json.contains("\"records\""), "{json}");
}

#[test]
fn every_report_says_that_it_is_not_paired_and_what_with() {
    let done = judged(GUARDRAIL, 0.5);
    let [Warning::Unpaired { machine, .. }] = &done.analysis.hypotheses[0].warnings[..1] else {
        panic!("{:?}", done.analysis.hypotheses[0].warnings)
    };
    assert_eq!(machine, "bench-1");
    let plan = &done.evidence.plan;
    let provenance = Provenance::new(plan.digest(), noon(), 1, Host::observe(), BTreeMap::new());
    let view = View::new(&done.evidence, &provenance, &done.analysis, &judge(plan, &done.analysis), "campaign");
    for format in Format::ALL {
        let text = render(format, &view, Style::plain());
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for said in ["unpaired", "20261101T120000Z-12345678", "1f929d2ffe00", "bench-1", "history:latest"] {
            assert!(flat.contains(said), "{format}: {said}: {text}");
        }
    }
    assert!(render(Format::Terminal, &view, Style::plain()).contains("pass, unpaired"));
}

#[test]
fn a_recording_measures_everything_judges_the_answers_and_gives_the_figures() {
    let gate = recording(&parsed(&text(COMPARISON, &format!("{CHECK}{BENEFIT}{GUARDRAIL}{HEAP_GUARDRAIL}"))));
    let plan = selected(&gate, Selection { records: true, ..Selection::default() });
    let done = run_plan(&plan, &mut Scripted::ratio(1.0));
    expect(&done, Verdict::Deferred, 1, 12);
    assert!(reasons(&done).contains("recorded as the baseline of this machine"), "{}", reasons(&done));
    assert_eq!(done.evidence.runs.len(), 20);
    let figures = figures(&done.evidence, &done.analysis);
    let told: Vec<(&str, String, usize)> =
        figures.iter().map(|one| (one.metric.as_str(), one.case.to_string(), one.runs.len())).collect();
    let expected = ["cpu_time", "latency", "rust_heap_bytes"]
        .map(|metric| ["work=1", "work=2"].map(|case| (metric, case.to_owned(), 10)));
    assert_eq!(told, expected.concat());
    assert!(figures.iter().all(|one| one.side == Side::Candidate && (one.value - 1_000.0).abs() < 1e-9));

    let mut script = Scripted::ratio(1.0);
    script.failing.push(("slow", "row-count"));
    expect(&run_plan(&plan, &mut script), Verdict::Reject, 2, 10);
}
