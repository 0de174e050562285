# SPDX-License-Identifier: GPL-3.0-or-later
"""Usage: compare_rates.py [PAIRS]: how often memstor compare is right, on runs with known truth, as Markdown.

Each figure is of PAIRS (1000) pairs of groups with a fixed seed; its standard error is at most 1.6 % for 1000.
results/companion.md has what it printed.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from memstor import stats
from memstor.metric import Number

# Logarithms of a run's number.
SHAPES = {
    "normal": lambda rng, n: 0.02 * rng.standard_normal(n),
    "skewed": lambda rng, n: np.log(rng.standard_exponential(n)),
    "two modes": lambda rng, n: 0.2 * (rng.random(n) < 0.5) + 0.005 * rng.standard_normal(n),
    "rare mode": lambda rng, n: 0.2 * (rng.random(n) < 0.1) + 0.005 * rng.standard_normal(n),
    "heavy tails": lambda rng, n: 0.02 * rng.standard_t(2, n),
    "spikes": lambda rng, n: 0.02 * np.exp(rng.standard_normal(n)),
    "many ties": lambda rng, n: 0.01 * np.round(2 * rng.standard_normal(n)),
}
SIZES = ((3, 3), (4, 4), (5, 5), (7, 7), (10, 10), (20, 20), (5, 20))


def runs(logs):
    return [Number(value, value, value) for value in 1000 * np.exp(logs)]


def verdicts(pairs, draw, sizes, change=0.0, margin=0.0, seed=16):
    """Of each pair, whose new runs take longer by change percent."""
    rng = np.random.default_rng(seed)
    rule = stats.Rule(margin=margin, is_margin_given=True)
    by = np.log1p(change / 100)
    for _ in range(pairs):
        base, new = (runs(draw(rng, n) + shift) for n, shift in zip(sizes, (0, by)))
        yield stats.decide(rule, "lower", base, new).verdict


def share(found, *wanted):
    found = list(found)
    return f"{100 * sum(verdict in wanted for verdict in found) / len(found):.1f}"


def overall(pairs, sets, n, change=0.0, seed=17):
    """The overall verdict of sets of ten metrics whose logarithms have pairwise correlation 0.5."""
    rng = np.random.default_rng(seed)
    for _ in range(pairs):
        changes = []
        for _ in range(sets):
            own, common = rng.standard_normal((2, 10, n)), rng.standard_normal((2, 1, n))
            logs = 0.02 * (own + common) + [[[0]], [[np.log1p(change / 100)]]]
            changes += [stats.decide(stats.Rule(), "lower", runs(a), runs(b)) for a, b in zip(*logs)]
        yield stats.settle(0.95, changes)


def table(title, head, rows):
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def main():
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    heads = [f"{n}+{m}" for n, m in SIZES]
    either = (stats.FASTER, stats.SLOWER)
    table(
        "No change, no margin: one metric is called faster or slower, in percent (nominal 5).",
        ["runs", *heads],
        ([name, *(share(verdicts(pairs, draw, s), *either) for s in SIZES)] for name, draw in SHAPES.items()),
    )
    normal = SHAPES["normal"]
    table(
        "Normal runs with a deviation of `noise` %, slower by `change` %: the verdict slower, in percent.",
        ["change", "noise", *heads[:-1]],
        (
            [change, noise]
            + [
                share(verdicts(pairs, lambda r, n: noise / 2 * normal(r, n), s, change), stats.SLOWER)
                for s in SIZES[:-1]
            ]
            for change in (5, 10, 20)
            for noise in (1, 2, 5, 10)
        ),
    )
    table(
        "No change, a margin of 2 %: the verdict no difference, in percent.",
        ["noise", *heads[:-1]],
        (
            [noise]
            + [
                share(
                    verdicts(pairs, lambda r, n: noise / 2 * normal(r, n), s, margin=0.02),
                    stats.NO_DIFFERENCE,
                )
                for s in SIZES[:-1]
            ]
            for noise in (0.5, 1, 2, 5)
        ),
    )
    few = max(1, pairs // 4)
    table(
        "Ten metrics a set with pairwise correlation 0.5 and a noise of 2.8 %: the overall verdict faster or slower.",
        ["sets", "change", *heads[:5]],
        (
            [sets, change, *(share(overall(few, sets, n, change), *either) for n, _ in SIZES[:5])]
            for sets in (1, 20)
            for change in (0, 5, 10, 20)
        ),
    )


main()
