# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor convert: reports as JSON, as tables (CSV), as the table of the original pmbench's viewer, or a
value a metric for other programs."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import re
import zlib
from contextlib import ExitStack
from functools import cache, lru_cache, partial
from typing import IO, Any, Callable, Iterable, Iterator, NamedTuple, NoReturn

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element

from memstor import export, metric, output, report, schema, workers
from memstor.error import OK, Problem
from memstor.folder import refuse_two_builds
from memstor.histogram import PERCENTILES, Histogram, edges
from memstor.report import Report, Subject, parse_number, text_of
from memstor.schema import Record

EXAMPLES = (
    "memstor convert --to json run.xml | jq .pmbenchmark.report.result.totals",
    "memstor convert --to csv --what values -o values.csv results/",
    "memstor convert --to csv -o tables/ results/      # of several tools: a file a tool",
    "memstor convert --to openmetrics --metric p99 -o memstor.txt results/",
)
FORMULA = tuple("=+-@\t\r")
SHORT = ("mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")


def number(value: float) -> str:
    """The shortest text that reads back to the same; "" of what is no number."""
    if not math.isfinite(value):
        return ""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def text(cell: str) -> str:
    """What a spreadsheet would take for a formula is preceded by an apostrophe."""
    is_formula = cell[:1] in FORMULA and cell != "" and math.isnan(parse_number(cell))
    return f"'{cell}" if is_formula else cell


def _lines(rows: Iterable[Iterable[str]], end: str = "\n") -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=end).writerows(map(text, row) for row in rows)
    return buffer.getvalue()


# --- tables ---
#
# Each row begins with the columns of head(). A summary yields its rows as dicts by column, the other tables
# yield the cells of their columns.

Row = dict[str, str]
HEAD = ("file", "run", "tool", "wall_start", "status")


def head(of: Report) -> Row:
    labels = {f"label.{name}": value for name, value in of.labels.items()}
    return dict(zip(HEAD, (of.path, of.uuid, of.tool, of.wall_start, of.status))) | labels


def _has_subjects(record: Record) -> bool:
    return any(inner.kind == "subject" for inner in record.inner.values())


def _plan(row: Row, node: Element, record: Record, subject: str) -> None:
    """What says how a subject was measured: the words of its own records, of the first of several
    repetitions, and everything of the records around them. What ran alone once more has the plan of the
    other."""
    for child in node:
        inner = record.within(child.tag)
        if inner is None or not (
            inner.kind == "subject" or (inner.kind == "plain" and not inner.is_numbered)
        ):
            continue
        own = inner.subject_of(child) if inner.kind == "subject" else ""
        if own and subject not in (own, own + "-alone"):
            continue
        for of_it in inner.fields.values():
            # Its own numbers are among its values.
            is_wanted = of_it.is_text or subject != own if own else _has_subjects(inner)
            value = of_it.text(child) if of_it.type and is_wanted else None
            if value is not None and not (own and value == own):
                name = f"{child.tag}.{of_it.name}" if of_it.name in HEAD else of_it.name
                row.setdefault(name, value)
        _plan(row, child, inner, subject)


def _subject_row(of: Report, subject: Subject, histograms: list[Histogram]) -> Row:
    row = {"hostname": of.hostname, "subject": subject.id}
    for result in of.results if subject.id else ():
        _plan(row, *result, subject.id)
    for name, value in subject.values.items():
        row.setdefault(name, number(value.value))
    for histogram in histograms:
        if histogram.of_class == subject.id:
            statistics = histogram.statistics()
            for name in SHORT:
                row.setdefault(f"{histogram.type}.{name}", number(statistics[name]))
    return row


def summary(of: Report) -> Iterator[Row]:
    """A row a subject over its repetitions, with all its values; without subjects a row a type and class, or
    one for the run."""
    histograms, intervals = of.finest, schema.record_at(of.root.tag, "report/series/interval")
    is_of_accesses = schema.record_at(of.root.tag, "report/statistics") is not None or bool(histograms)
    # Or of a tool that measures several things one by one.
    if of.subjects or (intervals and intervals.subject) or not is_of_accesses:
        for subject in of.subjects.values() or [Subject("", "", of.values)]:
            yield _subject_row(of, subject, histograms)
        return
    rates = [value.value for value in of.values.values() if (value.unit, value.better) == ("/s", "higher")]
    about = {"hostname": of.hostname, "accesses_per_second": number(rates[0]) if rates else ""}
    for h in histograms:
        statistics = {name: number(value) for name, value in h.statistics().items()}
        kind = {"type": h.type, "class": h.of_class, "layout": h.layout, "count": str(h.count)}
        yield about | kind | statistics
    # A run that recorded nothing has its throughput even so.
    if not histograms:
        empty = dict.fromkeys(("min_ns", "mean_ns", "stddev_ns", *PERCENTILES, "max_ns"), "")
        yield about | {"type": "", "class": "", "layout": "", "count": str(of.operations)} | empty


def _name_of(node: Element, record: Record) -> str:
    """Of what, in words: "c2 repetition 1" when its key says more than the subject, "result_thread 1" of an
    instance."""
    subject, key = record.subject_of(node), record.key_of(node)
    if not subject:
        return f"{node.tag} {key}" if record.is_numbered else ""
    return f"{subject} repetition {key}" if key and record.kind != "plain" else subject


def _numbers(node: Element, record: Record, subject: str, prefix: str) -> Iterator[tuple[str, ...]]:
    """Each number below node, as it is written."""
    for row in record.fields.values():
        if not row.type or row.is_text or row.merge == "number":
            continue
        found = row.text(node)
        if found is not None:
            name = (prefix + (row.name if row.name != "value" else "")).removesuffix(".")
            yield subject, name, record.at(row, node).unit, found
    for child in node:
        inner = record.within(child.tag)
        if inner is None or inner.kind not in ("plain", "subject", "summary"):
            continue
        own, key = _name_of(child, inner), inner.key_of(child)
        is_new = own and (inner.kind == "subject" or inner.is_numbered)
        more = "" if is_new else ("" if own else prefix) + child.tag + (f".{key}" if key else "") + "."
        yield from _numbers(child, inner, own or subject, more)


def values(of: Report) -> Iterator[tuple[str, ...]]:
    """A row a number, as it is written, and the statistics of each histogram."""
    for result in of.results:
        yield from _numbers(*result, "", "")
    for h in of.finest:
        subject, name = (h.of_class, h.type) if h.of_class in of.subjects else ("", f"{h.type}.{h.of_class}")
        statistics = h.statistics()
        for of_it in SHORT:
            if math.isfinite(statistics[of_it]):
                yield subject, f"{name}.{of_it}", "ns", number(statistics[of_it])


def buckets(of: Report) -> Iterator[tuple[str, ...]]:
    """A row a bucket that is not empty, of every layout."""
    for h in of.histograms:
        for low, high, count in zip(h.lo.tolist(), h.hi.tolist(), h.counts.tolist()):
            yield h.type, h.of_class, h.layout, number(low), number(high), str(count)


def _events(node: Element, record: Record, subject: str) -> Iterator[tuple[str, ...]]:
    """Of rows of a result whose attributes are what happened at their time."""
    for child in node:
        inner = record.within(child.tag)
        if inner is None:
            continue
        if inner.kind not in ("series", "bucket"):
            yield from _events(child, inner, _name_of(child, inner) or subject)
        time = child.get("time_s") if inner.kind == "series" else None
        for name, value in child.items() if time is not None else ():
            if name != "time_s":
                yield subject, time or "", "", f"{child.tag}.{name}", value


def series(of: Report) -> Iterator[tuple[str, ...]]:
    """A row a value of an interval, with the kernel's counters; the writes of scenarios, and kernel
    events."""
    for interval in of.series:
        subject = interval.subject + (f" repetition {interval.repetition}" if interval.repetition else "")
        when = subject, number(interval.time), number(interval.seconds)
        found = {name: value.value for name, value in interval.values.items()}
        for name, value in (*found.items(), *interval.counters.items()):
            yield *when, name, number(value)
    for result in of.results:
        yield from _events(*result, "")


def facts(of: Report) -> Iterator[tuple[str, ...]]:
    """Options, labels, machine, findings, verdict, and the values of the run and of its subjects."""
    yield "tool", of.tool, of.tool_version
    for kind, pairs in (("option", of.options), ("label", of.labels)):
        # One name may have several.
        yield from ((kind, name, one) for name, all in pairs.items() for one in all.split("\n"))
    yield from (("machine", *pair) for pair in of.facts.items())
    yield from (("check", check.code, check.measured) for check in of.checks)
    yield "verdict", "status", of.status
    yield from (("verdict", reason.code, reason.measured) for reason in of.reasons)
    for subject in (Subject("", "", of.values), *of.subjects.values()):
        before = f"{subject.id}:" if subject.id else ""
        yield from (("value", before + name, number(v.value)) for name, v in subject.values.items())


TABLES: dict[str, Callable[[Report], Iterator[Any]]] = {
    "summary": summary,
    "values": values,
    "buckets": buckets,
    "series": series,
    "facts": facts,
}
COLUMNS = {
    "values": ("subject", "name", "unit", "value"),
    "buckets": ("type", "class", "layout", "lo_ns", "hi_ns", "count"),
    "series": ("subject", "time_s", "seconds", "name", "value"),
    "facts": ("kind", "name", "value"),
}


class Block(NamedTuple):
    """The rows of one report. rows: of a summary; lines: of other tables, ready but for the head."""

    tool: str
    head: Row
    rows: list[Row]
    lines: str  # ended by SEPARATOR, which no text of a report holds


SEPARATOR = "\0"


def block_of(path: str, what: str) -> Block:
    of = report.read_file(path)
    rows = TABLES[what](of)
    if what == "summary":
        return Block(of.tool, head(of), list(rows), "")
    return Block(of.tool, head(of), [], _lines(rows, SEPARATOR))


def write_csv(file: IO[str], blocks: list[Block], what: str) -> None:
    names = dict.fromkeys(name for block in blocks for name in block.head)
    own = dict.fromkeys(name for block in blocks for row in block.rows for name in row)
    columns = COLUMNS.get(what) or tuple(own)
    file.write(_lines([[*names, *columns]]))
    for block in blocks:
        begin = [block.head.get(name, "") for name in names]
        file.write(_lines([*begin, *(row.get(name, "") for name in columns)] for row in block.rows))
        before = _lines([begin], "") + ","
        file.writelines(f"{before}{line}\n" for line in block.lines.split(SEPARATOR)[:-1])


# --- JSON ---
#
# By the rules of docs/report.md. XML does not say what is a number and what may repeat: schema.json does. A
# name has one kind of value everywhere.

quoted = lru_cache(1 << 16)(json.JSONEncoder(ensure_ascii=False).encode)
MIXED = etree.XPath("//*[*]/text()[normalize-space()]")  # texts between elements
JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


@cache
def _text_names() -> frozenset[str]:
    """Elements and attributes that are text somewhere."""
    names = set()
    for record in schema.records().values():
        names |= {row.name for row in record.fields.values() if row.is_text and row.place != "body"}
        names |= {name for name, inner in record.inner.items() if inner.body and inner.body.is_text}
    return frozenset(names)


@lru_cache(1 << 16)
def json_value(name: str, value: str, is_element: bool, is_newer: bool) -> str | None:
    """The text of an attribute or an element in JSON; None of what is not allowed."""
    if name in _text_names():
        return quoted(value)
    # A number fits 64 bits or a double.
    if value in ("true", "false") or (
        JSON_NUMBER.fullmatch(value) and (is_newer or math.isfinite(float(value)))
    ):
        return value
    return quoted(value) if is_newer or (is_element and not value) else None


def json_of(of: Report, is_flat: bool, depth: int = 0) -> str:
    """The text of a report, from this depth of indentation on. is_flat: on one line."""
    text_names, lists, is_newer = _text_names(), schema.lists(), of.is_newer

    def refuse(node: Element, what: str, value: str) -> NoReturn:
        raise of.refuse(node, f"{what} is '{value[:40]}': allowed are numbers, true and false")

    def join(brackets: str, parts: Iterable[str], end: str) -> str:
        """end: a newline, and the indentation of the last line; "" = all on one line."""
        begin, comma = (f"{end}  ", f",{end}  ") if end else ("", ", ")
        return f"{brackets[0]}{begin}{comma.join(parts)}{end}{brackets[1]}"

    def element(node: Element, end: str) -> str:
        name, text, same = node.tag, "", dict[str, list[Element]]()
        members = {
            key: json_value(key, value, False, is_newer)
            or refuse(node, f"{key[:40]} of <{name[:40]}>", value)
            for key, value in node.items()
        }
        if len(node):
            for child in node:
                same.setdefault(child.tag, []).append(child)
        else:
            text, end = node.text or "", ""
            if text or name in text_names:
                same["value"] = [node]
        for key in (members.keys() & same.keys()) if same and members else ():
            raise of.refuse(node, f"{key[:40]} is both an attribute of <{name[:40]}> and in it")
        inner = end and end + "  "
        for key, nodes in same.items():
            if nodes[0] is node:
                members[key] = json_value(name, text, True, is_newer) or refuse(node, f"<{name[:40]}>", text)
                if len(members) == 1:
                    return members[key]
            elif key in lists or len(nodes) > 1:
                members[key] = join("[]", [element(one, inner and inner + "  ") for one in nodes], inner)
            else:
                members[key] = element(nodes[0], inner)
        return join("{}", [f"{quoted(key)}: {value}" for key, value in members.items()], end)

    for text in MIXED(of.root):
        node = text.getparent().getparent() if text.is_tail else text.getparent()
        raise of.refuse(node, f"<{node.tag[:40]}> has text between its elements")
    end = "" if is_flat else "\n" + "  " * depth
    return join("{}", [f"{quoted(of.root.tag)}: {element(of.root, end and end + '  ')}"], end)


def json_block(path: str, is_flat: bool, depth: int) -> tuple[str, bytes]:
    """Compressed, as that of a thousand reports is in memory before any is written."""
    of = report.read_file(path)
    return of.tool, zlib.compress(json_of(of, is_flat, depth).encode(), 1)


# --- the CSV of the original's viewer ---
#
# What the "Export CSV" button of pmgraph 0.8 writes for manually imported reports. For reports of this
# pmbench it also has the swap device and the memory, which the viewer leaves empty.

PMGRAPH_HEAD = "OS/kernel,Swap device,Phys. memory,Map size,Jobs,Delay,Read/write ratio,Niceness".split(",")
THREADS_HEAD = (
    "Thread #,Net avg. (us),Net avg. (clk),Latency (us),Latency (clk),Samples,Overhead (us),Overhead (clk)"
)
THREAD_PATHS = (
    "result_netavg/netavg_us",
    "result_netavg/netavg_clk",
    "result_details/details_latency/latency_us",
    "result_details/details_latency/latency_clk",
    "result_details/details_samples",
    "result_details/details_overhead/overhead_us",
    "result_details/details_overhead/overhead_clk",
)
MEMORY_HEAD = (
    "Free KiB,Buffer KiB,Cache KiB,Active KiB,Inactive KiB,"
    "Page in/s,Page out/s,Swap in/s,Swap out/s,Major faults"
)
MEMORY_PATHS = (
    "free_kib buffer_kib cache_kib active_kib inactive_kib pgpgin pgpgout pswpin pswpout pgmajfault".split()
)
# The edges of layout log16, in ns.
LOG16 = [*map(int, edges("log16")[:-1]), 2**32]


class Column(NamedTuple):
    """Of one report: its name, and rows that are ready."""

    name: str
    parameters: list[str]
    threads: list[list[str]]
    counts: dict[str, list[int]]  # "read", "write"
    memory: list[list[str]]


def _plain(node: Element, path: str) -> str:
    return number(parse_number(text_of(node, path)))


def column_of(path: str) -> Column:
    of = report.read_file(path)
    if of.tool != "pmbench":
        raise Problem(f"a report of {of.tool[:60]}: pmgraph knows those of pmbench only", path)
    params, machine = of.report.find("signature/params"), of.report.find("machine_info")
    # With --ram, or in a container, there is less than the machine has.
    memory = text_of(machine, "cgroup/limit_bytes") or text_of(machine, "memory_bytes")
    options = of.report.find("signature/pmbench_info/version_options")
    parameters = [
        "" if options is None else options.text or "",
        text_of(machine, "swap/swap_area/backing"),
        f"{(report.parse_count(memory) or 0) >> 20}MiB",
        text_of(params, "mapsize") + "MiB",
        *(text_of(params, name) for name in ("jobs", "delay", "ratio")),
        "",
    ]
    threads = [
        [" ", thread.get("thread_num", ""), *(_plain(thread, path) for path in THREAD_PATHS)]
        for thread in of.report.iterfind("result/result_thread")
    ]
    # Folded into log16, whose buckets are sums of those of any other layout.
    counts = {}
    for of_type in ("read", "write"):
        histogram = of.histogram(of_type)
        if histogram is not None:
            sums = np.zeros(len(LOG16) - 1, dtype=np.uint64)
            at = np.minimum(np.searchsorted(LOG16, histogram.lo, "right") - 1, len(sums) - 1)
            np.add.at(sums, at, histogram.counts)
            counts[of_type] = sums.tolist()
    snapshots = []
    for item in of.report.iterfind("sys_mem_info/sys_mem_item"):
        name = item.get("name", "")
        title = name.capitalize() if re.fullmatch("[a-z-]*", name) else ""
        for part, is_delta in (("mem_item_info", False), ("mem_item_delta", True)):
            node = item.find(part)
            if node is not None:
                row = ["Delta" if is_delta else title, *(_plain(node, path) for path in MEMORY_PATHS)]
                snapshots.append(row)
    name = os.path.basename(path)
    return Column(
        name[:-4] if len(name) > 4 and name.endswith(".xml") else name, parameters, threads, counts, snapshots
    )


def write_pmgraph(file: IO[str], columns: list[Column]) -> None:
    def write(*rows: Iterable[Any]) -> None:
        file.write(_lines(map(str, row) for row in rows))

    write(PMGRAPH_HEAD, columns[0].parameters)
    file.write("\n")
    for column in columns:
        write([column.name, *THREADS_HEAD.split(",")], *column.threads)
    file.write("\n")
    for of_type in ("read", "write"):
        having = [column for column in columns if of_type in column.counts]
        if having:
            write([f"{of_type.capitalize()} latencies", "", *(column.name for column in having)])
            write(*zip(LOG16, LOG16[1:], *(column.counts[of_type] for column in having)))
            file.write("\n")
    for column in columns:
        write([column.name, *MEMORY_HEAD.split(",")], *column.memory)


# --- the command ---


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="reports, or folders of them")
    parser.add_argument(
        "-t",
        "--to",
        required=True,
        choices=("json", "ndjson", "csv", "pmgraph", *export.FORMATS),
        help="write this format: several reports are an array of json, lines of ndjson, rows of csv; pmgraph "
        "is the CSV that the viewer of the original pmbench exports; the others write a value a metric",
    )
    parser.add_argument(
        "--metric",
        metavar="NAME",
        action="append",
        default=[],
        help=f"write this metric instead of the first 8 of a step; repeatable ({', '.join(export.FORMATS)})",
    )
    parser.add_argument(
        "-w",
        "--what",
        choices=TABLES,
        help="write this table of csv: summary (default; a row a subject, or a type and class of accesses), "
        "values (every number as a row), buckets, series, facts (options, labels, machine, findings)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="write to FILE, which changes only when the result is complete; a folder gets a file a tool; "
        "- is stdout",
    )


def _outputs(options: argparse.Namespace, tools: list[str]) -> dict[str, str]:
    """The path to write, by tool, or by the name of an export's file."""
    if os.path.isdir(options.output) or options.output.endswith("/"):
        try:
            os.makedirs(options.output, exist_ok=True)
        except OSError as problem:
            raise Problem(f"-o {options.output}: cannot be made: {problem.strerror}", status=3) from None
        if options.to in export.FORMATS:
            return {name: os.path.join(options.output, name) for name in tools}
        end = {"json": "json", "ndjson": "ndjson"}.get(options.to, "csv")
        return {
            tool: os.path.join(options.output, f"{re.sub('[^a-zA-Z0-9-]', '-', tool) or 'unknown'}.{end}")
            for tool in tools
        }
    if options.to == "csv" and options.what in (None, "summary") and len(tools) > 1:
        raise Problem(
            f"reports of {', '.join(tools)} have different columns: -o DIR/ writes a file a tool, --what "
            "values one table"
        )
    if options.to in export.FORMATS and len(tools) > 1:
        names = " and ".join(tools)
        raise Problem(f"--to {options.to}: a file a direction: -o DIR/ writes {names}")
    return dict.fromkeys(tools, options.output)


def run(options: argparse.Namespace) -> int:
    if options.what and options.to != "csv":
        raise Problem(f"-w {options.what}: is for --to csv only")
    if options.metric and options.to not in export.FORMATS:
        raise Problem(f"--metric {options.metric[0]}: is for --to {', '.join(export.FORMATS)} only")
    if not (os.path.isdir(options.output) or options.output.endswith("/")):
        output.check(options.output)
    paths = list(report.find(options.files))
    found: list[tuple[str, Any]] = []  # tool, and what is to be written
    if options.to == "csv":
        work = partial(block_of, what=options.what or "summary")
        found = [(block.tool, block) for block in workers.each(work, paths)]
    elif options.to == "pmgraph":
        found = [("pmbench", column) for column in workers.each(column_of, paths)]
    elif options.to in export.FORMATS:
        refuse_two_builds(options.files)
        found = list(export.export(options.to, paths, metric.asked("--metric", options.metric)).items())
    else:
        is_array = options.to == "json" and len(paths) > 1
        found = list(
            workers.each(partial(json_block, is_flat=options.to == "ndjson", depth=int(is_array)), paths)
        )
    outputs = _outputs(options, list(dict.fromkeys(tool for tool, _ in found)))
    with ExitStack() as stack:
        for path in dict.fromkeys(outputs.values()):
            file = stack.enter_context(output.writing(path))
            all_of_it = [item for tool, item in found if outputs[tool] == path]
            if options.to == "csv":
                write_csv(file, all_of_it, options.what or "summary")
            elif options.to == "pmgraph":
                write_pmgraph(file, all_of_it)
            elif options.to in export.FORMATS:
                file.writelines(all_of_it)
            else:
                is_array = options.to == "json" and len(all_of_it) > 1
                file.write("[\n  " * is_array)
                for i, item in enumerate(all_of_it):
                    file.write((",\n  " if is_array else "") * (i > 0) + zlib.decompress(item).decode())
                    file.write("\n" * (not is_array))
                file.write("\n]\n" * is_array)
    return OK
