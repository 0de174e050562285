# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds for reports of iowrite-bench: evaluate and run."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from memstor import metric
from memstor.error import Problem
from memstor.metric import Metric
from memstor.plot import names, style
from memstor.plot.picture import COLOURS_MAX, MANY, Picture, check_most, kind
from memstor.plot.style import DASHES, joined, least_above, most_of, number, scale
from memstor.report import Part, Report

Floats = NDArray[np.float64]
TOOL = "iowrite-bench"
EVALUATE: dict[str, Any] = {"tool": TOOL, "needs": "result/evaluation", "of": "iowrite-bench evaluate"}
RUN: dict[str, Any] = {"tool": TOOL, "needs": "result/cells", "of": "iowrite-bench run"}
MODELS = {"kernel": (0, 0), "cawl": (1, 1), "naive": (4, 3)}  # colour and dash
DARK = "#202020"  # what was measured
JUMP = 3.0  # a factor
JUMPS_FEW, JUMPS_SHARE = 40, 20  # single stalls are seen as such; one write in this number
WRITEBACK_LEAST = 1 / 64  # of the background threshold: less may be another program's


def _wanted_models(picture: Picture) -> list[str]:
    return [model for model in MODELS if not picture.options.model or model in picture.options.model]


def _thresholds(picture: Picture, ax: Any, part: Part, most: float) -> None:
    """Of dirty pages, in bytes. Their names stand side by side, so that those of close ones do not cover each
    other."""
    words = {"background": "background_bytes", "throttling begins": "freerun_bytes", "limit": "limit_bytes"}
    for i, (name, column) in enumerate(words.items()):
        value = part.number(column)
        how: dict[str, Any] = {"at": ("axes fraction", "data"), "ha": "right", "va": "bottom", "dy": 1}
        if value <= most:
            ax.axhline(value, color=style.weak(), linestyle=DASHES[2], linewidth=0.8, zorder=1)
            picture.label(ax, f"{name} {number(value, 'B', 4)}", 0.43 + 0.28 * i, value, **how)
            picture.keep(threshold=name, bytes=value)


# --- prediction ---


class Source(NamedTuple):
    """Who says what is dirty. Columns of what is dirty and being written, which cawl does not know."""

    model: str  # "" = the kernel itself
    called: str
    dirty: str
    writeback: str
    name: str
    begins: str
    size: float  # of the marks where flushing and throttling begin
    ink: int
    edge: int


PREDICTED = ("predicted_dirty_bytes", "predicted_writeback_bytes")
BOTH = ("dirty + being written", "flushing, throttling begin")
SOURCES = (
    Source("", "", "dirty_bytes", "writeback_bytes", *BOTH, 5, 7, 6),
    Source("kernel", "kernel's model", *PREDICTED, "the same by kernel", "both begin, by kernel", 7, 7, 0),
    Source("cawl", "cawl", "cawl_dirty_bytes", "", "the same by cawl", "both begin, by cawl", 9, 1, 1),
)
COSTS = "time_s size measured_ns kernel_ns cawl_ns naive_ns low_ns high_ns".split()
WRITE = (*COSTS, "dirty_bytes", "writeback_bytes", *PREDICTED, "cawl_dirty_bytes")
Writes = dict[str, Floats]


def _scenario(picture: Picture, report: Report) -> Part:
    """ "c2" is its first repetition, "c2:3" the third."""
    scenarios, asked = picture.part(report).parts("scenario"), picture.options.scenario
    if not scenarios:
        raise Problem("no scenario was measured", report.path)
    for scenario in scenarios:
        name = scenario.text("id")
        if asked in (None, name, f"{name}:{scenario.text('repetition')}"):
            return scenario
    has = ", ".join(dict.fromkeys(scenario.text("id") for scenario in scenarios))
    raise Problem(f"--scenario '{asked[:60]}': {report.path} does not have it; it has: {has[:400]}")


def _note_models(picture: Picture, scenario: Part) -> None:
    for node in scenario.parts("outside_model"):
        why = joined(node.text("code"), node.text(".")[:120], by=": ")
        picture.note(f"Model not valid: {why}.", True)
    models = {model.text("name"): model for model in scenario.parts("model")}
    for name in (name for name in _wanted_models(picture) if name in models):
        errors = (f"{what}_percent" for what in ("per_write_error", "total_error", "coverage"))
        each, whole, band = map(models[name].number, errors)
        covered = "" if math.isnan(band) else f", {band:.0f} % of the writes in the band"
        picture.note(f"{name}: off by {each:.1f} % per write, {whole:+.1f} % in all{covered}.")
    floor = scenario.number("floor_percent")
    if math.isfinite(floor):
        picture.note(f"Floor: {floor:.1f} % per write, with three costs chosen knowing the result.")


def _begins(writes: Writes, source: Source, cached: Floats, scenario: Part) -> Floats:
    """When the kernel began to flush, and when to throttle, and what was cached then: the points that the
    CAWL paper marks in its figures 6 to 8; shape (2, 2), NaN = never.

    Flushing begins when what is dirty reaches the background threshold, which may be over when the write is:
    then it shows in what is being written. Throttling begins when both reach the middle between it and the
    limit."""
    dirty, limit = writes[source.dirty], scenario.number("background_bytes")
    flushing = (dirty >= limit) | (cached - dirty >= WRITEBACK_LEAST * limit)
    found = np.full((2, 2), math.nan)
    for i, began in enumerate((flushing, cached >= scenario.number("freerun_bytes"))):
        if began.any():
            found[i] = writes["time_s"][began.argmax()], cached[began.argmax()]
    return found


def _note_begins(picture: Picture, begins: dict[Source, Floats]) -> None:
    def after(time: float) -> str:
        return f"after {time:.3g} s" if math.isfinite(time) else "never"

    texts = []
    for i, what in enumerate(("Flushing begins", "throttling")):
        models = ", ".join(f"{s.called}: {after(of[i, 0])}" for s, of in begins.items() if s.called)
        texts.append(f"{what} {after(begins[SOURCES[0]][i, 0])}" + f" ({models})" * bool(models))
    if np.isfinite(list(begins.values())).any():
        picture.note(", ".join(texts) + ".")


def _is_jumping(costs: Floats) -> bool:
    """fwrite(3) costs as much as write(2) once per buffer and little in between: a line would cover the
    panel."""
    jumps = np.abs(np.diff(np.log(costs))) > math.log(JUMP)
    return bool(jumps.sum() > JUMPS_FEW + len(costs) / JUMPS_SHARE)


def _draw_cache(picture: Picture, ax: Any, writes: Writes, scenario: Part, models: Sequence[str]) -> None:
    """On a second axis what is dirty or being written, by the kernel and by models, and where flushing and
    throttling begin."""
    sources = [s for s in SOURCES if s.model in ("", *models) and np.isfinite(writes[s.dirty]).any()]
    every = {s: writes[s.dirty] + (np.nan_to_num(writes[s.writeback]) if s.writeback else 0) for s in sources}
    begins = {source: _begins(writes, source, cached, scenario) for source, cached in every.items()}
    right = picture.right(ax)
    ax.set_zorder(2)
    ax.patch.set_visible(False)
    # The upper half is of the costs, which are highest when most is dirty.
    most = 2 * most_of(list(every.values()))
    _thresholds(picture, right, scenario, scale(right.yaxis, "page cache of the machine", [most], "B")[1])
    for dash, (source, cached) in enumerate(every.items()):
        is_there = np.isfinite(cached)  # It is not sampled at every write.
        data = {"time_s": writes["time_s"][is_there], "bytes": cached[is_there]}
        if not source.model:
            right.fill_between(data["time_s"], data["bytes"], color=f"C{source.ink}", alpha=0.2, linewidth=0)
        picture.curve(right, source.name, data, source.ink, dash, linewidth=1.0)
        mark = {"marker": "D", "markersize": source.size, "markeredgewidth": 1.1}
        mark["markerfacecolor"] = "none" if source.model else DARK
        times, sizes = begins[source].T
        picture.points(right, source.begins, {"time_s": times, "bytes": sizes}, source.edge, **mark)
    _note_begins(picture, begins)


@kind("scenario model y", 1, **EVALUATE)
def prediction(picture: Picture) -> None:
    """A scenario of iowrite-bench evaluate: cost of each write, measured and predicted.

    Of writes of several sizes by size, predictions as means of each size; else in time."""
    (report,) = picture.take(lambda report: report)
    scenario = _scenario(picture, report)
    writes = dict(zip(WRITE, scenario.rows("write", *WRITE).T))
    if not len(writes["time_s"]):
        raise Problem("the scenario has no writes", report.path)
    models = [m for m in _wanted_models(picture) if np.isfinite(writes[f"{m}_ns"]).any()]
    figure, ax = scenario.text("figure"), picture.panel()
    of_paper = f" (figure {figure[:20]} of CAWL)" * bool(figure)
    picture.title = f"Scenario {scenario.text('id')[:40]}{of_paper}: {scenario.text('meaning')}"
    _note_models(picture, scenario)
    costs = [writes["measured_ns"], *(writes[f"{model}_ns"] for model in models)]
    scale(ax.yaxis, "cost of a write", costs, "ns", picture.is_log())
    sizes, of_size = np.unique(writes["size"], return_inverse=True)
    is_by_size, x, shown, time = len(sizes) > 1, "time_s", writes, writes["time_s"]
    if is_by_size:
        x, writes["size_bytes"] = "size_bytes", writes["size"]
        groups = [of_size == i for i in range(len(sizes))]
        shown = {name: np.array([np.nanmean(of[own]) for own in groups]) for name, of in writes.items()}
        scale(ax.xaxis, "size of a write", sizes, "B", log=True)
    else:
        picture.time([ax], "time since the first write (s)", time.min(), time.max())
    picture.points(ax, "measured", {x: writes[x], "measured_ns": writes["measured_ns"]}, DARK)
    band = {name: shown[name] for name in (x, "low_ns", "high_ns")}
    if "kernel" in models and all(np.isfinite(of).any() for of in band.values()):
        called = "kernel, 10 to 90 %"
        ax.fill_between(*band.values(), color="C0", alpha=0.22, linewidth=0, label=called)
        picture.keep(curve=called, **band)
    is_jumping = not is_by_size and any(_is_jumping(writes[f"{model}_ns"]) for model in models)
    for model in models:  # Each over the one before it, which is wider.
        ink, dash = MODELS[model]
        data = {x: shown[x], "predicted_ns": shown[f"{model}_ns"]}
        if is_jumping:
            picture.points(ax, model, data, ink, markersize=2)
        else:
            picture.curve(ax, model, data, ink, dash, linewidth=2.0 - 0.5 * (model != "kernel"))
    is_buffered = scenario.text("mode") == "buffered" and np.isfinite(writes["dirty_bytes"]).any()
    if is_buffered and not is_by_size:
        _draw_cache(picture, ax, writes, scenario, models)


# --- errors ---


class Error(NamedTuple):
    element: str
    title: str
    has_floor: bool = False
    is_usual: bool = False


ERRORS = {
    "per-write-error": Error("per_write_error_percent", "error per write", True, True),
    "total-error": Error("total_error_percent", "error of the total", False, True),
    "mean-write-error": Error("mean_write_error_percent", "error of the mean of each size"),
    "curve-gap": Error("curve_gap_percent", "gap between the sums"),
}
FLOOR = "floor: three costs, chosen knowing the result"
SMALLEST, SCENARIOS_MAX, PANELS_MAX = 0.1, 40, 3  # percent: less is not distinguishable
Errors = dict[tuple[str, str, str], list[float]]  # of scenario, model or FLOOR, error: of each repetition


def _note_goals(picture: Picture, evaluation: Part) -> None:
    """Of sets one by one; those that a scenario has against cawl as a number."""
    lines: dict[str, list[str]] = {"missed": [], "met": []}
    against = []
    for goal in evaluation.parts("goal"):
        is_missed, error = goal.text("is_met") == "false", goal.text("error")
        if error.startswith("cawl-"):
            against.append(not is_missed)
        elif error and goal.text("set"):
            reached, limit = goal.number("reached_percent"), goal.number("limit_percent")
            text = f"{goal.text('set')[:20]} {error[:20]} {reached:.{int(reached < 100)}f} ({limit:.3g}) %"
            lines["missed" if is_missed else "met"].append(text)
    for what, texts in lines.items():
        for i in range(0, len(texts), 4):
            picture.note(f"Goals that are {what}: {', '.join(texts[i : i + 4])}.", what == "missed")
    if against:
        count = f"{sum(against)} of {len(against)}"
        picture.note(f"kernel is no worse than cawl in {count} errors of a scenario.")


def _take_errors(picture: Picture, report: Report, found: Errors) -> None:
    if len(picture.facts) == 1:
        _note_goals(picture, picture.part(report))
    scenarios = picture.part(report).parts("scenario")
    if not any(scenario.parts("model") for scenario in scenarios):
        raise Problem("no scenario was measured", report.path)
    for scenario in scenarios:
        of = {FLOOR: scenario} | {model.text("name"): model for model in scenario.parts("model")}
        for error, row in ERRORS.items():
            for model in (FLOOR, *_wanted_models(picture)):
                element = row.element if model != FLOOR else "floor_percent" if row.has_floor else ""
                # Of totals the side is not shown.
                value = abs(of[model].number(element)) if model in of and element else math.nan
                if math.isfinite(value):
                    found.setdefault((scenario.text("id"), model, error), []).append(value)


def _draw_errors(picture: Picture, ax: Any, error: str, found: Errors, scenarios: list[str]) -> None:
    dark, log = style.rc("text.color"), picture.is_log()
    for i, scenario in enumerate(scenarios, 1):
        for model, (ink, _) in MODELS.items():
            values = np.array(found.get((scenario, model, error), []))
            if len(values):
                x, y = i + 0.26 * (list(MODELS).index(model) - 1), np.maximum(values, SMALLEST * log)
                picture.medians(ax, x, y, 0.22, ink, log, np.full(len(y), x))
                where = {"scenario": scenario, "error": error, "model": model}
                picture.keep(**where, median_percent=np.median(values))
                picture.keep(**where, percent=values)
        floor = min(found.get((scenario, FLOOR, error), []), default=0.0)
        if floor > 0:
            ax.hlines(floor, i - 0.42, i + 0.42, color=dark, linestyle=DASHES[2], linewidth=1.1, label=FLOOR)
            picture.keep(scenario=scenario, error=error, model="floor", percent=floor)
        if i > 1:
            ax.axvline(i - 0.5, color=style.rc("grid.color"), linewidth=0.6)


@kind("metric model y", MANY, **EVALUATE)
def errors(picture: Picture) -> None:
    """Errors of the models of iowrite-bench evaluate by scenario."""
    wanted = picture.options.metric or [name for name, row in ERRORS.items() if row.is_usual]
    if len(wanted) > PANELS_MAX or not set(wanted) <= set(ERRORS):
        raise Problem(f"--metric {','.join(wanted)}: must be up to {PANELS_MAX} of {', '.join(ERRORS)}")
    found: Errors = {}
    picture.take(lambda report: _take_errors(picture, report, found))
    scenarios = list(dict.fromkeys(scenario for scenario, _, _ in found))
    check_most(len(scenarios), SCENARIOS_MAX, "scenarios")
    picture.title = "Errors of the models by scenario"
    axes, shown = picture.grid(len(wanted))[:, 0], {key: of for key, of in found.items() if key[2] in wanted}
    texts = [style.fit(name, 120, style.SMALL) for name in scenarios]
    is_wide = max(style.width(text, style.SMALL) for text in texts) > picture.width / len(scenarios) * 0.8
    for model, (ink, _) in MODELS.items():
        if any(key[1] == model for key in shown):
            axes[0].plot([], [], color=f"C{ink}", linewidth=3, label=model)
    for error, ax in zip(wanted, axes):
        every = np.concatenate([np.zeros(0), *(of for key, of in shown.items() if key[2] == error)])
        scale(ax.yaxis, None, every.clip(SMALLEST), "%", picture.is_log(), tics=4)
        picture.columns(ax, texts, style.SMALL, 40 if is_wide else 0)
        _draw_errors(picture, ax, error, found, scenarios)
        picture.head(ax, ERRORS[error].title)
        ax.tick_params(axis="x", labelbottom=ax is axes[-1])
    axes[-1].set_xlabel("scenario")
    if any(len(of) > 1 for key, of in shown.items() if key[1] != FLOOR):
        picture.note("Medians of the repetitions; circles: each of them.")
    if len(picture.facts) > 1:
        if not names.is_common(picture.facts, "slow-device"):
            picture.note("The reports are of different devices, and are put together here.", True)
        picture.note("The goals are those of the first report.")


# --- cost ---

PARTS = ("method", "mode", "sync", "regime", "rw", "memory")
METRICS_MAX, ROWS_MAX = 4, 40
TITLES = {"ns": "cost of a write", "B/s": "bytes per second"}


class Cell(NamedTuple):
    report: int
    id: str
    parts: tuple[str, ...]  # of PARTS; cells of one way to write differ only in size
    size: float  # bytes, NaN = several
    values: tuple[float, ...]  # of the metrics, NaN = none


Ways = dict[str, list[Cell]]


def chosen_metrics(wanted: Sequence[str], most: int) -> list[Metric]:
    found = []
    for name in wanted:
        try:
            found.append(metric.parse(name))
        except ValueError as problem:
            raise Problem(f"--metric '{name}': {problem}") from None
    check_most(len(found), most, "values of --metric")
    return found


def _cost_metrics(picture: Picture) -> list[Metric]:
    """One axis has one unit."""
    found = chosen_metrics(picture.options.metric or ("write.mean", "sync.mean"), METRICS_MAX)
    for one in found:
        if one.subject:
            raise Problem(f"--metric '{one.name}': without a cell: it is drawn of each, --class chooses some")
        if one.unit != found[0].unit:
            units = f"is in {one.unit}, {found[0].name} in {found[0].unit}"
            raise Problem(f"--metric '{one.name}': {units}; one axis has one unit, draw two pictures")
    return found


def _cells(picture: Picture, report: Report, metrics: list[Metric]) -> list[Cell]:
    found = []
    for cell, subject in zip(picture.part(report).parts("cell"), report.subjects):
        if picture.is_wanted(subject):
            numbers = [metric.number(metric.parse(f"{subject}:{one.name}"), report) for one in metrics]
            values = tuple(one.value if one else math.nan for one in numbers)
            parts = tuple(map(cell.text, PARTS))
            if any(numbers):
                found.append(Cell(len(picture.facts) - 1, subject, parts, cell.number("size_bytes"), values))
    if not found:
        what = "such a number" if picture.options.metric else "costs"
        raise Problem(
            f"no cell has {what}{' or is one of --class' * bool(picture.options.class_)}", report.path
        )
    return found


@kind("metric class y legend", **RUN)
def cost(picture: Picture) -> None:
    """Cost of a write of iowrite-bench run, by size or by cell.

    A line over the sizes for each way to write, or a row for each cell."""
    metrics = _cost_metrics(picture)
    taken = picture.take(lambda report: _cells(picture, report, metrics))
    cells = [cell for found in taken for cell in found]
    reports = picture.names()
    differs = [len(set(parts)) > 1 for parts in zip(*(cell.parts for cell in cells))]
    common = [part for part, d in zip(cells[0].parts, differs) if not d and part not in ("", "none")]
    unit, ways = "ns" if metrics[0].unit == "ns" else "", {}  # type: str, Ways
    for cell in cells:
        own = " ".join(part for part, d in zip(cell.parts, differs) if d and part)
        ways.setdefault(joined(own, reports[cell.report]), []).append(cell)
    is_by_size = any(len({c.size for c in of if c.size > 0}) > 1 for of in ways.values())
    what = f"{'Cost of a write' if unit else metrics[0].name} by {'size' if is_by_size else 'cell'}"
    picture.title = joined(what, ", ".join(common), by=": ")
    ax = picture.panel()
    every = [cell.values for cell in cells if not is_by_size or cell.size > 0]
    axis, title = ax.yaxis if is_by_size else ax.xaxis, TITLES.get(metrics[0].unit, "per second")
    scale(axis, title, every, unit, picture.is_log())
    (_draw_sizes if is_by_size else _draw_cells)(picture, ax, ways, metrics)


def _draw_sizes(picture: Picture, ax: Any, ways: Ways, metrics: list[Metric]) -> None:
    """Colours are ways, dashes are numbers."""
    check_most(len(ways), COLOURS_MAX, "ways to write", "; choose with --class, as --class '*.fsync.*'")
    rows = {way: np.array(sorted((c.size, *c.values) for c in of if c.size > 0)) for way, of in ways.items()}
    every = np.concatenate([of for of in rows.values() if len(of)])
    scale(ax.xaxis, "size of a write", every[:, 0], "B", log=True)
    is_one = np.isfinite(every[:, 1:]).any(axis=0).sum() == 1
    for ink, (way, of) in enumerate(rows.items()):
        for dash, one in enumerate(metrics):
            own = of[np.isfinite(of[:, dash + 1])] if len(of) else of
            if len(own):
                data = {"size_bytes": own[:, 0], "value": own[:, dash + 1], "metric": one.name}
                name = joined(way, one.name * (not is_one or not way))
                picture.curve(ax, name, data, ink, dash, marker="o", markersize=3)


def _draw_cells(picture: Picture, ax: Any, ways: Ways, metrics: list[Metric]) -> None:
    cells = [(way, cell) for way, of in ways.items() for cell in of]
    check_most(len(cells), ROWS_MAX, "cells", "; choose with --class, as --class 'pwrite.*'")
    values = np.array([cell.values for _, cell in cells])
    sizes = [number(cell.size, "B") if cell.size > 0 else "" for _, cell in cells]
    texts = [joined(way, of, by=" ") or cell.id for (way, cell), of in zip(cells, sizes)]
    at = picture.lines(ax, texts, 9.0, share=0.4)
    ax.hlines(at, np.nanmin(values, axis=1), np.nanmax(values, axis=1), color="C7", linewidth=1.5)
    for i, one in enumerate(metrics):
        data = {"value": values[:, i], "cell": [cell.id for _, cell in cells]}
        picture.points(ax, one.name, data, i, shown=(values[:, i], at), markersize=5)
