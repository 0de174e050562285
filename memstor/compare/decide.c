/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/hot/rng.h"
#include "common/stats.h"

/* --- the A/A noise floor: differences between groups of runs of the same configuration --------------------- */

#define SPLITS 2000

int compare_floor(const double *values, size_t count, size_t base_count, size_t new_count, double level,
	uint64_t seed, double observed, struct compare_floor *floor)
{
	size_t quarter = count / 4, reached = 0;
	size_t one = base_count < quarter ? base_count : quarter, other = new_count < quarter ? new_count : quarter;
	double tail = (1 - level) / 2, dependence, widening, rank;
	double *logs, *changes;
	struct rng rng;
	int err = -ENOMEM;

	*floor = (struct compare_floor){NAN, NAN, count};
	if (count < COMPARE_FLOOR_RUNS)
		return 0;
	logs = reallocarray(NULL, count, sizeof(*logs));
	changes = reallocarray(NULL, SPLITS, sizeof(*changes));
	if (!logs || !changes)
		goto out;
	err = 0;
	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0 && values[i] < INFINITY))
			goto out;
		logs[i] = log(values[i]);
	}
	rng_seed(&rng, seed, 1);
	for (size_t i = 0; i < SPLITS; i++) {
		/* Two disjoint random groups, at the front of logs. */
		for (size_t k = 0; k < one + other; k++) {
			size_t from = k + rng_below(&rng, count - k);
			double swapped = logs[k];

			logs[k] = logs[from];
			logs[from] = swapped;
		}
		/* This reorders the groups, as the next draw does anyway. */
		changes[i] = fabs(gsl_stats_median(logs, 1, one) - gsl_stats_median(logs + one, 1, other));
	}
	gsl_sort(changes, 1, SPLITS);
	/*
	 * Changes between few runs depend on each other and estimate the spread badly. Both are compensated for: a rank further
	 * out than the level's, and Student's t instead of the normal quantile. The resulting rates are measured
	 * (memstor(1), compare).
	 */
	dependence = ((double)count + 15) / (double)count;
	widening = gsl_cdf_tdist_Qinv(tail, (double)count - 1) / gsl_cdf_ugaussian_Qinv(tail);
	rank = ceil((1 - (1 - level) / dependence) * (SPLITS + 1));
	floor->radius = widening * changes[(size_t)fmin(rank, SPLITS) - 1];
	/* At most 1 - level for a change beyond the radius. */
	for (size_t i = 0; i < SPLITS; i++)
		reached += widening * changes[i] >= observed;
	floor->p = fmin(1, dependence * (double)(reached + 1) / (SPLITS + 1));
out:
	free(changes);
	free(logs);
	return err;
}

/* --- one run a side: its series --------------------------------------------------------------------------- */

static double mean_of_blocks(const struct compare_series *series, struct rng *rng)
{
	size_t block = (size_t)ceil(sqrt((double)series->count)), start = 0;
	double sum = 0, weight = 0;

	for (size_t i = 0; i < series->count; i++) {
		size_t at;

		if (i % block == 0)
			start = rng_below(rng, series->count);
		at = (start + i % block) % series->count;
		sum += series->values[at] * series->weights[at];
		weight += series->weights[at];
	}
	return sum / weight;
}

int compare_series(const struct compare_series *base, const struct compare_series *new, double level, uint64_t seed,
	struct compare_within *within)
{
	double low = 1, high = 1, tail = (1 - level) / 2;
	double *ratios;
	struct rng rng;

	if (base->count < COMPARE_WITHIN_INTERVALS || new->count < COMPARE_WITHIN_INTERVALS)
		return -EINVAL;
	ratios = reallocarray(NULL, COMPARE_ROUNDS, sizeof(*ratios));
	if (!ratios)
		return -ENOMEM;
	rng_seed(&rng, seed, 4);
	for (size_t i = 0; i < COMPARE_ROUNDS; i++) {
		double mean = mean_of_blocks(base, &rng);

		ratios[i] = mean_of_blocks(new, &rng) / mean;
		low += ratios[i] <= 1;
		high += ratios[i] >= 1;
	}
	gsl_sort(ratios, 1, COMPARE_ROUNDS);
	within->low = gsl_stats_quantile_from_sorted_data(ratios, 1, COMPARE_ROUNDS, tail);
	within->high = gsl_stats_quantile_from_sorted_data(ratios, 1, COMPARE_ROUNDS, 1 - tail);
	within->p = fmin(1, 2 * fmin(low, high) / (COMPARE_ROUNDS + 1));
	free(ratios);
	return 0;
}

int compare_within(const char *base_path, const char *new_path, const struct metric *metrics, size_t count,
	double level, uint64_t seed, struct compare_within *within)
{
	const char *const paths[] = {base_path, new_path};
	struct compare_series series[2];
	struct loaded *loaded[2] = {NULL, NULL};
	struct arena arena = {0};
	int code = DIAG_EXIT_OK, err = 0;

	for (size_t i = 0; i < 2 && !code; i++) {
		code = loaded_read(paths[i], LOADED_SERIES, &loaded[i]);
		if (code)
			break;
		series[i].values = arena_array(&arena, loaded[i]->interval_count, sizeof(double));
		series[i].weights = arena_array(&arena, loaded[i]->interval_count, sizeof(double));
		err = arena.is_short ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < count && !code && err != -ENOMEM; i++) {
		for (size_t side = 0; side < 2; side++) {
			series[side].count = 0;
			for (size_t k = 0; k < loaded[side]->interval_count; k++) {
				double value, weight;

				/* Intervals without the metric (nothing was accessed) are left out. */
				if (!metric_of_interval(&metrics[i], &loaded[side]->intervals[k], &value, &weight) || !(value > 0))
					continue;
				series[side].values[series[side].count] = value;
				series[side].weights[series[side].count++] = weight;
			}
		}
		within[i] = (struct compare_within){NAN, NAN, NAN};
		err = compare_series(&series[0], &series[1], level, seed, &within[i]);
	}
	if (err == -ENOMEM)
		code = diag_host(ENOMEM, "cannot compare");
	arena_free(&arena);
	loaded_free(loaded[1]);
	loaded_free(loaded[0]);
	return code;
}

/* --- the verdict ------------------------------------------------------------------------------------------- */

/* Wider buckets than log16's (1/16 of the latency) are no margin that a person would think of. */
#define BUCKET_MARGIN_MAX 0.0626

/* The runs of one group that have the metric. */
struct group {
	double *values;
	size_t count;
	double median;
	double low, high; /* of the bucket that all are in; NAN = not in one */
	double step;      /* the coarsest of their clocks */
	double below;     /* of the open first bucket that some are in; 0 = none is */
};

static int take_group(const struct metric_number *numbers, size_t count, struct group *group)
{
	*group = (struct group){reallocarray(NULL, count ? count : 1, sizeof(double)), 0, NAN, NAN, NAN, 0, 0};
	if (!group->values)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		bool is_first = group->count == 0;

		if (isnan(numbers[i].value))
			continue;
		group->values[group->count++] = numbers[i].value;
		group->step = fmax(group->step, numbers[i].step);
		group->below = fmax(group->below, metric_below(&numbers[i]));
		if (is_first && numbers[i].low < numbers[i].high) {
			group->low = numbers[i].low;
			group->high = numbers[i].high;
		} else if (group->low != numbers[i].low || group->high != numbers[i].high) {
			group->low = group->high = NAN;
		}
	}
	return group->count ? stats_median(group->values, group->count, &group->median) : 0;
}

/* Ratios all along; fractions at the end. */
struct finding {
	struct stats_interval ratio;
	double p;
	enum compare_basis basis;
};

static bool is_all(const struct group *group, double value)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->values[i] != value)
			return false;
	return true;
}

static void set_all(const struct group *group, double value)
{
	for (size_t i = 0; i < group->count; i++)
		group->values[i] = value;
}

/* Stores the interval from the runs of both groups, if there are enough of them. Returns 0 or -ENOMEM. */
static int from_runs(const struct compare_rule *rule, const struct group *base, const struct group *new, double rank_p,
	struct finding *finding)
{
	const double *from = base->values, *to = new->values;
	size_t n = base->count, m = new->count, least = n < m ? n : m;
	/* 0 has no logarithm, but 0 to 0 is the ratio of any number to itself. */
	bool is_nothing = is_all(base, 0) && is_all(new, 0);
	double modes = exp2(1 - (double)n - (double)m), student;
	struct stats_interval unused;
	int err = -ENODATA;

	if (is_nothing) {
		set_all(base, 1);
		set_all(new, 1);
	}
	/* Other errors mean that a method has no interval for these runs. */
	if (rule->method == COMPARE_BY_BOOTSTRAP && least >= COMPARE_P_RUNS) {
		finding->basis = COMPARE_BOOTSTRAP;
		err = stats_ratio_bootstrap(from, n, to, m, rule->level, COMPARE_ROUNDS, rule->seed, &finding->ratio, &finding->p);
	}
	if (err && err != -ENOMEM) {
		finding->basis = COMPARE_RANKS;
		finding->p = rank_p;
		err = stats_ratio_ranks(from, n, to, m, rule->level, &finding->ratio);
	}
	if (err && err != -ENOMEM && least >= COMPARE_STUDENT_RUNS) {
		finding->basis = COMPARE_STUDENT;
		err = stats_ratio_welch(from, n, to, m, rule->level, &finding->ratio, &finding->p);
	}
	/*
	 * How far a difference stands out among others. The order of few runs has no small p, however far apart they
	 * are: 5 against 5 never go below 0.008, and of a hundred metrics none could be distinguished from chance. Their
	 * scatter can (Student; both are used, so that each gets its share of the error rate), except for runs
	 * of two modes, where it is small whenever each group happens to be in one: two in 2^(n + m). Whether there
	 * is a difference at all is not decided here.
	 */
	if (err)
		finding->basis = COMPARE_NO_BASIS;
	else if (finding->basis == COMPARE_STUDENT)
		finding->p = fmax(finding->p, modes);
	else if (!stats_ratio_welch(from, n, to, m, 0.5, &unused, &student))
		finding->p = fmin(finding->p / 0.9, fmax(student / 0.1, modes));
	if (is_nothing) {
		set_all(base, 0);
		set_all(new, 0);
	}
	return err == -ENOMEM ? err : 0;
}

static void widen(struct stats_interval *interval, double low, double high)
{
	interval->low = fmin(interval->low, low);
	interval->high = fmax(interval->high, high);
}

/* The interval of the median of NEW, for gates on the value itself. */
static int value_interval(const struct compare_rule *rule, const struct group *new, struct compare_change *change)
{
	struct stats_interval interval = {NAN, NAN};
	double radius = change->floor.radius;
	int err = stats_median_ranks(new->values, new->count, rule->level, &interval);

	if (err && err != -ENOMEM && new->count >= COMPARE_STUDENT_RUNS)
		err = stats_median_student(new->values, new->count, rule->level, &interval);
	if (err == -ENOMEM)
		return err;
	/* 0 has no logarithm. */
	if (err && new->count >= COMPARE_STUDENT_RUNS && is_all(new, 0))
		interval = (struct stats_interval){0, 0};
	if (err && !isnan(radius))
		interval = (struct stats_interval){new->median * exp(-radius), new->median * exp(radius)};
	if (!isnan(interval.low))
		widen(&interval, new->median, new->median);
	if (!isnan(interval.low) && !isnan(new->low))
		widen(&interval, new->low, new->high);
	change->new_low = interval.low;
	change->new_high = interval.high;
	return 0;
}

/* Fills the change of two groups that both have the metric, except its verdict. */
static int decide_groups(const struct compare_rule *rule, const struct compare_samples *samples,
	const struct group *base, const struct group *new, struct compare_change *change)
{
	double ratio = compare_ratio(base->median, new->median), step = fmax(base->step, new->step), low, high;
	struct finding finding = {{NAN, NAN}, NAN, COMPARE_NO_BASIS};
	const struct compare_floor *floor = &change->floor;
	struct stats_rank_test test;
	int err = stats_mann_whitney(base->values, base->count, new->values, new->count, &test);

	if (!err)
		err = from_runs(rule, base, new, test.p, &finding);
	if (!err && base->count >= COMPARE_P_RUNS && new->count >= COMPARE_P_RUNS)
		change->rank_p = test.p;
	if (!err)
		err = compare_floor(samples->floor, samples->floor_count, base->count, new->count, rule->level,
			rule->seed, fabs(log(ratio)), &change->floor);
	if (err)
		return err;
	change->change = ratio - 1;
	if (samples->within) {
		change->within_low = samples->within->low - 1;
		change->within_high = samples->within->high - 1;
		if (rule->is_within_run_enough && !finding.basis && isnan(floor->radius))
			finding = (struct finding){{samples->within->low, samples->within->high},
				samples->within->p, COMPARE_WITHIN_RUN};
	}
	low = ratio * exp(-floor->radius);
	high = ratio * exp(floor->radius);
	if (!isnan(floor->radius) && !finding.basis) {
		finding = (struct finding){{low, high}, floor->p, COMPARE_FLOOR};
	} else if (!isnan(floor->radius)) {
		widen(&finding.ratio, low, high);
		finding.p = fmax(finding.p, floor->p);
	}
	/* Where every run's number is in one bucket, the histogram says no more than that of the change. */
	if (!isnan(base->low) && base->low == new->low && base->high == new->high) {
		change->bucket = compare_ratio(base->low, base->high) - 1;
		widen(&finding.ratio, compare_ratio(base->high, new->low), compare_ratio(base->low, new->high));
	}
	if (!rule->is_margin_given && change->bucket <= BUCKET_MARGIN_MAX)
		change->margin = fmax(change->margin, change->bucket);
	/* A latency is known to a step of the clock: on whatever value runs agree, a change of one step is not significant. */
	if (step > 0 && base->median > 0 && finding.basis) {
		widen(&finding.ratio, fmax(0, new->median - step) / base->median * (1 - 1e-9),
			(new->median + step) / base->median);
		if (!rule->is_margin_given)
			change->margin = fmax(change->margin, step / base->median * (1 + 1e-6));
	}
	if (finding.basis) {
		/* The interval contains the change itself: for groups of odd shapes the ranks' interval, which is about pairs
		 * of runs, may not contain the ratio of the medians. */
		widen(&finding.ratio, ratio, ratio);
		change->basis = finding.basis;
		change->low = finding.ratio.low - 1;
		change->high = finding.ratio.high - 1;
		change->p = change->low <= 0 && change->high >= 0 ? 1 : finding.p;
	}
	return value_interval(rule, new, change);
}

static enum compare_verdict verdict_of(enum metric_better better, const struct compare_change *change)
{
	bool is_up = change->low > 0;

	if (change->basis == COMPARE_NO_BASIS)
		return COMPARE_INCONCLUSIVE;
	/* Noise above the margin is no reason to call a change none. */
	if (change->low >= -change->margin && change->high <= change->margin)
		return COMPARE_NO_DIFFERENCE;
	if (!is_up && !(change->high < 0))
		return COMPARE_INCONCLUSIVE;
	return is_up == (better == METRIC_HIGHER) ? COMPARE_FASTER : COMPARE_SLOWER;
}

int compare_metric_decide(const struct compare_rule *rule, enum metric_better better, const struct compare_samples *samples,
	struct compare_change *change)
{
	struct compare_change result = {.base = NAN,
		.new = NAN,
		.change = NAN,
		.low = NAN,
		.high = NAN,
		.new_low = NAN,
		.new_high = NAN,
		.within_low = NAN,
		.within_high = NAN,
		.rank_p = NAN,
		.p = NAN,
		.margin = rule->margin,
		.bucket = NAN,
		.floor = {NAN, NAN, 0}};
	struct group base = {0}, new = {0};
	int err = take_group(samples->base, samples->base_count, &base);

	if (!err)
		err = take_group(samples->new, samples->new_count, &new);
	if (!err) {
		result.base = base.median;
		result.new = new.median;
		result.base_below = base.median <= base.below ? base.below : 0;
		result.new_below = new.median <= new.below ? new.below : 0;
		result.base_count = base.count;
		result.new_count = new.count;
		result.base_missing = samples->base_count - base.count;
		result.new_missing = samples->new_count - new.count;
		if (base.count && new.count)
			err = decide_groups(rule, samples, &base, &new, &result);
	}
	if (!err) {
		result.verdict = verdict_of(better, &result);
		*change = result;
	}
	free(new.values);
	free(base.values);
	return err;
}

void compare_decide_identical(struct compare_change *change)
{
	change->change = change->low = change->high = 0;
	change->basis = COMPARE_IDENTICAL;
	change->verdict = COMPARE_NO_DIFFERENCE;
	change->p = change->bucket = NAN;
}

bool compare_is_difference(const struct compare_change *change)
{
	return change->verdict == COMPARE_FASTER || change->verdict == COMPARE_SLOWER;
}

int compare_settle(double level, struct compare_change *const *changes, size_t count, enum compare_verdict *overall)
{
	double *p = reallocarray(NULL, count ? count : 1, sizeof(*p));
	size_t tested = 0, next = 0, equal = 0, faster = 0, slower = 0;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!isnan(changes[i]->p))
			p[tested++] = changes[i]->p;
	}
	if (tested && stats_adjust_discoveries(p, tested, p)) {
		free(p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		struct compare_change *change = changes[i];

		/* 0.05 may be 1/20 computed from 2/40. */
		change->holds = !isnan(change->p) && p[next++] <= (1 - level) * (1 + 1e-9) && compare_is_difference(change);
		equal += change->verdict == COMPARE_NO_DIFFERENCE;
		faster += change->holds && change->verdict == COMPARE_FASTER;
		slower += change->holds && change->verdict == COMPARE_SLOWER;
	}
	free(p);
	if (slower)
		*overall = COMPARE_SLOWER;
	else if (faster)
		*overall = COMPARE_FASTER;
	else
		*overall = equal == count && count ? COMPARE_NO_DIFFERENCE : COMPARE_INCONCLUSIVE;
	return 0;
}

const char *const compare_verdict_names[] = {"inconclusive", "no difference", "faster", "slower"};

const char *const compare_basis_names[] = {"none", "ranks", "student", "bootstrap", "floor", "within-run", "identical"};
