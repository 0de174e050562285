# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds for reports of ssd-workloads: run --baselines, and the figures of analyze, which it stores as
tables."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

import numpy as np

from memstor.error import Problem
from memstor.plot import names, style
from memstor.plot.picture import Picture, kind
from memstor.plot.style import DASHES, joined, most_of, number, scale
from memstor.report import Part, Report, parse_number

TOOL = "ssd-workloads"
STREAMS = ("log", "checkpoint")
ROWS_MAX = 20000
Row = dict[str, str]


# --- tables ---


class Table(NamedTuple):
    """Of a figure. rows: texts by column, "" where a row has none."""

    mix: str
    every: float  # one of so many writes is in it
    rows: list[Row]

    def only(self, **wanted: str) -> Table:
        """The rows that have these texts."""
        return self._replace(rows=[row for row in self.rows if wanted.items() <= row.items()])

    def numbers(self, *columns: str) -> Any:
        """Shape (columns, rows)."""
        found = [[parse_number(row[c]) for row in self.rows] for c in columns]
        return np.array(found).reshape(len(columns), -1)


def _figure(figures: str, column: str, what: str = "") -> dict[str, Any]:
    """What a kind needs: one of these figures, with a column that others of its name lack."""
    paths = "|".join(f"result/analysis[@figure='{f}'][column='{column}']" for f in figures.split())
    return {"tool": TOOL, "needs": paths, "of": f"{TOOL} analyze {figures.replace(' ', ', ')}{what}"}


def _device(figures: str, column: str) -> dict[str, Any]:
    return _figure(figures, column, " of a simulated device")


def _table(part: Part, columns: str) -> Table:
    header, wanted = part.texts("column"), columns.split()
    rows = [dict(zip(header, row.texts("field"))) for row in part.parts("row")]
    return Table(part.text("mix"), part.number("every"), [{c: r.get(c, "") for c in wanted} for r in rows])


def _take(picture: Picture, what: str, columns: str) -> tuple[list[Table], list[str]]:
    """The tables of all reports, of very long ones the first rows, and the reports' names: their mixes where
    each has another one and the user asks for no other names. what: of the title, "WHAT: M-N", with what all
    have in common."""

    def take(report: Report) -> Table:
        found = _table(picture.part(report), columns)
        if not found.rows:
            raise Problem(f"the table of {picture.kind.of} is empty", report.path)
        if len(found.rows) > ROWS_MAX:
            picture.note(f"{len(found.rows) - ROWS_MAX} more rows are left out.")
        return found._replace(rows=found.rows[:ROWS_MAX])

    tables = picture.take(take)
    mixes = [table.mix for table in tables]
    _title(picture, what, mixes)
    is_by_mix = not picture.options.legend and all(mixes) and len(set(mixes)) == len(mixes) > 1
    return tables, mixes if is_by_mix else picture.names()


def _title(picture: Picture, what: str, mixes: Sequence[str]) -> None:
    common = (mixes[0] if len(mixes) == 1 else "") or names.title_of(picture.facts).partition(": ")[2]
    picture.title = f"{what}{': ' * bool(common)}{common}"


# --- interference ---

PANELS = (
    ("log", "", "log, response times"),
    ("log", "commit.", "log, until a commit is durable"),
    ("checkpoint", "", "checkpoint, response times"),
)
BASELINES: dict[str, Any] = {
    "tool": TOOL,
    "needs": "result/baselines|result/analysis[@figure='interference'][column='ratio_mean']",
    "of": "ssd-workloads run --baselines, or of analyze interference --alone",
}
STATISTICS = {"mean": "ratio_mean", "p50": "ratio_p50", "p99": "ratio_p99", "p99.9": "ratio_p999"}
Ratios = dict[tuple[str, str], tuple[float, ...]]  # of stream and statistic: ratio, low, high


def _ratios(picture: Picture, report: Report) -> tuple[Ratios, str]:
    """And the mix. Of run --baselines, or of analyze interference, where nothing was repeated."""
    part, found, mix = picture.part(report), {}, ""
    for node in part.parts("interference"):
        ratio = tuple(map(node.number, ("value", "low", "high")))
        found[node.text("stream"), node.text("statistic")] = ratio
    if not found:
        table = _table(part, f"stream {' '.join(STATISTICS.values())}")
        mix = table.mix
        for row in table.rows:
            for name, column in STATISTICS.items():
                found[row["stream"], name] = (parse_number(row[column]), math.nan, math.nan)
    found = {key: value for key, value in found.items() if value[0] > 0}
    if not found:
        raise Problem(f"has no ratios: it is no report of {picture.kind.of}", report.path)
    return found, mix


@kind("y legend", **BASELINES)
def interference(picture: Picture) -> None:
    """Mutual cost of log and checkpoint of ssd-workloads run --baselines.

    How many times longer the writes of a stream take with the other stream than alone, by statistic."""
    taken = picture.take(lambda report: _ratios(picture, report))
    all_ratios, reports = [found for found, _ in taken], picture.names()
    has = [any(math.isfinite(ratio[1]) for ratio in of.values()) for of in all_ratios]
    repeated = "Medians over the repetitions, with the other stream relative to alone; bars: 95 % intervals."
    single = "Without bars: of one run of the mix and one of each stream alone, nothing was repeated."
    for text in [repeated] * any(has) + [single] * (not all(has)):
        picture.note(text)
    _title(picture, "What log and checkpoint cost each other", [mix for _, mix in taken])
    panels = [p for p in PANELS if any((p[0], p[1] + s) in of for of in all_ratios for s in STATISTICS)]
    long = "times as long as alone" if len(panels) < 3 else "times alone"
    for ax, (stream, prefix, title) in zip(picture.grid(len(panels))[:, 0], panels):
        keys, none = [(stream, prefix + s) for s in STATISTICS], (math.nan,) * 3
        every = np.array([[of.get(key, none) for key in keys] for of in all_ratios])
        every = np.where(np.isfinite(every), every, every[:, :, :1])
        for i, (own, name) in enumerate(zip(every, reports)):
            value, low, high = own.T
            x = np.arange(1, 5) + 0.7 / len(taken) * (i - (len(taken) - 1) / 2)
            bars = np.maximum([value - low, high - value], 0)
            ax.errorbar(x, value, bars, fmt="none", linewidth=1.5, capsize=3, color=f"C{i}")
            data = {"statistic": list(STATISTICS), "ratio": value, "low": low, "high": high, "panel": title}
            picture.points(ax, name, data, i, shown=(x, value), markersize=5, clip_on=False)
        ax.axhline(1, color=style.weak(), linestyle=DASHES[1], linewidth=0.9, zorder=1)
        scale(ax.yaxis, long, [every, 1], log=picture.is_log(False), tics=5)
        for at in (1.5, 2.5, 3.5):
            ax.axvline(at, color=style.rc("grid.color"), linewidth=0.6)
        picture.columns(ax, list(STATISTICS))
        picture.head(ax, title)


# --- lba, tail and ratios: a colour for each stream, or of several reports for each report ---


class Curve(NamedTuple):
    name: str
    colour: int
    dash: int
    x: Any
    y: Any
    of: Table
    report: str
    stream: str


def _curves(picture: Picture, what: str, x: str, y: str, more: str = "") -> list[Curve]:
    tables, reports = _take(picture, what, f"stream {x} {y} {more}")
    found = []
    for i, (table, report) in enumerate(zip(tables, reports)):
        for j, stream in enumerate(STREAMS):
            own = table.only(stream=stream)
            is_there = np.isfinite(own.numbers(x, y)).all(axis=0)
            own = own._replace(rows=[row for row, ok in zip(own.rows, is_there) if ok])
            xs, ys = own.numbers(x, y)
            ink, dash = (j, 0) if len(tables) == 1 else (i, j)
            if own.rows:
                found.append(Curve(joined(report, stream), ink, dash, xs, ys, own, report, stream))
    if not found:
        raise Problem(f"the tables of {picture.kind.of} have no write of a stream")
    return found


@kind("", 1, **_figure("fig11", "offset"))
def lba(picture: Picture) -> None:
    """Address and time of the writes of ssd-workloads analyze fig11."""
    curves, ax = _curves(picture, "Where each write went", "time_s", "offset"), picture.panel()
    if curves[0].of.every > 1:
        picture.note(f"One of {curves[0].of.every:.0f} writes is shown.")
    scale(ax.xaxis, "time since the measurement began (s)", [c.x for c in curves], "s")
    # From power to power of two is far for an area's end.
    end = 1.02 * max(1.0, most_of([c.y for c in curves]))
    scale(ax.yaxis, "place in the target", (), "B", limits=(0, end))
    for c in curves:
        data = {"time_s": c.x, "offset_bytes": c.y}
        picture.points(ax, c.name, data, c.colour, markersize=1.8, rasterized=len(c.x) > ROWS_MAX)


@kind("legend", 4, **_figure("fig9", "response_ns"))
def tail(picture: Picture) -> None:
    """The tail of the response times of ssd-workloads analyze fig9."""
    curves = _curves(picture, "The tail of the response times", "response_ns", "percent")
    # A log axis has no place for others.
    shown = [(c.x > 0) & (c.y < 100) for c in curves]
    times, shares = [c.x[s] for c, s in zip(curves, shown)], [100 - c.y[s] for c, s in zip(curves, shown)]
    ax = picture.panel()
    scale(ax.xaxis, "response time of a write", times, "ns", log=True)
    scale(ax.yaxis, "share of writes that took longer", shares, "%", log=True)
    for c, time, share in zip(curves, times, shares):
        picture.curve(ax, c.name, {"response_ns": time, "percent_longer": share}, c.colour, c.dash)


@kind("legend", 4, **_figure("fig6", "ratio_from"))
def ratios(picture: Picture) -> None:
    """Response times over those of the stream alone, of ssd-workloads analyze fig6.

    A step is drawn from its left edge; what is beyond the last one has no end, and no step."""
    curves = _curves(
        picture, "Response times with the other stream", "ratio_from", "percent", "ratio_to over"
    )
    is_over_write = any(c.of.only(over="flash-write").rows for c in curves)
    unity = "undisturbed flash write" if is_over_write else "median of the stream alone"
    ax, beyond, shares = picture.panel(), {}, []  # type: Any, dict[str, list[str]], list[Any]
    for c in curves:
        is_open = np.array([row["ratio_to"] == "-" for row in c.of.rows])
        beyond.setdefault(c.report, []).append(f"{c.y[is_open].sum():.3g} % of the {c.stream}")
        shares.append(np.where(is_open, 0.0, c.y))
        data = {"ratio_from": c.x, "percent": shares[-1]}
        picture.curve(ax, c.name, data, c.colour, c.dash, drawstyle="steps-post")
    for report, texts in beyond.items():
        picture.note(f"{joined('Beyond the axis', report)}: {', '.join(texts)}.")
    scale(ax.xaxis, f"response time over the {unity}", [c.x for c in curves])
    scale(ax.yaxis, "share of writes in each step of 0.05", shares, "%")
    ax.axvline(1, color=style.weak(), linestyle=DASHES[2], linewidth=0.9)
    picture.above(ax, unity, 1)


# --- slowest: fig4 of a host, a bar per write, by its parts ---

# Of a column its name, and that of a run without a trace.
SLOW_PARTS = {
    "late_ns": ("late", "late"),
    "batching_ns": ("batching", ""),
    "submit_ns": ("submit", ""),
    "queue_ns": ("queue", "before the system call"),
    "device_ns": ("device", "device or below"),
    "flush_ns": ("flush", ""),
    "reap_ns": ("reap", ""),
}
SLOWEST_MAX = 32


def _slow_name(row: Row) -> tuple[str, bool]:
    """The name of a write, and whether it is a usual one for comparison."""
    what = row["stream"] + " sync" * row["kind"].startswith("sync")
    if row["kind"] in ("slow", "sync"):
        return f"{what} at {parse_number(row['time_s']):.3f} s", False
    return f"{what}, {'alone' if 'alone' in row['kind'] else 'typical'}", True


@kind("", 1, **_figure("fig4", "device_ns", " of a host"))
def slowest(picture: Picture) -> None:
    """The slowest writes by part, of ssd-workloads analyze fig4."""
    columns = f"stream kind time_s joined largest_excess {' '.join(SLOW_PARTS)}"
    tables, _ = _take(picture, "The slowest writes, and where their time went", columns)
    every = [row for row in tables[0].rows if row["stream"] in STREAMS]
    rows, is_traced = every[:SLOWEST_MAX], any(row["joined"] != "no" for row in every)
    titles, texts = [_slow_name(row) for row in rows], [pair[not is_traced] for pair in SLOW_PARTS.values()]
    named = dict(zip((name for name, _ in SLOW_PARTS.values()), texts))
    causes = [named.get(row["largest_excess"], "") for row in rows]
    values, ax = np.nan_to_num(tables[0]._replace(rows=rows).numbers(*SLOW_PARTS).T).clip(0), picture.panel()
    at = picture.lines(ax, [title for title, _ in titles], size=style.TINY)
    ends = picture.stack(ax, at, values, texts, range(len(texts)))
    limits = (0, max(ends.max(), 1.0) * 1.02)
    scale(ax.xaxis, "response time of a write or sync", (), "ns", limits=limits, tics=4)
    for i, (cause, (title, is_usual)) in enumerate(zip(causes, titles)):
        text, how = joined(number(ends[i, -1], "ns"), cause), {"color": style.weak()} if is_usual else {}
        picture.beside(ax, text, ends[i, -1], at[i], **how)
        if cause:
            k, outline = texts.index(cause), {"edgecolor": style.RED, "linewidth": 1.5, "zorder": 3}
            ax.barh(at[i], values[i, k], 0.72, ends[i, k] - values[i, k], facecolor="none", **outline)
        if i and rows[i]["stream"] != rows[i - 1]["stream"]:
            ax.axhline(i + 0.5, color=style.weak(), linewidth=0.6)
        picture.keep(write=title, stream=rows[i]["stream"], cause=cause, part=texts, ns=values[i])
    if is_traced:
        alone = " in the stream alone" * any(title.endswith(", alone") for title, _ in titles)
        picture.note(f"Outlined and named: the part that is the most over its median{alone}.")
    if len(every) > len(rows):
        picture.note(f"{len(every) - len(rows)} more are left out.")


# --- the simulated device ---

STEPS = {
    "fetch": "fetch",
    "ftl_wait": "wait for the FTL",
    "ftl": "FTL",
    "build": "turn in the block",
    "way_wait": "wait for the way",
    "flash": "flash",
    "lls_wait": "wait for the scheduler",
    "dma": "host DMA",
    "completion": "completion",
}
CAP = 8.0  # over a flash write: what is longer is cut, or the shortest could not be seen next to it


@kind("legend", 7, **_device("fig4", "over_flash_write"))
def segments(picture: Picture) -> None:
    """A simulated device's writes by step, of ssd-workloads analyze fig4.

    Of several reports the log's writes alone, but where there are none."""
    columns = [f"{step}_ns" for step in STEPS]
    wanted = f"stream kind over_flash_write latency_ns largest_excess {' '.join(columns)}"
    tables, reports = _take(picture, "Where a write's time went in the device", wanted)
    every = [(name, row) for name, of in zip(reports, tables) for row in of.rows if row["kind"] != "slow"]
    logs = [one for one in every if one[1]["stream"] == "log"]
    every = logs if len(tables) > 1 and logs else every
    if not every:
        raise Problem("no write of a kind is among these: the report has the slowest ones alone")
    of_all = tables[0]._replace(rows=[row for _, row in every])
    values = np.nan_to_num(of_all.numbers(*columns).T)
    over, total = of_all.numbers("over_flash_write", "latency_ns")
    parts, longest = values * (over / total)[:, None], max(1.0, most_of(over))
    high, ax = min(longest * 1.02, CAP), picture.panel()
    shown = np.diff(np.cumsum(parts, axis=1).clip(max=high), axis=1, prepend=0)
    titles = [joined(name, row["stream"], row["kind"]) for name, row in every]
    at = picture.lines(ax, titles)
    cut = f", cut at {high:g}" if high < longest else ""
    scale(ax.xaxis, f"time over that of an undisturbed flash write{cut}", (), limits=(0, high), tics=8)
    ax.axvline(1, color=style.weak(), linestyle=DASHES[2], linewidth=0.9, zorder=3)
    texts = [text if (parts[:, k] > 0.02).any() else None for k, text in enumerate(STEPS.values())]
    picture.stack(ax, at, shown, texts, range(len(STEPS)), alpha=0.9)
    for i, (name, row) in enumerate(every):
        cause = STEPS.get(row["largest_excess"], "") if row["kind"] != "clean" else ""
        how = {"color": style.RED} if over[i] > high else {}
        picture.beside(ax, joined(f"{over[i]:.3g}", cause), min(over[i], high), at[i], **how)
        data = {"over_flash_write": over[i], "latency_ns": total[i], "step": list(STEPS.values())}
        picture.keep(write=titles[i], **data, ns=values[i])


COLLECTION = {
    "wait_ns": ("without work", 0),
    "read_ns": ("reading valid pages", 1),
    "program_ns": ("programming them", 2),
    "erase_ns": ("erasing", 4),
}


@kind("", 1, **_device("fig5", "over_erase"))
def collections(picture: Picture) -> None:
    """Garbage collections by their copies, of ssd-workloads analyze fig5."""
    columns = f"kind copies over_erase slope r2 total_ns {' '.join(COLLECTION)}"
    ((table,), _) = _take(picture, "Garbage collections by their copies", columns)
    upper, lower = picture.grid(2, heights=[1.0, 2.6])[:, 0]
    kinds = {"empty": "without copies", "copying": "with copies"}
    found, means = {name: table.only(kind=name) for name in kinds}, []
    for of in found.values():
        over, total = of.numbers("over_erase", "total_ns")
        means.append((of.numbers(*COLLECTION) * over / total).mean(axis=1) if of.rows else np.zeros(4))
    at = picture.lines(upper, list(kinds.values()))
    ends = picture.stack(upper, at, np.array(means), *zip(*COLLECTION.values()), alpha=0.9)[:, -1]
    scale(upper.xaxis, None, ends)
    for i, (name, of) in enumerate(found.items()):
        if of.rows:
            picture.beside(upper, f"{ends[i]:.2f}, mean of {len(of.rows)}", ends[i], at[i])
            picture.keep(collections=name, part=list(COLLECTION), mean_over_erase=means[i])
    real = [of.numbers("copies", "over_erase") for of in found.values()]
    copied, over = np.concatenate(real, axis=1)
    scale(lower.xaxis, "valid pages copied", [copied, 1])
    scale(lower.yaxis, "time of a collection over an erase's", [over, 1])
    picture.points(lower, "collections", {"copies": copied, "over_erase": over}, 0, markersize=3, key="")
    fits = table.only(kind="fit").numbers("over_erase", "slope", "r2").T
    for constant, slope, r2 in fits[:1]:
        ends = np.array(lower.get_xlim())
        line = {"fit_from_to": ends, "fit_over_erase": constant + slope * ends}
        picture.curve(lower, "fit", line, style.RED, 1, key="")
        text = f"{constant:.3f} + {slope:.4f} for each page, r2 = {r2:.3f}"
        picture.label(lower, text, 0.02, 0.93, at="axes fraction", color=style.rc("axes.labelcolor"))


WORKS = {"program": 0, "read": 5, "gc-read": 2, "gc-program": 1, "erase": 4}  # colours
ORIGINS = {"self": 0.9, "same": 0.6, "other": 0.35}  # how dark


def _work_name(work: str, origin: str) -> str:
    word, of = work.replace("gc-", "GC "), "of" if work in ("program", "read") else "for"
    return f"own {word}" if origin == "self" else f"{word} {of} the {origin} stream"


@kind("", 1, **_device("gantt fig7 fig8", "way"))
def gantt(picture: Picture) -> None:
    """The ways of a write, of ssd-workloads analyze gantt, fig7 or fig8.

    A line for each way of a command; what is outside of the write's time is cut."""
    kept = ("command", "stream", "work", "origin", "channel", "way")
    ((table,), _) = _take(picture, "What ran on the ways of a write", f"{' '.join(kept)} begin_ns end_ns")
    ax, begin, end, ends = picture.panel(), 0.0, 1.0, [0.0, 1.0]
    lines: dict[tuple[str, ...], int] = {}
    bars: dict[tuple[str, str], list[tuple[int, float, float]]] = {}
    for row, (first, last) in zip(table.rows, table.numbers("begin_ns", "end_ns").T):
        line = lines.setdefault((row["command"],), len(lines) + 1)
        if row["work"] == "write":
            begin, end = first, last
            ends += [begin, end]
            ax.barh(line, end - begin, 0.8, begin, color=style.rc("grid.color"))
            title, at = f"command {row['command']} of the {row['stream']}", ("axes fraction", "data")
            picture.label(ax, title, 0, line, at=at, dx=4, color=style.rc("text.color"), bbox=None)
        first, last = max(first, begin), max(first, begin, min(last, end))
        if row["work"] in WORKS:
            line = lines.setdefault((row["command"], row["channel"], row["way"]), len(lines) + 1)
            origin = row["origin"] if row["origin"] in ORIGINS else "other"
            bars.setdefault((row["work"], origin), []).append((line, first, last - first))
        picture.keep(**{name: row[name] for name in kept}, from_ns=first, to_ns=last)
    for work, ink in WORKS.items():
        for origin, alpha in ORIGINS.items():
            at, first, length = np.array(bars.get((work, origin), [])).reshape(-1, 3).T
            how = {"color": f"C{ink}", "alpha": alpha, "edgecolor": f"C{ink}", "linewidth": 0.7}
            if length.any():
                ax.barh(at, length, 0.72, first, label=_work_name(work, origin), **how)
    picture.lines(ax, ["" if len(w) == 1 else f"channel {w[1]}, way {w[2]}" for w in lines], size=style.TINY)
    title = "time since the device began with the write"
    scale(ax.xaxis, title, (), "ns", limits=(min(ends), max(ends)))


@kind("legend", 7, **_device("fig10", "copies_from"))
def copies(picture: Picture) -> None:
    """Writes by the valid pages copied for them, of ssd-workloads analyze fig10.

    A box for each report and step, of both streams together."""
    tables, reports = _take(picture, "Writes by the valid pages copied for them", "copies_to writes")
    # Of none, then up to 1, 2, 4 ...
    ends, found = np.append(-1.0, np.exp2(np.arange(24) - 0.5)), np.zeros((len(tables), 24))
    for i, table in enumerate(tables):
        upto, writes = table.numbers("copies_to", "writes")
        upto = np.nan_to_num(upto, nan=math.inf).clip(0, 1 << 22)
        found[i] = np.histogram(upto, ends, weights=np.nan_to_num(writes))[0]
    shares = 100 * found / np.maximum(found.sum(axis=1, keepdims=True), 1)
    last = max(1, *np.flatnonzero(found.any(axis=0)))
    steps = ["0", "1", "2", *(f"{2 ** (p - 2) + 1} to {2 ** (p - 1)}" for p in range(3, 24))][: last + 1]
    ax, wide = picture.panel(), 0.8 / len(tables)
    for i, (name, share) in enumerate(zip(reports, shares[:, : last + 1])):
        x = np.arange(1, last + 2) + (i - (len(tables) - 1) / 2) * wide
        ax.bar(x, share, wide * 0.9, color=f"C{i}", alpha=0.9, label=style.key(name))
        picture.keep(report=name, copies=steps, percent=share)
    picture.columns(ax, steps)
    ax.set_xlabel("valid pages copied for a write")
    scale(ax.yaxis, "share of the writes that triggered a collection", [shares, 1], "%")


ATTRIBUTED = {
    "mean_ns": "all writes: mean time",
    "tail_mean_ns": "the slowest percent of each stream: mean time",
}


@kind("", 1, **_device("attribution", "cause"))
def attribution(picture: Picture) -> None:
    """Causes of the time of writes, of ssd-workloads analyze attribution.

    Of each stream and origin a row, of each cause a column; the colour is the share of the stream's time."""
    from matplotlib.colors import LinearSegmentedColormap

    ((table,), _) = _take(
        picture, "What the time of a write was for", f"stream cause origin {' '.join(ATTRIBUTED)}"
    )
    causes = list(dict.fromkeys(row["cause"] for row in table.rows))
    causes = [cause for cause in causes if cause not in ("latency", "slack")]
    sums = {row["stream"]: row for row in table.only(cause="latency").rows}
    colours = LinearSegmentedColormap.from_list("share", ["#ffffff", "C1"])
    shown = [
        c for c in ATTRIBUTED if c == "mean_ns" or any(parse_number(row[c]) > 0 for row in sums.values())
    ]
    rows = [f"{stream}: {of}" for stream in STREAMS for of in ("self", "same stream", "other stream")]
    for ax, column in zip(picture.grid(len(shown))[:, 0], shown):
        picture.lines(ax, rows)
        shares, origins = np.zeros((6, len(causes))), list(ORIGINS)
        for row in table.rows:
            value = parse_number(row[column])
            if row["cause"] in causes and value > 0:
                x, origin = causes.index(row["cause"]), row["origin"] if row["origin"] in ORIGINS else "other"
                y, whole = 3 * (row["stream"] != "log") + origins.index(origin), sums.get(row["stream"])
                shares[y, x] = value / max(parse_number(whole[column]) if whole else 0, value)
                how: dict[str, Any] = {
                    "ha": "center",
                    "fontsize": style.TINY,
                    "color": "#101010",
                    "bbox": None,
                }
                picture.label(ax, number(value, "ns"), x + 1, y + 1, **how)
                kept = {name: row[name] for name in ("stream", "origin", "cause")}
                picture.keep(**kept, writes=column, ns=value)
        edges = np.arange(len(causes) + 1) + 0.5, np.arange(7) + 0.5
        ax.pcolormesh(*edges, np.where(shares > 0, shares, math.nan), cmap=colours, vmin=0, vmax=1, zorder=0)
        ax.axhline(3.5, color=style.weak(), linewidth=0.6)
        ax.grid(False)
        picture.columns(ax, causes, size=style.TINY)
        picture.head(ax, ATTRIBUTED[column])
    picture.note("The darker a cell, the larger its share of the stream's time.")


@kind("", 1, **_device("counters", "way_busy_percent"))
def counters(picture: Picture) -> None:
    """A simulated device's counters in time, of ssd-workloads analyze counters."""
    columns = "time_s seconds way_busy_percent bus_busy_percent flash_bytes host_bytes"
    ((table,), _) = _take(picture, "The device's counters", f"channel {columns}")
    numbers = table.only(channel="all").numbers(*columns.split())
    time, seconds, ways, buses, flash, host = numbers[:, numbers[1] > 0]
    if not len(time):
        raise Problem("no counters of the whole device are among these")
    panels = (
        ("busy", {"ways": ways, "buses": buses}, "%", (0.0, 100.0)),
        ("moved to or from", {"flash": flash / seconds, "host": host / seconds}, "B/s", None),
    )
    axes, picture.has_legends = picture.grid(2)[:, 0], True
    for ax, (title, values, unit, limits) in zip(axes, panels):
        for k, (name, value) in enumerate(values.items()):
            # What a counter says holds for the interval that ends then.
            steps = (np.stack([time - seconds, time], axis=1).reshape(-1), np.repeat(value, 2))
            ink = 2 * (ax is axes[1]) + k
            picture.curve(ax, name, {"time_s": time, "value": value}, ink, k, shown=steps)
        scale(ax.yaxis, title, list(values.values()), unit, limits=limits)
    picture.time(axes, "time since the measurement began (s)", 0, time.max())


@kind("legend", 7, **_device("window", "units_per_second"))
def window(picture: Picture) -> None:
    """Time span of the records, of ssd-workloads analyze window."""
    tables, reports = _take(picture, "How much time the records hold", "records seconds units_per_second")
    ax, every = picture.panel(), []
    at = picture.lines(ax, [name or table.mix or "records" for name, table in zip(reports, tables)], 12.0)
    for i, name, table in zip(at, reports, tables):
        for seconds, units in table.only(records="all").numbers("seconds", "units_per_second").T:
            ax.barh(i, seconds, 0.66, color="C0", alpha=0.9)
            picture.beside(ax, f"{number(seconds * 1e9, 'ns')}, {number(units)} units/s", seconds, i)
            picture.keep(report=name, seconds=seconds, units_per_second=units)
            every.append(seconds)
    scale(ax.xaxis, "time that the instrumentation cache holds (s)", every, "s")


@kind("legend", 7, **_device("bandwidth", "loss_percent"))
def bandwidth(picture: Picture) -> None:
    """Bandwidth in the mix and alone, of ssd-workloads analyze bandwidth."""
    columns = ("bytes_per_second", "alone_bytes_per_second", "loss_percent")
    what = "Bandwidth with the other stream and alone"
    tables, reports = _take(picture, what, f"stream {' '.join(columns)}")
    titles = [joined(n, row["stream"]) for n, table in zip(reports, tables) for row in table.rows]
    mixed, alone, losses = values = np.concatenate([table.numbers(*columns) for table in tables], axis=1)
    ax = picture.panel()
    at = picture.lines(ax, titles, 20.0)
    scale(ax.xaxis, "written by the stream", values[:2], "B/s")
    ax.barh(at - 0.18, mixed, 0.32, color="C0", alpha=0.9, label="in the mix")
    ax.barh(at + 0.18, np.nan_to_num(alone), 0.32, color="C7", alpha=0.9, label="alone")
    for i, end, loss in zip(at, mixed, losses):
        if loss == loss:
            picture.beside(ax, f"{abs(loss):.0f} % {'less' if loss >= 0 else 'more'}", end, i - 0.18)
    picture.keep(stream=titles, **dict(zip(columns, values)))
