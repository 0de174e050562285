/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a drive has inside, from measured points: of uniform random writes to a share of it (its fill), the write amplification or
 * the writes per second. For each way to choose victims the over-provisioning is found that is least far from the points by the
 * mean field (sim/mean_field.h). Writes per second are taken to be programs per second, which are the same at each fill, by
 * amplification.
 */
#ifndef SSD_WORKLOADS_FIT_FIT_H
#define SSD_WORKLOADS_FIT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIT_CANDIDATES 9
#define FIT_POINTS 16
#define FIT_OP_LEAST 0.005
#define FIT_OP_MOST 3.0

struct fit_point {
	double fill;              /* share of the exported capacity that is written to, in (0, 1] */
	double value;             /* above 0; an amplification is at least 1 */
	bool is_rate;             /* writes per second; else write amplification */
};

struct fit_candidate {
	uint32_t choices;         /* blocks drawn, of which the best is the victim; 0 = all, greedy, needs the least space */
	double op;                /* share of the exported capacity: physical = (1 + op) exported */
	double error;             /* root of the mean square of the points' relative deviations */
	double programs_per_second; /* NAN without rates */
	double amplification, rate; /* predicted; rate NAN without rates */
};

/* pages: of a block. fill: that is predicted. Greedy first, then fewer and fewer choices. 0 or -ENOMEM. */
int fit(const struct fit_point *points, size_t count, uint32_t pages, double fill, struct fit_candidate candidates[FIT_CANDIDATES]);

#endif
