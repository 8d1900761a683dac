//! The dashboard's stages one by one on the Arrow fixtures, and its lanes end to end over DuckDB beside a
//! bare loop that streams the same query into an Arrow IPC writer.
//!
//! Each stage is the lane `stage:NAME` that a gate can name; what it takes is made outside of the timed part.

use std::hint::black_box;
use std::time::{Duration, Instant};

use arrow::ipc::writer::StreamWriter;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gate::fixture::{NULL_PERIOD, Shape};
use gate::unit::{AxisValue, Case};
use gate::workload::catalogue::{DASHBOARD, LaneKind};
use gate::workload::dashboard::bench::{Dashboard, Subject};
use gate::workload::dashboard::engine::{Table, database};
use gate::workload::dashboard::governor::ANALYST;
use gate::workload::dashboard::lane::Lane;
use gate::workload::dashboard::trace::Trace;
use gate::workload::{self, Bench, Counters, Setup};

/// The lengths that the stages run on.
const ROWS: [u32; 3] = [50, 1_000, 10_000];

/// The lengths that the lanes run on.
const ANSWER_ROWS: [u32; 3] = [50, 999, 10_000];

const SETUP: Setup = Setup { seed: 0, null_period: NULL_PERIOD, threads: 1 };

/// The time of so many operations, without what prepares them.
#[expect(clippy::disallowed_methods, reason = "Criterion wants a duration of the clock that it takes itself")]
fn time(bench: &mut dyn Bench, operations: u64) -> Duration {
    let mut counters = Counters::with_capacity(32);
    let mut total = Duration::ZERO;
    for _ in 0..operations {
        counters.clear();
        bench.prepare().unwrap();
        let begin = Instant::now();
        black_box(bench.operation(&mut counters).unwrap());
        total += begin.elapsed();
    }
    total
}

fn case(shape: Shape, rows: u32) -> Case {
    Case::new(vec![
        ("shape".to_owned(), AxisValue::Text(shape.name().to_owned())),
        ("rows".to_owned(), AxisValue::Integer(rows.into())),
    ])
}

fn stages(criterion: &mut Criterion) {
    for lane in DASHBOARD.lanes.iter().filter(|lane| lane.kind == LaneKind::Stage) {
        let mut group = criterion.benchmark_group(lane.name);
        for shape in Shape::ALL {
            for rows in ROWS {
                let case = case(shape, rows);
                if lane.refuses(&case).is_some() {
                    continue;
                }
                let mut bench = workload::open(DASHBOARD.name, lane.name, &case, &SETUP).unwrap();
                group.throughput(Throughput::Elements(u64::from(rows)));
                group.bench_function(BenchmarkId::new(shape.name(), rows), |bencher| {
                    bencher.iter_custom(|operations| time(bench.as_mut(), operations));
                });
            }
        }
        group.finish();
    }
}

fn end_to_end(criterion: &mut Criterion) {
    // As in a worker: else a case is as fast as the layout of the heap lets it.
    let _ = gate::measure::memory::keep_freed();
    let mut group = criterion.benchmark_group("end-to-end");
    for shape in Shape::ALL {
        for rows in ANSWER_ROWS {
            let name = format!("{}/{rows}", shape.name());
            let subject = Subject::detail(Table { shape, rows });
            let connection = database(subject.table, &SETUP).unwrap();
            let lane = |lane| Dashboard::open(Lane::named(lane).unwrap(), subject, &SETUP).unwrap();
            // The very query of the lanes.
            let sql = {
                let bench = lane("native-v1");
                bench.engine().govern(&subject.request(ANALYST), &mut Trace::default()).unwrap().definition.sql.clone()
            };
            let mut statement = connection.prepare(&sql).unwrap();
            group.bench_function(BenchmarkId::new("bare-loop", &name), |bencher| {
                bencher.iter(|| {
                    let stream = statement.stream_arrow([]).unwrap();
                    let mut writer = StreamWriter::try_new(Vec::new(), &stream.get_schema()).unwrap();
                    for batch in stream {
                        writer.write(&batch.unwrap()).unwrap();
                    }
                    black_box(writer.into_inner().unwrap())
                });
            });
            for path in ["native-v1", "api-direct", "dashboard-warm", "ordered-frame"] {
                let mut bench = lane(path);
                group.bench_function(BenchmarkId::new(path, &name), |bencher| {
                    bencher.iter_custom(|operations| time(&mut bench, operations));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, stages, end_to_end);
criterion_main!(benches);
