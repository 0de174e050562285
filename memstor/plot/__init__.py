# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor plot: reports as SVG, PNG or PDF. A kind of picture is one function in latency, writes, ssd or
traces."""

from __future__ import annotations

import argparse
import keyword
import math
import os
import textwrap
from itertools import groupby
from typing import Any, Callable

from memstor import cli
from memstor.error import OK, Problem
from memstor.output import check, writing
from memstor.plot import history, latency, series, ssd, style, traces, writes
from memstor.plot.picture import COLOURS_MAX, KINDS, Kind, Picture, listed
from memstor.report import find, read_file

EXAMPLES = (
    "memstor plot histogram run.xml -o run.svg",
    "memstor plot percentile zram.xml file.xml -o swap.pdf",
    "memstor plot series run.xml --counter vmstat.pswpin -o run.png",
    "memstor plot bars base/*.xml -- new/*.xml --metric p50,p99 -o bars.svg",
    "memstor plot prediction evaluate.xml --scenario c2 -o c2.svg",
    "memstor plot history perf.db 'resident-*' -o trend.svg",
)
MODULES = (latency, series, writes, ssd, traces, history)  # what makes KINDS
FORMATS = ("svg", "png", "pdf")
SIDE_LEAST, SIDE_MOST, LIST_MOST = 200, 10000, 16


# --- values of options ---

Parse = Callable[[str], Any]


def _allowed(what: str) -> Callable[[Parse], Parse]:
    """Makes a function that raises ValueError one for argparse, which says what is allowed."""

    def of(parse: Parse) -> Parse:
        def check(text: str) -> Any:
            try:
                return parse(text)
            except ValueError:
                raise argparse.ArgumentTypeError(f"'{text[:60]}': must be {what}") from None

        return check

    return of


def _split(text: str) -> list[str]:
    words = text.split(",")
    if not all(words) or len(words) > LIST_MOST:
        raise ValueError
    return words


_names = _allowed(f"up to {LIST_MOST} names with commas between")(_split)
_time = _allowed("a time as 1.5s, 200ms or 2")(style.parse_seconds)


@_allowed(f"some of {', '.join(writes.MODELS)}")
def _models(text: str) -> list[str]:
    words = _split(text)
    if not set(words) <= set(writes.MODELS):
        raise ValueError
    return words


@_allowed("none, or percentiles from p0 to p100 as p50,p99.9")
def _marks(text: str) -> list[float]:
    words = [] if text == "none" else _split(text)
    found = [float(word.removeprefix("p")) for word in words]
    if not all(0 <= p <= 100 for p in found) or any(word[0] != "p" for word in words):
        raise ValueError
    return found


@_allowed(f"WIDTHxHEIGHT in pixels, each from {SIDE_LEAST} to {SIDE_MOST}, as 960x600")
def _size(text: str) -> tuple[int, int]:
    wide, high = map(int, text.split("x"))
    if not all(SIDE_LEAST <= side <= SIDE_MOST for side in (wide, high)):
        raise ValueError
    return wide, high


@_allowed("LOW:HIGH, latencies above 0 as 100ns:1ms")
def _range(text: str) -> tuple[float, float]:
    low, high = (style.parse_seconds(word) * 1e9 for word in text.split(":"))
    if not 0 < low < high:
        raise ValueError
    return low, high


@_allowed("a latency (100us), a size (1G), a number (5000) or a rate (2e6/s), then perhaps :LABEL")
def _threshold(text: str) -> tuple[str, float, str]:
    """Quantity, value, label: a rate ends in "/s", a latency in "s", a size in another letter."""
    word, _, label = text.partition(":")
    if word.endswith("/s"):
        return "rate", float(word.removesuffix("/s")), label
    if word.endswith("s"):
        return "latency", style.parse_seconds(word) * 1e9, label
    return ("bytes", style.parse_size(word), label) if word[-1:].isalpha() else ("count", float(word), label)


def _list(metavar: str, about: str, parse: Parse = _names) -> dict[str, Any]:
    return {"metavar": metavar, "help": about, "type": parse, "action": "extend"}


def _value(metavar: str, about: str, parse: Parse = str, **how: Any) -> dict[str, Any]:
    return {"metavar": metavar, "help": about, "type": parse} | how


PICTURE = {
    "output": _value("FILE", "write the picture to FILE; - is standard output"),
    "format": _value("FORMAT", "write svg, png or pdf (default: by FILE's suffix)", choices=FORMATS),
    "keep-data": _value("FILE", "write the plotted numbers to FILE as CSV"),
    "style": _value("FILE", "draw in the style of FILE, parameters of matplotlib"),
    "size": _value("WxH", "draw in pixels (default: 960x600, png 1920x1200)", _size),
    "title": _value("TEXT", "set the title (default: from the options)"),
}
# Those that not every kind has.
DATA = {
    "legend": _list("NAME,...", "name reports by labels, options or facts, as file or host"),
    "type": _value("TYPE", "draw this type of histogram, as read, sync or response (default: both)"),
    "class": _list("CLASS,...", "draw hit, minor, major, or cells as '*.4k' (default: all)"),
    "metric": _list("NAME,...", "draw these values, as p99 or write.p50"),
    "counter": _list("NAME,...", "draw kernel counters, as meminfo.Dirty"),
    "from": _value("TIME", "start at TIME of the run", _time),
    "to": _value("TIME", "end at TIME of the run", _time),
    "scenario": _value("ID[:N]", "draw scenario ID, repetition N (default: the first)"),
    "model": _list("NAME,...", "draw naive, cawl, kernel (default: all)", _models),
    "group-by": _value("NAME", "group runs with the same label, option or fact"),
    "main": _value("NAME", "draw the history of branch NAME (default: main)"),
}
AXES = {
    "y": _value("SCALE", "set the scale of the values to log or linear", choices=("log", "linear")),
    "share": {
        "help": "draw shares of all accesses instead of counts",
        "action": "store_true",
        "default": None,
    },
    "mark": _list("PERCENTILES", "mark percentiles, as p50,p99.9, or none", _marks),
    "threshold": _value(
        "VALUE", "draw a line at 100us, 1G, 5000 or 2e6/s, perhaps :LABEL", _threshold, action="append"
    ),
    "x-range": _value("LOW:HIGH", "limit the x axis to latencies, as 100ns:1ms", _range),
    "y-range": _value("LOW:HIGH", "limit the y axis to latencies, as 100ns:1ms", _range),
}


def _attribute(option: str) -> str:
    """Of its value; those that are words of Python end in "_"."""
    return option.replace("-", "_") + "_" * keyword.iskeyword(option)


def kinds_text() -> str:
    """The kinds by tool, for --help."""
    lines, indent = [], " " * 19
    for tool, kinds in groupby(sorted(KINDS.values(), key=lambda kind: kind.tool), lambda kind: kind.tool):
        lines.append(f"kinds of {tool or 'any tool'}:")
        for kind in kinds:
            taken = " ".join(f"--{name}" for name in DATA | AXES if name in kind.takes)
            lines.append(f"  {kind.name:<16} {kind.about}")
            lines += textwrap.wrap(taken, 90, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines)


def add_options(parser: cli.Parser) -> None:
    parser.epilog = kinds_text()
    parser.usage = "memstor plot [OPTION...] KIND FILE... [-- FILE...] -o PICTURE"
    parser.has_sides, parser.sides_most = True, COLOURS_MAX
    parser.arguments = [("text", False, list(KINDS)), ("report", True, [])]
    groups = {"picture": PICTURE, "data, if KIND has it": DATA, "axes and marks, if KIND has them": AXES}
    for title, rows in groups.items():
        group = parser.add_argument_group(title)
        for name, how in rows.items():
            group.add_argument(*["-o"] * (name == "output"), f"--{name}", dest=_attribute(name), **how)


# --- the command ---


def _check(options: argparse.Namespace) -> Kind:
    """The kind; Problem if an option is not for it. Completes the options of the picture."""
    name = options.paths.pop(0) if options.paths else ""
    if name not in KINDS:
        what = f"KIND '{name}'" if name else "KIND is missing"
        raise Problem(f"{what}: must be {listed(list(KINDS))}")
    kind = KINDS[name]
    for option in DATA | AXES:
        if getattr(options, _attribute(option)) is not None and option not in kind.takes:
            others = [k.name for k in KINDS.values() if option in k.takes]
            raise Problem(f"--{option}: {kind.name} does not have it; it is for {listed(others)}")
    if not options.output:
        raise Problem("-o FILE is missing: it names the picture, as -o picture.svg")
    if options.format is None:
        options.format = os.path.splitext(options.output)[1][1:].lower()
        if options.format not in FORMATS:
            raise Problem(f"-o {options.output}: the suffix must be .svg, .png or .pdf, or give --format")
    if options.size is None:
        options.size = (1920, 1200) if options.format == "png" else (960, 600)
    options.has_window = options.from_ is not None or options.to is not None
    options.from_, options.to = options.from_ or 0.0, math.inf if options.to is None else options.to
    if options.from_ >= options.to:
        raise Problem("--to: must be after --from")
    return kind


def _files(kind: Kind, words: list[str]) -> list[tuple[str, int]]:
    """Paths of reports, and the side of each."""
    sides = [list(side) for is_mark, side in groupby(words, lambda word: word == cli.BEHIND) if not is_mark]
    # What follows a history are names of series.
    given = sides if kind.needs else [side[:1] for side in sides]
    files = [(path, i) for i, side in enumerate(given) for path in (find(side) if kind.needs else side)]
    if not files:
        what = f"{'a report' if kind.needs else kind.of} is missing"
        raise Problem(f"{what}: memstor plot {kind.name} FILE... -o picture.svg")
    if cli.BEHIND in words and "--" not in kind.takes:
        others = [k.name for k in KINDS.values() if "--" in k.takes]
        raise Problem(f"--: {kind.name} has no sides of reports; they are for {listed(others)}")
    return files


def _check_count(kind: Kind, options: argparse.Namespace, files: list[tuple[str, int]]) -> None:
    """Before anything is read."""
    is_pooled = "group-by" in kind.takes and (options.group_by or files[-1][1])
    most = kind.most or (len(files) if is_pooled else COLOURS_MAX)
    if len(files) > most:
        pool = ", or pool runs by --group-by" if "group-by" in kind.takes else ""
        draws = f"{kind.name} draws at most {most} report{'s' * (most != 1)}"
        raise Problem(f"{draws}, these are {len(files)}: draw fewer{pool}")


def _same(a: str, b: str) -> bool:
    try:
        return os.path.samefile(a, b)
    except OSError:
        return os.path.abspath(a) == os.path.abspath(b)


def _check_outputs(options: argparse.Namespace, files: list[tuple[str, int]]) -> None:
    if options.keep_data and _same(options.output, options.keep_data):
        raise Problem(f"-o and --keep-data: both name {options.output}; give them two files")
    for flag, path in (("-o", options.output), ("--keep-data", options.keep_data or "-")):
        if path != "-" and any(_same(path, file) for file, _ in files):
            raise Problem(f"{flag} {path}: is read; give another name")
        if path != "-" and options.style and _same(path, options.style):
            raise Problem(f"{flag} {path}: is the style; give another name")


def make(options: argparse.Namespace) -> tuple[Picture, bytes]:
    """The picture, laid out, and its file."""
    kind = _check(options)
    files = _files(kind, options.paths)
    _check_count(kind, options, files)
    _check_outputs(options, files)
    check(options.output)
    if options.keep_data:
        check(options.keep_data, option="--keep-data")
    first = read_file(files[0][0]) if kind.needs else None
    if first:
        kind.check(first)  # A wrong report is refused before matplotlib is loaded.
    with style.applied(options.style):
        picture = Picture(kind, options, files, first)
        kind.draw(picture)
        picture.finish()
        return picture, picture.picture()


def run(options: argparse.Namespace) -> int:
    picture, made = make(options)
    if options.keep_data:
        with writing(options.keep_data, option="--keep-data") as text:
            text.write(picture.data())
    with writing(options.output, is_text=False) as file:
        file.write(made)
    return OK
