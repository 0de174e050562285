/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/host/timebase.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/sysfs.h"

/* --- agreement of the CPUs' clocks --- */

#define ROUNDS 400
#define PARTNERS 63

/* A cache line that two CPUs pass to each other: `turn` counts half rounds. */
struct exchange {
	enum ticks_method method;
	uint64_t turn;
	uint64_t answer;
};

/* Replaces the unfenced method, whose stamps are not ordered against the exchange. */
static uint64_t stamp(enum ticks_method method)
{
	return ticks_start(method == TICKS_RDTSCP_UNFENCED ? TICKS_RDTSCP : method);
}

/* Another process may run on the partner's CPU, so the wait yields now and then. */
static void await_turn(struct exchange *exchange, uint64_t turn)
{
	for (unsigned spins = 1; __atomic_load_n(&exchange->turn, __ATOMIC_ACQUIRE) < turn; spins++) {
		if (spins % 4096 == 0)
			sched_yield();
	}
}

static void *answer_all(void *argument)
{
	struct exchange *exchange = argument;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		await_turn(exchange, 2 * round + 1);
		exchange->answer = stamp(exchange->method);
		__atomic_store_n(&exchange->turn, 2 * round + 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int64_t ask_all(struct exchange *exchange)
{
	int64_t worst = 0;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t sent = stamp(exchange->method), received;
		int64_t early, late;

		__atomic_store_n(&exchange->turn, 2 * round + 1, __ATOMIC_RELEASE);
		await_turn(exchange, 2 * round + 2);
		received = stamp(exchange->method);
		early = (int64_t)(sent - exchange->answer);
		late = (int64_t)(exchange->answer - received);
		if (early > worst)
			worst = early;
		if (late > worst)
			worst = late;
	}
	return worst;
}

static int64_t skew_with(int cpu, enum ticks_method method)
{
	struct exchange exchange = {.method = method};
	pthread_attr_t attributes;
	pthread_t partner;
	cpu_set_t set;
	int64_t worst = 0;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_attr_init(&attributes))
		return 0;
	if (!pthread_attr_setaffinity_np(&attributes, sizeof(set), &set) &&
		!pthread_create(&partner, &attributes, answer_all, &exchange)) {
		worst = ask_all(&exchange);
		pthread_join(partner, NULL);
	}
	pthread_attr_destroy(&attributes);
	return worst;
}

/*
 * Exchanges stamps between the first allowed CPU and each other one (at most 63 others, evenly chosen). In an
 * exchange A sends its stamp, B answers with its own, A reads again: with agreeing clocks sent <= answered <=
 * received. Returns the largest violation in ticks, 0 when there was none (or only one CPU). The calling
 * thread's affinity is as before on return.
 */
static double skew_ticks(enum ticks_method method)
{
	cpu_set_t allowed, first;
	int home = -1, stride, seen = 0;
	int64_t worst = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return 0;
	stride = (CPU_COUNT(&allowed) - 2) / PARTNERS + 1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int64_t skew;

		if (!CPU_ISSET(cpu, &allowed))
			continue;
		if (home < 0) {
			home = cpu;
			CPU_ZERO(&first);
			CPU_SET(cpu, &first);
			if (sched_setaffinity(0, sizeof(first), &first))
				return 0;
			continue;
		}
		if (seen++ % stride)
			continue;
		skew = skew_with(cpu, method);
		worst = skew > worst ? skew : worst;
	}
	if (home >= 0)
		sched_setaffinity(0, sizeof(allowed), &allowed);
	return (double)worst;
}

/* --- the clock --- */

#define BRACKETS 32
#define EMPTY_PAIRS 100000u
#define UNEVEN 61 /* most empty steps between two stamps */
#define MIN_SPAN_NS 10000000ull

static const char *const method_names[TICKS_METHODS] = {
	[TICKS_RDTSCP] = "rdtscp",
	[TICKS_RDTSCP_UNFENCED] = "rdtscp-unfenced",
	[TICKS_RDTSC] = "rdtsc",
	[TICKS_PERFC] = "perfc",
	[TICKS_CNTVCT] = "cntvct",
};

const char *timebase_method_name(enum ticks_method method)
{
	return method_names[method];
}

int timebase_method_parse(const char *name, enum ticks_method *method)
{
	for (int i = 0; i < TICKS_METHODS; i++) {
		if (strcmp(name, method_names[i]))
			continue;
		if (i != TICKS_PERFC && !(i == TICKS_CNTVCT ? TICKS_HAVE_CNTVCT : TICKS_HAVE_TSC))
			return -ENOTSUP;
		*method = (enum ticks_method)i;
		return 0;
	}
	return -EINVAL;
}

struct bracket {
	uint64_t ticks, raw_ns;
	uint64_t width_ticks;
};

/* Returns the tightest of many readings of the raw clock between two stamps: its middle is off by at most half its width. A
 * preempted attempt is merely wide, so the minimum is robust. */
static struct bracket read_bracket(enum ticks_method method)
{
	struct bracket best = {0, 0, UINT64_MAX};

	for (int i = 0; i < BRACKETS; i++) {
		uint64_t before = ticks_start(method);
		uint64_t raw = ticks_perfc();
		uint64_t after = ticks_stop(method);

		/* A coarse counter may show the same tick twice, so the width counts both end ticks. */
		if (after - before + 1 < best.width_ticks)
			best = (struct bracket){before + (after - before) / 2, raw, after - before + 1};
	}
	return best;
}

/* A perfc tick is a nanosecond of the raw clock by definition. */
static void calibrate_perfc(struct timebase_calibration *result)
{
	*result = (struct timebase_calibration){.khz = 1e6, .ticks = ticks_perfc()};
	result->raw_ns = result->ticks;
}

static void calibrate_between(const struct bracket *first, const struct bracket *second,
	struct timebase_calibration *result)
{
	double ticks = (double)(second->ticks - first->ticks);
	double ns = (double)(second->raw_ns - first->raw_ns);

	result->khz = ticks / ns * 1e6;
	result->uncertainty_ppm =
		((double)first->width_ticks + (double)second->width_ticks) / 2 / ticks * 1e6;
	result->span_ns = ns;
	result->ticks = second->ticks;
	result->raw_ns = second->raw_ns;
}

/* Interrupts between the two stamps are not part of their cost, so the upper 1 % is left out. */
static double trimmed_mean(uint64_t *values, size_t count)
{
	size_t kept = count - count / 100;
	double sum = 0;

	qsort(values, count, sizeof(*values), clock_compare);
	for (size_t i = 0; i < kept; i++)
		sum += (double)values[i];
	return sum / (double)kept;
}

static void empty_pairs(enum ticks_method method, bool drains_stores, uint64_t *values)
{
	for (size_t i = 0; i < EMPTY_PAIRS; i++) {
		uint64_t start = ticks_start(method), stop;

		if (drains_stores)
			ticks_drain_stores();
		stop = ticks_stop(method);
		values[i] = stop - start;
	}
}

/* Takes pairs at uneven distances: evenly spaced pairs may show only some multiples of the clock's step. */
static void uneven_pairs(enum ticks_method method, uint64_t *values)
{
	for (size_t i = 0; i < EMPTY_PAIRS; i++) {
		uint64_t start = ticks_start(method);

		for (size_t k = 0; k < i % UNEVEN; k++)
			keep_value(k);
		values[i] = ticks_stop(method) - start;
	}
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int measure_overhead(struct timebase *timebase, bool is_store_visible)
{
	uint64_t *values = malloc(EMPTY_PAIRS * sizeof(*values));
	double ns_per_tick = 1e6 / timebase->start.khz;
	uint64_t step = 0;

	if (!values)
		return -ENOMEM;
	empty_pairs(timebase->method, false, values);
	for (size_t i = 0; i < EMPTY_PAIRS; i++)
		step = gcd(step, values[i]);
	timebase->granularity_ns = (double)(step ? step : 1) * ns_per_tick;
	timebase->overhead_ns = trimmed_mean(values, EMPTY_PAIRS) * ns_per_tick;
	timebase->overhead_store_ns = timebase->overhead_ns;
	if (is_store_visible) {
		empty_pairs(timebase->method, true, values);
		timebase->overhead_store_ns = trimmed_mean(values, EMPTY_PAIRS) * ns_per_tick;
	}
	uneven_pairs(timebase->method, values);
	timebase->effective_step_ns = clock_step(values, EMPTY_PAIRS) * ns_per_tick;
	free(values);
	return 0;
}

/* The TSC counts time only when the CPU says that it is constant and never stops. */
static bool is_invariant_tsc(const char *root)
{
	char *cpuinfo, *flags;
	size_t length;
	bool is_invariant;

	if (sysfs_slurp(root, "/proc/cpuinfo", 1 << 24, &cpuinfo, &length))
		return false;
	flags = (char *)sysfs_field(cpuinfo, "flags");
	if (flags) /* of the first CPU only */
		flags[strcspn(flags, "\n")] = '\0';
	is_invariant = flags && sysfs_has_word(flags, " ", "constant_tsc") && sysfs_has_word(flags, " ", "nonstop_tsc");
	free(cpuinfo);
	return is_invariant;
}

void timebase_decide(struct timebase *timebase, double skew_ticks, const char *root)
{
	bool is_tsc = timebase->method != TICKS_PERFC && timebase->method != TICKS_CNTVCT;

	if (sysfs_read(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		    timebase->clocksource, sizeof(timebase->clocksource)))
		timebase->clocksource[0] = 0;
	timebase->is_invariant = !is_tsc || is_invariant_tsc(root);
	timebase->skew_ns = skew_ticks * 1e6 / timebase->start.khz;
	timebase->is_synchronised = timebase->skew_ns == 0;
	if (!timebase->is_invariant)
		snprintf(timebase->distrust, sizeof(timebase->distrust),
			"the TSC is not invariant (no constant_tsc and nonstop_tsc in /proc/cpuinfo)");
	else if (!timebase->is_synchronised)
		snprintf(timebase->distrust, sizeof(timebase->distrust),
			"the clocks of two CPUs disagree by at least %.0f ns", timebase->skew_ns);
}

int timebase_init(struct timebase *timebase, enum ticks_method method, bool is_store_visible, uint64_t span_ns,
	const char *root)
{
	struct bracket first, second;
	int err;

	if (span_ns < MIN_SPAN_NS)
		return -EINVAL;
	memset(timebase, 0, sizeof(*timebase));
	timebase->method = method;
	if (method == TICKS_PERFC) {
		calibrate_perfc(&timebase->start);
	} else {
		first = read_bracket(method);
		clock_pause(span_ns);
		second = read_bracket(method);
		calibrate_between(&first, &second, &timebase->start);
	}
	if (!(timebase->start.khz > 0) || timebase->start.khz > 1e9)
		return -ERANGE;
	timebase->mult = (uint64_t)llround(1e6 / timebase->start.khz * 4294967296.0);
	err = measure_overhead(timebase, is_store_visible);
	if (err)
		return err;
	timebase_decide(timebase, skew_ticks(timebase->method), root);
	return 0;
}

int timebase_recalibrate(struct timebase *timebase)
{
	struct bracket first = {timebase->start.ticks, timebase->start.raw_ns, 0}, second;

	if (timebase->method == TICKS_PERFC) {
		calibrate_perfc(&timebase->end);
		return 0;
	}
	/* The width of the first bracket follows from the start's uncertainty over its span. */
	first.width_ticks = (uint64_t)(timebase->start.uncertainty_ppm / 1e6 * timebase->start.span_ns *
		timebase->start.khz / 1e6);
	second = read_bracket(timebase->method);
	if (second.ticks <= first.ticks || second.raw_ns <= first.raw_ns)
		return -ERANGE;
	calibrate_between(&first, &second, &timebase->end);
	return 0;
}

double timebase_drift_ppm(const struct timebase *timebase)
{
	if (timebase->end.khz == 0)
		return 0;
	return fabs(timebase->end.khz / timebase->start.khz - 1) * 1e6;
}

uint64_t timebase_from_ns(const struct timebase *timebase, uint64_t ns)
{
	unsigned __int128 ticks = ((unsigned __int128)ns << 32) / timebase->mult;

	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/* --- step --- */

#define FINE 3         /* smaller steps cannot be distinguished from the unit to which readings are rounded */
#define LARGEST 16     /* times the smallest difference; larger differences were interrupted */
#define RARE 1000      /* a value that fewer than 1 in RARE differences have is ignored */
#define FINER 256      /* steps that are tried per factor of 2; the largest difference distinguishes no more */
#define PERIODIC .85   /* periodicity from which on all differences are multiples, rounded to a neighbour */
#define SURE_STEPS .4  /* of the first guess: numbers of steps that are right even if the guess is off by 1 */

struct value {
	uint64_t difference;
	double weight; /* the root of its frequency, so that no single value decides */
};

/* Collects the distinct values of the sorted differences that are neither 0, rare nor large. values may overlay sorted. */
static size_t count_values(const uint64_t *sorted, size_t count, struct value *values)
{
	size_t kept = 0, run;

	for (size_t i = 0; i < count; i += run) {
		for (run = 1; i + run < count && sorted[i + run] == sorted[i]; run++)
			;
		if (!sorted[i] || (run < 2 && count >= RARE) || run < count / RARE)
			continue;
		if (kept && (double)sorted[i] > (double)values[0].difference * LARGEST)
			break;
		values[kept++] = (struct value){sorted[i], sqrt((double)run)};
	}
	return kept;
}

/* Returns 1 when all differences are multiples of the step, near 0 when they are unrelated to it. */
static double periodicity(const struct value *values, size_t count, double step)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		double steps = (double)values[i].difference / step;

		sum += values[i].weight * cos(2 * M_PI * (steps - round(steps)));
		weight += values[i].weight;
	}
	return sum / weight;
}

/* Finds the largest step that fits, because its fractions fit as well; no step is larger than the smallest difference. */
static double guess(const struct value *values, size_t count)
{
	double step = (double)values[0].difference + 1, best = 0, fit = 0;

	while (step >= FINE - 1) {
		double now = periodicity(values, count, step);

		if (best > 0 && now < fit)
			return best;
		if (now >= PERIODIC) {
			best = step;
			fit = now;
		}
		step *= exp2(-1.0 / FINER);
	}
	return best;
}

double clock_step(uint64_t *differences, size_t count)
{
	struct value *values = calloc(count + 1, sizeof(*values));
	double sum = 0, steps = 0, first = 0;
	size_t kept = 0;

	qsort(differences, count, sizeof(*differences), clock_compare);
	if (values)
		kept = count_values(differences, count, values);
	if (kept)
		first = guess(values, kept);
	for (size_t i = 0; i < kept && first >= FINE; i++) {
		double these = round((double)values[i].difference / first), weight = values[i].weight * values[i].weight;

		if (these > fmax(first * SURE_STEPS, 1))
			break;
		sum += weight * (double)values[i].difference;
		steps += weight * these;
	}
	free(values);
	if (!kept)
		return 0;
	return first < FINE ? 1 : steps > 0 ? sum / steps : first;
}
