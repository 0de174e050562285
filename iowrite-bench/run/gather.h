/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the threads' measurements of a round add to their cell, and what is said of a cell when all rounds are over. */
#ifndef IOWRITE_BENCH_RUN_GATHER_H
#define IOWRITE_BENCH_RUN_GATHER_H

#include "iowrite-bench/measure.h"
#include "iowrite-bench/run/result.h"

struct gather_round { /* of count threads */
	unsigned count;
	const struct measure_job *jobs;
	const struct measurement *found;
	bool is_stopped; /* they were told to end */
};

/* Everything but the tallies. Returns the end of the last write, CLOCK_MONOTONIC; 0 = there was none. */
uint64_t gather(const struct gather_round *round, struct run_measured *measured);

/* Fills measured->outside. system: NULL = no calibration. */
void gather_outside(const struct run_plan *plan, const struct machine *machine, const struct system *system,
	struct run_measured *measured);

#endif
