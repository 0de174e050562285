# SPDX-License-Identifier: GPL-3.0-or-later
"""What the name of a metric means: its unit, which direction is better, and its value in a report.

Names are the rows of schema.json: "throughput", "p99", of a type and class of histogram "write.p99",
"read.major.p50"; of a model "kernel.total-error"; of one subject "log:response.p99"; of a suite's step
"metric.NAME"; or any value with a direction, by its own name.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Callable, Iterable, NamedTuple

from memstor import schema
from memstor.error import Problem
from memstor.histogram import Histogram, merge
from memstor.report import Report, Value

UNITS = {"/s": "1/s", "bytes/s": "B/s"}
CLASSES = ("hit", "minor", "major")  # parts of all
STEP = "metric."  # of a suite's step: unit and direction are in the report alone


class Number(NamedTuple):
    """A value between its bounds: those of a percentile are the edges of its bucket, others are exact.

    step: of the clock, where the number is one latency. is_bound: in the first bucket, which begins at 0,
    only its end is known, and is the value.
    """

    value: float
    low: float
    high: float
    step: float = 0.0
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Of schema.json. source: what the function in SOURCES takes it from."""

    name: str
    source: str
    better: str  # "lower" or "higher"
    unit: str = ""
    value: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    name: str  # canonical
    row: Row = field(compare=False)
    subject: str = ""  # "" = the whole run
    type: str = ""  # of the histogram, or the model; "" = all together
    of_class: str = ""
    percent: float = math.nan

    @property
    def unit(self) -> str:
        return self.row.unit

    @property
    def better(self) -> str:
        return self.row.better

    @property
    def share(self) -> Metric | None:
        """The share of the class that this is a metric of."""
        if self.of_class not in CLASSES:
            return None
        return parse(f"{self.type}.{self.of_class}.share".removeprefix("."))


@cache
def rows() -> dict[str, Row]:
    return {of["name"]: Row(**of) for of in schema.metrics()["rows"]}


@cache
def _fields() -> dict[str, schema.Field]:
    """Values with a direction; of one name all have the same unit and direction."""
    return {of.name: of for of in schema.fields() if of.is_numeric and of.better}


def names() -> list[str]:
    """Metrics of whole runs, without those of histograms."""
    return [name for name, row in rows().items() if row.source in ("value", "ratio", "sum", "share")]


def allowed() -> str:
    words = schema.metrics()
    return (
        f"must be {', '.join(names())}, or mean, max or a percentile as p99.9, perhaps after "
        f"{', '.join(words['types'])} and {', '.join(words['classes'])}, as in write.major.p50; of a subject "
        "SUBJECT:METRIC; of a model as c2:kernel.total-error; of a suite's step metric.NAME; or a value "
        "with a direction by its own name"
    )


def _take(text: str, words: list[str]) -> tuple[str, str]:
    """A word before the first point, if it is among the words, and the rest."""
    word, point, rest = text.partition(".")
    return (word, rest) if point and word in words else ("", text)


def _percent(text: str) -> float:
    match = re.fullmatch(r"p([0-9]*\.?[0-9]+)", text)
    percent = float(match[1]) if match and len(text) <= 9 else math.nan
    return percent if 1e-6 <= percent <= 100 - 1e-6 else math.nan


@cache
def parse(text: str) -> Metric:
    """ValueError: the text says what is allowed."""
    if text.startswith(STEP) and text != STEP:
        return Metric(text, Row(text, "value", "", "", text))
    words = schema.metrics()
    subject, colon, rest = text.rpartition(":")
    if colon and not subject:
        raise ValueError(allowed())
    own = _fields().get(rest.rpartition(".")[2])
    if own is not None:
        return Metric(text, Row(rest, "value", own.better, UNITS.get(own.unit, own.unit), rest), subject)
    of_type, rest = _take(rest, words["types"])
    model, rest = ("", rest) if of_type else _take(rest, words["models"])
    of_class, rest = _take(rest, words["classes"]) if rest not in rows() else ("", rest)
    percent = _percent(rest)
    row = rows().get("p" if percent == percent else rest)
    is_histogram = row is not None and row.source in ("mean", "max", "percentile")
    if (
        row is None
        or rest == "p"
        or bool(model) != (row.source == "model")
        or (of_class and (subject or not is_histogram))
        or (of_type and not is_histogram and row.source != "share")
        or (subject and row.source == "share")
    ):
        raise ValueError(allowed())
    name = f"p{percent:.9g}" if percent == percent else rest
    name = ".".join(filter(None, (of_type or model, of_class, name)))
    return Metric(f"{subject}{colon}{name}", row, subject, of_type or model, of_class, percent)


def asked(option: str, texts: Iterable[str]) -> list[Metric]:
    """Those that a user names, each once."""
    found: dict[Metric, None] = {}
    for text in texts:
        try:
            found[parse(text)] = None
        except ValueError as problem:
            raise Problem(f"{option} {text!r}: {problem}") from None
    return list(found)


def spread(metrics: Iterable[Metric]) -> list[Metric]:
    """First one of each subject, then another of each, and so on."""
    found: dict[Metric, int] = {}
    counts: Counter[str] = Counter()
    for of in metrics:
        found[of] = counts[of.subject]
        counts[of.subject] += 1
    return sorted(found, key=found.__getitem__)


# --- values ---


def _exact(value: float) -> Number | None:
    return Number(value, value, value) if value == value else None


def _values(metric: Metric, report: Report) -> dict[str, Value]:
    if not metric.subject:
        return report.values
    subject = report.subjects.get(metric.subject)
    return subject.values if subject else {}


def _value(metric: Metric, report: Report) -> Number | None:
    """Of a model its name comes before that of the value."""
    values = _values(metric, report)
    name = f"{metric.type}.{metric.row.value}" if metric.type else metric.row.value
    found = values.get(name) or values.get(metric.row.other)
    return _exact(found.value) if found else None


def _of_two(metric: Metric, report: Report) -> Number | None:
    """The sum of two values, or their ratio."""
    values = _values(metric, report)
    one, other = values.get(metric.row.value), values.get(metric.row.other)
    if one is None or other is None:
        return None
    if metric.row.source == "sum":
        return _exact(one.value + other.value)
    return _exact(one.value / other.value) if other.value else None


def histograms(metric: Metric, report: Report) -> list[Histogram]:
    """Those that a metric is about, the finest of each type and class. Without a class "all", or each
    subject that is no other's separate measurement; without a type, where there are subjects, the first
    one: types are not parts of one thing, as a write and the sync behind it."""
    of_type = metric.type or (report.histograms[0].type if report.subjects and report.histograms else "")
    of_class = metric.subject or metric.of_class or ("" if report.subjects else "all")
    found: dict[tuple[str, str], Histogram] = {}
    for one in report.histograms:
        if not one.count or of_type not in ("", one.type):
            continue
        if of_class == one.of_class or (not of_class and not one.of_class.endswith("-alone")):
            found.setdefault((one.type, one.of_class), one)
    return list(found.values())


def _latency(metric: Metric, report: Report) -> Number | None:
    parts = histograms(metric, report)
    try:
        whole = merge(parts)
    except ValueError:
        return None
    if not whole.count:
        return None
    if metric.row.source == "mean":
        # Of many, between the steps of the clock.
        return _exact(whole.mean)
    step = report.clock_step_ns if report.clock_step_ns > 0 else 0.0
    if metric.row.source == "max":
        return Number(whole.max, whole.max, whole.max, step) if whole.max == whole.max else None
    found = whole.percentile(metric.percent)
    if found.is_bounded:
        # The end of the bucket, which is the same in each run, not that of the run's own latencies.
        end = float(whole.hi[0])
        return Number(end, 0.0, end, step, True)
    return Number(found.value, found.low, found.high, step)


def _share(metric: Metric, report: Report) -> Number | None:
    counts: dict[tuple[str, str], int] = {}
    for one in report.histograms:
        if metric.type in ("", one.type):
            counts.setdefault((one.type, one.of_class), one.count)
    parts = [count for (_, of_class), count in counts.items() if of_class == metric.row.value]
    all_of_it = sum(count for (_, of_class), count in counts.items() if of_class == "all")
    return _exact(100 * sum(parts) / all_of_it) if parts and all_of_it else None


SOURCES: dict[str, Callable[[Metric, Report], Number | None]] = {
    "value": _value,
    "model": _value,
    "ratio": _of_two,
    "sum": _of_two,
    "share": _share,
    "mean": _latency,
    "max": _latency,
    "percentile": _latency,
}


def number(metric: Metric, report: Report) -> Number | None:
    """None: the report has no such number."""
    return SOURCES[metric.row.source](metric, report)


def of_step(report: Report) -> dict[str, Metric]:
    """The metrics of the suite's step by name, with unit and direction."""
    values = {name: value for name, value in report.values.items() if name.startswith(STEP)}
    return {name: Metric(name, Row(name, "value", of.better, of.unit, name)) for name, of in values.items()}


def named(name: str, report: Report) -> Metric:
    """ValueError as parse(); with unit and direction if the report has it."""
    return of_step(report).get(name) or parse(name)


def defaults(report: Report) -> dict[str, Number | None]:
    """What is compared unless the user says it, by name: the tool's, and of each subject those that it
    has."""
    usual, of_subjects = schema.metrics()["usual"], schema.metrics()["usual_of_subjects"]
    names = [*usual.get(report.tool, usual[""]).split(), *of_step(report)]
    found = {name: number(parse(name), report) for name in names}
    for subject in report.subjects:
        for name in of_subjects.get(report.tool, of_subjects[""]).split():
            value = number(parse(f"{subject}:{name}"), report)
            if value is not None:
                found[f"{subject}:{name}"] = value
    return found
