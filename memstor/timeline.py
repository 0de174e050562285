# SPDX-License-Identifier: GPL-3.0-or-later
"""A history as it is shown: each series with its changes, those first that somebody has to look at."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from statistics import median
from typing import NamedTuple, Sequence

import numpy as np

from memstor import stats
from memstor.error import Problem
from memstor.history import Move, Point, Series, headline, is_open, load, moves, notes, opened
from memstor.output import input_bytes

# What changes are, the first of them first.
SLOWER, ENVIRONMENT, ACKNOWLEDGED, TAKEN_BACK, FASTER = STATES = (
    "slower",
    "environment",
    "acknowledged",
    "taken back",
    "faster",
)
FEW = 6  # runs; of fewer the interval is from the least to the most


class Timeline(NamedTuple):
    """states: of each change. about: what tells the host class from others with a series of this name."""

    series: Series
    moves: list[Move]
    states: list[str]
    about: str

    @property
    def state(self) -> str:
        return min(self.states, key=STATES.index, default="")

    @property
    def levels(self) -> list[tuple[int, int, float]]:
        """Between changes: the first and the last point, and their median."""
        points = self.series.points
        ends = [0, *(move.change.at for move in self.moves), len(points)]
        return [(a, b - 1, median(p.value for p in points[a:b])) for a, b in zip(ends, ends[1:]) if b > a]

    @property
    def places(self) -> list[float]:
        """Where points of other branches are among those of the main one, which are at 0, 1, 2 ..."""
        times = [point.time for point in self.series.points]
        behind = [bisect_right(times, point.time) - 1 for point in self.series.others]
        count, seen, found = Counter(behind), Counter[int](), []
        for at in behind:
            seen[at] += 1
            found.append(at + seen[at] / (count[at] + 1))
        return found


def _state(move: Move, found: list[Move]) -> str:
    if move.reason or move.cause:
        return ACKNOWLEDGED if move.reason else ENVIRONMENT
    return SLOWER if is_open(move, found) else TAKEN_BACK if move.is_slower else FASTER


def _conditions(series: Series) -> dict[str, str]:
    options = {f"--{name}": text for name, text in series.host.get("options", {}).items()}
    return {name: str(text) for name, text in (series.host | options).items() if name != "options"}


def _about(series: Series, every: Sequence[Series]) -> str:
    """Of what makes the class of host that in which those of series with the same name differ."""
    own, others = _conditions(series), [_conditions(one) for one in every]
    names = [name for name in own if any(other.get(name) != own[name] for other in others)]
    return ", ".join(f"{name} {own[name] or 'unknown'}" for name in names)


def interval(point: Point) -> tuple[float, float]:
    """Of the median of its runs at 95 %, or of few runs from the least to the most."""
    found = stats.median_interval(np.array(point.values), 0.95) if len(point.values) >= FEW else None
    return (found.low, found.high) if found else (min(point.values), max(point.values))


def _rank(line: Timeline) -> tuple[int, float, str]:
    state = line.state
    sizes = [abs(math.log(m.change.ratio)) for m, s in zip(line.moves, line.states) if s == state]
    return STATES.index(state) if state else len(STATES), -max(sizes, default=0.0), line.series.name


def read(path: str, main: str, wanted: Sequence[str] = ()) -> tuple[list[Timeline], list[str]]:
    """The series of a file, the changed ones first, and what history check says of all: a headline and notes.
    Problem if there is nothing of this branch."""
    input_bytes(path, 1)
    try:
        with opened(path, False) as db:
            every = load(db, main, wanted)
    except Problem as problem:
        raise Problem(str(problem).removeprefix("--db "), status=problem.status) from None
    if not every:
        raise Problem("no such series: memstor history show lists them", path)
    if not any(one.points for one in every):
        raise Problem(f"no point is of the branch {main!r}: --main names another", path)
    named: dict[str, list[Series]] = {}
    for one in every:
        named.setdefault(one.name, []).append(one)
    lines = []
    for one in every:
        found = moves(one, None)
        states = [_state(move, found) for move in found]
        lines.append(Timeline(one, found, states, _about(one, named[one.name])))
    of_main, found = [one for one in every if one.points], [move for line in lines for move in line.moves]
    return sorted(lines, key=_rank), [headline(of_main, found, main), *notes(of_main, found)]
