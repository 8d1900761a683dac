//! What watching over a program costs: an empty program executed by `gate`, beside a bare spawn and wait.

use std::process::{Command, Stdio};

use criterion::{Criterion, criterion_group, criterion_main};
use gate::measure::spawn::Spawner;

fn empty() -> Command {
    let mut command = Command::new("/bin/true");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn spawn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spawn");
    // The standard library uses posix_spawn here.
    group.bench_function("bare", |bencher| bencher.iter(|| empty().status().expect("a program")));
    let mut spawner = Spawner::new().expect("a kernel that watches");
    group.bench_function("watched", |bencher| bencher.iter(|| spawner.run(&mut empty(), None).expect("a program")));
    group.bench_function("watched-and-heard", |bencher| {
        bencher.iter(|| spawner.run(&mut empty(), Some(&mut |_| {})).expect("a program"));
    });
    group.finish();
}

criterion_group!(benches, spawn);
criterion_main!(benches);
