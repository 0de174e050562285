# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor history: points over time in one SQLite file, and the commits at which they changed.

The reports stay the truth: a file can be made again from them. A series is a metric of a step on a class of
host: what is the same after a reboot and on a sister machine.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any, Iterator, NamedTuple, Sequence
from urllib.parse import quote

import numpy as np

from memstor import metric, output, report, units
from memstor.changes import Change, changes
from memstor.cli import Parser
from memstor.error import HOST, NEGATIVE, OK, Problem, clean
from memstor.pairing import NO_CONDITIONS
from memstor.report import Report
from memstor.workers import each

EXAMPLES = (
    "memstor history add runs/ --db perf.db",
    "memstor history show --db perf.db 'resident-*'",
    "memstor history check --db perf.db",
    "memstor history ack 'resident-uniform read.p99' 2026-11-20 'the new allocator' --db perf.db",
)
ACTIONS = ("add", "show", "check", "ack")
APPLICATION, VERSION = 0x6D656D68, 1  # "memh"
WAIT_S = 60.0  # for another writer
LEAST = 0.02  # change of a series whose noise is not known
TABLES = """
CREATE TABLE host (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE facts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE series (id INTEGER PRIMARY KEY, host INTEGER NOT NULL REFERENCES host, step TEXT NOT NULL, metric TEXT NOT NULL,
  unit TEXT NOT NULL, better TEXT NOT NULL, UNIQUE (host, step, metric));
CREATE TABLE run (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, time TEXT NOT NULL, revision TEXT NOT NULL,
  branch TEXT NOT NULL, path TEXT NOT NULL, facts INTEGER NOT NULL REFERENCES facts);
CREATE TABLE point (series INTEGER NOT NULL REFERENCES series, run INTEGER NOT NULL REFERENCES run, value REAL NOT NULL,
  PRIMARY KEY (series, run)) WITHOUT ROWID;
CREATE TABLE ack (series INTEGER NOT NULL REFERENCES series, day TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (series, day));
"""


# --- the file ---


def _refuse(path: str, why: str, status: int = HOST) -> Problem:
    return Problem(f"--db {path}: {why}", status=status)


@contextmanager
def opened(path: str, to_write: bool) -> Iterator[sqlite3.Connection]:
    """The history of a file, which is made where there is none and it is to be written."""
    if to_write:
        output.check(path, b"SQLite format 3\0", "--db")
    elif not os.path.exists(path):
        raise _refuse(path, "there is no such file: memstor history add makes it")
    # A file that cannot be written, in a folder that cannot, has no other writer.
    modes = ["mode=rwc"] if to_write else ["mode=ro", "immutable=1"]
    for mode in modes:
        try:
            name = f"file:{quote(os.path.abspath(path))}?{mode}"
            with closing(sqlite3.connect(name, WAIT_S, isolation_level=None, uri=True)) as db:
                _prepare(db, path, to_write)
                yield db
                return
        except sqlite3.OperationalError as problem:
            if mode != modes[-1] and "open" in str(problem):
                continue
            raise _refuse(path, str(problem)) from None
        except sqlite3.DatabaseError as problem:
            raise _refuse(path, f"is no history of memstor, or is damaged: {problem}") from None


def _prepare(db: sqlite3.Connection, path: str, to_write: bool) -> None:
    def number(name: str) -> int:
        return int(db.execute(f"PRAGMA {name}").fetchone()[0])

    if to_write and not number("schema_version"):
        db.execute("PRAGMA journal_mode = WAL")
        with db:
            db.execute("BEGIN IMMEDIATE")
            if not number("schema_version"):
                for statement in filter(str.strip, TABLES.split(";")):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")
    if number("application_id") != APPLICATION:
        raise _refuse(path, "is another program's file; name a new one")
    if number("user_version") != VERSION:
        raise _refuse(path, f"has format {number('user_version')}, this program knows {VERSION}")
    db.execute("PRAGMA foreign_keys = ON")
    found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise _refuse(path, f"is damaged: {found}; make it again from the reports")


# --- add ---


class Found(NamedTuple):
    """Of a report what becomes points."""

    path: str
    uuid: str
    time: str
    status: str
    revision: str  # its label commit
    step: str
    host: str
    facts: str
    values: dict[str, tuple[str, str, float]]  # of each metric unit, direction and value


def host_class(of: Report, by_host: bool) -> str:
    """What makes numbers comparable: never a measured frequency, the load, or the boot."""
    facts = of.facts
    release = re.match(r"\d+\.\d+", facts.get("release", ""))
    memory = report.parse_number(facts.get("memory_bytes", ""))
    known = {
        "tool": of.tool,
        "cpu": facts.get("cpu_model", ""),
        "cpus": facts.get("hardware_threads", ""),
        # Firmware and kernel take a little, another one after each update.
        "memory_gib": f"{memory / 2**30:.0f}" if memory > 0 else "",
        "kernel": release[0] if release else "",
        "storage": facts.get("storage.model") or facts.get("storage.file_system", ""),
        "options": {n: t for n, t in sorted(of.options.items()) if n not in NO_CONDITIONS},
    }
    return json.dumps(known | ({"host": of.hostname} if by_host else {}), sort_keys=True)


def _read(path: str, by_host: bool) -> Found:
    of = report.read_file(path)
    if not of.uuid:
        raise Problem("no <uuid>, by which a report is added once", path)
    values = {}
    for name, number in metric.defaults(of).items():
        about = metric.named(name, of)
        if number and not number.is_bound and number.value > 0:
            values[name] = about.unit, about.better, number.value
    facts = json.dumps(of.facts, sort_keys=True)
    step = of.labels.get("step") or of.tool
    label = of.labels.get("commit", "")
    return Found(path, of.uuid, of.wall_start, of.status, label, step, host_class(of, by_host), facts, values)


def _git(*words: str) -> str:
    """What git says of the current folder; "" where there is no clone."""
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _id(db: sqlite3.Connection, table: str, **values: object) -> int:
    """Of the row with these values, which is made where there is none."""
    names = ", ".join(values)
    marks, same = ", ".join("?" * len(values)), " AND ".join(f"{name} = ?" for name in values)
    db.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", [*values.values()])
    return int(db.execute(f"SELECT id FROM {table} WHERE {same}", [*values.values()]).fetchone()[0])


def add(options: argparse.Namespace) -> int:
    if not options.words:
        raise Problem("add: name reports, or folders of them")
    revision = options.commit or _git("rev-parse", "HEAD")
    branch = options.branch or _git("rev-parse", "--abbrev-ref", "HEAD") or options.main
    new = known = points = 0
    left_out: list[str] = []
    with opened(options.db, True) as db:
        found = list(each(partial(_read, by_host=options.by_host), list(report.find(options.words))))
        db.execute("BEGIN IMMEDIATE")
        with db:
            for one in found:
                if one.status != "ok":
                    left_out.append(f"{one.path}: left out: it is {one.status}")
                    continue
                if db.execute("SELECT 1 FROM run WHERE uuid = ?", [one.uuid]).fetchone():
                    known += 1
                    continue
                row = (one.uuid, one.time, options.commit or one.revision or revision, branch, one.path)
                facts = _id(db, "facts", text=one.facts)
                names = "uuid, time, revision, branch, path, facts"
                run = db.execute(
                    f"INSERT INTO run ({names}) VALUES (?, ?, ?, ?, ?, ?)", [*row, facts]
                ).lastrowid
                host = _id(db, "host", text=one.host)
                for name, (unit, better, value) in one.values.items():
                    series = _id(
                        db, "series", host=host, step=one.step, metric=name, unit=unit, better=better
                    )
                    db.execute("INSERT INTO point VALUES (?, ?, ?)", [series, run, value])
                    points += 1
                new += 1
    for text in left_out[:20]:
        print(clean(f"memstor: warning: {text}"), file=sys.stderr)
    print(
        f"{units.plural(new, 'report')} added with {units.plural(points, 'point')}; {known} were there, "
        f"{len(left_out)} left out"
    )
    return OK


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
    def called(self) -> str:
        return self.revision[:12] or self.time[:19]


@dataclass(slots=True)
class Series:
    id: int
    step: str
    metric: str
    unit: str
    better: str
    host: dict[str, Any]
    points: list[Point] = field(default_factory=list)  # of the main branch, in the order of time
    others: list[Point] = field(default_factory=list)  # of other branches
    acks: dict[str, str] = field(default_factory=dict)  # day and reason

    @property
    def name(self) -> str:
        return f"{self.step} {self.metric}"

    @property
    def floor(self) -> float:
        """The change (|ln ratio|) that runs of one commit have in 95 of 100 pairs of commits; NaN = unknown."""
        logs = [np.log(point.values) for point in self.points if len(point.values) > 1]
        if not logs:
            return math.nan
        apart = [abs(a - b) for one in logs for a, b in combinations(one.tolist(), 2)]
        # By the median, which outliers do not move: that of normal runs is 0.954 of their deviation. Of medians of
        # runs the variance is up to pi/2 of that of means.
        runs = median(len(point.values) for point in self.points)
        return 1.96 * median(apart) / 0.954 * math.sqrt(math.pi / runs)

    def least(self, given: float | None) -> float:
        floor = self.floor
        return (
            math.log1p(given)
            if given is not None
            else max(floor, math.log1p(0.01))
            if floor == floor
            else LEAST
        )


def load(db: sqlite3.Connection, main: str, wanted: Sequence[str]) -> list[Series]:
    found: dict[int, Series] = {}
    columns = "series.id, step, metric, unit, better, text"
    for row in db.execute(
        f"SELECT {columns} FROM series JOIN host ON host.id = host ORDER BY step, series.id"
    ):
        id_, step, name, unit, better, host = row
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
    for series, day, reason in db.execute("SELECT series, day, reason FROM ack"):
        if series in found:
            found[series].acks[day] = reason
    return list(found.values())


class Move(NamedTuple):
    """A change of a series. cause: what else changed with it; reason: of its acknowledgement."""

    series: Series
    change: Change
    is_slower: bool
    cause: str
    reason: str

    @property
    def before(self) -> Point:
        return self.series.points[self.change.at - 1]

    @property
    def after(self) -> Point:
        return self.series.points[self.change.at]


def moves(series: Series, least: float | None) -> list[Move]:
    points = series.points
    values = np.array([point.value for point in points])
    found = []
    for one in changes(values, series.least(least)):
        before, after = points[one.at - 1].facts, points[one.at].facts
        names = [n for n in {**before, **after} if before.get(n) != after.get(n) and n != "memory_bytes"]
        cause = "; ".join(f"{n}: {before.get(n, 'none')} to {after.get(n, 'none')}"[:100] for n in names[:3])
        reason = series.acks.get(points[one.at].time[:10], "")
        found.append(Move(series, one, (one.ratio > 1) == (series.better == "lower"), cause, reason))
    return found


def _said(move: Move) -> str:
    one = move.change
    low, high = (units.change(x - 1, "") for x in (one.low, one.high))
    interval = f" ({low} to {high})" if one.low == one.low else ""
    word = "slower" if move.is_slower else "faster"
    begin = f"{move.series.name}: {word} {units.change(one.ratio - 1)}{interval}"
    between = f"{move.before.called}..{move.after.called}, {move.after.time[:10]}"
    return f"{begin} in {between}"


def check(options: argparse.Namespace) -> int:
    with opened(options.db, False) as db:
        every = load(db, options.main, options.words)
    found = [move for one in every for move in moves(one, options.least)]
    open_ones = [move for move in found if is_open(move, found)]
    print(headline(every, found, options.main))
    for move in found:
        about = (
            f" [acknowledged: {move.reason}]"
            if move.reason
            else f" [environment: {move.cause}]"
            if move.cause
            else ""
        )
        print(clean(_said(move) + about))
        if move in open_ones:
            built = f"--base-bin BUILD-OF-{move.before.called} --new-bin BUILD-OF-{move.after.called}"
            print(clean(f"  to confirm: memstor run SUITE --step '{move.series.step}' {built}"))
            acked = f"'{move.series.name}' {move.after.time[:10]} REASON --db {options.db}"
            print(clean(f"  to accept: memstor history ack {acked}"))
    return NEGATIVE if open_ones else OK


def headline(every: list[Series], found: list[Move], main: str) -> str:
    slower, faster = (sum(move.is_slower == is_slower for move in found) for is_slower in (True, False))
    count = sum(len(one.points) for one in every)
    what = f"{len(every):,} series, {units.plural(count, 'point')} of {main}"
    still = sum(is_open(move, found) for move in found)
    return f"{what}: {units.plural(slower, 'change')} slower, {faster} faster; {still} new and open"


def is_open(move: Move, found: list[Move]) -> bool:
    """Whether it ends a check with 1."""
    return move.is_slower and not move.reason and not move.cause and not _is_over(move, found)


def _is_over(move: Move, found: list[Move]) -> bool:
    """Whether later changes of the series took it back."""
    later = [m.change.ratio for m in found if m.series is move.series and m.change.at > move.change.at]
    total = math.log(move.change.ratio) + sum(map(math.log, later))
    return total * math.log(move.change.ratio) <= 0 or abs(total) < abs(math.log(move.change.ratio)) / 2


def show(options: argparse.Namespace) -> int:
    with opened(options.db, False) as db:
        every = load(db, options.main, options.words)
    from rich.console import Console
    from rich.table import Table

    table = Table("series", "points", "last", "commit", "changes", "others", box=None, pad_edge=False)
    for one in every:
        last = one.points[-1] if one.points else None
        found = moves(one, options.least)
        table.add_row(
            clean(one.name),
            str(len(one.points)),
            units.text(last.value, one.unit) if last else "",
            last.called if last else "",
            ", ".join(f"{units.change(m.change.ratio - 1)} at {m.after.called}" for m in found),
            str(len(one.others)),
        )
    Console().print(table)
    return OK


def ack(options: argparse.Namespace) -> int:
    if len(options.words) != 3 or not re.fullmatch(r"\d{4}-\d\d-\d\d", options.words[1]):
        raise Problem("ack: give 'STEP METRIC', the day of the change as 2026-11-20, and a reason")
    name, day, reason = options.words
    with opened(options.db, True) as db:
        named = [one for one in load(db, options.main, ()) if one.name == name]
        if not named:
            raise Problem(f"ack {name!r}: no such series; memstor history show lists them")
        days = [m.after.time[:10] for one in named for m in moves(one, options.least)]
        if day not in days:
            known = f"its changes are of {', '.join(days)}" if days else "it has no change"
            raise Problem(f"ack {name!r} {day}: no change of this day: {known}")
        with db:
            for one in named:
                db.execute("INSERT OR REPLACE INTO ack VALUES (?, ?, ?)", [one.id, day, reason])
    return OK


# --- the command ---


def _percent(text: str) -> float:
    value = report.parse_number(text.removesuffix("%"))
    if not 0 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: must be 0 to 1000 percent")
    return value / 100


def add_options(parser: Parser) -> None:
    parser.usage = (
        "memstor history add REPORT... --db FILE\n       memstor history show|check [SERIES...] --db FILE\n"
        "       memstor history ack SERIES DAY REASON --db FILE"
    )
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="reports, or series: 'STEP METRIC', or a step; * is any text"
    )
    add_to = parser.add_argument
    add_to("--db", metavar="FILE", required=True, help="the history, a file of SQLite")
    add_to(
        "--commit",
        metavar="ID",
        default="",
        help="the reports are of this commit (default: their label, or git's)",
    )
    add_to("--branch", metavar="NAME", default="", help="the reports are of this branch (default: git's)")
    add_to("--main", metavar="NAME", default="main", help="the branch of the series (default: main)")
    add_to("--by-host", action="store_true", help="add: series of one host each, by its name")
    add_to(
        "--min-change",
        dest="least",
        metavar="PERCENT",
        type=_percent,
        help="smallest change that counts (default: what runs of one commit differ by)",
    )


def run(options: argparse.Namespace) -> int:
    return {"add": add, "show": show, "check": check, "ack": ack}[options.action](options)
