# SPDX-License-Identifier: GPL-3.0-or-later
"""The series of a history, and their changes, from the file that memstor history keeps.

A series is a metric of a step on a class of host: what is the same after a reboot and on an equal machine.
The file can be made again from the reports.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from bisect import bisect_left, bisect_right
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import combinations
from statistics import median
from typing import Any, Iterator, Sequence
from urllib.parse import quote

import numpy as np
import scipy  # loads scipy.stats when it is used

from memstor import changes, output, stats, units
from memstor.changes import SHORTEST, Change
from memstor.error import HOST, Problem

MAGIC, APPLICATION, VERSION = b"SQLite format 3\0", 0x6D656D68, 1  # "memh"
WAIT_S = 60.0  # for another writer
LEAST, UNKNOWN = math.log1p(0.01), 0.02  # |ln ratio| that counts: at least; where the noise is not known
NEAR = changes.LEAST - 1  # points by which a change moves when others follow
STEADY = 5  # points on each side of a change that agree on a setting
FEW = 6  # runs; of fewer the interval is from the least to the most
LOPSIDED = 0.01  # probability by chance of so many changes of one direction
# States of a change, in the order in which they need attention.
STATES = ("slower", "environment", "acknowledged", "taken back", "faster")
SLOWER, ENVIRONMENT, ACKNOWLEDGED, TAKEN_BACK, FASTER = STATES
# quick_check holds what is in a file against them.
TABLES = [
    """CREATE TABLE host (id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE CHECK (text LIKE '{%' AND json_valid(text))) STRICT""",
    """CREATE TABLE facts (id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE CHECK (text LIKE '{%' AND json_valid(text))) STRICT""",
    """CREATE TABLE series (id INTEGER PRIMARY KEY, host INTEGER NOT NULL REFERENCES host, step TEXT NOT NULL,
  metric TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL CHECK (better IN ('lower', 'higher')),
  UNIQUE (host, step, metric, unit, better)) STRICT""",
    """CREATE TABLE run (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, time TEXT NOT NULL,
  revision TEXT NOT NULL, branch TEXT NOT NULL, path TEXT NOT NULL,
  facts INTEGER NOT NULL REFERENCES facts) STRICT""",
    """CREATE TABLE point (series INTEGER NOT NULL REFERENCES series, run INTEGER NOT NULL REFERENCES run,
  value REAL NOT NULL CHECK (value > 0 AND value < 9e999),
  PRIMARY KEY (series, run)) WITHOUT ROWID, STRICT""",
    """CREATE TABLE ack (series INTEGER NOT NULL REFERENCES series, time TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (series, time)) STRICT""",
]


# --- the file ---


@contextmanager
def opened(path: str, to_write: bool, is_new: bool = False) -> Iterator[sqlite3.Connection]:
    """The history of a file; is_new: it is made where there is none."""
    if not is_new and not os.path.exists(path):
        raise Problem("there is no such file: memstor history add makes it", path)
    if to_write:
        output.check(path, MAGIC, "--db", is_shared=True)
    else:
        output.input_bytes(path, 1)  # a FIFO would wait
    # SQLite keeps a log beside the file, also for a reader. A file that cannot be written, in a folder that
    # cannot, has no other writer.
    modes = ["mode=rwc"] if to_write else ["mode=rw", "mode=ro", "immutable=1"]
    is_open = False
    for mode in modes:
        try:
            name = f"file:{quote(os.fsencode(os.path.abspath(path)))}?{mode}"
            with closing(sqlite3.connect(name, WAIT_S, isolation_level=None, uri=True)) as db:
                _prepare(db, path, to_write)
                is_open = True
                yield db
                return
        except sqlite3.OperationalError as problem:
            if not is_open and mode != modes[-1] and "open" in str(problem):
                continue
            raise Problem(str(problem), path, status=HOST) from None
        except sqlite3.DatabaseError as problem:
            raise Problem(f"is no history of memstor, or is damaged: {problem}", path) from None


def _prepare(db: sqlite3.Connection, path: str, to_write: bool) -> None:
    def pragma(name: str) -> Any:
        return db.execute(f"PRAGMA {name}").fetchone()[0]

    if to_write and not pragma("schema_version"):
        pragma("journal_mode = WAL")
        with db:
            db.execute("BEGIN IMMEDIATE")
            if not pragma("schema_version"):
                marks = f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {VERSION}"
                for statement in (*TABLES, *marks):
                    db.execute(statement)
    if pragma("application_id") != APPLICATION:
        raise Problem("is another program's file; name a new one", path)
    if (version := pragma("user_version")) != VERSION:
        raise Problem(f"has format {version}, this program knows {VERSION}", path)
    db.execute("PRAGMA foreign_keys = ON")
    found = pragma("quick_check(1)")
    if set(TABLES) - {row[0] for row in db.execute("SELECT sql FROM sqlite_master")}:
        found = "its tables are others"
    elif found == "ok" and db.execute("PRAGMA foreign_key_check").fetchone():
        found = "rows are missing"
    if found != "ok":
        raise Problem(f"is damaged: {found}; make it again from the reports", path)


# --- series ---


@dataclass(slots=True)
class Point:
    """A commit: the median of its runs."""

    revision: str
    time: str
    values: list[float]
    facts: dict[str, str]
    branch: str = ""

    @property
    def value(self) -> float:
        return median(self.values)

    @property
    def name(self) -> str:
        return self.revision[:12] or self.time[:19]

    @property
    def day(self) -> str:
        return self.time[:10]

    @property
    def interval(self) -> tuple[float, float]:
        """Of the median at 95 %, or of few runs from the least to the most."""
        found = stats.median_interval(np.array(self.values), 0.95) if len(self.values) >= FEW else None
        return (found.low, found.high) if found else (min(self.values), max(self.values))


@dataclass(frozen=True, slots=True)
class ChangePoint(Change):
    """A change of a series between two points. why: the reason of its acknowledgement, or else what else
    changed with it."""

    before: Point
    after: Point
    is_slower: bool
    state: str
    why: str

    @property
    def size(self) -> str:
        return units.change(self.ratio - 1)

    @property
    def interval(self) -> str:
        if math.isnan(self.low):
            return ""
        return f"{units.change(self.low - 1, '')} to {units.change(self.high - 1, '')}"

    @property
    def between(self) -> str:
        return f"{self.before.name}..{self.after.name}"


@dataclass(slots=True)
class Series:
    """about: what distinguishes its class of host from those of other series of this name."""

    id: int
    step: str
    metric: str
    unit: str
    better: str
    host: dict[str, Any]
    points: list[Point] = field(default_factory=list)  # of the main branch, in the order of time
    others: list[Point] = field(default_factory=list)  # of other branches
    acks: dict[str, str] = field(default_factory=dict)  # time of the first point behind, and reason
    changes: list[ChangePoint] = field(default_factory=list)
    about: str = ""

    @property
    def name(self) -> str:
        return f"{self.step} {self.metric}"

    @property
    def state(self) -> str:
        """Of the change that needs most attention; "" = there is none."""
        return min((change.state for change in self.changes), key=STATES.index, default="")

    @property
    def is_judged(self) -> bool:
        return len(self.points) >= SHORTEST

    @property
    def floor(self) -> float:
        """The change (|ln ratio|) that 95 of 100 pairs of equal commits stay below; NaN = unknown."""
        logs = [np.log(point.values) for point in self.points if len(point.values) > 1]
        if not logs:
            return math.nan
        apart = [abs(a - b) for one in logs for a, b in combinations(one.tolist(), 2)]
        # By the median, which outliers do not move: that of normal runs is 0.954 of their deviation. Of
        # medians of runs the variance is up to pi/2 of that of means.
        runs = median(len(point.values) for point in self.points)
        return 1.96 * median(apart) / 0.954 * math.sqrt(math.pi / runs)

    def least(self, given: float | None) -> float:
        """The smallest change (|ln ratio|) that counts."""
        if given is not None:
            return math.log1p(given)
        floor = self.floor
        return UNKNOWN if math.isnan(floor) else max(floor, LEAST)

    @property
    def levels(self) -> list[tuple[int, int, float]]:
        """Between changes: the first and the last point, and their median."""
        ends = [0, *(change.at for change in self.changes), len(self.points)]
        return [
            (a, b - 1, median(point.value for point in self.points[a:b]))
            for a, b in zip(ends, ends[1:])
            if b > a
        ]

    @property
    def places(self) -> list[float]:
        """Where points of other branches are among those of the main one, which are at 0, 1, 2 ..."""
        times = [point.time for point in self.points]
        behind = [bisect_right(times, point.time) - 1 for point in self.others]
        count, seen, found = Counter(behind), Counter[int](), []
        for at in behind:
            seen[at] += 1
            found.append(at + seen[at] / (count[at] + 1))
        return found


# --- changes ---


def _cause(points: list[Point], at: int) -> str:
    """What else changed there, of kernel and settings: what was the same on each side, and is not across."""
    before, after = (
        [one.facts for one in part] for part in (points[max(0, at - STEADY) : at], points[at:][:STEADY])
    )
    found = []
    for name in {**before[-1], **after[0]}:
        sides = [{facts.get(name, "none") for facts in side} for side in (before, after)]
        if name != "memory_bytes" and all(len(side) == 1 for side in sides) and sides[0] != sides[1]:
            found.append(f"{name}: {sides[0].pop()} to {sides[1].pop()}"[:100])
    return "; ".join(found[:3])


def _reasons(series: Series, found: list[Change]) -> dict[int, str]:
    """By the index of the change nearest to the time that was acknowledged, in case that it moved."""
    reasons = {}
    for time, reason in series.acks.items():
        i = bisect_left(series.points, time, key=lambda point: point.time)
        near = [(abs(one.at - i), one.at) for one in found if abs(one.at - i) <= NEAR]
        if near:
            reasons[min(near)[1]] = reason
    return reasons


def _is_taken_back(i: int, logs: list[float], causes: list[str], least: float) -> bool:
    """Whether later changes, which are not of the environment, leave less of one than counts."""
    left = logs[i] + sum(log for log, cause in zip(logs[i + 1 :], causes[i + 1 :]) if not cause)
    return math.copysign(left, logs[i]) != left or abs(left) < least


def change_points(series: Series, least: float | None) -> list[ChangePoint]:
    points, smallest = series.points, series.least(least)
    every = changes.changes(np.array([point.value for point in points]), smallest)
    logs, reasons, found = [math.log(one.ratio) for one in every], _reasons(series, every), []
    causes = [_cause(points, one.at) for one in every]
    for i, one in enumerate(every):
        reason = reasons.get(one.at, "")
        is_slower = (one.ratio > 1) == (series.better == "lower")
        state = (
            ACKNOWLEDGED
            if reason
            else ENVIRONMENT
            if causes[i]
            else FASTER
            if not is_slower
            else TAKEN_BACK
            if _is_taken_back(i, logs, causes, smallest)
            else SLOWER
        )
        about = points[one.at - 1], points[one.at], is_slower, state, reason or causes[i]
        found.append(ChangePoint(one.at, one.ratio, one.low, one.high, one.p, *about))
    return found


# --- reading ---


def _conditions(series: Series) -> dict[str, str]:
    options = {f"--{name}": text for name, text in series.host.get("options", {}).items()}
    return {name: str(text) for name, text in (series.host | options).items() if name != "options"}


def _about(series: Series, same: Sequence[Series]) -> str:
    """same: those of its name."""
    own, others = _conditions(series), [_conditions(one) for one in same]
    names = [name for name in own if any(other.get(name) != own[name] for other in others)]
    return ", ".join(f"{name} {own[name] or 'unknown'}" for name in names)


def _rank(series: Series) -> tuple[int, float, str]:
    state = series.state
    sizes = [abs(math.log(change.ratio)) for change in series.changes if change.state == state]
    return STATES.index(state) if state else len(STATES), -max(sizes, default=0.0), series.name


def load(
    db: sqlite3.Connection, main: str, wanted: Sequence[str] = (), least: float | None = None
) -> list[Series]:
    """Those with changes first. wanted: patterns of "STEP METRIC" or of steps; none: all."""
    found: dict[int, Series] = {}
    columns = "series.id, step, metric, unit, better, text"
    for id_, step, name, unit, better, host in db.execute(
        f"SELECT {columns} FROM series JOIN host ON host.id = host ORDER BY series.id"
    ):
        one = Series(id_, step, name, unit, better, json.loads(host))
        if not wanted or any(fnmatchcase(one.name, text) or fnmatchcase(one.step, text) for text in wanted):
            found[one.id] = one
    facts = {row[0]: json.loads(row[1]) for row in db.execute("SELECT id, text FROM facts")}
    points: dict[tuple[int, str, str], Point] = {}
    columns = "series, value, time, revision, branch, facts"
    for series, value, time, revision, branch, of in db.execute(
        f"SELECT {columns} FROM point JOIN run ON run.id = run ORDER BY time, run.id"
    ):
        if series not in found:
            continue
        # Without a commit each run is a point.
        key = (series, branch, revision or time)
        if key not in points:
            points[key] = Point(revision, time, [], facts[of], branch)
            (found[series].points if branch == main else found[series].others).append(points[key])
        points[key].values.append(value)
    for series, time, reason in db.execute("SELECT series, time, reason FROM ack"):
        if series in found:
            found[series].acks[time] = reason
    named: dict[str, list[Series]] = {}
    for one in found.values():
        named.setdefault(one.name, []).append(one)
    for one in found.values():
        one.changes, one.about = change_points(one, least), _about(one, named[one.name])
    return sorted(found.values(), key=_rank)


def read(path: str, main: str, wanted: Sequence[str] = (), least: float | None = None) -> list[Series]:
    """Those of a file, as of load; Problem if there is none, or no point of this branch."""
    with opened(path, False) as db:
        every = load(db, main, wanted, least)
    if not every:
        what = f"no series matches {', '.join(map(repr, wanted))}: memstor history show lists them"
        raise Problem(what if wanted else "it has no series: memstor history add adds reports", path)
    if not any(one.points for one in every):
        raise Problem(f"no point is of the branch {main!r}; --main names another", path)
    return every


# --- sentences ---


def headline(every: Sequence[Series], main: str) -> str:
    found = [change for one in every for change in one.changes]
    slower, is_open = sum(one.is_slower for one in found), sum(one.state == SLOWER for one in found)
    with_points = [len(one.points) for one in every if one.points]
    what = f"{len(with_points):,} series, {units.plural(sum(with_points), 'point')} of {main}"
    sizes = f"{units.plural(slower, 'change')} slower, {len(found) - slower} faster"
    return f"{what}: {sizes}; {is_open} new and open"


def notes(every: Sequence[Series]) -> Iterator[str]:
    """What the headline does not say, a sentence each."""
    every = [one for one in every if one.points]
    if short := sum(not one.is_judged for one in every):
        yield f"{short} of the series cannot be judged yet: fewer than {SHORTEST} commits"
    last = max(one.points[-1].time for one in every)
    newest = {one.points[-1].name for one in every if one.points[-1].time == last}
    ended = [one for one in every if one.points[-1].name not in newest]
    if ended:
        yield f"{len(ended)} of the series have no point of the newest commit, as {ended[0].name}"
    found = [change.is_slower for one in every for change in one.changes]
    if found and scipy.stats.binomtest(sum(found), len(found)).pvalue < LOPSIDED:
        yield (
            "So many changes of one direction point to the method or the host: measure one commit again "
            "before you look for the cause in the code"
        )
