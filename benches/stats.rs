//! How long one budget's statistics take.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gate::stats::{
    Bound, Confidence, Interval, IntervalRule, Resamples, median_of, p_beyond, p_within, ratio_of_medians,
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

/// Everything about one budget once the resamples are there: distribution, interval, both p.
fn budget(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("budget");
    let bound = Bound::at_most(1.05).expect("finite");
    for pairs in [5, 8, 10, 20, 100] {
        let (baseline, candidate) = sides(pairs);
        let resamples = Resamples::new(baseline.len(), SEED, DRAWS).expect("few pairs");
        group.bench_function(format!("ratio-{pairs}-pairs"), |bencher| {
            bencher.iter(|| {
                let estimate =
                    ratio_of_medians(&resamples, black_box(&baseline), black_box(&candidate)).expect("positive");
                let distribution = estimate.distribution();
                let interval = Interval::percentile(distribution, IntervalRule::TwoSided.alpha(Confidence::P95));
                (estimate.point(), interval, p_within(distribution, bound), p_beyond(distribution, bound))
            });
        });
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

criterion_group!(benches, resamples, budget, alone);
criterion_main!(benches);
