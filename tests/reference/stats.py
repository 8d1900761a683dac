#!/usr/bin/env python3
"""Reference values for the statistics module: writes stats.json beside this script.

    pip install numpy scipy statsmodels
    python3 stats.py            # rewrite stats.json
    python3 stats.py --check    # exit 1 if stats.json would change

Nothing here follows the Rust code: quantiles come from NumPy and from exact fractions, the exact
bootstrap from every one of the n^n index tuples, the draws from NumPy's PCG64 and hashlib, Holm
from statsmodels, the rank test from SciPy or from every way to deal out the ranks, and the error
rates of the percentile interval from SciPy's binomial; the bounds of looks from Gauss-Legendre
quadrature, the parts of a variance from their expectation. Where two
sources exist, the script fails unless they agree. Values of R are made by stats.R.
Made with Python 3.11, NumPy 2.4, SciPy 1.17, statsmodels 0.15.
"""

import hashlib
import itertools
import json
import math
import pathlib
import random
import struct
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import scipy.optimize
import scipy.stats
from statsmodels.stats.multitest import multipletests

WHOLE = 10_000
PATH = pathlib.Path(__file__).with_name("stats.json")
# Only its random() is promised to stay the same in later versions.
noise = random.Random(20260101)


def measurements(n, level, spread):
    """n positive values as a benchmark gives them, rounded so that ties occur."""
    normal = [sum(noise.random() for _ in range(12)) - 6 for _ in range(n)]
    return [round(level * math.exp(spread * z), 3) for z in normal]


# Quantiles


def nearest_rank(values, parts):
    """The smallest value whose cumulative weight reaches parts / 10,000, in exact fractions."""
    ordered = sorted(values)
    for count, value in enumerate(ordered, 1):
        if Fraction(count, len(ordered)) >= Fraction(parts, WHOLE):
            return value
    raise AssertionError


def quantiles():
    cases = []
    for n in [1, 2, 3, 4, 5, 8, 9, 10, 19, 20, 21, 99, 100, 101, 1000]:
        values = sorted(measurements(n, 100.0, 0.1))
        for parts in [
            0,
            1,
            250,
            500,
            700,
            2500,
            2900,
            5000,
            7500,
            9000,
            9500,
            9900,
            9990,
            9999,
            10000,
        ]:
            rank = nearest_rank(values, parts)
            # Where n·q is not an integer, the float product of NumPy cannot pick the wrong rank.
            if n * parts % WHOLE:
                assert rank == np.quantile(values, parts / WHOLE, method="inverted_cdf")
            # Exact, because NumPy takes the share between two values from a float product.
            below, share = divmod(Fraction((n - 1) * parts, WHOLE), 1)
            low, high = (Fraction(values[min(i, n - 1)]) for i in (below, below + 1))
            linear = float(low + (high - low) * share)
            assert math.isclose(
                linear, np.quantile(values, parts / WHOLE, method="linear"), rel_tol=1e-13
            )
            cases.append(
                {"n": n, "parts": parts, "nearest_rank": rank, "linear": linear, "values": values}
            )
    # The values once for each n.
    grouped = {}
    for case in cases:
        group = grouped.setdefault(case.pop("n"), {"values": case["values"], "levels": []})
        del case["values"]
        group["levels"].append(case)
    for group in grouped.values():
        values = sorted(group["values"], key=lambda _: noise.random())
        group["unsorted"] = values
        group["median"] = float(np.median(values))
        group["mean"] = math.fsum(values) / len(values)
    return list(grouped.values())


# Bootstrap


def weighted_quantile(distribution, share):
    """The smallest value whose cumulative weight reaches `share`, an exact fraction."""
    total = sum(weight for _, weight in distribution)
    reached = 0
    for value, weight in distribution:
        reached += weight
        if Fraction(reached, total) >= share:
            return value
    raise AssertionError


def intervals(distribution):
    ends = {}
    for rule, confidence in [
        ("two_sided", 9500),
        ("one_sided", 9500),
        ("two_sided", 9000),
        ("one_sided", 9999),
    ]:
        alpha = Fraction(WHOLE - confidence, WHOLE)
        if rule == "two_sided":
            alpha /= 2
        low, high = weighted_quantile(distribution, alpha), weighted_quantile(
            distribution, 1 - alpha
        )
        ends[f"{rule}_{confidence}"] = [low, high]
    return ends


def claims(distribution, n):
    """p of four claims for bounds on, between and outside the values."""
    total = sum(weight for _, weight in distribution)
    values = [value for value, _ in distribution]
    middle = len(values) // 2
    bounds = [
        values[0] / 2,
        values[0],
        values[middle],
        np.nextafter(values[middle], 2 * values[-1]),
        values[-1],
        values[-1] * 2,
    ]
    floor = Fraction(1, 2**n)

    def p(contradicts):
        return float(max(floor, Fraction(sum(w for v, w in distribution if contradicts(v)), total)))

    return [
        {
            "bound": float(bound),
            "within_at_most": p(lambda v: v > bound),
            "within_at_least": p(lambda v: v < bound),
            "beyond_at_most": p(lambda v: v <= bound),
            "beyond_at_least": p(lambda v: v >= bound),
        }
        for bound in bounds
    ]


def bootstrap_case(baseline, candidate, resamples, keep):
    """`resamples` yields arrays of index tuples, one a row. Index i is the i-th pair in ascending
    order for the ratio, and the i-th candidate in ascending order for the median."""
    below, above = np.array(sorted(zip(baseline, candidate))).T
    alone = np.array(sorted(candidate))
    inside = np.array(sorted(np.array(candidate) / np.array(baseline)))
    ratios, medians, logs = Counter(), Counter(), Counter()
    n = len(baseline)

    def log_median(rows):
        # Halfway between two logarithms is the root of a product.
        drawn = np.sort(inside[rows], axis=1)
        return np.sqrt(drawn[:, (n - 1) // 2] * drawn[:, n // 2])

    for rows in resamples:
        ratios.update((np.median(above[rows], axis=1) / np.median(below[rows], axis=1)).tolist())
        medians.update(np.median(alone[rows], axis=1).tolist())
        logs.update(log_median(rows).tolist())
    log_point = float(log_median(np.arange(n)[None, :])[0])
    assert math.isclose(log_point, math.exp(np.median(np.log(inside))), rel_tol=1e-14)
    case = {
        "baseline": baseline,
        "candidate": candidate,
        "point": float(np.median(candidate) / np.median(baseline)),
        "log_point": log_point,
    }
    for name, counter in [("ratio", ratios), ("median", medians), ("log_ratio", logs)]:
        distribution = sorted(counter.items())
        case[name] = {
            "total": sum(counter.values()),
            "distinct": len(distribution),
            "intervals": intervals(distribution),
            "claims": claims(distribution, n),
        }
        if keep:
            case[name]["distribution"] = [list(pair) for pair in distribution]
    return case


def tuples(n):
    """Every index tuple, in chunks."""
    product = itertools.product(range(n), repeat=n)
    while chunk := list(itertools.islice(product, 50_000)):
        yield np.array(chunk)


def exact():
    cases = []
    for n in range(1, 8):
        baseline, candidate = measurements(n, 2.0, 0.03), measurements(n, 2.1, 0.04)
        cases.append(bootstrap_case(baseline, candidate, tuples(n), keep=n <= 5))
    # Ties on both sides.
    cases.append(
        bootstrap_case([2.0, 2.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.5, 1.5, 3.0], tuples(5), keep=True)
    )
    return cases


# Draws


MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
M128, M64 = 2**128, 2**64


class Stream:
    """Index draws: SHA-256 of seed and n, PCG64 as NumPy has it, Lemire's multiply-shift."""

    def __init__(self, seed, n):
        digest = hashlib.sha256(struct.pack("<QQ", seed, n)).digest()
        state, stream = (int.from_bytes(half, "little") for half in (digest[:16], digest[16:]))
        increment = (stream * 2 + 1) % M128
        self.n = n
        self.generator = np.random.PCG64()
        self.generator.state = {
            "bit_generator": "PCG64",
            "state": {
                "state": ((state + increment) * MULTIPLIER + increment) % M128,
                "inc": increment,
            },
            "has_uint32": 0,
            "uinteger": 0,
        }

    def draw(self):
        while True:
            product = int(self.generator.random_raw()) * self.n
            if product % M64 >= M64 % self.n:
                return product // M64

    def rows(self, draws):
        return np.array([[self.draw() for _ in range(self.n)] for _ in range(draws)])


def drawn():
    cases = []
    for n, seed, draws in [
        (9, 0, 1000),
        (10, 1412, 20_000),
        (12, 7, 777),
        (20, 1412, 2000),
        (21, 2**64 - 1, 1000),
        (300, 3, 100),
    ]:
        baseline, candidate = measurements(n, 2.0, 0.03), measurements(n, 2.1, 0.04)
        rows = Stream(seed, n).rows(draws)
        case = bootstrap_case(baseline, candidate, [rows], keep=False)
        counts = [np.bincount(row, minlength=n).tolist() for row in rows[:3]]
        case |= {
            "n": n,
            "seed": seed,
            "draws": draws,
            "first_indices": rows.ravel()[:20].tolist(),
            "first_counts": counts,
        }
        case["last_counts"] = np.bincount(rows[-1], minlength=n).tolist()
        # SciPy's own bootstrap, of another stream, must land close by.
        if draws >= 2000:
            other = scipy.stats.bootstrap(
                (np.array(candidate), np.array(baseline)),
                lambda c, b, axis=-1: np.median(c, axis=axis) / np.median(b, axis=axis),
                paired=True,
                vectorized=True,
                n_resamples=20_000,
                method="percentile",
                rng=np.random.default_rng(1),
            ).confidence_interval
            low, high = case["ratio"]["intervals"]["two_sided_9500"]
            assert abs(other.low - low) < 0.005 and abs(other.high - high) < 0.005, (
                other,
                low,
                high,
            )
        cases.append(case)
    return cases


# Holm


def holm():
    families = [[0.01, 0.04, 0.03, 0.005], [0.5], [0.2, 0.2, 0.2], [1.0, 0.0, 0.6], [2.0**-5] * 3]
    families += [[round(noise.random() ** 3, 6) for _ in range(m)] for m in (10, 57)]
    cases = []
    for family in families:
        adjusted = multipletests(family, method="holm")[1]
        order = sorted(range(len(family)), key=lambda i: family[i])
        exact_p, largest = {}, Fraction(0)
        for step, index in enumerate(order):
            largest = max(largest, min(Fraction(1), (len(family) - step) * Fraction(family[index])))
            exact_p[index] = largest
        assert np.allclose(
            adjusted, [float(exact_p[i]) for i in range(len(family))], rtol=1e-15, atol=0
        )
        cases.append({"p": family, "adjusted": [float(p) for p in adjusted]})
    needed = []
    for claims_made in [1, 2, 3, 10, 25, 26, 100, 1000]:
        for alpha_parts in [500, 1000]:  # of 20,000
            n = next(
                n
                for n in itertools.count()
                if Fraction(claims_made, 2**n) <= Fraction(alpha_parts, 20_000)
            )
            assert n == math.ceil(math.log2(claims_made / (alpha_parts / 20_000)))
            needed.append({"claims": claims_made, "alpha_parts": alpha_parts, "pairs": n})
    return {"families": cases, "pairs_needed": needed}


# How coarse the interval is


def coarseness():
    """For n distinct candidates over a baseline without noise: which order statistics the ends are,
    and how often a true median lies beyond an end."""
    cases = []
    for n in [1, 3, 5, 7, 9, 11, 15, 21]:
        for rule, alpha in [("two_sided", 0.025), ("one_sided", 0.05)]:
            # The resampled median is at most the k-th value where at least (n + 1) / 2 of the draws
            # are among the first k.
            reached = [scipy.stats.binom.sf((n + 1) // 2 - 1, n, k / n) for k in range(1, n + 1)]
            rank = next(k for k, mass in enumerate(reached, 1) if mass >= alpha)
            # The lower end is above the true median where fewer than `rank` values are at or below
            # that median.
            error = float(scipy.stats.binom.cdf(rank - 1, n, 0.5))
            margin = min(abs(mass - alpha) for mass in reached)
            cases.append(
                {"n": n, "rule": rule, "rank": rank, "error": error, "margin": float(margin)}
            )
    return cases


# Sides measured apart


def enumerated_p(old, new):
    """Twice the smaller tail over every way to choose the old side, in exact fractions; ties share their rank."""
    ranks = [Fraction(float(2 * r)).limit_denominator(1) / 2 for r in scipy.stats.rankdata(old + new)]
    observed = sum(ranks[: len(old)])
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, len(old))]
    if observed - Fraction(len(old) * (len(old) + 1), 2) == Fraction(len(old) * len(new), 2):
        return 1.0
    tail = min(sum(s <= observed for s in sums), sum(s >= observed for s in sums))
    return float(min(Fraction(1), Fraction(2 * tail, len(sums))))


def rank_sums():
    cases = []
    for n, m in [(1, 1), (2, 3), (4, 4), (5, 7), (8, 8), (10, 10), (20, 17), (50, 50), (50, 3), (51, 50), (90, 70)]:
        for level in [100.0, 101.0, 106.0]:
            # No value twice.
            old, new = (
                [v + i / 2**20 for i, v in enumerate(measurements(k, base, 0.05), offset)]
                for k, base, offset in [(n, 100.0, 0), (m, level, n)]
            )
            assert len(set(old + new)) == n + m
            method = "exact" if max(n, m) <= 50 else "asymptotic"
            p = scipy.stats.mannwhitneyu(old, new, method=method).pvalue
            if max(n, m) <= 8:
                assert math.isclose(p, enumerated_p(old, new), rel_tol=1e-12)
            cases.append({"old": old, "new": new, "p": float(p)})
    for n, m in [(2, 2), (3, 5), (6, 6), (8, 8), (9, 7), (26, 10), (40, 60)]:
        for level in [10.0, 11.0]:
            old, new = ([float(round(v)) for v in measurements(k, base, 0.15)] for k, base in [(n, 10.0), (m, level)])
            if max(n, m) <= 25:
                p = enumerated_p(old, new)
            else:
                p = scipy.stats.mannwhitneyu(old, new, method="asymptotic").pvalue
            cases.append({"old": old, "new": new, "p": float(p)})
    return cases


def median_ranks():
    """The largest k with 2·P(B < k) at most 1 - confidence, or 0."""
    cases = []
    for confidence in [9000, 9500, 9900]:
        for n in [*range(1, 41), 50, 99, 100, 1000, 5000]:
            below = scipy.stats.binom.cdf(np.arange(n // 2 + 1), n, 0.5)
            rank = int((2 * below <= 1 - confidence / WHOLE).sum())
            cases.append({"n": n, "confidence": confidence, "rank": rank})
    return cases


def geometric_means():
    cases = [measurements(n, 1e-6, 1.0) for n in (1, 2, 7)] + [[0.5, 1e-9, 1e12], measurements(50, 1e3, 2.0)]
    cases = [[value or 1e-3 for value in case] for case in cases]
    return [{"values": values, "mean": float(scipy.stats.gmean(values))} for values in cases]


# Estimators on log ratios


def signed_ranks():
    """Hodges-Lehmann by sorting all Walsh averages and by counting all sets of ranks in whole numbers."""
    cases = []
    for n, ties in [(5, 0), (6, 0), (8, 1), (9, 0), (10, 1), (13, 0), (20, 0), (20, 1), (60, 0), (150, 0), (400, 1)]:
        baseline, candidate = measurements(n, 2.0, 0.03), measurements(n, 2.1, 0.04)
        if ties:
            # Powers of two, so that their averages are exact, and some are on a bound.
            baseline = [2.0 ** noise.choice([0, 1]) for _ in range(n)]
            candidate = [2.0 ** noise.choice([0, 1, 1, 2]) for _ in range(n)]
        d = np.log2(np.array(candidate) / np.array(baseline))
        i, j = np.triu_indices(n)
        walsh = np.sort((d[i] + d[j]) / 2)
        ways = [1] + [0] * (n * (n + 1) // 2)
        for rank in range(1, n + 1):
            for total in range(len(ways) - 1, rank - 1, -1):
                ways[total] += ways[total - rank]
        assert sum(ways) == 2**n
        upto = list(itertools.accumulate(ways))
        intervals = {}
        for name, alpha in [("two_sided", Fraction(1, 40)), ("one_sided", Fraction(1, 20))]:
            k = sum(Fraction(count, 2**n) <= alpha for count in upto) - 1
            intervals[name] = [float(2 ** walsh[k]), float(2 ** walsh[-1 - k])] if k >= 0 else None
        claims_made = []
        # Beside the ratios of three decimals, so that no logarithm decides on which side an average lies.
        for bound in [0.5, 1.0, 2.0, 4.0] if ties else [0.9000007, 1.0200003, 1.0400007, 1.0600003, 1.1000007]:
            above = int((walsh > np.log2(bound)).sum())
            below = int((walsh < np.log2(bound)).sum())
            on = len(walsh) - above - below
            p = [Fraction(upto[w], 2**n) for w in (above, below, below + on, above + on)]
            names = ["within_at_most", "within_at_least", "beyond_at_most", "beyond_at_least"]
            claims_made.append({"bound": bound, **{name: float(v) for name, v in zip(names, p)}})
            if not ties and n <= 50:
                # Without ties and zeros these are the p of the test.
                test = scipy.stats.wilcoxon(d - np.log2(bound), alternative="less", method="exact").pvalue
                assert math.isclose(test, p[0], rel_tol=1e-12), (test, p[0])
        student = {}
        for name, level in [("two_sided", 0.975), ("one_sided", 0.95)]:
            logs = np.log(candidate) - np.log(baseline)
            half = scipy.stats.t.ppf(level, n - 1) * scipy.stats.sem(logs)
            student[name] = [math.exp(logs.mean() - half), math.exp(logs.mean() + half)]
        cases.append(
            {
                "baseline": baseline,
                "candidate": candidate,
                "point": float(2 ** np.median(walsh)),
                "intervals": intervals,
                "claims": claims_made,
                "student": student,
            }
        )
    return cases


def clopper_pearson():
    cases = []
    for successes, trials in [(0, 1), (1, 1), (0, 60), (3, 60), (57, 60), (12, 1000), (1003, 20_000)]:
        for rule, confidence in [("two_sided", 0.95), ("one_sided", 0.90)]:
            interval = scipy.stats.binomtest(successes, trials).proportion_ci(confidence, "exact")
            cases.append(
                {"successes": successes, "trials": trials, "rule": rule, "interval": [interval.low, interval.high]}
            )
    return cases


# Looks


def looks():
    """Bounds by Gauss-Legendre quadrature over the density of the paths that have crossed none."""
    cases = []
    nodes, weights = np.polynomial.legendre.leggauss(300)
    for pairs, last, alpha in [
        ([20, 40, 60, 80, 100], 100, 0.025),
        ([10, 20], 20, 0.025),
        ([12, 24, 40], 40, 0.05),
        ([10, 15, 18, 30], 50, 0.05),
    ]:
        quantile = scipy.stats.norm.isf(alpha / 2)
        spent, bounds, before = [], [], None
        for look in pairs:
            t = look / last
            spent.append(float(2 * scipy.stats.norm.sf(quantile / math.sqrt(t))))

            def crossed(z):
                if before is None:
                    return scipy.stats.norm.sf(z)
                share, sums, masses = before
                step = math.sqrt(t - share)
                return (masses * scipy.stats.norm.sf((z * math.sqrt(t) - sums) / step)).sum()

            now = spent[-1] - (spent[-2] if len(spent) > 1 else 0)
            z = scipy.optimize.brentq(lambda z: crossed(z) - now, 0, 20, xtol=1e-12)
            low, high = -9 * math.sqrt(t), z * math.sqrt(t)
            sums = low + (nodes + 1) * (high - low) / 2
            if before is None:
                density = scipy.stats.norm.pdf(sums, scale=math.sqrt(t))
            else:
                share, from_sums, from_masses = before
                kernel = scipy.stats.norm.pdf(sums[:, None], from_sums[None, :], math.sqrt(t - share))
                density = kernel @ from_masses
            before = (t, sums, density * weights * (high - low) / 2)
            bounds.append(float(z))
        levels = [float(scipy.stats.norm.sf(z)) for z in bounds]
        cases.append({"pairs": pairs, "last": last, "alpha": alpha, "spent": spent, "z": bounds, "levels": levels})
    # As gsDesign prints them for sfLDOF; ldbounds has 3.3569.
    assert [round(z, 4) for z in cases[0]["z"]] == [4.8769, 3.3570, 2.6803, 2.2898, 2.0310]
    return cases


# Diagnostics


def drifts():
    cases = []
    for n in [3, 4, 10, 20, 33, 34, 60]:
        for slope in [0.0, 0.01]:
            values = [v * (1 + slope * i) + i / 2**20 for i, v in enumerate(measurements(n, 100.0, 0.05))]
            found = scipy.stats.kendalltau(range(n), values, method="exact" if n <= 33 else "asymptotic")
            cases.append({"values": values, "tau": float(found.statistic), "p": float(found.pvalue)})
    for n in [6, 20]:
        values = [float(round(v)) for v in measurements(n, 10.0, 0.15)]
        found = scipy.stats.kendalltau(range(n), values, method="asymptotic")
        cases.append({"values": values, "tau": float(found.statistic), "p": float(found.pvalue)})
    return cases


def autocorrelations():
    cases = []
    for n in [4, 9, 30]:
        values = np.array(measurements(n, 100.0, 0.05))
        centred = values - values.mean()
        lag_one = float((centred[1:] * centred[:-1]).sum() / (centred**2).sum())
        z = (lag_one + 1 / n) / ((n - 2) / (n * math.sqrt(n - 1)))
        cases.append({"values": values.tolist(), "lag_one": lag_one, "p": float(2 * scipy.stats.norm.sf(abs(z)))})
    return cases


def variance_parts():
    """The parts as mean products of values: of one run but not one operation, less that of unlike runs; and of one
    operation, less that of one run. Another unbiased form of the same estimate for runs of equal length."""
    cases = []
    for shape in [(5, 4), (4, 3), (3, 12), (2, 2)]:
        values = 100.0 + np.array(measurements(shape[0], 1.0, 0.3))[:, None]
        values = values + np.array(measurements(math.prod(shape), 1.0, 0.6)).reshape(shape)
        flat = values.ravel() - values.mean()
        run = np.repeat(np.arange(shape[0]), shape[1])
        products, same_run = np.outer(flat, flat), run[:, None] == run[None, :]
        itself = np.eye(len(flat), dtype=bool)
        unlike = products[~same_run].mean()
        of_runs = products[same_run & ~itself].mean() - unlike
        of_operations = products[itself].mean() - products[same_run & ~itself].mean()
        cases.append(
            {"runs": values.tolist(), "of_runs": float(of_runs), "of_operations": float(of_operations / shape[1])}
        )
    return cases


reference = {
    "quantiles": quantiles(),
    "exact": exact(),
    "drawn": drawn(),
    "holm": holm(),
    "coarseness": coarseness(),
    "rank_sums": rank_sums(),
    "median_ranks": median_ranks(),
    "geometric_means": geometric_means(),
    "signed_ranks": signed_ranks(),
    "clopper_pearson": clopper_pearson(),
    "looks": looks(),
    "drifts": drifts(),
    "autocorrelations": autocorrelations(),
    "variance_parts": variance_parts(),
}
text = json.dumps(reference, separators=(",", ":"))
# One case a line: small, and a change shows where it is.
text = (
    text.replace('},{"baseline"', '},\n{"baseline"')
    .replace('},{"values"', '},\n{"values"')
    .replace('},{"old"', '},\n{"old"')
    .replace('},{"runs"', '},\n{"runs"')
    .replace('],"', '],\n"')
)
text += "\n"
if "--check" in sys.argv:
    sys.exit(PATH.read_text() != text)
PATH.write_text(text)
