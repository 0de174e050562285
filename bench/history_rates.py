# SPDX-License-Identifier: GPL-3.0-or-later
"""Usage: history_rates.py [SERIES]     how often memstor history finds a step, and how often it finds one where
there is none, in invented series of 60 commits with three runs each; beside it the rules of others. Prints
Markdown tables. SERIES of each row (default: 250)."""

import math
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from memstor.changes import changes
from memstor.history import Point, Series

COMMITS, RUNS, NEAR = 60, 3, 2
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 250
STEPS = (1, 2, 5, 10)
# Deviations (of logarithms) between runs of a commit, and of what all runs of a commit share.
NOISES = {
    "quiet": (0.005, 0.002),
    "usual": (0.02, 0.01),
    "between jobs": (0.003, 0.05),
    "heavy tails": (0.02, 0.01),
    "outliers": (0.02, 0.01),
    "drift of 5 %": (0.01, 0.005),
}


def runs_of(noise: str, random: np.random.Generator, step: float, at: int) -> np.ndarray:
    """Shape (commits, runs)."""
    within, between = NOISES[noise]
    logs = random.normal(0, between, (COMMITS, 1)) + random.normal(0, within, (COMMITS, RUNS))
    if noise == "heavy tails":
        logs = random.normal(0, between, (COMMITS, 1)) + within * random.standard_t(2, (COMMITS, RUNS))
    if noise == "outliers":
        logs += (random.random((COMMITS, RUNS)) < 0.03) * 0.5
    if noise.startswith("drift"):
        logs += np.linspace(0, math.log(1.05), COMMITS)[:, None]
    logs[at:] += math.log1p(step)
    return np.exp(logs)


def by_history(runs: np.ndarray, given: float | None = None) -> list[int]:
    points = [Point(str(i), str(i), list(row), {}) for i, row in enumerate(runs)]
    least = Series(0, "", "", "", "lower", {}, points).least(given)
    return [one.at for one in changes(np.median(runs, axis=1), least)]


def by_one_percent(runs: np.ndarray) -> list[int]:
    return by_history(runs, 0.01)


def by_threshold(runs: np.ndarray) -> list[int]:
    """A point is 5 % off the one before."""
    logs = np.log(np.median(runs, axis=1))
    return [i for i in range(1, len(logs)) if abs(logs[i] - logs[i - 1]) > math.log(1.05)]


def by_average(runs: np.ndarray) -> list[int]:
    """A point is 5 % off the mean of the ten before."""
    logs = np.log(np.median(runs, axis=1))
    return [i for i in range(10, len(logs)) if abs(logs[i] - logs[i - 10 : i].mean()) > math.log(1.05)]


RULES = {
    "memstor": by_history,
    "--min-change 1%": by_one_percent,
    "threshold": by_threshold,
    "moving average": by_average,
}


def main() -> None:
    print(f"{COUNT} series a row, {COMMITS} commits with {RUNS} runs each.\n")
    print("No step: changes found in 1,000 points.\n")
    print("| noise | " + " | ".join(RULES) + " |\n|" + "---|" * (len(RULES) + 1))
    for noise in NOISES:
        if noise.startswith("drift"):
            continue  # it has a change
        random = np.random.default_rng(1)
        every = [runs_of(noise, random, 0, COMMITS) for _ in range(COUNT)]
        found = [sum(len(rule(runs)) for runs in every) for rule in RULES.values()]
        print(f"| {noise} | " + " | ".join(f"{1000 * n / COUNT / COMMITS:.2f}" for n in found) + " |")
    print(
        f"\nA step after 20 to 40 commits: found within {NEAR} commits (recall), and of what is found the share"
    )
    print("that is such a step (precision), in percent.\n")
    print("| noise | step | " + " | ".join(f"{name}: recall | precision" for name in RULES) + " |")
    print("|" + "---|" * (2 + 2 * len(RULES)))
    began = time.process_time()
    for noise in NOISES:
        for step in STEPS:
            random = np.random.default_rng(step)
            hits = dict.fromkeys(RULES, 0)
            found = dict.fromkeys(RULES, 0)
            for _ in range(COUNT):
                at = int(random.integers(20, 40))
                runs = runs_of(noise, random, step / 100 * random.choice([-1, 1]), at)
                for name, rule in RULES.items():
                    places = rule(runs)
                    found[name] += len(places)
                    hits[name] += any(abs(place - at) <= NEAR for place in places)
            cells = []
            for name in RULES:
                precision = f"{100 * hits[name] / found[name]:.0f}" if found[name] else "-"
                cells.append(f"{100 * hits[name] / COUNT:.0f} | {precision}")
            print(f"| {noise} | {step} % | " + " | ".join(cells) + " |", flush=True)
    print(
        f"\n{(time.process_time() - began) / len(NOISES) / len(STEPS) / COUNT * 1e3:.1f} ms of CPU a series."
    )


main()
