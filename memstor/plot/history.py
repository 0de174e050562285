# SPDX-License-Identifier: GPL-3.0-or-later
"""The kind whose input is a history: metrics over commits, with the changes in them."""

from __future__ import annotations

import math
from collections import ChainMap
from fnmatch import fnmatchcase
from typing import Any, Sequence

import numpy as np

from memstor import series
from memstor.error import Problem
from memstor.plot import style
from memstor.plot.picture import Picture, ink_of, kind
from memstor.plot.series import UNITS
from memstor.plot.style import DASHES, joined, scale
from memstor.series import Point, Series

PANELS_MAX, COLUMNS_MAX, REASONS_MAX = 9, 3, 4
COMMIT = 7  # letters
MEDIANS = "median of a commit's runs"
ROOM, LEAST_ROOM = 0.1, 0.01  # above and below what is drawn, of its height and of the values
# Of each state of a change colour and dash.
LOOKS: dict[str, tuple[int | str, int]] = {
    series.SLOWER: (style.RED, 0),
    series.ENVIRONMENT: (1, 1),
    series.ACKNOWLEDGED: (style.GREY, 1),
    series.TAKEN_BACK: (style.GREY, 2),
    series.FASTER: (2, 3),
}


def _chosen(picture: Picture) -> list[Series]:
    """Those to be drawn; gives the picture its title and notes."""
    path, *wanted = picture.options.paths
    main = picture.options.main or "main"
    every, metrics = series.read(path, main, wanted), picture.options.metric or ["*"]
    found = [one for one in every if any(fnmatchcase(one.metric, pattern) for pattern in metrics)]
    if not found:
        raise Problem(
            f"--metric {','.join(metrics)}: no series has it; memstor history show lists them", path
        )
    picture.title, picture.source = series.headline(every, main), path
    for note in series.notes(every):
        picture.note(f"{note}.")
    rest = len(found) - PANELS_MAX
    if rest > 0:
        left_out = f"{rest} of {len(found)} series {'are' if rest > 1 else 'is'} not shown"
        picture.note(f"{left_out}: those with changes come first, and names after the file choose others.")
    for one in found[:PANELS_MAX]:
        host, times = one.host, [point.time for point in one.points]
        own = {"cpu": host.get("cpu", ""), "kernel": host.get("kernel", ""), "tool": host.get("tool", "")}
        picture.facts += [
            ChainMap({}, {}, own | {"start": time}) for time in (min(times), max(times)) if times
        ]
    return found[:PANELS_MAX]


def _columns(name: str, points: Sequence[Point], at: Any) -> dict[str, Any]:
    """Of --keep-data; the first two are drawn."""
    ends = np.array([point.interval for point in points])
    return {
        "point": np.asarray(at) + 1,
        "value": np.array([point.value for point in points]),
        "low": ends[:, 0],
        "high": ends[:, 1],
        "runs": np.array([len(point.values) for point in points]),
        "commit": np.array([point.revision for point in points], object),
        "date": np.array([point.time for point in points], object),
        "branch": np.array([point.branch for point in points], object),
        "series": name,
    }


def _draw_points(picture: Picture, ax: Any, name: str, points: Sequence[Point], at: Any, key: str) -> Any:
    """At these places; returns the ends of their intervals. Those of other branches are hollow."""
    data, is_other = _columns(name, points, at), key != MEDIANS
    hollow = {"markerfacecolor": "none", "markeredgewidth": 0.8} if is_other else {}
    ink = ink_of(3 if is_other else 0)
    ax.vlines(data["point"], data["low"], data["high"], color=ink, linewidth=0.8, alpha=0.6)
    picture.points(ax, name, data, ink, key=key, markersize=3.4, **hollow)
    return np.concatenate([data["low"], data["high"]])


def _draw_changes(picture: Picture, ax: Any, one: Series) -> None:
    for change in one.changes:
        ink, dash = LOOKS[change.state]
        colour, at = ink_of(ink), change.at + 0.5
        ax.axvline(at, color=colour, linestyle=DASHES[dash], linewidth=1.1, label=change.state)
        is_late = at > 0.7 * len(one.points)
        how: dict[str, Any] = {"dx": -3, "ha": "right"} if is_late else {"dx": 3, "ha": "left"}
        how |= {"at": ("data", "axes fraction"), "va": "top", "color": colour}
        picture.label(ax, change.size, at, 0.98, **how)
        if change.why and len(picture.notes) < REASONS_MAX:
            picture.note(f"{change.state}, {change.after.name[:COMMIT]}: {change.why}")


def _draw_one(picture: Picture, ax: Any, one: Series, width: float) -> None:
    """A panel: commits of the main branch in their order."""
    name, points, unit = joined(one.name, one.about), one.points, UNITS.get(one.unit, "")
    given = ((points, range(len(points)), MEDIANS), (one.others, one.places, "other branches"))
    ends = [_draw_points(picture, ax, name, *some) for some in given if some[0]]
    for first, last, level in one.levels:
        ax.hlines(level, first + 0.5, last + 1.5, color=style.rc("text.color"), linewidth=0.9)
    _draw_changes(picture, ax, one)
    low, high = float(np.concatenate(ends).min()), float(np.concatenate(ends).max())
    room = max(ROOM * (high - low), LEAST_ROOM * abs(high))
    # The texts of changes are above the points.
    scale(ax.yaxis, None, (), unit, limits=(low - room, high + 2.2 * room), tics=5)
    named = sorted({0, len(points) - 1, *(change.at for change in one.changes)}) if points else []
    style.places(ax.xaxis, [at + 1 for at in named], [points[at].name[:COMMIT] for at in named])
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
    for one, ax in zip(lines, axes.flat):
        _draw_one(picture, ax, one, picture.width / wide * 0.85)
    for ax in axes.flat[len(lines) :]:
        picture.drop(ax)
    ends = (
        f"from the least to the most of its runs, from {series.FEW} runs on the 95 % interval of the median"
    )
    picture.note(f"A point is the median of the runs of a commit, with a line {ends}.")
    picture.note("Horizontal lines: medians between changes. Commits are in the order of their first runs.")
