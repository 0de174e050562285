# SPDX-License-Identifier: GPL-3.0-or-later
"""Histograms: known percentiles, laws of percentiles and of sums, and what cannot be added."""

import math

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from memstor import histogram, report
from memstor.histogram import Histogram

PERCENTS = (0, 1, 50, 90, 95, 99, 99.9, 99.99, 100)


def of_samples(samples, layout="log16"):
    """What a tool would report of these latencies in ns."""
    edges = histogram.edges(layout)
    at = np.searchsorted(edges, samples, "right") - 1
    index, counts = np.unique(at, return_counts=True)
    return Histogram(
        "read",
        "all",
        layout,
        edges[index],
        edges[index + 1],
        counts.astype(np.uint64),
        len(samples),
        min=float(min(samples, default=math.nan)),
        mean=float(np.mean(samples)) if len(samples) else math.nan,
        stddev=float(np.std(samples, ddof=1)) if len(samples) > 1 else math.nan,
        max=float(max(samples, default=math.nan)),
    )


def of_buckets(*buckets, **moments):
    lo, hi, counts = zip(*buckets)
    return Histogram(
        "read",
        "all",
        "hdr",
        np.array(lo),
        np.array(hi),
        np.array(counts, dtype=np.uint64),
        sum(counts),
        **moments,
    )


latencies = st.lists(
    st.one_of(st.integers(0, 2000), st.integers(0, 10**6), st.integers(0, 2**50)), min_size=1, max_size=60
)
layouts = st.sampled_from(("log16", "hdr"))

# --- percentiles ---


def test_percentiles_are_interpolated_by_nearest_rank():
    h = of_buckets((100.0, 200.0, 10), (200.0, 300.0, 30))
    assert h.percentile(25) == (200.0, 100.0, 200.0, False)
    assert h.percentile(50).value == 200 + 100 * 10 / 30
    assert h.percentile(100) == (300.0, 200.0, 300.0, False)
    assert h.percentile(0).value == 100.0


def test_a_rank_that_is_whole_is_not_the_next_one():
    # 99.9 % of 1000 is 999, but 1000 * 99.9 / 100 is 999.0000000000001 in some orders.
    assert histogram.rank_of(1000, 99.9) == 999
    h = of_buckets((1000.0, 1001.0, 999), (5000.0, 5001.0, 1))
    assert h.percentile(99.9).high == 1001.0 and h.percentile(99.99).low == 5000.0


def test_extremes_narrow_their_buckets():
    h = of_buckets((100.0, 200.0, 4), min=150.0, max=151.0)
    assert h.percentile(0).value == 150 and h.percentile(100).value == 151 and h.percentile(50).value == 150.5


def test_the_first_bucket_says_only_below():
    wide = of_buckets((0.0, 256.0, 9), (256.0, 272.0, 1), min=20.0, mean=44.5, max=260.0)
    assert wide.percentile(50) == (256.0, 0.0, 256.0, True)
    assert not wide.percentile(99).is_bounded
    # Where the smallest is known to be near the end of the bucket it is narrow enough.
    assert not of_buckets((0.0, 256.0, 9), min=200.0, mean=210.0).percentile(50).is_bounded


def test_no_percentile_exceeds_what_the_mean_allows():
    h = of_buckets((100.0, 1000.0, 100), min=100.0, mean=110.0, max=1000.0)
    assert h.percentile(50) == (220.0, 100.0, 1000.0, False)
    assert h.percentile(5).value == 110 / 0.95
    assert h.percentile(99).value == 991.0


def test_the_open_bucket_begins_and_ends_at_its_begin():
    h = of_buckets((2.0**30, math.inf, 3))
    assert h.percentile(50).value == 2.0**30
    assert of_buckets((2.0**30, math.inf, 3), max=2.0**31).percentile(100).value == 2.0**31


def test_an_empty_histogram_has_none():
    empty = of_samples([])
    assert all(math.isnan(empty.percentile(percent).value) for percent in PERCENTS)


@given(latencies, layouts)
def test_a_percentile_is_in_the_bucket_of_its_sample(samples, layout):
    h = of_samples(samples, layout)
    ordered = sorted(samples)
    for percent in PERCENTS:
        rank = max(1, math.ceil(histogram.rank_of(len(samples), percent)))
        found = h.percentile(percent)
        assert found.low <= ordered[rank - 1] <= found.high
        assert found.is_bounded or found.low <= found.value <= found.high
        assert min(samples) <= found.value <= max(samples)


@given(latencies, layouts)
def test_percentiles_rise_and_never_contradict_the_mean(samples, layout):
    h = of_samples(samples, layout)
    found = [h.percentile(percent) for percent in PERCENTS]
    known = [one.value for one in found if not one.is_bounded]
    assert known == sorted(known)
    for percent, one in zip(PERCENTS, found):
        assert percent == 100 or one.is_bounded or one.value <= h.mean / (1 - percent / 100) * (1 + 1e-12)


# --- sums ---


@given(st.lists(latencies, min_size=1, max_size=5), layouts)
def test_a_sum_is_the_histogram_of_all_samples(parts, layout):
    whole = of_samples([sample for part in parts for sample in part], layout)
    added = histogram.merge([of_samples(part, layout) for part in parts])
    assert added.count == whole.count == sum(added.counts.tolist())
    for name in ("lo", "hi", "counts"):
        assert getattr(added, name).tolist() == getattr(whole, name).tolist()
    assert (added.min, added.max, added.layout) == (whole.min, whole.max, layout)
    assert added.mean == pytest.approx(whole.mean, rel=1e-12)
    assert added.stddev == pytest.approx(whole.stddev, rel=1e-9, abs=1e-3, nan_ok=True)


@given(latencies, latencies, latencies, layouts)
def test_order_and_grouping_of_a_sum_do_not_matter(a, b, c, layout):
    a, b, c = (of_samples(part, layout) for part in (a, b, c))
    one, other = histogram.merge([histogram.merge([a, b]), c]), histogram.merge([c, a, b])
    assert one.lo.tolist() == other.lo.tolist() and one.counts.tolist() == other.counts.tolist()
    assert one.mean == pytest.approx(other.mean, rel=1e-12)


@given(latencies, layouts)
def test_an_empty_part_adds_nothing(samples, layout):
    h, empty = of_samples(samples, layout), of_samples([], layout)
    for parts in ([h, empty], [empty, h], [h]):
        assert str(histogram.merge(parts)) == str(h)


def test_what_one_part_does_not_know_is_unknown():
    known, unknown = of_samples([300, 500]), of_buckets((304.0, 320.0, 1))
    added = histogram.merge([known, unknown])
    assert added.count == 3 and all(math.isnan(v) for v in (added.min, added.mean, added.stddev, added.max))


def test_overlapping_buckets_and_too_many_counts_are_refused():
    with pytest.raises(ValueError, match="overlap"):
        histogram.merge([of_buckets((100.0, 200.0, 1)), of_buckets((150.0, 250.0, 1))])
    with pytest.raises(ValueError, match="2\\^64-1"):
        histogram.merge([of_buckets((100.0, 200.0, 2**63)), of_buckets((100.0, 200.0, 2**63))])
    assert (
        histogram.merge([of_buckets((100.0, 200.0, 2**63)), of_buckets((100.0, 200.0, 2**63 - 1))]).count
        == 2**64 - 1
    )


def test_counts_above_2_53_stay_exact():
    added = histogram.merge([of_buckets((100.0, 200.0, 2**53 + 1)), of_buckets((100.0, 200.0, 2))])
    assert added.counts.tolist() == [2**53 + 3]


def test_edges_of_the_layouts():
    fixtures = ROOT / "tests/fixtures"
    golden = ROOT / "tests/golden/pmbench-report.xml"
    for path, layout in (
        (golden, "hdr"),
        (golden, "log16"),
        (fixtures / "pmbench-original/uniform.xml", "original"),
    ):
        edges = set(histogram.edges(layout))
        found = [h for h in report.read_file(str(path)).histograms if h.layout == layout]
        assert found and all(set(h.lo) | set(h.hi) <= edges for h in found)
    assert len(histogram.edges("hdr")) == 4993 and len(histogram.edges("log16")) == 250
