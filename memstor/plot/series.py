# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds for any tool: values in time, and bars of groups of runs."""

from __future__ import annotations

import math
import re
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from memstor import metric
from memstor.error import Problem
from memstor.metric import Metric
from memstor.plot import style
from memstor.plot.latency import window
from memstor.plot.picture import COLOURS_MAX, MANY, Picture, check_most, kind
from memstor.plot.style import DASHES, joined, least_above, most_of, number, scale
from memstor.plot.writes import chosen_metrics
from memstor.report import Interval, Report

LINES_MAX, COLUMNS_MAX, MARKS_MAX = 24, 4, 32
SAME_LENGTH = 1.1  # of time axes
RATE, LATENCY, COUNTER = "rate", "latency", "counter"


# --- counters: levels or events, and the unit in which they are drawn ---


class CounterKind(NamedTuple):
    title: str
    unit: str
    is_level: bool


MEMORY, LEVEL = CounterKind("memory", "B", True), CounterKind("number", "", True)
EVENTS = CounterKind("events per second", "", False)
STALLED = CounterKind("share of the time", "%", False)
CPU = CounterKind("share of all CPUs' time", "%", False)
# The first that fits counts; what of memory.stat is not an event is in bytes.
COUNTERS = {
    r"meminfo\.HugePages": LEVEL,
    r"meminfo\.": MEMORY,
    r"(cgroup\.)?psi\..*\.total$": STALLED,
    r"stat\.(?!ctxt|processes)": CPU,
    r"vmstat\.(nr_(?!dirtied|written|throttled_written|vmscan_|foll_pin_)|workingset_nodes)": LEVEL,
    r"cgroup\.(?!events\.|failcnt|psi\.|(total_)?(pg|workingset_)|thp_|numa_|zswp|swp)": MEMORY,
    "": EVENTS,
}


def counter_kind(name: str) -> CounterKind:
    return next(of for pattern, of in COUNTERS.items() if re.match(pattern, name))


def _change(of: CounterKind, interval: Interval, name: str) -> float:
    """In an interval; a counter that is not listed has not changed. Of a level as it is, else per second or
    in percent."""
    change = interval.counters.get(name, 0.0)
    if of is CPU:
        ticks = interval.counters.get("stat.total", 0.0)
        return change / ticks * 100 if ticks > 0 else math.nan
    return change if of.is_level else change / interval.seconds / (1e4 if of is STALLED else 1)


# --- lines ---

# What a metric is in an interval, the first that it has, and in words.
VALUES = {
    "throughput": ("accesses_per_second", "operations_per_second"),
    "bandwidth": ("bytes_per_second",),
    "mean": ("mean_ns",),
}
WORDS = {
    "accesses_per_second": "accesses per second",
    "operations_per_second": "writes per second",
    "operations": "writes per second",
    "bytes_per_second": "bytes per second",
    "mean_ns": "mean",
}
Key = tuple[int, str]  # number of the report, and the cell or stream, "" of the whole run


class Line(NamedTuple):
    key: Key
    place: str
    what: str
    of: CounterKind | None  # of a counter, or of bytes on its axis
    x: Any
    y: Any


def _points(intervals: list[Interval], values: Any, level: float | None = None) -> tuple[Any, Any]:
    """A mean holds for its interval; a level, which is level at the begin, is that at its end. Between two
    repetitions, or two cells of one, nothing is measured: there the line has a gap."""
    ends, seconds = np.array([(one.time, one.seconds) for one in intervals]).T
    measured = [(one.repetition, one.subject) for one in intervals]
    gaps = np.array([i for i in range(1, len(measured)) if measured[i] != measured[i - 1]], dtype=int)
    if level is None:
        x, y, at = np.stack([ends - seconds, ends], axis=1).reshape(-1), np.repeat(values, 2), 2 * gaps
    else:
        x, y, at = np.append(ends[0] - seconds[0], ends), np.append(level, values), gaps + 1
    return np.insert(x, at, (ends - seconds)[gaps]), np.insert(y.astype(np.float64), at, math.nan)


def _percent(name: str) -> float:
    found = re.fullmatch(r"p([0-9]+(\.[0-9]+)?)", name)
    return float(found[1]) if found and float(found[1]) <= 100 else math.nan


def _value(picture: Picture, interval: Interval, name: str, percent: float, is_counted: bool) -> float:
    """The report's own percentile knows the maximum, which the interval's histogram does not."""
    found = interval.values.get(f"{name}_ns" if percent == percent else name)
    if found is not None:
        return found.value / interval.seconds if is_counted else found.value
    if percent == percent and interval.histogram is not None:
        percentile = interval.histogram.percentile(percent)
        picture.note_bound(percentile.high if percentile.is_bounded else 0.0)
        return percentile.value
    return math.nan


def _take_metric(picture: Picture, report: Report, intervals: list[Interval], name: str) -> list[Line]:
    """A line a subject."""
    first = report.series[0].values
    value = next((v for v in VALUES.get(name, ()) if v in first), name)
    percent, own = _percent(name), first.get(value)
    # What is a count in the list of intervals is drawn per second, by its own name in words.
    is_counted = bool(own and own.field and own.field.type == "count" and not own.unit)
    what = WORDS.get(value) or (f"{value.replace('_', ' ')} per second" if is_counted else name)
    of = MEMORY if value.endswith("_bytes") else None
    is_latency = percent == percent or value.endswith("_ns")
    place = LATENCY if is_latency else COUNTER if of else RATE
    found = []
    for subject in filter(picture.is_wanted, ("", *report.subjects)):
        some = [interval for interval in intervals if interval.subject == subject]
        if some:
            values = np.array([_value(picture, one, value, percent, is_counted) for one in some])
            if np.isnan(values).all():
                allowed = "throughput, mean, p50, p99 (any pN), or an element of the series as major_faults"
                raise Problem(f"no interval has '{name}': must be {allowed}", report.path)
            x, y = _points(some, values, values[0] if of else None)
            found.append(Line((len(picture.facts) - 1, subject), place, what, of, x, y))
    if not found:
        raise Problem("nothing of --class has intervals", report.path)
    return found


def _level_at_begin(report: Report, name: str) -> float:
    """NaN if the run did not read this counter."""
    counters = report.part("sys_mem_info/sys_mem_item[@name='pre-run']/counters")
    found = {c.text("name"): c.number("value") for c in counters.parts("counter")} if counters else {}
    return found.get(name, math.nan)


def _take_counter(picture: Picture, report: Report, intervals: list[Interval], name: str) -> Line:
    of, level = counter_kind(name), _level_at_begin(report, name)
    # A report without the machine's counters at its begin has some of its own in the intervals: what changed.
    if math.isnan(level) and (of.is_level or not any(name in one.counters for one in report.series)):
        where = "in its sys_mem_info, as vmstat.pswpin or meminfo.Dirty, or in its series, as disk.flush_ios"
        raise Problem(f"has no counter '{name}': the names are {where}", report.path)

    def time(one: Interval) -> tuple[str, float]:
        return one.repetition or one.subject, one.time

    # Streams share the time of their intervals, and the machine's counters in it.
    every = [next(same) for _, same in groupby(report.series, key=time)]
    wanted = {time(one) for one in intervals if not one.subject or picture.is_wanted(one.subject)}
    is_shown = np.array([time(one) in wanted for one in every])
    some, values = [one for one in every if time(one) in wanted], np.array(
        [_change(of, one, name) for one in every]
    )
    if of.is_level:
        # Summed up from the begin of the run, whatever part of it is shown.
        levels = level + np.append(0.0, np.cumsum(values))
        x, y = _points(some, levels[1:][is_shown], levels[is_shown.argmax()])
    else:
        x, y = _points(some, values[is_shown])
    return Line((len(picture.facts) - 1, ""), COUNTER, name, of, x, y)


def _take_marks(report: Report) -> list[tuple[float, str]]:
    """Where phases begin; a single one is the whole run."""
    part = report.part("result/phases")
    phases = part.parts("phase") if part else []
    found = [(phase.number("begin_s"), phase.text("pattern")) for phase in phases if len(phases) > 1]
    return [mark for mark in found if math.isfinite(mark[0])][:MARKS_MAX]


def _take_series(picture: Picture, report: Report) -> tuple[list[Line], list[tuple[float, str]]]:
    options, intervals = picture.options, window(picture, report)
    if options.class_ and not any(interval.subject for interval in report.series):
        raise Problem(f"--class: of a series it chooses cells or streams, and {report.path} has none")
    wanted = options.metric or ("throughput", "p50", "p99")
    lines = [line for name in wanted for line in _take_metric(picture, report, intervals, name)]
    lines += [_take_counter(picture, report, intervals, name) for name in options.counter or ()]
    return lines, _take_marks(report)


def _counters_of(lines: list[Line]) -> CounterKind | None:
    """The kind of all counters, which share one axis."""
    counters = [(line.of, line.what) for line in lines if line.of]
    for of, what in counters:
        if of is not counters[0][0]:
            both = f"'{what}': is drawn as {of.title}, the one before it as {counters[0][0].title}"
            raise Problem(f"{both}; one axis has one unit, draw two pictures")
    return counters[0][0] if counters else None


def _time_axes(subjects: dict[Key, list[Line]]) -> list[list[Key]]:
    """What shares a time axis: whole runs do; cells and streams of about the same length."""
    axes: list[tuple[float, list[Key]]] = []
    for key, lines in subjects.items():
        length = max(line.x.max() for line in lines) - min(line.x[0] for line in lines)
        for other, keys in axes:
            if not key[1] or not keys[0][1] or max(length, other) <= SAME_LENGTH * min(length, other):
                keys.append(key)
                break
        else:
            axes.append((length, [key]))
    return [keys for _, keys in axes]


class Series:
    """The lines of a picture, by report and subject, and what its panels have in common."""

    def __init__(self, picture: Picture, lines: list[Line]):
        self.picture, self.lines = picture, lines
        self.subjects: dict[Key, list[Line]] = {}
        for line in lines:
            self.subjects.setdefault(line.key, []).append(line)
        if len(lines) > LINES_MAX or len(self.subjects) > COLOURS_MAX:
            many = f"{len(lines)} lines of {len(self.subjects)} reports, cells or streams"
            most = f"a picture distinguishes at most {LINES_MAX} and {COLOURS_MAX}"
            raise Problem(f"{many}: {most}; draw fewer, perhaps by --class")
        self.counters, self.is_one = _counters_of(lines), len(self.subjects) == 1
        self.units = {LATENCY: "ns", COUNTER: self.counters.unit if self.counters else "", RATE: ""}
        self.extents = {place: [line.y for line in lines if line.place == place] for place in self.units}
        self.drawn = [place for place in (RATE, LATENCY) if self.extents[place]] or [COUNTER]
        latencies = style.flat(self.extents[LATENCY])
        # Where latencies of 0 are drawn.
        self.zero = least_above(latencies) / 4 if (latencies <= 0).any() else 0.0
        self.thresholds = list(filter(None, map(self._threshold, picture.options.threshold or ())))
        for place, value, _ in self.thresholds:
            self.extents[place].append(value)
        reports, short = picture.names(), picture.shorten([cell for _, cell in self.subjects if cell])
        self.called = {k: joined(reports[k[0]], short.get(k[1], "")) for k in self.subjects}
        self.is_streams = all(facts["tool"] == "ssd-workloads" for facts in picture.facts)

    def _threshold(self, given: tuple[str, float, str]) -> tuple[str, float, str] | None:
        """Place, value and text; a bare number is on the axis of counters when there is one."""
        quantity, value, text = given
        if quantity == "bytes" and self.counters is not MEMORY:
            raise Problem("--threshold: a size needs a --counter of memory, as meminfo.Dirty")
        place = {"bytes": COUNTER, "count": COUNTER if self.counters else RATE}.get(quantity, quantity)
        return (place, value, text or number(value, self.units[place], 4)) if self.extents[place] else None

    def title(self, place: str) -> str:
        if place == COUNTER:
            return self.counters.title if self.counters else ""
        if place == LATENCY:
            return "response time of a write" if self.is_streams else f"latency of an {self.picture.what}"
        rates = {line.what for line in self.lines if line.place == RATE}
        return rates.pop() if len(rates) == 1 else "per second"

    def look(self, line: Line) -> tuple[int, int]:
        """Colour and dash. Reports and cells are colours and numbers of one are dashes; of a single one
        numbers are colours. Counters are dashed."""
        index = [other for other in self.subjects[line.key] if other.place == line.place].index(line)
        is_counter = line.place == COUNTER
        if self.is_one:
            return self.lines.index(line) % COLOURS_MAX, 1 + index % 3 if is_counter else 0
        return list(self.subjects).index(line.key), (index + 2 * is_counter) % len(DASHES)

    def side(self, ax: Any, place: str, own: list[Line], has_title: bool, is_right: bool) -> None:
        """An axis: its scale, lines and thresholds."""
        picture, is_latency, right = self.picture, place == LATENCY, " (right)" * is_right
        log, given = is_latency and picture.is_log(), picture.options.y_range if is_latency else None
        zero, title = self.zero * (log and not given), self.title(place) if has_title else None
        scale(ax.yaxis, title, [*self.extents[place], zero], self.units[place], log, given, zero=zero)
        for line in (line for line in own if line.place == place):
            (ink, dash), key = self.look(line), line.what + right
            if not self.is_one:
                is_counter = place == COUNTER
                name, key = joined(self.called[line.key], key * is_counter), ""
                ax.plot([], [], color=f"C{ink}", linestyle=DASHES[dash * is_counter], label=style.key(name))
            data = {"time_s": line.x, "value": line.y, "metric": line.what}
            shown = line.x, np.where(line.y <= 0, zero, line.y) if zero else line.y
            picture.curve(ax, self.called[line.key], data, ink, dash, shown=shown, key=key)
        x, align = (0.995, "right") if place == COUNTER else (0.005, "left")
        how: dict[str, Any] = {
            "at": ("axes fraction", "data"),
            "dy": 1,
            "va": "bottom",
            "color": style.RED,
            "ha": align,
        }
        for _, value, text in (threshold for threshold in self.thresholds if threshold[0] == place):
            ax.axhline(value, color=style.RED, linestyle=DASHES[2], linewidth=0.9)
            picture.label(ax, text, x, value, **how)

    def panel(self, ax: Any, place: str, own: list[Line], is_first: bool) -> None:
        """place: of the left axis; counters are on the right one of the first panel."""
        self.side(ax, place, own, is_first, False)
        ax.tick_params(labelleft=is_first)
        if place == self.drawn[0] != COUNTER and any(line.place == COUNTER for line in own):
            self.side(self.picture.right(ax), COUNTER, own, True, True)

    def note_dashes(self) -> None:
        """Of several subjects a note says which dashes are which number."""
        most = max(self.subjects.values(), key=len)
        for place in () if self.is_one else self.drawn:
            whats = [line.what for line in most if line.place == place]
            if place == LATENCY or len(whats) > 1:
                self.picture.note_dashes(whats)


@kind(
    "metric counter threshold from to class y-range y legend",
    needs="series/interval",
    of="a run with a series",
)
def series(picture: Picture) -> None:
    """Rates, latencies and the kernel's counters in time.

    Rates above, with counters on a second axis, and latencies below; of cells a column each length of time.
    """
    taken = picture.take(lambda report: _take_series(picture, report))
    of = Series(picture, [line for found, _ in taken for line in found])
    picture.has_legends, marks = of.is_one, taken[0][1] if len(taken) == 1 else []
    columns, high = _time_axes(of.subjects), len(of.drawn)
    wide = min(len(columns), COLUMNS_MAX)
    axes = picture.grid(high * math.ceil(len(columns) / wide), wide)
    for i, keys in enumerate(columns):
        own = [line for key in keys for line in of.subjects[key]]
        panels = axes[i // wide * high :, i % wide][:high]
        if len(columns) > 1:
            text = joined(*(of.called[key] for key in keys))
            picture.head(panels[0], style.fit(text, picture.width / wide * 0.85, 9.0))
        ends = min(line.x[0] for line in own), max(line.x.max() for line in own)
        picture.time(panels, "", *ends, tics=6 if wide == 1 else 3)
        for place, ax in zip(of.drawn, panels):
            of.panel(ax, place, own, i % wide == 0)
            for time, _ in marks:
                ax.axvline(time, color=style.weak(), linestyle=DASHES[2], linewidth=0.8)
        for time, text in marks:
            how: dict[str, Any] = {"at": ("data", "axes fraction"), "dx": 2, "rotation": 90, "va": "top"}
            picture.label(panels[0], text, time, 0.98, **how)
    for ax in axes[-high:, (len(columns) - 1) % wide + 1 :].flat:
        picture.drop(ax)
    of.note_dashes()
    has_cells = any(subject for _, subject in of.subjects)
    begin = "the first write of the cell" if has_cells else "the run began"
    picture.below = f"time since {'the first measurement began' if of.is_streams else begin} (s)"


# --- bars ---

METRICS_MAX, GROUPS_MAX = 12, 32
# With at least this number of runs in every group intervals are those of the median, otherwise the extremes.
BOOTSTRAP_RUNS, ROUNDS = 5, 2000
UNITS = {"ns": "ns", "%": "%", "bytes": "B", "B/s": "B/s"}
Run = list[tuple[float, bool]]  # of each metric its value, and whether it is known to be below that only


class Bar(NamedTuple):
    """Of one group and one metric."""

    values: Any  # of the runs, shape (n,)
    median: float
    low: float
    high: float
    is_bound: bool  # the median is known to be below its value only


def _values(picture: Picture, report: Report, chosen: list[Metric]) -> Run:
    """The first report chooses the metrics unless the user does."""
    if not chosen:
        asked = chosen_metrics(picture.options.metric or (), METRICS_MAX)
        chosen += [metric.named(one.name, report) for one in asked]
        usual = [] if chosen else [metric.named(name, report) for name in metric.defaults(report)]
        chosen += usual[:METRICS_MAX]
        if len(usual) > METRICS_MAX:
            picture.note(f"The first {METRICS_MAX} of {len(usual)} numbers: --metric chooses others.")
    found = [metric.number(one, report) for one in chosen]
    picture.note_bound(max((one.high for one in found if one and one.is_bound), default=0.0))
    return [(one.value, one.is_bound) if one else (math.nan, False) for one in found]


def _bar(runs: Run, is_bootstrap: bool) -> Bar | None:
    """Of the runs that have the number."""
    if not runs:
        return None
    values = np.array([value for value, _ in runs])
    low, median, high = values.min(), float(np.median(values)), values.max()
    if is_bootstrap:
        draws = np.random.default_rng(1).choice(values, (ROUNDS, len(values)))
        low, high = np.percentile(np.median(draws, axis=1), [2.5, 97.5])
    return Bar(values, median, low, high, any(bound and median <= value for value, bound in runs))


def _draw_bars(picture: Picture, ax: Any, bars: list[Bar | None], unit: str, is_coloured: bool) -> None:
    every = np.concatenate([[bar.low, bar.high, *bar.values] for bar in bars if bar])
    # What differs by more has no place on one linear axis.
    log = picture.is_log(most_of(every) > 30 * least_above(every)) and most_of(every) > 0
    scale(ax.yaxis, None, every, unit, log, tics=4)
    for i, bar in ((i, bar) for i, bar in enumerate(bars, 1) if bar):
        places = np.linspace(i - 0.2, i + 0.2, len(bar.values))
        picture.medians(ax, i, bar.values, 0.72, i - 1 if is_coloured else 0, log, places)
        if len(bar.values) > 1:
            ends = np.maximum([[bar.median - bar.low], [bar.high - bar.median]], 0)
            ax.errorbar(i, bar.median, ends, color=style.rc("text.color"), linewidth=1.1)
    ax.xaxis.grid(False)


def _draw_metric(
    picture: Picture, ax: Any, one: Metric, bars: list[Bar | None], groups: list[str], called: str, wide: int
) -> None:
    """A panel: the values of few groups are below their bars, else the groups' names."""
    unit, is_coloured = UNITS.get(one.unit, ""), len(groups) <= COLOURS_MAX
    _draw_bars(picture, ax, bars, unit, is_coloured)
    texts = ["<" * bar.is_bound + number(bar.median, unit) if bar else "" for bar in bars]
    if not is_coloured:
        cut = 0.36 * picture.height / math.ceil(len(picture.panels) / wide)
        texts = [style.fit(name, cut, style.SMALL) for name in groups]
    picture.columns(ax, texts, style.SMALL, 0 if is_coloured else 90)
    # Few bars stand in the middle.
    room, middle = max(len(bars), 2.5 * is_coloured) / 2 + 0.05, (len(bars) + 1) / 2
    ax.set_xlim(middle - room, middle + room)
    title = one.name.rpartition(":")[2] + f" ({one.unit})" * (bool(one.unit) and not unit)
    below, width = joined(called, f"{one.better} is better"), picture.width / wide * 0.85
    picture.head(ax, style.fit(title, width, 9.0), style.fit(below, width, style.TINY))
    for group, bar in ((group, bar) for group, bar in zip(groups, bars) if bar):
        what = {"metric": one.name, "unit": one.unit, "group": group}
        picture.keep(**what, median=bar.median, low=bar.low, high=bar.high, runs=len(bar.values))
        picture.keep(**what, value=bar.values)


@kind("metric group-by -- y legend", MANY)
def bars(picture: Picture) -> None:
    """Groups of runs side by side.

    A panel a metric: the median of each group with its interval, and every run. Without sides the runs of
    each step are a group."""
    chosen: list[Metric] = []
    runs = picture.take(lambda report: _values(picture, report, chosen))
    all_steps = [facts.get("step", "") for facts in picture.facts]
    of, groups = picture.groups("step" if 1 < len(set(all_steps)) < len(all_steps) else "")
    check_most(len(groups), GROUPS_MAX, "groups", "; group runs by -- between them, or --group-by")
    for i, name in enumerate(groups):
        steps = {facts.get("step", "") for facts, group in zip(picture.facts, of) if group == i}
        if len(steps) > 1:
            what = f"{name or 'The group'} has runs of {len(steps)} steps"
            picture.note(f"{what}: --group-by step draws them apart.", True)
    # Of each metric that some have, the runs of each group that have it.
    found: dict[Metric, list[Run]] = {}
    for i, one in enumerate(chosen):
        own = [(run[i], group) for run, group in zip(runs, of) if math.isfinite(run[i][0])]
        if own:
            found[one] = [[value for value, group in own if group == k] for k in range(len(groups))]
        elif picture.options.metric:
            raise Problem(f"--metric '{one.name}': no report has such a number")
    if not found:
        raise Problem("the reports have no numbers to draw as bars")
    sizes, wide = [of.count(group) for group in range(len(groups))], min(4, len(found))
    if len(groups) > COLOURS_MAX:
        wide = max(1, min(wide, int(picture.width / (55 + 11 * len(groups)))))
    high = math.ceil(len(found) / wide)
    axes = picture.grid(high, math.ceil(len(found) / high))
    short = picture.shorten([one.subject for one in found if one.subject])
    is_bootstrap = all(len(own) >= BOOTSTRAP_RUNS for row in found.values() for own in row if own)
    for (one, row), ax in zip(found.items(), axes.flat):
        drawn = [_bar(own, is_bootstrap) for own in row]
        _draw_metric(picture, ax, one, drawn, groups, short.get(one.subject, ""), axes.shape[1])
    for ax in axes.flat[len(found) :]:
        picture.drop(ax)
    for i, name in enumerate(groups) if 1 < len(groups) <= COLOURS_MAX else ():
        axes[0, 0].bar(0, 0, color=f"C{i}", label=style.key(name))
    what = "95 % intervals of the median (bootstrap)" if is_bootstrap else "from the smallest to the largest"
    several = f"Bars: medians of {style.span(sizes)} runs a group; points: the runs; lines: {what}."
    single = "One run each: nothing is known of what differs from run to run."
    picture.note(several if max(sizes) > 1 else single)
