//! Clocks that jump.

use std::cell::Cell;

use gate::campaign::Campaign;
use gate::evidence::{Evidence, Folder, Journal};
use gate::plan::Plan;
use gate::verdict::analyse;

use crate::scripted::{PRELIMINARY, Scripted, campaign, gate, hypothesis, plan, settled};

const GUARDRAIL: &str = "[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = 1.05\n";

/// The evidence of a campaign whose clock shows these seconds of 1970, one after the other and again, and what its journal shows.
fn by_clock(plan: &Plan, seconds: &[i64]) -> (Evidence, Vec<i64>) {
    let results = tempfile::tempdir().expect("a folder");
    let second = |at: usize| jiff::Timestamp::from_second(seconds[at % seconds.len()]).expect("a time");
    let folder = Folder::create(results.path(), "g", second(0), &plan.digest()).expect("a folder");
    let asked = Cell::new(0);
    let clock = || second(asked.replace(asked.get() + 1));
    let mut watch = |_: &_| {};
    let mut script = Scripted::new(|_, lane, pair| 1_000.0 + f64::from(pair) + if lane == "slow" { 3.0 } else { 0.0 });
    let campaign = Campaign { clock: &clock, ..campaign(plan, &folder, &mut watch, &settled) };
    let evidence = campaign.execute(&mut script).expect("a campaign");
    let lines = Journal::read(&folder.path().join("journal.jsonl")).expect("a journal");
    (evidence, lines.iter().map(|line| line.at.as_second()).collect())
}

#[test]
fn a_clock_that_jumps_changes_nothing_but_the_times_that_are_told() {
    let plan = plan(&gate(PRELIMINARY, &hypothesis(GUARDRAIL)), false);
    let (steady, _) = by_clock(&plan, &[1_000]);
    let jumps = [1_000, 90_000, 5, 2_000_000_000, 0];
    let (jumped, told) = by_clock(&plan, &jumps);
    assert!(told.windows(2).any(|two| two[1] < two[0]), "the clock went back: {told:?}");
    assert!(told.iter().all(|second| jumps.contains(second)), "a time is told as the clock had it: {told:?}");
    assert_eq!(steady, jumped);
    let date = "2026-11-30".parse().expect("a date");
    let [steady, jumped] = [steady, jumped].map(|evidence| analyse(&evidence, date).expect("an analysis"));
    assert_eq!(steady, jumped);
}
