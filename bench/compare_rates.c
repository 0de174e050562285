/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Error rates and detection rates of memstor compare: the tables of memstor(1), from synthetic runs with a fixed seed.
 * compare_rates PAIRS TABLE prints one table; a test keeps the manual equal to the program's output.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/hot/rng.h"
#include "common/units.h"
#include "memstor/compare/compare.h"

#define RUNS_MAX 40
#define METRICS 10
#define CELL 8 /* columns */

static double uniform(struct rng *rng)
{
	return 1 - rng_double(rng);
}

static double normal(struct rng *rng)
{
	double radius = sqrt(-2 * log(uniform(rng)));

	return radius * cos(2 * M_PI * uniform(rng));
}

/* Logarithms of a run's number. */
static double draw_normal(struct rng *rng)
{
	return 0.02 * normal(rng);
}

static double draw_skewed(struct rng *rng)
{
	return log(-log(uniform(rng)));
}

static double draw_two_modes(struct rng *rng)
{
	double mode = uniform(rng) < 0.5 ? 0.2 : 0;

	return mode + 0.005 * normal(rng);
}

static double draw_rare_mode(struct rng *rng)
{
	double mode = uniform(rng) < 0.1 ? 0.2 : 0;

	return mode + 0.005 * normal(rng);
}

/* Student's t with two degrees of freedom: a mean, but no variance. */
static double draw_heavy(struct rng *rng)
{
	double z = normal(rng);

	return 0.02 * z / sqrt(-log(uniform(rng)));
}

static double draw_spikes(struct rng *rng)
{
	return 0.02 * exp(normal(rng));
}

static double draw_coarse(struct rng *rng)
{
	return 0.01 * round(2 * normal(rng));
}

static const struct {
	const char *name;
	double (*draw)(struct rng *rng);
} shapes[] = {
	{"normal", draw_normal},
	{"skewed", draw_skewed},
	{"two modes", draw_two_modes},
	{"rare mode", draw_rare_mode},
	{"heavy tails", draw_heavy},
	{"spikes", draw_spikes},
	{"many ties", draw_coarse},
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void fill(struct metric_number *runs, size_t count, double (*draw)(struct rng *), double factor,
	struct rng *rng)
{
	for (size_t i = 0; i < count; i++) {
		double value = 1000 * factor * exp(draw(rng));

		runs[i] = (struct metric_number){value, value, value, 0};
	}
}

static struct compare_change decide(const struct compare_rule *rule, const struct compare_samples *samples)
{
	struct compare_change change;

	if (compare_metric_decide(rule, METRIC_LOWER, samples, &change)) {
		diag_error(ENOMEM, "cannot compare");
		exit(DIAG_EXIT_HOST);
	}
	return change;
}

static bool is_difference(const struct compare_change *change)
{
	return change->verdict == COMPARE_FASTER || change->verdict == COMPARE_SLOWER;
}

static void print_cell(unsigned count, unsigned pairs)
{
	printf("%*.1f", CELL, 100.0 * count / pairs);
}

static const struct compare_rule strict = {.level = 0.95, .margin = 0, .is_margin_given = true, .seed = 1};

/* A/A pairs that are called faster or slower. */
static void print_alarms(unsigned pairs, enum compare_method method)
{
	static const unsigned sizes[][2] = {{3, 3}, {4, 4}, {5, 5}, {7, 7}, {10, 10}, {20, 20}, {5, 20}};
	struct compare_rule rule = strict;

	rule.method = method;
	printf("%-12s%8s%8s%8s%8s%8s%8s%8s\n", "runs", "3+3", "4+4", "5+5", "7+7", "10+10", "20+20", "5+20");
	for (size_t shape = 0; shape < SHAPES; shape++) {
		printf("%-12s", shapes[shape].name);
		for (size_t size = 0; size < sizeof(sizes) / sizeof(sizes[0]); size++) {
			struct metric_number base[RUNS_MAX], new[RUNS_MAX];
			unsigned alarms = 0;
			struct rng rng;

			rng_seed(&rng, 16, 100 * shape + size);
			for (unsigned pair = 0; pair < pairs; pair++) {
				struct compare_samples samples = {
					base, new, sizes[size][0], sizes[size][1], NULL, 0, NULL};
				struct compare_change change;

				fill(base, sizes[size][0], shapes[shape].draw, 1, &rng);
				fill(new, sizes[size][1], shapes[shape].draw, 1, &rng);
				change = decide(&rule, &samples);
				alarms += is_difference(&change);
			}
			print_cell(alarms, pairs);
		}
		putchar('\n');
	}
}

/* Pairs of runs with this noise (standard deviation of the logarithm) and a change by this factor that get the wanted verdict. */
static unsigned count_verdicts(const struct compare_rule *rule, unsigned pairs, unsigned runs, double noise,
	double factor, enum compare_verdict wanted, uint64_t stream)
{
	struct metric_number base[RUNS_MAX], new[RUNS_MAX];
	struct compare_samples samples = {base, new, runs, runs, NULL, 0, NULL};
	unsigned count = 0;
	struct rng rng;

	rng_seed(&rng, 17, stream);
	for (unsigned pair = 0; pair < pairs; pair++) {
		for (unsigned i = 0; i < runs; i++) {
			double one = 1000 * exp(noise * normal(&rng)),
			       other = 1000 * factor * exp(noise * normal(&rng));

			base[i] = (struct metric_number){one, one, one, 0};
			new[i] = (struct metric_number){other, other, other, 0};
		}
		count += decide(rule, &samples).verdict == wanted;
	}
	return count;
}

static void print_power(unsigned pairs)
{
	static const double noises[] = {0.01, 0.02, 0.05, 0.1}, shifts[] = {0.05, 0.1, 0.2};
	static const unsigned sizes[] = {3, 4, 5, 7, 10, 20};
	const struct compare_rule rule = {.level = 0.95, .margin = 0.02, .seed = 1};

	printf("%-7s%-7s%8s%8s%8s%8s%8s%8s\n", "change", "noise", "3+3", "4+4", "5+5", "7+7", "10+10", "20+20");
	for (size_t shift = 0; shift < 3; shift++) {
		for (size_t noise = 0; noise < 4; noise++) {
			printf("%-7.0f%-7.0f", 100 * shifts[shift], 100 * noises[noise]);
			for (size_t size = 0; size < 6; size++)
				print_cell(count_verdicts(&rule, pairs, sizes[size], noises[noise],
						   1 + shifts[shift], COMPARE_SLOWER,
						   100 * shift + 10 * noise + size),
					pairs);
			putchar('\n');
		}
	}
}

/* Pairs without a change that are called no difference, with the default margin. */
static void print_equal(unsigned pairs)
{
	static const double noises[] = {0.005, 0.01, 0.02, 0.05};
	static const unsigned sizes[] = {3, 4, 5, 7, 10, 20};
	const struct compare_rule rule = {.level = 0.95, .margin = 0.02, .seed = 1};

	printf("%-7s%8s%8s%8s%8s%8s%8s\n", "noise", "3+3", "4+4", "5+5", "7+7", "10+10", "20+20");
	for (size_t noise = 0; noise < 4; noise++) {
		printf("%-7.1f", 100 * noises[noise]);
		for (size_t size = 0; size < 6; size++)
			print_cell(count_verdicts(&rule, pairs, sizes[size], noises[noise], 1,
					   COMPARE_NO_DIFFERENCE, 1000 + 10 * noise + size),
				pairs);
		putchar('\n');
	}
}

/* A run's metrics move together: half of each one's variance is the run's. */
static void fill_correlated(struct metric_number (*runs)[RUNS_MAX], unsigned count, double (*draw)(struct rng *),
	double factor, struct rng *rng)
{
	for (unsigned i = 0; i < count; i++) {
		double shared = draw(rng);

		for (unsigned metric = 0; metric < METRICS; metric++) {
			double value = 1000 * factor * exp(shared + draw(rng));

			runs[metric][i] = (struct metric_number){value, value, value, 0};
		}
	}
}

#define SETS_MAX 20

/* The first set is slower by this factor, the others are as they were. */
static enum compare_verdict overall(
	unsigned sets, unsigned runs, double (*draw)(struct rng *), double factor, struct rng *rng)
{
	static struct compare_change changes[SETS_MAX * METRICS], *pointers[SETS_MAX * METRICS];
	static struct metric_number base[METRICS][RUNS_MAX], new[METRICS][RUNS_MAX];
	enum compare_verdict verdict;

	for (unsigned set = 0; set < sets; set++) {
		fill_correlated(base, runs, draw, 1, rng);
		fill_correlated(new, runs, draw, set ? 1 : factor, rng);
		for (unsigned metric = 0; metric < METRICS; metric++) {
			struct compare_samples samples = {base[metric], new[metric], runs, runs, NULL, 0, NULL};
			unsigned at = set * METRICS + metric;

			changes[at] = decide(&strict, &samples);
			pointers[at] = &changes[at];
		}
	}
	if (compare_settle(0.95, pointers, (size_t)sets * METRICS, &verdict))
		exit(DIAG_EXIT_HOST);
	return verdict;
}

/* A/A comparisons of 1 and of 20 sets of ten correlated metrics: overall verdicts that are faster or slower. */
static void print_overall(unsigned pairs)
{
	static const struct {
		unsigned sets, shape;
	} rows[] = {{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {SETS_MAX, 0}, {SETS_MAX, 2}};
	static const unsigned sizes[] = {3, 4, 5, 7, 10};

	printf("%-5s%-12s%8s%8s%8s%8s%8s\n", "sets", "runs", "3+3", "4+4", "5+5", "7+7", "10+10");
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		unsigned rounds = rows[row].sets == 1 ? pairs : pairs / 4;

		printf("%-5u%-12s", rows[row].sets, shapes[rows[row].shape].name);
		for (size_t size = 0; size < 5; size++) {
			unsigned alarms = 0;
			struct rng rng;

			rng_seed(&rng, 18, 10 * row + size);
			for (unsigned pair = 0; pair < rounds; pair++) {
				enum compare_verdict verdict = overall(
					rows[row].sets, sizes[size], shapes[rows[row].shape].draw, 1, &rng);

				alarms += verdict == COMPARE_FASTER || verdict == COMPARE_SLOWER;
			}
			print_cell(alarms, rounds);
		}
		putchar('\n');
	}
}

/* One set of 1 or 20 has become slower in all its metrics: overall verdicts that are slower. */
static void print_suite(unsigned pairs)
{
	static const unsigned set_counts[] = {1, SETS_MAX}, sizes[] = {3, 4, 5, 7, 10};
	static const double changes[] = {0.05, 0.1, 0.2};

	printf("%-5s%-12s%8s%8s%8s%8s%8s\n", "sets", "change", "3+3", "4+4", "5+5", "7+7", "10+10");
	for (size_t row = 0; row < 6; row++) {
		unsigned sets = set_counts[row / 3], rounds = row < 3 ? pairs : pairs / 10;

		printf("%-5u%-12.0f", sets, 100 * changes[row % 3]);
		for (size_t size = 0; size < 5; size++) {
			unsigned found = 0;
			struct rng rng;

			rng_seed(&rng, 20, 10 * row + size);
			for (unsigned pair = 0; pair < rounds; pair++)
				found += overall(sets, sizes[size], draw_normal, 1 + changes[row % 3],
						 &rng) == COMPARE_SLOWER;
			print_cell(found, rounds);
		}
		putchar('\n');
	}
}

/* One run against one with a floor of A/A runs: alarms when nothing changed. */
static void print_floor(unsigned pairs)
{
	static const unsigned sizes[] = {8, 10, 15, 20, 40};

	printf("%-12s%8s%8s%8s%8s%8s\n", "floor runs", "8", "10", "15", "20", "40");
	for (size_t shape = 0; shape < SHAPES; shape++) {
		printf("%-12s", shapes[shape].name);
		for (size_t size = 0; size < 5; size++) {
			struct metric_number base, new, same[RUNS_MAX];
			double values[RUNS_MAX];
			unsigned alarms = 0;
			struct rng rng;

			rng_seed(&rng, 19, 100 * shape + size);
			for (unsigned pair = 0; pair < pairs; pair++) {
				struct compare_samples samples = {&base, &new, 1, 1, values, sizes[size], NULL};
				struct compare_change change;

				fill(&base, 1, shapes[shape].draw, 1, &rng);
				fill(&new, 1, shapes[shape].draw, 1, &rng);
				fill(same, sizes[size], shapes[shape].draw, 1, &rng);
				for (unsigned i = 0; i < sizes[size]; i++)
					values[i] = same[i].value;
				change = decide(&strict, &samples);
				alarms += is_difference(&change);
			}
			print_cell(alarms, pairs);
		}
		putchar('\n');
	}
}

static void print_ranks(unsigned pairs)
{
	print_alarms(pairs, COMPARE_BY_RANKS);
}

static void print_bootstrap(unsigned pairs)
{
	print_alarms(pairs, COMPARE_BY_BOOTSTRAP);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(unsigned pairs);
	} tables[] = {
		{"alarms", print_ranks},
		{"bootstrap", print_bootstrap},
		{"power", print_power},
		{"equal", print_equal},
		{"overall", print_overall},
		{"suite", print_suite},
		{"floor", print_floor},
	};
	uint64_t pairs;

	if (argc != 3 || units_parse_u64(argv[1], 10, 1000000, &pairs)) {
		diag_error(0, "usage: compare_rates PAIRS alarms|bootstrap|power|equal|overall|suite|floor");
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (strcmp(tables[i].name, argv[2]) == 0) {
			tables[i].print((unsigned)pairs);
			return DIAG_EXIT_OK;
		}
	}
	diag_error(0, "there is no table '%s'", argv[2]);
	return DIAG_EXIT_USAGE;
}
