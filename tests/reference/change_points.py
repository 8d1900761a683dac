#!/usr/bin/env python3
"""Reference values for change points: writes change_points.json beside this script.

    python3 change_points.py            # rewrite change_points.json
    python3 change_points.py --check    # exit 1 if change_points.json would change

Nothing here follows the Rust code: Q is summed pair by pair in exact fractions, as Matteson & James
(2014) define it with alpha = 1, and the p of a division is the share of 2,000 permutations of
Python's own generator, so that only what is clear by it is kept: p below 0.03 or above 0.08.
`--ecp` prints R code that has the same series searched by the authors' own package.
"""

import json
import pathlib
import random
import sys
from fractions import Fraction

PATH = pathlib.Path(__file__).with_name("change_points.json")
PERMUTATIONS = 2_000
FEWEST = 2


def exact_q(before, after):
    """Q by its definition, in fractions."""
    m, n = len(before), len(after)
    between = Fraction(sum(abs(x - y) for x in before for y in after), m * n)
    within = [
        Fraction(sum(abs(x - y) for x in group for y in group), len(group) * (len(group) - 1))
        for group in (before, after)
    ]
    return Fraction(m * n, m + n) * (2 * between - sum(within))


def best(values):
    """The largest Q, and where it divides; None where nothing differs."""
    found = None
    for at in range(FEWEST, len(values) - FEWEST + 1):
        for end in range(at + FEWEST, len(values) + 1):
            q = exact_q(values[:at], values[at:end])
            if q > (found[0] if found else 0):
                found = (q, at)
    return found


def quick_best(values):
    """The same largest Q in floats, from running sums."""
    n = len(values)
    within = [[0.0] * (n + 1) for _ in range(n)]
    for start in range(n):
        for end in range(start + 1, n):
            more = sum(abs(values[end] - other) for other in values[start:end])
            within[start][end + 1] = within[start][end] + more
    largest = 0.0
    for at in range(FEWEST, n - FEWEST + 1):
        for end in range(at + FEWEST, n + 1):
            a, b = at, end - at
            between = within[0][end] - within[0][at] - within[at][end]
            q = (a * b / (a + b)) * (
                2 * between / (a * b)
                - within[0][at] / (a * (a - 1) / 2)
                - within[at][end] / (b * (b - 1) / 2)
            )
            largest = max(largest, q)
    return largest


def changes(values, generator):
    """The places where the level changes, found segment by segment."""
    ends = [0, len(values)]
    while True:
        segments = [(values[a:b], a) for a, b in zip(ends, ends[1:])]
        found = [(divided, start) for part, start in segments if (divided := best(part))]
        if not found:
            break
        (q, at), start = max(found, key=lambda one: one[0][0])
        as_large = 0
        for _ in range(PERMUTATIONS):
            shuffled = [generator.sample(part, len(part)) for part, _ in segments]
            as_large += max(quick_best(part) for part in shuffled) >= float(q) * (1 - 1e-9)
        p = (as_large + 1) / (PERMUTATIONS + 1)
        if p > 0.08:
            break
        assert p < 0.03, f"too close to call: {p}"
        ends = sorted([*ends, start + at])
    return ends[1:-1]


def series():
    """Whole numbers, so that fractions stay small: levels with noise of about 3 %."""
    noise = random.Random(20260102)

    def level(value, count, spread=0.03):
        return [round(value * (1 + spread * (sum(noise.random() for _ in range(12)) - 6))) for _ in range(count)]

    yield "one level", level(10_000, 20)
    yield "a step", level(10_000, 9) + level(12_000, 11)
    yield "a step back", level(10_000, 8) + level(13_000, 8) + level(10_000, 9)
    yield "three steps", level(10_000, 10) + level(12_000, 10) + level(15_000, 10) + level(9_000, 10)
    yield "a step near the end", level(10_000, 25) + level(13_000, 4)
    yield "an outlier", level(10_000, 10) + [40_000] + level(10_000, 10)
    yield "more spread", level(10_000, 15, 0.01) + level(10_000, 15, 0.12)
    yield "too few", level(10_000, 3) + level(20_000, 3)


def main():
    generator = random.Random(7)
    cases = []
    for name, values in series():
        q, at = best(values)
        found = changes(values, generator)
        cases.append({"name": name, "values": values, "q": float(q), "at": at, "changes": found})
    text = json.dumps(cases, indent=1) + "\n"
    if "--ecp" in sys.argv:
        print("library(ecp); set.seed(1)")
        for case in cases:
            data = ",".join(map(str, case["values"]))
            print(f"x <- matrix(c({data})); e <- e.divisive(x, sig.lvl=0.05, R=999, min.size=2, alpha=1)")
            print(f"cat('{case['name']}:', setdiff(e$estimates, c(1, nrow(x) + 1)) - 1, '\\n')")
    elif "--check" in sys.argv:
        sys.exit(PATH.read_text() != text)
    else:
        PATH.write_text(text)


if __name__ == "__main__":
    main()
