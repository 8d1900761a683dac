//! How fast bench output is read.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gate::reading::{Format, parse};

/// A text of Go's with `names` benches of ten lines each, some custom units, and noise.
fn go_text(names: u32) -> String {
    let mut text = String::from("goos: linux\ngoarch: amd64\npkg: example.com/codec\ncpu: AMD EPYC\n");
    for name in 0..names {
        for run in 0..10 {
            let time = 1_700 + (name * 31 + run * 7) % 90;
            text.push_str(&format!(
                "BenchmarkEncode/format=json/size={name}-8         \t  690848\t      {time}.5 ns/op\t  74.12 MB/s\t     \
                 {time} p95-ns/op\t    1280 B/op\t      12 allocs/op\n"
            ));
        }
        text.push_str("    encode_test.go:31: done\n");
    }
    text.push_str("PASS\nok  \texample.com/codec\t12.3s\n");
    text
}

fn go(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("go");
    for names in [10, 2_000] {
        let text = go_text(names);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("{names}-names"), |bencher| {
            bencher.iter(|| parse("bench.txt", black_box(text.as_bytes()), Some(Format::Go)).expect("a reading"));
        });
    }
    group.finish();
}

fn hyperfine(criterion: &mut Criterion) {
    let times: Vec<String> = (0..10_000).map(|run| format!("0.0132{:05}", run * 7 % 100_000)).collect();
    let text = format!("{{\"results\":[{{\"command\":\"sleep 0.01\",\"times\":[{}]}}]}}", times.join(","));
    let mut group = criterion.benchmark_group("hyperfine");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("10000-runs", |bencher| {
        bencher.iter(|| parse("one.json", black_box(text.as_bytes()), None).expect("a reading"));
    });
    group.finish();
}

criterion_group!(benches, go, hyperfine);
criterion_main!(benches);
