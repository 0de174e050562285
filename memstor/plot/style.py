# SPDX-License-Identifier: GPL-3.0-or-later
"""What pictures look like: colours, fonts, numbers with units, texts that fit, axes. matplotlib is loaded by
applied()."""

from __future__ import annotations

import io
import logging
import math
import os
import re
import textwrap
import warnings
from bisect import bisect
from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import numpy as np

from memstor.error import Problem
from memstor.output import input_bytes

OWN = os.path.join(os.path.dirname(__file__), "memstor.mplstyle")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.6, 1.6)), (0, (6, 1.6, 1.6, 1.6)))
# Equal steps of OKLCH lightness, hue from 100 to 280 degrees: the order stays in grey.
_HEAT = "ebda73 c3cf6c 9ac46c 6eb871 3ca977 06977e 00837e 006f79 005c71 004a69 003664 081e64 160452"
HEAT = [f"#{code}" for code in _HEAT.split()]
RED, GREY = "#a01010", "#6e6e6e"
TITLE, SMALL, TINY = 12.0, 8.25, 7.5  # points; the rest of the texts has font.size

# Texts are never TeX, pictures are one file of the size asked for, and the same each time.
FORCED: dict[str, Any] = {
    "text.usetex": False,
    "text.parse_math": False,
    "svg.hashsalt": "memstor",
    "svg.image_inline": True,
    "savefig.bbox": None,
    "savefig.dpi": "figure",
    "savefig.transparent": False,
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
}


def _read_style(path: str, said: io.StringIO) -> dict[str, Any]:
    """A file of matplotlib's parameters; Problem names what matplotlib, which says it to said, does not
    understand."""
    import matplotlib

    if not input_bytes(path, 1):
        raise Problem(f"--style {path}: the file is empty")
    before, found = len(said.getvalue()), {}
    try:
        found = dict(matplotlib.rc_params_from_file(os.path.abspath(path), use_default_template=False))
    except (OSError, ValueError, KeyError, RuntimeError) as problem:
        said.write(str(problem))
    complaints = said.getvalue()[before:].strip().splitlines()
    if complaints:
        raise Problem(f"--style {path}: is no style of matplotlib: {complaints[0][:200]}")
    return found


@contextmanager
def applied(path: str | None) -> Iterator[None]:
    """Loads matplotlib, whose settings are these alone: not those of the user or of the folder that we are
    in."""
    said = io.StringIO()
    logger, handler = logging.getLogger("matplotlib"), logging.StreamHandler(said)
    logger.addHandler(handler)
    try:
        import matplotlib

        with matplotlib.rc_context(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            usual = {
                name: value for name, value in matplotlib.rcParamsDefault.items() if "backend" not in name
            }
            matplotlib.rcParams.update(usual | _read_style(OWN, said))
            theirs = _read_style(path, said) if path else {}
            # Labels of tics have the colour of tics in most styles.
            inherited = {f"{a}tick.labelcolor": "inherit" for a in "xy" if f"{a}tick.color" in theirs}
            matplotlib.rcParams.update(inherited | theirs)
            matplotlib.rcParams.update(FORCED)
            yield
    finally:
        logger.removeHandler(handler)


def rc(name: str) -> Any:
    import matplotlib

    return matplotlib.rcParams[name]


def weak() -> str:
    return str(rc("xtick.color"))


# --- numbers as people read them: "100 ns", "2.5 M", "512 MiB" ---

_SIZES = [(1024.0**p, f" {unit}") for p, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB"))]
# Of each unit how much one of a prefix is.
UNITS: dict[str, list[tuple[float, str]]] = {
    "": [(1.0, ""), (1e3, " k"), (1e6, " M"), (1e9, " G"), (1e12, " T"), (1e15, " P")],
    "ns": [(1.0, " ns"), (1e3, " us"), (1e6, " ms"), (1e9, " s")],
    "s": [(1.0, "")],
    "%": [(1.0, " %")],
    "B": _SIZES,
    "B/s": [(scale, name + "/s") for scale, name in _SIZES],
}


def number(x: float, unit: str = "", digits: int = 3) -> str:
    """unit: a key of UNITS."""
    if not math.isfinite(x):
        return "-"
    rows = UNITS[unit]
    if x == 0:
        return "0" + (rows[0][1] if unit[:1] in ("B", "%") else "")
    # The rounded value decides, so that it is never "1000 us".
    scale, name = next((row for row in rows[::-1] if float(f"{abs(x) / row[0]:.{digits}g}") >= 1), rows[0])
    value = x / scale
    return (f"{value:.0f}" if 10**digits <= abs(value) < 1e7 else f"{value:.{digits}g}") + name


TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
DECIMAL = r"([0-9]+(?:\.[0-9]+)?)"


def parse_size(text: str, unit: int = 1) -> float:
    """Bytes of "2G", "8192MiB"; unit: of a number without one. ValueError."""
    found = re.fullmatch(DECIMAL + r"(?:([BKMGTP])(?:iB|B)?)?", text, re.IGNORECASE)
    if not found:
        raise ValueError(text)
    return float(found[1]) * (1 << 10 * "BKMGTP".index(found[2].upper()) if found[2] else unit)


def parse_seconds(text: str) -> float:
    """Seconds of "100us", "1.5s", "2". ValueError."""
    found = re.fullmatch(DECIMAL + f"({'|'.join(TIMES)})", text)
    if not found:
        raise ValueError(text)
    return float(found[1]) * TIMES[found[2]]


# --- texts ---


def one_line(text: str, most: int = 1000) -> str:
    """Text of a report or a user that is only drawn: blanks instead of ends of lines, "?" for what is not
    printed."""
    cut = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text[:most])
    return cut + ("..." if len(text) > most else "")


def joined(*parts: str, by: str = ", ") -> str:
    """Without those that are empty."""
    return by.join(filter(None, parts))


def key(name: str) -> str | None:
    """The label of what is drawn, for the legend: matplotlib shows none that begins with "_"."""
    return f" {name}" if name.startswith("_") else name or None


def span(values: Sequence[Any]) -> str:
    """ "3", or "3 to 5", from the least to the most."""
    return " to ".join(map(str, dict.fromkeys((min(values), max(values)))))


def width(text: str, size: float) -> float:
    """In points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return float(text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)[0])


def fit(text: str, points: float, size: float) -> str:
    """On one line, cut, with "..." at its end, to this width."""
    text = one_line(text)
    if width(text, size) <= points:
        return text
    count = bisect(range(1, len(text)), points, key=lambda count: width(text[:count] + "...", size))
    return text[:count] + "..."


def wrap(text: str, points: float, size: float, most: int = 3) -> list[str]:
    """Lines of about this width, and none wider; the last one is cut."""
    letters = max(10, int(0.96 * len(text) * points / max(width(text, size), 1.0)))
    lines = textwrap.wrap(text, letters, max_lines=most, placeholder="...")
    return [fit(line, points, size) for line in lines]


# --- axes ---


def flat(values: Any) -> Any:
    """The finite numbers of an array, or of a list of arrays and numbers."""
    if not isinstance(values, np.ndarray):
        values = np.concatenate([np.zeros(0), *map(np.ravel, values)])
    values = np.ravel(values).astype(np.float64)
    return values[np.isfinite(values)]


def least_above(values: Any, otherwise: float = 1.0) -> float:
    """The least of the values above 0."""
    found = flat(values)
    return float(found[found > 0].min()) if (found > 0).any() else otherwise


def most_of(values: Any, otherwise: float = 0.0) -> float:
    found = flat(values)
    return float(found.max()) if found.size else otherwise


def log_room(low: float, high: float) -> tuple[float, float]:
    """With some room on both sides, and at least a factor of 2 wide."""
    middle, half = math.sqrt(low * high), max(math.sqrt(high / low) * 1.15, 1.45)
    return middle / half, middle * half


def _step(span: float, unit: str, tics: int) -> float:
    """Of a linear axis: a power of 2 of bytes, else 1, 2 or 5."""
    rough = span / tics or 1.0
    if unit[:1] == "B":
        return max(1.0, 2.0 ** math.ceil(math.log2(rough) - 1e-9))
    power = 10.0 ** math.floor(math.log10(rough) + 1e-9)
    return next(power * m for m in (1, 2, 5, 10) if rough <= power * m * 1.0001)


def _limits(values: Any, unit: str, log: bool, tics: int) -> tuple[float, float]:
    """Linear from 0 or below up to a tic, logarithmic with some room."""
    if log:
        least = least_above(values)
        return log_room(least, max(least, most_of(values, 10.0)))
    low, high = float(flat(values).min(initial=0.0)), most_of(values, 1.0)
    high = high if high > low else low + 1.0
    step = _step(high - low, unit, tics)
    return low, math.ceil(high / step - 1e-9) * step


def scale(
    axis: Any,
    title: str | None,
    values: Any,
    unit: str = "",
    log: bool = False,
    limits: tuple[float, float] | None = None,
    tics: int = 6,
    zero: float = 0.0,
) -> tuple[float, float]:
    """Title, limits, scale and tics of an axis on which these values are drawn; returns the limits. limits:
    exactly these; zero: where on a log axis zeros are drawn."""
    from matplotlib import ticker

    low, high = limits or _limits(values, unit, log, tics)
    if title is not None:
        axis.set_label_text(title)
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log" if log else "linear")
    getattr(axis.axes, f"set_{axis.axis_name}lim")(low, high)
    minor = ticker.NullLocator()
    if not log or high / low < 5:
        major = ticker.MultipleLocator(_step(high - low, unit, tics))
    elif unit[:1] == "B":
        major, minor = ticker.LogLocator(2, numticks=11), ticker.LogLocator(2, numticks=48)
    else:
        decades = math.log10(high / low)
        multiples = (1,) if decades >= 2.2 else (1, 2, 5) if decades >= 1.2 else (1, 2, 3, 5, 7)
        major = ticker.LogLocator(10, multiples, numticks=11)
        minor = ticker.LogLocator(10, range(1, 10), numticks=6)
    least, slack = max(low, 2 * zero), 1e-9 * (low if log else high - low)
    shown = [x for x in major.tick_values(low, high) if least - slack <= x <= high + slack]
    axis.set_major_locator(ticker.FixedLocator([zero] * bool(zero) + shown))
    axis.set_minor_locator(minor)
    nothing = max(zero, slack * (not log))
    axis.set_major_formatter(lambda x, _: "0" if 0 < abs(x) <= nothing else number(x, unit, 4))
    axis.set_minor_formatter(ticker.NullFormatter())
    return low, high


def places(axis: Any, at: Sequence[float], texts: Sequence[str]) -> None:
    """Tics of these texts."""
    from matplotlib import ticker

    axis.set_ticks(list(at), list(texts))
    axis.set_minor_locator(ticker.NullLocator())
