//! What keeping a run's evidence costs: its lines in the journal, and its file, beside bare writes that reach the disk as well.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;

use criterion::{Criterion, criterion_group, criterion_main};
use gate::evidence::{Event, Folder, Journal, RunRecord};
use gate::unit::{Assumption, Case, Direction, Metric, Scope, Statistic, Unit};
use gate::worker::protocol::{Cell, Observed, Samples};

/// Samples of a run.
const SAMPLES: u64 = 1_000;

fn metric() -> Metric {
    Metric {
        name: "latency".into(),
        unit: Unit::Nanoseconds,
        direction: Direction::Lower,
        assumption: Assumption::Noisy,
        scope: Scope::Timed,
        default_statistic: Statistic::P50,
        about: "".into(),
    }
}

fn record() -> RunRecord {
    let observed = Observed {
        cpus: vec![0],
        limits: BTreeMap::new(),
        unenforced: Vec::new(),
        peak_reset: true,
        duckdb: None,
        cpu_ns: 1,
        minor_faults: 0,
        major_faults: 0,
        voluntary_switches: 0,
        involuntary_switches: 0,
        meanwhile: None,
        log: Vec::new(),
    };
    let samples = Samples::Integers((0..SAMPLES).map(|at| 1_000_000 + at * 7_919 % 100_003).collect());
    let cell = Cell {
        case: Case::default(),
        samples: BTreeMap::from([("latency".to_owned(), samples)]),
        rss_at_start_bytes: 0,
        compared: 0,
    };
    RunRecord { id: "p01-baseline-all".to_owned(), cells: vec![cell], observed }
}

fn journal(criterion: &mut Criterion) {
    let results = tempfile::tempdir().expect("a folder");
    let at = jiff::Timestamp::UNIX_EPOCH;
    let folder = Folder::create(results.path(), "bench", at, "0123456789").expect("a folder");
    let mut journal = Journal::create(folder.path().join("journal.jsonl")).expect("a journal");
    let started = || Event::RunStarted { id: "p01-baseline-all".to_owned() };
    let finished = || Event::RunFinished { id: "p01-baseline-all".to_owned(), sha256: "0".repeat(64), take: 0 };
    let mut group = criterion.benchmark_group("a run's evidence");
    group.bench_function("journalled", |bencher| {
        bencher.iter(|| [started(), finished()].map(|event| journal.append(at, event).expect("a disk")));
    });
    let mut bare = File::create(results.path().join("bare")).expect("a file");
    group.bench_function("two bare lines", |bencher| {
        bencher.iter(|| {
            for _ in 0..2 {
                bare.write_all(&[b'x'; 250]).and_then(|()| bare.sync_data()).expect("a disk");
            }
        });
    });
    let (record, metrics) = (record(), [metric()]);
    group.bench_function("its file", |bencher| {
        bencher.iter(|| folder.write_run(&record, 0, &metrics).expect("a disk"));
    });
    group.finish();
}

criterion_group!(benches, journal);
criterion_main!(benches);
