# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether one group of runs differs from another in a metric: the change, its interval, the verdict, and
gates on it.

The change is Hodges and Lehmann's: the median of the ratios of all pairs of runs. Its interval has the
ratios that the Mann-Whitney test does not reject, for any distribution, wherever the order of so few runs
can reach the confidence (from 4 a side at 95 %); below that it is Welch's, of the logarithms, from 3 a
side. Values are not negative.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray
import scipy  # loads scipy.stats, which takes most of the time of a short command, when it is used

from memstor.error import Problem
from memstor.metric import Metric, Number, allowed, parse
from memstor.report import parse_number

Array = NDArray[np.float64]

EXACT_TEST_MAX = 50  # runs in all; above it the normal approximation
EXACT_INTERVAL_MAX = 100
P_RUNS = 5  # a side: of fewer no p-value is shown
WELCH_RUNS = 3  # a side: two runs of two modes differ by chance in one case of eight
FLOOR_RUNS = 8
FLOOR_GROUP_MAX = 20  # larger groups are drawn as this, which is conservative
SPLITS = 2000
BUCKET_MARGIN_MAX = 0.0625  # a coarser bucket says nothing of a change
POWER = 0.8  # of what "N more runs" promises
RANKS_EFFICIENCY = 3 / math.pi  # of the rank test against Student's, of normal values

INCONCLUSIVE, NO_DIFFERENCE, FASTER, SLOWER = VERDICTS = ("inconclusive", "no difference", "faster", "slower")


class Interval(NamedTuple):
    low: float
    high: float


# --- two groups of numbers ---


def rank_sums(ranks: tuple[int, ...], size: int) -> Array:
    """How many of the subsets of `size` ranks have each sum, from 0; exact below 2^53, and to the last
    digit above."""
    ways = np.zeros((size + 1, sum(sorted(ranks)[len(ranks) - size :]) + 1))
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank]
    return ways[size]


def mann_whitney(base: Array, new: Array) -> tuple[float, float]:
    """U counts the pairs in which new is larger, ties by half. p is two-sided: exact, given the ties, up
    to 50 values in all, else the normal approximation, corrected for ties and continuity."""
    both = np.concatenate([new, base])
    is_exact, is_tied = len(both) <= EXACT_TEST_MAX, len(np.unique(both)) < len(both)
    method = "exact" if is_exact and not is_tied else "asymptotic"
    found = scipy.stats.mannwhitneyu(new, base, method=method)
    u, p = float(found.statistic), float(found.pvalue)
    if is_exact and is_tied:
        # scipy's exact p takes all values as different.
        ranks = np.rint(2 * scipy.stats.rankdata(both)).astype(int)
        ways = rank_sums(tuple(sorted(ranks.tolist())), len(new))
        at = int(ranks[: len(new)].sum())
        p = min(1.0, 2 * min(ways[: at + 1].sum(), ways[at:].sum()) / ways.sum())
    return u, 1.0 if math.isnan(p) else p


@cache
def critical_rank(n: int, m: int, level: float) -> int:
    """How many of the least U together have at most half of 1 - level; 0: even the most extreme order is
    too frequent."""
    tail = (1 - level) / 2
    if n + m > EXACT_INTERVAL_MAX:
        place = n * m / 2 - 0.5 - scipy.stats.norm.isf(tail) * math.sqrt(n * m * (n + m + 1) / 12)
        return max(0, math.floor(place) + 1)
    ways = rank_sums(tuple(range(1, n + m + 1)), m)[m * (m + 1) // 2 :]
    # 0.05 is 1/20 when 2/40 was meant.
    return int(np.count_nonzero(np.cumsum(ways) / ways.sum() <= tail * (1 + 1e-12)))


@cache
def least_runs(level: float) -> int:
    """A side, of which the ranks have an interval."""
    return next(n for n in range(1, 100) if critical_rank(n, n, level))


def ratios(base: Array, new: Array) -> Array:
    """new/base of all pairs, rising, shape (n * m,); x/0 is infinite, and 0/0 is 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.divide.outer(new, base).ravel()
    return np.sort(np.where(np.isnan(found), 1.0, found))


def shift(base: Array, new: Array) -> float:
    """Hodges and Lehmann's ratio new/base; that of the groups the other way round is its inverse."""
    found = ratios(base, new)
    low, high = float(found[(len(found) - 1) // 2]), float(found[len(found) // 2])
    return low if low == high else math.sqrt(low) * math.sqrt(high)


def rank_interval(base: Array, new: Array, level: float) -> Interval | None:
    """Of the ratio; conservative with ties. None: there are too few runs."""
    rank = critical_rank(len(base), len(new), level)
    if not rank:
        return None
    found = ratios(base, new)
    return Interval(float(found[rank - 1]), float(found[-rank]))


def welch(base: Array, new: Array, level: float) -> tuple[Interval, float] | None:
    """The interval of the ratio, and p, of runs that are distributed log-normally. None: a group has one
    run, or a 0."""
    if min(len(base), len(new)) < 2 or not all(np.all((a > 0) & np.isfinite(a)) for a in (base, new)):
        return None
    logs = np.log(base), np.log(new)
    by = float(logs[1].mean() - logs[0].mean())
    errors = [float(scipy.stats.sem(a)) for a in logs]
    error = math.hypot(*errors)
    if not error:
        return Interval(math.exp(by), math.exp(by)), float(by == 0)
    freedom = 1 / sum((e / error) ** 4 / (len(a) - 1) for e, a in zip(errors, logs))
    width = float(scipy.stats.t.isf((1 - level) / 2, freedom)) * error
    return Interval(math.exp(by - width), math.exp(by + width)), 2 * float(
        scipy.stats.t.sf(abs(by) / error, freedom)
    )


def median_interval(values: Array, level: float) -> Interval | None:
    """Of the median, for any distribution (from 6 values at 95 %), else by Student's t of the logarithms."""
    below = scipy.stats.binom.cdf(np.arange(len(values)), len(values), 0.5)
    rank = int(np.count_nonzero(below <= (1 - level) / 2 * (1 + 1e-12)))
    if rank:
        rising = np.sort(values)
        return Interval(float(rising[rank - 1]), float(rising[-rank]))
    if len(values) < WELCH_RUNS:
        return None
    if np.all(values == values[0]):
        return Interval(float(values[0]), float(values[0]))
    if not np.all(values > 0):
        return None
    logs = np.log(values)
    low, high = scipy.stats.t.interval(level, len(logs) - 1, logs.mean(), scipy.stats.sem(logs))
    return Interval(math.exp(low), math.exp(high))


class Floor(NamedTuple):
    """radius: |ln(new/base)| of A/A changes is below it with the probability of level. p: of one as large
    as observed."""

    radius: float
    p: float


def floor(values: Array, n: int, m: int, level: float, observed: float) -> Floor | None:
    """From changes between disjoint random groups of A/A runs, as large as the two that are compared, but
    at most a quarter of all. None: fewer than 8 runs, or one is not above 0. observed: |ln(new/base)|."""
    count = len(values)
    if count < FLOOR_RUNS or not np.all((values > 0) & np.isfinite(values)):
        return None
    n, m = (min(size, count // 4, FLOOR_GROUP_MAX) for size in (n, m))
    drawn = np.random.default_rng(1).random((SPLITS, count)).argsort(axis=1)[:, : n + m]
    logs = np.log(values)[drawn]
    changes = np.sort(np.abs(np.median(logs[:, :n, None] - logs[:, None, n:], axis=(1, 2))))
    # Changes between few runs depend on each other and estimate the spread badly. Both are compensated for: a
    # rank further out than the level's, and Student's t instead of the normal quantile. bench/compare_rates
    # measures the rates.
    dependence = (count + 15) / count
    tail = (1 - level) / 2
    changes *= scipy.stats.t.isf(tail, count - 1) / scipy.stats.norm.isf(tail)
    rank = math.ceil((1 - (1 - level) / dependence) * (SPLITS + 1))
    reached = int(np.count_nonzero(changes >= observed))
    return Floor(float(changes[min(rank, SPLITS) - 1]), min(1.0, dependence * (reached + 1) / (SPLITS + 1)))


def more_runs(base: Array, new: Array, change: float, level: float) -> int | None:
    """How many more runs a side find a change of this size in four cases of five; None where the spread is
    unknown.

    Guenther's formula (The American Statistician 35, 1981) with the spread of both groups, and the
    efficiency of ranks.
    """
    have, least = min(len(base), len(new)), least_runs(level)
    if have < 2 or not all(np.all(a > 0) for a in (base, new)):
        return least - have if have < least else None
    variance = (np.log(base).var(ddof=1) + np.log(new).var(ddof=1)) / 2
    if not math.isfinite(variance) or change <= 0:
        return None
    alpha, beta = scipy.stats.norm.isf((1 - level) / 2), scipy.stats.norm.isf(1 - POWER)
    needed = 2 * (alpha + beta) ** 2 * variance / math.log1p(change) ** 2 / RANKS_EFFICIENCY + alpha**2 / 4
    return max(1, max(least, math.ceil(needed)) - have)


def discoveries(p: Sequence[float]) -> Array:
    """p adjusted for many tests (Benjamini and Hochberg, 1995): of what is kept at a, a share of a is
    expected to be false."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values)[::-1]
    ranks = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1, np.minimum.accumulate(values[order] * len(values) / ranks))
    return adjusted


# --- the verdict of one metric ---


@dataclass(frozen=True, slots=True)
class Rule:
    level: float = 0.95  # of every interval
    margin: float = 0.02  # changes within it are no difference
    is_margin_given: bool = False  # otherwise a coarse histogram or clock raises it


@dataclass(slots=True)
class Change:
    """Of a metric between two groups. Changes are new/base - 1; NaN = unknown."""

    base_runs: int  # that have the metric
    new_runs: int
    base: float = math.nan  # medians
    base_is_bound: bool = False  # it is the end of the first bucket, and the median below it
    new: float = math.nan
    new_is_bound: bool = False
    change: float = math.nan  # may be infinite
    low: float = math.nan
    high: float = math.nan
    basis: str = "none"  # of the interval: "ranks", "welch" or "floor"
    new_low: float = math.nan  # of the median of new
    new_high: float = math.nan
    p_value: float = math.nan  # Mann-Whitney
    floor: float = math.nan  # a change, not a logarithm
    bucket: float = math.nan  # width of the one that has all runs
    margin: float = math.nan  # that was applied
    more_runs: int | None = None  # a side, to tell a change of margin, where it is inconclusive
    verdict: str = INCONCLUSIVE
    holds: bool = False  # after the correction for all metrics, by settle()
    p: float = math.nan  # how far the change stands out among others

    @property
    def is_difference(self) -> bool:
        return self.verdict in (FASTER, SLOWER)


def _group(numbers: Sequence[Number | None]) -> tuple[Array, list[Number]]:
    known = [number for number in numbers if number is not None]
    return np.array([number.value for number in known], dtype=np.float64), known


def _bucket_of(numbers: Sequence[Number]) -> Interval | None:
    """The one bucket that has them all."""
    edges = {(number.low, number.high) for number in numbers}
    return Interval(*edges.pop()) if len(edges) == 1 else None


def _quotient(above: float, below: float) -> float:
    return 1.0 if above == below else above / below if below else math.inf


def _from_runs(base: Array, new: Array, p_value: float, level: float) -> tuple[str, Interval | None, float]:
    """Basis, interval and p.

    The order of few runs has no small p: 5 against 5 never go below 0.008, and of a hundred metrics none
    could be told from chance. Their scatter can, so that both are used and each has its share of the
    error; except for runs of two modes, where the scatter is small whenever each group happens to be in
    one: two in 2^(n + m).
    """
    if not base.any() and not new.any():
        # 0 has no logarithm, but 0 to 0 is the ratio of any number to itself.
        base, new = base + 1, new + 1
    ranks, scatter = rank_interval(base, new, level), welch(base, new, level)
    modes = 2.0 ** (1 - len(base) - len(new))
    if ranks:
        return "ranks", ranks, min(p_value / 0.9, max(scatter[1] / 0.1, modes)) if scatter else p_value
    if scatter and min(len(base), len(new)) >= WELCH_RUNS:
        return "welch", scatter[0], max(scatter[1], modes)
    return "none", None, math.nan


def _widen(interval: Interval, *values: float) -> Interval:
    return Interval(min(interval.low, *values), max(interval.high, *values))


def decide(
    rule: Rule,
    better: str,
    base_numbers: Sequence[Number | None],
    new_numbers: Sequence[Number | None],
    floor_values: Sequence[float] = (),
) -> Change:
    """The change of one metric; None of a run without it. better: "lower" or "higher". floor_values: of
    A/A runs."""
    base, base_known = _group(base_numbers)
    new, new_known = _group(new_numbers)
    result = Change(len(base), len(new), margin=rule.margin)
    if len(base):
        result.base = float(np.median(base))
        result.base_is_bound = any(n.is_bound and n.value >= result.base for n in base_known)
    if len(new):
        result.new = float(np.median(new))
        result.new_is_bound = any(n.is_bound and n.value >= result.new for n in new_known)
    if not len(base) or not len(new):
        return result
    ratio = shift(base, new)
    result.change = ratio - 1
    _, p_value = mann_whitney(base, new)
    if min(len(base), len(new)) >= P_RUNS:
        result.p_value = p_value
    basis, interval, p = _from_runs(base, new, p_value, rule.level)
    observed = abs(math.log(ratio)) if 0 < ratio < math.inf else math.inf
    noise = floor(np.array(floor_values, dtype=np.float64), len(base), len(new), rule.level, observed)
    if noise:
        result.floor = math.expm1(noise.radius)
        around = Interval(ratio * math.exp(-noise.radius), ratio * math.exp(noise.radius))
        basis, interval, p = (
            ("floor", around, noise.p)
            if interval is None
            else (basis, _widen(interval, *around), max(p, noise.p))
        )
    if interval is not None:
        interval = _coarse(rule, result, interval, base_known, new_known)
        # It holds the change itself, which Welch's of odd groups may not.
        interval = _widen(interval, ratio)
        result.basis, result.low, result.high = basis, interval.low - 1, interval.high - 1
        result.p = 1.0 if result.low <= 0 <= result.high else p
    _value_interval(rule, result, new, new_known, noise)
    result.verdict = _verdict(better, result)
    if result.verdict == INCONCLUSIVE and not _is_limited(result):
        result.more_runs = more_runs(base, new, result.margin, rule.level)
    return result


def _coarse(
    rule: Rule, result: Change, interval: Interval, base: list[Number], new: list[Number]
) -> Interval:
    """Wider by what histogram and clock cannot tell; the margin, unless it was given, too."""
    bucket = _bucket_of(base + new)
    if bucket and bucket.high > bucket.low:
        # Where every run's number is in one bucket, the histogram says no more than that of the change.
        result.bucket = _quotient(bucket.high, bucket.low) - 1
        interval = _widen(interval, _quotient(bucket.low, bucket.high), _quotient(bucket.high, bucket.low))
        if not rule.is_margin_given and result.bucket <= BUCKET_MARGIN_MAX:
            result.margin = max(result.margin, result.bucket)
    # Of a median that is below the end of the first bucket nothing else is known.
    if result.base_is_bound:
        interval = Interval(interval.low, math.inf)
    if result.new_is_bound:
        interval = Interval(0.0, interval.high)
    step = max(number.step for number in base + new)
    if step > 0 and result.base > 0:
        # On whatever value runs agree, a change of one step of the clock is not significant.
        interval = _widen(
            interval,
            max(0.0, result.new - step) / result.base * (1 - 1e-9),
            (result.new + step) / result.base,
        )
        if not rule.is_margin_given:
            result.margin = max(result.margin, step / result.base * (1 + 1e-6))
    return interval


def _is_limited(change: Change) -> bool:
    """By noise, histogram or clock, which more runs do not change."""
    is_bound = change.base_is_bound or change.new_is_bound
    return is_bound or change.floor > change.margin or change.bucket > change.margin


def _value_interval(rule: Rule, result: Change, new: Array, known: list[Number], noise: Floor | None) -> None:
    """Of the median of new, for gates on the value itself."""
    interval = median_interval(new, rule.level)
    if interval is None and noise:
        interval = Interval(result.new * math.exp(-noise.radius), result.new * math.exp(noise.radius))
    if interval is None:
        return
    bucket = _bucket_of(known)
    result.new_low, result.new_high = _widen(interval, result.new, *(bucket or ()))


def _verdict(better: str, change: Change) -> str:
    if change.basis == "none":
        return INCONCLUSIVE
    if -change.margin <= change.low and change.high <= change.margin:
        return NO_DIFFERENCE
    if change.low <= 0 <= change.high:
        return INCONCLUSIVE
    return FASTER if (change.low > 0) == (better == "higher") else SLOWER


def settle(level: float, changes: Sequence[Change]) -> str:
    """Which differences hold among all, and the verdict of all together."""
    tested = [change for change in changes if not math.isnan(change.p)]
    for change, p in zip(tested, discoveries([change.p for change in tested])):
        change.holds = change.is_difference and bool(p <= (1 - level) * (1 + 1e-9))
    held = {change.verdict for change in changes if change.holds}
    for verdict in (SLOWER, FASTER):
        if verdict in held:
            return verdict
    return NO_DIFFERENCE if {change.verdict for change in changes} == {NO_DIFFERENCE} else INCONCLUSIVE


# --- gates ---

PASSED, FAILED, UNDECIDED, ABSENT = "passed", "failed", "inconclusive", "absent"
FORM = (
    "must be METRIC<LIMIT or METRIC>LIMIT as p99<+5%, throughput>-3% (of the change) or p99<3us, "
    "throughput>1e6 (of NEW itself), optionally after SET:"
)
TIMES = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True, slots=True)
class Gate:
    """What a change, or the value of new, must be below or above, in one set or in each."""

    text: str
    # The name of a set ("" = each) and the metric, as the text may mean them; of those whose set is there the
    # last holds.
    ways: tuple[tuple[str, Metric], ...]
    limit: float  # a fraction of a change, otherwise in the metric's unit
    is_change: bool
    is_below: bool

    def held_to(self, change: Change) -> tuple[float, float, float]:
        """What it is about, and the interval."""
        of_new = (change.new, change.new_low, change.new_high)
        return (change.change, change.low, change.high) if self.is_change else of_new

    def state(self, change: Change) -> str:
        """The worse end of the interval must meet the limit; it fails if the better end does not."""
        _, low, high = self.held_to(change)
        if not change.base_runs and not change.new_runs:
            return ABSENT
        if math.isnan(low):
            return UNDECIDED
        sign = 1 if self.is_below else -1
        better, worse = sorted((sign * low, sign * high))
        if worse < sign * self.limit:
            return PASSED
        return FAILED if better >= sign * self.limit else UNDECIDED


def _limit(option: str, text: str, of: Metric) -> float | None:
    """A fraction of the change, where the text ends in %."""
    if text.endswith("%"):
        if of.unit == "%" and text[0] not in "+-":
            why = "must be +5% or -5% of the change, or 5 of the value itself, which is in percent"
            raise Problem(f"{option}: {why}")
        value = parse_number(text[:-1].removeprefix("+")) / 100
        return value if -1 <= value <= 1e4 else None
    if of.unit == "ns":
        # A bare number would be seconds, and no latency is in minutes, which "m" would be.
        match = re.fullmatch(r"([0-9.]+)([a-z]*)", text)
        if match and match[2] not in TIMES:
            raise Problem(f"{option}: must be in ns, us, ms or s")
        return parse_number(match[1]) * TIMES[match[2]] if match else None
    value = parse_number(text)
    return value if value >= 0 else None


def parse_gate(text: str) -> Gate:
    option = f"--gate {text!r}"
    match = re.fullmatch(r"(.+)([<>])([^<>]+)", text, re.DOTALL)
    if not match:
        raise Problem(f"{option}: {FORM}")
    name, sign, limit = match.groups()
    ways = []
    # A name is that of a metric of every set; or a set is before its last colon, or before its first.
    for at in dict.fromkeys((0, name.rfind(":") + 1, name.find(":") + 1)):
        try:
            if at != 1:
                ways.append((name[: max(0, at - 1)], parse(name[at:])))
        except ValueError:
            continue
    if not ways:
        raise Problem(f"--gate {name!r}: {allowed()}")
    of = ways[0][1]
    if of.better and (sign == "<") != (of.better == "lower"):
        sign = "<" if of.better == "lower" else ">"
        raise Problem(f"{option}: must be METRIC{sign}LIMIT: of this metric {of.better} is better")
    value = _limit(option, limit, of)
    if value is None or math.isnan(value):
        raise Problem(f"{option}: {FORM}")
    return Gate(text, tuple(ways), value, limit.endswith("%"), sign == "<")
