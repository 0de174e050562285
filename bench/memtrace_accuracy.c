/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memtrace_accuracy [TRIALS [PROGRAM [PAGES]]]: how often the 95 % intervals of memtrace's estimates contain the truth, by
 * simulation. A program accesses memory by a known pattern; a sampler draws from these accesses in TRIALS independent trials,
 * from seeds that do not change; each trial's estimates are compared with the truth. Prints the tables of
 * results/memtrace-accuracy.md.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "common/hot/rng.h"
#include "common/stats/pattern.h"
#include "memtrace/estimate/accuracy.h"
#include "memtrace/estimate/buckets.h"
#include "memtrace/estimate/estimate.h"
#include "memtrace/estimate/order.h"

#define WARM (32u << 20)  /* accesses before the recording: caches are full, and first accesses are over */
#define STREAM (4u << 20) /* accesses of the recording */
#define SIZES 7           /* LRU buffers of an eighth of the pages, and so on */
#define BURST 50          /* successive accesses */
#define MAPPED 2          /* times the pages that the pattern can access */

static const struct {
	const char *name, *pattern;
	double exponent; /* NAN: none */
} programs[] = {
	{"uniform", "uniform", 0}, {"zipf 0.8", "zipf,0.8", 0.8}, {"zipf 1.0", "zipf,1", 1}, {"zipf 1.2", "zipf,1.2", 1.2},
	{"zipf 1.4", "zipf,1.4", 1.4}, {"hot set", "hotset,10,90", NAN}, {"scan and hot set", NULL, NAN},
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))
static const size_t page_counts[] = {16, 4096, 262144}; /* 64 KiB, 16 MiB, 1 GiB */
static const uint64_t sample_counts[] = {100, 1000, 10000, 100000};
static const char *const samplers[] = {"apart", "bursts"};

enum quantity { WORKING_SET, MISSES, TOP_1 = MISSES + SIZES, TOP_10, GINI, EXPONENT, QUANTITIES };

struct program {
	size_t pages;
	uint32_t *stream;
	double *shares;  /* the most popular first */
	double truth[QUANTITIES];
};

struct cell {
	unsigned contained[QUANTITIES], given[QUANTITIES]; /* intervals with the truth; intervals */
	double width[QUANTITIES];
};

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		fputs("no memory\n", stderr);
		exit(3);
	}
	return memory;
}

/* A tenth of the pages is hot and takes half of the accesses at random, the others are scanned in order. */
static uint32_t draw_scan(struct rng *rng, size_t pages, size_t *next)
{
	size_t hot = pages / 10 + 1;

	if (rng_next(rng) >> 63)
		return (uint32_t)rng_below(rng, hot);
	*next = *next + 1 < pages - hot ? *next + 1 : 0;
	return (uint32_t)(hot + *next);
}

static int compare_falling(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one < other) - (one > other);
}

static void find_shares(struct program *program, size_t number)
{
	size_t pages = program->pages, hot = pages / 10 + 1;
	double sum = 0;

	for (size_t i = 0; i < pages; i++) {
		double *share = &program->shares[i];

		if (!programs[number].pattern)
			*share = i < hot ? 0.5 / (double)hot : 0.5 / (double)(pages - hot);
		else if (isnan(programs[number].exponent))
			*share = i < (size_t)fmax(1, round((double)pages * 0.1)) ? 0.9 / fmax(1, round((double)pages * 0.1))
				: 0.1 / ((double)pages - fmax(1, round((double)pages * 0.1)));
		else
			*share = pow((double)(i + 1), -programs[number].exponent);
		sum += *share;
	}
	for (size_t i = 0; i < pages; i++)
		program->shares[i] /= sum;
	qsort(program->shares, pages, sizeof(double), compare_falling);
}

static double top_of(const struct program *program, double part)
{
	double sum = 0;

	for (size_t i = 0; i < (size_t)ceil(part * program->truth[WORKING_SET]); i++)
		sum += program->shares[i];
	return sum;
}

static void find_truth(struct program *program, size_t number)
{
	struct lru_stack stack;
	uint8_t *met = allocate(program->pages, 1);
	double gini = 0, sum = 0;
	size_t accessed;

	if (lru_stack_open(&stack, program->pages))
		exit(3);
	for (size_t i = 0; i < WARM + STREAM; i++) {
		if (i == WARM) {
			memset(stack.distances, 0, (program->pages + 1) * sizeof(*stack.distances));
			stack.accesses = 0;
		}
		lru_stack_access(&stack, program->stream[i]);
		if (i >= WARM && !met[program->stream[i]]) {
			met[program->stream[i]] = 1;
			program->truth[WORKING_SET]++;
		}
	}
	for (size_t i = 0; i < SIZES; i++)
		program->truth[MISSES + i] = lru_stack_ratio(&stack, program->pages * (i + 1) / (SIZES + 1));
	accessed = (size_t)program->truth[WORKING_SET];
	program->truth[TOP_1] = top_of(program, 0.01);
	program->truth[TOP_10] = top_of(program, 0.1);
	for (size_t i = 0; i < accessed; i++) {
		sum += program->shares[i];
		gini += program->shares[i] * (double)(accessed - i);
	}
	program->truth[GINI] = (2 * gini / sum - 1) / (double)accessed - 1;
	program->truth[EXPONENT] = programs[number].exponent;
	lru_stack_close(&stack);
	free(met);
}

static void make_program(struct program *program, size_t number, size_t pages)
{
	struct pattern *pattern = aligned_alloc(64, (sizeof(*pattern) + 63) / 64 * 64);
	struct pattern_spec spec = {0};
	const char *why;
	struct rng rng;
	size_t next = 0;

	*program = (struct program){.pages = pages, .stream = allocate(WARM + STREAM, sizeof(uint32_t)),
		.shares = allocate(pages, sizeof(double))};
	if (programs[number].pattern && (!pattern || pattern_parse(programs[number].pattern, &spec, &why) ||
		pattern_check(&spec, pages, &why)))
		exit(3);
	if (programs[number].pattern)
		pattern_init(pattern, &spec, pages, 1, number);
	rng_seed(&rng, 2, pages);
	for (size_t i = 0; i < WARM + STREAM; i++)
		program->stream[i] = programs[number].pattern ? (uint32_t)pattern->next(pattern)
			: draw_scan(&rng, pages, &next);
	free(pattern);
	find_shares(program, number);
	find_truth(program, number);
}

/* --- a trial --- */

/* Samples by page in counts, and their order. */
static void draw(const struct program *program, uint64_t samples, bool is_bursts, struct rng *rng, uint32_t *counts,
	struct order *order)
{
	const uint32_t *stream = program->stream + WARM;
	unsigned length = is_bursts ? BURST : 1;
	uint64_t apart = STREAM / (samples / length), last = 0;

	memset(counts, 0, program->pages * sizeof(*counts));
	for (uint64_t i = 0; i < samples / length; i++) {
		/* One in each part of the recording, at random in it, as samplers that vary their period. */
		const uint32_t *at = stream + i * apart + (apart > length ? rng_below(rng, apart - length) : 0);

		for (unsigned step = 0; step < length; step++) {
			counts[at[step]]++;
			if (is_bursts ? step > 0 : i > 0)
				order_add(order, (int64_t)at[step] - (int64_t)(is_bursts ? at[(int)step - 1] : last));
			last = at[step];
		}
	}
}

static void note(struct cell *cell, const struct program *program, enum quantity quantity, struct estimate estimate)
{
	if (isnan(estimate.low) || isnan(program->truth[quantity]))
		return;
	cell->given[quantity]++;
	cell->contained[quantity] += estimate.low <= program->truth[quantity] * (1 + 1e-9) &&
		program->truth[quantity] * (1 - 1e-9) <= estimate.high;
	cell->width[quantity] += estimate.high - estimate.low;
}

static void try_once(const struct program *program, uint64_t samples, bool is_bursts, struct rng *rng, uint32_t *counts,
	struct cell *cell)
{
	uint32_t *seen = allocate(program->pages, sizeof(*seen));
	struct bucket *sorted = allocate(program->pages, sizeof(*sorted));
	struct order order = {0};
	struct spectrum spectrum;
	struct lorenz lorenz;
	struct miss_curve curve;
	struct zipf_fit fit;
	struct estimate buckets;
	enum order_kind kind;
	size_t count = 0;

	draw(program, samples, is_bursts, rng, counts, &order);
	for (size_t i = 0; i < program->pages; i++) {
		if (counts[i]) {
			sorted[count] = (struct bucket){i, counts[i], 0};
			seen[count++] = counts[i];
		}
	}
	order_expect(&order, sorted, count);
	kind = order_kind(&order, is_bursts);
	if (spectrum_make(seen, count, &spectrum) || lorenz_make(&spectrum, &lorenz))
		exit(3);
	buckets = estimate_buckets(&spectrum, STREAM, (double)(MAPPED * program->pages), kind == ORDER_INDEPENDENT);
	if (estimate_independent(&spectrum, (double)(MAPPED * program->pages), kind == ORDER_INDEPENDENT, &curve))
		exit(3);
	if (kind != ORDER_DEPENDENT || !is_bursts) {
		note(cell, program, WORKING_SET, buckets);
		note(cell, program, TOP_1, lorenz_top(&lorenz, 0.01, buckets));
		note(cell, program, TOP_10, lorenz_top(&lorenz, 0.1, buckets));
		note(cell, program, GINI, lorenz_gini(&lorenz, buckets));
	}
	for (unsigned i = 0; i < SIZES && kind != ORDER_DEPENDENT && samples >= MISS_SAMPLES_MIN; i++) {
		size_t buffer = program->pages * (i + 1) / (SIZES + 1);

		note(cell, program, MISSES + i, miss_curve_at(&curve, (double)buffer));
	}
	if (!isnan(program->truth[EXPONENT])) {
		if (estimate_zipf(&spectrum, buckets, &fit))
			exit(3);
		if (fit.is_like_zipf)
			note(cell, program, EXPONENT, fit.exponent);
	}
	miss_curve_free(&curve);
	lorenz_free(&lorenz);
	spectrum_free(&spectrum);
	free(seen);
	free(sorted);
}

/* --- tables --- */

/* Percent of the intervals with the truth, and the mean width; or the word that stands instead of an interval. */
static void print_quantity(const struct cell *cell, unsigned trials, enum quantity first, unsigned count, double unit)
{
	double least = 2, width = 0;
	unsigned given = 0;

	for (enum quantity quantity = first; quantity < first + count; quantity++) {
		given += cell->given[quantity];
		if (cell->given[quantity])
			least = fmin(least, (double)cell->contained[quantity] / cell->given[quantity]);
		width += cell->width[quantity];
	}
	/* Of a few intervals no share is known. */
	if (given < count * trials / 10)
		printf(" | %s", "indication");
	else if (given < count * trials)
		printf(" | %.0f (%.2g), %.0f %% given", 100 * least, width / given / unit, 100. * given / count / trials);
	else
		printf(" | %.0f (%.2g)", 100 * least, width / given / unit);
}

int main(int argc, char **argv)
{
	unsigned sampler_count = sizeof(samplers) / sizeof(samplers[0]);
	uint64_t trials = 200, pages = 0;

	if (argc > 4 || (argc > 1 && units_parse_u64(argv[1], 1, 100000, &trials)) ||
		(argc > 3 && units_parse_u64(argv[3], 1, UINT32_MAX, &pages)))
		return 2;
	puts("| program | pages | samples | sampler | working set | miss ratio | top 1 % | top 10 % | Gini | exponent |");
	puts("|---|---|---|---|---|---|---|---|---|---|");
	for (size_t number = 0; number < PROGRAMS; number++) {
		if (argc > 2 && strcmp(argv[2], programs[number].name))
			continue;
		for (size_t size = 0; size < sizeof(page_counts) / sizeof(page_counts[0]); size++) {
			struct program program;
			uint32_t *counts;

			if (pages && pages != page_counts[size])
				continue;
			counts = allocate(page_counts[size], sizeof(*counts));
			make_program(&program, number, page_counts[size]);
			for (size_t many = 0; many < sizeof(sample_counts) / sizeof(sample_counts[0]); many++) {
				for (unsigned sampler = 0; sampler < sampler_count; sampler++) {
					struct cell cell = {0};
					uint64_t cells = 1000 * number + 100 * size + 10 * many + sampler;

					for (uint64_t trial = 0; trial < trials; trial++) {
						struct rng rng;

						rng_seed(&rng, trial, cells);
						try_once(&program, sample_counts[many], sampler == 1, &rng, counts, &cell);
					}
					printf("| %s | %zu | %llu | %s", programs[number].name, program.pages,
						(unsigned long long)sample_counts[many], samplers[sampler]);
					print_quantity(&cell, (unsigned)trials, WORKING_SET, 1, program.truth[WORKING_SET]);
					print_quantity(&cell, (unsigned)trials, MISSES, SIZES, 1);
					print_quantity(&cell, (unsigned)trials, TOP_1, 1, 1);
					print_quantity(&cell, (unsigned)trials, TOP_10, 1, 1);
					print_quantity(&cell, (unsigned)trials, GINI, 1, 1);
					if (isnan(programs[number].exponent))
						printf(" |");
					else
						print_quantity(&cell, (unsigned)trials, EXPONENT, 1, 1);
					puts(" |");
					fflush(stdout);
				}
			}
			free(counts);
			free(program.stream);
			free(program.shares);
		}
	}
	return 0;
}
