#!/usr/bin/env bash
# How long `gate query` takes to open campaigns and to answer a grouped median over all their samples, and how much memory.
#   benches/query.sh [CAMPAIGNS]      100 by default, 80,000 samples each; RESULTS=DIR keeps them for the next time
# The campaigns are real: `gate run` on a program that says a thousand times of each of four benches, in twenty runs.
set -euo pipefail
campaigns=${1:-100}
gate=$(realpath "${GATE:-${CARGO_TARGET_DIR:-target}/release/gate}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
results=$(realpath -m "${RESULTS:-$folder/results}")
cd "$folder"
cat >bench.sh <<'S'
awk -v seed=$$ 'BEGIN {
    srand(seed)
    for (bench = 1; bench <= 4; bench++) {
        printf "{\"gate\":\"metric\",\"bench\":\"b%d\",\"name\":\"latency\",\"unit\":\"ns\",\"direction\":\"lower\",\"samples\":[", bench
        for (i = 0; i < 1000; i++) printf "%s%d", i ? "," : "", bench * 1e6 + 1e5 * rand()
        print "]}"
    }
    print "{\"gate\":\"done\"}"
}'
S
cat >gate.toml <<'T'
gate = 1
name = "NAME"
title = "Samples for gate query"
[target.command]
baseline = { run = ["sh", "bench.sh"] }
candidate = { run = ["sh", "bench.sh"] }
output = "gate"
[profile.full]
grade = "comparison"
pairs = 10
samples = 1
[[hypothesis]]
id = "same"
claim = "they take as long"
rollback = "none"
[[hypothesis.guardrail]]
metric = "latency"
max_ratio = 1.05
T
for ((i = 0; i < campaigns; i++)); do
    name=$(printf 'bench-%03d' "$i")
    [[ -d $results/$name ]] && continue
    sed "s/NAME/$name/" gate.toml >"$name.toml"
    "$gate" run "$name.toml" --results "$results" >/dev/null 2>error || [[ $? -ge 10 ]] || { cat error; exit 1; }
done

# The best of five: wall time, CPU time, peak memory.
measure() {
    for _ in 1 2 3 4 5; do
        /usr/bin/env time -f '%e s, CPU %U + %S s, %M KiB' "$gate" query "$results"/bench-*/2* "$1" 2>&1 >/dev/null
    done | sort -g | head -1
}
echo "campaigns: $campaigns"
"$gate" query "$results"/bench-*/2* 'SELECT count(*) AS samples FROM samples'
while IFS= read -r sql; do
    echo "$(measure "$sql")   $sql"
done <<'Q'
SELECT campaign FROM plan LIMIT 1
SELECT bench, side, median(value) FROM samples GROUP BY ALL
SELECT campaign, bench, side, median(value) FROM samples GROUP BY ALL
SELECT count(*) FROM samples
SELECT hypothesis, verdict, count(*) FROM verdicts GROUP BY ALL
Q
