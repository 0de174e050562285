# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture: the reports that it is made of, its panels, the texts around them, and its files."""

from __future__ import annotations

import argparse
import csv
import html
import io
import math
import textwrap
import warnings
from fnmatch import fnmatchcase
from typing import Any, Callable, Mapping, NamedTuple, Sequence, TypeVar

import numpy as np

from memstor.error import Problem
from memstor.plot import names, style
from memstor.plot.names import Facts
from memstor.plot.style import joined
from memstor.programs import REPORT
from memstor.report import Part, Report, read_file

Result = TypeVar("Result")
Data = Mapping[str, Any]  # columns of numbers or texts, by name
MANY = 1 << 20  # reports
NOTES_MAX, DESCRIBED_MAX, COLOURS_MAX, DASHES_MAX = 12, 64, 8, 4
EDGE = 10.0  # points between the texts and the end of the picture
PANEL_LEAST = 40.0  # points


class Kind(NamedTuple):
    name: str
    about: str
    tool: str  # "" = of every tool
    takes: frozenset[str]  # options that not every kind has; "--": sides
    most: int  # reports; 0 = as many as there are colours
    needs: tuple[str, ...]  # paths of which one must be in each report; none: it draws a history
    of: str  # what such a report is
    draw: Callable[["Picture"], None]

    def fits(self, report: Report) -> bool:
        return any(report.part(path) is not None for path in self.needs)

    def check(self, report: Report) -> None:
        """Problem if this kind does not draw the report; the line names the kinds that do."""
        if self.fits(report):
            return
        # What any report has says nothing of one without measurements.
        paths = ("result",) if report.part("statistics") is None else ()
        others = [kind.name for kind in KINDS.values() if kind.needs != paths and kind.fits(report)]
        instead = f"; this one is for {listed(others)}" if others else ""
        raise Problem(f"no report of {self.of}, which is what {self.name} draws{instead}", report.path)


KINDS: dict[str, Kind] = {}


def listed(words: Sequence[str]) -> str:
    """ "a, b or c"."""
    return joined(", ".join(words[:-1]), words[-1], by=" or ")


def kind(
    takes: str = "", most: int = 0, tool: str = "", needs: str = "result", of: str = "a run"
) -> Callable[..., Any]:
    """Makes a function of a Picture a kind of picture; the first line of its documentation says what it
    shows. needs: paths, with "|" between."""

    def keep(draw: Callable[[Picture], None]) -> Callable[[Picture], None]:
        name, about = draw.__name__.replace("_", "-"), (draw.__doc__ or "").splitlines()[0].rstrip(".")
        options, paths = frozenset(takes.split()), tuple(filter(None, needs.split("|")))
        KINDS[name] = Kind(name, about, tool, options, most, paths, of, draw)
        return draw

    return keep


def check_most(count: int, most: int, what: str, instead: str = "") -> None:
    if count > most:
        raise Problem(f"{count} {what}: a picture has room for {most}{instead}")


def ink_of(ink: int | str) -> str:
    """A colour; of a number that of the style."""
    return f"C{ink}" if isinstance(ink, int) else ink


class Picture:
    """options: of the command line; files: paths and the number of the side that each is on; first: the
    report of the first one, which is of the kind; None: the file is a history."""

    def __init__(
        self, kind: Kind, options: argparse.Namespace, files: list[tuple[str, int]], first: Report | None
    ):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.kind, self.options, self.files, self.first = kind, options, files, first
        self.facts: list[Facts] = []
        self.statuses: list[str] = []
        self.title = ""
        self.source = ""  # what it is made of, if not of reports
        self.notes: dict[str, bool] = {}  # whether they are warnings
        self.rows: list[dict[str, Any]] = []  # of --keep-data
        wide, high = options.size
        # Of a PNG more pixels are a finer picture, not a larger one; texts that are smaller cannot be read.
        finer = max(0.8, min(wide / 960, high / 600)) if options.format == "png" else 1.0
        self.width, self.height = wide / finer * 0.75, high / finer * 0.75  # points
        self.figure = Figure((self.width / 72, self.height / 72), dpi=96 * finer)
        FigureCanvasAgg(self.figure)
        self.panels: list[Any] = []
        self.has_legends = False  # each panel its own, not one above all
        self.below = ""  # the title of the x axes of several columns
        self._twins: dict[Any, Any] = {}
        self._rooms: list[tuple[Any, float]] = []  # of a panel the least height in points
        self._labels: list[Any] = []
        self._named: list[str] = []

    # --- reports ---

    def take(self, extract: Callable[[Report], Result]) -> list[Result]:
        """What extract keeps of each report."""
        found = []
        doubts: dict[str, list[Facts]] = {}  # reports, by what is said of them
        for i, (path, _) in enumerate(self.files):
            report = self.first if self.first and not i else read_file(path)
            facts = names.facts_of(report)
            self.facts.append(facts)
            reasons = ", ".join(finding.code for finding in report.reasons)
            self.statuses.append(report.status + (f" ({reasons})" if reasons else ""))
            if report.status != "ok":
                what = "of an interrupted run" if report.status == "interrupted" else "not to be trusted"
                doubts.setdefault(joined(what, reasons, by=": "), []).append(facts)
            self.kind.check(report)
            found.append(extract(report))
        for text, of in doubts.items():
            # memstor run calls all its reports the same.
            is_same = len(self.files) > 1 and of[0]["file"] == REPORT
            first = of[0]["path" if is_same else "file"]
            several = f"{len(of)} reports are {text}; the first is {first}."
            self.note(several if len(of) > 1 else f"{first} is {text}.", True)
        return found

    def part(self, report: Report) -> Part:
        """What the kind needs."""
        return next(part for path in self.kind.needs if (part := report.part(path)) is not None)

    def is_wanted(self, name: str) -> bool:
        """By --class."""
        wanted = self.options.class_
        return not wanted or any(fnmatchcase(name, pattern) for pattern in wanted)

    def is_log(self, usual: bool = True) -> bool:
        """What --y says."""
        return usual if self.options.y is None else bool(self.options.y == "log")

    @property
    def has_sides(self) -> bool:
        return self.files[-1][1] > 0

    def names(self) -> list[str]:
        """Of the reports, where there are several."""
        return names.names_of(self.facts, self.options.legend or ()) if len(self.facts) > 1 else [""]

    def groups(self, usual: str = "") -> tuple[list[int], list[str]]:
        """The group of each report, by side and --group-by, or one a report; and the groups' names. Reports
        of a group are of one tool. usual: --group-by where there are no sides."""
        by = self.options.group_by or ("" if self.has_sides else usual)
        if not by and not self.has_sides:
            return list(range(len(self.facts))), self.names()
        if by and not any(by in facts for facts in self.facts):
            raise Problem(f"--group-by '{by}': no report has such a label, option or fact")
        keys = [(side, of["tool"], of.get(by) if by else "") for of, (_, side) in zip(self.facts, self.files)]
        order = list(dict.fromkeys(keys))
        of = [order.index(key) for key in keys]
        commons = [names.common([f for f, key in zip(self.facts, keys) if key == one]) for one in order]
        tool = ["tool"] * (by != "tool" and not names.is_common(self.facts, "tool"))
        wanted = self.options.legend or ([by, *tool] if by else ())
        if len(order) == 1:
            return of, [""]
        found = names.names_of(commons, wanted) if wanted else names.differences(commons)
        if self.has_sides and not self.options.legend:
            sides = names.side_names(self.files[-1][1] + 1)
            found = [joined(sides[key[0]], name) for key, name in zip(order, found)]
        return of, found

    def shorten(self, cells: Sequence[str]) -> dict[str, str]:
        """Of each cell's name the parts that differ; a note says what all share."""
        short, shared = names.shorten(cells)
        if shared:
            self.note(f"All cells are of {shared}.")
        return short

    @property
    def what(self) -> str:
        """What a latency is of."""
        return "access" if all(facts["tool"] == "pmbench" for facts in self.facts) else "operation"

    @property
    def whats(self) -> str:
        return {"access": "accesses", "operation": "operations"}[self.what]

    # --- texts and data ---

    def note(self, text: str, is_warning: bool = False) -> None:
        """A line at the foot of the picture; warnings come first."""
        self.notes.setdefault(style.one_line(text, 400), is_warning)

    def note_bound(self, end: float) -> None:
        """end: of the first bucket, which holds a percentile; 0 = none does."""
        if end:
            self.note(f"A percentile at {style.number(end, 'ns')} is known to be below that only.")

    def note_dashes(self, texts: Sequence[str]) -> None:
        lines = ("Solid lines", "dashed", "dotted", "dash-dotted")
        self.note(", ".join(f"{line}: {text}" for line, text in zip(lines, texts)) + ".")

    def keep(self, **columns: Any) -> None:
        """Rows of --keep-data: numbers or texts, of which single ones are in every row."""
        every = np.broadcast_arrays([""], *(np.asarray(c, object) for c in columns.values()))[1:]
        self.rows += [dict(zip(columns, row)) for row in zip(*every)]

    # --- panels ---

    def grid(self, rows: int = 1, columns: int = 1, heights: Sequence[float] | None = None) -> Any:
        """Panels; shape (rows, columns)."""
        axes = self.figure.subplots(rows, columns, squeeze=False, gridspec_kw={"height_ratios": heights})
        self.panels += list(axes.flat)
        return axes

    def panel(self) -> Any:
        return self.grid()[0][0]

    def drop(self, ax: Any) -> None:
        self.panels.remove(ax)
        ax.remove()

    def right(self, ax: Any) -> Any:
        """A second y axis."""
        twin = self._twins[ax] = ax.twinx()
        twin.grid(False)
        twin.spines["right"].set_visible(True)
        return twin

    def lines(
        self, ax: Any, texts: Sequence[str], least: float = 8.0, size: float = 9.0, share: float = 0.3
    ) -> Any:
        """A panel of lines with names, from the top, of which each needs this height in points; returns their
        places."""
        at = np.arange(1, len(texts) + 1)
        ax.set_ylim(len(texts) + 0.5, 0.5)
        ax.yaxis.grid(False)
        self.rows_at(ax, texts, at, size, share)
        self._rooms.append((ax, len(texts) * least))
        return at

    def rows_at(self, ax: Any, texts: Sequence[str], at: Any, size: float, share: float = 0.3) -> None:
        """Names at the left of a panel."""
        style.places(ax.yaxis, at, [style.fit(text, share * self.width, size) for text in texts])
        ax.tick_params(axis="y", length=0, labelsize=size)

    def columns(self, ax: Any, texts: Sequence[str], size: float = 9.0, rotation: float = 0) -> None:
        """Names below a panel, at 1, 2 ..."""
        ax.set_xlim(0.5, len(texts) + 0.5)
        style.places(ax.xaxis, range(1, len(texts) + 1), texts)
        ax.tick_params(axis="x", length=0, labelsize=size, rotation=rotation)

    def label(self, ax: Any, text: str, x: float, y: float, is_in: bool = True, **how: Any) -> None:
        """A text in a panel, or at its side, which is left out where it would cover another one. dx, dy:
        offset in points; at: of "data", or "axes fraction" ..., also one for x and one for y."""
        ground = {"facecolor": style.rc("axes.facecolor"), "alpha": 0.75, "pad": 0.8, "linewidth": 0}
        usual = {"fontsize": style.SMALL, "color": style.weak(), "ha": "left", "va": "center", "bbox": ground}
        place = {"xycoords": how.pop("at", "data"), "xytext": (how.pop("dx", 0), how.pop("dy", 0))}
        text = style.fit(text, 0.5 * self.width, style.SMALL)
        found = ax.annotate(text, (x, y), textcoords="offset points", **(place | usual | how))
        found.set_in_layout(not is_in)
        self._labels.append(found)

    def beside(self, ax: Any, text: str, x: float, y: float, **how: Any) -> None:
        """At the end of a horizontal bar."""
        how = {"fontsize": style.TINY, "color": style.rc("axes.labelcolor"), "bbox": None, "dx": 4} | how
        self.label(ax, text, x, y, False, **how)

    def above(self, ax: Any, text: str, x: float, **how: Any) -> None:
        """Over a panel."""
        how = {"at": ("data", "axes fraction"), "dy": 3, "ha": "center", "va": "bottom", "bbox": None} | how
        self.label(ax, text, x, 1, False, **how)

    def head(self, ax: Any, text: str, small: str = "") -> None:
        """The title of a panel, and what is below it."""
        if text:
            ax.set_title(style.one_line(text), loc="left", fontsize=9.0, pad=15.0 if small else 4.0)
        if small:
            self.above(ax, small, 0, at="axes fraction", ha="left", fontsize=style.TINY)

    def time(self, axes: Sequence[Any], title: str, begin: float, end: float, tics: int = 6) -> None:
        """The common x axis, in seconds, of panels above one another."""
        for ax in axes:
            is_last = ax is axes[-1]
            style.scale(ax.xaxis, title * is_last, (), "s", limits=(begin, max(end, begin + 1e-9)), tics=tics)
            ax.tick_params(labelbottom=is_last)

    # --- what is drawn in them ---

    def curve(self, ax: Any, name: str, data: Data, ink: int | str = 0, dash: int = 0, **how: Any) -> None:
        """Draws the first two columns of data, or shown, as they are drawn, and keeps all. key: its name in
        the legend, "" for none; other words are matplotlib's."""
        key, shown = how.pop("key", name), how.pop("shown", None) or list(data.values())[:2]
        how = {"color": ink_of(ink), "linestyle": style.DASHES[dash], "label": style.key(key)} | how
        self._named.append(style.one_line(name or key or self.kind.name))
        ax.plot(*shown, gid=f"memstor_plot_{len(self._named)}_", **how)
        self.keep(curve=name, **data)

    def points(self, ax: Any, name: str, data: Data, ink: int | str = 0, **how: Any) -> None:
        dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 2.4, "markeredgewidth": 0}
        self.curve(ax, name, data, ink, **(dots | how))

    def medians(self, ax: Any, at: float, runs: Any, wide: float, ink: int, log: bool, places: Any) -> None:
        """A bar at the median of runs, and of several each at its place. On a log axis a bar has no honest
        begin: there the median is a stroke."""
        if log:
            ax.hlines(np.median(runs), at - wide / 2, at + wide / 2, color=ink_of(ink), linewidth=3)
        else:
            ax.bar(at, np.median(runs), wide, color=ink_of(ink), alpha=0.8)
        if len(runs) > 1:
            ring = {
                "markerfacecolor": style.rc("figure.facecolor"),
                "markeredgecolor": style.rc("text.color"),
            }
            ax.plot(places, runs, "o", markersize=3, markeredgewidth=0.7, clip_on=False, **ring)

    def stack(
        self, ax: Any, at: Any, parts: Any, texts: Sequence[str | None], inks: Sequence[int], **how: Any
    ) -> Any:
        """Horizontal bars of parts behind one another; parts: shape (bars, texts). Returns their ends."""
        ends = np.cumsum(parts, axis=1)
        for k, (text, ink) in enumerate(zip(texts, inks)):
            label = text if parts[:, k].any() else None
            ax.barh(at, parts[:, k], 0.72, ends[:, k] - parts[:, k], color=ink_of(ink), label=label, **how)
        return ends

    def _legend(self, of: Any, axes: Sequence[Any], room: float, **how: Any) -> Any:
        """Of what axes have labels for, in as many columns as there is room for; None when there are none."""
        found: dict[str, Any] = {}
        for ax in axes:
            for handle, text in zip(*ax.get_legend_handles_labels()):
                found.setdefault(text, handle)
        texts = [
            style.fit(text, room - 2.5 * style.rc("legend.fontsize"), style.rc("legend.fontsize"))
            for text in found
        ]
        for columns in range(len(texts), 0, -1):
            legend = of.legend(list(found.values()), texts, ncol=columns, **how)
            box = legend.get_window_extent(self.figure.canvas.get_renderer())
            if box.width / self.figure.dpi * 72 <= room or columns == 1:
                for handle in legend.legendHandles:
                    if hasattr(handle, "set_markersize"):
                        handle.set_markersize(max(4.0, handle.get_markersize()))
                return legend
            legend.remove()
        return None

    # --- the page ---

    def _heading(self) -> str:
        return style.one_line(self.options.title or self.title or names.title_of(self.facts), 300)

    def _write_lines(self, texts: Sequence[str], top: float, size: float, colour: str) -> float:
        """Lines from a height in points downwards; returns where they end."""
        for text in texts:
            top -= 1.35 * size
            place = EDGE / self.width, (top + 0.3 * size) / self.height
            self.figure.text(*place, text, fontsize=size, color=colour, va="baseline")
        return top

    def _put_texts(self) -> tuple[float, float]:
        """Title, machine and legend at the top, notes at the foot; returns the lower and upper end of what is
        left."""
        room = self.width - 2 * EDGE
        lines = style.wrap(self._heading(), room, style.TITLE)
        top = self._write_lines(lines, self.height - 5.0, style.TITLE, style.rc("text.color"))
        lines = style.wrap(names.machine_of(self.facts), room, style.SMALL)
        top = self._write_lines(lines, top, style.SMALL, style.weak()) - 3
        if self.has_legends:
            for ax in self.panels:
                own = [ax, self._twins[ax]] if ax in self._twins else [ax]
                self._legend(ax, own, self.width * 0.8, bbox_to_anchor=(0, 1), loc="lower left")
        else:
            place = (EDGE / self.width, top / self.height)
            legend = self._legend(self.figure, self.figure.axes, room, bbox_to_anchor=place, loc="upper left")
            if legend:
                box = legend.get_window_extent(self.figure.canvas.get_renderer())
                top -= box.height / self.figure.dpi * 72 + 6
        notes = sorted(self.notes.items(), key=lambda note: not note[1])
        if len(notes) > NOTES_MAX:
            notes[NOTES_MAX - 1 :] = [(f"{len(notes) - NOTES_MAX + 1} more notes are left out.", False)]
        wrapped = [(style.wrap(text, room, style.SMALL), is_warning) for text, is_warning in notes]
        low = foot = 6 + 1.35 * style.SMALL * sum(len(lines) for lines, _ in wrapped)
        for lines, is_warning in wrapped:
            low = self._write_lines(lines, low, style.SMALL, style.RED if is_warning else style.weak())
        if self.below:
            size, ink = style.rc("axes.labelsize"), style.rc("axes.labelcolor")
            place = (0.5, (foot + 4) / self.height)
            self.figure.text(*place, self.below, ha="center", va="bottom", fontsize=size, color=ink)
            foot += 1.4 * size
        return foot + 4 * bool(wrapped), top

    def too_small(self) -> Problem:
        size = "x".join(map(str, self.options.size))
        no_room = "the picture would have no room for its data"
        return Problem(f"{no_room}: draw fewer, or give a larger --size than {size}")

    def _declutter(self) -> None:
        """Texts that would cover others before them are left out."""
        renderer, page = self.figure.canvas.get_renderer(), self.figure.bbox
        for axis in (axis for ax in self.figure.axes for axis in (ax.xaxis, ax.yaxis)):
            last = None
            for tick in axis.get_major_ticks():
                for text in (tick.label1, tick.label2):
                    if text.get_visible() and text.get_text():
                        box = text.get_window_extent(renderer)
                        if last is not None and last.padded(self.figure.dpi / 36).overlaps(box):
                            text.set_visible(False)
                        else:
                            last = box
        kept: list[Any] = []
        for label in self._labels:
            box = label.get_window_extent(renderer)
            is_cut = box.x0 < page.x0 or box.x1 > page.x1 or box.y0 < page.y0 or box.y1 > page.y1
            if is_cut or any(box.overlaps(other) for other in kept):
                label.set_visible(False)
            else:
                kept.append(box)

    def _fit_sides(self) -> bool:
        """The title of an axis that is longer than the axis has two lines, and is smaller if need be."""
        found = False
        for ax in self.figure.axes:
            title, room = ax.yaxis.label, ax.get_window_extent().height
            if title.get_window_extent().height > room > 0:
                words = title.get_text()
                title.set_text(textwrap.fill(words, max(len(words) // 2 + 2, max(map(len, words.split())))))
                scale = room / title.get_window_extent().height
                title.set_fontsize(title.get_fontsize() * min(1, scale))
                found = True
        return found

    def finish(self) -> None:
        """Lays everything out."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        low, top = self._put_texts()
        if top - low < PANEL_LEAST:
            raise self.too_small()
        side = 0.5 * EDGE / self.width
        rect = (side, low / self.height, 1 - 2 * side, (top - low) / self.height)
        self.figure.set_layout_engine(ConstrainedLayoutEngine(rect=rect, h_pad=0.06, w_pad=0.06))
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            self.figure.draw_without_rendering()
            if self._fit_sides():
                self.figure.draw_without_rendering()
        points = 72 / self.figure.dpi
        for ax, least in [*((ax, PANEL_LEAST) for ax in self.panels), *self._rooms]:
            box = ax.get_window_extent()
            if box.width * points < PANEL_LEAST or box.height * points < least:
                raise self.too_small()
        if any("collapsed to zero" in str(warning.message) for warning in found):
            raise self.too_small()
        self._declutter()
        self.figure.set_layout_engine()  # none: neither FORCED nor a style names one

    # --- files ---

    def _description(self) -> str:
        count = len(self.facts)
        source = self.source or f"{count} report{'s' * (count != 1)}"
        lines = [f"{self.kind.about}. Made by memstor from {source}.", *self.notes]
        shown = ("tool", "version", "uuid", "start", "kernel", "cpu")
        for facts, status in list(zip(self.facts, self.statuses))[:DESCRIBED_MAX]:
            labels, options, own = facts.maps
            about = "; ".join(f"{name} {own[name]}" for name in shown if name in own)
            lines += ["", f"{facts['file']}; {about}; status {status}"]
            lines += [f"label:{name}={text}" for name, text in labels.items()]
            lines += [f"{name}={text}" for name, text in options.items()]
        return "\n".join(style.one_line(line) for line in lines)

    def picture(self) -> bytes:
        """The file's contents."""
        title, about, form = self._heading(), self._description(), self.options.format
        metadata: dict[str, dict[str, Any]] = {
            "svg": {"Title": title, "Description": about, "Creator": "memstor", "Date": None},
            "png": {"Title": title, "Description": about, "Software": "memstor"},
            "pdf": {"Title": title, "Subject": about, "Creator": "memstor", "CreationDate": None},
        }
        out = io.BytesIO()
        self.figure.savefig(out, format=form, metadata=metadata[form])
        found = out.getvalue()
        if form == "svg":
            found = found.replace(b"<svg ", b'<svg role="img" ', 1)
            for i, name in enumerate(self._named, 1):
                mark = f'<g id="memstor_plot_{i}_">'
                found = found.replace(
                    mark.encode(), f"{mark}<title>{html.escape(name, False)}</title>".encode(), 1
                )
        return found

    def data(self) -> str:
        """The plotted numbers as CSV: all columns, in the order of their first row."""
        columns, out = list(dict.fromkeys(name for row in self.rows for name in row)), io.StringIO()
        writer = csv.DictWriter(out, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in self.rows)
        return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    value = float(value)
    if not math.isfinite(value):
        return ""
    return str(int(value)) if value.is_integer() and abs(value) < 1 << 53 else repr(value)
