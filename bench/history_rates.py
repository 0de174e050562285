# SPDX-License-Identifier: GPL-3.0-or-later
"""Usage: history_rates.py [SERIES]     how often memstor history finds a step, and how often it finds one where
there is none, in invented series of 60 commits with three runs each; beside it the rules of others. Prints
Markdown tables. SERIES of each row (default: 1000); without a step a tenth of them is checked after each commit,
too, as a CI job does."""

import math
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from memstor import metric, report
from memstor.changes import changes
from memstor.series import Point, Series

RESULTS = Path(__file__).resolve().parents[1] / "results/ci"
COMMITS, RUNS, NEAR = 60, 3, 2
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
STEPS = (1, 2, 5, 10)
# Deviations (of logarithms) between runs of a commit, and of what all runs of a commit share.
NOISES = {
    "quiet": (0.005, 0.002),
    "usual": (0.02, 0.01),
    "between jobs": (0.003, 0.05),
    "heavy tails": (0.02, 0.01),
    "outliers": (0.02, 0.01),
    "drift of 5 %": (0.01, 0.005),
    "of results/ci": (math.nan, math.nan),  # of each series another metric's
}


def of_results() -> list[float]:
    """Deviations between runs: of each metric and step of results/ci that of its two or more runs."""
    steps: dict[str, dict[str, list[float]]] = {}
    for path in report.find([str(RESULTS)]):
        of = report.read_file(path)
        for name, number in metric.defaults(of).items():
            if number and not number.is_bound and number.value > 0:
                steps.setdefault(of.labels.get("step", of.tool), {}).setdefault(name, []).append(number.value)
    runs = [values for one in steps.values() for values in one.values() if len(values) > 1]
    return [float(np.std(np.log(values), ddof=1)) for values in runs]


OF_RESULTS = of_results()


def runs_of(noise: str, random: np.random.Generator, step: float, at: int) -> np.ndarray:
    """Shape (commits, runs)."""
    within, between = NOISES[noise]
    if noise == "of results/ci":
        within = random.choice(OF_RESULTS)
        between = within / 2
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


def alarms_of(rule, runs: np.ndarray) -> int:
    """Those of a rule that is asked after each commit; one that moves by a few commits is the same."""
    known: list[int] = []
    for count in range(1, COMMITS + 1):
        known += [at for at in rule(runs[:count]) if not any(abs(at - one) <= NEAR for one in known)]
    return len(known)


def main() -> None:
    print(f"{COUNT} series a row, {COMMITS} commits with {RUNS} runs each.\n")
    deviations = np.quantile(OF_RESULTS, [0, 0.25, 0.5, 0.75, 1])
    print(
        f"results/ci: {len(OF_RESULTS)} metrics, deviation", *(f"{100 * x:.2g} %" for x in deviations), "\n"
    )
    print("No step: changes found in 1,000 points, once at the end | by a check after each commit.\n")
    print("| noise | " + " | ".join(f"{name} | each commit" for name in RULES) + " |")
    print("|" + "---|" * (2 * len(RULES) + 1))
    for noise in NOISES:
        if noise.startswith("drift"):
            continue  # it has a change
        random = np.random.default_rng(1)
        every = [runs_of(noise, random, 0, COMMITS) for _ in range(COUNT)]
        cells = []
        for rule in RULES.values():
            found = sum(len(rule(runs)) for runs in every)
            some = every[: max(1, COUNT // 10)]
            alarms = sum(map(partial(alarms_of, rule), some))
            cells += [1000 * found / len(every) / COMMITS, 1000 * alarms / len(some) / COMMITS]
        print(f"| {noise} | " + " | ".join(f"{n:.2f}" for n in cells) + " |", flush=True)
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
