/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns of all probes, in one direction and then in the other, until each knows enough or the time or the bytes are
 * used up: a machine that drifts drifts under all of them. With --stage the probes that need small thresholds have the
 * last third of the time and of the bytes to themselves, so that others are held back no longer than that. What leaves
 * the device as no other probe may find it comes last, once.
 *
 * A plan with spread_ns has PLAN_SPREAD_ROUNDS rounds for all probes, which begin at even distances, with rests between
 * them that are of no runtime. The staged phase has none: others are held back in it.
 */
#ifndef IOWRITE_BENCH_CALIBRATE_SCHEDULE_H
#define IOWRITE_BENCH_CALIBRATE_SCHEDULE_H

#include "common/progress.h"
#include "iowrite-bench/calibrate/probe.h"

enum schedule_state {
	SCHEDULE_LACKING,  /* cannot be measured here: why */
	SCHEDULE_OPEN,
	SCHEDULE_KNOWN,    /* known well enough, or as well as its share of the bytes allows */
	SCHEDULE_CAPPED,   /* the cap on bytes has ended it */
};

struct schedule_row {
	enum schedule_state state;
	const char *why;   /* SCHEDULE_LACKING */
	unsigned turns;    /* whole or in part */
	uint64_t bytes;    /* written in them */
};

struct schedule {
	struct schedule_row *rows; /* of probes[] */
	uint64_t begin_ns, phase_ns, end_ns; /* phase_ns: when the present or last phase began */
	uint64_t rested_ns; /* in it */
	bool is_split;     /* in two phases */
	bool is_staged;    /* the second */
	bool is_interrupted;
	bool is_failed;    /* a write or another call: the line was written */
	bool is_late;      /* the time was used up */
};

/* What was measured lies in the rig. 0 or -ENOMEM. */
int schedule_run(struct rig *rig, struct progress *progress, struct schedule *schedule);
void schedule_free(struct schedule *schedule);

#endif
