/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a stream's throughput had settled, by the rule of SNIA's Solid State Storage Performance Test Specification:
 * over the last five intervals no value is further than 10 % from their mean, and the fitted line rises or falls by at
 * most 10 % of it.
 */
#ifndef SSD_WORKLOADS_ENGINE_STEADY_H
#define SSD_WORKLOADS_ENGINE_STEADY_H

#include <stddef.h>
#include <stdint.h>

#define STEADY_WINDOW 5u

enum steady_verdict { STEADY_UNKNOWN /* fewer than five whole intervals */, STEADY_YES, STEADY_NO };
const char *steady_name(enum steady_verdict verdict); /* "unknown", "steady", "not-steady" */

struct steady {
	enum steady_verdict verdict;
	double mean_per_second, range_percent, slope_percent; /* of the window; NAN when unknown */
};

/* values: operations per second of whole intervals, in time. */
void steady_judge(const double *values, size_t count, struct steady *steady);

#endif
