/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "common/pattern.h"
#include "memtrace/accuracy.h"
#include "memtrace/buckets.h"
#include "memtrace/estimate.h"

/* --- intervals --- */

TEST("the interval of a Poisson mean is Garwood's")
{
	struct estimate ten = estimate_poisson(10), none = estimate_poisson(0);

	assert_true(ten.value == 10);
	assert_true(fabs(ten.low - 4.7954) < 1e-3);
	assert_true(fabs(ten.high - 18.3904) < 1e-3);
	assert_true(none.value == 0 && none.low == 0);
	assert_true(fabs(none.high - 3.6889) < 1e-3);
}

TEST("the interval of every count contains it, and is continuous where the approximation begins")
{
	struct estimate before = estimate_poisson(1000), behind = estimate_poisson(1001), large = estimate_poisson(1000000);

	for (uint64_t count = 1; count < 4000; count++) {
		struct estimate estimate = estimate_poisson(count);

		assert_true(estimate.low < (double)count && estimate.high > (double)count);
		assert_true(estimate.low > estimate_poisson(count - 1).low && estimate.high > estimate_poisson(count - 1).high);
	}
	assert_true(fabs(behind.low - before.low - 1) < 0.04 && fabs(behind.high - before.high - 1) < 0.04);
	assert_true(fabs(large.low - 998041.0) < 1 && fabs(large.high - 1001961.9) < 1);
}

TEST("a ratio of two Poisson means has the interval of its logarithm, or that of the noise when it is wider")
{
	struct estimate ratio = estimate_ratio(400, 100, 400, 100, 0), noisy = estimate_ratio(400, 100, 400, 100, 0.5);
	double width = 1.959964 * sqrt(1. / 400 + 1. / 100);

	assert_true(fabs(ratio.value - 0.25) < 1e-12);
	assert_true(fabs(log(ratio.value / ratio.low) - width) < 1e-6);
	assert_true(fabs(log(ratio.high / ratio.value) - width) < 1e-6);
	assert_true(fabs(log(noisy.high / noisy.value) - 0.5) < 1e-12);
	assert_true(isnan(estimate_ratio(0, 5, 0, 5, 0).value));
	assert_true(estimate_ratio(1000, 0, 1000, 0, 0).value == 0);
	assert_true(estimate_ratio(1000, 0, 1000, 0, 0).high < 0.01);
}

/* --- buckets --- */

TEST("buckets count every key once, are found again, and are sorted by key")
{
	struct buckets buckets = {0};
	struct bucket *found[256];
	uint64_t keys[256], sum = 0, spread = 0x9e3779b97f4a7c15ull;
	uint32_t *samples;

	for (uint64_t i = 0; i < 400 * 256; i++) {
		keys[i % 256] = ((i * i) % 30011) * spread + 1;
		if (i % 256 == 255)
			assert_int_equal(buckets_add(&buckets, keys, 256, found), 0);
	}
	/* Squares modulo a prime: half of the residues and 0. */
	assert_int_equal(buckets.count, 15006);
	assert_non_null(buckets_find(&buckets, 4 * spread + 1));
	assert_null(buckets_find(&buckets, 7));
	assert_int_equal(buckets_find(&buckets, 4 * spread + 1)->extra, BUCKETS_NEW);
	samples = buckets_samples(&buckets);
	assert_non_null(samples);
	for (size_t i = 0; i < buckets.count; i++) {
		sum += samples[i];
		assert_true(!i || samples[i] >= samples[i - 1]);
	}
	assert_int_equal(sum, 400 * 256);
	free(samples);
	assert_int_equal(buckets_sort(&buckets), 0);
	for (size_t i = 1; i < buckets.count; i++)
		assert_true(buckets.slots[i].key > buckets.slots[i - 1].key);
	buckets_free(&buckets);
}

TEST("numbers of samples beyond 65535 are sorted behind the smaller ones")
{
	struct buckets buckets = {0};
	struct bucket *found[1];
	uint32_t *samples;

	for (uint64_t key = 1; key <= 5000; key++) {
		assert_int_equal(buckets_add(&buckets, &key, 1, found), 0);
		found[0]->samples = key % 50 ? (uint32_t)key : 70000 + (uint32_t)(6000 - key);
	}
	samples = buckets_samples(&buckets);
	for (size_t i = 1; i < 5000; i++)
		assert_true(samples[i] > samples[i - 1]);
	assert_int_equal(samples[4900], 71000);
	free(samples);
	buckets_free(&buckets);
}

/* --- simulated processes: Zipf over pages, from pmbench's own patterns --- */

static void draw_from(const char *text, uint64_t pages, uint64_t seed, struct pattern *pattern)
{
	struct pattern_spec spec = {0};
	const char *why;

	assert_int_equal(pattern_parse(text, &spec, &why), 0);
	assert_int_equal(pattern_check(&spec, pages, &why), 0);
	pattern_init(pattern, &spec, pages, seed, 0);
}

/* Rising; pages without a sample are left out. */
static uint32_t *sample_pages(const char *text, uint64_t pages, uint64_t samples, uint64_t seed, size_t *count)
{
	uint32_t *counts = calloc(pages, sizeof(*counts));
	struct pattern *pattern = aligned_alloc(64, (sizeof(*pattern) + 63) / 64 * 64);

	draw_from(text, pages, seed, pattern);
	for (uint64_t i = 0; i < samples; i++)
		counts[pattern->next(pattern)]++;
	qsort(counts, pages, sizeof(*counts), buckets_compare_samples);
	*count = pages;
	while (*count && !counts[pages - *count])
		--*count;
	memmove(counts, counts + (pages - *count), *count * sizeof(*counts));
	free(pattern);
	return counts;
}

static struct spectrum spectrum_from(const char *text, uint64_t pages, uint64_t samples, uint64_t seed)
{
	struct spectrum spectrum;
	size_t count;
	uint32_t *counts = sample_pages(text, pages, samples, seed, &count);

	assert_int_equal(spectrum_make(counts, count, &spectrum), 0);
	assert_int_equal(spectrum.samples, samples);
	free(counts);
	return spectrum;
}

TEST("Chao1 finds the pages that no sample of a uniform process met")
{
	struct spectrum spectrum = spectrum_from("uniform", 10000, 10000, 1);
	struct estimate all = estimate_buckets(&spectrum);

	/* 1 - 1/e of them have a sample, and as much of the accesses go there. */
	assert_true(fabs((double)spectrum.buckets - 6321) < 150);
	assert_true(fabs(estimate_coverage(&spectrum) - 0.632) < 0.02);
	assert_true(all.low < 10000 && 10000 < all.high);
	assert_true(fabs(all.value - 10000) < 500);
	spectrum_free(&spectrum);
}

TEST("with every page met several times nothing is unseen")
{
	struct spectrum spectrum = spectrum_from("uniform", 100, 100000, 2);

	assert_true(estimate_buckets(&spectrum).value == 100);
	assert_true(estimate_coverage(&spectrum) == 1);
	spectrum_free(&spectrum);
}

TEST("the Gini coefficient is 0 of equals and (n - 1) / n when one has all")
{
	uint32_t equal[100], one[100] = {[99] = 7};

	for (size_t i = 0; i < 100; i++)
		equal[i] = 5;
	assert_true(fabs(estimate_gini(equal, 100)) < 1e-12);
	assert_true(fabs(estimate_gini(one, 100) - 0.99) < 1e-12);
	assert_true(estimate_gini(NULL, 0) == 0);
}

TEST("the exponent of a Zipf process is found, and its interval holds it in most of the samples")
{
	static const struct {
		const char *pattern;
		double exponent;
	} processes[] = {{"zipf,0.8", 0.8}, {"zipf,1", 1.0}, {"zipf,1.3", 1.3}};

	for (size_t i = 0; i < 3; i++) {
		unsigned held = 0;

		for (uint64_t seed = 0; seed < 10; seed++) {
			size_t count, ranks = 0;
			uint32_t *counts = sample_pages(processes[i].pattern, 1000, 400000, seed, &count);
			uint32_t *falling = calloc(count, sizeof(*falling));
			struct estimate exponent;

			for (size_t k = 0; k < count; k++)
				falling[k] = counts[count - 1 - k];
			while (ranks < count && falling[ranks] >= ESTIMATE_ZIPF_SAMPLES)
				ranks++;
			exponent = estimate_zipf(falling, ranks);
			assert_true(fabs(exponent.value - processes[i].exponent) < 0.02);
			held += exponent.low <= processes[i].exponent && processes[i].exponent <= exponent.high;
			free(falling);
			free(counts);
		}
		assert_true(held >= 6);
	}
}

TEST("too few ranks have no exponent")
{
	const uint32_t falling[9] = {100, 50, 33, 25, 20, 17, 14, 13, 11};

	assert_true(isnan(estimate_zipf(falling, 9).value));
}

/* --- miss ratios, compared with the exact ones of tests/unit/test_mt_accuracy.c --- */

/* Over sizes from 1 % to all of the pages. */
static double mean_error(const struct lru_stack *exact, const struct miss_curve *curve, double cold)
{
	double sum = 0;

	for (size_t i = 1; i <= 100; i++) {
		size_t size = exact->pages * i / 100;

		sum += fabs(miss_curve_at(curve, (double)size) - (lru_stack_ratio(exact, size) - cold));
	}
	return sum / 100;
}

TEST("a hundredth of the accesses of a Zipf process give the miss ratio of every LRU buffer to 0.02 on average")
{
	static const char *const patterns[] = {"uniform", "zipf,0.8", "zipf,1", "zipf,1.2"};

	for (size_t i = 0; i < 4; i++) {
		struct pattern *pattern = aligned_alloc(64, (sizeof(*pattern) + 63) / 64 * 64);
		uint32_t *counts = calloc(4096, sizeof(*counts));
		struct spectrum spectrum;
		struct lru_stack exact;
		struct miss_curve curve;
		size_t first = 0;

		assert_int_equal(lru_stack_open(&exact, 4096), 0);
		draw_from(patterns[i], 4096, 7, pattern);
		for (size_t k = 0; k < 2000000; k++) {
			size_t page = pattern->next(pattern);

			lru_stack_access(&exact, page);
			counts[page] += k % 100 == 0;
		}
		qsort(counts, 4096, sizeof(*counts), buckets_compare_samples);
		while (!counts[first])
			first++;
		assert_int_equal(spectrum_make(counts + first, 4096 - first, &spectrum), 0);
		assert_int_equal(estimate_independent(&spectrum, &curve), 0);
		/* First accesses miss whatever the size; of independent references for ever there are none. */
		assert_true(mean_error(&exact, &curve, lru_stack_ratio(&exact, 4096)) < 0.02);
		for (size_t k = 1; k < curve.count; k++) {
			assert_true(curve.points[k].buckets > curve.points[k - 1].buckets);
			assert_true(curve.points[k].ratio.value <= curve.points[k - 1].ratio.value + 1e-9);
		}
		miss_curve_free(&curve);
		spectrum_free(&spectrum);
		free(counts);
		free(pattern);
		lru_stack_close(&exact);
	}
}

TEST("with equal rates a buffer misses what it does not hold, also of buckets whose rates are not known")
{
	struct miss_curve curve, scaled;
	double rates[1000];

	for (size_t i = 0; i < 1000; i++)
		rates[i] = 7;
	assert_int_equal(estimate_from_rates(rates, 1000, 1, &curve), 0);
	assert_int_equal(estimate_from_rates(rates, 1000, 3, &scaled), 0);
	for (int i = 0; i < 11; i++) {
		double buckets = 10 + 90 * i;

		assert_true(fabs(miss_curve_at(&curve, buckets) - (1 - buckets / 1000)) < 0.005);
		assert_true(fabs(miss_curve_at(&scaled, 3 * buckets) - (1 - buckets / 1000)) < 0.005);
	}
	assert_true(miss_curve_at(&curve, 1000) == 0);
	miss_curve_free(&curve);
	miss_curve_free(&scaled);
	assert_int_equal(estimate_from_rates(rates, 0, 1, &curve), 0);
	assert_int_equal(curve.count, 0);
	miss_curve_free(&curve);
}

TEST("StatStack finds the miss ratio of scans with random accesses between them to 0.02 on average")
{
	static size_t last[3000]; /* access of each page, from 1 */
	struct lru_stack exact;
	struct reuse_times *times = calloc(1, sizeof(*times));
	struct pattern *pattern = aligned_alloc(64, (sizeof(*pattern) + 63) / 64 * 64);
	struct miss_curve curve;

	assert_int_equal(lru_stack_open(&exact, 3000), 0);
	draw_from("zipf,1", 1000, 3, pattern);
	for (size_t i = 1; i <= 600000; i++) {
		size_t page = i % 2 ? 1000 + i / 2 % 2000 : pattern->next(pattern);

		lru_stack_access(&exact, page);
		if (last[page])
			reuse_add(times, i - last[page]);
		else
			times->first++;
		last[page] = i;
	}
	assert_int_equal(estimate_stack(times, &curve), 0);
	assert_true(mean_error(&exact, &curve, 0) < 0.02);
	miss_curve_free(&curve);
	free(times);
	free(pattern);
	lru_stack_close(&exact);
}

TEST("a loop over pages misses every buffer that is smaller, and none that holds it")
{
	struct reuse_times *times = calloc(1, sizeof(*times));
	struct miss_curve curve;

	times->first = 50;
	for (int i = 0; i < 50 * 1000; i++)
		reuse_add(times, 50);
	assert_int_equal(estimate_stack(times, &curve), 0);
	assert_true(miss_curve_at(&curve, 48) > 0.99);
	assert_true(miss_curve_at(&curve, 50) < 0.01);
	assert_true(fabs(reuse_buckets(times, 50) - 50) < 0.5);
	miss_curve_free(&curve);
	free(times);
}

TEST("bins of reuse times follow one another and are at most a 32nd of their time wide")
{
	for (uint64_t time = 1; time < 1ull << 60; time += 1 + time / 7) {
		size_t bin = reuse_bin(time);

		assert_true(bin + 1 < REUSE_BINS);
		assert_true(reuse_bin_from(bin) <= time && time < reuse_bin_from(bin + 1));
		assert_true((reuse_bin_from(bin + 1) - reuse_bin_from(bin)) * 32 <= (time > 32 ? time : 32));
	}
}
