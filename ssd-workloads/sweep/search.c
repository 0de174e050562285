/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sweep/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEVEL 0.95
#define KNEE_RATIO 1.1 /* a smaller distance from the straight line is no knee */
#define DIGITS 3       /* of values between the ends of the range */

/* --- points --- */

struct search_value search_value(const struct search_point *point, size_t objective)
{
	struct search_value value = {NAN, {NAN, NAN}};
	double values[SEARCH_RUNS] = {0};

	if (point->run_count == 1)
		return point->runs[0].values[objective];
	for (unsigned i = 0; i < point->run_count; i++) {
		values[i] = point->runs[i].values[objective].ns;
		if (!(values[i] > 0))
			return value;
	}
	if (stats_median(values, point->run_count, &value.ns) || point->run_count < SEARCH_DECIDES ||
		stats_median_student(values, point->run_count, LEVEL, &value.interval))
		value.interval = (struct stats_interval){NAN, NAN};
	return value;
}

double search_mean_ns(const struct search_point *point)
{
	double sum = 0;

	for (unsigned i = 0; i < point->run_count; i++)
		sum += point->runs[i].mean_ns;
	return sum / point->run_count;
}

double search_per_second(const struct search_point *point)
{
	double sum = 0;

	for (unsigned i = 0; i < point->run_count; i++)
		sum += point->runs[i].per_second;
	return sum / point->run_count;
}

/* Another run might be on the other side of the limit. */
static bool is_near(const struct slo *slo, const struct search_value *value)
{
	return (value->ns >= slo->limit_ns / SEARCH_NEAR && value->ns <= slo->limit_ns * SEARCH_NEAR) ||
	       (value->interval.low <= slo->limit_ns && value->interval.high >= slo->limit_ns);
}

static enum search_verdict decide_objective(const struct slo *slo, const struct search_point *point, size_t objective)
{
	const struct search_value all = search_value(point, objective);
	bool is_any_near = false, is_any_met = false, is_any_missed = false;

	for (unsigned i = 0; i < point->run_count; i++) {
		const struct search_value *value = &point->runs[i].values[objective];
		bool is_met = slo_is_met(slo, value->ns);

		is_any_near = is_any_near || is_near(slo, value);
		is_any_met = is_any_met || is_met;
		is_any_missed = is_any_missed || !is_met;
	}
	if (!is_any_near && is_any_met != is_any_missed)
		return is_any_met ? SEARCH_MET : SEARCH_MISSED;
	if (point->run_count < SEARCH_DECIDES || isnan(all.interval.low))
		return SEARCH_UNDECIDED;
	return slo_is_met(slo, all.interval.high)   ? SEARCH_MET
	       : !slo_is_met(slo, all.interval.low) ? SEARCH_MISSED
						    : SEARCH_UNDECIDED;
}

/* One missed objective makes the point missed; all must be met. */
static void decide_point(const struct search *search, struct search_point *point)
{
	const struct search_run *last = &point->runs[point->run_count - 1];
	const char *open = NULL;

	point->verdict = SEARCH_MET;
	for (size_t i = 0; i < search->slo_count; i++) {
		point->verdicts[i] = last->end == SEARCH_UNTRUSTED ? SEARCH_UNDECIDED
								   : decide_objective(&search->slos[i], point, i);
		if (point->verdicts[i] == SEARCH_UNDECIDED)
			open = search->slos[i].text;
		if (point->verdict != SEARCH_MISSED && point->verdicts[i] != SEARCH_MET)
			point->verdict = point->verdicts[i];
	}
	if (last->end == SEARCH_OVERLOADED)
		point->verdict = SEARCH_MISSED;
	point->why[0] = '\0';
	if (point->verdict == SEARCH_UNDECIDED && last->end == SEARCH_UNTRUSTED)
		snprintf(point->why, sizeof(point->why), "%s", last->why);
	else if (point->verdict == SEARCH_UNDECIDED)
		snprintf(point->why, sizeof(point->why), "%u runs are on both sides of %s, or too near to it; measure longer",
			point->run_count, open);
}

static int measure_point(const struct search *search, uint64_t value, struct search_point *point)
{
	unsigned discarded = 0;

	memset(point, 0, sizeof(*point));
	point->value = value;
	while (point->run_count < SEARCH_RUNS) {
		struct search_run *run = &point->runs[point->run_count];
		int rc;

		memset(run, 0, sizeof(*run));
		rc = search->measure(search->data, value, point->run_count + discarded, run);
		if (rc)
			return rc;
		/* One untrusted run is repeated, because the disturbance may pass. */
		if (run->end == SEARCH_UNTRUSTED && !discarded) {
			discarded++;
			continue;
		}
		point->run_count++;
		decide_point(search, point);
		if (point->verdict != SEARCH_UNDECIDED || run->end != SEARCH_OK)
			break;
	}
	return 0;
}

/* --- the range --- */

/* Returns a value between two, with few digits; 0 = they are close enough. */
static uint64_t between(uint64_t one, uint64_t other)
{
	uint64_t low = one < other ? one : other, high = one < other ? other : one, middle, step = 1, rounded;

	if (high - low < 2 || (double)high <= SEARCH_RATIO * (double)low)
		return 0;
	middle = (uint64_t)sqrt((double)low * (double)high);
	middle = middle <= low ? low + 1 : middle >= high ? high - 1 : middle;
	while ((double)middle / (double)step >= pow(10, DIGITS))
		step *= 10;
	rounded = (middle + step / 2) / step * step;
	return rounded > low && rounded < high ? rounded : middle;
}

/* Measures a point and inserts it by its load; *point is valid until the next visit. */
static int visit(struct search *search, uint64_t value, const struct search_point **point)
{
	struct search_point *points = search->points, measured;
	size_t place = 0;
	int rc = measure_point(search, value, &measured);

	if (rc)
		return rc;
	while (place < search->count && (points[place].value < value) != search->is_reversed)
		place++;
	memmove(&points[place + 1], &points[place], (search->count - place) * sizeof(*points));
	points[place] = measured;
	*point = &points[place];
	search->count++;
	return 0;
}

static bool is_trusted(const struct search_point *point)
{
	return point->runs[point->run_count - 1].end != SEARCH_UNTRUSTED;
}

static double ratio(const struct search_point *one, const struct search_point *other)
{
	double ratio = (double)one->value / (double)other->value;

	return ratio < 1 ? 1 / ratio : ratio;
}

static void conclude(struct search *search)
{
	const struct search_point *points = search->points, *end;
	size_t missed = 0, best;

	search->outcome = SEARCH_NOT_DECIDED;
	if (!search->count)
		return;
	while (missed < search->count && points[missed].verdict != SEARCH_MISSED)
		missed++;
	for (best = missed; best > 0 && points[best - 1].verdict != SEARCH_MET;)
		best--;
	search->beyond = missed < search->count ? &points[missed] : NULL;
	search->best = best ? &points[best - 1] : NULL;
	search->odd = best < missed ? &points[best] : NULL;
	search->outcome = search->odd ? SEARCH_NOT_DECIDED : search->best ? SEARCH_ANSWERED : SEARCH_NONE;
	end = search->beyond ? search->beyond : &points[missed - 1];
	/* An undecided point that is near to the answer does not contradict it. */
	if (search->odd && search->best && ratio(search->best, end) <= SEARCH_KNOWN)
		search->outcome = SEARCH_ANSWERED;
	for (size_t i = best; i < missed; i++) {
		if (!is_trusted(&points[i]))
			search->outcome = SEARCH_NOT_DECIDED;
	}
	for (size_t i = missed; i < search->count; i++) {
		if (points[i].verdict != SEARCH_MET)
			continue;
		search->odd = &points[i];
		search->outcome = SEARCH_NOT_MONOTONE;
		return;
	}
}

/* Measures a point in the widest gap of points first to last. */
static int probe(struct search *search, size_t first, size_t last)
{
	const struct search_point *point;
	double widest = 1;
	uint64_t value = 0;

	for (size_t i = first; i < last; i++) {
		double gap = ratio(&search->points[i], &search->points[i + 1]);

		if (gap <= widest)
			continue;
		widest = gap;
		value = between(search->points[i].value, search->points[i + 1].value);
	}
	return value ? visit(search, value, &point) : 0;
}

/* Finds the point that is furthest below the straight line from the first to the last, in logarithms. */
static void find_knee(struct search *search)
{
	const struct search_point *points[SEARCH_POINTS], *first, *last;
	double largest = log(KNEE_RATIO), slope;
	size_t count = 0;

	for (size_t i = 0; i < search->count; i++) {
		const struct search_point *point = &search->points[i];

		if (is_trusted(point) && search_mean_ns(point) > 0)
			points[count++] = point;
	}
	if (count < SEARCH_KNEE_POINTS)
		return;
	first = points[0];
	last = points[count - 1];
	slope = log(search_mean_ns(last) / search_mean_ns(first)) / log((double)last->value / (double)first->value);
	for (size_t i = 1; i + 1 < count; i++) {
		double line = log(search_mean_ns(first)) + slope * log((double)points[i]->value / (double)first->value);
		double distance = line - log(search_mean_ns(points[i]));

		if (distance < largest)
			continue;
		largest = distance;
		search->knee = points[i];
		search->knee_ratio = exp(-distance);
	}
}

/* Halves the range until the two values are close enough, or a run is not trusted; an undecided point counts as `undecided`. */
static int bisect(struct search *search, uint64_t met, uint64_t missed, enum search_verdict undecided)
{
	const struct search_point *point;
	uint64_t value;

	while ((value = between(met, missed))) {
		int rc = visit(search, value, &point);

		if (rc || !is_trusted(point))
			return rc;
		*((point->verdict == SEARCH_UNDECIDED ? undecided : point->verdict) == SEARCH_MET ? &met : &missed) = value;
	}
	return 0;
}

static int find(struct search *search)
{
	uint64_t lowest = search->is_reversed ? search->high : search->low;
	uint64_t highest = search->is_reversed ? search->low : search->high;
	const struct search_point *point;
	enum search_verdict first;
	int rc = visit(search, lowest, &point);

	if (rc || point->verdict == SEARCH_UNDECIDED)
		return rc;
	first = point->verdict;
	rc = visit(search, highest, &point);
	if (!rc && first == SEARCH_MET && point->verdict != SEARCH_MET && is_trusted(point))
		rc = bisect(search, lowest, highest, SEARCH_MISSED);
	conclude(search);
	/* All points above the answer are undecided: find where an objective begins to be missed. */
	if (!rc && search->outcome == SEARCH_NOT_DECIDED && search->beyond && is_trusted(search->odd))
		rc = bisect(search, search->beyond[-1].value, search->beyond->value, SEARCH_MET);
	conclude(search);
	if (!rc && search->outcome == SEARCH_ANSWERED)
		rc = probe(search, 0, (size_t)(search->best - search->points));
	conclude(search);
	if (!rc && search->beyond && (search->outcome == SEARCH_ANSWERED || search->outcome == SEARCH_NONE))
		rc = probe(search, (size_t)(search->beyond - search->points), search->count - 1);
	return rc;
}

int search_find(struct search *search)
{
	int rc = find(search);

	conclude(search);
	find_knee(search);
	if (rc)
		search->outcome = SEARCH_NOT_DECIDED;
	return rc;
}

const char *search_verdict_name(enum search_verdict verdict)
{
	static const char *const names[] = {
		[SEARCH_UNDECIDED] = "undecided", [SEARCH_MISSED] = "missed", [SEARCH_MET] = "met"};

	return names[verdict];
}

const char *search_outcome_name(enum search_outcome outcome)
{
	static const char *const names[] = {[SEARCH_NOT_DECIDED] = "not-decided", [SEARCH_NOT_MONOTONE] = "not-monotone",
		[SEARCH_NONE] = "none", [SEARCH_ANSWERED] = "answered"};

	return names[outcome];
}
