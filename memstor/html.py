# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor html: one self-contained page of reports, with the comparison of two sides, and of a history.

The page is the viewer (viewer/viewer.html) with three JSON documents in it: memstor-summary, which is the
comparison or null; memstor-history, which is the series of a history or null; and memstor-reports, a list of
{name, side, folder, step, xml}. xml is a list of texts that together are the report; those that are read on
demand are {part, zlib}, compressed, in base64. Reports are untrusted: JSON is ASCII without <, and the table
for browsers without JavaScript is escaped text.
"""

from __future__ import annotations

import argparse
import base64
import html
import json
import math
import os
import zlib
from functools import partial
from pathlib import Path
from typing import Any, Iterable, NamedTuple, Sequence

from lxml import etree

from memstor import metric, series, units
from memstor.cli import BEHIND, Parser, sides
from memstor.compare import Comparison, Request, compare_runs
from memstor.error import DIFFERENT, LINES_MAX, OK, UNTRUSTED, Problem
from memstor.output import check, writing
from memstor.pairing import Rules, Run, described, differences, pair, run_of
from memstor.report import Report, find, parse, read_bytes
from memstor.series import ChangePoint, Point
from memstor.verdicts import cells_of, heading, headline, notes, summary
from memstor.workers import each

EXAMPLES = (
    "memstor html report.xml -o page.html",
    "memstor html results/ -o page.html",
    "memstor html base/ new/ -o page.html",
    "memstor html --history perf.db -o trend.html",
)
VIEWER = Path(__file__).with_name("viewer") / "viewer.html"
BEGIN = b"<!DOCTYPE html>"
PAGE_MAX = 128 << 20  # bytes; browsers open it, if not at once
TITLE_MAX = 200  # bytes
LARGE = ("statistics", "series", "sys_mem_info")  # parts of a report that an overview need not read
PART_MIN = 2048  # characters that are worth compressing
NUMBERS_MAX = 48  # of one report in the table


def add_options(parser: Parser) -> None:
    parser.usage = (
        "memstor html [OPTION...] REPORT... -o FILE\n       memstor html [OPTION...] BASE NEW -o FILE"
    )
    parser.usage += "\n       memstor html [OPTION...] BASE... -- NEW... -o FILE"
    parser.usage += "\n       memstor html [OPTION...] --history FILE [REPORT...] -o FILE"
    parser.epilog = (
        "REPORT, BASE and NEW are files or folders. Two of them, and a folder that has base/ and new/, are\n"
        "compared as memstor compare does it. The status is 0 if the page is written, also if NEW is slower."
    )
    parser.has_sides = True
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", required=True, help="write the page to FILE; - is standard output")
    add("--title", metavar="TEXT", help=f"title of the page, 1 to {TITLE_MAX} bytes")
    text = "show the series of a history, a file of memstor history, with their changes"
    add("--history", metavar="FILE", help=text)
    add("--main", metavar="NAME", default="main", help="the branch of the series (default: main)")
    text = "compare runs that differ in options, machine, sets, or options or facts by name"
    add("--allow-different", metavar="WHAT,...", default="", help=text)
    text = "compare interrupted and untrustworthy runs, too; the page says so"
    add("--force", action="store_true", help=text)


# --- escaping ---


def in_json(document: Any) -> str:
    """JSON in ASCII that ends no element that it stands in."""
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")


def in_html(text: str) -> str:
    """ASCII. What does not print, and what changes the direction of text, becomes U+FFFD."""
    shown = "".join(c if c.isprintable() else " " if c in "\n\t" else "\ufffd" for c in text)
    return html.escape(shown).encode("ascii", "xmlcharrefreplace").decode()


def table(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Foreign text changes the direction of no other cell."""

    def row(cells: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<td><bdi>{in_html(cell)}</bdi></td>" for cell in cells) + "</tr>\n"

    names = "".join(f'<th scope="col">{in_html(name)}</th>' for name in head)
    return (
        f"\n<table>\n<caption>{in_html(caption)}</caption>\n<thead><tr>{names}</tr></thead>\n"
        f"<tbody>\n{''.join(map(row, rows))}</tbody>\n</table>\n"
    )


# --- a report ---


class Entry(NamedTuple):
    """What a page has of a report."""

    path: str
    step: str  # of the label
    xml: str  # a list in JSON
    row: tuple[str, ...]  # of the table
    run: Run


CHANGES = ("Series", "Host", "Change", "Size", "95 % interval", "Commits", "Date", "Why")
HEAD = ("Report", "Verdict", "Tool", "Host", "Started", "Options", "Numbers")


def parts(text: str) -> list[str | dict[str, str]]:
    """The texts of a report in order, the large ones compressed."""
    found: list[str | dict[str, str]] = []
    for name in LARGE:
        first, last = f"<{name}>", f"</{name}>"
        # Twice: one of them may be a comment's or another text's.
        if text.count(first) != 1 or text.count(last) != 1:
            continue
        before, _, rest = text.partition(first)
        inside, is_closed, behind = rest.partition(last)
        if is_closed and len(inside) >= PART_MIN:
            packed = zlib.compress((first + inside + last).encode(), 1)
            found += [before, {"part": name, "zlib": base64.b64encode(packed).decode()}]
            text = behind
    return [*found, text]


def text_of(report: Report, data: bytes) -> str:
    """The report in XML as it is, unless it is in JSON or not in UTF-8."""
    encoding = report.root.getroottree().docinfo.encoding or "UTF-8"
    try:
        text = data.decode("utf-8-sig")
        if text.lstrip()[:1] == "<" and encoding.upper() in ("UTF-8", "ASCII", "US-ASCII"):
            return text
    except UnicodeDecodeError:
        pass
    return etree.tostring(report.root, encoding="unicode")


def _numbers(run: Run) -> str:
    """ "throughput 5.33 M/s, p99 1.20 us"."""
    usual = {name: number for name in run.usual if (number := run.numbers.get(name)) and number.value}
    texts = []
    for name, number in usual.items():
        unit = described(metric.parse(name), [run]).unit
        texts.append(f"{name} {'<' if number.is_bound else ''}{units.text(number.value, unit)}")
    return ", ".join(texts[:NUMBERS_MAX] + ["..."] * (len(texts) > NUMBERS_MAX))


def read(path: str, request: Request) -> Entry:
    data = read_bytes(path)
    report = Report(parse(data, path), path)
    run = run_of(report, request.metrics)
    reasons = "; ".join(reason.measured or reason.code for reason in report.reasons)
    row = (
        path,
        f"{report.status}: {reasons}" if reasons else report.status,
        f"{report.tool} {report.tool_version}",
        f"{report.hostname} {report.cpu_model}",
        report.wall_start[:19].replace("T", " "),
        " ".join(f"--{name}={text}" for name, text in report.options.items()),
        _numbers(run),
    )
    xml = in_json(parts(text_of(report, data)))
    return Entry(path, report.labels.get("step", ""), xml, row, run)


# --- the page ---


Origin = NamedTuple("Origin", [("side", str), ("folder", str)])  # "" = not compared; it was a file


def origins(paths: list[str], has_history: bool) -> tuple[list[str], list[Origin]]:
    """All reports."""
    given: list[tuple[str, Sequence[str]]] = [("", paths)]
    if not paths and has_history:
        return [], []
    if not paths:
        raise Problem("no report given: name the reports of the page, or a folder of them")
    both = [os.path.join(paths[0], side) for side in ("base", "new")]
    if BEHIND in paths or len(paths) == 2:
        given = list(zip(("base", "new"), sides(paths, "html")))
    elif len(paths) == 1 and all(map(os.path.isdir, both)):
        given = [("base", both[:1]), ("new", both[1:])]
    files: list[str] = []
    found: list[Origin] = []
    for side, of_side in given:
        for path in of_side:
            some = list(find([path]))
            files += some
            found += [Origin(side, path if os.path.isdir(path) else "")] * len(some)
    return files, found


def step_of(entry: Entry, origin: Origin, titles: dict[str, str]) -> str:
    """With sides the set that the report was compared in, else its folder below the one that was given,
    without numbers of runs; else its label."""
    if origin.side or not origin.folder:
        return titles.get(entry.path, entry.step)
    names = os.path.relpath(os.path.dirname(entry.path), origin.folder).split(os.sep)
    while names and (names[-1].isdigit() or names[-1] == "."):
        names.pop()
    return "/".join(names) or entry.step


def summary_of(result: Comparison, titles: dict[str, str]) -> dict[str, Any]:
    """What the page begins with."""
    rows = [
        {
            "tool": row.set.all[0].tool,
            "step": titles[row.set.all[0].path],
            "cells": cells_of(row),
            "change": row.change.change if math.isfinite(row.change.change) else None,
            "verdict": row.change.verdict,
            "decides": row.change.holds and not row.why_not,
            "is_changed": row.change.is_difference,
        }
        for row in result.rows
    ]
    texts = {"headline": headline(result), "verdict": result.overall, "summary": summary(result)}
    return texts | {"head": heading(result), "rows": rows, "notes": notes(result)}


def compared(request: Request, runs: dict[str, list[Run]]) -> tuple[dict[str, Any], dict[str, str]]:
    """The summary, and the title of the set of each run by its path."""
    both = runs["base"] + runs["new"]
    try:
        result = compare_runs(request, runs["base"], runs["new"])
        # Those that the comparison leaves out are named, too.
        titles = {run.path: one.title for one in pair(both, request.rules) for run in one.all}
        return summary_of(result, titles), titles
    except Problem as problem:
        if problem.status not in (DIFFERENT, UNTRUSTED):
            raise
        sets = pair(both, request.rules)
        unlike = differences(sets, request.rules) if problem.status == DIFFERENT else []
        texts = [str(one) for one in unlike if not one.is_allowed][:LINES_MAX]
        nothing = {"verdict": "", "summary": "", "head": [], "rows": []}
        return {"headline": f"not compared: {problem}", "notes": texts} | nothing, {}


# --- a history ---


def _point(point: Point) -> list[Any]:
    return [point.revision, point.time, point.value, *point.interval, len(point.values)]


def _change(one: ChangePoint) -> dict[str, Any]:
    names = ("at", "state", "size", "interval", "between", "why")
    return {name: getattr(one, name) for name in names} | {"date": one.after.day}


def history_of(path: str, main: str) -> dict[str, Any]:
    """What the page shows of a history; a point is [commit, time, value, low, high, runs], and one of another
    branch has [..., place among those of the main one, branch]."""
    every = series.read(path, main)
    names = ("step", "metric", "about", "unit", "better", "state", "levels")
    shown = [
        {name: getattr(one, name) for name in names}
        | {
            "points": list(map(_point, one.points)),
            "others": [[*_point(point), at, point.branch] for point, at in zip(one.others, one.places)],
            "changes": list(map(_change, one.changes)),
        }
        for one in every
    ]
    notes_of = list(series.notes(every))
    return {"headline": series.headline(every, main), "notes": notes_of, "main": main, "series": shown}


def _changes(history: dict[str, Any]) -> list[list[str]]:
    """Rows of the table for browsers without JavaScript."""
    names = ("state", "size", "interval", "between", "date", "why")
    return [
        [f"{one['step']} {one['metric']}", one["about"], *(change[name] for name in names)]
        for one in history["series"]
        for change in one["changes"]
    ]


def between(page: str, first: str, last: str, text: str) -> str:
    """The page with a text in the place of what is between two marks."""
    before, mark, rest = page.partition(first)
    _, end, behind = rest.partition(last)
    if not mark or not end:
        raise Problem(f"has no {first}: build memstor again", str(VIEWER))
    return f"{before}{first}{text}{last}{behind}"


def page_of(
    title: str | None,
    about: dict[str, Any] | None,
    history: dict[str, Any] | None,
    rows: list[Iterable[str]],
    reports: str,
) -> str:
    page = VIEWER.read_text(encoding="utf-8")
    tables = "<p>This page draws charts with JavaScript, which is switched off here.</p>"
    if about:
        tables += f"\n<p><strong>{in_html(about['headline'])}</strong></p>"
        changed = [[row["step"], *row["cells"]] for row in about["rows"] if row["is_changed"]]
        tables += table(about["summary"], ["set", *about["head"]], changed) if changed else ""
    if history:
        tables += table(history["headline"], CHANGES, _changes(history))
    if rows:
        tables += table(title or "Reports in this page", HEAD, rows)
    data = '<script type="application/json" id="memstor-{}">'
    page = between(page, "<noscript>", "</noscript>", tables)
    page = between(page, data.format("summary"), "</script>", in_json(about))
    page = between(page, data.format("history"), "</script>", in_json(history))
    page = between(page, data.format("reports"), "</script>", reports)
    return between(page, "<title>", "</title>", in_html(title)) if title else page


def run(options: argparse.Namespace) -> int:
    if options.title is not None and not 0 < len(os.fsencode(options.title)) <= TITLE_MAX:
        raise Problem(f"--title '{options.title[:40]}': must be a text of 1 to {TITLE_MAX} bytes")
    check(options.output, begins=BEGIN)
    allowed: frozenset[str] = frozenset(filter(None, options.allow_different.split(",")))
    request = Request(rules=Rules(allowed=allowed), is_forced=options.force)
    files, found = origins(options.paths, options.history is not None)
    history = history_of(options.history, options.main) if options.history is not None else None
    entries: list[Entry] = []
    runs: dict[str, list[Run]] = {"": [], "base": [], "new": []}
    size = 0
    for entry, of in zip(each(partial(read, request=request), files), found):
        entries.append(entry)
        runs[of.side].append(entry.run)
        size += len(entry.xml)
        if size > PAGE_MAX:
            text = f"with report {len(entries)} of {len(files)} the page exceeds {PAGE_MAX >> 20} MiB"
            raise Problem(text, entry.path)
    about, titles = compared(request, runs) if runs["base"] else (None, {})
    facts = [
        {"name": os.fsencode(entry.path).decode("utf-8", "replace"), "step": step_of(entry, of, titles)}
        | of._asdict()
        for entry, of in zip(entries, found)
    ]
    texts = [f'{in_json(of)[:-1]},"xml":{entry.xml}}}' for of, entry in zip(facts, entries)]
    page = page_of(
        options.title, about, history, [entry.row for entry in entries], "[\n" + ",\n".join(texts) + "\n]"
    )
    with writing(options.output, begins=BEGIN) as file:
        file.write(page)
    return OK
