//! The order of runs is the plan's.

use gate::plan::{LeftOut, Plan};
use gate::unit::Side;
use proptest::prelude::*;

use crate::scripted::{COMPARISON, PRELIMINARY, Scripted, gate, hypothesis, plan, run};

const GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = 1.05\n";

fn firsts(plan: &Plan) -> Vec<Side> {
    plan.runs.iter().step_by(2).map(|run| run.side).collect()
}

#[test]
fn sides_of_a_pair_are_back_to_back_and_alternate() {
    let plan = plan(&gate(PRELIMINARY, &hypothesis(GUARDRAIL)), false);
    let ids: Vec<&str> = plan.runs.iter().map(|run| run.id.as_str()).collect();
    let expected = [
        "p01-baseline-1",
        "p01-candidate-1",
        "p01-baseline-2",
        "p01-candidate-2",
        "p02-candidate-1",
        "p02-baseline-1",
        "p02-candidate-2",
        "p02-baseline-2",
        "p03-baseline-1",
        "p03-candidate-1",
        "p03-baseline-2",
        "p03-candidate-2",
    ];
    assert_eq!(ids, expected);
}

#[test]
fn the_executor_is_asked_in_the_plans_order() {
    let mut script = Scripted::ratio(1.0);
    run(&gate(PRELIMINARY, &hypothesis(GUARDRAIL)), &mut script, false);
    let pair = |a: &str, b: &str| [a, b, a, b].map(str::to_owned);
    let expected = [pair("steady", "slow"), pair("slow", "steady"), pair("steady", "slow")].concat();
    assert_eq!(script.order, expected);
}

#[test]
fn one_process_measures_the_axes_within_a_run() {
    let text = gate(PRELIMINARY, &hypothesis(GUARDRAIL)).replace("heavy = ", "within_run = [\"work\"]\nheavy = ");
    let plan = plan(&text, false);
    assert_eq!(plan.runs.len(), 6);
    assert!(plan.runs.iter().all(|run| run.cases == [0, 1]), "{:?}", plan.runs);
    assert_eq!(plan.runs[0].id, "p01-baseline-all");
}

#[test]
fn hypotheses_over_the_same_lanes_share_their_runs() {
    let second = hypothesis(GUARDRAIL).replace("id = \"h\"", "id = \"again\"");
    let plan = plan(&gate(PRELIMINARY, &(hypothesis(GUARDRAIL) + &second)), false);
    assert_eq!((plan.hypotheses.len(), plan.matchups.len(), plan.runs.len()), (2, 1, 12));
}

#[test]
fn cases_that_need_more_cpus_than_the_host_has_are_left_out() {
    let text = gate(PRELIMINARY, &hypothesis(GUARDRAIL)).replace("heavy = ", "cpus = [1, 2, 3]\nheavy = ");
    let plan = plan(&text, false);
    let three: Vec<usize> =
        plan.cases.iter().enumerate().filter(|(_, case)| case.integer("cpus") == Some(3)).map(|(i, _)| i).collect();
    assert_eq!(three.len(), 2);
    assert_eq!(plan.left_out.keys().copied().collect::<Vec<_>>(), three);
    assert!(plan.left_out.values().all(|reason| *reason == LeftOut::Cpus));
}

#[test]
fn a_plan_is_the_same_to_the_byte_each_time_and_changes_with_its_gate() {
    let text = gate(COMPARISON, &hypothesis(GUARDRAIL));
    let first = plan(&text, false);
    assert_eq!(first.to_json(), plan(&text, false).to_json());
    assert_ne!(first.digest(), plan(&text.replace("1.05", "1.06"), false).digest());
    assert_eq!(serde_json::from_str::<Plan>(&first.to_json()).expect("a plan"), first);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_balanced_order_has_equally_many_of_both(pairs in 1_u32..60, seed in any::<u32>()) {
        let profile = format!("grade = \"preliminary\"\npairs = {pairs}\nsamples = 1\norder = \"balanced\"\norder_seed = {seed}");
        let text = gate(&profile, &hypothesis(&format!("cases = {{ work = 1 }}\n{GUARDRAIL}")));
        let plan = plan(&text, false);
        let firsts = firsts(&plan);
        prop_assert_eq!(firsts.len(), pairs as usize);
        let baseline = firsts.iter().filter(|side| **side == Side::Baseline).count();
        prop_assert_eq!(baseline, (pairs as usize).div_ceil(2));
        // Every pair has both sides, one after the other.
        for pair in plan.runs.chunks(2) {
            prop_assert_eq!(pair[0].pair, pair[1].pair);
            prop_assert_ne!(pair[0].side, pair[1].side);
        }
    }
}

#[test]
fn a_balanced_order_follows_its_seed() {
    let of = |seed: u32| {
        let profile =
            format!("grade = \"preliminary\"\npairs = 20\nsamples = 1\norder = \"balanced\"\norder_seed = {seed}");
        firsts(&plan(&gate(&profile, &hypothesis(GUARDRAIL)), false))
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}
