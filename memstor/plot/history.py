# SPDX-License-Identifier: GPL-3.0-or-later
"""The kind whose input is a history: metrics over commits, with the changes in them."""

from __future__ import annotations

import math
from collections import ChainMap
from fnmatch import fnmatchcase
from typing import Any, Sequence

import numpy as np

from memstor import timeline, units
from memstor.error import Problem
from memstor.history import Point
from memstor.plot import style
from memstor.plot.picture import Picture, ink_of, kind
from memstor.plot.series import UNITS
from memstor.plot.style import DASHES, joined, scale
from memstor.timeline import Timeline, interval

PANELS_MAX, COLUMNS_MAX, REASONS_MAX = 9, 3, 4
COMMIT = 7  # letters
MEDIANS = "median of a commit's runs"
ROOM, LEAST_ROOM = 0.1, 0.01  # above and below what is drawn, of its height and of the values
# Of each state of a change colour and dash.
LOOKS: dict[str, tuple[int | str, int]] = {
    timeline.SLOWER: (style.RED, 0),
    timeline.ENVIRONMENT: (1, 1),
    timeline.ACKNOWLEDGED: (style.GREY, 1),
    timeline.TAKEN_BACK: (style.GREY, 2),
    timeline.FASTER: (2, 3),
}


def _chosen(picture: Picture) -> list[Timeline]:
    """Those to be drawn; gives the picture its title and notes."""
    path, *wanted = picture.options.paths
    main = picture.options.main or "main"
    lines, (headline, *notes) = timeline.read(path, main, wanted)
    metrics = picture.options.metric or ["*"]
    found = [
        line
        for line in lines
        if (line.series.points or line.series.others)
        and any(fnmatchcase(line.series.metric, pattern) for pattern in metrics)
    ]
    if not found:
        raise Problem("no such series: memstor history show lists them", path)
    picture.title, picture.source = headline, path
    for note in notes:
        picture.note(f"{note}.")
    rest = len(found) - PANELS_MAX
    if rest > 0:
        left_out = f"{rest} of {len(found)} series {'are' if rest > 1 else 'is'} not shown"
        picture.note(f"{left_out}: those with changes come first, and names after the file choose others.")
    for line in found[:PANELS_MAX]:
        host, times = line.series.host, [point.time for point in line.series.points]
        own = {"cpu": host.get("cpu", ""), "kernel": host.get("kernel", ""), "tool": host.get("tool", "")}
        picture.facts += [
            ChainMap({}, {}, own | {"start": time}) for time in (min(times), max(times)) if times
        ]
    return found[:PANELS_MAX]


def _columns(series: str, points: Sequence[Point], at: Any) -> dict[str, Any]:
    """Of --keep-data; the first two are drawn."""
    ends = np.array([interval(point) for point in points])
    return {
        "point": np.asarray(at) + 1,
        "value": np.array([point.value for point in points]),
        "low": ends[:, 0],
        "high": ends[:, 1],
        "runs": np.array([len(point.values) for point in points]),
        "commit": np.array([point.revision for point in points], object),
        "date": np.array([point.time for point in points], object),
        "branch": np.array([point.branch for point in points], object),
        "series": series,
    }


def _draw_points(picture: Picture, ax: Any, name: str, points: Sequence[Point], at: Any, key: str) -> Any:
    """At these places; returns the ends of their intervals. Those of other branches are hollow."""
    data, is_other = _columns(name, points, at), key != MEDIANS
    hollow = {"markerfacecolor": "none", "markeredgewidth": 0.8} if is_other else {}
    ink = ink_of(3 if is_other else 0)
    ax.vlines(data["point"], data["low"], data["high"], color=ink, linewidth=0.8, alpha=0.6)
    picture.points(ax, name, data, ink, key=key, markersize=3.4, **hollow)
    return np.concatenate([data["low"], data["high"]])


def _draw_changes(picture: Picture, ax: Any, line: Timeline) -> None:
    for move, state in zip(line.moves, line.states):
        ink, dash = LOOKS[state]
        colour, at = ink_of(ink), move.change.at + 0.5
        ax.axvline(at, color=colour, linestyle=DASHES[dash], linewidth=1.1, label=state)
        is_late = at > 0.7 * len(line.series.points)
        how: dict[str, Any] = {"dx": -3, "ha": "right"} if is_late else {"dx": 3, "ha": "left"}
        how |= {"at": ("data", "axes fraction"), "va": "top", "color": colour}
        picture.label(ax, units.change(move.change.ratio - 1), at, 0.98, **how)
        if state in (timeline.ENVIRONMENT, timeline.ACKNOWLEDGED) and len(picture.notes) < REASONS_MAX:
            picture.note(f"{state}, {move.after.called[:COMMIT]}: {move.reason or move.cause}")


def _draw_line(picture: Picture, ax: Any, line: Timeline, width: float) -> None:
    """A panel: commits of the main branch in their order."""
    one, unit = line.series, UNITS.get(line.series.unit, "")
    name, points = joined(one.name, line.about), one.points
    given = ((points, range(len(points)), MEDIANS), (one.others, line.places, "other branches"))
    ends = [_draw_points(picture, ax, name, *some) for some in given if some[0]]
    for first, last, level in line.levels:
        ax.hlines(level, first + 0.5, last + 1.5, color=style.rc("text.color"), linewidth=0.9)
    _draw_changes(picture, ax, line)
    low, high = float(np.concatenate(ends).min()), float(np.concatenate(ends).max())
    room = max(ROOM * (high - low), LEAST_ROOM * abs(high))
    # The texts of changes are above the points.
    scale(ax.yaxis, None, (), unit, limits=(low - room, high + 2.2 * room), tics=5)
    named = sorted({0, len(points) - 1, *(move.change.at for move in line.moves)}) if points else []
    style.places(ax.xaxis, [at + 1 for at in named], [points[at].called[:COMMIT] for at in named])
    ax.set_xlim(0.2, max(len(points), 1) + 0.8)
    ax.xaxis.grid(False)
    title = name + f" ({one.unit})" * bool(one.unit and not unit)
    picture.head(ax, style.fit(title, width, 9.0), f"{one.better} is better")


@kind("metric main", 1, needs="", of="a history")
def history(picture: Picture) -> None:
    """Metrics over commits, with changes: of a file of memstor history, and names of series.

    A panel a series, those with changes first."""
    lines = _chosen(picture)
    wide = min(COLUMNS_MAX, math.ceil(len(lines) / 2))
    high = math.ceil(len(lines) / wide)
    axes = picture.grid(high, wide)
    for line, ax in zip(lines, axes.flat):
        _draw_line(picture, ax, line, picture.width / wide * 0.85)
    for ax in axes.flat[len(lines) :]:
        picture.drop(ax)
    ends = (
        f"from the least to the most of its runs, from {timeline.FEW} runs on the 95 % interval of the median"
    )
    picture.note(f"A point is the median of the runs of a commit, with a line {ends}.")
    picture.note("Horizontal lines: medians between changes. Commits are in the order of their first runs.")
