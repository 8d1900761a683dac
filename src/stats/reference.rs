//! The statistics against values that `tests/reference/stats.py` computed with `numpy`, `scipy` and `statsmodels`, and
//! `tests/reference/stats.R` with R.

use serde_json::Value;

use super::*;

const RULES: [(&str, IntervalRule, u16); 4] = [
    ("two_sided_9500", IntervalRule::TwoSided, 9_500),
    ("one_sided_9500", IntervalRule::OneSided, 9_500),
    ("two_sided_9000", IntervalRule::TwoSided, 9_000),
    ("one_sided_9999", IntervalRule::OneSided, 9_999),
];

fn reference() -> Value {
    serde_json::from_str(include_str!("../../tests/reference/stats.json")).unwrap()
}

fn cases<'a>(reference: &'a Value, name: &str) -> &'a [Value] {
    let cases = reference[name].as_array().unwrap();
    assert!(!cases.is_empty(), "no cases in `{name}`");
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn integer<T: TryFrom<u64, Error: std::fmt::Debug>>(value: &Value) -> T {
    value.as_u64().unwrap_or_else(|| panic!("no integer: {value}")).try_into().unwrap()
}

#[track_caller]
fn assert_same(found: f64, expected: &Value) {
    assert_eq!(found.to_bits(), number(expected).to_bits(), "{found} and {expected}");
}

#[track_caller]
fn assert_close(found: f64, expected: &Value) {
    let expected = number(expected);
    assert!((found - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(), "{found} and {expected}");
}

#[test]
fn quantiles_are_those_of_numpy() {
    for case in cases(&reference(), "quantiles") {
        let values = numbers(&case["values"]);
        for level in case["levels"].as_array().unwrap() {
            let at = Level::from_parts(integer(&level["parts"])).unwrap();
            assert_same(quantile(&values, at, QuantileRule::NearestRank).unwrap(), &level["nearest_rank"]);
            assert_close(quantile(&values, at, QuantileRule::Linear).unwrap(), &level["linear"]);
        }
        let unsorted = numbers(&case["unsorted"]);
        assert_same(median(&unsorted).unwrap(), &case["median"]);
        assert_close(mean(&unsorted).unwrap(), &case["mean"]);
    }
}

/// All statistics of a case, bit for bit.
fn assert_bootstrap(case: &Value, resamples: &Resamples) {
    let (baseline, candidate) = (numbers(&case["baseline"]), numbers(&case["candidate"]));
    let ratio = ratio_of_medians(resamples, &baseline, &candidate).unwrap();
    assert_same(ratio.point(), &case["point"]);
    assert_distribution(&case["ratio"], ratio.distribution());
    let inside = median_log_ratio(resamples, &baseline, &candidate).unwrap();
    assert_same(inside.point(), &case["log_point"]);
    assert_distribution(&case["log_ratio"], inside.distribution());
    assert_distribution(&case["median"], median_of(resamples, &candidate).unwrap().distribution());
}

fn assert_distribution(expected: &Value, distribution: &Distribution) {
    assert_eq!(expected["total"], distribution.total());
    assert_eq!(expected["distinct"], distribution.iter().count());
    if let Some(values) = expected["distribution"].as_array() {
        for ((value, weight), expected) in distribution.iter().zip(values) {
            assert_same(value, &expected[0]);
            assert_eq!(expected[1], weight);
        }
    }
    for (name, rule, confidence) in RULES {
        let interval = Interval::percentile(distribution, rule.alpha(Confidence::from_parts(confidence).unwrap()));
        assert_same(interval.low(), &expected["intervals"][name][0]);
        assert_same(interval.high(), &expected["intervals"][name][1]);
    }
    for claim in cases(expected, "claims") {
        let value = number(&claim["bound"]);
        let (most, least) = (Bound::at_most(value).unwrap(), Bound::at_least(value).unwrap());
        assert_same(p_within(distribution, most), &claim["within_at_most"]);
        assert_same(p_within(distribution, least), &claim["within_at_least"]);
        assert_same(p_beyond(distribution, most), &claim["beyond_at_most"]);
        assert_same(p_beyond(distribution, least), &claim["beyond_at_least"]);
    }
}

#[test]
fn the_enumerated_bootstrap_is_that_of_all_index_tuples() {
    for case in cases(&reference(), "exact") {
        let pairs = case["baseline"].as_array().unwrap().len();
        assert_bootstrap(case, &Resamples::new(pairs, 0, 0).unwrap());
    }
}

#[test]
fn the_drawn_bootstrap_is_that_of_numpys_generator() {
    for case in cases(&reference(), "drawn") {
        let resamples = Resamples::new(integer(&case["n"]), integer(&case["seed"]), integer(&case["draws"])).unwrap();
        let counts = |resample| resamples.counts(resample).map(u64::from).collect::<Vec<_>>();
        for (resample, expected) in case["first_counts"].as_array().unwrap().iter().enumerate() {
            assert_eq!(serde_json::json!(counts(resample)), *expected);
        }
        assert_eq!(serde_json::json!(counts(resamples.len() - 1)), case["last_counts"]);
        assert_bootstrap(case, &resamples);
    }
}

#[test]
fn holm_is_that_of_statsmodels() {
    let reference = reference();
    for case in cases(&reference["holm"], "families") {
        let adjusted = holm(&numbers(&case["p"])).unwrap();
        assert_eq!(adjusted.len(), case["adjusted"].as_array().unwrap().len());
        for (adjusted, expected) in adjusted.into_iter().zip(case["adjusted"].as_array().unwrap()) {
            assert_close(adjusted, expected);
        }
    }
    for case in cases(&reference["holm"], "pairs_needed") {
        let rule = match case["alpha_parts"].as_u64() {
            Some(500) => IntervalRule::TwoSided,
            Some(1_000) => IntervalRule::OneSided,
            other => panic!("no rule for {other:?}"),
        };
        let needed = pairs_needed_by_holm(integer(&case["claims"]), rule.alpha(Confidence::P95));
        assert_eq!(case["pairs"], needed);
    }
}

/// How coarse the percentile interval is: over a baseline without noise its lower end is the value of a known rank, and
/// so the probability that the true median lies below it is known as well.
#[test]
fn the_ends_of_the_interval_are_as_coarse_as_the_binomial_says() {
    let mut errors = Vec::new();
    for case in cases(&reference(), "coarseness") {
        let pairs: u16 = integer(&case["n"]);
        let rule = match case["rule"].as_str() {
            Some("two_sided") => IntervalRule::TwoSided,
            _ => IntervalRule::OneSided,
        };
        errors.push((pairs, rule, number(&case["error"])));
        // Draws miss the exact masses by up to 1 %: then the rank is not certain.
        if pairs > 8 && number(&case["margin"]) < 0.01 {
            continue;
        }
        let candidate: Vec<f64> = (1..=pairs).map(f64::from).collect();
        let resamples = Resamples::new(pairs.into(), 1412, 20_000).unwrap();
        let estimate = ratio_of_medians(&resamples, &vec![1.0; pairs.into()], &candidate).unwrap();
        let interval = Interval::percentile(estimate.distribution(), rule.alpha(Confidence::P95));
        assert_same(interval.low(), &serde_json::json!(number(&case["rank"])));
        assert_same(interval.high(), &serde_json::json!(f64::from(pairs) + 1.0 - number(&case["rank"])));
    }
    // The figures that the documentation of this module gives.
    for expected in [
        (3, IntervalRule::TwoSided, 0.125),
        (5, IntervalRule::TwoSided, 0.031_25),
        (7, IntervalRule::TwoSided, 0.0625),
        (9, IntervalRule::OneSided, 0.089_843_75),
    ] {
        assert!(errors.contains(&expected), "{expected:?} in {errors:?}");
    }
}

#[test]
fn the_rank_test_is_that_of_scipy() {
    for case in cases(&reference(), "rank_sums") {
        let (old, new) = (numbers(&case["old"]), numbers(&case["new"]));
        let (found, expected) = (mann_whitney(&old, &new).unwrap(), number(&case["p"]));
        assert!((found - expected).abs() <= 1e-12 * expected, "{found} and {expected} of {old:?} and {new:?}");
    }
}

#[test]
fn the_ranks_of_a_median_are_those_of_scipys_binomial() {
    for case in cases(&reference(), "median_ranks") {
        let n: u32 = integer(&case["n"]);
        let values: Vec<f64> = (1..=n).map(f64::from).collect();
        let confidence = Confidence::from_parts(integer(&case["confidence"])).unwrap();
        let found = median_interval(&values, confidence).unwrap().map(|interval| (interval.low(), interval.high()));
        let rank = number(&case["rank"]);
        assert_eq!(found, (rank > 0.0).then(|| (rank, f64::from(n) + 1.0 - rank)), "{case}");
    }
}

#[test]
fn geometric_means_are_those_of_scipy() {
    for case in cases(&reference(), "geometric_means") {
        let (found, expected) = (geometric_mean(&numbers(&case["values"])).unwrap(), number(&case["mean"]));
        assert!((found / expected - 1.0).abs() < 1e-13, "{found} and {expected}");
    }
}

#[test]
fn signed_ranks_are_those_of_whole_numbers() {
    for case in cases(&reference(), "signed_ranks") {
        let (baseline, candidate) = (numbers(&case["baseline"]), numbers(&case["candidate"]));
        let ranks = hodges_lehmann(&baseline, &candidate).unwrap();
        assert_near(ranks.point(), &case["point"], 1e-14);
        for (name, rule) in [("two_sided", IntervalRule::TwoSided), ("one_sided", IntervalRule::OneSided)] {
            let alpha = rule.alpha(Confidence::P95);
            assert_ends(ranks.interval(alpha).ok(), &case["intervals"][name], 1e-14);
            let student = paired_t(&baseline, &candidate, alpha).unwrap();
            assert_ends(Some(student.interval), &case["student"][name], 1e-10);
        }
        for claim in cases(case, "claims") {
            let value = number(&claim["bound"]);
            let (most, least) = (Bound::at_most(value).unwrap(), Bound::at_least(value).unwrap());
            assert_near(ranks.p_within(most), &claim["within_at_most"], 1e-11);
            assert_near(ranks.p_within(least), &claim["within_at_least"], 1e-11);
            assert_near(ranks.p_beyond(most), &claim["beyond_at_most"], 1e-11);
            assert_near(ranks.p_beyond(least), &claim["beyond_at_least"], 1e-11);
        }
    }
}

#[track_caller]
fn assert_ends(found: Option<Interval>, expected: &Value, share: f64) {
    let Some(found) = found else {
        assert!(expected.is_null(), "no interval, and {expected} expected");
        return;
    };
    assert_near(found.low(), &expected[0], share);
    assert_near(found.high(), &expected[1], share);
}

#[track_caller]
fn assert_near(found: f64, expected: &Value, share: f64) {
    let expected = number(expected);
    assert!((found - expected).abs() <= share * expected.abs(), "{found} and {expected}");
}

#[test]
fn shares_have_the_interval_of_scipy() {
    for case in cases(&reference(), "clopper_pearson") {
        let rule = if case["rule"] == "two_sided" { IntervalRule::TwoSided } else { IntervalRule::OneSided };
        let (successes, trials) = (integer(&case["successes"]), integer(&case["trials"]));
        let found = clopper_pearson(successes, trials, rule.alpha(Confidence::P95)).unwrap();
        assert_ends(Some(found), &case["interval"], 1e-10);
    }
}

#[test]
fn looks_have_the_bounds_of_another_quadrature() {
    for case in cases(&reference(), "looks") {
        let pairs: Vec<u32> = cases(case, "pairs").iter().map(integer).collect();
        let rule = if number(&case["alpha"]) < 0.03 { IntervalRule::TwoSided } else { IntervalRule::OneSided };
        let found = looks(&pairs, integer(&case["last"]), rule.alpha(Confidence::P95)).unwrap();
        for (index, look) in found.iter().enumerate() {
            assert_near(look.spent, &case["spent"][index], 1e-8);
            assert_near(look.z, &case["z"][index], 1e-7);
            assert_near(look.level, &case["levels"][index], 1e-6);
        }
    }
}

#[test]
fn drift_is_that_of_scipy() {
    for case in cases(&reference(), "drifts") {
        let found = drift(&numbers(&case["values"])).unwrap();
        assert_near(found.tau, &case["tau"], 1e-13);
        assert_near(found.p, &case["p"], 1e-12);
    }
    for case in cases(&reference(), "autocorrelations") {
        let found = autocorrelation(&numbers(&case["values"])).unwrap();
        assert_near(found.lag_one, &case["lag_one"], 1e-11);
        assert_near(found.p, &case["p"], 1e-11);
    }
}

#[test]
fn parts_of_a_variance_are_those_of_shared_products() {
    for case in cases(&reference(), "variance_parts") {
        let runs: Vec<Spread> = cases(case, "runs").iter().map(|run| Spread::of(&numbers(run)).unwrap()).collect();
        let found = variance_parts(&runs).unwrap();
        assert!((found.of_runs - number(&case["of_runs"])).abs() < 1e-9, "{found:?} and {case}");
        assert!((found.of_operations - number(&case["of_operations"])).abs() < 1e-9, "{found:?} and {case}");
    }
}

fn reference_of_r() -> Value {
    serde_json::from_str(include_str!("../../tests/reference/stats.R.json")).unwrap()
}

#[test]
fn hodges_lehmann_is_that_of_r() {
    for case in cases(&reference_of_r(), "bounds") {
        let (baseline, candidate) = (numbers(&case["baseline"]), numbers(&case["candidate"]));
        let ranks = hodges_lehmann(&baseline, &candidate).unwrap();
        let alpha = IntervalRule::TwoSided.alpha(Confidence::from_parts(integer(&case["two_sided"])).unwrap());
        assert_near(ranks.point(), &case["point"], 1e-13);
        assert_ends(ranks.interval(alpha).ok(), &serde_json::json!([case["low"], case["high"]]), 1e-13);
        let bound = Bound::at_most(number(&case["bound"])).unwrap();
        assert_near(ranks.p_within(bound), &case["within"], 1e-12);
        assert_near(ranks.p_beyond(bound), &case["beyond"], 1e-12);
        let student = paired_t(&baseline, &candidate, alpha).unwrap();
        assert_near(student.point, &case["t"][0], 1e-12);
        assert_ends(Some(student.interval), &serde_json::json!([case["t"][1], case["t"][2]]), 1e-10);
    }
}

/// Pairs whose signed ranks have a known sum, so that p runs through the distribution.
#[test]
fn the_distributions_of_ranks_are_those_of_r() {
    for case in cases(&reference_of_r(), "signed_rank") {
        let n: usize = integer(&case["n"]);
        for (k, p) in cases(case, "k").iter().zip(cases(case, "p")) {
            let mut rest: usize = integer(k);
            // Distances 1 to n from the bound; those whose ranks add up to k lie above it.
            let candidate: Vec<f64> = (1..=n)
                .rev()
                .map(|rank| {
                    let above = rank <= rest;
                    rest -= if above { rank } else { 0 };
                    let distance = f64::from(u32::try_from(rank).unwrap()) / 1024.0;
                    libm::exp(if above { distance } else { -distance })
                })
                .collect();
            let ranks = hodges_lehmann(&vec![1.0; n], &candidate).unwrap();
            assert_near(ranks.p_within(Bound::at_most(1.0 + 1e-9).unwrap()), p, 1e-12);
        }
    }
    for case in cases(&reference_of_r(), "rank_sums") {
        let n: u32 = integer(&case["n"]);
        // The old side is 1 to n, of whose values the largest is moved up until u of the new side's are below it.
        for (u, p) in cases(case, "p").iter().enumerate().take(n as usize) {
            let mut old: Vec<f64> = (1..=n).map(f64::from).collect();
            let new: Vec<f64> = (n + 1..=2 * n).map(f64::from).collect();
            old[n as usize - 1] = f64::from(n) + f64::from(u32::try_from(u).unwrap()) + 0.5;
            assert_near(mann_whitney(&old, &new).unwrap(), &serde_json::json!((2.0 * number(p)).min(1.0)), 1e-12);
        }
    }
}

#[test]
fn shares_have_the_interval_of_r() {
    for case in cases(&reference_of_r(), "clopper_pearson") {
        let alpha = IntervalRule::TwoSided.alpha(Confidence::P95);
        let found = clopper_pearson(integer(&case["successes"]), integer(&case["trials"]), alpha).unwrap();
        assert_ends(Some(found), &case["interval"], 1e-10);
    }
}
