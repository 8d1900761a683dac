//! What a budget is judged in: the measured cases, or the benches that programs reported in them.

use std::collections::BTreeSet;

use super::analysis::measured;
use crate::evidence::Evidence;
use crate::plan::PlannedHypothesis;
use crate::spec::Selector;
use crate::unit::{Case, Metric, Scope};

/// The cases, and where a program reports the metric itself their benches, that a budget with these `cases` is judged in.
///
/// A bench is there as soon as one run of either side has the metric of it, so that one which the other side or another
/// run lacks is found missing; so is one that `cases` names and nobody has. A case in which nobody has any stands for
/// itself, and is found to have none.
pub(super) fn judged(evidence: &Evidence, planned: &PlannedHypothesis, cases: &Selector, metric: &Metric) -> Vec<Case> {
    let within = &planned.hypothesis.cases;
    let plain = |case: &&Case| cases.without_benches().matches(case);
    let measured = measured(&evidence.plan, planned).filter(plain);
    if metric.scope != Scope::Reported {
        return measured.cloned().collect();
    }
    measured
        .flat_map(|case| {
            let mut benches: Vec<Case> = reported(evidence, planned.matchup, case, metric)
                .into_iter()
                .filter(|bench| cases.matches(bench) && within.matches(bench))
                .collect();
            let wanted = cases.benches().or_else(|| within.benches()).unwrap_or_default();
            for name in wanted {
                let bench = case.of_bench(&name.to_string());
                if !benches.contains(&bench) {
                    benches.push(bench);
                }
            }
            if benches.is_empty() { vec![case.clone()] } else { benches }
        })
        .collect()
}

/// The benches of `case` of which some run of either side has the metric, in the order of their first appearance.
fn reported(evidence: &Evidence, matchup: usize, case: &Case, metric: &Metric) -> Vec<Case> {
    let mut seen = BTreeSet::new();
    let runs = evidence.plan.runs.iter().filter(|run| run.matchup == matchup);
    let records = runs.filter_map(|run| evidence.runs.get(&run.id));
    let cells = records.flat_map(|record| &record.cells).filter(|cell| cell.metrics.contains_key(metric.name.as_ref()));
    let of_case =
        cells.map(|cell| &cell.case).filter(|bench| bench.get(Case::BENCH).is_some() && bench.without_bench() == *case);
    of_case.filter(|bench| seen.insert((*bench).clone())).cloned().collect()
}
