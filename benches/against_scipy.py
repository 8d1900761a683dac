#!/usr/bin/env python3
"""How much longer SciPy's own bootstrap takes for the same statistic of as many budgets: 100 of 20 pairs.

    pip install numpy scipy
    python3 benches/against_scipy.py

SciPy is timed here; ours is the bench `gate/ratio-100-budgets-of-20-pairs`, which cargo runs in between, drawing and
both p included. SciPy gets a vectorised statistic and every budget a bootstrap of 20,000 paired resamples of its own,
as it has no way to share them.
"""

import re
import statistics
import subprocess
import time

import numpy as np
import scipy.stats

BUDGETS, PAIRS, DRAWS = 100, 20, 20_000
BENCH = "gate/ratio-100-budgets-of-20-pairs"
SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def ratio(candidate, baseline, axis=-1):
    return np.median(candidate, axis=axis) / np.median(baseline, axis=axis)


def scipy_seconds():
    rng = np.random.default_rng(1)
    sides = [(1.03 * rng.lognormal(0, 0.02, PAIRS), rng.lognormal(0, 0.02, PAIRS)) for _ in range(BUDGETS)]
    start = time.perf_counter()
    for side in sides:
        scipy.stats.bootstrap(
            side, ratio, paired=True, vectorized=True, n_resamples=DRAWS, method="percentile", rng=rng
        )
    return time.perf_counter() - start


def our_seconds():
    command = ["cargo", "bench", "--bench", "stats", "--", BENCH]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.search(r"time:\s+\[\S+ \S+ (\S+) (\S+) ", output)
    return float(found[1]) * SECONDS[found[2]]


before = scipy_seconds()
ours = our_seconds()
scipy_time = statistics.mean([before, scipy_seconds()])
print(f"scipy {scipy.__version__}: {scipy_time * 1e3:.0f} ms, gate: {ours * 1e3:.1f} ms, {scipy_time / ours:.0f} times")
