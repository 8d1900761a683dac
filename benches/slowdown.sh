#!/usr/bin/env bash
# How often a slowdown of 5 % is rejected under a budget of 1 %, and how often the same binary is: K campaigns of each.
#   benches/slowdown.sh [K]
# A bench program that loops for about 24 ms is built twice, once with 5 % more rounds; 20 pairs of 8 executions a side, of which the
# fastest counts: what disturbs an execution only ever adds to it.
set -euo pipefail
campaigns=${1:-20}
gate=$(realpath "${GATE:-${CARGO_TARGET_DIR:-target}/release/gate}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
build() {
    printf 'fn main() { let mut x = 1u64; for i in 0..%d_u64 { x = std::hint::black_box(x.wrapping_mul(6364136223846793005).wrapping_add(i)); } std::process::exit(i32::from(x == 0)); }\n' "$2" >"$1.rs"
    rustc -O -o "$1" "$1.rs"
}
rounds=16000000
build same "$rounds"
build slow $((rounds * 105 / 100))
gate_file() {
    cat >"$1.toml" <<T
gate = 1
name = "$1"
title = "a loop against a loop"
[target.command]
baseline = { run = ["./same"] }
candidate = { run = ["./$1"] }
[profile.full]
grade = "comparison"
pairs = 20
samples = 8
[analysis]
interval = "one-sided"
[[hypothesis]]
id = "loop"
claim = "no slower than 1 %"
rollback = "none"
[[hypothesis.guardrail]]
metric = "latency"
statistic = "min"
max_ratio = 1.01
T
}
for side in slow same; do
    gate_file "$side"
    rejected=0 proceeded=0 revised=0
    for ((i = 0; i < campaigns; i++)); do
        code=0
        "$gate" run "$side.toml" --results results >/dev/null 2>error || code=$?
        case $code in
            0) proceeded=$((proceeded + 1)) ;;
            10) rejected=$((rejected + 1)) ;;
            11) revised=$((revised + 1)) ;;
            *) cat error; exit 1 ;;
        esac
    done
    echo "$side: $campaigns campaigns, $rejected rejected, $revised to revise, $proceeded proceed"
done
