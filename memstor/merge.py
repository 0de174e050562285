# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor merge: reports of one tool as one report. Counts are added exactly, percentiles come from the sums,
and each part is kept with its source (docs/report.md, "Merged reports").

A merged report that is merged again is replaced by its parts: order and grouping affect the order of the
parts only. """

from __future__ import annotations

import argparse
import math
import uuid
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from itertools import accumulate
from operator import attrgetter
from typing import Callable, Iterator, NamedTuple, Sequence

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element
from numpy.typing import NDArray

from memstor import cli, histogram, output, report, schema, validate, workers
from memstor.convert import number
from memstor.error import OK, UNTRUSTED, Problem, clean, warn
from memstor.histogram import Histogram
from memstor.report import Report, parse_count, parse_number, text_of, xml_of
from memstor.schema import Field, Record

EXAMPLES = ("memstor merge -o all.xml a.xml b.xml", "memstor merge -o all.xml runs/")
TOGETHER_PERCENT = 95  # parts with a smaller overlap did not run at the same time
NAMED_MAX, SHOWN_MAX, MEASURED_MAX = 6, 4, 4  # that a remark, a refusal and a check name
UNDECIDED = ("--interval", "--label", "--quiet", "--seed")  # options that do not decide what is measured
VERSION, LABEL = "tool_version", "label "
PAIRS = {"options/option": "--", "labels/label": LABEL, "facts/fact": ""}
KEPT = {
    "statistics": 0,
    "series": 2,
    "interval": 0,
    "sys_mem_item": 0,
}  # how many children of each say enough
MOMENT = ("year", "yday", "hour", "min", "sec")  # of the original
NUMERIC = attrgetter("is_numeric")
MISSING = "not all files have it"
TOO_MANY = "are more than 2^64-1 and cannot be added exactly"

Key = tuple[str, str, str]  # type, class and layout of a histogram


def _put(parent: Element, element: str, text: str = "", /, **attributes: str) -> Element:
    node = etree.SubElement(parent, element, attributes)
    node.text = text or None
    return node


def _fill(parent: Element, texts: dict[str, str]) -> None:
    for element, text in texts.items():
        _put(parent, element, text)


def _copy(parent: Element, *nodes: Element | None) -> None:
    for node in nodes:
        if node is not None:
            parent.append(deepcopy(node))
            parent[-1].tail = None


# --- inputs ---


class Input(NamedTuple):
    """What a process has read of one report, for another one."""

    path: str
    document: bytes  # without buckets and intervals; the report of one run has its <part>
    histograms: dict[Key, Histogram]
    is_original: bool
    # Of intervals of the whole run: end in s since its start, operations until then; shape (intervals, 2).
    progress: NDArray[np.float64]


class Clock(NamedTuple):
    """What CLOCK_REALTIME of a host shows more than that of rank 0, and to what this is right."""

    offset_ns: int
    bound_ns: int


def load(path: str, clock: Clock | None = None) -> Input:
    """clock: of a rank of memstor mpi."""
    of = report.read_file(path)
    if of.report.find("signature") is None:
        raise of.refuse(of.report, "<report> has no <signature>")
    # The original's buckets are those of log16.
    histograms = {(h.type, h.of_class, h.layout.replace("original", "log16")): h for h in of.histograms}
    progress = _progress_of(of)
    if of.report.find("parts/part") is None:
        _put(of.report, "parts").append(_part_of(of, clock))
    _cut(of.report)
    _check_numbers(of, of.report, schema.record_of(of.report))
    return Input(path, etree.tostring(of.root, encoding="UTF-8"), histograms, of.is_original, progress)


def _progress_of(of: Report) -> NDArray[np.float64]:
    record = schema.record_at(of.root.tag, "report/series/interval")
    sums = [row.name for row in record.fields.values() if row.merge == "sum"] if record else []
    # Those of a subject are on a time of its own.
    nodes = of.report.findall("series/interval") if record and sums and not record.subject else []
    rows = [[of.number_at(node, "time_s"), of.number_at(node, sums[0])] for node in nodes]
    progress = np.array(rows, dtype=np.float64).reshape(-1, 2)
    progress[:, 1] = np.cumsum(progress[:, 1])
    return progress


def _cut(of: Element) -> None:
    for name, kept in KEPT.items():
        for node in list(of.iter(name)):
            del node[kept:]


def _check_numbers(of: Report, node: Element, record: Record | None) -> None:
    if record is None:
        return
    for child in node:
        if child.tag in record.numbers:
            of.number_of(child, child.tag, text_of(child))
        _check_numbers(of, child, record.within(child.tag))
    for row in record.numbers.values() if node.attrib or record.body else ():
        if row.place and (text := row.text(node)) is not None:
            of.number_of(node, row.name, text)


def _part_of(of: Report, clock: Clock | None) -> Element:
    """The <part> of a report that is no merge."""
    part, signature, result = etree.Element("part"), of.report.find("signature"), of.report.find("result")
    assert signature is not None
    _fill(part, {"file": clean(of.path), "uuid": of.uuid})
    _fill(part, {"tool_version": of.tool_version, "report_version": of.report_version})
    names = (
        "seed",
        "wall_start",
        "monotonic_start_ns",
        "monotonic_end_ns",
        "start_at",
        "start_late_ns",
        "host",
    )
    *times, host = map(signature.find, names)
    _copy(part, *times)
    if clock:
        _fill(part, {"clock_offset_ns": str(clock.offset_ns), "clock_bound_ns": str(clock.bound_ns)})
    _copy(part, host)
    if signature.find("host") is None:
        os_name = text_of(signature, "os_info/version_info/os_name")
        host = _put(part, "host")
        _fill(host, {"hostname": of.hostname, "boot_id": "", "os_name": os_name})
        _fill(host, {"release": of.release, "os_version": "", "arch": of.arch})
    for name, texts in (("options", of.options), ("labels", of.labels), ("facts", of.facts)):
        if signature.find(name) is not None:
            _copy(part, signature.find(name))
            continue
        around = _put(part, name)
        for key, text in texts.items():
            _put(around, name.removesuffix("s"), text, name=key)
    _copy(_put(part, "environment"), *of.report.iterfind("environment/check"))
    record = None if result is None else schema.record_of(result)
    inner = [record.within(child.tag) for child in result] if result is not None and record else []
    threads = sum(of_it.is_numbered for of_it in inner if of_it)
    if threads:
        _put(part, "threads", str(threads))
        for row in filter(NUMERIC, schema.records()["merged_part"].fields.values()):
            value = of.values.get(row.name)
            if value is not None and not row.place:
                _put(part, row.name, str(int(value.value)) if row.type == "count" else number(value.value))
    # How slow everything was, from the finest histogram.
    for h in of.histograms:
        is_wanted = (of.subjects or h.of_class == "all") and h.layout != "original"
        if is_wanted and of.histogram(h.type, h.of_class) is h:
            part.append(_histogram_node(h, False))
    verdict = of.report.find("verdict")
    _copy(part, etree.Element("verdict", status=of.status) if verdict is None else verdict)
    return part


# --- parts and their clocks ---


class Part(NamedTuple):
    """One run, as its element <part>."""

    node: Element
    # ns: begin by the wall, of rank 0 if its offset is known, begin and end by CLOCK_MONOTONIC of its boot
    clock: tuple[int, int, int] | None
    texts: dict[str, str]  # its version, options as "--NAME", labels as "label NAME", and facts

    def text(self, path: str) -> str:
        return text_of(self.node, path)

    @property
    def status(self) -> str:
        verdict = self.node.find("verdict")
        status = "" if verdict is None else verdict.get("status", "")
        return status if status in report.STATUSES else report.STATUSES[-1]

    def differences(self, first: Part) -> dict[str, str]:
        """Its texts that are not those of the first one."""
        names = [n for n in {**first.texts, **self.texts} if self.texts.get(n) != first.texts.get(n)]
        names = [n for n in names if _decides(n)]
        return {n: self.texts.get(n, "") for n in sorted(names, key=lambda n: (n != VERSION, n[:2] != "--"))}


def _decides(name: str) -> bool:
    """Whether what a part measured depends on it."""
    return name not in UNDECIDED and not name.startswith(LABEL)


def part_of(node: Element, path: str, first: Part | None = None) -> Part:
    """Of an element of a document. Its options and facts that are those of the document's first part need not
    be in it. Problem: its clocks contradict themselves."""
    texts = {VERSION: text_of(node, VERSION)}
    for path_of_pairs, begin in PAIRS.items():
        for pair in node.iterfind(path_of_pairs):
            name, text = begin + pair.get("name", ""), pair.text or ""
            texts[name] = f"{texts[name]}, {text}" if name in texts else text
    if first:
        lacks = {of.get("name") for of in node.iterfind("difference") if not of.text}
        others = {n: t for n, t in first.texts.items() if n not in texts and n not in lacks}
        texts |= {n: t for n, t in others.items() if _decides(n)}
    if node.find("monotonic_start_ns") is None:
        return Part(node, None, texts)
    start, end = (parse_count(text_of(node, name)) for name in ("monotonic_start_ns", "monotonic_end_ns"))
    wall = wall_ns(text_of(node, "wall_start"))
    if wall < 0 or start is None or end is None or start > end:
        times = "times as 2026-11-20T09:24:29.000000042Z, and an end after the start"
        raise Problem(f"the clocks of a <part> are not right: allowed are {times}", path)
    # With --start-at what comes before that time is preparation.
    if text_of(node, "start_at"):
        measured = wall_ns(text_of(node, "start_at")) + (parse_count(text_of(node, "start_late_ns")) or 0)
        wall, start = measured, min(end, start + max(0, measured - wall))
    return Part(node, (wall - int(text_of(node, "clock_offset_ns") or 0), start, end), texts)


def wall_ns(text: str) -> int:
    """Since 1970; below 0 if it is no time."""
    try:
        return int(np.datetime64(text.removesuffix("Z"), "ns").astype(np.int64))
    except ValueError:
        return -1


def _parts_in(of: Element, path: str) -> list[Part]:
    found: list[Part] = []
    for node in of.iterfind("parts/part"):
        found.append(part_of(node, path, found[0] if found else None))
    return found


def _write_pairs(part: Part, different: dict[str, str]) -> None:
    """Into its element, those that are different from the first part's, and those that decide nothing."""
    wanted = {name: text for name, text in part.texts.items() if name in different or not _decides(name)}
    wanted.pop(VERSION, None)
    for path, begin in PAIRS.items():
        around, _, element = path.partition("/")
        own = {name: text for name, text in wanted.items() if name.startswith(begin)}
        wanted = {name: text for name, text in wanted.items() if name not in own}
        for node in part.node.iterfind(around):
            for pair in list(node):
                if begin + pair.get("name", "") not in own:
                    node.remove(pair)
            has = {begin + pair.get("name", "") for pair in node}
            for name, text in own.items():
                if name not in has:
                    _put(node, element, text, name=name.removeprefix(begin))


class Window(NamedTuple):
    """The time of the parts, on the clock of the first one."""

    start_ns: int
    end_ns: int
    any_s: float = 0.0  # in which at least one part ran
    sum_s: float = 0.0  # of their durations
    overlap_percent: float = 0.0  # time in which all parts ran, of any_s

    @property
    def is_apart(self) -> bool:
        return self.any_s > 0 and self.overlap_percent < TOGETHER_PERCENT


def window_of(parts: Sequence[Part]) -> Window:
    """Parts of one boot share CLOCK_MONOTONIC, which cannot be set; those of different boots only the wall
    clock."""
    clocks = [part.clock for part in parts if part.clock]
    if len(clocks) < len(parts):
        return Window(*(parts[0].clock or (0, 0, 0))[1:])
    offsets: dict[str, int] = {}
    spans = []
    for i, (part, (begin, start, end)) in enumerate(zip(parts, clocks)):
        offset = offsets.setdefault(part.text("host/boot_id") or f" {i}", begin - start)
        spans.append((start + offset, end + offset))
    spans.sort()
    ends: list[int] = list(accumulate((end for _, end in spans), max))
    gaps = sum(max(0, begin - before) for (begin, _), before in zip(spans[1:], ends))
    time, together = ends[-1] - spans[0][0] - gaps, min(end for _, end in spans) - spans[-1][0]
    first = clocks[0][0] - clocks[0][1]
    return Window(
        max(0, spans[0][0] - first),
        max(0, ends[-1] - first),
        time / 1e9,
        sum(end - begin for begin, end in spans) / 1e9,
        together / time * 100 if time > 0 and together > 0 else 0.0,
    )


# --- histograms ---


def _has_summary(h: Histogram) -> bool:
    return not h.count or not any(map(math.isnan, (h.mean, h.min, h.max)))


def _histogram_node(h: Histogram, has_buckets: bool) -> Element:
    names = {"type": h.type, "class": h.of_class, "layout": h.layout, "unit": "ns"}
    node = etree.Element("latency_histogram", names)
    if _has_summary(h):
        known = {name: number(value) for name, value in h.statistics().items() if math.isfinite(value)}
        _fill(_put(node, "summary"), {"count": str(h.count)} | known)
    rows = zip(h.lo.tolist(), h.hi.tolist(), h.counts.tolist()) if has_buckets else ()
    for low, high, count in rows:
        edges = {"lo": f"{low:.0f}"} | ({} if math.isinf(high) else {"hi": f"{high:.0f}"})
        _put(node, "bucket", **edges, count=str(count))
    return node


def _original_node(h: Histogram) -> Element:
    """The <histogram> of the original. Edges are powers of two of ns. The coarse buckets at the end all have
    index 0, and the last one, from 2^30, ends at 2^32: readers of the original expect this."""
    edges = histogram.edges("log16")
    counts = np.zeros(len(edges) - 1, dtype=np.uint64)
    counts[np.searchsorted(edges, h.lo, "right") - 1] = h.counts
    node = etree.Element("histogram", type=h.type)
    # Index, powers, and which of the counts: the coarse buckets have but one each.
    rows = [(0, 0, 8, 0, 1), *((i, i + 7, i + 8, 16 * i - 15, 16 * i + 1) for i in range(1, 16))]
    rows += [(0, power, power + 1 if power < 30 else 32, 218 + power, 219 + power) for power in range(23, 31)]
    for index, low, high, first, end in rows:
        bucket = _put(node, "histo_bucket", index=str(index))
        _fill(_put(bucket, "bucket_interval"), {"interval_lo": str(low), "interval_hi": str(high)})
        _put(bucket, "sum_count", str(counts[first:end].sum()))
        if end - first > 1:
            hexes = _put(bucket, "bucket_hexes")
            for i, count in enumerate(counts[first:end]):
                _put(hexes, "hex", str(count), index=str(i))
    return node


# --- values, by the merge rules of schema.json ---


def _is_kept(record: Record) -> bool:
    """Its elements are not added, but stand one after another, as threads do."""
    return record.is_numbered or (record.body is not None and record.body.merge == "each")


def _has_counters(record: Record) -> bool:
    """Of the whole machine; no merge adds them up."""
    inner = [schema.records()[row.record] for row in record.fields.values() if row.record]
    return not record.is_numbered and any(of.kind == "counters" for of in inner)


def _text(row: Field, node: Element) -> str | None:
    """Of a value; None when it is absent."""
    if row.place == "attr":
        return node.get(row.name)
    found = node if row.place == "body" else node.find(row.name)
    if found is None or (row.place == "body" and not found.text):
        return None
    return found.text or "" if row.is_text else text_of(found)


def _set(node: Element, row: Field, text: str) -> None:
    if row.place == "attr":
        node.set(row.name, text)
        return
    found = node if row.place == "body" else node.find(row.name)
    found = etree.SubElement(node, row.name) if found is None else found
    found.text = text or None


def _texts(row: Field, nodes: list[Element]) -> list[str]:
    """Of each element; none unless all have it, or one has what the others need not."""
    found = [text for node in nodes if (text := _text(row, node)) is not None]
    return found if len(found) == len(nodes) or row.merge == "any" or row.type == "flag" else []


def _has_rule(row: Field, found: list[str]) -> bool:
    """Whether a rule gives it one value."""
    if row.merge == "same" and row.type != "text":
        return len(set(found)) == 1
    return len(found) == 1 or (bool(found) and row.merge != "")


def _joined(texts: list[str]) -> str:
    """Each once, with commas between; what was merged before is taken apart."""
    if len(set(texts)) == 1:
        return texts[0]
    return ", ".join(dict.fromkeys(one for text in texts for one in text.split(", ") if one))


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.nan


def _weights(row: Field | None, nodes: list[Element]) -> list[float]:
    """A value of each element, 0 of one that has none; 1 of each where there is no such value."""
    numbers = [parse_number(_text(row, node) or "") if row else 1.0 for node in nodes]
    return [0.0 if math.isnan(value) else value for value in numbers]


Numbers = dict[tuple[str | None, ...], tuple[int, int]]  # of what is numbered the first, and the next one


def _khz(node: Element) -> float:
    """Of the clock of a report; NaN = unknown."""
    return parse_number(text_of(node.getroottree().getroot(), "report/machine_info/freq_khz")) or math.nan


def _renumber(
    node: Element, record: Record, numbers: Numbers, offsets: dict[tuple[str | None, ...], int], ratio: float
) -> None:
    """In what is kept, and all in it."""
    for row in record.fields.values():
        text = _text(row, node)
        if text is not None and row.merge == "number":
            # Repetitions are numbered in each scenario.
            others = [node.get(name) for name in record.key.split(",") if name not in ("", row.name)]
            key = (record.name, row.name, record.subject_of(node), *others)
            value = (parse_count(text) or 0) + offsets.get(key, 0)
            first, after = numbers.get(key, (value, 0))
            numbers[key] = first, max(after, value + 1)
            _set(node, row, str(value))
        elif text is not None and row.unit == "ticks" and ratio != 1:
            _set(node, row, str(round(parse_number(text) * ratio)))
    for child in list(node):
        inner = record.within(child.tag)
        if inner is not None:
            _renumber(child, inner, numbers, offsets, ratio)
        elif child.tag not in record.fields:
            node.remove(child)


# What a rule makes of values and of the two siblings that it names, which are 1 where it names none.
RULES: dict[str, Callable[[list[float], list[float], list[float]], float]] = {
    "sum": lambda values, _, __: sum(values),
    "time": lambda values, _, __: sum(values),
    "ratio": lambda _, above, below: _ratio(sum(above), sum(below)),
    "mean": lambda values, weights, _: _ratio(sum(w * v for w, v in zip(weights, values)), sum(weights)),
    "per": lambda values, amounts, _: _ratio(
        sum(amounts), sum(amount / value for amount, value in zip(amounts, values) if value > 0)
    ),
}


def _is_histogram(omission: str) -> bool:
    return omission.startswith("histogram ")


def _key_of(omission: str) -> Key:
    """Of a histogram that was left out."""
    _, kind, *of_class, layout = omission.split(" ")
    return kind, " ".join(of_class), layout


def _content(node: Element, record: Record) -> str | list[tuple[str, str, str]]:
    """What is equal in elements that can be added: the subject of those that have sums, else all."""
    if record.subject and any(row.merge == "sum" for row in record.fields.values()):
        return record.subject_of(node)
    return [(of.tag, str(of.attrib), (of.text or "").strip()) for of in node.iter()]


def _why_not(nodes: list[Element], row: Field, record: Record) -> str:
    """Why elements that all inputs have are left out; "" = they are not."""
    inner = {of.name: schema.records()[of.record] for of in record.fields.values() if of.record}
    if any(inner[child.tag].kind == "series" for node in nodes for child in node if child.tag in inner):
        return "each part has a time of its own"
    if not row.optional or len(nodes) == 1:
        return ""
    for of in record.fields.values():
        found = _texts(of, nodes) if of.type and not of.optional else []
        if found and not _has_rule(of, found):
            return f"{of.name} has no sum"
        if of.record and of.most != 1 and not inner[of.name].key and not _is_kept(inner[of.name]):
            found_in = [[_content(n, inner[of.name]) for n in node.iterfind(of.name)] for node in nodes]
            if any(content != found_in[0] for content in found_in):
                return "the parts have different ones"
    return ""


class Merge:
    """Adds inputs one after another. Problem where one is invalid, does not match the others, or was added
    before."""

    def __init__(self, may_differ: bool, accepts_interrupted: bool = False):
        """accepts_interrupted: parts that were ended early on purpose are as good as others."""
        self.may_differ, self.accepts_interrupted = may_differ, accepts_interrupted
        self.reasons: list[tuple[str, str]] = []  # code and text: why the whole is not trustworthy
        self.path, self.first_path, self.tag = "", "", ""
        self.is_original = False  # an input has the original's elements only, and so has the merged report
        self.reports: list[Element] = []  # the <report> of each
        self.parts: list[Part] = []
        self.uuids: dict[str, str] = {}  # and the file of each
        self.omissions: dict[str, str] = {}  # name and reason
        self.histograms: dict[Key, Histogram | None] = {}  # sums; None of what not all inputs have
        self.keys: list[set[Key]] = []  # those that each input has
        self.window = Window(0, 0)

    def add(self, new: Input) -> None:
        root = etree.fromstring(new.document, report.parser())
        of, self.path = root.find("report"), new.path
        assert of is not None
        self.tag, self.first_path = self.tag or root.tag, self.first_path or new.path
        if root.tag != self.tag:
            other = f"<{root.tag}>, but <{self.tag}> in {self.first_path}"
            raise Problem(f"{other}: reports of different tools cannot be merged", new.path)
        parts = _parts_in(of, new.path)
        uuids: dict[str, str] = {}
        for part in parts:
            self._check_part(part, (self.parts or parts)[0], uuids)
            uuids[part.text("uuid")] = part.text("file")
        sums = {}
        for key, h in new.histograms.items():
            before = self.histograms.get(key)
            try:
                sums[key] = replace(histogram.merge([before, h]) if before else h, layout=key[2])
            except ValueError:
                raise Problem(f"with this report the counts of a histogram {TOO_MANY}", new.path) from None
        # Nothing of a report that is refused is in the sums.
        self.histograms |= sums
        self.parts += parts
        self.uuids |= uuids
        # What was left out once stays left out, for the reason it was.
        omitted = {node.get("name", ""): text_of(node) for node in of.iterfind("parts/omission")}
        for name, why in omitted.items():
            self.omissions.setdefault(name, why)
        self.reports.append(of)
        self.is_original |= new.is_original
        self.keys.append(set(new.histograms) | set(map(_key_of, filter(_is_histogram, omitted))))

    def _check_part(self, part: Part, first: Part, uuids: dict[str, str]) -> None:
        """uuids: of other parts of the same report, and the file of each."""
        own_id = part.text("uuid")
        if not own_id:
            raise Problem("no <uuid>, which is needed to detect a run that is merged twice", self.path)
        if before := self.uuids.get(own_id) or uuids.get(own_id):
            before = f"the run {own_id[:40]} is in {before} already"
            raise Problem(f"{before}, and would count twice: leave one of them out", self.path)
        names = [name for name in part.differences(first) if name.startswith("--")]
        if names and not self.may_differ:
            own, others = part.texts, first.texts
            shown = [f"{n} is '{own.get(n, '')[:24]}', not '{others.get(n, '')[:24]}'" for n in names]
            text = "; ".join(shown[:SHOWN_MAX] + ["..."] * (len(names) > SHOWN_MAX))
            begin = f"other options than in {first.text('file')}"
            raise Problem(f"{begin}: {text}: --allow-different merges them anyway", self.path)

    # --- sums ---

    def _children(self, nodes: list[Element], row: Field) -> list[Element]:
        """The sums of what elements of one record have by one of its rows. Omissions tell what is left
        out."""
        record = schema.records()[row.record]
        found = [child for node in nodes for child in node.iterfind(row.name)]
        if not found or record.kind == "series":
            return []
        if _has_counters(record):
            why = "the kernel counts for the whole machine, once in each part"
            self.omissions.setdefault(nodes[0].tag, why)
            return []
        if _is_kept(record):
            return self._kept(nodes, row.name, record)
        # Those that have the same key are added; of several in one report the second to the second.
        groups: dict[tuple[str, int], list[Element]] = {}
        for node in nodes:
            met: Counter[str] = Counter()
            for child in node.iterfind(row.name):
                name = " ".join(filter(None, (record.subject_of(child), record.key_of(child))))
                groups.setdefault((name, met[name]), []).append(child)
                met[name] += 1
        complete = {key for key, of in groups.items() if len(of) == len(nodes) or record.kind == "finding"}
        if not complete and not row.optional and row.most != 1:
            # A report needs one.
            complete = {key for key, of in groups.items() if of[0].getparent() is nodes[0]}
        sums: list[Element] = []
        for key, of in groups.items():
            why = MISSING
            if key in complete:
                why = _why_not(of, row, record)
            if not why:
                new, has_sum = self._sum(of, record, len(sums))
                if has_sum or not row.optional or not any(len(n) or n.attrib or n.text for n in of):
                    sums.append(new)
                    continue
                why = "nothing in it has a sum"
            # What parts differ in, each of them says.
            if f"{nodes[0].tag}/{row.name}" not in PAIRS:
                self.omissions.setdefault(f"{row.name} {key[0][:200]}".strip(), why)
        return sums

    def _kept(self, nodes: list[Element], name: str, record: Record) -> list[Element]:
        """Copies of all elements of a name, without what is unknown, numbered one after another; times in
        ticks are of the first one's clock. Beside the original's without what those do not have."""
        found: list[Element] = []
        numbers: Numbers = {}
        for node in nodes:
            # A number has the same offset wherever an input has it.
            offsets = {key: max(0, after - first) for key, (first, after) in numbers.items()}
            ratio = _khz(nodes[0]) / _khz(node)
            for child in node.iterfind(name):
                found.append(deepcopy(child))
                found[-1].tail = None
                _renumber(found[-1], record, numbers, offsets, ratio if ratio > 0 else 1.0)
        shared = set.intersection(*({child.tag for child in node} for node in found))
        for node in found if self.is_original else ():
            for child in [child for child in node if child.tag not in shared]:
                node.remove(child)
        return found

    def _sum(self, nodes: list[Element], record: Record, index: int) -> tuple[Element, bool]:
        """An element, and whether anything in it has a sum. index: among those that are written."""
        if record.name == "pm_paging_overhead":
            return self._overhead(nodes)
        node, has_sum = etree.Element(nodes[0].tag), False
        for row in record.fields.values():
            if row.record:
                sums = self._children(nodes, row)
                node.extend(sums)
                has_sum |= bool(sums)
                continue
            # What is needed and has no rule is the first part's.
            found = _texts(row, nodes)
            if not found or (row.optional and not _has_rule(row, found)):
                continue
            has_sum |= _has_rule(row, found)
            text = self._value(found, row, nodes, record, index)
            if text or not row.is_numeric:
                _set(node, row, text)
        return node, has_sum

    def _value(self, found: list[str], row: Field, nodes: list[Element], record: Record, index: int) -> str:
        """Its text by its rule; "" of what is no number."""
        if row.merge == "number":
            return str(index)
        if row.merge in ("same", "any") and row.type == "text":
            return _joined(found)
        if row.merge == "last":
            latest = max(nodes, key=lambda node: [parse_number(text_of(node, name)) for name in MOMENT])
            return text_of(latest, row.name)
        counts = [count for text in found if (count := parse_count(text)) is not None]
        if row.merge == "sum" and len(counts) == len(found):
            if sum(counts) >= 1 << 64:
                raise Problem(f"the {row.name} of all {TOO_MANY}", self.path)
            return str(sum(counts))
        if len(found) == 1 or row.merge in ("", "first", "same", "any", "each") or row.is_text:
            return found[0]
        values = [float(text == "true") if row.type == "truth" else parse_number(text) for text in found]
        if row.merge in ("min", "max"):
            # The text of the extreme: a count may have more digits than a double.
            return found[values.index(min(values) if row.merge == "min" else max(values))]
        result = self._of_window(row)
        if math.isnan(result):
            siblings = [_weights(record.fields.get(name), nodes) for name in (row.first, row.second)]
            result = RULES.get(row.merge, RULES["mean"])(values, *siblings)
        is_whole = row.type not in ("number", "amount", "truth") and math.isfinite(result)
        return f"{result:.0f}" if is_whole else number(result)

    def _of_window(self, row: Field) -> float:
        """A time or a rate of all parts, NaN where one has none. Side by side the longest time counts, and
        each adds to the rate; otherwise the time is that in which any ran, and the rate the mean over it."""
        values = np.array([parse_number(part.text(row.name)) for part in self.parts], dtype=np.longdouble)
        window, is_apart = self.window, self.window.is_apart
        if row.merge == "time":
            return float(values.sum() / window.sum_s * window.any_s if is_apart else values.max())
        if row.merge == "rate" and is_apart:
            seconds = [(part.clock[2] - part.clock[1]) / 1e9 for part in self.parts if part.clock]
            return float((values * seconds).sum() / window.any_s)
        return float(values.sum()) if row.merge == "rate" else math.nan

    def _overhead(self, nodes: list[Element]) -> tuple[Element, bool]:
        """As pmbench does it (pmbench/run/result.c)."""

        def both(of_class: str, layout: str) -> Histogram | None:
            """Reads and writes of one class."""
            found = [h for key, h in self.histograms.items() if key[1:] == (of_class, layout)]
            known = [h for h in found if h is not None and _has_summary(h)]
            return histogram.merge(known) if found and len(known) == len(found) else None

        node = etree.Element(nodes[0].tag)
        media = parse_number(_joined([text_of(of, "media_latency_ns") for of in nodes]))
        accesses, major = both("all", "log16"), both("major", "hdr") or both("major", "log16")
        if not (media > 0 and accesses and major and accesses.count and major.count):
            return node, False
        ends = np.where(np.isinf(major.hi), major.lo, major.hi)
        widths = np.where(ends > major.lo, ends - major.lo, major.lo)
        i = int(np.argmax(major.counts / widths))
        values = {
            "media_latency_ns": media,
            "access_mean_ns": accesses.mean,
            "major_mode_ns": float(major.lo[i] + ends[i]) / 2,
            "major_mean_ns": major.mean,
            "os_overhead_ns": major.mean - media,
            "os_overhead_percent": (major.mean - media) / media * 100,
        }
        _fill(node, {name: number(value) for name, value in values.items()})
        return node, True

    # --- the merged report ---

    def report(self) -> Element:
        """The document of the merged report, of at least one input."""
        root = self._document()
        etree.indent(root)
        return root

    def _document(self) -> Element:
        self.window = window_of(self.parts)
        self._omit_histograms()
        root, record = etree.Element(self.tag), schema.record_of(self.reports[0])
        of = _put(root, "report")
        assert record is not None
        # What is in it by rules of its own.
        apart = {"environment": self._environment, "statistics": self._statistics}
        apart |= {"verdict": self._verdict, "parts": self._parts}
        for name, row in record.fields.items():
            of.extend(apart[name]() if name in apart else self._children(self.reports, row))
        self._sign(of)
        return root

    def input(self, path: str) -> Input:
        """What load() reads of the merged report, for another merge, in which it is called path."""
        root = self._document()
        _cut(root)
        known = {key: h for key, h in self.histograms.items() if h is not None}
        document = etree.tostring(root, encoding="UTF-8")
        return Input(path, document, known, self.is_original, np.empty((0, 2)))

    def _omit_histograms(self) -> None:
        """An input without any of a type has none of it to add, as a run of reads alone no writes."""
        for key in self.histograms:
            others = [keys for keys in self.keys if key not in keys]
            if any(not keys or any(other[0] == key[0] for other in keys) for keys in others):
                self.omissions.setdefault(f"histogram {' '.join(key)}", MISSING)
            if f"histogram {' '.join(key)}" in self.omissions:
                self.histograms[key] = None

    def _sign(self, of: Element) -> None:
        """What the signature says of the merged report itself."""
        version = ".".join(map(str, schema.version()))
        starts = [part.text("wall_start") for part in self.parts if part.clock]
        boots = {part.text("host/boot_id") for part in self.parts}
        uuids = "\n".join(sorted(self.uuids))
        texts = {
            # The same parts, however merged, give the same, so that a merge is not merged twice.
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, uuids)),
            "pmbench_info/version_xmloutput": "0.1" if self.is_original else version,
            "report_version": version,
            "wall_start": min(starts, default=""),
            "monotonic_start_ns": str(self.window.start_ns),
            "monotonic_end_ns": str(self.window.end_ns),
            # Clocks of different boots have no common one.
            "host/boot_id": boots.pop() if len(boots) == 1 else "",
        }
        for path, text in texts.items():
            for node in of.iterfind(f"signature/{path}"):
                node.text = text or None
        for path, begin in PAIRS.items():
            # Those that all parts have.
            for node in of.findall(f"signature/{path}"):
                if len({part.texts.get(begin + node.get("name", "")) for part in self.parts}) > 1:
                    node.getparent().remove(node)

    def status(self) -> str:
        """The worst of the parts, and of the whole."""
        found = [report.STATUSES[-1]] * bool(self.reasons) + [part.status for part in self.parts]
        if self.accepts_interrupted:
            found = [report.STATUSES[0] if status == "interrupted" else status for status in found]
        return max(found, key=report.STATUSES.index)

    def _statistics(self) -> list[Element]:
        if not self.histograms:
            return []
        node, known = etree.Element("statistics"), [h for h in self.histograms.values() if h is not None]
        classes = list(dict.fromkeys(of_class for _, of_class, _ in self.histograms))
        known.sort(key=lambda h: (h.type != "read", classes.index(h.of_class), h.layout == "hdr"))
        for h in known:
            if h.of_class == "all" and h.layout != "hdr" and h.type in ("read", "write"):
                node.append(_original_node(h))
        node.extend([] if self.is_original else [_histogram_node(h, True) for h in known])
        return [node]

    def _environment(self) -> list[Element]:
        """Each check once, where it is first met."""
        environment = etree.Element("environment")
        checks: dict[str, dict[int, Element]] = {}  # of each part
        for i, part in enumerate(self.parts):
            for check in part.node.iterfind("environment/check"):
                checks.setdefault(check.get("code", ""), {}).setdefault(i, check)
        for own in checks.values():
            _copy(environment, next(iter(own.values())))
            texts = [f"part {i}: {text_of(check, 'measured')}" for i, check in own.items()]
            if len(own) < len(self.parts) or len({text_of(check, "measured") for check in own.values()}) > 1:
                others = [f"and {len(texts) - MEASURED_MAX} more parts"] * (len(texts) > MEASURED_MAX)
                for node in environment[-1].iterfind("measured"):
                    node.text = "; ".join(texts[:MEASURED_MAX] + others)
        return [environment]

    def _verdict(self) -> list[Element]:
        verdict = etree.Element("verdict", status=self.status())
        for code, text in self.reasons:
            _put(verdict, "reason", text, code=code)
        for i, part in enumerate(self.parts):
            if part.status == "interrupted" and self.accepts_interrupted:
                continue
            reasons = [(node.get("code", ""), text_of(node)) for node in part.node.iterfind("verdict/reason")]
            if part.status == "interrupted":
                reasons.insert(0, ("interrupted", "it was interrupted"))
            for code, text in reasons:
                _put(verdict, "reason", f"part {i} ({part.text('file')}): {text}", code=code)
        return [verdict]

    def _parts(self) -> list[Element]:
        parts, first_thread = etree.Element("parts"), 1
        _put(parts, "merged_by", f"memstor {cli.version()}")
        if self.window.any_s > 0:
            _put(parts, "overlap_percent", number(self.window.overlap_percent))
        first = self.parts[0]
        for i, part in enumerate(self.parts):
            node = part.node
            node.set("index", str(i))
            for old in [child for child in node if child.tag in ("first_thread", "difference")]:
                node.remove(old)
            if (threads := node.find("threads")) is not None:
                number_of_first = etree.Element("first_thread")
                number_of_first.text = str(first_thread)
                threads.addprevious(number_of_first)
                first_thread += parse_count(text_of(threads)) or 0
            differences = part.differences(first)
            _write_pairs(part, part.texts if part is first else differences)
            for name, text in differences.items():
                _put(node, "difference", text, name=name)
            parts.append(node)
        for name, why in self.omissions.items():
            _put(parts, "omission", why, name=name)
        return [parts]

    def notes(self) -> Iterator[str]:
        """For the reader of the merged report, a line each."""
        if self.window.is_apart:
            share = f"{self.window.overlap_percent:.3g} % of the time, less than {TOGETHER_PERCENT} %"
            rates = "rates are means over the time in which any ran, not sums"
            yield f"the parts ran all together for {share}: {rates}"
        first = self.parts[0]
        if names := list(dict.fromkeys(name for part in self.parts for name in part.differences(first))):
            yield f"the parts differ in {_some(names)}: see <difference> of each <part>"
        if omitted := [name[10:] for name in self.omissions if name.startswith("histogram ")]:
            yield f"left out, for not all files have them: histograms {_some(omitted)}"


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED_MAX] + ["..."] * (len(names) > NAMED_MAX))


# --- the command ---


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="reports of one tool, or folders of them")
    where = "write to FILE, which appears when it is complete"
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help=where)
    other = "merge runs with different options; the merged report has those that all share"
    parser.add_argument("--allow-different", action="store_true", help=other)


def document(root: Element) -> bytes:
    """What is written for others to read must be valid."""
    data = xml_of(root)
    why = (
        f"it is larger than {report.BYTES_MAX >> 20} MiB: merge fewer files"
        if len(data) > report.BYTES_MAX
        else ""
    )
    rules = validate.rules_of(str(validate.SCHEMA))
    if not why and not rules.validate(root):
        why = rules.error_log.last_error.message
    if why:
        raise Problem(f"the merged report would not be valid: {why}")
    return data


def run(options: argparse.Namespace) -> int:
    output.check(options.output, b"<?xml")
    merge = Merge(options.allow_different)
    for new in workers.each(load, list(report.find(options.files))):
        merge.add(new)
    data = document(merge.report())
    with output.writing(options.output, b"<?xml", is_text=False) as file:
        file.write(data)
    notes = list(merge.notes())
    if merge.status() != "ok":
        notes.append(f"the merged report is {merge.status()}: its verdict says why")
    for note in notes:
        warn(note)
    return OK if merge.status() == "ok" else UNTRUSTED
