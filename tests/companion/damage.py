# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages reports as editors, full disks and people do, from a seed."""

import re
from random import Random

NUMBER = re.compile(rb'(?<=[>"])-?[0-9][0-9.e+-]*(?=[<"])')
ELEMENT = re.compile(rb"<([a-z_]+)( [^<>]*)?>[^<>]*</\1>|<[a-z_]+( [^<>]*)?/>")
NAME = re.compile(rb"</?[a-z_]+")
TEXTS = b"0 1 -1 1e308 1e400 nan x 0x10 true 1.5 &lt; =cmd &#27;[31m 007".split() + [
    b"18446744073709551615",
    b"18446744073709551616",
    b"",
    b" 5 ",
    b"\xff",
    b"a\nb",
    b"9" * 50,
    "\u0663".encode(),
]


def _once(draw: Random, data: bytes) -> bytes:
    kind = draw.choice(("near", "near", "text", "text", "cut", "twice", "swap", "name", "end", "byte"))
    if kind == "end":
        return data[: draw.randrange(len(data))]
    if kind == "byte":
        at = draw.randrange(len(data))
        return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]
    pattern = {"near": NUMBER, "text": NUMBER, "name": NAME}.get(kind, ELEMENT)
    found = list(pattern.finditer(data))
    if not found:
        return data
    one, other = sorted((draw.choice(found), draw.choice(found)), key=lambda match: match.start())
    begin, end = data[: one.start()], data[one.end() :]
    if kind == "near":
        try:
            return begin + repr(float(one[0]) * draw.choice((1 + 1e-12, 1 + 1e-7, 1.001, 2))).encode() + end
        except ValueError:
            return data
    if kind == "text":
        return begin + draw.choice(TEXTS) + end
    if kind == "cut":
        return begin + end
    if kind == "twice":
        return begin + one[0] * 2 + end
    if kind == "name":
        return begin + one[0] + draw.choice((b"x", b' a="1"', b' type="read"')) + end
    if one.end() > other.start():
        return data
    return begin + other[0] + data[one.end() : other.start()] + one[0] + data[other.end() :]


def damaged(draw: Random, data: bytes) -> bytes:
    """One to three damages."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        data = _once(draw, data)
    return data
