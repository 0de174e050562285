# SPDX-License-Identifier: GPL-3.0-or-later
"""Histograms of latencies: exact counts in buckets, and moments that the buckets lose."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

PERCENTILES = {"p50_ns": 50, "p90_ns": 90, "p95_ns": 95, "p99_ns": 99, "p999_ns": 99.9, "p9999_ns": 99.99}


class Percentile(NamedTuple):
    """In ns. low and high: the edges of the bucket that holds it.

    is_bounded: the bucket, the open first one, says no more than that it is below high, which is then the
    value."""

    value: float
    low: float
    high: float
    is_bounded: bool


def rank_of(total: int, percent: float) -> float:
    """Nearest rank; 99.9 % of 1000 is 999, not the next sample above it because of the last binary digit."""
    rank = total * percent / 100
    whole = float(round(rank))
    return whole if abs(rank - whole) <= rank * 1e-14 else rank


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of lo <= latency < hi, in ns; buckets ascend, do not overlap, and none is empty.

    lo, hi: float64, shape (n,); the last hi may be infinite. counts: uint64, shape (n,). min, mean, stddev
    (of the sample, n - 1) and max are exact, NaN where they are unknown."""

    type: str  # the timed operation: "read", "sync", ...
    of_class: str  # "all"; "hit" "minor" "major", which are parts of it; or the id of a subject
    layout: str  # "log16", "hdr"; "original" of the original pmbench; "" of several
    lo: NDArray[np.float64]
    hi: NDArray[np.float64]
    counts: NDArray[np.uint64]
    count: int
    min: float = math.nan
    mean: float = math.nan
    stddev: float = math.nan
    max: float = math.nan

    def _clamp(self, value: float) -> float:
        # NaN compares false: an unknown extreme clamps nothing.
        value = self.min if value < self.min else value
        return self.max if value > self.max else value

    @cached_property
    def _sums(self) -> list[int]:
        """Of each bucket and all before it."""
        found: list[int] = np.cumsum(self.counts).tolist()
        return found

    def percentile(self, percent: float) -> Percentile:
        """The smallest latency that at least percent % of all do not exceed, interpolated in its bucket, and
        below mean / (1 - percent / 100), which no percentile exceeds. NaN if the histogram is empty."""
        if not self.count:
            return Percentile(math.nan, math.nan, math.nan, False)
        rank, sums = rank_of(self.count, percent), self._sums
        i = min(bisect_left(sums, rank), len(sums) - 1)
        low, high = self._clamp(float(self.lo[i])), self._clamp(float(self.hi[i]))
        if math.isinf(high):
            high = low
        if 0 < percent < 100 and self.lo[i] == 0 and high > 1 and high > 2 * low:
            return Percentile(high, 0.0, high, True)
        before = sums[i - 1] if i else 0
        value = low + (high - low) * (rank - before) / (sums[i] - before)
        limit = self.mean / (1 - percent / 100) if percent < 100 else math.nan
        return Percentile(limit if limit < value else value, float(self.lo[i]), float(self.hi[i]), False)

    def statistics(self) -> dict[str, float]:
        """In ns. Where a bucket is too wide to say, a percentile is NaN: none contradicts the mean."""
        found = {"min_ns": self.min, "mean_ns": self.mean, "stddev_ns": self.stddev}
        for name, percent in PERCENTILES.items():
            percentile = self.percentile(percent)
            found[name] = math.nan if percentile.is_bounded else percentile.value
        return found | {"max_ns": self.max}


def _added(
    parts: Sequence[Histogram],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint64]]:
    """lo, hi and counts of the sum; ValueError where buckets overlap."""
    if not parts:
        return np.empty(0), np.empty(0), np.empty(0, dtype=np.uint64)
    # Mostly one part has all the buckets of the others.
    lo, hi = max(parts, key=lambda part: len(part.lo)).lo, max(parts, key=lambda part: len(part.lo)).hi
    places = [np.minimum(np.searchsorted(lo, part.lo), len(lo) - 1) for part in parts]
    if not all(
        np.array_equal(lo[at], part.lo) and np.array_equal(hi[at], part.hi) for at, part in zip(places, parts)
    ):
        pairs = np.stack(
            [np.concatenate([part.lo for part in parts]), np.concatenate([p.hi for p in parts])], axis=1
        )
        lo, hi = np.unique(pairs, axis=0).T.copy()
        if np.any(lo[1:] < hi[:-1]):
            raise ValueError("their buckets overlap")
        places = [np.searchsorted(lo, part.lo) for part in parts]
    counts = np.zeros(len(lo), dtype=np.uint64)
    for at, part in zip(places, parts):
        counts[at] += part.counts
    return lo, hi, counts


def merge(parts: Sequence[Histogram]) -> Histogram:
    """The sum of histograms whose buckets are equal or apart; ValueError where they overlap, or exceed
    2^64-1.

    Moments by Chan, Golub, LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances
    (1979); those that one part does not know are unknown."""
    filled = [part for part in parts if part.count]
    if len(filled) == 1:
        return replace(filled[0], type=parts[0].type, of_class=parts[0].of_class)
    total = sum(part.count for part in filled)
    if total >= 1 << 64:
        raise ValueError("their counts add up to more than 2^64-1")
    lo, hi, counts = _added(filled)
    known = "".join(dict.fromkeys(part.layout for part in filled))
    before = mean = squares = np.longdouble(0)
    for part in filled:
        apart, more = np.longdouble(part.mean) - mean, np.longdouble(part.count)
        squares += apart * apart * before * more / (before + more)
        if part.count > 1:
            squares += np.longdouble(part.stddev) ** 2 * (more - 1)
        before += more
        mean += apart * more / before
    return Histogram(
        parts[0].type if parts else "",
        parts[0].of_class if parts else "",
        known,
        lo,
        hi,
        counts,
        total,
        min=float(np.min([part.min for part in filled])) if filled else math.nan,
        mean=float(mean) if filled else math.nan,
        stddev=float(np.sqrt(squares / (before - 1))) if total > 1 else math.nan,
        max=float(np.max([part.max for part in filled])) if filled else math.nan,
    )


@cache
def edges(layout: str) -> NDArray[np.float64]:
    """Of "log16" and "original", which has the same buckets, or of "hdr": shape (buckets + 1,), the last
    infinite."""
    if layout == "hdr":
        fine = [(128 + part) << power for power in range(38) for part in range(128)]
        return np.array([*range(128), *fine, math.inf])
    parts = [2**power + (part << (power - 4)) for power in range(8, 23) for part in range(16)]
    return np.array([0, *parts, *(2**power for power in range(23, 31)), math.inf])
