//! The dashboard's stages one by one on the Arrow fixtures, and its lanes end to end over DuckDB beside a
//! bare loop that streams the same query into an Arrow IPC writer.

use std::hint::black_box;

use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gate::fixture::{self, NULL_PERIOD, Shape};
use gate::workload::dashboard::lane::{Dashboard, Lane};
use gate::workload::dashboard::query::{Filter, detail_query};
use gate::workload::dashboard::source::database;
use gate::workload::dashboard::stage::frame::Frame;
use gate::workload::dashboard::stage::{capture, decode, native_ipc, project, rows, string_ipc};
use gate::workload::{Bench, Counters, Setup};

/// The lengths that the stages run on.
const ROWS: [u32; 3] = [50, 1_000, 10_000];

/// The lengths that the lanes run on.
const ANSWER_ROWS: [u32; 3] = [50, 999, 10_000];

/// Runs one stage on every fixture. `input` makes what the stage takes, outside the timed part.
fn stage<I, O>(criterion: &mut Criterion, name: &str, input: impl Fn(&RecordBatch) -> I, mut run: impl FnMut(I) -> O) {
    let mut group = criterion.benchmark_group(name);
    for shape in Shape::ALL {
        for rows in ROWS {
            let table = fixture::generate(&format!("arrow-{}-{rows}", shape.name()), NULL_PERIOD).unwrap();
            group.throughput(Throughput::Elements(u64::from(rows)));
            group.bench_with_input(BenchmarkId::new(shape.name(), rows), &table, |bencher, table| {
                bencher.iter_batched(|| input(table), &mut run, BatchSize::LargeInput);
            });
        }
    }
    group.finish();
}

fn names(table: &RecordBatch) -> Vec<String> {
    table.schema().fields().iter().map(|field| field.name().clone()).collect()
}

fn named(table: &RecordBatch) -> Vec<rows::RowMap> {
    rows::name_values(&names(table), decode::decode(std::slice::from_ref(table)).unwrap())
}

fn normal(table: &RecordBatch) -> Vec<rows::RowMap> {
    let mut maps = named(table);
    rows::normalise(&mut maps);
    maps
}

fn frame(table: &RecordBatch) -> Frame {
    Frame::ordered(&names(table), normal(table)).unwrap()
}

fn projection(table: &RecordBatch) -> project::Projection {
    project::project(frame(table).window(0, usize::MAX))
}

fn stages(criterion: &mut Criterion) {
    stage(criterion, "capture-copy", Clone::clone, |table| capture::capture(&table).unwrap());
    stage(criterion, "decode-rows", Clone::clone, |table| decode::decode(&[table]).unwrap());
    stage(
        criterion,
        "row-maps",
        |table| (names(table), decode::decode(std::slice::from_ref(table)).unwrap()),
        |(names, decoded)| rows::name_values(&names, decoded),
    );
    stage(criterion, "copy-row-maps", named, |maps| (rows::copy(&maps), maps));
    stage(criterion, "normalise", named, |mut maps| {
        rows::normalise(&mut maps);
        maps
    });
    stage(
        criterion,
        "ordered-frame",
        |table| (names(table), normal(table)),
        |(names, maps)| Frame::ordered(&names, maps).unwrap(),
    );
    stage(criterion, "string-projection", |table| frame(table).window(0, usize::MAX), project::project);
    stage(criterion, "string-ipc", projection, |projection| (string_ipc::write(&projection).unwrap(), projection));
    stage(criterion, "native-ipc", Clone::clone, |table| {
        let schema = table.schema();
        native_ipc::write(&schema, [Ok::<_, ArrowError>(table)]).unwrap()
    });
}

fn end_to_end(criterion: &mut Criterion) {
    // As in a worker: else a case is as fast as the layout of the heap lets it.
    let _ = gate::measure::memory::keep_freed();
    let setup = Setup { seed: 0, null_period: NULL_PERIOD, threads: 1 };
    let mut group = criterion.benchmark_group("end-to-end");
    for shape in Shape::ALL {
        for rows in ANSWER_ROWS {
            let case = format!("{}/{rows}", shape.name());
            let connection = database(shape, rows, &setup).unwrap();
            let mut statement = connection.prepare(&detail_query(shape, Filter::Every, rows)).unwrap();
            group.bench_function(BenchmarkId::new("bare-loop", &case), |bencher| {
                bencher.iter(|| {
                    let stream = statement.stream_arrow([]).unwrap();
                    let mut writer = StreamWriter::try_new(Vec::new(), &stream.get_schema()).unwrap();
                    for batch in stream {
                        writer.write(&batch.unwrap()).unwrap();
                    }
                    black_box(writer.into_inner().unwrap())
                });
            });
            for (name, lane) in [("native-v1", Lane::NativeV1), ("api-direct", Lane::ApiDirect)] {
                let mut bench = Dashboard::open(lane, shape, rows, &setup).unwrap();
                let mut counters = Counters::with_capacity(8);
                group.bench_function(BenchmarkId::new(name, &case), |bencher| {
                    bencher.iter(|| {
                        counters.clear();
                        black_box(bench.operation(&mut counters).unwrap())
                    });
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, stages, end_to_end);
criterion_main!(benches);
