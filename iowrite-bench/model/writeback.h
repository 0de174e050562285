/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page cache's dirty side as the model "kernel" has it: what is dirty (D), what is being written back (W), the
 * flusher that moves chunks from the one to the other, and balance_dirty_pages, which holds back whoever dirties while
 * D + W is above the middle of the thresholds. Seconds, bytes, bytes per second. Quasi-static: the kernel's estimators
 * are taken to have settled at the device's write-back bandwidth and at the thresholds, but for those whose first values are
 * given (struct model_control).
 */
#ifndef IOWRITE_BENCH_MODEL_WRITEBACK_H
#define IOWRITE_BENCH_MODEL_WRITEBACK_H

#include "iowrite-bench/extents.h"
#include "iowrite-bench/model/model.h"

struct writeback {
	struct extents dirty;
	uint64_t cursor;         /* of the flusher in the file */
	double others;           /* dirty bytes of other files, until they are written back */
	double written_back;     /* W */
	double now_s, first_dirty_s, next_look_s;
	double expire_s, look_every_s;
	double bg, threshold, freerun;
	double limit, setpoint, chunk; /* the limit that acts, and what follows from it */
	double rate, late_rate;  /* of the device, and when before_late bytes have gone to it (INFINITY: never) */
	double before_late;
	double burst;            /* bytes that the device, rested when the run begins, still takes at once */
	double credit_s;         /* time in hand; below 0 it is owed */
	double least_pause_s;    /* what is shorter is not slept for, but owed */
	/* The kernel's estimate of the rate, and its smoothed one, which it goes by; 0 = the rate. */
	double estimate, smoothed;
	/* dirty_ratelimit where it has not settled; 0 = it is the rate. */
	double ratelimit, balanced;
	double updated_s, dirtied; /* of the last update, and since */
	struct model_control control; /* when it began: how pauses are counted */
};

/* Nothing of system or setup is kept. */
void writeback_init(const struct system *system, const struct model_setup *setup, struct writeback *writeback);
void writeback_free(struct writeback *writeback);

/* D, of everybody. */
double writeback_dirty(const struct writeback *writeback);
/* Bytes become dirty; *fresh: of these, those that were clean. 0 or -ENOMEM. */
int writeback_write(struct writeback *writeback, uint64_t offset, uint64_t size, uint64_t *fresh);
/* Time passes: the device writes, the flusher looks. */
void writeback_pass(struct writeback *writeback, double seconds);
/* The writer computes or sleeps before its next write. */
void writeback_think(struct writeback *writeback, double seconds);
/* Seconds that balance_dirty_pages adds to a step which took base_s and made `fresh` bytes dirty. *state: what the
 * kernel is in. */
double writeback_throttle(struct writeback *writeback, double fresh, double base_s, enum model_state *state);
/* What is still owed, which is forgiven: for the end of a write that was held back, since where in it the kernel lets
 * the writer sleep is not known. */
double writeback_settle(struct writeback *writeback);
/* Seconds until our bytes, and what is on its way, are on the device. */
double writeback_drain(const struct writeback *writeback);

#endif
