//! What `gates/self.toml` gates: the analysis of a committed campaign, and the lane that answers in native Arrow IPC.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gate::evidence::Evidence;
use gate::fixture::NULL_PERIOD;
use gate::unit::{AxisValue, Case};
use gate::verdict::{analyse, judge};
use gate::workload::catalogue::DASHBOARD;
use gate::workload::{self, Counters, Setup};

/// The folder of the one committed campaign of `gate`.
fn committed(gate: &str) -> PathBuf {
    // Seen from the project, wherever it was built.
    let folder = PathBuf::from("results/reference").join(gate);
    let campaigns = std::fs::read_dir(folder).expect("reference evidence");
    campaigns.map(|entry| entry.expect("an entry").path()).find(|path| path.is_dir()).expect("a campaign")
}

fn analysis(criterion: &mut Criterion) {
    let (evidence, provenance) = Evidence::load(&committed("dashboard-native")).expect("evidence");
    let date = jiff::tz::Offset::UTC.to_datetime(provenance.started).date();
    criterion.bench_function("analysis/dashboard-native", |bencher| {
        bencher.iter(|| {
            let analysis = analyse(black_box(&evidence), date).expect("an analysis");
            judge(&evidence.plan, &analysis)
        });
    });
}

fn native(criterion: &mut Criterion) {
    // As in a worker: else a case is as fast as the layout of the heap lets it.
    let _ = gate::measure::memory::keep_freed();
    let setup = Setup { seed: 538, null_period: NULL_PERIOD, threads: 1 };
    let mut group = criterion.benchmark_group("native-v1");
    for (shape, rows) in [("narrow", 50), ("wide", 1_000)] {
        let case = Case::new(vec![
            ("shape".to_owned(), AxisValue::Text(shape.to_owned())),
            ("rows".to_owned(), AxisValue::Integer(rows)),
        ]);
        let mut bench = workload::open(DASHBOARD.name, "native-v1", &case, &setup).expect("a lane");
        let mut counters = Counters::with_capacity(32);
        group.bench_function(BenchmarkId::new(shape, rows), |bencher| {
            bencher.iter_custom(|operations| {
                let mut total = Duration::ZERO;
                for _ in 0..operations {
                    counters.clear();
                    bench.prepare().expect("ready");
                    let begin = now();
                    black_box(bench.operation(&mut counters).expect("an answer"));
                    total += begin.elapsed();
                }
                total
            });
        });
    }
    group.finish();
}

#[expect(clippy::disallowed_methods, reason = "Criterion wants a duration of the clock that it takes itself")]
fn now() -> Instant {
    Instant::now()
}

criterion_group!(benches, analysis, native);
criterion_main!(benches);
