//! Many threads at the cache and the pool, with what must hold at every moment. Each seen to fail without its lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use arrow::array::{AsArray, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use duckdb::Connection;
use gate::workload::dashboard::cache::{Cache, Key, Lookup};
use gate::workload::dashboard::pool::Pool;
use gate::workload::dashboard::trace::Trace;

const THREADS: u64 = 8;
const ROUNDS: u64 = 4_000;
const PATIENCE: Duration = Duration::from_secs(30);

/// Numbers that follow from a seed (Knuth's MMIX generator, 1999).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Principal, question and snapshot of a key, and the one value that its result holds.
fn key(number: u64) -> Key {
    let byte = |part: u64| u8::try_from(part).unwrap();
    Key { scope: [byte(number % 3); 32], question: [byte(number / 3 % 3); 32], snapshot: number / 9 }
}

fn result(number: u64, rows: usize) -> Vec<RecordBatch> {
    let schema = Arc::new(Schema::new(vec![Field::new("number", DataType::Int64, false)]));
    let values = Int64Array::from(vec![i64::try_from(number).unwrap(); rows]);
    vec![RecordBatch::try_new(schema, vec![Arc::new(values)]).unwrap()]
}

fn size(rows: usize) -> u64 {
    result(0, rows)[0].get_array_memory_size() as u64
}

#[test]
fn a_cache_under_load_never_mixes_results_nor_outgrows_its_budget() {
    const KEYS: u64 = 18;
    let rows = |number: u64| 8 + usize::try_from(number).unwrap();
    let budget = 5 * size(rows(KEYS));
    let cache = Cache::new(budget);
    let filling: Vec<AtomicBool> = (0..KEYS).map(|_| AtomicBool::new(false)).collect();
    let coalesced = AtomicUsize::new(0);
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let (cache, filling, coalesced) = (&cache, &filling, &coalesced);
            scope.spawn(move || {
                let mut numbers = Numbers(seed);
                let mut held = Vec::new();
                for _ in 0..ROUNDS {
                    let number = numbers.below(KEYS);
                    let mut trace = Trace::default();
                    let lease = match cache.lookup(key(number), PATIENCE, &mut trace).unwrap() {
                        Lookup::Hit(lease) => lease,
                        Lookup::Miss(duty) => {
                            let mine = &filling[usize::try_from(number).unwrap()];
                            assert!(!mine.swap(true, Ordering::AcqRel), "two compute the same result at once");
                            // Now and then whoever computes it fails, and somebody else has the duty.
                            let fails = numbers.below(10) == 0;
                            thread::yield_now();
                            mine.store(false, Ordering::Release);
                            if fails {
                                continue;
                            }
                            duty.fill(result(number, rows(number)), &mut trace)
                        }
                    };
                    coalesced.fetch_add(usize::from(trace.coalesced > 0), Ordering::Relaxed);
                    let values = lease.batches()[0].column(0).as_primitive::<Int64Type>();
                    assert_eq!((values.len(), values.value(0)), (rows(number), i64::try_from(number).unwrap()));
                    assert!(cache.bytes() <= budget);
                    held.push(lease);
                    if held.len() > 3 {
                        held.swap_remove(usize::try_from(numbers.below(4)).unwrap());
                    }
                    if numbers.below(500) == 0 {
                        cache.clear();
                    }
                }
            });
        }
    });
    assert!(cache.peak_bytes() <= budget, "{} of {budget}", cache.peak_bytes());
    assert_eq!(cache.leases(), 0);
    cache.clear();
    assert_eq!(cache.bytes(), 0);
    assert!(coalesced.into_inner() > 0, "nobody ever waited for another: the test shows nothing");
}

#[test]
fn a_pool_under_load_lends_no_connection_twice_and_gets_each_back() {
    const SIZE: usize = 3;
    let pool = Pool::new(Connection::open_in_memory().unwrap(), SIZE).unwrap();
    let (out, queries) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let (pool, out, queries) = (&pool, &out, &queries);
            scope.spawn(move || {
                let mut numbers = Numbers(seed);
                for _ in 0..200 {
                    let mut trace = Trace::default();
                    let held = pool.acquire(PATIENCE, &mut trace).unwrap();
                    assert!(out.fetch_add(1, Ordering::AcqRel) < SIZE, "more are out than there are");
                    let number = numbers.below(1_000);
                    let sql = format!("SELECT {number}::BIGINT AS number");
                    // Some leave before they have taken all.
                    let found = held.stream(&sql, &mut trace, |stream, _| Ok(stream.next().transpose()?)).unwrap();
                    let found = found.unwrap().column(0).as_primitive::<Int64Type>().value(0);
                    assert_eq!(found, i64::try_from(number).unwrap());
                    queries.fetch_add(1, Ordering::Relaxed);
                    out.fetch_sub(1, Ordering::AcqRel);
                    held.release(&mut trace);
                }
            });
        }
    });
    assert_eq!((pool.held(), pool.executed()), (0, queries.into_inner() as u64));
}
