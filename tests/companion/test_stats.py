# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor.stats: known answers of published tables, of scipy and of R's documentation, and laws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from memstor import stats
from memstor.metric import Number
from memstor.stats import FASTER, INCONCLUSIVE, NO_DIFFERENCE, SLOWER, Gate, Rule

# Hollander and Wolfe, Nonparametric Statistical Methods (1973), page 69; the example of R's wilcox.test.
AT_TERM = np.array([0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46])
EARLIER = np.array([1.15, 0.88, 0.90, 0.74, 1.21])
STRICT = Rule(margin=0, is_margin_given=True)

values = st.lists(st.floats(0.5, 2000), min_size=1, max_size=8).map(np.array)
tied = st.lists(st.integers(0, 4).map(float), min_size=1, max_size=6).map(np.array)


def array(*numbers):
    return np.array(numbers, dtype=float)


def numbers(*found, low=None, high=None, step=0.0, is_bound=False):
    return [Number(x, x if low is None else low, x if high is None else high, step, is_bound) for x in found]


def decide(base, new, rule=Rule(), better="lower", **keywords):
    base, new = (side if side and isinstance(side[0], Number) else numbers(*side) for side in (base, new))
    return stats.decide(rule, better, base, new, **keywords)


# --- the rank test and its interval ---


def test_mann_whitney_has_u_and_p_of_the_book():
    u, p = stats.mann_whitney(EARLIER, AT_TERM)
    assert u == 35
    assert p / 2 == pytest.approx(0.1272, abs=5e-5)


def test_mann_whitney_without_overlap_has_the_two_extreme_orders():
    assert stats.mann_whitney(array(1, 2, 3, 4, 5), array(6, 7, 8, 9, 10)) == (25, pytest.approx(2 / 252))
    assert stats.mann_whitney(array(5, 1, 4), array(6, 7, 8)) == (9, pytest.approx(2 / 20))
    assert stats.mann_whitney(array(1), array(1)) == (0.5, 1)


def test_mann_whitney_of_more_than_50_values_is_scipys_normal_approximation():
    rng = np.random.default_rng(1)
    base, new = rng.normal(100, 5, 30).round(), rng.normal(103, 5, 30).round()
    wanted = scipy_stats.mannwhitneyu(new, base, method="asymptotic")
    assert stats.mann_whitney(base, new) == (wanted.statistic, wanted.pvalue)


@settings(max_examples=30)
@given(tied, tied)
def test_mann_whitney_with_ties_is_that_of_all_orders(base, new):
    both = np.concatenate([new, base])

    def u_of(chosen):
        rest = [i for i in range(len(both)) if i not in chosen]
        apart = both[list(chosen)][:, None] - both[rest][None, :]
        return np.sum(apart > 0) + np.sum(apart == 0) / 2

    all_of_it = [u_of(chosen) for chosen in itertools.combinations(range(len(both)), len(new))]
    seen = all_of_it[0]
    low, high = np.mean(np.array(all_of_it) <= seen), np.mean(np.array(all_of_it) >= seen)
    assert stats.mann_whitney(base, new) == (seen, pytest.approx(min(1, 2 * min(low, high)), rel=1e-12))


# Tables of U for 5 % on both sides, as in Siegel (1956): the largest U that is significant, plus one.
@pytest.mark.parametrize(
    "n, m, rank",
    [(3, 3, 0), (3, 4, 0), (4, 4, 1), (3, 5, 1), (2, 8, 1), (5, 5, 3), (5, 8, 7), (7, 7, 9), (10, 10, 24)]
    + [(9, 20, 49), (20, 20, 128)],
)
def test_the_interval_begins_where_published_tables_say(n, m, rank):
    assert stats.critical_rank(n, m, 0.95) == rank


def test_the_interval_of_large_groups_continues_that_of_small_ones():
    assert abs(stats.critical_rank(50, 50, 0.95) - stats.critical_rank(50, 51, 0.95)) < 30


def test_four_runs_a_side_have_an_interval_at_95_percent_and_five_at_99():
    assert [stats.least_runs(level) for level in (0.95, 0.99)] == [4, 5]


def test_the_shift_and_its_interval_are_those_of_r():
    # wilcox.test(x, y, conf.int = TRUE): difference in location 0.305, 95 percent interval -0.15 to 0.76.
    base, new = np.exp(EARLIER), np.exp(AT_TERM)
    assert math.log(stats.shift(base, new)) == pytest.approx(0.305)
    assert np.log(stats.rank_interval(base, new, 0.95)) == pytest.approx([-0.15, 0.76])


def test_too_few_runs_have_no_interval_by_ranks():
    assert stats.rank_interval(array(1, 2, 3), array(4, 5, 6), 0.95) is None


def test_zeros_have_ratios():
    assert stats.ratios(array(0, 2), array(0, 1)).tolist() == [0, 0.5, 1, math.inf]
    assert stats.shift(array(0, 0), array(0, 0)) == 1


@given(values, values)
def test_groups_the_other_way_round_have_the_inverse_shift_and_interval(base, new):
    assert stats.shift(base, new) == pytest.approx(1 / stats.shift(new, base))
    there, back = stats.rank_interval(base, new, 0.8), stats.rank_interval(new, base, 0.8)
    if there and back:
        assert (there.low, there.high) == (pytest.approx(1 / back.high), pytest.approx(1 / back.low))


@given(values, values, st.floats(0.1, 10))
def test_the_interval_holds_the_shift_and_scales_with_the_runs(base, new, factor):
    interval, scaled = (stats.rank_interval(base, runs, 0.8) for runs in (new, new * factor))
    if interval and scaled:
        assert interval.low <= stats.shift(base, new) * (1 + 1e-12)
        assert interval.high >= stats.shift(base, new) * (1 - 1e-12)
        assert tuple(scaled) == (pytest.approx(interval.low * factor), pytest.approx(interval.high * factor))


@given(values, values)
def test_more_confidence_has_a_wider_interval(base, new):
    narrow, wide = stats.rank_interval(base, new, 0.6), stats.rank_interval(base, new, 0.9)
    if narrow and wide:
        assert wide.low <= narrow.low and narrow.high <= wide.high


# --- Welch ---


def test_welch_is_scipys_test_of_the_logarithms():
    base, new = array(100, 104, 99), array(110, 118, 112, 109)
    interval, p = stats.welch(base, new, 0.95)
    assert p == pytest.approx(scipy_stats.ttest_ind(np.log(new), np.log(base), equal_var=False).pvalue)
    # The interval's ends are what the test at this level just does not reject.
    for end in interval:
        assert scipy_stats.ttest_ind(
            np.log(new), np.log(base * end), equal_var=False
        ).pvalue == pytest.approx(0.05)


def test_welch_of_equal_runs_has_no_width_and_of_zeros_is_unknown():
    assert stats.welch(array(2, 2), array(4, 4), 0.95) == ((pytest.approx(2), pytest.approx(2)), 0)
    assert stats.welch(array(0, 1), array(1, 2), 0.95) is None
    assert stats.welch(array(1), array(1, 2), 0.95) is None


# --- the median of new ---


# The usual table of the sign test's interval: which of n values, rising, bound the median at 95 %.
@pytest.mark.parametrize("n, rank", [(6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (20, 6), (25, 8)])
def test_the_interval_of_the_median_is_that_of_the_sign_test(n, rank):
    assert stats.median_interval(np.arange(1.0, n + 1), 0.95) == (rank, n + 1 - rank)


def test_the_interval_of_the_median_of_few_runs_is_students():
    logs = np.log(array(10, 11, 12))
    low, high = stats.median_interval(array(10, 11, 12), 0.95)
    for end in (low, high):
        assert scipy_stats.ttest_1samp(logs, math.log(end)).pvalue == pytest.approx(0.05)
    assert stats.median_interval(array(10, 11), 0.95) is None
    assert stats.median_interval(array(0, 0, 0), 0.95) == (0, 0)


# --- the floor ---


def test_a_floor_is_for_groups_of_a_size():
    runs = 100 + np.arange(40) * 7 % 40 / 10
    one, ten, many, mixed = (
        stats.floor(runs, *sizes, 0.95, 0) for sizes in ((1, 1), (10, 10), (99, 99), (1, 10))
    )
    assert one.radius > 1.7 * ten.radius and many.radius == ten.radius
    assert ten.radius < mixed.radius < one.radius
    assert one.p == 1
    # Changes between few runs depend on each other: 40 runs are taken as 40/55 of that.
    assert stats.floor(runs, 1, 1, 0.95, 1.0).p == pytest.approx(55 / 40 / (stats.SPLITS + 1))


def test_a_floor_needs_eight_runs_above_zero():
    assert stats.floor(np.arange(1.0, 8), 1, 1, 0.95, 0) is None
    assert stats.floor(np.zeros(20), 1, 1, 0.95, 0) is None


def test_a_floor_decides_what_single_runs_cannot():
    floor = [100, 101, 102, 103, 100.5, 101.5, 102.5, 100.2, 101.2, 102.2, 100.7, 102.7]
    near = decide([1000], [1015], STRICT, floor_values=floor)
    assert (near.basis, near.verdict) == ("floor", INCONCLUSIVE)
    assert 0.02 < near.floor < 0.04
    far = decide([1000], [1100], STRICT, floor_values=floor)
    assert far.verdict == SLOWER and far.p <= 0.05
    assert decide([1000], [1015], Rule(margin=0.06), floor_values=floor).verdict == NO_DIFFERENCE


def test_a_floor_widens_the_interval_of_many_runs():
    base, new = [100, 100.1, 100.2, 100.3, 100.4], [101.5, 101.6, 101.7, 101.8, 101.9]
    assert decide(base, new, STRICT).verdict == SLOWER
    floor = [100, 101, 102, 103, 100.5, 101.5, 102.5, 100.2, 101.2, 102.2, 100.7, 102.7]
    change = decide(base, new, STRICT, floor_values=floor)
    assert (change.basis, change.verdict, change.more_runs) == ("ranks", INCONCLUSIVE, None)
    assert change.high == pytest.approx((1 + change.change) * (1 + change.floor) - 1)


# --- more runs ---


def test_more_runs_are_those_of_published_power_tables():
    # Cohen: 64 a side find half a standard deviation with a power of 0.8; the rank test needs 67.
    spread = np.exp(np.array([-1, 1]) / math.sqrt(2) * 0.1)
    assert stats.more_runs(spread, spread, math.expm1(0.05), 0.95) == 67 - 2


def test_more_runs_reach_at_least_the_least_for_an_interval():
    assert stats.more_runs(array(5), array(5), 0.02, 0.95) == 3
    assert stats.more_runs(array(5, 5), array(5, 5), 0.02, 0.95) == 2
    assert stats.more_runs(array(1, 2, 3, 4), array(1, 2, 3, 4), 0, 0.95) is None
    # Of runs that are 0 at times, as the system time of a short command, the spread is unknown.
    assert stats.more_runs(array(0, 0), array(5, 0), 0.02, 0.95) == 2
    assert stats.more_runs(array(0, 4, 0, 3, 0), array(5, 0, 0, 4, 4), 0.02, 0.95) is None


# --- many metrics ---


def test_benjamini_and_hochberg_keep_the_four_of_their_example():
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719]
    p += [0.6528, 0.7590, 1.0]
    assert np.count_nonzero(stats.discoveries(p) <= 0.05) == 4


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_adjusted_p_keep_their_order_and_never_fall(p):
    adjusted = stats.discoveries(p)
    assert np.all(adjusted >= np.array(p) * (1 - 1e-12)) and np.all(adjusted <= 1)
    assert np.all(np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-15)


def test_a_difference_among_many_metrics_must_stand_out():
    slower = lambda: decide([100, 101, 102, 103], [110, 111, 112, 113], STRICT)
    barely = lambda: decide([100, 104, 110, 103], [111, 120, 112, 130], STRICT)
    same = lambda: decide([100, 101, 102, 103], [100, 101, 102, 103], STRICT)
    assert stats.settle(0.95, [slower()]) == SLOWER
    assert stats.settle(0.95, [slower()] + [same() for _ in range(5)]) == SLOWER
    changes = [barely()] + [same() for _ in range(20)]
    assert stats.settle(0.95, changes) == INCONCLUSIVE
    assert changes[0].verdict == SLOWER and not changes[0].holds


def test_all_metrics_together_are_equal_only_if_each_is():
    equal = lambda: decide([100, 101, 100, 101], [100, 101, 100, 101])
    unknown = lambda: decide([100], [100])
    faster = lambda: decide([110, 111, 112, 113], [100, 101, 102, 103])
    assert stats.settle(0.95, [equal(), equal()]) == NO_DIFFERENCE
    assert stats.settle(0.95, [equal(), unknown()]) == INCONCLUSIVE
    assert stats.settle(0.95, [equal(), faster()]) == FASTER
    assert stats.settle(0.95, []) == INCONCLUSIVE


# --- the verdict ---

BASE, SLOW = [100, 101, 102, 103], [110, 111, 112, 113]
TWICE = [200, 201, 202, 203, 204, 205, 206, 207, 208]


@pytest.mark.parametrize(
    "rule, better, base, new, verdict, basis",
    [
        (Rule(), "lower", BASE, SLOW, SLOWER, "ranks"),
        (Rule(), "higher", BASE, SLOW, FASTER, "ranks"),
        (Rule(), "lower", SLOW, BASE, FASTER, "ranks"),
        (Rule(), "higher", SLOW, BASE, SLOWER, "ranks"),
        (Rule(), "lower", BASE, [101.2, 101.3, 101.4, 101.5], NO_DIFFERENCE, "ranks"),
        (STRICT, "lower", BASE, [101.2, 101.3, 101.4, 101.5], INCONCLUSIVE, "ranks"),
        (Rule(), "lower", BASE, [95, 100, 104, 108], INCONCLUSIVE, "ranks"),
        (Rule(margin=0.2), "lower", BASE, SLOW, NO_DIFFERENCE, "ranks"),
        (Rule(level=0.99), "lower", BASE, SLOW, SLOWER, "welch"),
        (Rule(), "lower", [100], [200], INCONCLUSIVE, "none"),
        (Rule(), "lower", BASE[:2], TWICE[:7], INCONCLUSIVE, "none"),
        (Rule(), "lower", BASE[:2], TWICE[:8], SLOWER, "ranks"),  # 2 of 45 orders
        (Rule(), "lower", BASE[:3], TWICE[:3], SLOWER, "welch"),
        (Rule(), "lower", [], TWICE, INCONCLUSIVE, "none"),
        (Rule(), "lower", [7] * 4, [7] * 4, NO_DIFFERENCE, "ranks"),
        (Rule(), "lower", [0] * 4, [0] * 4, NO_DIFFERENCE, "ranks"),
        (Rule(), "lower", [0] * 3, [0] * 3, NO_DIFFERENCE, "welch"),
        (Rule(), "lower", [0] * 5, [0, 0, 0, 0, 3], INCONCLUSIVE, "ranks"),
        (Rule(), "lower", [0] * 5, [5, 6, 7, 8, 9], SLOWER, "ranks"),
        (Rule(), "lower", [5, 6, 7, 8, 9], [0] * 5, FASTER, "ranks"),
    ],
)
def test_numbers_margin_direction_and_count_decide(rule, better, base, new, verdict, basis):
    change = decide(base, new, rule, better)
    assert (change.verdict, change.basis) == (verdict, basis)


def test_an_interval_of_four_against_four_is_that_of_the_extreme_ratios():
    change = decide(BASE, SLOW)
    assert (change.base, change.new) == (101.5, 111.5)
    assert (change.low, change.high) == (pytest.approx(110 / 103 - 1), pytest.approx(113 / 100 - 1))
    assert change.low < change.change < change.high


def test_a_p_value_needs_five_runs_a_side():
    six, five = [100, 101, 102, 103, 104, 105], [110, 111, 112, 113, 114]
    assert math.isnan(decide(six[:4], five).p_value) and math.isnan(decide(six, five[:4]).p_value)
    assert decide(six[:5], five).p_value == pytest.approx(2 / 252)


def test_a_difference_stands_out_by_order_and_scatter_but_never_more_than_two_modes_allow():
    assert decide(BASE[:3], TWICE[:3]).p == 2**-5
    assert decide(BASE, TWICE[:4]).p == pytest.approx(2**-7)
    close = decide([100, 101, 102, 103, 104], [104.5, 105, 106, 107, 120])
    scatter = stats.welch(array(100, 101, 102, 103, 104), array(104.5, 105, 106, 107, 120), 0.95)[1]
    assert close.p == pytest.approx(min(2 / 252 / 0.9, scatter / 0.1))


def test_runs_without_the_metric_do_not_count():
    change = stats.decide(Rule(), "lower", [None, *numbers(*BASE)], [*numbers(*SLOW), None])
    assert (change.base_runs, change.new_runs, change.base) == (4, 4, 101.5)


def test_one_bucket_is_no_difference_and_raises_a_margin_that_was_not_given():
    base = numbers(1600, 1601, 1602, 1603, 1604, low=1536, high=1632)
    new = numbers(1610, 1611, 1612, 1613, 1614, low=1536, high=1632)
    change = decide(base, new)
    assert change.verdict == NO_DIFFERENCE and change.p == 1
    assert change.bucket == change.margin == pytest.approx(96 / 1536)
    assert (change.low, change.high) == (pytest.approx(1536 / 1632 - 1), pytest.approx(1632 / 1536 - 1))
    assert (change.new_low, change.new_high) == (1536, 1632)
    assert decide(base, new, Rule(margin=0.02, is_margin_given=True)).verdict == INCONCLUSIVE
    wide = numbers(1600, 1601, 1602, 1603, low=1000, high=2048)
    assert decide(wide, wide).verdict == INCONCLUSIVE


def test_a_median_in_the_first_bucket_is_only_known_to_be_below_its_end():
    below = numbers(256, 256, 256, 256, low=0, high=256, is_bound=True)
    above = numbers(300, 301, 302, 303)
    assert decide(below, below).verdict == INCONCLUSIVE
    rise, fall = decide(below, above), decide(above, below)
    assert (rise.verdict, rise.high, rise.base_is_bound) == (SLOWER, math.inf, True)
    assert (fall.verdict, fall.low, fall.new_is_bound) == (FASTER, -1, True)


def test_one_step_of_the_clock_is_no_significant_change():
    base, new = [54.9, 54.9, 55, 55, 54.9, 55], [65.1, 65.1, 65.1, 65.2, 65.1, 65.1]
    assert decide(base, new).verdict == SLOWER
    coarse = lambda *found: numbers(*found, step=10.2)
    change = decide(coarse(*base), coarse(*new))
    assert change.verdict == INCONCLUSIVE and change.low <= 0 and change.high >= 10.2 / 55 and change.p == 1
    assert decide(coarse(*base), coarse(*base)).verdict == NO_DIFFERENCE
    assert decide(coarse(*base), coarse(*base), STRICT).verdict == INCONCLUSIVE
    assert decide(coarse(*base), coarse(85.5, 85.5, 85.5, 85.6, 85.5, 85.5)).verdict == SLOWER
    assert decide(coarse(5, 5, 5, 5), coarse(5, 5, 5, 5)).low >= -1


def test_an_inconclusive_change_says_how_many_runs_decide_it():
    assert decide([100, 104, 108, 112], [101, 105, 109, 113]).more_runs > 10
    assert decide(BASE, SLOW).more_runs is None
    assert decide([100], [200]).more_runs == 3


def test_more_runs_do_not_help_where_noise_or_histogram_are_too_coarse():
    floor = [100 + 20 * (i % 3) for i in range(12)]
    assert decide(BASE, SLOW, floor_values=floor).verdict == INCONCLUSIVE
    assert decide(BASE, SLOW, floor_values=floor).more_runs is None
    below = numbers(256, 256, 256, 256, low=0, high=256, is_bound=True)
    assert decide(below, below).more_runs is None


@settings(max_examples=25)
@given(values, values)
def test_a_verdict_the_other_way_round_is_the_opposite(base, new):
    there, back = decide(list(base), list(new), STRICT), decide(list(new), list(base), STRICT)
    opposite = {FASTER: SLOWER, SLOWER: FASTER}
    assert back.verdict == opposite.get(there.verdict, there.verdict)


# --- gates ---


def limit(value, is_change, is_below):
    return Gate("", (), value, is_change, is_below)


@pytest.mark.parametrize(
    "gate, state",
    [
        (limit(0.14, True, True), "passed"),
        (limit(0.05, True, True), "failed"),
        (limit(0.09, True, True), "inconclusive"),
        (limit(0.05, True, False), "passed"),
        (limit(0.14, True, False), "failed"),
        (limit(120.0, False, True), "passed"),
        (limit(100.0, False, True), "failed"),
        (limit(111.0, False, True), "inconclusive"),
    ],
)
def test_a_gate_holds_the_whole_interval_against_its_limit(gate, state):
    assert gate.state(decide(BASE, SLOW)) == state


def test_a_gate_without_an_interval_is_inconclusive_and_without_runs_absent():
    assert limit(0.05, True, True).state(decide([100], [101])) == "inconclusive"
    assert limit(0.05, True, True).state(decide([], [])) == "absent"
