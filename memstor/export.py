# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of reports for programs that keep them over time: a value a metric and step, over its runs.

OpenMetrics 1.0 (prometheus.io/docs/specs/om/open_metrics_spec); Bencher Metric Format (bencher.dev/docs/
reference/bencher-metric-format, schema bencher.dev/bmf.json, May 2024); customSmallerIsBetter and
customBiggerIsBetter of github.com/benchmark-action/github-action-benchmark (v1, README.md).
"""

from __future__ import annotations

import json
import math
import re
from functools import partial
from itertools import groupby
from statistics import median
from typing import Any, Callable, Collection, Iterable, NamedTuple, Sequence

from memstor import metric, units, workers
from memstor.error import DIFFERENT, UNTRUSTED, Problem, clean, warn, warn_left_out
from memstor.histogram import Histogram, merge
from memstor.metric import Metric, Number
from memstor.pairing import BASE, Rules, Run, choose, described, pair, run_of
from memstor.report import read_file

METRICS_MAX = 8  # of a step, unless the user names them
LATENCIES = ("mean", "max", "percentile")  # sources of metrics that a histogram has
Key = tuple[str, str, str]  # subject, type and class


class Step(NamedTuple):
    name: str  # unique, on one line
    runs: list[Run]
    values: dict[Metric, list[float]]  # of each run
    histograms: dict[Key, Histogram]  # of all runs together


# --- reading ---


def _key(of: Metric) -> Key:
    return of.subject, of.type, of.of_class


def _read(path: str, metrics: Sequence[Metric], is_full: bool) -> tuple[Run, dict[Key, Histogram]]:
    report = read_file(path)
    run = run_of(report, metrics)
    found: dict[Key, Histogram] = {}
    for of in metrics or [metric.parse(name) for name in run.usual]:
        if is_full and of.row.source in LATENCIES and run.numbers.get(of.name):
            found[_key(of)] = merge(metric.histograms(of, report))
    return run, found


def _unique(name: str, taken: Collection[str], most: int) -> str:
    """On one line, and another than those taken."""
    name = clean(name)[:most].strip() or "unnamed"
    count, found = 1, name
    while found in taken:
        count += 1
        found = f"{name[: most - 8]} {count}"
    return found


def _refuse_unlike(name: str, runs: list[Run]) -> None:
    for fact in sorted({fact for run in runs for fact in run.facts}):
        values = list(dict.fromkeys(run.facts.get(fact, "none") for run in runs))
        if len(values) > 1:
            why = f"the runs of {name} differ in {fact}: {values[0]} and {values[1]}"
            raise Problem(f"not exported: {why}; export those of one machine", status=DIFFERENT)


def _is_known(number: Number | None) -> bool:
    """Not beyond an edge of the histogram."""
    return number is not None and not number.is_bound and math.isfinite(number.value + number.high)


def _values(name: str, runs: list[Run], metrics: Sequence[Metric]) -> dict[Metric, list[float]]:
    found: dict[Metric, list[float]] = {}
    usual = dict.fromkeys(metric.parse(name) for run in runs for name in run.usual)
    for of in metrics or usual:
        numbers = [run.numbers.get(of.name) for run in runs]
        values = [number.value for number in numbers if number and _is_known(number)]
        if len(values) == len(runs) and (metrics or any(values)):
            found[described(of, runs)] = values
        elif metrics and any(numbers):
            count = f"{len(values)} of {units.plural(len(runs), 'run')}"
            warn(f"{name}: {of.name} is left out: it is known in {count}")
    return found if metrics else {of: found[of] for of in metric.spread(found)[:METRICS_MAX]}


def steps_of(paths: Iterable[str], metrics: Sequence[Metric], is_full: bool = True) -> list[Step]:
    """Untrustworthy and interrupted runs are left out with a warning. metrics: instead of those of the tool.
    Problem with UNTRUSTED when no run is left, with DIFFERENT when runs of a step are of two machines."""
    read = list(workers.each(partial(_read, metrics=metrics, is_full=is_full), list(paths)))
    runs, left_out = choose((run for run, _ in read), BASE, False)
    warn_left_out(left_out)
    if not runs:
        raise Problem("nothing is exported: no run is trustworthy", status=UNTRUSTED)
    parts = {run.identity: found for run, found in reversed(read)}
    steps: dict[str, Step] = {}
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.tool, run.step), []).append(run)
    for (tool, step), of_step in groups.items():
        for one in pair(of_step, Rules()):
            title = (one.title or step) if step else f"{tool} {one.title}"
            name = _unique(title, steps, 200)
            _refuse_unlike(name, one.all)
            values = _values(name, one.all, metrics)
            keys = {_key(of) for of in values if is_full and of.row.source in LATENCIES}
            try:
                histograms = {key: merge([parts[run.identity][key] for run in one.all]) for key in keys}
            except ValueError as problem:
                raise Problem(f"not exported: the histograms of {name} cannot be added: {problem}") from None
            steps[name] = Step(name, one.all, values, histograms)
    for of in metrics:
        if not any(of.name in run.numbers and run.numbers[of.name] for run in runs):
            raise Problem(f"--metric {of.name}: no exported report has it")
    if not any(step.values for step in steps.values()):
        raise Problem("nothing is exported: no report has a metric that is known; --metric names others")
    return list(steps.values())


def _digits(value: float, count: int = 15) -> float:
    """Without the last digits, which are not of the value but of its arithmetic."""
    return float(f"{value:.{count}g}")


# --- OpenMetrics ---

# Of a unit its name in OpenMetrics, and how many of it are one of that.
UNITS = {"ns": ("seconds", 1e9), "us": ("seconds", 1e6), "ms": ("seconds", 1e3), "s": ("seconds", 1.0)}
UNITS |= {"bytes": ("bytes", 1.0), "1/s": ("per_second", 1.0), "B/s": ("bytes_per_second", 1.0)}
UNITS |= {"%": ("ratio", 100.0), "x": ("ratio", 1.0)}
OWN_UNIT = re.compile("_(ns|bytes|percent|bytes_per_second|per_second)$")


def _labels(**labels: str) -> str:
    texts = ((name, re.sub(r'(["\\])', r"\\\1", clean(text))) for name, text in labels.items() if text)
    return "{" + ",".join(f'{name}="{text}"' for name, text in texts) + "}"


def _family(of: Metric) -> tuple[str, dict[str, str]]:
    """Without its unit; and what of the metric's name is in labels."""
    labels = {"subject": of.subject, "type": of.type, "class": of.of_class}
    if of.name.startswith(metric.STEP):
        unit = "" if of.unit in UNITS else of.unit
        return "memstor_metric", {"metric": of.name.removeprefix(metric.STEP), "unit": unit}
    # A value by its own name may be that of a part of the report, whose name anything may be.
    part, _, name = of.row.name.rpartition(".") if of.row.source == "value" else ("", "", of.row.name)
    name = re.sub("[^a-z0-9]+", "_", OWN_UNIT.sub("", name).lower())
    return f"memstor_{name}", labels | ({"type": part} if part else {})


def _summary(step: Step, key: Key, labels: dict[str, str]) -> list[str]:
    name, whole = "memstor_operation_seconds", step.histograms[key]
    lines = []
    for of in step.values:
        if _key(of) == key and of.row.source in ("max", "percentile"):
            percent = 100.0 if of.row.source == "max" else of.percent
            found = whole.percentile(percent)
            value = whole.max if percent == 100 else math.nan if found.is_bounded else found.value
            if math.isfinite(value + (0 if percent == 100 else found.high)):
                quantile = f"{percent / 100:.12g}" if percent < 100 else "1.0"
                lines.append(f"{name}{_labels(**labels, quantile=quantile)} {_digits(value / 1e9)}")
    if math.isfinite(whole.mean):
        lines.append(f"{name}_sum{_labels(**labels)} {_digits(whole.mean * whole.count / 1e9)}")
    return [*lines, f"{name}_count{_labels(**labels)} {whole.count}"]


def _openmetrics(steps: list[Step]) -> str:
    """Latencies are summaries over the operations of all runs, other metrics gauges with the median run."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}  # by family and unit, lines by labels
    for step in steps:
        about = {"step": step.name, "tool": step.runs[0].tool}
        for of, values in step.values.items():
            name, labels = _family(of)
            if of.row.source in LATENCIES:
                labels = about | labels
                lines = found.setdefault(("memstor_operation_seconds", "seconds"), {})
                lines.setdefault(_labels(**labels), _summary(step, _key(of), labels))
                continue
            unit, scale = UNITS.get(of.unit, ("", 1.0))
            name = f"{name}_{unit}" if unit else name
            lines = found.setdefault((name, unit), {})
            text = _labels(**about, **labels)
            lines.setdefault(text, [f"{name}{text} {_digits(median(values) / scale)}"])
    text = ""
    for (name, unit), lines in found.items():
        is_summary = name == "memstor_operation_seconds"
        text += f"# TYPE {name} {'summary' if is_summary else 'gauge'}\n" + f"# UNIT {name} {unit}\n" * bool(
            unit
        )
        what = (
            "Latencies of the operations of all runs of a step."
            if is_summary
            else "Median of the runs of a step."
        )
        text += f"# HELP {name} {what}\n" + "".join(f"{line}\n" for of in lines.values() for line in of)
    return text + "# EOF\n"


# --- JSON ---


def _json(document: object) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _bmf(steps: list[Step]) -> str:
    """A benchmark a step, or a subject of one; bounds are the least and the largest run."""
    document: dict[str, dict[str, Any]] = {}
    slugs: dict[str, str] = {}
    for step in steps:
        names: dict[str, str] = {}
        for of, values in step.values.items():
            if of.subject not in names:
                names[of.subject] = _unique(
                    f"{step.name}/{of.subject}" if of.subject else step.name, document, 1024
                )
            measure = of.name.removeprefix(f"{of.subject}:")
            if measure not in slugs:
                slug = re.sub("[^a-z0-9]+", "-", measure.lower()).strip("-")
                slugs[measure] = _unique(slug, slugs.values(), 64).replace(" ", "-")
            bounds = {"lower_value": min(values), "upper_value": max(values)} if len(values) > 1 else {}
            document.setdefault(names[of.subject], {})[slugs[measure]] = {"value": median(values)} | bounds
    return _json(document)


def _action(steps: list[Step], better: str) -> str:
    """The metrics of one direction; "" of none."""
    found: dict[str, dict[str, Any]] = {}
    for step in steps:
        for of, values in step.values.items():
            if of.better == better:
                name = _unique(f"{step.name} {of.name}", found, 1000)
                found[name] = {"name": name, "unit": clean(of.unit), "value": _digits(median(values), 6)}
                if len(values) > 1:
                    found[name]["range"] = f"{min(values):.6g} to {max(values):.6g}"
                run = step.runs[0]
                found[name]["extra"] = f"{units.plural(len(values), 'run')} of {run.tool} {run.version}"
    return _json(list(found.values())) if found else ""


# --- the table ---


class Row(NamedTuple):
    format: str
    file: str  # in a folder
    write: Callable[[list[Step]], str]


ROWS = (
    Row("openmetrics", "openmetrics.txt", _openmetrics),
    Row("bmf", "bmf.json", _bmf),
    # The action takes one direction a file, which is called as its option "tool".
    Row("github-action-benchmark", "customSmallerIsBetter.json", partial(_action, better="lower")),
    Row("github-action-benchmark", "customBiggerIsBetter.json", partial(_action, better="higher")),
)
FORMATS = tuple(name for name, _ in groupby(row.format for row in ROWS))


def export(to: str, paths: Iterable[str], metrics: Sequence[Metric] = ()) -> dict[str, str]:
    """The text of each file of a format."""
    steps = steps_of(paths, metrics, to == "openmetrics")
    return {row.file: text for row in ROWS if row.format == to and (text := row.write(steps))}
