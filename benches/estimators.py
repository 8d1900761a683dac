#!/usr/bin/env python3
"""What each estimator makes of the same real campaigns: those that benches/slowdown.sh has kept.

    pip install numpy
    RESULTS=DIR benches/slowdown.sh 20 40
    python3 benches/estimators.py DIR [GATE]

The pairs come from `gate query`, the smallest sample of each run; nothing here is this project's code. Printed is how many
campaigns would fail and pass the budget of 1.01 at 5 % and 2.5 % a side, and how wide their intervals are.
"""

import csv
import io
import pathlib
import subprocess
import sys

import numpy as np

BUDGET, DRAWS = 1.01, 20_000
SQL = """SELECT campaign, pair, min(value) FILTER (side = 'baseline'), min(value) FILTER (side = 'candidate')
FROM samples WHERE metric = 'latency' GROUP BY campaign, pair ORDER BY campaign, pair"""


def campaigns(results, side, gate):
    folders = sorted(path for path in (results / side).iterdir() if path.is_dir())
    text = subprocess.run([gate, "query", *folders, SQL, "--format", "csv"], check=True, capture_output=True, text=True)
    pairs = {}
    for campaign, _, baseline, candidate in list(csv.reader(io.StringIO(text.stdout)))[1:]:
        pairs.setdefault(campaign, []).append((float(baseline), float(candidate)))
    return [np.array(campaign) for campaign in pairs.values()]


def bootstrap(statistic):
    def interval(pairs, alpha):
        drawn = np.random.default_rng(1).integers(0, len(pairs), (DRAWS, len(pairs)))
        return np.quantile(statistic(pairs[drawn]), [alpha, 1 - alpha], method="inverted_cdf")

    return interval


def ratio_of_medians(pairs):
    medians = np.median(pairs, axis=-2)
    return medians[..., 1] / medians[..., 0]


def median_log_ratio(pairs):
    return np.exp(np.median(np.log(pairs[..., 1] / pairs[..., 0]), axis=-1))


def hodges_lehmann(pairs, alpha):
    logs = np.log(pairs[:, 1] / pairs[:, 0])
    first, second = np.triu_indices(len(logs))
    walsh = np.sort((logs[first] + logs[second]) / 2)
    # The null distribution of the signed ranks' sum, counted.
    ways = np.ones(1)
    for rank in range(1, len(logs) + 1):
        ways = np.concatenate([ways, np.zeros(rank)]) + np.concatenate([np.zeros(rank), ways])
    outside = int(np.searchsorted(np.cumsum(ways) / ways.sum(), alpha, side="right"))
    return np.exp([walsh[outside - 1], walsh[-outside]]) if outside else np.array([0, np.inf])


ESTIMATORS = {
    "ratio-of-medians": bootstrap(ratio_of_medians),
    "median-log-ratio": bootstrap(median_log_ratio),
    "hodges-lehmann": hodges_lehmann,
}
gate = sys.argv[2] if len(sys.argv) > 2 else "gate"
for side in ("slow", "same"):
    measured = campaigns(pathlib.Path(sys.argv[1]), side, gate)
    spread = np.median([np.std(np.log(pairs[:, 1] / pairs[:, 0]), ddof=1) for pairs in measured])
    print(f"{side}: {len(measured)} campaigns, median sd of a pair's log ratio {100 * spread:.2f} %")
    for alpha in (0.05, 0.025):
        for name, interval in ESTIMATORS.items():
            low, high = np.array([interval(pairs, alpha) for pairs in measured]).T
            print(
                f"  {100 * alpha:.1f} % a side, {name:17} {np.sum(low > BUDGET):3} fail, {np.sum(high <= BUDGET):3} pass,"
                f" median width {100 * np.median(high - low):.2f} %"
            )
