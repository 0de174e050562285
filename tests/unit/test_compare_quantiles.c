/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <gsl/gsl_cdf.h>
#include "common/histogram.h"
#include "common/hot/bucket.h"
#include "memstor/compare/compare.h"
#include "tests/unit/normal.h"

#define RUNS_MAX 16
#define BUCKETS_MAX 4096

/* Log-normal latencies around a run's own middle, in hdr buckets. */
struct made {
	uint64_t counts[BUCKET_HDR_COUNT];
	struct loaded_bucket buckets[BUCKETS_MAX];
	struct loaded_histogram histogram;
};

static void close_histogram(struct made *made)
{
	struct loaded_histogram *histogram = &made->histogram;

	for (unsigned i = 0; i < BUCKET_HDR_COUNT; i++) {
		uint64_t lo, hi;

		if (!made->counts[i])
			continue;
		histogram_hdr.edges(i, &lo, &hi);
		made->buckets[histogram->bucket_count++] =
			(struct loaded_bucket){(double)lo, (double)hi, made->counts[i]};
	}
	histogram->buckets = made->buckets;
}

static void make(struct made *made, unsigned samples, double middle_ns, struct rng *rng)
{
	memset(made, 0, sizeof(*made));
	made->histogram = (struct loaded_histogram){.type = "", .class = "", .layout = "", .min_ns = INFINITY};
	for (unsigned i = 0; i < samples; i++) {
		double ns = floor(middle_ns * exp(0.5 * normal(rng)));

		made->counts[bucket_hdr((uint64_t)ns)]++;
		made->histogram.count++;
		made->histogram.min_ns = fmin(made->histogram.min_ns, ns);
		made->histogram.max_ns = fmax(made->histogram.max_ns, ns);
	}
	close_histogram(made);
}

TEST("histograms with different bucket edges are added on a common grid")
{
	static const struct loaded_bucket one[] = {{0, 10, 1}, {20, 30, 2}},
					  other[] = {{10, 20, 4}, {20, 30, 8}, {30, 40, 16}};
	const struct loaded_histogram histograms[] = {
		{.type = "",
			.class = "",
			.layout = "",
			.count = 3,
			.min_ns = 5,
			.max_ns = 25,
			.bucket_count = 2,
			.buckets = one},
		{.type = "",
			.class = "",
			.layout = "",
			.count = 28,
			.min_ns = 12,
			.max_ns = 39,
			.bucket_count = 3,
			.buckets = other},
	};
	const struct loaded_histogram *parts[] = {&histograms[0], &histograms[1]};
	const size_t both[] = {0, 1}, twice[] = {0, 0};
	struct loaded_histogram sum;
	struct compare_grid grid;

	assert_int_equal(compare_grid_make(parts, 2, &grid), 0);
	assert_int_equal(grid.buckets, 4);
	assert_int_equal(grid.all.count, 31);
	sum = compare_grid_sum(&grid, both, 2);
	assert_int_equal(sum.count, 31);
	assert_int_equal(sum.buckets[2].count, 10);
	assert_true(sum.min_ns == 5 && sum.max_ns == 39);
	assert_true(loaded_percentile(&sum, 50) == loaded_percentile(&grid.all, 50));
	sum = compare_grid_sum(&grid, twice, 2);
	assert_int_equal(sum.count, 6);
	assert_int_equal(sum.buckets[0].count, 2);
	assert_int_equal(sum.buckets[1].count, 0);
	assert_true(sum.max_ns == 25);
	compare_grid_free(&grid);
}

static struct compare_shift shift_of(
	const struct loaded_histogram *const *base, size_t n, const struct loaded_histogram *const *new, size_t m)
{
	struct compare_shift shift = {.name = "read"};

	assert_int_equal(compare_quantiles(base, n, new, m, 0.95, 1, &shift), 0);
	assert_string_equal(shift.name, "read");
	return shift;
}

/* All of 1000 samples in 1000..1010 or 2000..2010: every quantile is twice as late, to a bucket's width. */
TEST("single runs have bands of their samples")
{
	static const struct loaded_bucket slow[] = {{2000, 2010, 1000}}, fast[] = {{1000, 1010, 1000}};
	const struct loaded_histogram base = {.type = "", .class = "", .layout = "", .count = 1000, .min_ns = 1000,
		.max_ns = 1009, .bucket_count = 1, .buckets = fast};
	const struct loaded_histogram new = {.type = "", .class = "", .layout = "", .count = 1000, .min_ns = 2000,
		.max_ns = 2009, .bucket_count = 1, .buckets = slow};
	const struct loaded_histogram *base_list[] = {&base}, *new_list[] = {&new};
	struct compare_shift shift = shift_of(base_list, 1, new_list, 1);

	assert_true(shift.is_within_run);
	assert_int_equal(shift.base_samples, 1000);
	for (size_t i = 1; i < COMPARE_QUANTILES - 2; i++) {
		assert_true(shift.quantiles[i].low == 2000.0 / 1009 - 1);
		assert_true(shift.quantiles[i].high == 2009.0 / 1000 - 1);
	}
	/* No sample of a thousand bounds the quantile of one in ten thousand. */
	assert_true(shift.quantiles[10].percent == 99.99 && isinf(shift.quantiles[10].high));
	assert_true(shift.quantiles[10].low == -1);
	/* In one and the same bucket nothing moved. */
	shift = shift_of(base_list, 1, base_list, 1);
	assert_true(shift.quantiles[4].change == 0 && shift.quantiles[4].low <= 1000.0 / 1010 - 1 &&
		    shift.quantiles[4].high >= 1010.0 / 1000 - 1);
}

/* Two runs at 1000 and 2000 ns: of the resamples a quarter has its median at 2000, the others at 1000, so that its
 * logarithm varies by 3/16 ln(2)^2, and twice that for new runs. NEW does not vary: one degree of freedom. */
TEST("the band by hand")
{
	static const struct loaded_bucket early[] = {{1000, 1001, 1000}}, late[] = {{2000, 2001, 1000}};
	const struct loaded_histogram one = {.type = "", .class = "", .layout = "", .count = 1000, .min_ns = 1000,
		.max_ns = 1000, .bucket_count = 1, .buckets = early};
	const struct loaded_histogram other = {.type = "", .class = "", .layout = "", .count = 1000, .min_ns = 2000,
		.max_ns = 2000, .bucket_count = 1, .buckets = late};
	const struct loaded_histogram *base[] = {&one, &other}, *new[] = {&other, &other};
	struct compare_shift shift = shift_of(base, 2, new, 2);
	double width = gsl_cdf_tdist_Qinv(0.05 / 22, 1) * sqrt(2 * 3.0 / 16) * log(2);

	assert_true(shift.quantiles[4].percent == 50 && fabs(shift.quantiles[4].change - 1) < 0.002);
	assert_true(fabs(log1p(shift.quantiles[4].high) - log(2) - width) < 0.1 * width);
	assert_true(shift.quantiles[4].low < -0.999);
}

TEST("a shift of quantiles is refused without runs or with different buckets")
{
	static const struct loaded_bucket fine[] = {{0, 10, 1}}, coarse[] = {{0, 16, 1}};
	const struct loaded_histogram one = {
		.type = "", .class = "", .layout = "", .count = 1, .bucket_count = 1, .buckets = fine};
	const struct loaded_histogram other = {.type = "", .class = "", .layout = "", .count = 1, .bucket_count = 1,
		.buckets = coarse};
	const struct loaded_histogram *mixed[] = {&one, &other};
	struct compare_shift shift = {.name = "as before"};

	assert_int_equal(compare_quantiles(mixed, 0, mixed, 1, 0.95, 1, &shift), -EINVAL);
	assert_int_equal(compare_quantiles(mixed, 1, mixed, 0, 0.95, 1, &shift), -EINVAL);
	assert_int_equal(compare_quantiles(mixed, 2, mixed, 1, 0.95, 1, &shift), -EINVAL);
	assert_string_equal(shift.name, "as before");
}

/* Runs whose middles scatter by 3 %, of 2000 samples each (a single one of 40000); in how many of the pairs
 * is 0 outside the band anywhere? */
static unsigned count_outside(unsigned pairs, size_t runs, double factor, bool *is_wide_at_tail)
{
	static struct made made[2 * RUNS_MAX];
	const struct loaded_histogram *base[RUNS_MAX], *new[RUNS_MAX];
	unsigned outside = 0, samples = runs == 1 ? 40000 : 2000;
	struct rng rng;

	rng_seed(&rng, 29, runs);
	for (unsigned pair = 0; pair < pairs; pair++) {
		struct compare_shift shift;
		bool is_outside = false;

		for (size_t i = 0; i < runs; i++) {
			make(&made[i], samples, 5000 * exp(0.03 * normal(&rng)), &rng);
			make(&made[RUNS_MAX + i], samples, factor * 5000 * exp(0.03 * normal(&rng)), &rng);
			base[i] = &made[i].histogram;
			new[i] = &made[RUNS_MAX + i].histogram;
		}
		shift = shift_of(base, runs, new, runs);
		assert_int_equal(shift.is_within_run, runs == 1);
		for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
			const struct compare_quantile *quantile = &shift.quantiles[i];

			assert_true(quantile->low <= quantile->change && quantile->change <= quantile->high);
			is_outside |= quantile->low > 0 || quantile->high < 0;
		}
		*is_wide_at_tail = shift.quantiles[10].high > shift.quantiles[4].high;
		outside += is_outside;
	}
	return outside;
}

/* The band holds for all quantiles at once in 95 of 100 cases; of single runs it holds for these runs only, and the
 * scatter from run to run is not in it: that is what "within the run" means. */
TEST("bands of runs hold")
{
	static const size_t sizes[] = {2, 3, 5, 10};
	/* An emulator needs minutes for all of them. */
	unsigned part = unit_is_emulated() ? 6 : 1;
	bool is_wide;

	for (size_t i = 0; i < 4; i++) {
		unsigned pairs = (sizes[i] == 10 ? 60 : 120) / part;

		/* 5 % are 6 (3 of 60, 1 of 20, 0.5 of 10), with a standard deviation of 2.4 (1.7, 1, 0.7). */
		assert_in_range(count_outside(pairs, sizes[i], 1, &is_wide), 0, part > 1 ? 5 : sizes[i] == 10 ? 8 : 14);
		assert_true(is_wide);
	}
	assert_in_range(count_outside(60 / part, 1, 1, &is_wide), 15 / part, 60);
	assert_in_range(count_outside(60 / part, 5, 1.3, &is_wide), 57 / part, 60);
}

TEST("the same seed gives the same band")
{
	static struct made made[4];
	const struct loaded_histogram *base[] = {&made[0].histogram, &made[1].histogram};
	const struct loaded_histogram *new[] = {&made[2].histogram, &made[3].histogram};
	struct compare_shift one, other;
	struct rng rng;

	rng_seed(&rng, 31, 0);
	for (size_t i = 0; i < 4; i++)
		make(&made[i], 500, 4000 + 100.0 * (double)i, &rng);
	one = shift_of(base, 2, new, 2);
	other = shift_of(base, 2, new, 2);
	assert_memory_equal(one.quantiles, other.quantiles, sizeof(one.quantiles));
	memset(&other, 0, sizeof(other));
	assert_int_equal(compare_quantiles(base, 2, new, 2, 0.95, 2, &other), 0);
	assert_true(one.quantiles[4].high != other.quantiles[4].high);
}
