//! Sorts numbers, and says so in the line protocol. Usage: bench ROWS
//!
//! It needs no crate: `rustc -O bench.rs`.

use std::hint::black_box;
use std::time::Instant;

fn main() {
    let rows: u64 = std::env::args().nth(1).map_or(10_000, |rows| rows.parse().expect("a number of rows"));
    let numbers: Vec<u64> = (1..=rows).map(|i| i * 7919 % 104_729).collect();
    let mut samples = Vec::new();
    let mut answer = Vec::new();
    for _ in 0..5 {
        answer = numbers.clone();
        let begin = Instant::now();
        black_box(&mut answer).sort_unstable();
        samples.push(begin.elapsed().as_nanos().to_string());
    }
    println!("sorted {rows} numbers five times"); // not JSON: kept as log
    println!(
        r#"{{"gate":"metric","bench":"sort","name":"latency","unit":"ns","direction":"lower","samples":[{}]}}"#,
        samples.join(",")
    );
    let observed = answer.len();
    println!(r#"{{"gate":"check","bench":"sort","name":"rows","expected":{rows},"observed":{observed}}}"#);
    let ascending = answer.is_sorted();
    println!(r#"{{"gate":"check","bench":"sort","name":"ascending","expected":true,"observed":{ascending}}}"#);
    println!(r#"{{"gate":"done"}}"#);
}
