#!/usr/bin/env bash
# Fuzzes every reader for so many seconds each, 60 unless said otherwise: tests/fuzz/run.sh [SECONDS]
# A line a target: the bytes that were tried, and what made it crash, hang or take too much memory. Exits 1 if anything did.
#
# It takes a nightly toolchain, `cargo install cargo-fuzz`, and this project's own build (`cargo build --release`), whose
# DuckDB is linked here too: nothing of C++ is compiled again. DUCKDB_LIB_DIR names another folder with libduckdb.a or .so.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
target=${CARGO_TARGET_DIR:-$HOME/.cache/gate-target}
work=$target/fuzz
# The address sanitizer's checks of the C++ library are not wanted: it isn't built for them.
export CARGO_TARGET_DIR=$work CARGO_TERM_COLOR=never

if [[ -z ${DUCKDB_LIB_DIR:-} ]]; then
    built=("$target"/release/build/libduckdb-sys-*/out/libduckdb.a)
    if [[ ! -f ${built[0]} ]]; then
        echo "no libduckdb.a below $target/release: run cargo build --release, or name its folder in DUCKDB_LIB_DIR" >&2
        exit 1
    fi
    DUCKDB_LIB_DIR=$(dirname "${built[0]}")
fi
export DUCKDB_LIB_DIR

fuzz() { cargo +nightly fuzz "$1" --fuzz-dir tests/fuzz "${@:2}"; }
fuzz build

found=0
for seeds in tests/fuzz/corpus/*/; do
    name=$(basename "$seeds")
    mkdir -p "$work/corpus/$name" "$work/artifacts/$name" "$work/log"
    log=$work/log/$name
    outcome='nothing found'
    # What is found to be of interest is kept beside the build; the seeds stay as they are.
    if ! fuzz run "$name" "$work/corpus/$name" "$seeds" -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -malloc_limit_mb=256 -print_final_stats=1 -artifact_prefix="$work/artifacts/$name/" >"$log" 2>&1; then
        outcome="FOUND: see $log"
        found=1
    fi
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf '%-18s %12s executions  %s\n' "$name" "${executions:-no}" "$outcome"
done
exit "$found"
