//! Campaigns that may end before their last pair, as their plan says.

use gate::evidence::{Event, Evidence};
use gate::verdict::Verdict;

use crate::scripted::{Scripted, expect, gate, hypothesis, run};

const LOOKS: &str = "grade = \"comparison\"\npairs = 24\nlooks = [5, 12, 24]\nsamples = 20";
const GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = 1.05\n";

fn looked(events: &[Event]) -> Vec<(u32, bool)> {
    let looks = events.iter().filter_map(|event| match event {
        Event::Looked { pairs, settled } => Some((*pairs, *settled)),
        _ => None,
    });
    looks.collect()
}

fn gate_with(estimator: &str) -> String {
    gate(LOOKS, &hypothesis(GUARDRAIL)).replace("[analysis]", &format!("[analysis]\nestimator = \"{estimator}\""))
}

#[test]
fn overwhelming_evidence_ends_a_campaign_at_a_look_and_that_of_five_pairs_is_none() {
    for estimator in ["ratio-of-medians", "median-log-ratio", "hodges-lehmann"] {
        for (ratio, verdict, line, exit) in [(1.0, Verdict::Proceed, 8, 0), (1.5, Verdict::Reject, 4, 10)] {
            let done = run(&gate_with(estimator), &mut Scripted::ratio(ratio), false);
            expect(&done, verdict, line, exit);
            // No p of 5 pairs is below 2^-5, and the level there is 0.001 %.
            assert_eq!(looked(&done.events), [(5, false), (12, true)], "{estimator}");
            assert_eq!((done.evidence.pairs, done.evidence.runs.len()), (12, 48));
            let look = done.analysis.look.expect("a look");
            // 2 - 2·Φ(2.2414 / √0.5), spent by half of the pairs of a two-sided 95 %.
            assert!((look.level.expect("a level") - 0.001_525).abs() < 2e-5, "{look:?}");
            assert!(done.analysis.hypotheses[0].missing_runs.is_empty());
        }
    }
}

#[test]
fn what_stays_open_goes_on_to_the_last_pair() {
    // The estimate is on the bound, more or less.
    let mut script = Scripted::new(|_, lane, pair| {
        let wave = [0.0, 30.0, -30.0, 60.0, -60.0, 15.0, -15.0][pair as usize % 7];
        if lane == "slow" { 1_050.0 + wave } else { 1_000.0 }
    });
    let done = run(&gate_with("hodges-lehmann"), &mut script, false);
    expect(&done, Verdict::Revise, 6, 11);
    assert_eq!(looked(&done.events), [(5, false), (12, false)], "the last pair is the end, and no look");
    assert_eq!(done.evidence.runs.len(), 96);
    let look = done.analysis.look.expect("a look");
    assert_eq!(look.pairs, 24);
    assert!(look.level.is_some_and(|level| level < 0.025 && level > 0.024), "{look:?}");
}

#[test]
fn a_look_is_held_to_a_stricter_level_than_the_same_pairs_alone() {
    // All but one of twelve pairs say so: enough for 2.5 % alone, not for the level of a first look.
    let script = || {
        Scripted::new(|_, lane, pair| {
            let ratio = if pair % 12 == 11 { 1.049 } else { 1.06 + 0.001 * f64::from(pair % 12) };
            if lane == "slow" { 1_000.0 * ratio } else { 1_000.0 }
        })
    };
    let alone = gate_with("hodges-lehmann").replace("pairs = 24\nlooks = [5, 12, 24]", "pairs = 12");
    let done = run(&alone, &mut script(), false);
    assert_eq!(done.verdict.verdict, Verdict::Reject, "{:#?}", done.verdict);
    let done = run(&gate_with("hodges-lehmann"), &mut script(), false);
    assert_eq!(looked(&done.events), [(5, false), (12, false)]);
    assert_eq!(done.verdict.verdict, Verdict::Reject, "twenty-four of them are enough: {:#?}", done.verdict);
}

#[test]
fn a_balanced_order_is_balanced_between_looks() {
    let balanced = gate_with("hodges-lehmann").replace("looks = [5, 12, 24]", "looks = [6, 10]\norder = \"balanced\"");
    let plan = crate::scripted::plan(&balanced, false);
    let first = |pairs: std::ops::RangeInclusive<u32>| {
        let firsts = pairs.map(|pair| plan.runs.iter().find(|run| run.pair == pair).expect("a run").side);
        firsts.filter(|side| *side == gate::unit::Side::Baseline).count()
    };
    assert_eq!((first(1..=6), first(7..=10), first(11..=24)), (3, 2, 7));
    assert_eq!(Evidence::new(plan).pairs, 24);
}
