/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/stats.h"
#include "memstor/compare/compare.h"

#define RUNS_MAX 40

static const struct compare_rule usual = {.level = 0.95, .margin = 0.02, .seed = 1};
static const struct compare_rule strict = {.level = 0.95, .margin = 0, .is_margin_given = true, .seed = 1};

struct groups {
	struct metric_number base[RUNS_MAX], new[RUNS_MAX];
	struct compare_samples samples;
};

static void set_group(struct metric_number *numbers, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = (struct metric_number){values[i], values[i], values[i], 0};
}

static void set_groups(struct groups *groups, const double *base, size_t n, const double *new, size_t m)
{
	set_group(groups->base, base, n);
	set_group(groups->new, new, m);
	groups->samples = (struct compare_samples){groups->base, groups->new, n, m, NULL, 0, NULL};
}

static struct compare_change decided(
	const struct compare_rule *rule, enum metric_better better, const struct groups *groups)
{
	struct compare_change change;

	assert_int_equal(compare_metric_decide(rule, better, &groups->samples, &change), 0);
	return change;
}

static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

static void set_step(struct groups *groups, double step)
{
	for (size_t i = 0; i < RUNS_MAX; i++)
		groups->base[i].step = groups->new[i].step = step;
}

/* Medians of hits on a clock with steps of 10.2 ns, as A/A runs had them: 18.6 % apart, and the same. */
TEST("one step of the clock is no significant change")
{
	static const double base[] = {54.9, 54.9, 55, 55, 54.9, 55}, new[] = {65.1, 65.1, 65.1, 65.2, 65.1, 65.1};
	static const double other[] = {85.5, 85.5, 85.5, 85.6, 85.5, 85.5}, below[] = {4.9, 5, 5, 5, 5.1, 5};
	struct groups groups;
	struct compare_change change;

	set_groups(&groups, base, 6, new, 6);
	assert_int_equal(decided(&usual, METRIC_LOWER, &groups).verdict, COMPARE_SLOWER);
	set_step(&groups, 10.2);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_int_equal(change.verdict, COMPARE_INCONCLUSIVE);
	assert_true(change.low <= 0 && change.high >= 10.2 / 55 && change.p == 1);
	set_groups(&groups, base, 6, base, 6);
	set_step(&groups, 10.2);
	assert_int_equal(decided(&usual, METRIC_LOWER, &groups).verdict, COMPARE_NO_DIFFERENCE);
	assert_int_equal(decided(&strict, METRIC_LOWER, &groups).verdict, COMPARE_INCONCLUSIVE);
	set_groups(&groups, base, 6, other, 6);
	set_step(&groups, 10.2);
	assert_int_equal(decided(&usual, METRIC_LOWER, &groups).verdict, COMPARE_SLOWER);
	/* Nothing becomes less than nothing. */
	set_groups(&groups, below, 6, below, 6);
	set_step(&groups, 10.2);
	assert_true(decided(&usual, METRIC_LOWER, &groups).low >= -1);
}

/* 4 against 4: the interval is that of the extreme ratios. */
TEST("intervals of a comparison equal those by hand")
{
	static const double base[] = {100, 101, 102, 103}, slower[] = {110, 111, 112, 113};
	struct groups groups;
	struct compare_change change;

	set_groups(&groups, base, 4, slower, 4);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(change.base == 101.5 && change.new == 111.5 && is_close(change.change, 111.5 / 101.5 - 1));
	assert_true(is_close(change.low, 110.0 / 103 - 1) && is_close(change.high, 113.0 / 100 - 1));
	assert_true(isnan(change.rank_p) && change.margin == 0.02);
	set_groups(&groups, base, 1, slower, 1);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(is_close(change.change, 0.1) && isnan(change.low) && isnan(change.high) && isnan(change.p));
	set_groups(&groups, base, 0, slower, 3);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(isnan(change.base) && change.new == 111 && isnan(change.change));
}

TEST("numbers, margin, direction and method decide verdict and basis")
{
	static const double base[] = {100, 101, 102, 103}, slower[] = {110, 111, 112, 113},
			    same[] = {101.2, 101.3, 101.4, 101.5}, wild[] = {95, 100, 104, 108};
	static const double twice[] = {200, 201, 202, 203, 204, 205, 206, 207, 208};
	static const double seven[] = {7, 7, 7, 7}, zero[] = {0, 0, 0, 0, 0}, some[] = {0, 0, 0, 0, 3};
	static const struct compare_rule wide = {.level = 0.95, .margin = 0.2, .seed = 1};
	static const struct compare_rule bootstrap = {.level = 0.95, .margin = 0.02, .method = COMPARE_BY_BOOTSTRAP, .seed = 1};
	static const struct {
		const char *what;
		const struct compare_rule *rule;
		enum metric_better better;
		const double *base;
		size_t base_count;
		const double *new;
		size_t new_count;
		enum compare_verdict verdict;
		enum compare_basis basis;
	} rows[] = {
		{"a rise of what is better low", &usual, METRIC_LOWER, base, 4, slower, 4, COMPARE_SLOWER, COMPARE_RANKS},
		{"a rise of what is better high", &usual, METRIC_HIGHER, base, 4, slower, 4, COMPARE_FASTER, COMPARE_RANKS},
		{"a fall of what is better low", &usual, METRIC_LOWER, slower, 4, base, 4, COMPARE_FASTER, COMPARE_RANKS},
		{"a fall of what is better high", &usual, METRIC_HIGHER, slower, 4, base, 4, COMPARE_SLOWER, COMPARE_RANKS},
		/* 101.2/103 to 101.5/100: within 2 %, not within 1 %. */
		{"a change within the margin", &usual, METRIC_LOWER, base, 4, same, 4, COMPARE_NO_DIFFERENCE, COMPARE_RANKS},
		{"an interval around 0 without margin", &strict, METRIC_LOWER, base, 4, same, 4, COMPARE_INCONCLUSIVE,
			COMPARE_RANKS},
		{"an interval around 0", &usual, METRIC_LOWER, base, 4, wild, 4, COMPARE_INCONCLUSIVE, COMPARE_RANKS},
		{"a difference within a wide margin", &wide, METRIC_LOWER, base, 4, slower, 4, COMPARE_NO_DIFFERENCE,
			COMPARE_RANKS},
		{"one run a side", &usual, METRIC_LOWER, base, 1, twice, 1, COMPARE_INCONCLUSIVE, COMPARE_NO_BASIS},
		{"two runs against seven", &usual, METRIC_LOWER, base, 2, twice, 7, COMPARE_INCONCLUSIVE, COMPARE_NO_BASIS},
		/* Enough orders: 2 of C(10,2) = 45. */
		{"two runs against eight", &usual, METRIC_LOWER, base, 2, twice, 8, COMPARE_SLOWER, COMPARE_RANKS},
		{"three runs a side", &usual, METRIC_LOWER, base, 3, twice, 3, COMPARE_SLOWER, COMPARE_STUDENT},
		{"no run of BASE", &usual, METRIC_LOWER, base, 0, twice, 3, COMPARE_INCONCLUSIVE, COMPARE_NO_BASIS},
		{"one number in all runs", &usual, METRIC_LOWER, seven, 4, seven, 4, COMPARE_NO_DIFFERENCE, COMPARE_RANKS},
		{"zero in all runs", &usual, METRIC_LOWER, zero, 4, zero, 4, COMPARE_NO_DIFFERENCE, COMPARE_RANKS},
		{"zero in all runs but one", &usual, METRIC_LOWER, zero, 5, some, 5, COMPARE_INCONCLUSIVE, COMPARE_RANKS},
		/* It would be too narrow. */
		{"the bootstrap of four runs", &bootstrap, METRIC_LOWER, base, 4, twice, 5, COMPARE_SLOWER, COMPARE_RANKS},
		{"the bootstrap of five runs", &bootstrap, METRIC_LOWER, twice, 5, twice + 4, 5, COMPARE_SLOWER,
			COMPARE_BOOTSTRAP},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct compare_change change;
		struct groups groups;

		set_groups(&groups, rows[i].base, rows[i].base_count, rows[i].new, rows[i].new_count);
		change = decided(rows[i].rule, rows[i].better, &groups);
		if (change.verdict != rows[i].verdict || change.basis != rows[i].basis)
			fail_msg("%s: %s by %s, wanted %s by %s", rows[i].what, compare_verdict_names[change.verdict],
				compare_basis_names[change.basis], compare_verdict_names[rows[i].verdict],
				compare_basis_names[rows[i].basis]);
	}
}

/* p is shown from 5 a side up and never below. */
TEST("p needs five runs")
{
	static const double base[] = {100, 101, 102, 103, 104, 105}, new[] = {110, 111, 112, 113, 114};
	struct groups groups;

	set_groups(&groups, base, 4, new, 5);
	assert_true(isnan(decided(&usual, METRIC_LOWER, &groups).rank_p));
	set_groups(&groups, base, 5, new, 4);
	assert_true(isnan(decided(&usual, METRIC_LOWER, &groups).rank_p));
	set_groups(&groups, base, 5, new, 5);
	assert_true(is_close(decided(&usual, METRIC_LOWER, &groups).rank_p, 2.0 / 252));
}

TEST("runs without the metric are counted")
{
	static const double values[] = {100, NAN, 102, 103, 104, 105}, five[] = {100, 101, 102, 103, NAN};
	struct groups groups;
	struct compare_change change;

	set_groups(&groups, values, 6, five, 5);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_int_equal(change.base_count, 5);
	assert_int_equal(change.base_missing, 1);
	assert_int_equal(change.new_count, 4);
	assert_int_equal(change.new_missing, 1);
	assert_true(change.base == 103 && change.new == 101.5);
}

TEST("groups of zeros are compared without a division by zero")
{
	static const double zeros[] = {0, 0, 0, 0, 0}, some[] = {5, 6, 7, 8, 9};
	struct groups groups;
	struct compare_change change;

	set_groups(&groups, zeros, 5, zeros, 5);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(change.change == 0 && change.low == 0 && change.high == 0);
	assert_int_equal(change.verdict, COMPARE_NO_DIFFERENCE);
	set_groups(&groups, zeros, 5, some, 5);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(isinf(change.change) && isinf(change.low));
	assert_int_equal(change.verdict, COMPARE_SLOWER);
	set_groups(&groups, some, 5, zeros, 5);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(change.change == -1 && change.high == -1);
	assert_int_equal(change.verdict, COMPARE_FASTER);
}

/* Medians 1 and 2, but of all pairs most are equal: the ranks' interval is [1, 1.1], and is made to hold the
 * change. */
TEST("the interval holds the change")
{
	static const double base[] = {1, 1, 1, 1, 1, 1.9, 1.9, 1.9, 1.9}, new[] = {1, 1, 1, 1, 2, 2, 2, 2, 2};
	struct groups groups;
	struct compare_change change;
	struct stats_interval ranks;

	assert_int_equal(stats_ratio_ranks(base, 9, new, 9, 0.5, &ranks), 0);
	assert_true(ranks.high < 2);
	set_groups(&groups, base, 9, new, 9);
	change = decided(&(struct compare_rule){.level = 0.5, .margin = 0, .is_margin_given = true},
		METRIC_LOWER, &groups);
	assert_true(change.change == 1 && change.high == 1 && is_close(change.low, ranks.low - 1));
}

static void put_in_bucket(struct metric_number *numbers, size_t count, double low, double high)
{
	for (size_t i = 0; i < count; i++) {
		numbers[i].low = low;
		numbers[i].high = high;
	}
}

/* Percentiles are interpolated: what moves inside one bucket need not have moved at all. */
TEST("one bucket is no difference")
{
	static const double base[] = {1600, 1601, 1602, 1603, 1604}, new[] = {1610, 1611, 1612, 1613, 1614};
	const struct compare_rule narrow = {.level = 0.95, .margin = 0.02, .is_margin_given = true};
	struct groups groups;
	struct compare_change change;

	set_groups(&groups, base, 5, new, 5);
	assert_int_equal(decided(&strict, METRIC_LOWER, &groups).verdict, COMPARE_SLOWER);
	put_in_bucket(groups.base, 5, 1536, 1632);
	put_in_bucket(groups.new, 5, 1536, 1632);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(is_close(change.bucket, 96.0 / 1536) && change.margin == change.bucket && change.p == 1);
	assert_true(is_close(change.low, 1536.0 / 1632 - 1) && is_close(change.high, 1632.0 / 1536 - 1));
	assert_true(change.new_low == 1536 && change.new_high == 1632);
	assert_int_equal(change.verdict, COMPARE_NO_DIFFERENCE);
	/* A margin that was asked for is not met by a histogram that cannot tell. */
	assert_int_equal(decided(&narrow, METRIC_LOWER, &groups).verdict, COMPARE_INCONCLUSIVE);
	/* Everything below 256 ns is one bucket of log16: that says nothing. */
	put_in_bucket(groups.base, 5, 0, 2048);
	put_in_bucket(groups.new, 5, 0, 2048);
	assert_int_equal(decided(&usual, METRIC_LOWER, &groups).verdict, COMPARE_INCONCLUSIVE);
	/* Two buckets: the samples are on two sides of an edge. */
	put_in_bucket(groups.base, 5, 1536, 1605);
	put_in_bucket(groups.new, 5, 1605, 1632);
	assert_int_equal(decided(&strict, METRIC_LOWER, &groups).verdict, COMPARE_SLOWER);
}

/* 12 A/A runs of which any two are at most 3 % apart. */
TEST("a noise floor decides what a single run cannot")
{
	static const double floor[] = {100, 101, 102, 103, 100.5, 101.5, 102.5, 100.2, 101.2, 102.2, 100.7, 102.7};
	static const double one[] = {1000}, near[] = {1015}, far[] = {1100},
			    five[] = {100, 100.1, 100.2, 100.3, 100.4};
	static const double apart[] = {101.5, 101.6, 101.7, 101.8, 101.9};
	const struct compare_rule wide = {.level = 0.95, .margin = 0.06, .is_margin_given = true, .seed = 1};
	double beyond[5];
	struct groups groups;
	struct compare_change change;

	set_groups(&groups, one, 1, near, 1);
	groups.samples.floor = floor;
	groups.samples.floor_count = 12;
	change = decided(&strict, METRIC_LOWER, &groups);
	assert_int_equal(change.basis, COMPARE_FLOOR);
	assert_true(change.floor.radius > 0.02 && change.floor.radius < 0.04 && change.floor.runs == 12);
	assert_true(is_close(log1p(change.high), log(1.015) + change.floor.radius));
	/* Below the floor, but the floor is not below the margin: it cannot be told. */
	assert_int_equal(change.verdict, COMPARE_INCONCLUSIVE);
	assert_int_equal(decided(&wide, METRIC_LOWER, &groups).verdict, COMPARE_NO_DIFFERENCE);
	set_groups(&groups, one, 1, far, 1);
	groups.samples.floor = floor;
	groups.samples.floor_count = 12;
	change = decided(&strict, METRIC_LOWER, &groups);
	assert_int_equal(change.verdict, COMPARE_SLOWER);
	assert_true(change.p <= 0.05);
	/* Of other runs, too: what 5 runs find in themselves is not what they would find on another day. */
	set_groups(&groups, five, 5, apart, 5);
	assert_int_equal(decided(&strict, METRIC_LOWER, &groups).verdict, COMPARE_SLOWER);
	groups.samples.floor = floor;
	groups.samples.floor_count = 12;
	change = decided(&strict, METRIC_LOWER, &groups);
	assert_int_equal(change.basis, COMPARE_RANKS);
	assert_int_equal(change.verdict, COMPARE_INCONCLUSIVE);
	assert_true(is_close(log1p(change.high), log1p(change.change) + change.floor.radius));
	/* What just passes the floor stands out no more than that among others. */
	for (size_t i = 0; i < 5; i++)
		beyond[i] = five[i] * exp(1.02 * change.floor.radius);
	set_groups(&groups, five, 5, beyond, 5);
	groups.samples.floor = floor;
	groups.samples.floor_count = 12;
	change = decided(&strict, METRIC_LOWER, &groups);
	assert_int_equal(change.verdict, COMPARE_SLOWER);
	assert_true(change.floor.p > 0.02 && change.p == change.floor.p);
	set_groups(&groups, five, 5, apart, 5);
	groups.samples.floor = floor;
	groups.samples.floor_count = 7;
	change = decided(&strict, METRIC_LOWER, &groups);
	assert_true(isnan(change.floor.radius));
	assert_int_equal(change.verdict, COMPARE_SLOWER);
}

/* Medians of ten scatter less than runs do; groups larger than a quarter of the runs are as that quarter. */
TEST("a floor is for groups of a size")
{
	struct compare_floor one, ten, many, short_of;
	double values[40], zero[40] = {0};

	for (size_t i = 0; i < 40; i++)
		values[i] = 100 + (double)(i * 7 % 40) / 10;
	assert_int_equal(compare_floor(values, 40, 1, 1, 0.95, 1, 0, &one), 0);
	assert_int_equal(compare_floor(values, 40, 10, 10, 0.95, 1, 0, &ten), 0);
	assert_int_equal(compare_floor(values, 40, 100, 100, 0.95, 1, 0, &many), 0);
	assert_int_equal(compare_floor(values, 40, 1, 10, 0.95, 1, 0, &short_of), 0);
	assert_true(one.radius > 1.7 * ten.radius && many.radius == ten.radius);
	assert_true(short_of.radius < one.radius && short_of.radius > ten.radius);
	assert_true(one.p == 1 && one.runs == 40);
	assert_int_equal(compare_floor(zero, 40, 1, 1, 0.95, 1, 0, &one), 0);
	assert_true(isnan(one.radius));
}

TEST("series decide only with --within-run")
{
	static const double one[] = {1000}, other[] = {1100};
	const struct compare_within within = {1.08, 1.12, 0.001};
	const struct compare_rule told = {.level = 0.95, .margin = 0.02, .is_within_run_enough = true};
	struct groups groups;
	struct compare_change change;

	set_groups(&groups, one, 1, other, 1);
	groups.samples.within = &within;
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_int_equal(change.basis, COMPARE_NO_BASIS);
	assert_int_equal(change.verdict, COMPARE_INCONCLUSIVE);
	assert_true(is_close(change.within_low, 0.08) && is_close(change.within_high, 0.12) && isnan(change.low));
	change = decided(&told, METRIC_LOWER, &groups);
	assert_int_equal(change.basis, COMPARE_WITHIN_RUN);
	assert_int_equal(change.verdict, COMPARE_SLOWER);
}

/* NEW's own value: by order statistics from 6 runs, by Student from 3, the floor's below. */
TEST("the value of NEW has an interval by the method that its count allows")
{
	static const double values[] = {10, 11, 12, 13, 14, 15};
	static const double floor[] = {100, 101, 102, 103, 100, 101, 102, 103};
	struct groups groups;
	struct compare_change change;

	set_groups(&groups, values, 6, values, 6);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(change.new_low == 10 && change.new_high == 15);
	set_groups(&groups, values, 6, values, 3);
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(change.new_low < 10 && change.new_high > 12 && change.new_high < 20);
	set_groups(&groups, values, 6, values, 2);
	assert_true(isnan(decided(&usual, METRIC_LOWER, &groups).new_low));
	groups.samples.floor = floor;
	groups.samples.floor_count = 8;
	change = decided(&usual, METRIC_LOWER, &groups);
	assert_true(change.new_low < 10.5 && change.new_low > 10 && change.new_high > 10.5 && change.new_high < 11);
}

TEST("the bootstrap is used when the rule asks for it")
{
	static const double base[] = {100, 101, 102, 103, 104}, new[] = {110, 111, 112, 113, 114};
	struct compare_rule rule = usual;
	struct stats_interval interval;
	struct groups groups;
	struct compare_change change;

	rule.method = COMPARE_BY_BOOTSTRAP;
	set_groups(&groups, base, 5, new, 5);
	change = decided(&rule, METRIC_LOWER, &groups);
	assert_int_equal(stats_ratio_bootstrap(base, 5, new, 5, 0.95, COMPARE_ROUNDS, 1, &interval, NULL), 0);
	assert_int_equal(change.basis, COMPARE_BOOTSTRAP);
	assert_true(is_close(change.low, interval.low - 1) && is_close(change.high, interval.high - 1));
}

/* As counts of pages that were swapped in are where nothing was paged. */
TEST("zero against zero is no difference")
{
	static const double none[RUNS_MAX] = {0};
	struct groups groups;
	struct compare_change change;

	for (size_t runs = 1; runs <= 6; runs++) {
		set_groups(&groups, none, runs, none, runs);
		change = decided(&usual, METRIC_LOWER, &groups);
		/* Of so few runs nothing is said of any number. */
		assert_int_equal(change.verdict, runs < COMPARE_STUDENT_RUNS ? COMPARE_INCONCLUSIVE : COMPARE_NO_DIFFERENCE);
		assert_true(change.base == 0 && change.new == 0 && change.change == 0);
		assert_true(runs < COMPARE_STUDENT_RUNS || (is_close(change.low, 0) && is_close(change.high, 0)));
		assert_true(runs < COMPARE_STUDENT_RUNS || (change.new_low == 0 && change.new_high == 0));
	}
}
