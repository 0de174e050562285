/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each pattern's draws against its distribution, which tests/unit/probabilities.h computes by other means. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/stats/pattern.h"
#include "tests/unit/chisquare.h"
#include "tests/unit/probabilities.h"

#define SEED 20240229u
#define DRAWS 300000u
#define LARGE_SET (1u << 20)
#define LARGE_SET_DRAWS 2000000u
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct pattern_spec spec_of(const char *text, uint64_t pages)
{
	struct pattern_spec spec = {0};
	const char *why = NULL;

	if (pattern_parse(text, &spec, &why) || pattern_check(&spec, pages, &why))
		fail_msg("%s on %llu pages: %s", text, (unsigned long long)pages, why);
	return spec;
}

static struct pattern pattern_of(const char *text, uint64_t pages, uint64_t stream)
{
	struct pattern_spec spec = spec_of(text, pages);
	struct pattern pattern;

	pattern_init(&pattern, &spec, pages, SEED, stream);
	return pattern;
}

/* The p value of `draws` draws of `drawn` as a sample of `claimed`. */
static double fit(const char *drawn, const char *claimed, uint64_t pages, uint64_t draws)
{
	struct pattern pattern = pattern_of(drawn, pages, 3);
	struct pattern_spec spec = spec_of(claimed, pages);
	uint64_t *count = calloc(pages, sizeof(*count));
	double *probability = calloc(pages, sizeof(*probability));
	double p;

	assert_true(count && probability);
	for (uint64_t i = 0; i < draws; i++) {
		uint64_t page = pattern.next(&pattern);

		assert_true(page < pages);
		count[page]++;
	}
	assert_int_equal(pattern_probabilities(&spec, pages, probability), 0);
	p = chisquare_p(count, probability, pages, draws);
	free(count);
	free(probability);
	return p;
}

static const char *const random_patterns[] = {
	"uniform",
	"normal",
	"normal,1.5",
	"normal,0.2",
	"normal_ih",
	"normal_ih,1",
	"pareto",
	"pareto,0.000001",
	"pareto,0.5",
	"pareto,1.161",
	"pareto,4",
	"zipf",
	"zipf,0.000001",
	"zipf,0.3",
	"zipf,0.99",
	"zipf,1",
	"zipf,1.1",
	"zipf,2",
	"zipf,6",
	"hotset",
	"hotset,1%,99%",
	"hotset,90%,10%",
	"hotset,50%,100%",
	"hotset,50%,0%",
	"hotset,100%,5%",
};

static void draws_fit_on(const uint64_t *sizes, size_t n, uint64_t draws)
{
	for (size_t i = 0; i < COUNT(random_patterns); i++) {
		for (size_t k = 0; k < n; k++) {
			double p;

			/* Wider than the set. */
			if (!strcmp(random_patterns[i], "normal,1.5") && sizes[k] < 2)
				continue;
			p = fit(random_patterns[i], random_patterns[i], sizes[k], draws);
			if (!chisquare_fits(p))
				fail_msg("%s on %llu pages, %llu draws: p = %g", random_patterns[i],
					(unsigned long long)sizes[k], (unsigned long long)draws, p);
		}
	}
}

TEST("draws from small sets fit the probabilities of the pattern")
{
	static const uint64_t sizes[] = {1, 2, 3, 4, 13, 1009};

	draws_fit_on(sizes, COUNT(sizes), DRAWS);
}

TEST("draws from a large set fit the probabilities of the pattern")
{
	static const uint64_t sizes[] = {LARGE_SET};

	/* An emulator needs minutes for all of them. */
	draws_fit_on(sizes, COUNT(sizes), unit_is_emulated() ? LARGE_SET_DRAWS / 5 : LARGE_SET_DRAWS);
}

/* A sigma as wide as the set: most draws of the tails are drawn again, none is piled up anywhere. */
TEST("a wide normal distribution is truncated")
{
	assert_true(chisquare_fits(fit("normal,101", "normal,101", 101, DRAWS)));
	assert_true(chisquare_fits(fit("normal_ih,101", "normal_ih,101", 101, DRAWS)));
	assert_true(chisquare_fits(fit("normal,2", "normal,2", 2, DRAWS)));
}

/* The yardstick itself: distributions that are nearly right must be told apart. */
TEST("the test finds wrong distributions")
{
	static const struct {
		const char *drawn, *claimed;
		uint64_t pages;
	} wrong[] = {
		{"pareto,1.1", "zipf,1.1", 1009}, /* what the original drew for zipf */
		{"pareto", "zipf", 1009}, {"pareto", "zipf", 3}, {"zipf,1.12", "zipf,1.1", 1009},
		{"pareto,1.2", "pareto,1.161", 1009}, {"normal", "normal_ih", 101},
		{"normal_ih", "normal", 101}, {"normal,87", "normal", 1009}, {"normal_ih,1", "normal,1", 13},
		{"uniform", "zipf,0.04", 1009}, {"hotset,20%,82%", "hotset", 1009},
		{"hotset,21%,80%", "hotset", 1009}, {"linear", "uniform", 1009}, /* too good to be drawn */
	};

	for (size_t i = 0; i < COUNT(wrong); i++) {
		double p = fit(wrong[i].drawn, wrong[i].claimed, wrong[i].pages, DRAWS);

		if (chisquare_fits(p))
			fail_msg("%s as %s: p = %g", wrong[i].drawn, wrong[i].claimed, p);
	}
}

/* Consecutive draws of one stream, and simultaneous ones of two, are independent. */
TEST("consecutive draws and draws of two streams are independent")
{
	enum { PAGES = 13 };
	double probability[PAGES], joint[PAGES * PAGES];

	for (size_t i = 0; i < COUNT(random_patterns); i++) {
		struct pattern a = pattern_of(random_patterns[i], PAGES, 0);
		struct pattern b = pattern_of(random_patterns[i], PAGES, 1);
		struct pattern_spec spec = spec_of(random_patterns[i], PAGES);
		uint64_t serial[PAGES * PAGES] = {0}, streams[PAGES * PAGES] = {0};

		assert_int_equal(pattern_probabilities(&spec, PAGES, probability), 0);
		for (int k = 0; k < PAGES * PAGES; k++)
			joint[k] = probability[k / PAGES] * probability[k % PAGES];
		for (uint64_t k = 0; k < DRAWS; k++) {
			uint64_t first = a.next(&a), second = a.next(&a);

			serial[first * PAGES + second]++;
			streams[first * PAGES + b.next(&b)]++;
		}
		if (!chisquare_fits(chisquare_p(serial, joint, PAGES * PAGES, DRAWS)) ||
			!chisquare_fits(chisquare_p(streams, joint, PAGES * PAGES, DRAWS)))
			fail_msg("%s: draws depend on each other", random_patterns[i]);
	}
}

/* The same of the generator that the caller seeds with the same seed and stream, for offset and direction. */
TEST("the caller's random numbers are independent of the draws")
{
	struct pattern pattern = pattern_of("uniform", 64, 5);
	uint64_t joint[64 * 64] = {0};
	struct rng rng;

	rng_seed(&rng, SEED, 5);
	for (uint64_t i = 0; i < DRAWS; i++)
		joint[pattern.next(&pattern) * 64 + rng_below(&rng, 64)]++;
	assert_true(chisquare_fits(chisquare_even_p(joint, COUNT(joint))));
}

/* On the largest set the upper bits are distributed as on a small one, and the lower bits have no gaps. */
TEST("draws from the largest set reach all its bits evenly")
{
	static const char *const scaling[] = {"uniform", "normal", "normal_ih", "hotset,25%,75%"};
	double probability[1024];

	for (size_t i = 0; i < COUNT(scaling); i++) {
		struct pattern pattern = pattern_of(scaling[i], PATTERN_PAGES_MAX, 0);
		struct pattern_spec spec = spec_of(scaling[i], 1024);
		uint64_t upper[1024] = {0}, lower[1024] = {0};

		for (uint64_t k = 0; k < DRAWS; k++) {
			uint64_t page = pattern.next(&pattern);

			assert_true(page < PATTERN_PAGES_MAX);
			upper[page >> 30]++;
			lower[page & 1023]++;
		}
		assert_int_equal(pattern_probabilities(&spec, 1024, probability), 0);
		if (!chisquare_fits(chisquare_p(upper, probability, 1024, DRAWS)) ||
			!chisquare_fits(chisquare_even_p(lower, 1024)))
			fail_msg("%s on 2^40 pages", scaling[i]);
	}
}

/* Sum of k^-s for first <= k < end, end >= first >= 64: Euler and Maclaurin, to 10 digits. */
static double power_sum(double first, double end, double s)
{
	double integral = s == 1 ? log(end / first) : (pow(end, 1 - s) - pow(first, 1 - s)) / (1 - s);

	return integral + (pow(first, -s) - pow(end, -s)) / 2 +
	       s * (pow(first, -s - 1) - pow(end, -s - 1)) / 12;
}

/* Zipf's ranks of 2^40 by octaves; the last octave has the last rank besides. */
TEST("zipf draws from the largest set")
{
	static const char *const texts[] = {"zipf,0.5", "zipf,0.99", "zipf,1", "zipf,1.2", "zipf,3"};
	static const double exponents[] = {0.5, 0.99, 1, 1.2, 3};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct pattern pattern = pattern_of(texts[i], PATTERN_PAGES_MAX, 0);
		double s = exponents[i], sum = 0, probability[41] = {0};
		uint64_t count[41] = {0};

		for (int octave = 0; octave <= 40; octave++) {
			double first = ldexp(1, octave), end = octave < 40 ? 2 * first : first + 1;

			if (octave >= 6)
				probability[octave] = power_sum(first, end, s);
			for (uint64_t k = (uint64_t)first; octave < 6 && k < (uint64_t)end; k++)
				probability[octave] += pow((double)k, -s);
			sum += probability[octave];
		}
		for (int octave = 0; octave <= 40; octave++)
			probability[octave] /= sum;
		for (uint64_t k = 0; k < DRAWS; k++) {
			uint64_t page = pattern.next(&pattern);

			assert_true(page < PATTERN_PAGES_MAX);
			count[63 - __builtin_clzll(page + 1)]++;
		}
		if (!chisquare_fits(chisquare_p(count, probability, 41, DRAWS)))
			fail_msg("%s on 2^40 pages", texts[i]);
	}
}

/* Extreme shapes stay in the set and end. */
TEST("extreme shapes draw within the set and terminate")
{
	static const char *const texts[] = {"zipf,100", "zipf,5e-324", "pareto,100", "pareto,5e-324",
		"normal,5e-324", "normal_ih,5e-324", "normal,1", "normal_ih,1", "zipf,0.9999999999",
		"zipf,1.0000000001"};
	static const uint64_t sizes[] = {1, 2, 3, 1000, PATTERN_PAGES_MAX - 1, PATTERN_PAGES_MAX};

	for (size_t i = 0; i < COUNT(texts); i++) {
		for (size_t k = 0; k < COUNT(sizes); k++) {
			struct pattern pattern = pattern_of(texts[i], sizes[k], 0);

			for (int n = 0; n < 10000; n++)
				assert_true(pattern.next(&pattern) < sizes[k]);
		}
	}
}

/* Around the centre of an even set a tiny sigma has two pages, of an odd set one. */
TEST("a tiny sigma draws only the centre of the set")
{
	static const uint64_t sizes[] = {1000, PATTERN_PAGES_MAX};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct pattern pattern = pattern_of("normal,1e-300", sizes[i], 0);
		uint64_t sides[2] = {0};

		for (uint64_t k = 0; k < DRAWS; k++)
			sides[pattern.next(&pattern) - sizes[i] / 2 + 1]++;
		assert_true(chisquare_fits(chisquare_even_p(sides, 2)));
		pattern = pattern_of("normal,1e-300", sizes[i] - 1, 0);
		for (int k = 0; k < 1000; k++)
			assert_int_equal(pattern.next(&pattern), (sizes[i] - 1) / 2);
	}
}
