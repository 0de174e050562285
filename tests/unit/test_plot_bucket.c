/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/histogram.h"
#include "memstor/plot/plot.h"

/* Every bucket of a layout below `limit` with a count of its own. */
static struct loaded_histogram all_of(const struct histogram_layout *layout, double limit, struct loaded_bucket *buckets)
{
	struct loaded_histogram histogram = {.type = "read", .class = "all", .layout = layout->name, .min_ns = NAN,
		.max_ns = NAN, .buckets = buckets};

	for (unsigned i = 0; i < layout->buckets; i++) {
		uint64_t lo, hi;

		layout->edges(i, &lo, &hi);
		if ((double)lo >= limit)
			break;
		buckets[i] = (struct loaded_bucket){(double)lo, hi == UINT64_MAX ? INFINITY : (double)hi, i + 1};
		histogram.count += i + 1;
		histogram.bucket_count++;
	}
	return histogram;
}

static struct plot_buckets copy_of(const struct loaded_histogram *histogram)
{
	struct plot_buckets buckets = {0};

	assert_int_equal(plot_buckets_sum(&buckets, &histogram, 1, "test"), 0);
	assert_int_equal(buckets.histogram.count, histogram->count);
	return buckets;
}

/* The law of every coarsening: nothing is lost, nothing overlaps, and nothing is moved further than a cell. */
static void expect_lawful(const struct plot_buckets *buckets, uint64_t count)
{
	const struct loaded_histogram *histogram = &buckets->histogram;
	double before = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		assert_true(histogram->buckets[i].lo_ns >= before);
		assert_true(histogram->buckets[i].hi_ns > histogram->buckets[i].lo_ns);
		before = histogram->buckets[i].hi_ns;
		sum += histogram->buckets[i].count;
	}
	assert_int_equal(sum, count);
	assert_int_equal(histogram->count, count);
}

TEST("fine buckets become sixteenths")
{
	struct loaded_bucket room[8192];
	struct loaded_histogram hdr = all_of(&histogram_hdr, 1e6, room);
	struct plot_buckets buckets = copy_of(&hdr);
	unsigned sixteenths = 0;

	plot_buckets_coarsen(&buckets, 1);
	expect_lawful(&buckets, hdr.count);
	for (size_t i = 0; i < buckets.histogram.bucket_count; i++) {
		const struct loaded_bucket *bucket = &buckets.histogram.buckets[i];

		if (bucket->lo_ns < 1024 || bucket->lo_ns >= 2048)
			continue;
		assert_true(bucket->hi_ns - bucket->lo_ns == 64);
		assert_true(fmod(bucket->lo_ns, 64) == 0);
		sixteenths++;
	}
	assert_int_equal(sixteenths, 16);
	/* Once more changes nothing. */
	sixteenths = (unsigned)buckets.histogram.bucket_count;
	plot_buckets_coarsen(&buckets, 1);
	assert_int_equal(buckets.histogram.bucket_count, sixteenths);
	expect_lawful(&buckets, hdr.count);
	plot_buckets_free(&buckets);
}

TEST("buckets of the paper's layout are kept")
{
	struct loaded_bucket room[512];
	struct loaded_histogram log16 = all_of(&histogram_log16, INFINITY, room);
	struct plot_buckets buckets = copy_of(&log16);

	plot_buckets_coarsen(&buckets, NAN);
	assert_int_equal(buckets.histogram.bucket_count, log16.bucket_count);
	for (size_t i = 0; i < log16.bucket_count; i++) {
		assert_true(buckets.histogram.buckets[i].lo_ns == log16.buckets[i].lo_ns);
		assert_true(buckets.histogram.buckets[i].hi_ns == log16.buckets[i].hi_ns);
		assert_int_equal(buckets.histogram.buckets[i].count, log16.buckets[i].count);
	}
	plot_buckets_free(&buckets);
}

/* Samples of a clock that counts 10 ns, as many at each step: the drawn heights must not show the steps. */
TEST("the steps of a clock are not drawn")
{
	struct loaded_bucket room[8192];
	struct loaded_histogram hdr = all_of(&histogram_hdr, 4000, room);
	struct plot_buckets buckets;
	double low = INFINITY, high = 0;

	hdr.count = 0;
	for (size_t i = 0; i < hdr.bucket_count; i++) {
		double first = ceil(room[i].lo_ns / 10) * 10;

		room[i].count = first < room[i].hi_ns && first >= 20 ? 1000 : 0;
		hdr.count += room[i].count;
	}
	buckets = copy_of(&hdr);
	plot_buckets_coarsen(&buckets, 10);
	expect_lawful(&buckets, hdr.count);
	for (size_t i = 0; i < buckets.histogram.bucket_count; i++) {
		const struct loaded_bucket *bucket = &buckets.histogram.buckets[i];
		double height = (double)bucket->count / (bucket->hi_ns - bucket->lo_ns);

		if (bucket->count == 0 || bucket->hi_ns > 500)
			continue;
		low = fmin(low, height);
		high = fmax(high, height);
	}
	assert_true(high / low < 1.5);
	plot_buckets_free(&buckets);
}

/* The heights between two latencies, when a clock of this step was read as often at each of its steps; ns are whole
 * numbers in a report. */
static double unevenness(double step, double from, double to)
{
	struct loaded_bucket room[8192];
	struct loaded_histogram hdr = all_of(&histogram_hdr, 4000, room);
	double low = INFINITY, high = 0;
	struct plot_buckets buckets;

	hdr.count = 0;
	for (size_t i = 0; i < hdr.bucket_count; i++)
		room[i].count = 0;
	for (unsigned i = 1; i * step < 3999; i++) {
		double value = i * step;
		size_t at = 0;

		while (room[at].hi_ns <= floor(value))
			at++;
		room[at].count += 1000;
		hdr.count += 1000;
	}
	buckets = copy_of(&hdr);
	plot_buckets_coarsen(&buckets, step);
	expect_lawful(&buckets, hdr.count);
	for (size_t i = 0; i < buckets.histogram.bucket_count; i++) {
		const struct loaded_bucket *bucket = &buckets.histogram.buckets[i];
		double height = (double)bucket->count / (bucket->hi_ns - bucket->lo_ns);

		if (bucket->lo_ns < from || bucket->hi_ns > to)
			continue;
		low = fmin(low, height);
		high = fmax(high, height);
	}
	plot_buckets_free(&buckets);
	assert_true(high > 0);
	return high / low;
}

/* 26 MHz, 54 MHz and so on. A gap is infinitely uneven. */
TEST("steps that are no whole number are not drawn")
{
	static const double steps[] = {1e3 / 26, 1e3 / 54, 1e3 / 300, 10, 41, 2.5, 5. / 3, 3};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		double is = unevenness(steps[i], 1.5 * steps[i], 30 * steps[i]);

		if (!(is < 1.6))
			fail_msg("steps of %g ns: %g", steps[i], is);
	}
}

TEST("wide buckets with two steps are joined")
{
	struct loaded_bucket room[512];
	struct loaded_histogram log16 = all_of(&histogram_log16, 4096, room);
	struct plot_buckets buckets = copy_of(&log16);

	plot_buckets_coarsen(&buckets, 10);
	expect_lawful(&buckets, log16.count);
	/* 256 to 288 rather than to 272; from 512 on the paper's. */
	assert_true(buckets.histogram.buckets[1].lo_ns == 256 && buckets.histogram.buckets[1].hi_ns == 288);
	assert_int_equal(buckets.histogram.buckets[1].count, 2 + 3);
	assert_true(buckets.histogram.buckets[9].lo_ns == 512 && buckets.histogram.buckets[9].hi_ns == 544);
	plot_buckets_free(&buckets);
}

TEST("edges of the ends are those of the samples")
{
	struct loaded_bucket first = {0, 256, 1}, last = {1024, INFINITY, 1}, middle = {512, 1024, 1}, zeros = {0, 1, 1};
	struct loaded_histogram histogram = {.min_ns = 40, .max_ns = 5000};
	double lo, hi;

	plot_bucket_edges(&histogram, &first, &lo, &hi);
	assert_true(lo == 40 && hi == 256);
	plot_bucket_edges(&histogram, &last, &lo, &hi);
	assert_true(lo == 1024 && hi == 5000);
	plot_bucket_edges(&histogram, &middle, &lo, &hi);
	assert_true(lo == 512 && hi == 1024);
	/* A minimum close to the upper edge would make a needle of the bucket. */
	histogram.min_ns = 255;
	histogram.max_ns = 1025;
	plot_bucket_edges(&histogram, &first, &lo, &hi);
	assert_true(lo == 128);
	plot_bucket_edges(&histogram, &last, &lo, &hi);
	assert_true(hi == 2048);
	histogram.min_ns = histogram.max_ns = NAN;
	plot_bucket_edges(&histogram, &first, &lo, &hi);
	assert_true(lo == 128);
	plot_bucket_edges(&histogram, &last, &lo, &hi);
	assert_true(hi == 2048);
	/* A minimum of 0 says nothing of where the others are; a bucket of zeros alone stays one. */
	histogram.min_ns = 0;
	plot_bucket_edges(&histogram, &first, &lo, &hi);
	assert_true(lo == 128);
	plot_bucket_edges(&histogram, &zeros, &lo, &hi);
	assert_true(lo == 0 && hi == 1);
}
