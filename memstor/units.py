# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as people read them: "17.3 us", "8 GiB", "1.23 M/s", "+2.40 %"."""

from __future__ import annotations

import math

Scale = tuple[tuple[str, int], ...]  # each prefix or unit, and how many of it are one of the next
TIMES: Scale = (("ns", 1000), ("us", 1000), ("ms", 1000), ("s", 60), ("min", 60), ("h", 24), ("d", 0))
SIZES: Scale = tuple((unit, 1024) for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB")) + (("EiB", 0),)
RATES: Scale = (("", 1000), ("k", 1000), ("M", 1000), ("G", 1000), ("T", 0))
PLAIN: Scale = (("", 0),)


def _digits(value: float) -> int:
    """Behind the point, so that three count, or all those before it."""
    return 2 if value < 9.995 else 1 if value < 99.95 else 0


def text(value: float, unit: str) -> str:
    """For a column. "ns" and "s" are times, "bytes" sizes; "%", "x" and "" have no prefix; "1/s" of a
    million is "M/s". "-" unless the value is finite."""
    if not math.isfinite(value):
        return "-"
    if unit in ("ns", "s"):
        scale, rest = TIMES, ""
        value = value * 1e9 if unit == "s" else value
    elif unit == "bytes":
        scale, rest = SIZES, ""
    else:
        scale, rest = (PLAIN if unit in ("", "%", "x") else RATES), unit.removeprefix("1")
    size, step = abs(value), 0
    # The rounded value decides, so that it is never "1000 us".
    while scale[step][1] and round(size, _digits(size)) >= scale[step][1]:
        size /= scale[step][1]
        step += 1
    number = f"{size:.{_digits(size)}f}"
    if unit == "bytes" or not float(number):
        number = number.rstrip("0").rstrip(".") if "." in number else number
    sign = "-" if value < 0 and float(number) else ""
    name = scale[step][0]
    gap = " " if name or (rest and rest[0] != "/") else ""
    return f"{sign}{number}{gap}{name}{rest}"


def change(fraction: float, unit: str = " %") -> str:
    """ "+2.40 %", "-31.0 %", "+inf %"; "-" for NaN."""
    if math.isnan(fraction):
        return "-"
    percent = 100 * fraction
    if math.isinf(percent):
        return f"{'-' if percent < 0 else '+'}inf{unit}"
    return f"{percent if abs(percent) >= 0.005 else 0:+.{_digits(abs(percent))}f}{unit}"


def plural(count: int, noun: str) -> str:
    """ "1 run", "2 runs"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
