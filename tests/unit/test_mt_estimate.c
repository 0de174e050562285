/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "common/hot/rng.h"
#include "common/stats/pattern.h"
#include "memtrace/estimate/accuracy.h"
#include "memtrace/estimate/buckets.h"
#include "memtrace/estimate/estimate.h"
#include "memtrace/estimate/order.h"

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

/* Trials of 40 in which an interval has to contain the truth: fewer than 34 have a probability of 0.3 % if it is one of 95 %. */
#define TRIALS 40
#define HELD 34

static bool holds(struct estimate estimate, double truth)
{
	return estimate.low <= truth && truth <= estimate.high;
}

TEST("Chao1 is a lower bound: the interval reaches to all buckets that there can be, unless accesses without a sample are fewer")
{
	struct spectrum spectrum = spectrum_from("uniform", 10000, 10000, 1);
	struct estimate all = estimate_buckets(&spectrum, NAN, 50000, true);

	/* 1 - 1/e of them have a sample, and as much of the accesses go there. */
	assert_true(fabs((double)spectrum.buckets - 6321) < 150);
	assert_true(fabs(estimate_unseen_share(&spectrum).value - 0.368) < 0.02);
	assert_true(all.low < 10000 && fabs(all.value - 10000) < 500);
	assert_true(all.high == 50000);
	assert_true(isinf(estimate_buckets(&spectrum, NAN, INFINITY, true).high));
	/* Of samples that are not independent only what they have seen is certain. */
	assert_true(estimate_buckets(&spectrum, NAN, 50000, false).low == (double)spectrum.buckets);
	/* With 15000 accesses in all some 5500 have missed all that have a sample. */
	all = estimate_buckets(&spectrum, 15000, 50000, true);
	assert_true(all.high > 10000 && all.high < 12500);
	spectrum_free(&spectrum);
}

TEST("with every page met several times nothing is unseen")
{
	struct spectrum spectrum = spectrum_from("uniform", 100, 100000, 2);
	struct estimate all = estimate_buckets(&spectrum, 100000, 1000, true);

	assert_true(all.value == 100 && all.low == 100 && all.high < 105);
	assert_true(estimate_unseen_share(&spectrum).value == 0);
	spectrum_free(&spectrum);
}

TEST("a few hundred samples of 2048 pages do not exclude that all were accessed")
{
	for (uint64_t samples = 243; samples < 1000; samples += 681) {
		for (uint64_t seed = 0; seed < TRIALS; seed++) {
			struct spectrum spectrum = spectrum_from("zipf,1", 2048, samples, seed);

			assert_true(holds(estimate_buckets(&spectrum, 1e6, 4096, true), 2048));
			spectrum_free(&spectrum);
		}
	}
}

/* --- shares and exponents --- */

static const struct {
	const char *pattern;
	double exponent;
} zipfs[] = {{"uniform", 0}, {"zipf,0.8", 0.8}, {"zipf,1.2", 1.2}};

/* Of the most popular pages, and the Gini coefficient. */
static double zipf_top(double exponent, size_t pages, size_t top, double *gini)
{
	double sum = 0, share = 0, weighted = 0;

	for (size_t i = 1; i <= pages; i++) {
		double weight = pow((double)i, -exponent);

		sum += weight;
		share += i <= top ? weight : 0;
		weighted += weight * (double)(pages + 1 - i);
	}
	*gini = (2 * weighted / sum - 1) / (double)pages - 1;
	return share / sum;
}

TEST("the intervals of the shares of the top 1 and 10 % and of the Gini coefficient hold, also of uniform pages")
{
	for (size_t i = 0; i < 3; i++) {
		for (uint64_t samples = 100; samples <= 10000; samples *= 10) {
			unsigned held[3] = {0};

			for (uint64_t seed = 0; seed < TRIALS; seed++) {
				struct spectrum spectrum = spectrum_from(zipfs[i].pattern, 1000, samples, seed);
				struct estimate buckets = estimate_buckets(&spectrum, NAN, 2000, true);
				double gini, ten = zipf_top(zipfs[i].exponent, 1000, 100, &gini);
				struct lorenz lorenz;

				assert_int_equal(lorenz_make(&spectrum, &lorenz), 0);
				held[0] += holds(lorenz_top(&lorenz, 0.01, buckets),
					zipf_top(zipfs[i].exponent, 1000, 10, &gini));
				held[1] += holds(lorenz_top(&lorenz, 0.1, buckets), ten);
				held[2] += holds(lorenz_gini(&lorenz, buckets), fmax(gini, 0));
				lorenz_free(&lorenz);
				spectrum_free(&spectrum);
			}
			assert_true(held[0] >= HELD && held[1] >= HELD && held[2] >= HELD);
		}
	}
}

TEST("the shares are right where samples are many, and the samples' own too large")
{
	struct spectrum spectrum = spectrum_from("uniform", 1000, 20000, 1);
	struct estimate buckets = {1000, 1000, 1000}, top;
	struct lorenz lorenz;

	assert_int_equal(lorenz_make(&spectrum, &lorenz), 0);
	top = lorenz_top(&lorenz, 0.01, buckets);
	assert_true(fabs(top.value - 0.01) < 0.001);
	assert_true(lorenz_gini(&lorenz, buckets).value < 0.02);
	assert_true(spectrum_top(&spectrum, 0.01) > 0.015 && spectrum_gini(&spectrum) > 0.1);
	lorenz_free(&lorenz);
	spectrum_free(&spectrum);
	spectrum = spectrum_from("zipf,1.2", 1000, 20000, 1);
	assert_int_equal(lorenz_make(&spectrum, &lorenz), 0);
	top = lorenz_top(&lorenz, 0.01, buckets);
	assert_true(fabs(top.value - zipf_top(1.2, 1000, 10, &(double){0})) < 0.01 && top.high - top.low < 0.03);
	lorenz_free(&lorenz);
	spectrum_free(&spectrum);
}

TEST("the Gini coefficient of samples is 0 of equals and (n - 1) / n when one has nearly all")
{
	uint32_t equal[100], one[100];
	struct spectrum spectrum;

	for (size_t i = 0; i < 100; i++) {
		equal[i] = 5;
		one[i] = i == 99 ? 1u << 31 : 1;
	}
	assert_int_equal(spectrum_make(equal, 100, &spectrum), 0);
	assert_true(fabs(spectrum_gini(&spectrum)) < 1e-12 && fabs(spectrum_top(&spectrum, 0.1) - 0.1) < 1e-12);
	spectrum_free(&spectrum);
	assert_int_equal(spectrum_make(one, 100, &spectrum), 0);
	assert_true(fabs(spectrum_gini(&spectrum) - 0.99) < 1e-6 && spectrum_top(&spectrum, 0.01) > 0.999);
	spectrum_free(&spectrum);
	assert_int_equal(spectrum_make(NULL, 0, &spectrum), 0);
	assert_true(spectrum_gini(&spectrum) == 0);
	spectrum_free(&spectrum);
}

TEST("the interval of the exponent holds, 0 of uniform pages included, and is narrow where samples are many")
{
	for (size_t i = 0; i < 3; i++) {
		for (uint64_t samples = 300; samples <= 10000; samples *= 33) {
			unsigned held = 0;

			for (uint64_t seed = 0; seed < TRIALS / 2; seed++) {
				struct spectrum spectrum = spectrum_from(zipfs[i].pattern, 1000, samples, seed);
				struct zipf_fit fit;

				assert_int_equal(estimate_zipf(&spectrum, estimate_buckets(&spectrum, NAN, 2000, true), &fit), 0);
				held += holds(fit.exponent, zipfs[i].exponent);
				assert_true(samples < 1000 || fit.exponent.high - fit.exponent.low < 0.15);
				spectrum_free(&spectrum);
			}
			assert_true(held >= HELD / 2);
		}
	}
}

TEST("samples of a hot set contradict a Zipf distribution, and those of one do not")
{
	struct spectrum hot = spectrum_from("hotset,10,90", 1000, 20000, 1), zipf = spectrum_from("zipf,1", 1000, 20000, 1);
	struct estimate buckets = {1000, 1000, 1000};
	struct zipf_fit fit;

	assert_int_equal(estimate_zipf(&hot, buckets, &fit), 0);
	assert_false(fit.is_like_zipf);
	assert_int_equal(estimate_zipf(&zipf, buckets, &fit), 0);
	assert_true(fit.is_like_zipf && fabs(fit.exponent.value - 1) < 0.02);
	/* As many as there are. */
	assert_true(fabs(estimate_zipf_samples(&fit, 20000, 1) - 20000 / 7.485) < 150);
	spectrum_free(&hot);
	spectrum_free(&zipf);
}

TEST("too few buckets, and buckets with a sample each, have no exponent")
{
	uint32_t few[9] = {11, 13, 14, 17, 20, 25, 33, 50, 100}, single[50];
	struct spectrum spectrum;
	struct zipf_fit fit;

	assert_int_equal(spectrum_make(few, 9, &spectrum), 0);
	assert_int_equal(estimate_zipf(&spectrum, (struct estimate){9, 9, 9}, &fit), 0);
	assert_true(isnan(fit.exponent.value));
	spectrum_free(&spectrum);
	for (size_t i = 0; i < 50; i++)
		single[i] = 1;
	assert_int_equal(spectrum_make(single, 50, &spectrum), 0);
	assert_int_equal(estimate_zipf(&spectrum, (struct estimate){50, 50, INFINITY}, &fit), 0);
	assert_true(isnan(fit.exponent.value));
	spectrum_free(&spectrum);
}

/* --- the order of samples --- */

/* Of as many successive accesses of a pattern. */
static enum order_kind order_of(const char *text, bool is_successive, size_t accesses)
{
	struct pattern *pattern = aligned_alloc(64, (sizeof(*pattern) + 63) / 64 * 64);
	struct bucket *sorted = calloc(1000, sizeof(*sorted));
	struct order order = {0};
	uint64_t page = 0, before = 0;
	struct rng rng;

	draw_from(text, 1000, 5, pattern);
	rng_seed(&rng, 5, 0);
	for (uint64_t i = 0; i < 1000; i++)
		sorted[i].key = i + 1;
	for (size_t i = 0; i < accesses; i++) {
		/* Half of them are of a hot set. */
		page = rng_next(&rng) >> 63 ? rng_below(&rng, 100) : pattern->next(pattern);
		sorted[page].samples++;
		if (i)
			order_add(&order, (int64_t)(page - before));
		before = page;
	}
	order_expect(&order, sorted, 1000);
	free(sorted);
	free(pattern);
	return order_kind(&order, is_successive);
}

TEST("a scan is told by successive accesses, and random accesses are told to be independent")
{
	assert_int_equal(order_of("linear", true, 2000), ORDER_DEPENDENT);
	assert_int_equal(order_of("uniform", true, 2000), ORDER_INDEPENDENT);
	assert_int_equal(order_of("zipf,1", true, 2000), ORDER_INDEPENDENT);
	/* Samples that are far apart do not show the order, and few show nothing. */
	assert_int_equal(order_of("zipf,1", false, 2000), ORDER_UNSEEN);
	assert_int_equal(order_of("linear", true, 100), ORDER_UNSEEN);
}

/* --- miss ratios, compared with the exact ones of tests/unit/test_mt_accuracy.c --- */

/* Over sizes from 1 % to all of the pages. */
static double mean_error(const struct lru_stack *exact, const struct miss_curve *curve, double cold)
{
	double sum = 0;

	for (size_t i = 1; i <= 100; i++) {
		size_t size = exact->pages * i / 100;

		sum += fabs(miss_curve_at(curve, (double)size).value - (lru_stack_ratio(exact, size) - cold));
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
		assert_int_equal(estimate_independent(&spectrum, 4096, true, &curve), 0);
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

/* Half of the accesses scan 900 pages, half go to 100 others; or all are independent with the same popularity. */
static void draw_mixed(bool is_scan, uint64_t seed, struct lru_stack *exact, struct spectrum *spectrum)
{
	uint32_t *counts = calloc(1000, sizeof(*counts));
	struct rng rng;
	size_t next = 0, first = 0;

	assert_int_equal(lru_stack_open(exact, 1000), 0);
	rng_seed(&rng, seed, 0);
	for (size_t i = 0; i < 400000; i++) {
		size_t page;

		next = next + 1 < 900 ? next + 1 : 0;
		page = rng_next(&rng) >> 63 ? rng_below(&rng, 100) : 100 + (is_scan ? next : rng_below(&rng, 900));
		lru_stack_access(exact, page);
		counts[page] += rng_below(&rng, 100) == 0;
	}
	qsort(counts, 1000, sizeof(*counts), buckets_compare_samples);
	while (!counts[first])
		first++;
	assert_int_equal(spectrum_make(counts + first, 1000 - first, spectrum), 0);
	free(counts);
}

TEST("where the order was not seen, the interval of the miss ratio has that of independent accesses and that of a scan")
{
	for (unsigned is_scan = 0; is_scan < 2; is_scan++) {
		unsigned held = 0, of_independent = 0;

		for (uint64_t seed = 0; seed < TRIALS / 2; seed++) {
			struct miss_curve unseen, seen;
			struct spectrum spectrum;
			struct lru_stack exact;
			double ratio;

			draw_mixed(is_scan, seed, &exact, &spectrum);
			assert_int_equal(estimate_independent(&spectrum, 2000, false, &unseen), 0);
			assert_int_equal(estimate_independent(&spectrum, 2000, true, &seen), 0);
			for (size_t size = 125; size < 1000; size += 125) {
				/* First accesses are of the recording, not of the program. */
				ratio = lru_stack_ratio(&exact, size) - lru_stack_ratio(&exact, 1000);
				held += holds(miss_curve_at(&unseen, (double)size), ratio);
				of_independent += holds(miss_curve_at(&seen, (double)size), ratio);
			}
			miss_curve_free(&unseen);
			miss_curve_free(&seen);
			spectrum_free(&spectrum);
			lru_stack_close(&exact);
		}
		assert_true(held >= 7 * HELD / 2);
		/* Of a scan it holds nowhere, but for the smallest buffer. */
		assert_true(is_scan ? of_independent <= TRIALS / 2 : of_independent >= 7 * HELD / 2);
	}
}

TEST("a few hundred samples do not say that a buffer of half of the memory misses nothing")
{
	for (uint64_t samples = 243; samples < 1000; samples += 681) {
		unsigned held[2] = {0};

		for (uint64_t seed = 0; seed < TRIALS; seed++) {
			struct spectrum spectrum = spectrum_from("zipf,1", 2048, samples, seed);
			struct miss_curve curve;

			assert_int_equal(estimate_independent(&spectrum, 4096, true, &curve), 0);
			/* Exact miss ratios of LRU buffers of 2 and 4 MiB. */
			held[0] += holds(miss_curve_at(&curve, 512), 0.238);
			held[1] += holds(miss_curve_at(&curve, 1024), 0.121);
			miss_curve_free(&curve);
			spectrum_free(&spectrum);
		}
		assert_true(held[0] >= HELD && held[1] >= HELD);
	}
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
	assert_true(miss_curve_at(&curve, 48).value > 0.99);
	assert_true(miss_curve_at(&curve, 50).value < 0.01);
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
