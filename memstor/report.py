# SPDX-License-Identifier: GPL-3.0-or-later
"""A report of any tool and version, in XML or JSON; nothing else in the package knows either.

What is read: signature, facts, subjects, values, histograms, series and verdict, by the lists of schema/
alone. Reports of the original pmbench are read into the same model. """

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, Iterable, Iterator, Sequence

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element
from numpy.typing import NDArray

from memstor import original, schema, units
from memstor.error import HOST, Problem
from memstor.histogram import Histogram
from memstor.output import input_bytes, writing
from memstor.schema import Field, Record

BYTES_MAX = 64 << 20
DEPTH_MAX = 64
LINE_MAX = 65535  # that a node of libxml2 can have
SUBJECTS_MAX = 1024  # and histograms: all pairs are compared
NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
COUNT_MAX = (1 << 64) - 1
COUNTS = re.compile(rf"(([0-9]{{1,19}}|{COUNT_MAX})\0)*")  # each ended by what no text of a report holds
VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")
NO_REPORTS = ("index.xml", "system.xml")  # of memstor run: its list, and a calibration
RANKS = ".ranks"  # ends the name of the folder beside a merged report of memstor mpi with what was merged
STATUSES = ("ok", "interrupted", "untrustworthy")
MACHINE = {"cpu_model": "machine_info/modelname"} | {
    name: f"machine_info/{name}"
    for name in ("hypervisor", "cores", "hardware_threads", "page_bytes", "memory_bytes")
}
MACHINE["cgroup_limit_bytes"] = "machine_info/cgroup/limit_bytes"
# Not the path, which may be of a folder made for the run.
STORAGE = ("kind", "file_system", "device", "memory_align_bytes", "offset_align_bytes", "fs_block_bytes")
CLOCK_STEPS = (
    "machine_info/time_source/effective_step_ns",
    "machine_info/time_source/granularity_ns",
    "result/clock/granularity_ns",
)


@dataclass(frozen=True, slots=True)
class Value:
    """A number of a run or of a subject. field: its row of the schema; None of a counter, or an unknown
    element."""

    name: str
    value: float
    field: Field | None = None

    @property
    def unit(self) -> str:
        return self.field.unit if self.field else ""

    @property
    def better(self) -> str:
        return self.field.better if self.field else ""

    def __float__(self) -> float:
        return self.value


@dataclass(slots=True)
class Subject:
    """What was measured one by one: a cell, a scenario, a stream in a mix or alone. Values are over all
    repetitions."""

    id: str
    kind: str = ""  # the name of its element
    values: dict[str, Value] = field(default_factory=dict)

    @property
    def is_alone(self) -> bool:
        """Whether it is the separate measurement of another one, as "log-alone"."""
        return self.id.endswith("-alone") and self.id != "-alone"


@dataclass(slots=True)
class Interval:
    """A row of the series. time and seconds: its end on the run's clock, and its length, in s."""

    subject: str
    repetition: str
    time: float
    seconds: float
    values: dict[str, Value]
    counters: dict[str, float]  # differences; absent = unchanged or not read
    histogram: Histogram | None


@dataclass(frozen=True, slots=True)
class Finding:
    """A check of the environment, or a reason of the verdict, which has no advice."""

    code: str
    measured: str
    finding: str = ""
    advice: str = ""


def text_of(node: Element | None, path: str = "") -> str:
    """The text at a path, "" when it is absent."""
    found = node if node is None or not path else node.find(path)
    return "" if found is None else (found.text or "").strip()


def parse_number(text: str) -> float:
    """NaN unless the text is a finite decimal number."""
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    return value + 0.0 if math.isfinite(value) else math.nan


def parse_count(text: str | None) -> int | None:
    """None unless it is a whole number from 0 to 2^64-1."""
    is_whole = text is not None and text.isascii() and text.isdigit() and len(text) <= 40
    value = int(text) if text and is_whole else COUNT_MAX + 1
    return value if value <= COUNT_MAX else None


class NoReport(Problem):
    """The document is no report, or one of an unknown format."""


class Part:
    """An element of a report and what is in it, by names: values are attributes or elements. What is absent
    or no number is "" or NaN."""

    def __init__(self, node: Element):
        self._node = node

    @staticmethod
    def _text(node: Element, name: str) -> str:
        return node.get(name) or text_of(node, name)

    def text(self, name: str) -> str:
        return self._text(self._node, name)

    def number(self, name: str) -> float:
        return parse_number(self.text(name))

    def parts(self, name: str) -> list[Part]:
        """The elements of this name, or path."""
        return [Part(node) for node in self._node.iterfind(name)]

    def rows(self, name: str, *columns: str) -> NDArray[np.float64]:
        """The numbers of each element of this name; shape (elements, columns)."""
        found = [[parse_number(self._text(n, c)) for c in columns] for n in self._node.iterfind(name)]
        return np.array(found, dtype=np.float64).reshape(-1, len(columns))

    def texts(self, name: str, column: str = "") -> list[str]:
        """Of each element of this name its value column, or what is in it itself."""
        return [self._text(n, column) if column else text_of(n) for n in self._node.iterfind(name)]


class Report:
    """One report. Absent texts are "", absent numbers NaN; what contradicts itself is refused with a Problem.

    path: as given; root: the document element, of which nothing may be changed.
    """

    def __init__(self, root: Element, path: str):
        self.path, self.root = path, root
        self.report: Element = self._known_document()
        self.is_original = self.is_newer = False
        self._check_version()
        self._check_once()
        text = partial(text_of, self.report)
        self.uuid = text("signature/uuid")
        self.wall_start = text("signature/wall_start")
        self.boot_id = text("signature/host/boot_id")
        self.cpu_model = text("machine_info/modelname")
        if self.is_original:
            self.tool = "pmbench"
            self.tool_version = text("signature/pmbench_info/version_number").removeprefix("pmbench ")
            self.report_version = text("signature/pmbench_info/version_xmloutput")
            host, release = "signature/os_info/", "signature/os_info/version_info/"
            self.options: dict[str, str] = original.options(self.report)
        else:
            self.tool, self.tool_version = text("signature/tool"), text("signature/tool_version")
            self.report_version = text("signature/report_version")
            host = release = "signature/host/"
            self.options = self._pairs("signature/options/option")
        self.hostname = text(host + "hostname")
        self.release, self.arch = text(release + "release"), text(release + "arch")
        self.labels: dict[str, str] = self._pairs("signature/labels/label")
        self.status, self.reasons = self._verdict()

    # --- what is refused ---

    def refuse(self, node: Element | None, text: str, kind: type[Problem] = Problem) -> Problem:
        """To raise: text, with file and line."""
        return kind(text, self.path, None if node is None else node.sourceline)

    def _known_document(self) -> Element:
        known = [name for name, record in schema.roots().items() if "report" in record.fields]
        if self.root.tag not in known:
            *names, last = map("<{}>".format, known)
            text = f"<{self.root.tag[:40]}> is not a report: allowed are {', '.join(names)} and {last}"
            raise self.refuse(self.root, text, NoReport)
        found = self.root.find("report")
        if found is None:
            raise self.refuse(self.root, f"<{self.root.tag}> has no <report>", NoReport)
        return found

    def _check_version(self) -> None:
        node = self.report.find("signature/report_version")
        if node is None:
            if self.root.tag != "pmbenchmark":
                raise self.refuse(self.report, "no <report_version> in the <signature>", NoReport)
            self.is_original = True
            return
        match, known = VERSION.fullmatch(text := text_of(node)), schema.version()
        if not match:
            text = f"<report_version> is '{text[:40]}': allowed are versions like 1.0"
            raise self.refuse(node, text, NoReport)
        major, minor = map(int, match.groups())
        if major > known[0]:
            reads = f"this program, which reads up to {known[0]}.x: use a newer memstor"
            raise self.refuse(node, f"report format {text} is newer than {reads}", NoReport)
        self.is_newer = (major, minor) > known

    def _check_once(self) -> None:
        lists = schema.lists()
        for parent in [self.root] if self.is_newer else self.root.iter(*schema.parents()):
            names = [child.tag for child in parent if child.tag not in lists]
            if len(set(names)) < len(names):
                twice = next(name for i, name in enumerate(names) if name in names[:i])
                text = f"a second <{twice[:40]}> in one <{parent.tag[:40]}>"
                raise self.refuse(parent.findall(twice)[1], text)

    def _pairs(self, path: str) -> dict[str, str]:
        """Name and text of each element; the texts of a name that repeats are joined by a newline, in their
        order."""
        pairs: dict[str, str] = {}
        for node in self.report.iterfind(path):
            name = self._attribute(node, "name")
            pairs[name] = pairs[name] + "\n" + text_of(node) if name in pairs else text_of(node)
        return pairs

    def _attribute(self, node: Element, name: str) -> str:
        text = node.get(name)
        if text is None:
            raise self.refuse(node, f"<{node.tag}> has no {name}")
        return text

    def number_of(self, node: Element, name: str, text: str) -> float:
        """The text of an element of this name; node: for the line."""
        value = parse_number(text)
        if math.isnan(value):
            raise self.refuse(node, f"<{name[:40]}> is '{text[:40]}': allowed are finite numbers")
        return value

    def number_at(self, node: Element | None, path: str) -> float:
        """The number at a path, NaN when it is absent."""
        found = None if node is None else node.find(path)
        return math.nan if found is None else self.number_of(found, found.tag, text_of(found))

    def count_of(self, node: Element, name: str = "") -> int:
        """The attribute, or what is in the element: a whole number."""
        text = self._attribute(node, name) if name else text_of(node)
        value = parse_count(text)
        if value is None:
            what = f'{name}="{text[:40]}" of <{node.tag}>' if name else f"<{node.tag}> is '{text[:40]}'"
            raise self.refuse(node, f"{what}: allowed are whole numbers from 0 to 2^64-1")
        return value

    def part(self, path: str) -> Part | None:
        """The first element at a path, as "result/evaluation"; None when there is none."""
        node = self.report.find(path)
        return None if node is None else Part(node)

    # --- verdict and facts ---

    def _findings(self, path: str, measured: str = "") -> list[Finding]:
        """measured: the name of the element that has it; "" = what is in the finding itself."""
        return [
            Finding(
                self._attribute(node, "code"),
                text_of(node, measured),
                text_of(node, "finding"),
                text_of(node, "advice"),
            )
            for node in self.report.iterfind(path)
        ]

    @cached_property
    def checks(self) -> list[Finding]:
        """Conditions that may have disturbed the run."""
        return self._findings("environment/check", "measured")

    def _verdict(self) -> tuple[str, list[Finding]]:
        node = self.report.find("verdict")
        if node is None:
            is_interrupted = text_of(self.report, "signature/interrupted") == "1"
            return "interrupted" if is_interrupted else "ok", []
        status = node.get("status") or ""
        if status not in STATUSES:
            allowed = "allowed are ok, interrupted and untrustworthy"
            raise self.refuse(node, f'status="{status[:40]}" of <verdict>: {allowed}')
        return status, self._findings("verdict/reason")

    @property
    def missed(self) -> str:
        """The first objective that was not met, as "sync:p99<10ms: 12.3 ms in CELL"; "" = none."""
        for node in self.report.iter("objective"):
            if text_of(node, "is_met") == "false":
                reached, around = parse_number(text_of(node, "reached_ns")), node.getparent()
                what = node.get("text", "") + (
                    "" if math.isnan(reached) else f": {units.text(reached, 'ns')}"
                )
                id = None if around is None else around.get("id")
                return f"{what} in {id}" if id else what
        return ""

    @property
    def is_swap_used(self) -> bool:
        """A tool that writes to a target does not measure swap, and without a major fault nothing came from
        one."""
        if self.report.find("storage") is not None or self.options.get("swap") == "none":
            return False
        phases = self.report.findall("result/phases/phase")
        return not phases or any(text_of(phase, "major_faults") != "0" for phase in phases)

    def _swap_areas(self) -> dict[str, str]:
        """As "zram lzo-rle 8589930496": the path says only which of several devices was free, and the
        kernel's order is that of swapon. A run with a swap of its own uses that, which is before all
        others."""
        areas = self.report.findall("machine_info/swap/swap_area") if self.is_swap_used else []
        priorities = np.nan_to_num([parse_number(text_of(area, "priority")) for area in areas])
        texts = [
            " ".join(filter(None, (text_of(area, name) for name in ("backing", "algorithm", "size_bytes"))))
            for area, priority in zip(areas, priorities)
            if "swap" not in self.options or priority == priorities.max()
        ]
        return {f"swap_area.{i}": text for i, text in enumerate(sorted(texts), 1)}

    def _settings(self, path: str) -> dict[str, str]:
        """Without those that an option of the run gave: the option is compared. Read-ahead of swap is set for
        the whole machine by any program under pressure."""
        return {
            name: text
            for name, text in self._pairs(path).items()
            if not (name.startswith("vm.") and name[3:] in self.options)
            and (name != "vm.page-cluster" or self.is_swap_used)
        }

    @property
    def doubt(self) -> str:
        """Why it is not trustworthy, or that it was interrupted; "" = it is ok."""
        codes = ", ".join(reason.code for reason in self.reasons)
        return "" if self.status == "ok" else self.status + (f": {codes}" if codes else "")

    @cached_property
    def facts(self) -> dict[str, str]:
        """What decides a number and is the same for every run on one machine, by name."""
        facts = {name: text_of(self.report, path) for name, path in MACHINE.items()}
        # The limit of a run's own cgroup follows from its --ram; any other is the machine as the run found
        # it.
        if "ram" in self.options:
            del facts["cgroup_limit_bytes"]
        clock = "signature/params/tsops" if self.is_original else "machine_info/time_source/method"
        numa = self.report.find("machine_info/numa")
        facts |= {"release": self.release, "arch": self.arch, "time_source": text_of(self.report, clock)}
        facts["numa_nodes"] = "" if numa is None else str(len(numa.findall("numa_node")))
        facts |= self._swap_areas() | self._settings("machine_info/settings/setting")
        facts |= {f"storage.{name}": text_of(self.report, f"storage/{name}") for name in STORAGE}
        models = self.report.xpath("storage/layer/device_model/text()")
        facts["storage.model"] = ", ".join(models)
        facts |= self._settings("storage/settings/setting")
        return {name: text for name, text in facts.items() if text}

    @cached_property
    def clock_step_ns(self) -> float:
        """The step of the clock of the latencies, NaN = unknown."""
        steps = (parse_number(text_of(self.report, path)) for path in CLOCK_STEPS)
        return next((step for step in steps if not math.isnan(step)), math.nan)

    # --- values ---

    @property
    def results(self) -> list[tuple[Element, Record]]:
        """The <result>, if there is one, with its record."""
        node, record = self.report.find("result"), schema.record_at(self.root.tag, "report/result")
        return [] if node is None or record is None else [(node, record)]

    @cached_property
    def _all_subjects(self) -> list[Subject]:
        """The run itself first, with id ""."""
        subjects = _Gathering(self).subjects()
        if self.root.tag == "pmbenchmark":
            for name, value in original.values(self).items():
                subjects[0].values[name] = Value(name, value, original.field_of(name))
        return subjects

    @property
    def values(self) -> dict[str, Value]:
        """Of the whole run: totals over its subjects, then every other number of <result>, by its name, or by
        "RECORD.NAME" where that is taken."""
        return self._all_subjects[0].values

    @cached_property
    def subjects(self) -> dict[str, Subject]:
        """By id, in the order of the report."""
        return {subject.id: subject for subject in self._all_subjects[1:]}

    def __getitem__(self, subject: str) -> Subject:
        return self.subjects[subject]

    @property
    def operations(self) -> int:
        """Of the whole run: its first count that is summed, and neither good nor bad; 0 = unknown."""
        for value in self.values.values():
            row, about = value.field, (value.unit, value.better)
            if (
                row
                and (row.type, row.merge, *about) == ("count", "sum", "", "")
                and 0 <= value.value < 2**64
            ):
                return int(value.value)
        return 0

    # --- histograms and series ---

    def _buckets(self, buckets: list[Element]) -> NDArray[np.uint64]:
        """Begin, end and count; shape (buckets, 3). An open end is 2^64-1."""
        names = ("lo", "hi", "count")
        texts = [bucket.get(name) or "" for bucket in buckets for name in names]
        is_open = bool(buckets) and buckets[-1].get("hi") is None
        if is_open:
            texts[-2] = str(COUNT_MAX)
        # All at once: most of a report is buckets.
        text = " ".join(texts)
        if not COUNTS.fullmatch("\0".join([*texts, ""])):
            last = len(buckets) - 1 if is_open else len(buckets)
            text = " ".join(
                str(COUNT_MAX if i == last and name == "hi" else self.count_of(bucket, name))
                for i, bucket in enumerate(buckets)
                for name in names
            )
        table = np.fromstring(text, np.uint64, sep=" ").reshape(-1, 3)
        low, high = table[:, 0], table[:, 1]
        before = np.append(np.uint64(0), high[:-1])
        for i in np.flatnonzero((low < before) | (high <= low))[:1]:
            if low[i] < before[i]:
                text = f"from {low[i]} begins below the end of the one before it, {before[i]}"
            else:
                text = f"ends at {high[i]} and begins at {low[i]}: it must end above"
            raise self.refuse(buckets[i], f"<bucket> {text}")
        return table

    def _histogram(self, node: Element) -> Histogram:
        names = [self._attribute(node, name) for name in ("type", "class", "layout")]
        if node.get("unit") != "ns":
            raise self.refuse(node, f'unit="{(node.get("unit") or "")[:40]}" of <{node.tag}>: allowed is ns')
        buckets = node.findall("bucket")
        table = self._buckets(buckets)
        edges = table[:, :2].astype(np.float64)
        if buckets and buckets[-1].get("hi") is None:
            edges[-1, 1] = math.inf
        return self.make_histogram(node, names, edges, table[:, 2], node.find("summary"))

    def make_histogram(
        self,
        node: Element,
        names: Sequence[str],
        edges: NDArray[np.float64],
        counts: NDArray[np.uint64],
        summary: Element | None = None,
    ) -> Histogram:
        """names: type, class, layout; edges: shape (buckets, 2). Empty buckets are left out."""
        filled = counts > 0
        edges, counts = edges[filled], counts[filled]
        total = sum(counts.tolist())
        if total > COUNT_MAX:
            raise self.refuse(node, "the counts of the buckets add up to more than 2^64-1")
        moments = [self.number_at(summary, name) for name in ("min_ns", "mean_ns", "stddev_ns", "max_ns")]
        if summary is not None:
            said = summary.find("count")
            if said is None:
                raise self.refuse(summary, "<summary> has no <count>")
            if self.count_of(said) != total:
                text = f"the buckets hold {total} in all, the <summary> says {text_of(said)}"
                raise self.refuse(summary, text)
            if moments[0] > moments[3]:
                raise self.refuse(summary, "min_ns is above max_ns")
        lo, hi = edges.T.copy()
        return Histogram(names[0], names[1], names[2], lo, hi, counts, total, *moments)

    @cached_property
    def histograms(self) -> list[Histogram]:
        """Of the whole run; for each type and class the finest layout first."""
        statistics = self.report.find("statistics")
        if statistics is None:
            return []
        nodes, make = statistics.findall("latency_histogram"), self._histogram
        if not nodes:
            nodes, make = statistics.findall("histogram"), partial(original.histogram, self)
        if len(nodes) > SUBJECTS_MAX:
            raise self.refuse(statistics, f"{len(nodes)} histograms: allowed are {SUBJECTS_MAX}")
        found: dict[tuple[str, str], list[Histogram]] = {}
        for node in nodes:
            new = make(node)
            same = found.setdefault((new.type, new.of_class), [])
            if any(h.layout == new.layout for h in same):
                which = f"type {new.type[:40]}, class {new.of_class[:40]}, layout {new.layout[:40]}"
                raise self.refuse(node, f"a second <{node.tag}> of {which}")
            same.insert(0 if new.layout == "hdr" else len(same), new)
        return [h for same in found.values() for h in same]

    @property
    def finest(self) -> list[Histogram]:
        """One histogram of each type and class."""
        found: dict[tuple[str, str], Histogram] = {}
        for histogram in self.histograms:
            found.setdefault((histogram.type, histogram.of_class), histogram)
        return list(found.values())

    def histogram(self, type: str, of_class: str = "all", layout: str = "") -> Histogram | None:
        """The finest of a type and class, or that of the layout."""
        for h in self.histograms:
            if (h.type, h.of_class) == (type, of_class) and layout in ("", h.layout):
                return h
        return None

    @cached_property
    def interval_s(self) -> float:
        """The length that was asked for, NaN without a series."""
        return self.number_at(self.report, "series/interval_ns") / 1e9

    @cached_property
    def series(self) -> list[Interval]:
        """The intervals in the order of the report."""
        record = schema.record_at(self.root.tag, "report/series/interval")
        if record is None:
            return []
        return [self._interval(node, record) for node in self.report.iterfind("series/interval")]

    def _interval(self, node: Element, record: Record) -> Interval:
        values = {
            child.tag: Value(child.tag, self.number_of(child, child.tag, text_of(child)), row)
            for child in node
            if (row := record.numbers.get(child.tag)) and child.tag not in ("time_s", "seconds")
        }
        counters = {}
        for counter in node.iterfind("counters/counter"):
            name, number = counter.get("name"), parse_number(counter.get("value") or "")
            if name is None or math.isnan(number):
                raise self.refuse(counter, "<counter> needs a name and a value that is a number")
            counters[name] = number
        histogram = node.find("latency_histogram")
        return Interval(
            record.subject_of(node),
            record.key_of(node),
            self.number_at(node, "time_s"),
            self.number_at(node, "seconds"),
            values,
            counters,
            None if histogram is None else self._histogram(histogram),
        )


# --- values by their merge rules ---


@dataclass(slots=True)
class _Tally:
    """All occurrences of one value of one subject. prefix: what of its name is before that of the field."""

    row: Field
    prefix: str
    values: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)

    def total(self, others: dict[str, _Tally]) -> float:
        """Of numbers that have no rule the mean describes all."""
        merge, values = self.row.merge, self.values
        if merge in ("sum", "time", "each"):
            return sum(values)
        if merge in ("min", "max"):
            return min(values) if merge == "min" else max(values)
        if merge == "error":
            values = [abs(value) for value in values]
        if len(values) == 1:
            return values[0]
        if merge == "ratio":
            parts = [others.get(self.prefix + name) for name in (self.row.first, self.row.second)]
            if parts[0] is not None and parts[1] is not None:
                below = parts[1].total(others)
                return parts[0].total(others) / below if below else math.nan
        amounts, weights = [w * v for w, v in zip(self.weights, values)], self.weights
        if merge == "per":
            # The sums of what was divided to get each value.
            amounts, weights = weights, [w / v if v > 0 else 0.0 for w, v in zip(weights, values)]
        return sum(amounts) / sum(weights) if sum(weights) else math.nan


class _Gathering:
    """Values of <result> and of its subjects, by the lists of schema/ alone; repetitions become one
    subject."""

    OVERALL = frozenset(("sum", "time", "ratio", "error", "mean"))

    def __init__(self, report: Report):
        self.report = report
        self.tallies: dict[str, dict[str, _Tally]] = {"": {}}
        self.kinds: dict[str, str] = {"": ""}
        self.own: list[
            tuple[Element, Record, str]
        ] = []  # what has values of the run itself, with their prefix

    def subjects(self) -> list[Subject]:
        for result in self.report.results:
            self._gather(*result)
        self._add_overall()
        for part in self.own:
            self._add_values("", *part)
        return [
            Subject(
                subject,
                self.kinds[subject],
                {
                    name: Value(name, total, tally.row)
                    for name, tally in tallies.items()
                    if math.isfinite(total := tally.total(tallies))
                },
            )
            for subject, tallies in self.tallies.items()
        ]

    def _gather(
        self, node: Element, record: Record, subject: str = "", prefix: str = "", is_run: bool = True
    ) -> None:
        """Everything below node. is_run: what is of no subject is of the run."""
        if subject:
            self._add_values(subject, node, record, prefix)
        elif is_run:
            self.own.append((node, record, prefix))
        seen: set[tuple[str, str, str]] = set()
        for child in node:
            inner = record.within(child.tag)
            if inner is None or inner.kind not in ("plain", "subject"):
                continue
            own, key = inner.subject_of(child), inner.key_of(child)
            # An element that may repeat, with one value and nothing else.
            is_value = inner.body is not None and inner.body.is_numeric
            if own:
                self.tallies.setdefault(own, {})
                self.kinds.setdefault(own, "")
                if len(self.tallies) > SUBJECTS_MAX:
                    raise self.report.refuse(child, f"more than {SUBJECTS_MAX} subjects")
            if own and inner.kind == "subject":
                self.kinds[own] = child.tag
                if (child.tag, own, key) in seen:
                    which = f"{own[:100]}, {key[:40]}" if key != own else own[:100]
                    raise self.report.refuse(child, f"a second <{child.tag}> {which}")
                seen.add((child.tag, own, key))
                self._gather(child, inner, own)
                continue
            # Instances of one thing, as threads, are no values of the run.
            may_repeat = record.fields[child.tag].most != 1 and not is_value
            is_instance = may_repeat and (not inner.key or inner.is_numbered)
            if own and (key == own or key.startswith(own + " ")):
                key = key[len(own) + 1 :]
            # Within a subject the key says enough: "kernel.total_error_percent" of a model.
            name = key if subject and key else child.tag + (f".{key}" if key else "")
            around = prefix if subject and (key or not is_value) else ""
            self._gather(child, inner, own or subject, f"{around}{name}.", is_run and not is_instance)

    def _add(self, subject: str, row: Field, prefix: str, value: float, weight: float) -> None:
        # The one value of a record is called as the record is.
        name = (prefix + row.name) if row.name != "value" else prefix.removesuffix(".")
        tally = self.tallies[subject].setdefault(name, _Tally(row, prefix))
        tally.values.append(value)
        tally.weights.append(weight)

    def _add_values(self, subject: str, node: Element, record: Record, prefix: str) -> None:
        for row in record.numbers.values():
            text = row.text(node) if row.merge != "number" else None
            if text is None:
                continue
            value, weight = parse_number(text), 1.0
            if math.isnan(value):
                if self.report.is_newer:
                    continue
                at = None if row.place else node.find(row.name)
                self.report.number_of(node if at is None else at, row.name, text)
            if row.merge in ("mean", "per") and row.first in record.fields:
                weight = parse_number(record.fields[row.first].text(node) or "")
                weight = 0.0 if math.isnan(weight) else weight
            row = record.at(row, node)
            # A value of the run is called by its own name where that is not another's.
            known = self.tallies[""].get(row.name)
            is_own = not subject and not record.key and row.place != "body"
            is_plain = is_own and (known is None or known.row is row)
            self._add(subject, row, "" if is_plain else prefix, value, weight)

    def _add_overall(self) -> None:
        """What all subjects are together: sums, what follows from these, and means of errors. A subject that
        ran alone once more is another workload."""
        for subject, tallies in list(self.tallies.items()):
            if not subject or Subject(subject).is_alone:
                continue
            for tally in tallies.values():
                value = tally.total(tallies)
                if tally.row.merge in self.OVERALL and math.isfinite(value):
                    self._add("", tally.row, tally.prefix, value, 1)


# --- files ---


NAME = re.compile(r"[A-Za-z_][\w.-]*")
WORDS = {True: "true", False: "false", None: ""}
JSON_NAME = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?')


def _number_lines(text: str) -> str:
    """The same JSON with "LINE:" before each name."""
    line, end = 1, 0

    def mark(match: re.Match[str]) -> str:
        nonlocal line, end
        if not match[1]:
            return match[0]
        line, end = line + text.count("\n", end, match.start()), match.start()
        return f'"{line}:{match[0][1:]}'

    return JSON_NAME.sub(mark, text)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, tuple[int, Any]]:
    """Line and value of each member; ValueError when one is there twice."""
    members: dict[str, tuple[int, Any]] = {}
    for numbered, value in pairs:
        line, _, name = numbered.partition(":")
        if name in members:
            raise ValueError(f"a second '{name[:40]}' in one object")
        members[name] = int(line), value
    return members


def _from_json(path: str, data: bytes) -> Element:
    """The element tree of a report in JSON, by the rules of docs/report.md."""

    def refuse(what: str, line: int | None = None) -> Problem:
        return Problem(f"no report in JSON: {what}", path, line)

    def add(around: Element, name: str, value: Any, record: Record | None, line: int, depth: int) -> None:
        """A member of an object: an attribute, the text, or an element; of a list one after another."""
        row = record.fields.get(name) if record else None
        place = row.place if row else "body" if name == "value" else ""
        if isinstance(value, list):
            for one in value:
                if isinstance(one, list):
                    raise refuse(f"'{name}' is an array of arrays", line)
                # An object of a list stands on lines of its own.
                first = next(iter(one.values()), None) if isinstance(one, dict) else None
                add(around, name, one, record, first[0] if first else line, depth)
        elif place and not isinstance(value, dict):
            text = WORDS.get(value, value)
            if place == "body":
                around.text = text
            else:
                around.set(name, text)
        elif not NAME.fullmatch(name):
            raise refuse(f"'{name[:40]}' is no name of an element", line)
        elif depth > DEPTH_MAX:
            raise refuse(f"elements are nested more than {DEPTH_MAX} deep", line)
        else:
            node = etree.SubElement(around, name)
            node.sourceline = min(line, LINE_MAX)
            if not isinstance(value, dict):
                node.text = WORDS.get(value, value)
                return
            inner = (record.within(name) if record else None) if depth else schema.roots().get(name)
            for member, (at, of_it) in value.items():
                add(node, member, of_it, inner, at, depth + 1)

    try:
        text = _number_lines(data.decode("utf-8-sig"))
        # Numbers stay as they are written.
        document = json.loads(
            text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_members
        )
        if not isinstance(document, dict) or len(document) != 1:
            raise ValueError('allowed is an object with one member, as {"pmbenchmark": ...}')
        ((name, (line, content)),) = document.items()
        holder = etree.Element("document")
        add(holder, name, content, None, line, 0)
    except json.JSONDecodeError as problem:
        raise refuse(problem.msg, problem.lineno) from None
    except (ValueError, RecursionError) as problem:  # also of lxml: characters that no document may have
        raise refuse(str(problem)) from None
    if len(holder) != 1:
        raise refuse("it has no document element")
    root = holder[0]
    holder.remove(root)
    return root


@cache
def parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=True,  # the indentation is half of all nodes
    )


def parse(data: bytes, path: str) -> Element:
    """The document element of a report in XML or JSON; path names it in messages."""
    if len(data) > BYTES_MAX:
        raise Problem(f"larger than {BYTES_MAX >> 20} MiB, which no report is", path)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        return _from_json(path, data)
    try:
        root = etree.fromstring(data, parser())
    except (etree.XMLSyntaxError, ValueError) as problem:
        position = getattr(problem, "position", (None,))
        text = str(problem).split(", line ")[0] if data.strip() else "the file is empty"
        raise Problem(text, path, position[0] or None) from None
    if root.getroottree().docinfo.doctype:
        raise Problem("a report has no document type", path, 1)
    return root


def read_bytes(path: str) -> bytes:
    """What parse() takes; Problem when it cannot be read."""
    return input_bytes(path, BYTES_MAX + 1)


def read_file(path: str) -> Report:
    """One report; Problem names what is wrong with it, or why it cannot be read."""
    return Report(parse(read_bytes(path), path), path)


def xml_of(root: Element) -> bytes:
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + etree.tostring(root, encoding="UTF-8") + b"\n"


def add_metrics(path: str, found: Iterable[tuple[str, str, str, float]]) -> None:
    """Puts the metrics of a suite's step (name, unit, direction, number) into a report of with-pressure."""
    root = parse(read_bytes(path), path)
    clock = root.find("report/result/clock")
    if clock is None:
        raise Problem("no report of with-pressure", path)
    for name, unit, better, number in found:
        node = etree.Element("metric", name=name, unit=unit, better=better)
        node.text = repr(number)
        clock.addprevious(node)
    etree.indent(root)
    with writing(path, begins=b"<?xml", is_text=False) as file:
        file.write(xml_of(root))


def _below(folder: str, depth: int = 8) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.startswith(".") or entry.name.endswith(RANKS):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, depth - 1) if depth > 1 else ()
        elif entry.name.endswith(".xml") and entry.name not in NO_REPORTS and entry.is_file():
            yield entry.path


def find(paths: Iterable[str]) -> Iterator[str]:
    """Each path, of a folder every *.xml up to 8 levels below it in the order of names, but no hidden one, as
    a run may have its report in JSON, too, and none of the ranks that a merged report has. Links to folders
    are not followed."""
    for path in paths:
        if os.path.isdir(path):
            found = list(_below(path))
            if not found:
                raise Problem("no report (*.xml) in this folder", path)
            yield from found
        else:
            yield path


def read(*paths: str) -> Iterator[Report]:
    """The reports of files and folders, one after another."""
    return (read_file(path) for path in find(paths))
