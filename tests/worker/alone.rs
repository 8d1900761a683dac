//! What can only be tested in a process of its own: counts and peaks that others would disturb, limits that would stay.
//!
//! Each test here runs its second half, an ignored test, in a new process of this same program.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::thread;

use gate::measure::{AllocCount, alloc, limits, memory};

fn again(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads", "1"]);
    command
}

/// Runs the ignored test `test` in a process of its own.
fn alone(test: &str) {
    let output = again(test).output().expect("this program once more");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("1 passed"), "`{test}` did not run:\n{stdout}");
}

#[test]
fn counts_are_exact() {
    alone("alone::counts");
}

#[test]
#[ignore = "run alone by `counts_are_exact`"]
fn counts() {
    assert!(alloc::installed());
    let (block, count) = alloc::count(|| black_box(Vec::<u8>::with_capacity(1_000)));
    assert_eq!(count, AllocCount { bytes: 1_000, allocs: 1 });
    // Freeing counts nothing; nor does what happens outside.
    let ((), count) = alloc::count(|| drop(block));
    assert_eq!(count, AllocCount::default());
    // Growing is an allocation of the whole new size; shrinking is none.
    let mut block = Vec::<u8>::with_capacity(100);
    block.push(1);
    let ((), count) = alloc::count(|| block.reserve_exact(399));
    assert_eq!(count, AllocCount { bytes: 400, allocs: 1 });
    let ((), count) = alloc::count(|| block.shrink_to_fit());
    assert_eq!(count, AllocCount::default());
    // Zeroed memory counts like any other.
    let (_, count) = alloc::count(|| black_box(vec![0_u64; 100]));
    assert_eq!(count, AllocCount { bytes: 800, allocs: 1 });
    // An inner count sees its own part, the outer one all.
    let (inner, outer) = alloc::count(|| {
        let first = black_box(Box::new([0_u8; 10]));
        let (second, inner) = alloc::count(|| black_box(Box::new([0_u8; 20])));
        drop((first, second));
        inner
    });
    assert_eq!(inner, AllocCount { bytes: 20, allocs: 1 });
    assert_eq!(outer, AllocCount { bytes: 30, allocs: 2 });
}

#[test]
fn counts_are_exact_over_threads() {
    alone("alone::counts_over_threads");
}

#[test]
#[ignore = "run alone by `counts_are_exact_over_threads`"]
fn counts_over_threads() {
    const THREADS: usize = 8;
    // Long enough for the threads to run side by side.
    const EACH: usize = 200_000;
    let size = |n: usize| n % 100 + 1;
    // Threads that live before, during and after the count, and allocate only between two barriers. Waiting at one
    // allocates nothing, as waiting at a channel would.
    let (begin, end) = (Barrier::new(THREADS + 1), Barrier::new(THREADS + 1));
    let work = || {
        begin.wait();
        (0..EACH).for_each(|n| drop(black_box(Vec::<u8>::with_capacity(size(n)))));
        end.wait();
    };
    let round = || {
        begin.wait();
        end.wait();
    };
    let count = thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..3).for_each(|_| work()));
        }
        round();
        let ((), count) = alloc::count(round);
        round();
        count
    });
    let bytes: usize = (0..EACH).map(size).sum();
    assert_eq!(count, AllocCount { bytes: (THREADS * bytes) as u64, allocs: (THREADS * EACH) as u64 });
}

#[test]
fn a_peak_is_forgotten_when_reset() {
    alone("alone::peak");
}

#[test]
#[ignore = "run alone by `a_peak_is_forgotten_when_reset`"]
fn peak() {
    const SIZE: usize = 64 << 20;
    let before = memory::resident().unwrap();
    drop(black_box(vec![1_u8; SIZE]));
    let high = memory::resident().unwrap();
    assert!(high.peak_bytes >= before.now_bytes + SIZE as u64 / 2, "{before:?} {high:?}");
    if !memory::reset_peak() {
        // A kernel that does not let it says so; then the peak must still be the old one.
        assert!(memory::resident().unwrap().peak_bytes >= high.peak_bytes);
        return;
    }
    let reset = memory::resident().unwrap();
    assert!(reset.peak_bytes < high.peak_bytes - SIZE as u64 / 2, "{high:?} {reset:?}");
    drop(black_box(vec![1_u8; SIZE / 2]));
    let again = memory::resident().unwrap();
    assert!(again.peak_bytes >= reset.now_bytes + SIZE as u64 / 4, "{reset:?} {again:?}");
}

#[test]
fn freed_memory_is_kept_until_it_is_given_back() {
    alone("alone::kept");
}

#[test]
#[ignore = "run alone by `freed_memory_is_kept_until_it_is_given_back`"]
fn kept() {
    const BLOCK: usize = 64 << 10;
    const BLOCKS: usize = 512;
    const HALF: u64 = (BLOCK * BLOCKS / 2) as u64;
    let blocks = || (0..BLOCKS).map(|_| black_box(vec![1; BLOCK])).collect::<Vec<Vec<u8>>>();
    let now = || memory::resident().unwrap().now_bytes;
    assert!(memory::keep_freed(), "only glibc can be told to");
    let before = now();
    drop(blocks());
    assert!(now() > before + HALF, "it went back at once");
    // Something that stays behind them: the very end of a thread's own heap is never given back.
    let (freed, last) = (blocks(), blocks());
    drop(freed);
    let kept = now();
    memory::give_back_freed();
    assert!(now() + HALF < kept, "it is kept still");
    drop(last);
}

#[test]
fn memory_beyond_the_limit_is_not_to_be_had() {
    alone("alone::memory_limit");
}

#[test]
#[ignore = "run alone by `memory_beyond_the_limit_is_not_to_be_had`"]
fn memory_limit() {
    let unenforced = limits::limit_memory(256 << 20).unwrap();
    let large = Vec::<u8>::new().try_reserve_exact(512 << 20);
    assert!(large.is_err() || unenforced.is_some());
    assert!(Vec::<u8>::new().try_reserve_exact(16 << 20).is_ok());
    // A limit above the hard one does not hold in full, and is told.
    let why = limits::limit_memory(1 << 40).unwrap().expect("a reason");
    assert!(why.contains("the hard limit here is 268435456 bytes"), "{why}");
    assert_eq!(limits::observed()["rlimit.data"], "268435456");
}

#[test]
fn a_worker_dies_with_its_parent() {
    // The middle process starts a worker and ends at once. The worker's stdin stays open, so that nothing but its
    // parent's death can end it.
    let mut middle = again("alone::parent_of_a_worker").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let stdin = middle.stdin.take();
    let mut said = String::new();
    middle.stdout.take().expect("a pipe").read_to_string(&mut said).unwrap();
    middle.wait().unwrap();
    let pid = said.split_once("process id: ").and_then(|(_, rest)| rest.split_whitespace().next());
    let pid: u32 = pid.and_then(|pid| pid.parse().ok()).unwrap_or_else(|| panic!("no process in:\n{said}"));
    let gone = (0..500).any(|_| {
        thread::sleep(std::time::Duration::from_millis(10));
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.starts_with(" Z"))
    });
    assert!(gone, "process {pid} lives on");
    drop(stdin);
}

#[test]
#[ignore = "run alone by `a_worker_dies_with_its_parent`"]
#[expect(clippy::print_stdout, reason = "the other process reads it")]
#[expect(clippy::zombie_processes, reason = "that nobody waits is the point")]
fn parent_of_a_worker() {
    let mut worker =
        Command::new(env!("CARGO_BIN_EXE_gate")).arg("worker").stdout(Stdio::piped()).spawn().expect("a worker");
    let mut hello = String::new();
    // Once it has said hello it has tied itself to this process.
    BufReader::new(worker.stdout.take().expect("a pipe")).read_line(&mut hello).expect("a line");
    assert!(hello.starts_with("{\"hello\""), "{hello}");
    println!("process id: {}", worker.id());
}
