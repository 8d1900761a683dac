"""Sorts numbers, and says so in the line protocol. Usage: bench.py ROWS"""

import json
import sys
import time


def say(**message):
    print(json.dumps(message), flush=True)


rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
numbers = [i * 7919 % 104729 for i in range(1, rows + 1)]
samples = []
for _ in range(5):
    begin = time.perf_counter_ns()
    answer = sorted(numbers)
    samples.append(time.perf_counter_ns() - begin)

print(f"sorted {rows} numbers five times")  # not JSON: kept as log
say(gate="metric", bench="sort", name="latency", unit="ns", direction="lower", samples=samples)
say(gate="metric", bench="sort", name="answer_bytes", unit="B", direction="lower", samples=[sys.getsizeof(answer)])
say(gate="check", bench="sort", name="rows", expected=rows, observed=len(answer))
ascending = all(a <= b for a, b in zip(answer, answer[1:]))
say(gate="check", bench="sort", name="ascending", expected=True, observed=ascending)
say(gate="done")
