/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dirty pages in the model "kernel": dirty bytes (D), bytes under write-back (W), the flusher that moves chunks from D to W,
 * and balance_dirty_pages, which throttles writers while D + W is above the middle of the thresholds. Units are seconds,
 * bytes, bytes per second. The model is quasi-static: the kernel's estimators are assumed to have settled at the device's
 * write-back bandwidth and at the thresholds, except those whose initial values are given (struct model_control).
 */
#ifndef IOWRITE_BENCH_MODEL_WRITEBACK_H
#define IOWRITE_BENCH_MODEL_WRITEBACK_H

#include "iowrite-bench/model/extents.h"
#include "iowrite-bench/model/model.h"

struct writeback {
	struct extents dirty;
	uint64_t cursor;         /* of the flusher in the file */
	double others;           /* dirty bytes of other files, until they are written back */
	double written_back;     /* W */
	double now_s, first_dirty_s, next_wakeup_s; /* the flusher's periodic wake-up */
	double expire_s, wakeup_every_s;
	double bg, threshold, freerun;
	double limit, setpoint, chunk; /* the limit in force, and the values derived from it */
	double rate, late_rate;  /* of the device, and its rate after before_late bytes (INFINITY: never) */
	double before_late;
	double burst;            /* bytes that the device, idle before the run, still accepts at once */
	double credit_s;         /* time credit of the writer; below 0: time that it still has to sleep */
	double least_pause_s;    /* shorter pauses are not slept but added to the next */
	/* The kernel's estimate of the rate, and the smoothed one that it uses; 0 = the rate. */
	double estimate, smoothed;
	/* dirty_ratelimit where it has not settled; 0 = it is the rate. */
	double ratelimit, balanced;
	double updated_s, dirtied; /* of the last update, and since */
	struct model_control control; /* when it began: how pauses are counted */
};

/* Keeps no pointer into system or setup. */
void writeback_init(const struct system *system, const struct model_setup *setup, struct writeback *writeback);
void writeback_free(struct writeback *writeback);

/* Returns D of all files. */
double writeback_dirty(const struct writeback *writeback);
/* Makes bytes dirty; *fresh: of these, those that were clean. Returns 0 or -ENOMEM. */
int writeback_write(struct writeback *writeback, uint64_t offset, uint64_t size, uint64_t *fresh);
/* Advances time: the device writes, the flusher runs. */
void writeback_pass(struct writeback *writeback, double seconds);
/* Advances time while the writer computes or sleeps before its next write. */
void writeback_think(struct writeback *writeback, double seconds);
/* Returns the seconds that balance_dirty_pages adds to a step which took base_s and made `fresh` bytes dirty. *state: the
 * kernel's state. */
double writeback_throttle(struct writeback *writeback, double fresh, double base_s, enum model_state *state);
/* Returns and clears the time that the writer still has to sleep. Called at the end of a throttled write, because it is
 * unknown at which point of the write the kernel puts the writer to sleep. */
double writeback_settle(struct writeback *writeback);
/* Returns the seconds until the run's dirty bytes, and those under write-back, are on the device. */
double writeback_drain(const struct writeback *writeback);

#endif
