# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds for reports of memtrace analyze, and the slowdown of a program in less memory beside its
prediction."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from memstor.error import Problem
from memstor.plot import names, style
from memstor.plot.latency import heat_bar, heat_cells
from memstor.plot.picture import MANY, Picture, kind
from memstor.plot.style import DASHES, joined, most_of, number, scale
from memstor.report import Part, Report

Floats = NDArray[np.float64]
TOOL, MIB = "memtrace", float(1 << 20)
NAMED = ("in_ranges_percent", "in_objects_percent", "in_allocations_percent", "in_mappings_percent")
VOLUME_ROWS = 24


def _of(element: str, analysis: str) -> dict[str, Any]:
    """What a kind needs."""
    return {"tool": TOOL, "needs": f"result/{element}", "of": f"memtrace analyze {analysis}"}


class Analysis(NamedTuple):
    """Of a report. rows: numbers by column; shape (columns, rows)."""

    report: Report
    part: Part
    rows: Floats
    name: str


def _take(picture: Picture, what: str, rows: str, columns: str) -> list[Analysis]:
    """The title, what, has the command of a single report; a note says what its samples are of."""

    def take(report: Report) -> tuple[Report, Part, Floats]:
        part = picture.part(report)
        found = part.rows(rows, *columns.split())
        if not len(found):
            raise Problem(f"nothing was found by {picture.kind.of}", report.path)
        return report, part, found.T

    taken = [Analysis(*one, "") for one in picture.take(take)]
    recording = taken[0].report.part("result/recording")
    command = recording.text("recorded_command")[:100] if recording and len(taken) == 1 else ""
    picture.title = joined(what, command, by=": ")
    if recording:
        named = np.nansum([recording.number(name) for name in NAMED])
        samples = f"{recording.number('selected'):.15g} samples by {recording.text('sampling_engine')[:40]}"
        picture.note(f"{samples}, {named:.4g} % of them in named memory.")
    return [one._replace(name=name) for one, name in zip(taken, picture.names())]


def _column(taken: Sequence[Analysis], i: int) -> list[Floats]:
    return [one.rows[i] for one in taken]


def _region_name(text: str) -> str:
    """What is behind the last "/" of a file's name."""
    return text if text.startswith("//") or text.endswith("/") else text.rpartition("/")[2]


def _regions(begins: Floats, texts: Sequence[str], end: float) -> list[tuple[str, float, float]]:
    """Name, begin and end of ranges or mappings; those that follow one another under one name are one."""
    pairs = zip(map(_region_name, texts), begins)
    firsts = [next(same) for _, same in groupby(pairs, key=lambda pair: pair[0])]
    return [(name, begin, to) for (name, begin), to in zip(firsts, [*(b for _, b in firsts[1:]), end])]


def _note_text(picture: Picture, part: Part, element: str) -> None:
    if part.text(element):
        picture.note(f"{element.capitalize()}: {part.text(element)[:150]}.")


def _note_interval(
    picture: Picture, what: str, part: Part, name: str, end: str = "", unit: str = "", per: float = 1
) -> None:
    """A value with its interval, "NAME_low" and "NAME_high"; an indication has none."""
    value, low, high = (part.number(f"{name}{which}{end}") / per for which in ("", "_low", "_high"))
    if math.isfinite(value):
        upto = f"to {high:.4g}" if math.isfinite(high) else "or more"
        bounds = f"95 %: {low:.4g} {upto}" if math.isfinite(low) else "indication"
        picture.note(f"{what} {value:.4g}{unit} ({bounds}).")


# --- curves ---


@kind("y legend", 6, **_of("access_count", "count"))
def access_count(picture: Picture) -> None:
    """Accesses by address, of memtrace analyze count."""
    taken = _take(picture, "Accesses by address", "address_bin", "position samples buckets")
    ax, is_one = picture.panel(), len(taken) == 1
    ends = [rows[0] + rows[2] * part.number("bucket_bytes") for _, part, rows, _ in taken]
    # Samples are of a bucket, however many are in a bin.
    heights, end = [rows[1] / rows[2] for _, _, rows, _ in taken], most_of(ends)
    log = picture.is_log(most_of(heights) > 30 * max(style.least_above(heights), 1.0))
    floor = scale(ax.yaxis, "samples of a bucket", heights, "", log)[0]
    scale(ax.xaxis, "touched memory in the order of addresses", (), "B", limits=(0, end))
    for i, (one, stop, height) in enumerate(zip(taken, ends, heights)):
        x, y = np.stack([one.rows[0], stop], axis=1).reshape(-1), np.repeat(height, 2)
        alpha = 0.85 if is_one else 0.4
        ax.fill_between(x, y, floor, color=f"C{i}", alpha=alpha, linewidth=0.4, label=style.key(one.name))
        data = {"from_bytes": one.rows[0], "to_bytes": stop, "samples_of_a_bucket": height}
        picture.keep(report=one.name, **data)
    regions = _regions(taken[0].rows[0], taken[0].part.texts("address_bin", "region"), end)
    # Names of ranges and mappings stand over the panel, where there is room: the widest first.
    for name, begin, stop in sorted(regions, key=lambda region: region[1] - region[2]) if is_one else ():
        if begin:
            ax.axvline(begin, color=style.weak(), linewidth=0.4, zorder=1)
        if (stop - begin) / end * picture.width * 0.85 > style.width(name, style.TINY):
            picture.above(ax, name, (begin + stop) / 2, fontsize=style.TINY)


HOT = "size_bytes samples estimated_accesses"


def _hot(part: Part, rows: Floats) -> tuple[Floats, bool]:
    """Samples of a bucket, or accesses where pages have rates: their samples say nothing of how often they
    are accessed. rows: of HOT."""
    has_rates = "rates of pages" in part.text("estimator")
    return np.where(np.isfinite(rows[2]) & has_rates, rows[2], rows[1]), has_rates


@kind("y legend", 6, **_of("hot_set", "hotset"))
def hot_set(picture: Picture) -> None:
    """Size of memory by access frequency, of memtrace analyze hotset."""
    taken = _take(picture, "Memory by access frequency", "size_step", HOT)
    ax, found = picture.panel(), [_hot(one.part, one.rows) for one in taken]
    what = "accesses" if any(has_rates for _, has_rates in found) else "samples"
    scale(ax.yaxis, f"{what} of a bucket", [values for values, _ in found], "", picture.is_log())
    end = 1.02 * most_of(_column(taken, 0))
    scale(ax.xaxis, "size of the memory that has at least as many", (), "B", limits=(0, end))
    for i, ((_, part, (sizes, *_), name), (values, _)) in enumerate(zip(taken, found)):
        steps = np.append(0.0, sizes), np.append(values[:1], values)
        data = {"size_bytes": sizes, "value": values}
        picture.curve(ax, name, data, i, shown=steps, drawstyle="steps-pre")
        _note_text(picture, part, "estimator")
        _note_interval(picture, "Working set at least", part, "working_set", "_bytes", " MiB", MIB)
        picture.note(f"Buckets with a sample have {part.number('coverage_percent'):.4g} % of the accesses.")


@kind("legend", 6, **_of("miss_ratio_curve", "missratio"))
def miss_ratio(picture: Picture) -> None:
    """Miss ratio of an LRU buffer by its size, of memtrace analyze missratio."""
    taken = _take(picture, "Miss ratio of an LRU buffer", "curve_point", "buffer_bytes miss_ratio low high")
    ax = picture.panel()
    scale(ax.xaxis, "size of the buffer", (), "B", limits=(0, 1.02 * most_of(_column(taken, 0))))
    scale(ax.yaxis, "accesses that miss it", [100 * one.rows[1] for one in taken], "%")
    for i, (_, part, (size, ratio, low, high), name) in enumerate(taken):
        ax.fill_between(size, 100 * low, 100 * high, color=f"C{i}", alpha=0.22, linewidth=0)
        data = {"buffer_bytes": size, "miss_ratio": ratio, "low": low, "high": high}
        picture.curve(ax, name, data, i, shown=(size, 100 * ratio), linewidth=1.6)
        _note_text(picture, part, "estimator")


@kind("legend", 6, **_of("skew", "skew"))
def popularity(picture: Picture) -> None:
    """Accesses by rank, of memtrace analyze skew."""
    taken, ax = _take(picture, "Accesses by rank", "ranked", "rank samples fitted"), picture.panel()
    scale(ax.xaxis, "rank of a bucket", [*_column(taken, 0), 2], log=True)
    scale(ax.yaxis, "samples", [*_column(taken, 1), 2], log=True)
    for i, (_, part, (rank, samples, fitted), name) in enumerate(taken):
        picture.points(ax, name, {"rank": rank, "samples": samples}, i, markersize=2.8)
        if np.isfinite(fitted).any():
            picture.curve(ax, name, {"rank": rank, "fitted": fitted}, i if len(taken) > 1 else 4, 1, key="")
        if math.isfinite(part.number("zipf_exponent")):
            _note_interval(picture, "Zipf exponent", part, "zipf_exponent")
            _note_interval(picture, "Gini coefficient", part, "gini")


@kind("legend", 6, **_of("reuse_distance", "reuse"))
def reuse_distance(picture: Picture) -> None:
    """Reuse distances, of memtrace analyze reuse."""
    what = "Samples until the next of the same bucket"
    taken, ax = _take(picture, what, "reuse_bin", "from to percent between_bytes"), picture.panel()
    title = "samples from one of a bucket to the next"
    scale(ax.xaxis, title, [*_column(taken, 0), 2 * most_of(_column(taken, 0))], log=True)
    scale(ax.yaxis, "share of samples, for each doubling", _column(taken, 2), "%")
    for i, (_, part, (begin, end, percent, between), name) in enumerate(taken):
        data = {"from_samples": begin, "to_samples": end, "percent": percent, "between_bytes": between}
        if len(taken) == 1:
            ax.bar(begin, percent, end - begin, align="edge", color="C0", alpha=0.7, edgecolor="#ffffff")
            picture.keep(**data)
        else:
            shown = np.sqrt(begin * end), percent
            picture.curve(ax, name, data, i, shown=shown, marker="o", markersize=3)
        _note_text(picture, part, "unit")


@kind("legend", 6, **_of("strides", "stride"))
def stride(picture: Picture) -> None:
    """Distances of successive accesses, of memtrace analyze stride."""
    what = "Distances of successive samples of a thread"
    taken, ax = _take(picture, what, "stride", "stride_bytes percent"), picture.panel()
    reach = most_of(np.abs(np.concatenate(_column(taken, 0)))) * 1.05 + 1
    scale(ax.xaxis, "bytes from one sample of a thread to its next", (), limits=(-reach, reach))
    scale(ax.yaxis, "share of pairs", _column(taken, 1), "%")
    ax.axvline(0, color=style.weak(), linestyle=DASHES[2], linewidth=0.6, zorder=1)
    for i, (_, _, (apart, percent), name) in enumerate(taken):
        ax.vlines(apart, 0, percent, color=f"C{i}", linewidth=2)
        picture.points(ax, name, {"stride_bytes": apart, "percent": percent}, i, markersize=3)


# --- the map, and volumes before and after ---


@kind("", 1, **_of("access_pattern", "pattern"))
def access_pattern(picture: Picture) -> None:
    """Accesses by time and address, of memtrace analyze pattern."""
    cells = "column_index band_index samples"
    ((report, part, (at, height, heat), _),) = _take(
        picture, "Accesses in time and memory", "map_cell", cells
    )
    columns = part.rows("map_column", "from_s", "to_s", "samples")
    bands = np.cumsum(np.append(0.0, part.rows("map_band", "size_bytes")[:, 0]))
    # What a report says may be wrong.
    is_there = (at >= 0) & (at < len(columns)) & (height >= 0) & (height < len(bands) - 1) & (heat > 0)
    if not is_there.any():
        raise Problem("the map of analyze pattern is empty", report.path)
    column, band, heat = at[is_there].astype(int), height[is_there].astype(int), heat[is_there]
    is_by_samples, before = part.text("x") == "samples", np.cumsum(np.append(0.0, columns[:, 2]))
    begin, end = np.stack([before[:-1], before[1:]]) if is_by_samples else columns[:, :2].T
    picture.note("Addresses without a sample are left out: mappings and ranges follow one another.")
    ax, x, y = picture.panel(), (begin[column], end[column]), (bands[band], bands[band + 1])
    title = "samples in the order of time" if is_by_samples else "time since the recording began (s)"
    scale(ax.xaxis, title, (), "" if is_by_samples else "s", limits=(begin[0], end[-1]))
    ax.set_ylim(0, bands[-1])
    ax.set_ylabel(f"touched memory, {number(bands[-1], 'B')}")
    regions = _regions(bands[:-1], part.texts("map_band", "region"), bands[-1])
    for _, low, _ in regions[1:]:
        ax.axhline(low, color=style.weak(), linewidth=0.4)
    middles = [(low + high) / 2 for _, low, high in regions]
    picture.rows_at(ax, [name for name, _, _ in regions], middles, style.SMALL)
    heat_bar(picture, [heat_cells(ax, x, y, heat)], [ax], "samples in a cell")
    picture.keep(from_x=x[0], to_x=x[1], from_bytes=y[0], to_bytes=y[1], samples=heat)


@kind("", 1, **_of("partitioning", "partition"))
def accessed_volume(picture: Picture) -> None:
    """Accessed volume before and after, of memtrace analyze partition."""
    columns = "before_bytes after_bytes low_percent high_percent change_percent"
    ((_, part, rows, _),) = _take(picture, "Accessed volume before and after", "change", columns)
    if rows.shape[1] > VOLUME_ROWS:
        picture.note(f"{rows.shape[1] - VOLUME_ROWS} ranges with less volume are left out.")
    ranges = [_region_name(name) for name in part.texts("change", "id")][:VOLUME_ROWS]
    decisions = part.texts("change", "decision")[:VOLUME_ROWS]
    before, after, low, high, change = rows[:, :VOLUME_ROWS]
    low, high = before * (1 + low / 100), before * (1 + high / 100)
    ax = picture.panel()
    at = picture.lines(ax, ranges, 12.0)
    scale(ax.xaxis, "accessed volume: accesses times size of a bucket", [before, after, high], "B")
    ax.barh(at - 0.2, before, 0.32, color="C7", label="before")
    ax.barh(at + 0.2, after, 0.32, color="C0", label="after")
    middle, half = np.nan_to_num([(low + high) / 2, (high - low) / 2])
    ax.errorbar(middle, at + 0.2, xerr=half, fmt="none", linewidth=1.0, color=style.rc("text.color"))
    for i, decision, percent in zip(at, decisions, change):
        text = "no change" if decision == "none" else f"{percent:+.3g} %"
        picture.beside(ax, text, 1, i, at=("axes fraction", "data"), fontsize=style.SMALL)
    picture.note(f"Intervals: {part.text('noise')[:150]}.")
    data = {"before_bytes": before, "after_bytes": after, "low_bytes": low, "high_bytes": high}
    picture.keep(range=ranges, **data, change_percent=change, decision=decisions)


# --- buffer: slowdowns in less memory, and the curve of a recording ---

LEAST_SHARE = 0.1  # of the largest excess: where the curve is flat, the size of a smaller one is chance


class Taken(NamedTuple):
    """A report: of a run with its memory limit (infinite = none) and rate, or of an analysis with its
    curve."""

    path: str
    limit: float
    rate: float
    analysis: str = ""
    curve: Floats = np.zeros((0, 2))  # size, and miss ratio or accesses of a bucket
    has_rates: bool = False


class Size(NamedTuple):
    """The runs of a program in one size of memory: its slowdowns."""

    bytes: float
    runs: int
    median: float
    least: float
    most: float


def _take_buffer(report: Report) -> Taken:
    analysis, curve, has_rates = "", np.zeros((0, 2)), False
    if part := report.part("result/miss_ratio_curve"):
        analysis, curve = "missratio", part.rows("curve_point", "buffer_bytes", "miss_ratio")
    elif part := report.part("result/hot_set"):
        rows = part.rows("size_step", *HOT.split()).T
        values, has_rates = _hot(part, rows)
        analysis, curve = "hotset", np.stack([rows[0], values], axis=1)
    if part and not len(curve):
        raise Problem(f"analyze {analysis} found nothing", report.path)
    if part:
        return Taken(report.path, math.nan, math.nan, analysis, curve, has_rates)
    rates = [float(v) for v in report.values.values() if v.unit == "/s" and v.better == "higher"]
    if not rates or not rates[0] > 0:
        what = "a run with a rate, or of memtrace analyze missratio or hotset"
        raise Problem(f"must be the report of {what}", report.path)
    cgroup = report.part("machine_info/cgroup")
    limit = cgroup.number("limit_bytes") if cgroup else math.nan
    return Taken(report.path, limit if limit > 0 else math.inf, rates[0])


def _sizes(runs: Sequence[Taken]) -> list[Size]:
    """Rising; slowdowns are over the median rate in the largest size."""
    limits = sorted({run.limit for run in runs})
    rates = [np.array([run.rate for run in runs if run.limit == limit]) for limit in limits]
    whole = np.median(rates[-1])
    return [
        Size(limit, len(of), whole / np.median(of), whole / of.max(), whole / of.min())
        for limit, of in zip(limits, rates)
    ]


def _value_at(curve: Floats, size: Any) -> Any:
    """The miss ratio of a buffer of this size; NaN below the curve's first point."""
    return np.interp(size, curve[:, 0], curve[:, 1], left=math.nan)


def _size_of(curve: Floats, value: float) -> float:
    """The size from which on the miss ratio, which falls, is at most this; NaN if it never is."""
    below = np.flatnonzero(curve[:, 1] <= value)
    if not len(below):
        return math.nan
    around = curve[max(below[0] - 1, 0) : below[0] + 1][::-1]
    return float(np.interp(value, around[:, 1], around[:, 0]))


def _note_distance(picture: Picture, sizes: list[Size], curve: Floats, who: str) -> None:
    """How far apart in size measurement and prediction are, both scaled to their values in the least
    memory."""
    first, who = sizes[0], f"{who}: " if who else ""
    excess, ratio = first.median - 1, float(_value_at(curve, first.bytes))
    if not (excess > 0 and ratio > 0):
        picture.note(f"{who}No slowdown or no misses in the least memory: sizes are not compared.")
        return
    found = []
    for size in sizes[1:]:
        share = (size.median - 1) / excess
        predicted = _size_of(curve, share * ratio)
        # A size with a run that is not slower is not compared.
        if math.isfinite(size.bytes) and LEAST_SHARE <= share <= 1 and size.least > 1 and predicted > 0:
            found.append((abs(math.log(predicted / size.bytes)), size.bytes, predicted))
    if not found:
        picture.note(f"{who}No other size is clearly slower: sizes are not compared.")
        return
    worst, measured, predicted = max(found)
    in_least = f"slowdown {first.median:.3g}, miss ratio {100 * ratio:.3g} %"
    scaled = f"scaled to {first.bytes / MIB:.4g} MiB ({in_least})"
    sizes_then = f"{measured / MIB:.4g} MiB measured and {predicted / MIB:.3g} MiB predicted"
    picture.note(f"{who}{scaled}: at most {100 * math.expm1(worst):.0f} % apart in size, {sizes_then}.")


def _programs(picture: Picture, taken: Sequence[Taken]) -> list[tuple[list[Size], Taken]]:
    """Of each side the sizes of its runs, and its curve."""
    count, found = picture.files[-1][1] + 1, []
    analyses = [one for one in taken if one.analysis]
    for one in analyses:
        if one.analysis != analyses[0].analysis:
            other = f"another one is of {analyses[0].analysis}; give reports of the same analysis"
            raise Problem(f"a report of analyze {one.analysis}, but {other}", one.path)
    for i in range(count):
        own = [one for one, (_, side) in zip(taken, picture.files) if side == i]
        runs, curves = [one for one in own if not one.analysis], [one for one in own if one.analysis]
        if len(curves) > 1:
            what = "a second recording of this program (give one); separate programs by --"
            raise Problem(what, curves[1].path)
        if not runs or not curves:
            what = "memtrace analyze missratio or hotset" if runs else "a run"
            raise Problem(f"program {i + 1} of {count}, separated by --: no report of {what}")
        found.append((_sizes(runs), curves[0]))
    return found


def _program_names(picture: Picture, taken: Sequence[Taken]) -> list[str]:
    """By their folders, or by the runs' differences; of one program none."""
    if not picture.has_sides:
        return [""]
    runs: dict[int, names.Facts] = {}
    for one, facts, (_, side) in zip(taken, picture.facts, picture.files):
        if not one.analysis:
            runs.setdefault(side, facts)
    folders = [facts["path"].rpartition("/")[0].rpartition("/")[2] for facts in runs.values()]
    if picture.options.legend:
        return names.names_of(list(runs.values()), picture.options.legend)
    if len(set(folders)) == len(folders) and all(folders):
        return folders
    found = names.differences(list(runs.values()))
    return [joined(f"program {i}", name) for i, name in enumerate(found, 1)]


def _scale_misses(axis: Any, every: Floats, ratios: Floats, most: float, log: bool) -> None:
    """No misses are at a slowdown of 1, and the most of each at one height. every: sizes of all programs."""
    highest, median = most_of(ratios), every[:, 2].max()
    percent = 100 * highest / (1 if log else median - 1) if highest > 0 and median > 1 else 10.0
    ends = (0.0, percent * 1.2) if log else (-percent, percent * (most - 1))
    scale(axis, "accesses that miss the buffer (dashed)", (), "%", limits=ends)
    tics = [tic for tic in axis.get_majorticklocs() if 0 <= tic <= ends[1]]
    style.places(axis, tics, [number(tic, "%", 4) for tic in tics])


@kind("-- y legend", MANY)
def buffer(picture: Picture) -> None:
    """Slowdown by memory, over the miss ratios or the hot set of a recording.

    "--" stands between programs."""
    taken = picture.take(_take_buffer)
    programs, called = _programs(picture, taken), _program_names(picture, taken)
    is_hot = programs[0][1].analysis == "hotset"
    curve_of = "access frequency" if is_hot else "miss ratio"
    picture.title = f"Slowdown by memory, over the {curve_of} of the recording"
    counts = [size.runs for sizes, _ in programs for size in sizes]
    many = f"medians of {style.span(counts)} runs per size, relative to the median in the most memory"
    each = "one run per size, relative to the run in the most memory"
    picture.note(f"Solid: {each if max(counts) == 1 else f'{many}, with the smallest and largest'}.")
    limited = [[size for size in sizes if math.isfinite(size.bytes)] for sizes, _ in programs]
    shown = [np.array(sizes).reshape(-1, 5) for sizes in limited]
    every, log = np.concatenate(shown), picture.is_log(False)
    if not len(every):
        raise Problem("no run has a limit of memory")
    ax = picture.panel()
    right, end = picture.right(ax), every[:, 0].max() * 1.02
    most = scale(ax.yaxis, "slowdown (solid)", every[:, 2:], log=log)[1]
    scale(ax.xaxis, "memory of the program; size of the buffer", (), "B", limits=(0, end), tics=8)
    if is_hot:
        what = "accesses" if any(one.has_rates for _, one in programs) else "samples"
        scale(right.yaxis, f"{what} of a bucket (dashed)", [one.curve[:, 1] for _, one in programs], log=True)
    else:
        ratios = [_value_at(one.curve, of[:, 0]) for of, (_, one) in zip(shown, programs)]
        _scale_misses(right.yaxis, every, np.concatenate(ratios), most, log)
    for i, (rows, (whole, one), name) in enumerate(zip(shown, programs, called)):
        x, y = one.curve.T
        data = {"buffer_bytes": x, "samples" if is_hot else "miss_ratio": y}
        picture.curve(right, name, data, i, 1, shown=(x, y if is_hot else 100 * y), linewidth=1.1, key="")
        memory, _, median, low, high = rows.T
        ends = [median - low, high - median]
        ax.errorbar(memory, median, ends, fmt="none", linewidth=1.0, color=f"C{i}")
        data = {"memory_bytes": memory, "slowdown": median, "least": low, "most": high}
        picture.curve(ax, name, data, i, marker="o", markersize=3.5, linewidth=1.6)
        if not is_hot:
            _note_distance(picture, whole, one.curve, name)
