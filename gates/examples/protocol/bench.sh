#!/bin/sh
# Sorts numbers with sort(1), and says so in the line protocol. Usage: bench.sh ROWS
# `date +%s%N` is GNU's: nanoseconds since 1970.
set -eu
rows=${1:-10000}
samples=''
for _ in 1 2 3 4 5; do
    numbers=$(seq "$rows" | awk '{ print ($1 * 7919) % 104729 }')
    begin=$(date +%s%N)
    sorted=$(printf '%s\n' "$numbers" | sort -n)
    end=$(date +%s%N)
    samples="$samples${samples:+,}$((end - begin))"
done
echo "sorted $rows numbers five times" # not JSON: kept as log
observed=$(printf '%s\n' "$sorted" | wc -l)
printf '{"gate":"metric","bench":"sort","name":"latency","unit":"ns","direction":"lower","samples":[%s]}\n' "$samples"
printf '{"gate":"check","bench":"sort","name":"rows","expected":%d,"observed":%d}\n' "$rows" "$observed"
printf '{"gate":"done"}\n'
