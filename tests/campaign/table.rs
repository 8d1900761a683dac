//! Every line of the verdict table, and the exit code that goes with it.

use gate::verdict::{CheckStatus, Outcome, Verdict, WaiverState};
use gate::worker::protocol::Samples;

use crate::scripted::{COMPARISON, Done, PRELIMINARY, Scripted, expect, gate, hypothesis, run};

const GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = 1.05\n";
const HEAP_GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"rust_heap_bytes\"\nmax_ratio = 1.05\n";
const BENEFIT: &str = "[[hypothesis.benefit]]\nmetric = \"cpu_time\"\nmax_ratio = 0.90\n";
const HEAP_BENEFIT: &str = "[[hypothesis.benefit]]\nmetric = \"rust_heap_bytes\"\nmax_ratio = 0.90\n";
const CHECK: &str = "[[hypothesis.correctness]]\ncheck = \"row-count\"\n";

fn judged(profile: &str, parts: &str, mut script: Scripted) -> Done {
    run(&gate(profile, &hypothesis(parts)), &mut script, false)
}

fn reasons(done: &Done) -> String {
    done.verdict.reasons.iter().map(|reason| format!("{}: {}", reason.line, reason.text)).collect::<Vec<_>>().join("\n")
}

#[test]
fn line_1_nothing_measured_is_deferred() {
    let parts = format!("cases = {{ work = 2 }}\n{GUARDRAIL}");
    let done = run(&gate(COMPARISON, &hypothesis(&parts)), &mut Scripted::ratio(0.5), true);
    expect(&done, Verdict::Deferred, 1, 12);
    assert!(reasons(&done).contains("--skip-heavy"), "{}", reasons(&done));
    assert!(done.evidence.runs.is_empty());
}

#[test]
fn line_2_a_failing_check_rejects_however_fast() {
    let mut script = Scripted::ratio(0.1);
    script.failing.push(("slow", "row-count"));
    let done = judged(COMPARISON, &format!("{CHECK}{BENEFIT}{GUARDRAIL}"), script);
    expect(&done, Verdict::Reject, 2, 10);
    assert!(reasons(&done).contains("found 1, expected 2"), "{}", reasons(&done));
}

#[test]
fn line_2_a_broken_contract_rejects_where_the_hypothesis_asks_nothing() {
    let mut script = Scripted::ratio(0.1);
    script.failing.push(("slow", "row-count"));
    let done = judged(PRELIMINARY, &format!("{BENEFIT}{GUARDRAIL}"), script);
    expect(&done, Verdict::Reject, 2, 10);
    assert!(done.evidence.runs.is_empty(), "what is not proven is not timed");
    let why = done.analysis.hypotheses[0].budgets[0].undefined.as_deref().expect("a reason");
    assert!(why.contains("the candidate `slow` broke its contract"), "{why}");
}

#[test]
fn line_3_an_exact_guardrail_rejects_in_any_grade() {
    for profile in [PRELIMINARY, COMPARISON] {
        let done = judged(profile, HEAP_GUARDRAIL, Scripted::ratio(2.0));
        expect(&done, Verdict::Reject, 3, 10);
    }
}

#[test]
fn line_4_a_noisy_guardrail_rejects_in_comparison_grade() {
    let done = judged(COMPARISON, GUARDRAIL, Scripted::ratio(1.2));
    expect(&done, Verdict::Reject, 4, 10);
    let done = judged(PRELIMINARY, &GUARDRAIL.replace("1.05", "1.04"), Scripted::ratio(1.2));
    expect(&done, Verdict::Revise, 6, 11);
}

#[test]
fn line_5_every_benefit_failing_rejects_in_comparison_grade() {
    let done = judged(COMPARISON, &format!("{BENEFIT}{HEAP_BENEFIT}{GUARDRAIL}"), Scripted::ratio(1.0));
    expect(&done, Verdict::Reject, 5, 10);
    let done = judged(PRELIMINARY, &format!("{BENEFIT}{HEAP_BENEFIT}{GUARDRAIL}"), Scripted::ratio(1.0));
    expect(&done, Verdict::Revise, 7, 11);
    assert_eq!(done.verdict.would, Some(Verdict::Reject));
}

#[test]
fn line_6_an_inconclusive_guardrail_is_revised_and_says_what_would_settle_it() {
    // Half of the pairs regress by 20 %, half do not: the interval spans the bound.
    let script = Scripted::new(|metric, lane, pair| {
        let noisy = metric == "latency" && lane == "slow" && pair % 2 == 0;
        1_000.0 + if noisy { 200.0 } else { 0.0 } + f64::from(pair)
    });
    let done = judged(COMPARISON, GUARDRAIL, script);
    expect(&done, Verdict::Revise, 6, 11);
    // The estimate is beyond the bound: no number of pairs would show that it is kept.
    assert!(reasons(&done).contains("more pairs would sooner show that it fails"), "{}", reasons(&done));
    let within = |most: f64| {
        Scripted::new(move |metric, lane, pair| {
            let shift = if metric == "latency" && lane == "slow" { most * (f64::from(pair) / 9.0 - 0.5) } else { 0.0 };
            1_000.0 + shift
        })
    };
    let done = judged(COMPARISON, GUARDRAIL, within(250.0));
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("pairs would settle it"), "{}", reasons(&done));
    let done = judged(COMPARISON, GUARDRAIL, within(1_900.0));
    assert!(reasons(&done).contains("no campaign has as many pairs"), "{}", reasons(&done));
}

#[test]
fn line_6_failing_only_before_the_correction_is_revised() {
    // With 5 pairs no p is below 1/32, which is more than the 2.5 % of a side: it fails alone, and is not confirmed.
    let profile = COMPARISON.replace("10", "5");
    let done = judged(&profile, GUARDRAIL, Scripted::ratio(1.2));
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("not after the correction"), "{}", reasons(&done));
    let uncorrected = gate(&profile, &hypothesis(GUARDRAIL)).replace("seed = 7", "seed = 7\nmultiplicity = \"none\"");
    expect(&run(&uncorrected, &mut Scripted::ratio(1.2), false), Verdict::Reject, 4, 10);
}

#[test]
fn line_6_a_known_gap_is_revised_while_it_is_open_and_once_it_is_gone() {
    let parts = format!("{CHECK}known_gap = \"rows get lost\"\n{GUARDRAIL}");
    let gone = judged(COMPARISON, &parts, Scripted::ratio(0.5));
    expect(&gone, Verdict::Revise, 6, 11);
    assert_eq!(gone.analysis.hypotheses[0].checks[0].status, CheckStatus::KnownGapGone);
    assert!(reasons(&gone).contains("take `known_gap"), "{}", reasons(&gone));
}

#[test]
fn line_6_no_benefit_shown_is_revised() {
    let script = Scripted::new(|metric, lane, pair| {
        let better = metric == "cpu_time" && lane == "slow" && pair % 2 == 0;
        1_000.0 - if better { 300.0 } else { 0.0 } + f64::from(pair)
    });
    let done = judged(COMPARISON, &format!("{BENEFIT}{GUARDRAIL}"), script);
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("no benefit is shown"), "{}", reasons(&done));
}

#[test]
fn line_6_a_benefit_that_passes_alone_is_not_confirmed() {
    // 5 pairs: no p is below 1/32, which is more than the 2.5 % of a side.
    let done = judged(&COMPARISON.replace("10", "5"), BENEFIT, Scripted::ratio(0.5));
    expect(&done, Verdict::Revise, 6, 11);
    let text = reasons(&done);
    assert!(text.contains("no benefit is confirmed: 2 of 2") && text.contains("5 pairs are too few"), "{text}");
}

#[test]
fn line_6_equal_sides_never_proceed() {
    let equal = gate(COMPARISON, &hypothesis(GUARDRAIL)).replace("lane = \"slow\"", "lane = \"steady\"");
    let done = run(&equal, &mut Scripted::ratio(1.0), false);
    expect(&done, Verdict::Revise, 6, 11);
}

#[test]
fn line_6_a_partly_measured_hypothesis_is_revised() {
    let done = run(&gate(COMPARISON, &hypothesis(GUARDRAIL)), &mut Scripted::ratio(0.5), true);
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("incomplete"), "{}", reasons(&done));
}

#[test]
fn line_7_preliminary_evidence_never_proceeds() {
    let done = judged(PRELIMINARY, &format!("{CHECK}{HEAP_BENEFIT}{GUARDRAIL}"), Scripted::ratio(0.5));
    expect(&done, Verdict::Revise, 7, 11);
    assert_eq!(done.verdict.would, Some(Verdict::Proceed));
    assert!(reasons(&done).contains("would proceed"), "{}", reasons(&done));
}

#[test]
fn line_8_proceeds() {
    let done = judged(COMPARISON, &format!("{CHECK}{BENEFIT}{GUARDRAIL}"), Scripted::ratio(0.5));
    expect(&done, Verdict::Proceed, 8, 0);
}

#[test]
fn line_8_no_benefit_is_needed_where_none_is_declared() {
    expect(&judged(COMPARISON, GUARDRAIL, Scripted::ratio(1.0)), Verdict::Proceed, 8, 0);
}

#[test]
fn a_capability_is_a_benefit_where_the_baseline_lacks_it() {
    let parts = format!("[[hypothesis.benefit]]\ncheck = \"row-count\"\n{GUARDRAIL}");
    // Both pass the check: nothing is gained, and nothing else is claimed.
    expect(&judged(COMPARISON, &parts, Scripted::ratio(1.0)), Verdict::Reject, 5, 10);
}

#[test]
fn a_waiver_covers_up_to_its_bound_and_its_day() {
    let waived = |bound: &str, until: &str| {
        let waiver = format!(
            "{GUARDRAIL}waiver = {{ reason = \"known\", approved_by = \"a maintainer\", bound = {bound}, until = \"{until}\" }}\n"
        );
        judged(COMPARISON, &waiver, Scripted::ratio(1.2))
    };
    let state = |done: &Done| done.analysis.hypotheses[0].budgets[0].waiver.as_ref().expect("a waiver").state;
    let used = waived("1.30", "2026-11-30");
    expect(&used, Verdict::Proceed, 8, 0);
    assert_eq!(state(&used), WaiverState::Used);
    let expired = waived("1.30", "2026-11-29");
    expect(&expired, Verdict::Reject, 4, 10);
    assert_eq!(state(&expired), WaiverState::Expired);
    let exceeded = waived("1.10", "2026-11-30");
    expect(&exceeded, Verdict::Reject, 4, 10);
    assert_eq!(state(&exceeded), WaiverState::Exceeded);
}

#[test]
fn what_is_not_a_measurement_is_never_a_pass() {
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        let script = Scripted::new(
            move |metric, lane, pair| {
                if metric == "latency" && lane == "slow" && pair == 4 { wrong } else { 1_000.0 }
            },
        );
        let done = judged(COMPARISON, GUARDRAIL, script);
        expect(&done, Verdict::Revise, 6, 11);
        let budget = &done.analysis.hypotheses[0].budgets[0];
        assert_eq!(budget.outcome, Some(Outcome::Inconclusive));
        let why = budget.undefined.as_deref().expect("a reason");
        assert!(why.contains("p05-candidate-1") && why.contains("latency"), "{why}");
    }
}

#[test]
fn a_short_run_is_never_a_pass() {
    let mut script = Scripted::ratio(0.5);
    script.samples = Box::new(|_, lane, pair| {
        // Two samples where twenty were asked for; a single one would be repeated by the script.
        if lane == "slow" && pair == 0 { Samples::Reals(vec![1.0, 1.0]) } else { Samples::Reals(vec![1.0]) }
    });
    let done = judged(COMPARISON, GUARDRAIL, script);
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("is short"), "{}", reasons(&done));
}

#[test]
fn a_metric_that_one_side_lacks_is_never_a_pass() {
    let mut script = Scripted::ratio(0.5);
    script.samples = Box::new(|metric, lane, _| {
        Samples::Reals(if lane == "steady" && metric == "latency" { Vec::new() } else { vec![1.0] })
    });
    let done = judged(COMPARISON, GUARDRAIL, script);
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("has no latency"), "{}", reasons(&done));
}

#[test]
fn a_zero_time_has_no_ratio() {
    let done = judged(COMPARISON, GUARDRAIL, Scripted::new(|_, _, _| 0.0));
    expect(&done, Verdict::Revise, 6, 11);
    assert!(done.analysis.hypotheses[0].budgets[0].undefined.is_some());
}

#[test]
fn a_candidate_that_takes_no_time_is_not_fast_but_wrong() {
    let none = |metric: &str, lane: &str, pair: u32| {
        if metric == "latency" && lane == "slow" && pair == 4 { 0.0 } else { 1_000.0 + f64::from(pair) }
    };
    let done = judged(COMPARISON, GUARDRAIL, Scripted::new(none));
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("zero in pair 5"), "{}", reasons(&done));
}

#[test]
fn an_exact_zero_is_equal_to_itself_and_anything_more_fails() {
    let of = |candidate: f64| {
        judged(
            COMPARISON,
            HEAP_GUARDRAIL,
            Scripted::new(move |_, lane, _| if lane == "slow" { candidate } else { 0.0 }),
        )
    };
    let equal = of(0.0);
    expect(&equal, Verdict::Proceed, 8, 0);
    assert_eq!(equal.analysis.hypotheses[0].budgets[0].ratio, Some(1.0));
    let more = of(1.0);
    expect(&more, Verdict::Reject, 3, 10);
    assert_eq!(more.analysis.hypotheses[0].budgets[0].ratio, None);
}

#[test]
fn an_exact_metric_that_varies_is_judged_as_a_noisy_one_and_named() {
    let script = Scripted::new(|_, lane, pair| if lane == "slow" { 2_000.0 + f64::from(pair) } else { 1_000.0 });
    let done = judged(COMPARISON, HEAP_GUARDRAIL, script);
    expect(&done, Verdict::Reject, 4, 10);
    let warnings: Vec<String> = done.analysis.hypotheses[0].warnings.iter().map(gate::verdict::Warning::text).collect();
    assert!(warnings.iter().any(|text| text.contains("rust_heap_bytes of the candidate varies")), "{warnings:?}");
}

#[test]
fn an_unresolved_percentile_is_never_a_pass() {
    let profile = "grade = \"comparison\"\npairs = 10\nmin_time = \"1ms\"";
    let parts = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nstatistic = \"p95\"\nmax_ratio = 1.05\n";
    let done = run(&gate(profile, &hypothesis(parts)), &mut Scripted::ratio(0.5), false);
    expect(&done, Verdict::Revise, 6, 11);
    assert!(reasons(&done).contains("do not resolve p95"), "{}", reasons(&done));
}
