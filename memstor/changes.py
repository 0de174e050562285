# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a series of values changes: E-divisive (Matteson and James, Journal of the American Statistical
Association 109, 2014) with a permutation test, and the size of each change."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memstor import stats

Array = NDArray[np.float64]
LEVEL = 0.005  # of the permutation test of each change: a check after each commit tests it again and again
ROUNDS = 199
LEAST = 3  # values of a segment: a lone outlier is no change
# Of fewer values not even a change of any size is rarer than the level among their orders.
SHORTEST = next(n for n in range(2 * LEAST, 100) if LEVEL * math.comb(n, LEAST) >= 1)
WINDOW = 400  # the newest values that are looked at; older changes do not move any more


@dataclass(frozen=True, slots=True)
class Change:
    """at: index of the first value behind it. ratio: behind/before with its interval; p of the test."""

    at: int
    ratio: float
    low: float
    high: float
    p: float


@lru_cache(16)
def _weights(count: int) -> tuple[Array, Array, Array]:
    """Of the statistic of a split at t whose right part ends at k, shape (count + 1, count + 1): what it has
    of the distances between [0, t) and [0, k), of those in [0, t), and of those in [0, k). 0 where a part is
    short."""
    t, k = np.arange(count + 1.0)[:, None], np.arange(count + 1.0)[None, :]
    m, n = t, k - t
    with np.errstate(divide="ignore", invalid="ignore"):
        left, right, between = n / (m + n) / (m - 1), m / (m + n) / (n - 1), 2 / (m + n)
        parts = between + 2 * right, -between - left - right, -right
    is_long = (m >= LEAST) & (n >= LEAST)
    whole, own, other = (np.where(is_long, part, 0.0) for part in parts)
    return whole, own, other


def _best(distances: Array) -> tuple[float, int]:
    """The largest statistic of any split, where the right part may end early, and the split."""
    count = len(distances)
    sums = np.zeros((count + 1, count + 1))
    distances.cumsum(0).cumsum(1, out=sums[1:, 1:])
    own = np.diag(sums)
    whole, left, right = _weights(count)
    found = whole * sums
    found += left * own[:, None]
    found += right * own
    at = int(found.argmax())
    return float(found.flat[at]), at // (count + 1)


def _p(distances: Array, observed: float, random: np.random.Generator) -> float:
    """Of the permutation test; it stops where it is decided."""
    reached, enough = 0, math.ceil(LEVEL * (ROUNDS + 1))
    for done in range(1, ROUNDS + 1):
        order = random.permutation(len(distances))
        reached += _best(distances[np.ix_(order, order)])[0] >= observed
        if reached >= enough:
            return (reached + 1) / (done + 1)
    return (reached + 1) / (ROUNDS + 1)


def divide(values: Array) -> list[tuple[int, float]]:
    """Index and p of each change, in their order. The seed is made of the values, so that the same give the
    same; they are rounded, as another CPU gives a logarithm another last digit."""
    random = np.random.default_rng(zlib.crc32((np.round(values, 9) + 0.0).tobytes()))
    found: list[tuple[int, float]] = []
    todo = [(0, len(values))]
    while todo:
        begin, end = todo.pop()
        if end - begin < 2 * LEAST:
            continue
        part = values[begin:end]
        distances = np.abs(part[:, None] - part[None, :])
        observed, at = _best(distances)
        p = _p(distances, observed, random)
        if p <= LEVEL:
            found.append((begin + at, p))
            todo += [(begin, begin + at), (begin + at, end)]
    return sorted(found)


def changes(values: Array, least: float) -> list[Change]:
    """Those of at least this size (|ln ratio|), of values above 0."""
    first = max(0, len(values) - WINDOW)
    known = values[first:]
    if len(known) < 2 * LEAST or not np.all(known > 0):
        return []
    cuts = divide(np.log(known))
    while True:
        ends = [0, *(at for at, _ in cuts), len(known)]
        sizes = [stats.shift(known[a:b], known[b:c]) for a, b, c in zip(ends[:-2], ends[1:-1], ends[2:])]
        small = [i for i, size in enumerate(sizes) if abs(math.log(size)) < least]
        if not small:
            break
        # The smallest goes first: what is left of its neighbours may be large enough, or not.
        cuts.pop(min(small, key=lambda i: abs(math.log(sizes[i]))))
    found = []
    for (at, p), size, a, c in zip(cuts, sizes, ends[:-2], ends[2:]):
        interval = stats.rank_interval(known[a:at], known[at:c], 0.95)
        low, high = (interval.low, interval.high) if interval else (math.nan, math.nan)
        found.append(Change(first + at, size, low, high, p))
    return found
