//! How long one budget's statistics take.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gate::stats::{
    Alpha, Bound, Confidence, Estimator, IntervalRule, Resamples, Scenario, median_of, ratio_of_medians,
};

const SEED: u64 = 1412;
const DRAWS: u32 = 20_000;

/// Two sides of `pairs` runs, near 1 ms and 3 % apart, spread by 2 % by a fixed scramble.
fn sides(pairs: u32) -> (Vec<f64>, Vec<f64>) {
    let noise = |run: u32| f64::from(run.wrapping_mul(2_654_435_761) >> 12) / f64::from(1 << 20) - 0.5;
    let side = |level: f64, first: u32| (first..first + pairs).map(|run| level * (1.0 + 0.04 * noise(run))).collect();
    (side(1.00e6, 1), side(1.03e6, 1_001))
}

fn resamples(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resamples");
    group.bench_function("enumerate-8-pairs", |bencher| bencher.iter(|| Resamples::new(black_box(8), SEED, DRAWS)));
    for pairs in [20, 100] {
        group.bench_function(format!("draw-{pairs}-pairs"), |bencher| {
            bencher.iter(|| Resamples::new(black_box(pairs), SEED, DRAWS));
        });
    }
    group.finish();
}

fn alpha() -> Alpha {
    IntervalRule::TwoSided.alpha(Confidence::P95)
}

/// Everything about one budget once the resamples are there: estimate, interval, both p.
fn judged(estimator: Estimator, resamples: &Resamples, sides: &(Vec<f64>, Vec<f64>)) -> [f64; 5] {
    let bound = Bound::at_most(1.05).expect("finite");
    let estimate = estimator.estimate(resamples, black_box(&sides.0), black_box(&sides.1)).expect("positive");
    let (low, high) = estimate.interval(alpha()).map_or((0.0, 0.0), |interval| (interval.low(), interval.high()));
    [estimate.point(), low, high, estimate.p_within(bound), estimate.p_beyond(bound)]
}

fn budget(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("budget");
    let estimators = [
        ("ratio", Estimator::RatioOfMedians),
        ("log-ratio", Estimator::MedianLogRatio),
        ("hodges-lehmann", Estimator::HodgesLehmann),
    ];
    for (name, estimator) in estimators {
        for pairs in [5, 8, 10, 20, 100] {
            let sides = sides(pairs);
            let resamples = Resamples::new(sides.0.len(), SEED, DRAWS).expect("few pairs");
            group.bench_function(format!("{name}-{pairs}-pairs"), |bencher| {
                bencher.iter(|| judged(estimator, &resamples, &sides));
            });
        }
    }
    let (_, candidate) = sides(20);
    let resamples = Resamples::new(candidate.len(), SEED, DRAWS).expect("few pairs");
    group.bench_function("median-20-pairs", |bencher| bencher.iter(|| median_of(&resamples, black_box(&candidate))));
    group.finish();
}

/// As a budget is recomputed alone: drawing included.
fn alone(criterion: &mut Criterion) {
    let (baseline, candidate) = sides(20);
    criterion.bench_function("alone/ratio-20-pairs", |bencher| {
        bencher.iter(|| {
            let resamples = Resamples::new(black_box(20), SEED, DRAWS).expect("few pairs");
            ratio_of_medians(&resamples, black_box(&baseline), black_box(&candidate))
        });
    });
}

/// A whole gate: 100 budgets of 20 pairs, drawing included.
fn gate(criterion: &mut Criterion) {
    let budgets: Vec<_> = (0..100).map(|_| sides(20)).collect();
    criterion.bench_function("gate/ratio-100-budgets-of-20-pairs", |bencher| {
        bencher.iter(|| {
            let resamples = Resamples::new(20, SEED, DRAWS).expect("few pairs");
            budgets.iter().map(|sides| judged(Estimator::RatioOfMedians, &resamples, sides)[0]).sum::<f64>()
        });
    });
}

/// The pairs that a budget needs, by simulation.
fn sizing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sizing");
    group.sample_size(10);
    let bound = Bound::at_most(1.10).expect("finite");
    for (name, estimator) in [("ratio", Estimator::RatioOfMedians), ("hodges-lehmann", Estimator::HodgesLehmann)] {
        let scenario = Scenario { estimator, ratio: 1.067, deviation: 0.0458, bound, alpha: alpha() };
        group.bench_function(name, |bencher| bencher.iter(|| black_box(scenario).size(2_000, SEED)));
    }
    group.finish();
}

criterion_group!(benches, resamples, budget, alone, gate, sizing);
criterion_main!(benches);
