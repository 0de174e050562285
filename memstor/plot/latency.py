# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds for any tool: distributions of latencies, and heat maps.

Buckets differ in width, also on a logarithmic axis, so their counts are not comparable: drawn is the count
divided by the width in doublings of latency, and the visible area under a curve is the number of accesses.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fnmatch import fnmatchcase
from glob import escape
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from memstor import histogram as histograms
from memstor.error import Problem
from memstor.histogram import Histogram
from memstor.plot import style
from memstor.plot.picture import COLOURS_MAX, DASHES_MAX, Picture, kind
from memstor.plot.style import DASHES, joined, least_above, most_of, number, scale
from memstor.report import Interval, Report

Floats = NDArray[np.float64]
PARTS = 16  # cells a doubling, as in the paper's layout
FINE_NS = 1.0  # no cell is narrower, so smaller steps of a clock are not visible
POINTS_A_DECADE = 40  # of the x axis of percentiles
COLUMNS_MAX = 240  # of a heat map
ALL, BOTH = "all", "both"


# --- buckets as they are drawn ---


def coarsen(whole: Histogram, step_ns: float) -> Histogram:
    """With cells of PARTS a doubling, or of whole steps of the clock, which lie in their middle: finer ones
    would show these. A bucket is added to the cell of its middle; one wider than half a cell stays, but with
    its neighbours where it has room for one or two steps."""
    if not whole.count:
        return whole
    unit, half = (step_ns, step_ns / 2) if step_ns > FINE_NS else (FINE_NS, 0.0)
    lo, hi = whole.lo, np.where(np.isinf(whole.hi), 2 * whole.lo + 1, whole.hi)
    middle, wide = (lo + hi) / 2, hi - lo
    place = (middle + half) / unit
    steps = np.exp2(np.floor(np.log2(np.maximum(place, 1) / PARTS)).clip(0))
    begin = (np.floor(place / steps) * steps * unit - half).clip(0)
    end = np.floor(place / steps + 1) * steps * unit - half
    stays = (wide >= unit) & (2 * wide > end - begin)
    octave = np.exp2(np.floor(np.log2(np.maximum(lo, 1))))
    several = np.exp2(np.ceil(np.log2(np.maximum(3 * unit / wide, 1)))) * wide
    own = np.where((wide >= 2 * unit) | (lo < PARTS) | (several > octave), wide, several)
    begin = np.where(stays, np.where(own > wide, np.floor(lo / own) * own, lo), begin)
    reach = np.maximum.accumulate(np.where(stays, begin + own, end))
    first = np.flatnonzero(np.append(True, middle[1:] >= reach[:-1]))
    begin, end = begin[first], np.append(reach[first[1:] - 1], reach[-1])
    begin[1:] = np.maximum(begin[1:], end[:-1])
    if math.isinf(whole.hi[-1]):
        end[-1] = math.inf
    return replace(whole, lo=begin, hi=end, counts=np.add.reduceat(whole.counts, first))


def shown_edges(whole: Histogram, zero: float = 0.0) -> tuple[Floats, Floats]:
    """Where buckets are drawn: one from 0 begins at the minimum, one without an end ends at the maximum, both
    at least a doubling wide; one of zeros alone, which have no place on a log axis, is from zero / 2 to
    zero."""
    hi = np.where(np.isinf(whole.hi), np.fmax(whole.max, 2 * whole.lo), whole.hi)
    least = np.minimum(whole.min, hi / 2) if whole.min >= 1 else hi / 2
    lo = np.where((whole.lo <= 0) & (hi > 1), least, whole.lo)
    return np.where(hi <= 1, zero / 2, lo), np.where(hi <= 1, zero, hi)


def _latency_range(parts: Iterable[Histogram]) -> tuple[list[float], float]:
    """Least and most, and the place of zeros: a quarter of the least above, or 0 when there are none."""
    every = [edges for whole in parts for edges in shown_edges(whole)]
    zeros = any(len(whole.hi) and whole.hi[0] <= 1 for whole in parts)
    least, most = least_above(every), most_of(every, 10.0)
    zero = least / 4 if zeros else 0.0
    return [zero / 2 or least, max(most, zero)], zero


def _density(picture: Picture, whole: Histogram, lo: Floats, hi: Floats) -> Floats:
    """Counts a doubling; shares by sixteenth, about as wide as a bucket: more than 100 % in one place is not
    understood."""
    unit = 100.0 / PARTS / max(whole.count, 1) if picture.options.share else 1.0
    return whole.counts.astype(np.float64) * unit / np.log2(hi / lo)


def _density_title(picture: Picture, each: str = "") -> str:
    share = bool(picture.options.share)
    return f"{'share of ' * share}{picture.whats} per {'1/16 doubling' if share else each} of latency"


def _steps(lo: Floats, hi: Floats, heights: Floats) -> tuple[Floats, Floats]:
    """Edges and the heights behind them, from 0, and 0 in gaps; of the same length."""
    edges = np.unique(np.concatenate([lo, hi])) if len(lo) else np.ones(1)
    found = np.zeros(len(edges) + 1)
    found[np.searchsorted(edges, lo) + 1] = heights
    return np.append(edges[:1], edges), found


def _note_lowest(picture: Picture, parts: Sequence[Histogram]) -> None:
    wide = [whole for whole in parts if len(whole.lo) and whole.lo[0] == 0 and whole.hi[0] > 1]
    if wide:
        which = "A" if len(wide) == sum(whole.count > 0 for whole in parts) else "Of some curves a"
        edge = max(float(whole.hi[0]) for whole in wide)
        picture.note(f"{which}ll {picture.whats} below {edge:.0f} ns are in one bucket.")


# --- the window of --from and --to ---


def window(picture: Picture, report: Report) -> list[Interval]:
    """The intervals whose middle is in it."""
    options, series = picture.options, report.series
    if not series:
        raise Problem("the report has no series", report.path)
    found = [i for i in series if i.seconds > 0 and options.from_ <= i.time - i.seconds / 2 < options.to]
    if not found:
        ended = f"the run ended after {series[-1].time:.6g} s, in intervals of {report.interval_s:.6g} s"
        raise Problem(f"no interval lies between --from and --to; {ended}", report.path)
    if options.has_window:
        end = "on" if math.isinf(options.to) else f"to {options.to:.6g} s"
        picture.note(f"Only what was measured from {options.from_:.6g} s {end}.")
    return found


def _sum(parts: Sequence[Histogram], path: str) -> Histogram:
    try:
        return histograms.merge(parts)
    except ValueError as problem:
        raise Problem(f"its histograms cannot be added up: {problem}", path) from None


# --- curves of histogram, cdf and percentile ---


class Curve(NamedTuple):
    """A group's histograms of one type and class."""

    name: str  # of group, type and class
    untyped: str  # without the type
    type: str
    whole: Histogram
    step_ns: float
    colour: int
    dash: int


def _wanted(picture: Picture, report: Report) -> list[Histogram]:
    """The finest of each type and class that is asked for; of several types the one of the writes, once."""
    options, found = picture.options, {}  # type: Any, dict[tuple[str, str], Histogram]
    usual = "response" if any(one.type == "response" for one in report.histograms) else ""
    of_type = usual if options.type in (None, BOTH) else options.type
    for wanted in options.class_ or (["*"] if report.subjects else [ALL]):
        pattern = wanted if report.subjects else escape(wanted)
        own = [h for h in report.histograms if fnmatchcase(h.of_class, pattern) and of_type in ("", h.type)]
        for one in own:
            found.setdefault((one.type, one.of_class), one)
        if not own:
            known = dict.fromkeys(f"{one.type} {one.of_class}" for one in report.histograms)
            what = f"type {options.type or '(any)'}, class {wanted[:100]}"
            has = ", ".join(known)[:400] or "none"
            raise Problem(f"has no histogram of {what}; it has: {has}", report.path)
    return list(found.values())


def _histograms(picture: Picture, report: Report) -> tuple[list[Histogram], float]:
    """Those to draw, and the step of the clock. Intervals have one histogram, of all types and classes
    together."""
    options = picture.options
    if not options.has_window:
        return _wanted(picture, report), report.clock_step_ns
    if options.class_ or options.type not in (None, BOTH):
        option = "--class" if options.class_ else "--type"
        why = "intervals have one histogram of all accesses; leave one of them out"
        raise Problem(f"{option} with --from or --to: {why}")
    parts = [interval.histogram for interval in window(picture, report) if interval.histogram]
    return [replace(_sum(parts, report.path), type=BOTH, of_class=ALL)], report.clock_step_ns


def _check_looks(picture: Picture, groups: int, classes: int, types: int) -> None:
    if groups * classes > COLOURS_MAX or types > DASHES_MAX:
        what = "groups" if picture.options.group_by or picture.has_sides else "reports"
        pool = ", or pool runs by --group-by" if what == "reports" and groups > 1 else ""
        count = f"{groups} {what} of {classes} classes and {types} types"
        most = f"a picture distinguishes at most {COLOURS_MAX} and {DASHES_MAX}"
        raise Problem(f"{count}: {most}; draw fewer{pool}")


def _curves(picture: Picture) -> list[Curve]:
    """In the order of groups, with names, colours and dashes."""
    taken = picture.take(lambda report: _histograms(picture, report))
    of, groups = picture.groups()
    parts: dict[tuple[int, str, str], list[tuple[Histogram, float]]] = {}
    for group, (found, step) in zip(of, taken):
        for one in found:
            parts.setdefault((group, one.type, one.of_class), []).append((one, step))
    classes = list(dict.fromkeys(of_class for _, _, of_class in parts))
    types = list(dict.fromkeys(of_type for _, of_type, _ in parts))
    _check_looks(picture, len(groups), len(classes), len(types))
    if len(groups) < len(of):
        picture.note(f"Each curve is the sum of its group's runs, {len(of)} in all.")
    short, curves = picture.shorten(classes), []
    for (group, of_type, of_class), some in parts.items():
        shown_class = short[of_class] * (len(classes) > 1 or of_class != ALL)
        what = joined(of_type * (of_type != BOTH), shown_class, by=" ")
        name, untyped = (joined(groups[group], t) or f"all {picture.whats}" for t in (what, shown_class))
        whole, step = _sum([one for one, _ in some], ""), most_of([step for _, step in some], math.nan)
        place, dash = group * len(classes) + classes.index(of_class), types.index(of_type)
        ink = place if len(groups) * len(classes) > 1 else dash
        curves.append(Curve(name, untyped, of_type, whole, step, ink, dash))
    _note_curves(picture, curves)
    return curves


def _note_curves(picture: Picture, curves: list[Curve]) -> None:
    for curve in curves:
        whole = curve.whole
        if not whole.count:
            picture.note(f"{curve.name}: not one {picture.what}.")
        elif math.isinf(whole.hi[-1]):
            long = f"{whole.counts[-1]} {picture.whats} took {whole.lo[-1] / 1e9:.4g} s or longer"
            picture.note(f"{curve.name}: {long}: where the histogram ends.", True)
    _note_lowest(picture, [curve.whole for curve in curves])


def _mark(picture: Picture, ax: Any, curves: list[Curve]) -> list[str]:
    """Upright lines at percentiles, and of each curve what they are; of more than two curves they would cover
    each other."""
    wanted = picture.options.mark
    if wanted is None:
        wanted = [50.0, 99.0] if len(curves) <= 2 else []
    texts = []
    for curve in curves:
        own = []
        for percent in wanted if curve.whole.count else []:
            found = curve.whole.percentile(percent)
            own.append(f"p{percent:.10g} {'<' * found.is_bounded}{number(found.value, 'ns')}")
            if found.value > 0:
                ax.axvline(found.value, color=f"C{curve.colour}", ls=DASHES[curve.dash], linewidth=0.8)
            picture.keep(curve=curve.name, mark=percent, latency_ns=found.value)
        texts.append(", ".join(own))
    return texts


def _draw(
    picture: Picture, ax: Any, curves: list[Curve], shapes: list[Any], marks: Any = (), **how: Any
) -> None:
    """Each curve, of which shapes has the data, and x and y as they are drawn. Where a few colours have many
    types, only colours are named, and a note says which dashes are which type."""
    types = list(dict.fromkeys(curve.type for curve in curves))
    is_split = len(types) > 1 and len({curve.colour for curve in curves}) > 2 and not any(marks)
    for curve, (data, shown), mark in zip(curves, shapes, marks or [""] * len(curves)):
        key = "" if is_split else joined(curve.name, mark, by=": ")
        if is_split:
            ax.plot([], [], color=f"C{curve.colour}", label=style.key(curve.untyped))
        picture.curve(ax, curve.name, data, curve.colour, curve.dash, shown=shown, key=key, **how)
    if is_split:
        picture.note_dashes(types)


def _latency_axis(picture: Picture, ax: Any, parts: list[Histogram]) -> float:
    """The x axis; returns the place of zeros."""
    ends, zero = _latency_range(parts)
    given = picture.options.x_range
    scale(ax.xaxis, f"latency of an {picture.what}", ends, "ns", True, given, zero=zero / math.sqrt(2))
    return zero


CURVES = "type class from to y legend group-by --"
HAS: dict[str, Any] = {
    "needs": "statistics/latency_histogram|statistics/histogram",
    "of": "a run with histograms",
}


@kind(f"{CURVES} mark x-range share", **HAS)
def histogram(picture: Picture) -> None:
    """Histogram of latencies."""
    curves, ax, options = _curves(picture), picture.panel(), picture.options
    parts = [coarsen(curve.whole, curve.step_ns) for curve in curves]
    for curve, part in zip(curves, parts):
        if curve.step_ns > FINE_NS and len(part.lo) < len(curve.whole.lo):
            picture.note(f"The clock's steps are {curve.step_ns:.3g} ns: finer is not drawn.")
    zero = _latency_axis(picture, ax, parts)
    edges = [shown_edges(part, zero) for part in parts]
    heights = [_density(picture, part, *ends) for part, ends in zip(parts, edges)]
    log, most = picture.is_log(), most_of(heights, 10.0)
    # The lowest stands out from the floor, too; and a few equal ones are not drawn as different.
    every = [most, min(least_above(heights) / 2, most / 10)]
    title = _density_title(picture, "doubling")
    floor = scale(ax.yaxis, title, every, "%" * bool(options.share), log)[0]
    shapes = []
    for curve, part, ends, height in zip(curves, parts, edges, heights):
        x, y = _steps(*ends, height)
        y = y.clip(floor)
        if len(curves) <= 2:  # More areas over one another are mud.
            ax.fill_between(x, y, floor, step="post", color=f"C{curve.colour}", alpha=0.22, linewidth=0)
        data = {"latency_from_ns": part.lo, "latency_to_ns": part.hi, "height": height, "count": part.counts}
        shapes.append((data, (x, y)))
    _draw(picture, ax, curves, shapes, _mark(picture, ax, curves), drawstyle="steps-post")


@kind(f"{CURVES} mark x-range", **HAS)
def cdf(picture: Picture) -> None:
    """Cumulative distribution of latencies.

    The share is known at the edges of buckets only; between them it is drawn straight, as percentiles are
    computed."""
    curves, ax, shapes = _curves(picture), picture.panel(), []
    zero = _latency_axis(picture, ax, [curve.whole for curve in curves])
    log = picture.options.y == "log"
    # One sample of the largest must still be seen.
    floor = min(50.0 / max(1, *(curve.whole.count for curve in curves)), 50.0) if log else 0.0
    title = f"share of {picture.whats} that took {'longer' if log else 'at most this long'}"
    scale(ax.yaxis, title, (), "%", log, limits=(floor, 100.0), tics=5)
    for whole in (curve.whole for curve in curves):
        ends, is_real = np.stack(shown_edges(whole, zero), axis=1), whole.hi > 1
        ends[is_real] = np.fmin(np.fmax(ends[is_real], whole.min), whole.max)
        upto = np.cumsum(whole.counts).astype(np.float64)
        percent = 100 * np.stack([upto - whole.counts, upto], axis=1).reshape(-1) / max(whole.count, 1)
        x, y = ends.reshape(-1), np.maximum(100 - percent, floor) if log else percent
        shapes.append(({"latency_ns": x, "percent": percent}, (x, y)))
    _draw(picture, ax, curves, shapes, _mark(picture, ax, curves))


@kind(f"{CURVES} y-range", **HAS)
def percentile(picture: Picture) -> None:
    """Latencies by percentile.

    As HdrHistogram plots them, up to the last sample, which stands for the share of all but one."""
    curves, ax, log, lines = _curves(picture), picture.panel(), picture.is_log(), []
    for whole in (curve.whole for curve in curves):
        count = math.floor(math.log10(whole.count) * POINTS_A_DECADE) + 1 if whole.count else 0
        nines = np.append(10.0 ** (np.arange(count) / POINTS_A_DECADE), [whole.count] * bool(whole.count))
        percents = np.where(nines < whole.count, 100 - 100 / nines, 100.0)
        values = np.array([whole.percentile(percent).value for percent in percents])
        # Of a latency in the bucket [0, 1) nothing is known but that the clock did not move.
        lines.append((nines, percents, np.where(values < 1, 0.0, values)))
    every, given = [values for _, _, values in lines], picture.options.y_range
    has_zeros = log and not given and any((values == 0).any() for values in every)
    zero = least_above(every) / 4 if has_zeros else 0.0
    scale(ax.yaxis, f"latency of an {picture.what}", [*every, zero], "ns", log, given, zero=zero)
    samples = max([10.0, *(float(curve.whole.count) for curve in curves)])
    scale(ax.xaxis, "percentile", (), "", True, (1.0, samples * 1.2))
    tics = {1.0: "0 %"} if samples < 1e5 else {}
    nines_most = int(math.log10(samples) + 1e-9)
    tics |= {2.0: "50 %"} | {10.0**n: f"{100 - 100 / 10**n:.12g} %" for n in range(1, nines_most + 1)}
    style.places(ax.xaxis, list(tics), list(tics.values()))
    shapes = [
        ({"percentile": percents, "latency_ns": values}, (nines, np.maximum(values, zero)))
        for nines, percents, values in lines
    ]
    _draw(picture, ax, curves, shapes)


# --- heat map ---


def heat_cells(ax: Any, x: Any, y: Any, heat: Floats) -> Any:
    """Rectangles from x[0] to x[1] and y[0] to y[1], coloured on a log scale."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LinearSegmentedColormap

    cells = np.array([[x[0], x[1], x[1], x[0]], [y[0], y[0], y[1], y[1]]]).T
    found = PolyCollection(cells, array=heat, linewidths=0.4, edgecolors="face", rasterized=len(heat) > 20000)
    found.set_cmap(LinearSegmentedColormap.from_list("heat", style.HEAT))
    ax.add_collection(found)
    ax.grid(False)
    return found


def heat_bar(picture: Picture, maps: Sequence[Any], axes: Any, title: str, unit: str = "") -> None:
    """The colours of all maps."""
    from matplotlib.colors import LogNorm

    every = [cells.get_array() for cells in maps]
    limits = style.log_room(least_above(every), most_of(every, 10.0))
    for cells in maps:
        cells.set_norm(LogNorm(*limits))
    bar = picture.figure.colorbar(maps[0], ax=list(axes), fraction=0.03, pad=0.015, aspect=40)
    bar.outline.set_visible(False)
    scale(bar.ax.yaxis, title, (), unit, True, limits)


class Column(NamedTuple):
    begin: float
    end: float
    whole: Histogram


def _columns(picture: Picture, report: Report) -> list[Column]:
    """Intervals, or several of them together when there are more than fit."""
    intervals = window(picture, report)
    together, found = math.ceil(len(intervals) / COLUMNS_MAX), []
    for i in range(0, len(intervals), together):
        some = intervals[i : i + together]
        whole = _sum([one.histogram for one in some if one.histogram], report.path)
        _note_lowest(picture, [whole])
        whole = coarsen(whole, report.clock_step_ns)
        found.append(Column(some[0].time - some[0].seconds, some[-1].time, whole))
    if together > 1:
        picture.note(f"Each column is {together} intervals, {found[0].end - found[0].begin:.3g} s.")
    return found


@kind(
    "from to y-range y share legend",
    4,
    needs="series/interval/latency_histogram",
    of="a run whose series has histograms",
)
def heatmap(picture: Picture) -> None:
    """Latencies in time."""
    reports, options = picture.take(lambda report: _columns(picture, report)), picture.options
    ends, zero = _latency_range([column.whole for columns in reports for column in columns])
    axes, maps, log = picture.grid(len(reports))[:, 0], [], picture.is_log()
    begin, end = min(c[0].begin for c in reports), max(c[-1].end for c in reports)
    picture.time(axes, "time since the run began (s)", begin, end)
    title = f"latency of an {picture.what}" if len(axes) < 3 else "latency"
    for ax, columns, name in zip(axes, reports, picture.names()):
        scale(ax.yaxis, title, ends, "ns", log, options.y_range, zero=zero / math.sqrt(2) * log)
        cells = []
        for column in columns:
            lo, hi = shown_edges(column.whole, zero)
            per = 1 if options.share else column.end - column.begin
            heat = _density(picture, column.whole, lo, hi) / per
            times = np.full_like(lo, column.begin), np.full_like(lo, column.end)
            cells.append(np.stack([*times, lo, hi, heat, column.whole.counts]))
        found = np.concatenate(cells, axis=1)
        maps.append(heat_cells(ax, found[0:2], found[2:4], found[4]))
        picture.head(ax, name)
        keys = ("from_s", "to_s", "latency_from_ns", "latency_to_ns", "heat", "count")
        picture.keep(report=name, **dict(zip(keys, found)))
    heat_bar(picture, maps, axes, _density_title(picture, "second and doubling"), "%" * bool(options.share))
