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
import shlex
import sqlite3
import subprocess
import sys
from bisect import bisect_left
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any, Iterator, NamedTuple, Sequence
from urllib.parse import quote

import numpy as np
import scipy  # loads scipy.stats when it is used

from memstor import metric, output, report, units
from memstor.changes import LEAST as SEGMENT, SHORTEST, Change, changes
from memstor.cli import Parser
from memstor.error import HOST, NEGATIVE, OK, UNTRUSTED, Problem, clean, warn_left_out
from memstor.pairing import NO_CONDITIONS
from memstor.plan import SIDES
from memstor.report import Report
from memstor.workers import each

EXAMPLES = (
    "memstor history add runs/ --db perf.db",
    "memstor history show --db perf.db 'resident-*'",
    "memstor history check --db perf.db",
    "memstor history ack 'resident-uniform read.p99' 2026-11-20 'the new allocator' --db perf.db",
)
ACTIONS = ("add", "show", "check", "ack")
MAGIC, APPLICATION, VERSION = b"SQLite format 3\0", 0x6D656D68, 1  # "memh"
WAIT_S = 60.0  # for another writer
LEAST = 0.02  # change of a series whose noise is not known
PLACES = (
    "directory",
    "filename",
    "target",
    "log-target",
    "ckpt-target",
)  # options: of a CI job another each time
NEAR = SEGMENT - 1  # points by which a change moves when others follow
STEADY = 5  # points on each side of a change that agree on a setting
LOPSIDED = 0.01  # so rarely are as many changes by chance of one direction
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


def _refuse(path: str, why: str, status: int = HOST) -> Problem:
    return Problem(f"--db {path}: {why}", status=status)


@contextmanager
def opened(path: str, to_write: bool, to_make: bool = False) -> Iterator[sqlite3.Connection]:
    """The history of a file; to_make: also where there is none."""
    if not to_make and not os.path.exists(path):
        raise _refuse(path, "there is no such file: memstor history add makes it")
    if to_write:
        output.check(path, MAGIC, "--db", is_shared=True)
    else:
        output.input_bytes(path, 1)  # a FIFO would wait
    # Who only reads leaves the log of a file beside it. A file that cannot be written, in a folder that
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
                for statement in TABLES:
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")
    if number("application_id") != APPLICATION:
        raise _refuse(path, "is another program's file; name a new one")
    if number("user_version") != VERSION:
        raise _refuse(path, f"has format {number('user_version')}, this program knows {VERSION}")
    db.execute("PRAGMA foreign_keys = ON")
    found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if set(TABLES) - {row[0] for row in db.execute("SELECT sql FROM sqlite_master")}:
        found = "its tables are others"
    elif found == "ok" and db.execute("PRAGMA foreign_key_check").fetchone():
        found = "rows are missing"
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


def _condition(name: str, text: str) -> str:
    """An option as it is on a sister machine, and in the next job: without the folders of paths."""
    if name in PLACES and text.startswith(("/", ".")):
        return ""
    return re.sub(r"(^|[\s:,=])/[^\s:,=]*/", r"\1", text)


def _memory_gib(memory: float) -> str:
    """As it was built in. Firmware and kernel leave a little less, and another number after each update:
    rounded up to one of eight sizes between two powers of two."""
    if not memory > 0:
        return ""
    step = 2.0 ** (math.floor(math.log2(memory)) - 3)
    return f"{math.ceil(memory / step) * step / 2**30:.4g}"


def host_class(of: Report, by_host: bool) -> str:
    """What makes numbers comparable: never a measured frequency, the load, or the boot."""
    facts = of.facts
    release = re.match(r"\d+\.\d+", facts.get("release", ""))
    known = {
        "tool": of.tool,
        "cpu": facts.get("cpu_model", ""),
        "cpus": facts.get("hardware_threads", ""),
        "memory_gib": _memory_gib(report.parse_number(facts.get("memory_bytes", ""))),
        "kernel": release[0] if release else "",
        "storage": facts.get("storage.model") or facts.get("storage.file_system", ""),
        "options": {n: _condition(n, t) for n, t in sorted(of.options.items()) if n not in NO_CONDITIONS},
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


def _utf8(text: str) -> str:
    """As the file takes it: what is no UTF-8 in a name becomes an escape."""
    return text.encode(errors="backslashreplace").decode()


def _git(*words: str) -> str:
    """What git says of the current folder; "" where there is no clone. Problem where it does not say."""
    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except OSError:
        return ""
    said, why = (text.decode(errors="backslashreplace").strip() for text in (done.stdout, done.stderr))
    if done.returncode and "not a git repository" not in why:
        why = why.partition("\n")[0]
        raise Problem(f"add: git does not say which commit this is: {why}; give --commit and --branch")
    return "" if done.returncode else said


def _branch(options: argparse.Namespace) -> str:
    found = options.branch or _git("rev-parse", "--abbrev-ref", "HEAD") or options.main
    if found == "HEAD":
        raise Problem("add: no branch is checked out here; give --branch")
    return str(found)


def _id(db: sqlite3.Connection, table: str, **values: object) -> int:
    """Of the row with these values, which is made where there is none."""
    names = ", ".join(values)
    marks, same = ", ".join("?" * len(values)), " AND ".join(f"{name} = ?" for name in values)
    db.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", [*values.values()])
    return int(db.execute(f"SELECT id FROM {table} WHERE {same}", [*values.values()]).fetchone()[0])


def add(options: argparse.Namespace) -> int:
    if not options.words:
        raise Problem("add: name reports, or folders of them")
    for word in options.words:
        if all(os.path.isdir(os.path.join(word, side)) for side in SIDES):
            raise Problem(f"add {word}: has runs of two builds; name one, as {os.path.join(word, SIDES[1])}")
    revision = options.commit or _git("rev-parse", "HEAD")
    branch = _branch(options)
    new = known = points = 0
    left_out: list[tuple[str, str]] = []
    output.check(options.db, MAGIC, "--db", is_shared=True)
    found = list(each(partial(_read, by_host=options.by_host), list(report.find(options.words))))
    with opened(options.db, True, True) as db:
        db.execute("BEGIN IMMEDIATE")
        with db:
            for one in found:
                if one.status != "ok":
                    left_out.append((one.path, f"is {one.status}"))
                    continue
                if db.execute("SELECT 1 FROM run WHERE uuid = ?", [one.uuid]).fetchone():
                    known += 1
                    continue
                commit = options.commit or one.revision or revision
                row = (one.uuid, one.time, commit, branch, _utf8(one.path))
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
    warn_left_out(left_out)
    print(
        f"{units.plural(new, 'report')} added with {units.plural(points, 'point')}; {known} were there, "
        f"{len(left_out)} left out; branch {clean(branch)}"
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
    acks: dict[str, str] = field(default_factory=dict)  # time, or its begin, and reason

    @property
    def name(self) -> str:
        return f"{self.step} {self.metric}"

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
    for series, time, reason in db.execute("SELECT series, time, reason FROM ack"):
        if series in found:
            found[series].acks[time] = reason
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


def moves(series: Series, least: float | None) -> list[Move]:
    points = series.points
    every = changes(np.array([point.value for point in points]), series.least(least))
    reasons: dict[int, str] = {}  # by the change: the nearest to the time, in case that it moved
    for time, reason in series.acks.items():
        i = bisect_left(points, time, key=lambda point: point.time)
        near = [(abs(one.at - i), one.at) for one in every if abs(one.at - i) <= NEAR]
        if near:
            reasons[min(near)[1]] = reason
    return [
        Move(
            series,
            one,
            (one.ratio > 1) == (series.better == "lower"),
            _cause(points, one.at),
            reasons.get(one.at, ""),
        )
        for one in every
    ]


def _by(ratio: float, low: float, high: float) -> str:
    interval = f" ({units.change(low - 1, '')} to {units.change(high - 1, '')})" if low == low else ""
    return f"{units.change(ratio - 1)}{interval}"


def _said(move: Move) -> str:
    one, word = move.change, "slower" if move.is_slower else "faster"
    between = f"{move.before.called}..{move.after.called}, {move.after.time[:10]}"
    return f"{move.series.name}: {word} {_by(one.ratio, one.low, one.high)} in {between}"


def _pasted(words: Sequence[str]) -> str:
    """For a shell, on one line."""
    return shlex.join(map(clean, words))


def _loaded(options: argparse.Namespace, words: Sequence[str]) -> list[Series]:
    with opened(options.db, False) as db:
        every = load(db, options.main, words)
    if not every:
        what = f"no series matches {', '.join(map(repr, words))}" if words else "it has no series"
        raise Problem(f"--db {options.db}: {what}; memstor history show lists them")
    if not any(one.points for one in every):
        raise Problem(f"--db {options.db}: no point is of the branch {options.main!r}; --main names another")
    return every


def check(options: argparse.Namespace) -> int:
    every = [one for one in _loaded(options, options.words) if one.points]
    found = [move for one in every for move in moves(one, options.least)]
    open_ones = [move for move in found if is_open(move, found)]
    print(headline(every, found, options.main))
    for note in notes(every, found):
        print(clean(note))
    for move in found:
        about = f" [environment: {move.cause}]" if move.cause else ""
        print(clean(_said(move) + (f" [acknowledged: {move.reason}]" if move.reason else about)))
        if move in open_ones:
            builds = [f"BUILD-OF-{one.called}" for one in (move.before, move.after)]
            step = ["--step", move.series.step, "--base-bin", builds[0], "--new-bin", builds[1]]
            print(f"  to confirm: memstor run SUITE {_pasted(step)}")
            change = _pasted([move.series.name, move.after.time[:10]])
            print(f"  to accept: memstor history ack {change} REASON {_pasted(['--db', options.db])}")
    return NEGATIVE if open_ones else OK if any(map(is_judged, every)) else UNTRUSTED


def headline(every: list[Series], found: list[Move], main: str) -> str:
    slower, faster = (sum(move.is_slower == is_slower for move in found) for is_slower in (True, False))
    count = sum(len(one.points) for one in every)
    what = f"{len(every):,} series, {units.plural(count, 'point')} of {main}"
    still = sum(is_open(move, found) for move in found)
    return f"{what}: {units.plural(slower, 'change')} slower, {faster} faster; {still} new and open"


def is_judged(series: Series) -> bool:
    return len(series.points) >= SHORTEST


def notes(every: list[Series], found: list[Move]) -> Iterator[str]:
    """What the headline does not say, a sentence each. every: has points."""
    short = sum(not is_judged(one) for one in every)
    if short:
        yield f"{short} of the series cannot be judged yet: fewer than {SHORTEST} commits"
    last = max(one.points[-1].time for one in every)
    newest = {one.points[-1].called for one in every if one.points[-1].time == last}
    ended = [one for one in every if one.points[-1].called not in newest]
    if ended:
        yield f"{len(ended)} of the series have no point of the newest commit, as {ended[0].name}"
    slower = sum(move.is_slower for move in found)
    if found and scipy.stats.binomtest(slower, len(found)).pvalue < LOPSIDED:
        yield (
            "So many changes of one direction point to the method or the host: measure one commit again "
            "before you look for the cause in the code"
        )


def is_open(move: Move, found: list[Move]) -> bool:
    """Whether it ends a check with 1."""
    return move.is_slower and not move.reason and not move.cause and not _is_over(move, found)


def _is_over(move: Move, found: list[Move]) -> bool:
    """Whether later changes of the series, which are not of the environment, took it back."""
    behind = [m for m in found if m.series is move.series and m.change.at > move.change.at]
    later = [m.change.ratio for m in behind if not m.cause]
    total = math.log(move.change.ratio) + sum(map(math.log, later))
    return total * math.log(move.change.ratio) <= 0 or abs(total) < abs(math.log(move.change.ratio)) / 2


def against(series: Series, branch: str, found: list[Move], least: float | None) -> str:
    """The newest point of a branch beside those of main since its last change: whether it is outside of where
    main's next one is in 95 of 100 cases."""
    own = [point for point in series.others if point.branch == branch]
    if not own:
        return ""
    main = np.log([point.value for point in series.points[found[-1].change.at if found else 0 :]])
    if len(main) < STEADY:
        return f"{len(main)} of {STEADY} points of main"
    by = math.log(own[-1].value) - float(np.median(main))
    width = float(scipy.stats.t.isf(0.025, len(main) - 1) * main.std(ddof=1) * math.sqrt(1 + 1 / len(main)))
    said = _by(math.exp(by), math.exp(by - width), math.exp(by + width))
    if abs(by) < max(width, series.least(least)):
        return f"no difference {said}"
    return f"{'slower' if (by > 0) == (series.better == 'lower') else 'faster'} {said}"


def show(options: argparse.Namespace) -> int:
    every = _loaded(options, options.words)
    branch = options.branch
    if branch and not any(point.branch == branch for one in every for point in one.others):
        known = sorted({point.branch for one in every for point in one.others})
        raise Problem(
            f"--branch {branch}: no point is of it; there are points of {', '.join(known) or 'none other'}"
        )
    from rich.console import Console
    from rich.table import Table

    names = [
        "series",
        "points",
        "last",
        "commit",
        "changes",
        f"{branch} and {options.main}" if branch else "other branches",
    ]
    table = Table(*map(clean, names), box=None, pad_edge=False)
    for one in every:
        last = one.points[-1] if one.points else None
        found = moves(one, options.least)
        table.add_row(
            clean(one.name),
            str(len(one.points)),
            units.text(last.value, one.unit) if last else "",
            last.called if last else "",
            ", ".join(f"{units.change(m.change.ratio - 1)} at {m.after.called}" for m in found),
            against(one, branch, found, options.least) if branch else str(len(one.others) or ""),
        )
    Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 1000).print(
        table
    )
    return OK


def ack(options: argparse.Namespace) -> int:
    if len(options.words) != 3 or not re.fullmatch(r"\d{4}-\d\d-\d\d", options.words[1]):
        raise Problem("ack: give 'STEP METRIC', the day of the change as 2026-11-20, and a reason")
    name, day, reason = map(_utf8, options.words)
    if not reason.strip():
        raise Problem(f"ack {name!r} {day}: the reason is empty")
    with opened(options.db, True) as db:
        named = [
            one for one in load(db, options.main, ()) if clean(one.name) == clean(name)
        ]  # as it was printed
        if not named:
            raise Problem(f"ack {name!r}: no such series; memstor history show lists them")
        found = [m for one in named for m in moves(one, options.least)]
        marked = [(m.series.id, m.after.time, reason) for m in found if m.after.time.startswith(day)]
        if not marked:
            days = ", ".join(dict.fromkeys(m.after.time[:10] for m in found))
            known = f"its changes are of {days}" if days else "it has no change"
            raise Problem(f"ack {name!r} {day}: no change of this day: {known}")
        db.execute("BEGIN IMMEDIATE")
        with db:
            db.executemany("INSERT OR REPLACE INTO ack VALUES (?, ?, ?)", marked)
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
    add_to(
        "--branch",
        metavar="NAME",
        default="",
        help="add: of this branch (default: git's); show: compare it with main",
    )
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
    for name in ("commit", "branch", "main"):
        setattr(options, name, _utf8(getattr(options, name)))
    return {"add": add, "show": show, "check": check, "ack": ack}[options.action](options)
