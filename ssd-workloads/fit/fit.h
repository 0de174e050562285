/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters of a drive fitted to measured points: the write amplification or the writes per second of uniform random writes to a
 * share of the drive (its fill). For each way to choose victims the over-provisioning is computed that minimises the error against
 * the mean field of random writes. Writes per second are modelled as programs per second, which are the same at each fill,
 * divided by the amplification.
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
	double fill;              /* written share of the exported capacity, in (0, 1] */
	double value;             /* above 0; an amplification is at least 1 */
	bool is_rate;             /* writes per second; else write amplification */
};

struct fit_candidate {
	uint32_t choices;         /* blocks drawn, the best of which is the victim; 0 = all (greedy), needs the least space */
	double op;                /* relative to the exported capacity: physical = (1 + op) exported */
	double error;             /* root mean square of the points' relative errors */
	double programs_per_second; /* NAN without rates */
	double amplification, rate; /* predicted; rate NAN without rates */
};

/* Fits all candidates: greedy first, then ever fewer choices. pages is the number of pages per block, fill that of the prediction.
 * Returns 0 or -ENOMEM. */
int fit(const struct fit_point *points, size_t count, uint32_t pages, double fill, struct fit_candidate candidates[FIT_CANDIDATES]);

#endif
