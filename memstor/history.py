# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor history: points over time in one SQLite file, and the commits at which they changed."""

from __future__ import annotations

import argparse
import json
import math
import re
import sqlite3
import sys
from functools import partial
from shlex import quote
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats when it is used

from memstor import metric, output, programs, report, series, units
from memstor.cli import Parser
from memstor.error import NEGATIVE, OK, UNTRUSTED, Problem, clean, warn_left_out
from memstor.folder import refuse_two_builds
from memstor.pairing import NO_CONDITIONS
from memstor.report import Report
from memstor.series import Series
from memstor.workers import each

EXAMPLES = (
    "memstor history add runs/ --db perf.db",
    "memstor history show --db perf.db 'resident-*'",
    "memstor history check --db perf.db",
    "memstor history ack 'resident-uniform read.p99' 2026-11-20 'the new allocator' --db perf.db",
)
# Options whose folder is another one in each CI job.
PATHS = ("directory", "filename", "target", "log-target", "ckpt-target")
POINTS_LEAST = 5  # of main, with which a branch is compared


# --- add ---


class Entry(NamedTuple):
    """What is kept of a report."""

    path: str
    uuid: str
    time: str
    doubt: str
    revision: str  # its label commit
    step: str
    host: str
    facts: str
    values: dict[str, tuple[str, str, float]]  # of each metric unit, direction and value


def _condition(name: str, text: str) -> str:
    """An option as it is on a sister machine, and in the next job: without the folders of paths."""
    if name in PATHS and text.startswith(("/", ".")):
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


def _read(path: str, by_host: bool) -> Entry:
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
    return Entry(path, of.uuid, of.wall_start, of.doubt, label, step, host_class(of, by_host), facts, values)


def _utf8(text: str) -> str:
    """As the file takes it: what is no UTF-8 in a name becomes an escape."""
    return text.encode(errors="backslashreplace").decode()


def _of_git(*words: str) -> str:
    try:
        return programs.git("rev-parse", *words, outside="")
    except Problem as problem:
        raise Problem(f"add: {problem}; give --commit and --branch") from None


def _branch(options: argparse.Namespace) -> str:
    found = options.branch or _of_git("--abbrev-ref", "HEAD") or options.main
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
    refuse_two_builds(options.words)
    revision = options.commit or _of_git("HEAD")
    branch = _branch(options)
    new = known = points = 0
    left_out: list[tuple[str, str]] = []
    output.check(options.db, series.MAGIC, "--db", is_shared=True)
    found = list(each(partial(_read, by_host=options.by_host), list(report.find(options.words))))
    with series.opened(options.db, True, is_new=True) as db:
        db.execute("BEGIN IMMEDIATE")
        with db:
            for one in found:
                if one.doubt:
                    left_out.append((one.path, f"is {one.doubt}"))
                    continue
                if db.execute("SELECT 1 FROM run WHERE uuid = ?", [one.uuid]).fetchone():
                    known += 1
                    continue
                run = _id(
                    db,
                    "run",
                    uuid=one.uuid,
                    time=one.time,
                    revision=options.commit or one.revision or revision,
                    branch=branch,
                    path=_utf8(one.path),
                    facts=_id(db, "facts", text=one.facts),
                )
                host = _id(db, "host", text=one.host)
                for name, (unit, better, value) in one.values.items():
                    key = {"host": host, "step": one.step, "metric": name, "unit": unit, "better": better}
                    db.execute("INSERT INTO point VALUES (?, ?, ?)", [_id(db, "series", **key), run, value])
                points += len(one.values)
                new += 1
    warn_left_out(left_out)
    print(
        f"{units.plural(new, 'report')} added with {units.plural(points, 'point')}; {known} were there, "
        f"{len(left_out)} left out; branch {clean(branch)}"
    )
    return OK


# --- check, show, ack ---


def check(options: argparse.Namespace) -> int:
    every = series.read(options.db, options.main, options.words, options.least)
    also = f" --main {quote(options.main)}" * (options.main != "main")
    also += f" --min-change {100 * options.least:.12g}" if options.least is not None else ""
    print(clean(series.headline(every, options.main)), *map(clean, series.notes(every)), sep="\n")
    for one in every:
        for change in one.changes:
            word = "slower" if change.is_slower else "faster"
            size = change.size + f" ({change.interval})" * bool(change.interval)
            state = f" [{change.state}{change.why and ': '}{change.why}]" * (change.state != word)
            print(clean(f"{one.name}: {word} {size} in {change.between}, {change.after.day}{state}"))
            if change.state == series.SLOWER:
                built = f"--base-bin BUILD-OF-{change.before.name} --new-bin BUILD-OF-{change.after.name}"
                print(clean(f"  to confirm: memstor run SUITE --step {quote(one.step)} {built}"))
                accepted = f"{quote(one.name)} {change.after.day} REASON --db {quote(options.db)}{also}"
                print(clean(f"  to accept: memstor history ack {accepted}"))
    if any(one.state == series.SLOWER for one in every):
        return NEGATIVE
    return OK if any(one.is_judged for one in every) else UNTRUSTED


def _against(one: Series, branch: str, main: str, least: float | None) -> str:
    """Whether the newest point of a branch lies in the 95 % interval of the next point of main, by the points
    of main since its last change."""
    newest = [point.value for point in one.others if point.branch == branch][-1:]
    if not newest:
        return ""
    logs = np.log([point.value for point in one.points[one.changes[-1].at if one.changes else 0 :]])
    if len(logs) < POINTS_LEAST:
        return f"{len(logs)} of {POINTS_LEAST} points of {main}"
    by = math.log(newest[0]) - float(np.median(logs))
    width = float(scipy.stats.t.isf(0.025, len(logs) - 1) * logs.std(ddof=1) * math.sqrt(1 + 1 / len(logs)))
    low, high = (units.change(math.expm1(end), "") for end in (by - width, by + width))
    size = f"{units.change(math.expm1(by))} ({low} to {high})"
    if abs(by) < max(width, one.least(least)):
        return f"no difference {size}"
    return f"{'slower' if (by > 0) == (one.better == 'lower') else 'faster'} {size}"


def show(options: argparse.Namespace) -> int:
    every = series.read(options.db, options.main, options.words, options.least)
    branch = options.branch
    known = sorted({point.branch for one in every for point in one.others})
    if branch and branch not in known:
        raise Problem(
            f"--branch {branch}: no point is of it; there are points of {', '.join(known) or 'none other'}"
        )
    from rich.console import Console
    from rich.table import Table

    last = f"{branch} and {options.main}" if branch else "other branches"
    table = Table("series", "points", "last", "commit", "changes", clean(last), box=None, pad_edge=False)
    for one in every:
        value, commit = (
            (units.text(one.points[-1].value, one.unit), one.points[-1].name) if one.points else ("", "")
        )
        table.add_row(
            clean(one.name),
            str(len(one.points)),
            value,
            clean(commit),
            clean(", ".join(f"{change.size} at {change.after.name}" for change in one.changes)),
            _against(one, branch, options.main, options.least) if branch else str(len(one.others) or ""),
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
    with series.opened(options.db, True) as db:
        # As it was printed.
        every = series.load(db, options.main, least=options.least)
        named = [one for one in every if clean(one.name) == clean(name)]
        if not named:
            raise Problem(f"ack {name!r}: no such series; memstor history show lists them")
        found = [(one.id, change.after) for one in named for change in one.changes]
        marked = [(id_, after.time, reason) for id_, after in found if after.day == day]
        if not marked:
            days = ", ".join(sorted({after.day for _, after in found}))
            known = f"its changes are of {days}" if days else "it has no change"
            raise Problem(f"ack {name!r} {day}: no change of this day: {known}")
        db.execute("BEGIN IMMEDIATE")
        with db:
            db.executemany("INSERT OR REPLACE INTO ack VALUES (?, ?, ?)", marked)
    print(f"{clean(name)}: {units.plural(len(marked), 'change')} of {day} acknowledged")
    return OK


# --- the command ---


def _percent(text: str) -> float:
    value = report.parse_number(text.removesuffix("%"))
    if not 0 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: must be 0 to 1000 percent")
    return value / 100


ACTIONS = {"add": add, "show": show, "check": check, "ack": ack}


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
    return ACTIONS[options.action](options)
