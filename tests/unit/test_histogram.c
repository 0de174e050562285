/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/stats/histogram.h"
#include "common/hot/bucket.h"
#include "common/hot/rng.h"

#define SAMPLES 20000u
#define MAX_BUCKETS BUCKET_HDR_COUNT

static const struct histogram_layout *const layouts[] = {&histogram_log16, &histogram_hdr};

struct recorded {
	uint64_t counts[MAX_BUCKETS];
	struct histogram_moments moments;
	uint64_t samples[SAMPLES]; /* sorted */
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void record(struct recorded *r, const struct histogram_layout *layout, uint64_t ns)
{
	struct histogram_moments one = {1, (double)ns, (double)ns * (double)ns, (double)ns, (double)ns};

	r->samples[r->moments.count] = ns;
	r->counts[layout->index(ns)]++;
	histogram_moments_add(&r->moments, &one);
}

/* Latencies as they come: hits near 100 ns, faults near 8 us, a tail over six powers of ten. */
static struct recorded *record_latencies(const struct histogram_layout *layout, unsigned n, uint64_t seed)
{
	struct recorded *r = calloc(1, sizeof(*r));
	struct rng rng;

	assert_non_null(r);
	rng_seed(&rng, seed, 0);
	for (unsigned i = 0; i < n; i++) {
		uint64_t ns = 60 + rng_below(&rng, 80);

		if (i % 4 == 1)
			ns = 7000 + rng_below(&rng, 3000);
		if (i % 100 == 2)
			ns = (uint64_t)exp(rng_double(&rng) * 26);
		record(r, layout, ns);
	}
	qsort(r->samples, n, sizeof(r->samples[0]), compare);
	return r;
}

static double nearest_rank(const struct recorded *r, double percent)
{
	double rank = ceil((double)r->moments.count * percent / 100 - 1e-9);

	return (double)r->samples[rank < 1 ? 0 : (size_t)rank - 1];
}

static void check_percentiles(const struct histogram_layout *layout, const struct recorded *r)
{
	double last = r->moments.min_ns;

	for (int tenth_permille = 0; tenth_permille <= 10000; tenth_permille++) {
		double percent = tenth_permille / 100.0;
		double exact = nearest_rank(r, percent);
		double estimate = histogram_percentile(layout, r->counts, &r->moments, percent);
		uint64_t lo, hi;

		layout->edges(layout->index((uint64_t)exact), &lo, &hi);
		if (isnan(estimate) && exact < 256 && layout == &histogram_log16)
			continue;
		if (!(estimate <= histogram_percentile_limit(r->moments.sum_ns / (double)r->moments.count, percent)) &&
			percent < 100)
			fail_msg("%s p%g is %g, which contradicts the mean", layout->name, percent, estimate);
		if (isnan(estimate) || fabs(estimate - exact) > (double)(hi - lo) || estimate < last ||
			estimate > r->moments.max_ns)
			fail_msg("%s p%g of %llu: %g, exactly %g", layout->name, percent,
				(unsigned long long)r->moments.count, estimate, exact);
		last = estimate;
	}
	assert_true(histogram_percentile(layout, r->counts, &r->moments, 0) == r->moments.min_ns);
	assert_true(histogram_percentile(layout, r->counts, &r->moments, 100) == r->moments.max_ns);
}

TEST("percentiles match sorted samples")
{
	static const unsigned sizes[] = {1, 2, 3, 10, 999, 1000, SAMPLES};

	for (size_t l = 0; l < 2; l++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct recorded *r = record_latencies(layouts[l], sizes[i], 11 + i);

			check_percentiles(layouts[l], r);
			free(r);
		}
	}
}

/* 999 equal samples and one far away: the 99.9th percentile is still one of the 999. */
TEST("a rank is exact")
{
	struct recorded *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	for (int i = 0; i < 999; i++)
		record(r, &histogram_hdr, 100);
	record(r, &histogram_hdr, 1000000);
	assert_true(histogram_percentile(&histogram_hdr, r->counts, &r->moments, 99.9) <= 101);
	assert_true(histogram_percentile(&histogram_hdr, r->counts, &r->moments, 99.91) > 900000);
	free(r);
}

TEST("a summary equals that computed by hand")
{
	struct recorded *r = calloc(1, sizeof(*r));
	struct histogram_summary s;

	assert_non_null(r);
	histogram_summarize(&histogram_hdr, r->counts, &r->moments, &s);
	assert_int_equal(s.count, 0);
	assert_true(isnan(s.min_ns) && isnan(s.mean_ns) && isnan(s.stddev_ns) && isnan(s.p50_ns) &&
		    isnan(s.p9999_ns) && isnan(s.max_ns));
	record(r, &histogram_hdr, 7);
	histogram_summarize(&histogram_hdr, r->counts, &r->moments, &s);
	assert_true(s.min_ns == 7 && s.mean_ns == 7 && s.stddev_ns == 0 && s.p50_ns == 7 && s.p9999_ns == 7 &&
		    s.max_ns == 7);
	/* 2 4 4 4 5 5 7 9: sum 40, squares 232, so the sample's variance is (232 - 200) / 7. */
	memset(r, 0, sizeof(*r));
	for (const char *digit = "24445579"; *digit; digit++)
		record(r, &histogram_hdr, (uint64_t)(*digit - '0'));
	histogram_summarize(&histogram_hdr, r->counts, &r->moments, &s);
	assert_int_equal(s.count, 8);
	assert_true(s.mean_ns == 5 && fabs(s.stddev_ns - sqrt(32.0 / 7)) < 1e-12);
	/* Half of 8 is the 4th sample, the last of three in [4, 5). */
	assert_true(s.p50_ns == 5);
	assert_true(s.min_ns == 2 && s.max_ns == 9);
	assert_true(s.p50_ns <= s.p90_ns && s.p90_ns <= s.p95_ns && s.p95_ns <= s.p99_ns &&
		    s.p99_ns <= s.p999_ns && s.p999_ns <= s.p9999_ns && s.p9999_ns <= s.max_ns);
	free(r);
}

/* Merged histograms are the histogram of all samples, in whatever order they are merged. */
TEST("merge is exact and associative")
{
	for (size_t l = 0; l < 2; l++) {
		const struct histogram_layout *layout = layouts[l];
		struct recorded *a = record_latencies(layout, 1000, 1), *b = record_latencies(layout, 300, 2),
				*c = record_latencies(layout, 77, 3), *left = calloc(1, sizeof(*left)),
				*right = calloc(1, sizeof(*right)), *all = calloc(1, sizeof(*all));
		size_t bytes = layout->buckets * sizeof(uint64_t);
		const struct recorded *const parts[] = {a, b, c};

		assert_true(left && right && all);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(histogram_merge(layout, left->counts, parts[i]->counts), 0);
			histogram_moments_add(&left->moments, &parts[i]->moments);
			assert_int_equal(histogram_merge(layout, right->counts, parts[2 - i]->counts), 0);
			for (uint64_t k = 0; k < parts[i]->moments.count; k++)
				record(all, layout, parts[i]->samples[k]);
		}
		assert_memory_equal(left->counts, all->counts, bytes);
		assert_memory_equal(right->counts, all->counts, bytes);
		assert_int_equal(histogram_total(layout, left->counts), 1377);
		assert_int_equal(left->moments.count, 1377);
		assert_true(left->moments.min_ns == all->moments.min_ns);
		assert_true(left->moments.max_ns == all->moments.max_ns);
		assert_true(fabs(left->moments.sum_ns / all->moments.sum_ns - 1) < 1e-12);
		assert_true(fabs(left->moments.sum_squares_ns2 / all->moments.sum_squares_ns2 - 1) < 1e-12);
		/* Taking the parts away again leaves nothing. */
		for (int i = 0; i < 3; i++)
			assert_int_equal(histogram_subtract(layout, left->counts, parts[i]->counts), 0);
		assert_int_equal(histogram_total(layout, left->counts), 0);
		free(a), free(b), free(c), free(left), free(right), free(all);
	}
}

TEST("overflow and underflow change nothing")
{
	static uint64_t dst[BUCKET_LOG16_COUNT], src[BUCKET_LOG16_COUNT], before[BUCKET_LOG16_COUNT];

	dst[0] = 5;
	dst[248] = UINT64_MAX - 3;
	src[0] = 1;
	src[248] = 4;
	memcpy(before, dst, sizeof(dst));
	assert_int_equal(histogram_merge(&histogram_log16, dst, src), -EOVERFLOW);
	assert_memory_equal(before, dst, sizeof(dst));
	src[248] = 3;
	assert_int_equal(histogram_merge(&histogram_log16, dst, src), 0);
	assert_true(dst[0] == 6 && dst[248] == UINT64_MAX);
	src[247] = 1;
	memcpy(before, dst, sizeof(dst));
	assert_int_equal(histogram_subtract(&histogram_log16, dst, src), -ERANGE);
	assert_memory_equal(before, dst, sizeof(dst));
	src[247] = 0;
	assert_int_equal(histogram_subtract(&histogram_log16, dst, src), 0);
	assert_true(dst[0] == 5 && dst[248] == UINT64_MAX - 3);
}

/* Beyond 2^32 samples, and in the open last bucket, which ends at the observed maximum. */
TEST("counts beyond 2^32 are kept")
{
	static uint64_t counts[BUCKET_LOG16_COUNT];
	const struct histogram_moments moments = {6000000000ull, NAN, NAN, 10, 5e9};

	counts[0] = 5000000000ull;
	counts[248] = 1000000000ull;
	assert_int_equal(histogram_total(&histogram_log16, counts), 6000000000ull);
	assert_true(histogram_percentile(&histogram_log16, counts, &moments, 100) == 5e9);
	assert_true(histogram_percentile(&histogram_log16, counts, &moments, 84) > 0x1p30);
}

/* Latencies of 40 ns, and a few that are long: interpolated between 0 and 256, the median would be 128 ns. */
TEST("a percentile in the first bucket is unknown unless the extremes are near each other")
{
	static uint64_t coarse[BUCKET_LOG16_COUNT], fine[BUCKET_HDR_COUNT];
	struct histogram_moments moments = {1000, 990 * 40 + 10 * 1000, NAN, 30, 1000};
	struct histogram_summary summary;

	coarse[bucket_log16(40)] = fine[bucket_hdr(40)] = 990;
	coarse[bucket_log16(1000)] = fine[bucket_hdr(1000)] = 10;
	histogram_summarize(&histogram_log16, coarse, &moments, &summary);
	assert_true(isnan(summary.p50_ns) && isnan(summary.p99_ns) && summary.p999_ns > 900);
	histogram_summarize(&histogram_hdr, fine, &moments, &summary);
	assert_true(fabs(summary.p50_ns - 40.5) < 0.6);
	coarse[bucket_log16(1000)] = 0;
	moments = (struct histogram_moments){990, 990 * 40, NAN, 30, 50};
	histogram_summarize(&histogram_log16, coarse, &moments, &summary);
	assert_true(summary.p50_ns == 40);
}

/* 990 latencies of 0; in the open bucket nine of 1.1 s and one of 100 s: interpolated, p99.5 would be 50 s. */
TEST("no percentile contradicts the mean")
{
	static uint64_t counts[BUCKET_LOG16_COUNT];
	const struct histogram_moments moments = {1000, 109.9e9, NAN, 0, 100e9};

	counts[0] = 990;
	counts[248] = 10;
	assert_true(histogram_percentile(&histogram_log16, counts, &moments, 99.5) ==
		    histogram_percentile_limit(109.9e6, 99.5));
	assert_true(histogram_percentile_limit(44.5, 50) == 89);
	assert_true(isnan(histogram_percentile_limit(44.5, 100)));
}

TEST("the mode is the densest bucket")
{
	static uint64_t counts[BUCKET_LOG16_COUNT];

	assert_true(isnan(histogram_mode(&histogram_log16, counts)));
	counts[248] = 7;
	assert_true(histogram_mode(&histogram_log16, counts) == 0x1p30);
	counts[0] = 1000; /* 3.9 a ns */
	counts[1] = 100;  /* [256, 272): 6.25 a ns */
	counts[17] = 150; /* [512, 544): 4.7 a ns */
	assert_true(histogram_mode(&histogram_log16, counts) == 264);
	counts[17] = 201;
	assert_true(histogram_mode(&histogram_log16, counts) == 528);
}
