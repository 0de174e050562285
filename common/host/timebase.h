/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses and calibrates a time source. Conversions are cold; the stamps are common/hot/ticks.h.
 */
#ifndef COMMON_HOST_TIMEBASE_H
#define COMMON_HOST_TIMEBASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hot/ticks.h"

struct timebase_calibration {
	double khz;             /* ticks per millisecond */
	double uncertainty_ppm; /* half width of the bound that the brackets give */
	double span_ns;         /* between the two brackets */
	uint64_t ticks, raw_ns; /* the second bracket: a pair of simultaneous readings */
};

struct timebase {
	enum ticks_method method;
	struct timebase_calibration start, end; /* end.khz is 0 until timebase_recalibrate */
	uint64_t mult;             /* ns = (ticks * mult) >> 32 */
	double overhead_ns;        /* mean below p99 of an empty start/stop pair for loads */
	double overhead_store_ns;  /* the same for stores (differs with --store-visible) */
	double granularity_ns;     /* gcd of observed differences */
	double effective_step_ns;  /* the clock's real step (clock_step); 0 = unknown */
	bool is_invariant;         /* constant_tsc and nonstop_tsc, or a counter that always is */
	bool is_synchronised;      /* no CPU pair's clocks disagree by more than the exchange time */
	double skew_ns;            /* largest disagreement found beyond the exchange bound, 0 = none */
	char clocksource[32];      /* the kernel's own choice, "" when unknown */
	char distrust[160];        /* why the source is not to be trusted, "" = trusted */
};

/* Finds the method of this name. -EINVAL: unknown name; -ENOTSUP: not available on this architecture. */
int timebase_method_parse(const char *name, enum ticks_method *method);
const char *timebase_method_name(enum ticks_method method);

/* Calibrates against CLOCK_MONOTONIC_RAW for span_ns (>= 10 ms; about 100 ms gives 0.01 ppm) and measures
 * overhead and granularity on the calling thread's CPU. root is "" or a fake root for /proc and /sys. */
int timebase_init(struct timebase *timebase, enum ticks_method method, bool is_store_visible, uint64_t span_ns,
	const char *root);

/* Decides whether the source counts time and all CPUs agree on it, and if not, why. The last step of timebase_init. */
void timebase_decide(struct timebase *timebase, double skew_ticks, const char *root);

/* Calibrates again over the time since timebase_init, into timebase->end. */
int timebase_recalibrate(struct timebase *timebase);

/* Returns |end - start| of the frequency in ppm; 0 before timebase_recalibrate. */
double timebase_drift_ppm(const struct timebase *timebase);

/* Returns the resolution of a single latency. */
static inline double timebase_step_ns(const struct timebase *timebase)
{
	return timebase->effective_step_ns > timebase->granularity_ns ? timebase->effective_step_ns : timebase->granularity_ns;
}
static inline uint64_t timebase_to_ns(const struct timebase *timebase, uint64_t ticks)
{
	return ticks_to_ns(ticks, timebase->mult);
}
/* Converts ns to ticks, rounded down; saturates. */
uint64_t timebase_from_ns(const struct timebase *timebase, uint64_t ns);

/*
 * Returns a clock's step in ns or ticks, which need not be a whole number (a hypervisor scales a counter that moves in steps):
 * the period of the histogram of differences between readings taken at uneven intervals. Sorts the differences. Differences that
 * are rare or many times the smallest come from interruptions and are ignored. Returns 1 for a clock that counts single units (or
 * steps of less than three, which look alike); the smallest difference when there are too few distinct ones; 0 when all are 0.
 */
double clock_step(uint64_t *differences, size_t count);

#endif
