#!/usr/bin/env bash
# How often a slowdown of 5 % is rejected under the budget of 1 % that `gate init` writes for a program, and how often
# the same program on both sides is.
#   benches/slowdown.sh [SLOW [SAME]]      campaigns of each, 20 by default; some 10 s a campaign
# Parts add up: each run prints its counts. The program loops for about 24 ms; an argument has it do so many parts in a hundred
# of its rounds. RESULTS=DIR keeps the evidence, ESTIMATOR=NAME tries another estimator than the one that is written.
set -euo pipefail
slow=${1:-20} same=${2:-${1:-20}}
gate=$(realpath "${GATE:-${CARGO_TARGET_DIR:-target}/release/gate}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
results=$(realpath -m "${RESULTS:-$folder/results}")
cd "$folder"
# The package's own target folder: what `gate init` writes is what a user has.
unset CARGO_TARGET_DIR
mkdir src
printf '[package]\nname = "loop"\nversion = "0.1.0"\nedition = "2024"\n' >Cargo.toml
cat >src/main.rs <<'R'
fn main() {
    let parts: u64 = std::env::args().nth(1).map_or(100, |parts| parts.parse().unwrap());
    let mut x = 1_u64;
    for i in 0..160_000 * parts {
        x = std::hint::black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i));
    }
    std::process::exit(i32::from(x == 0));
}
R
"$gate" init 2>/dev/null >/dev/null
grep -q 'max_ratio = 1.01' gates/loop.toml
[[ -z ${ESTIMATOR:-} ]] || sed -i "s/^estimator = .*/estimator = \"$ESTIMATOR\"/" gates/loop.toml
for side in slow same; do
    parts=100
    [[ $side == same ]] || parts=105
    # Two names, so that each has a ledger of its own.
    sed "s/^name = .*/name = \"$side\"/; /^candidate/s/\"target.release.loop\"/&, \"$parts\"/" gates/loop.toml >$side.toml
    grep -q "^candidate.*\"$parts\"" $side.toml
    rejected=0 proceeded=0 revised=0
    for ((i = 0; i < ${!side}; i++)); do
        code=0
        "$gate" run "$side.toml" --results "$results" >/dev/null 2>error || code=$?
        case $code in
            0) proceeded=$((proceeded + 1)) ;;
            10) rejected=$((rejected + 1)) ;;
            11) revised=$((revised + 1)) ;;
            *) cat error; exit 1 ;;
        esac
    done
    echo "$side: ${!side} campaigns, $rejected rejected, $revised to revise, $proceeded proceed"
done
