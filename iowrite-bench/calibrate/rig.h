/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a probe works with: writes and reads that are timed, counted and kept below the cap, and where its samples go.
 * Functions return 0 or -errno; the line on stderr has been written then, but for the two that end a block and are no
 * failure: -EDQUOT (the cap on bytes) and -EINTR (a signal).
 */
#ifndef IOWRITE_BENCH_CALIBRATE_RIG_H
#define IOWRITE_BENCH_CALIBRATE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iowrite-bench/calibrate/collector.h"
#include "iowrite-bench/calibrate/hooks.h"
#include "iowrite-bench/calibrate/plan.h"

#define RIG_RUNS 64

/* Throttled writes, kept until the model can be asked what it would have said of them. */
struct rig_run {
	uint64_t begin_ns;
	size_t count;
	struct op *ops;
	double *ns;
	struct dirty_state before;
	struct model_control control;
	size_t class;          /* of SYSTEM_BANDS */
	double think;          /* as system_band has it */
};

struct rig {
	const struct calibrate_hooks *hooks;
	const struct calibrate_plan *plan;
	struct collector *collector;
	double clock_ns;        /* of two stamps with nothing between: taken off */
	uint64_t bytes_left;    /* of the cap */
	uint64_t ready_bytes;   /* made for the next write; 0 = it makes them itself */
	uint64_t block_end_ns;  /* when the present block should end */
	uint64_t buffer_bytes;  /* of the libc, 0 = not known yet */
	bool has_warm_pool;     /* what memory was warm before the first write is known */
	double burst_rate;      /* of a rested device that becomes slower, bytes/s; 0 = it does not, or nobody looked */
	uint64_t staged_ns;     /* when small thresholds were set */
	size_t run_count;
	struct rig_run runs[RIG_RUNS];
};

int rig_open(const struct calibrate_hooks *hooks, const struct calibrate_plan *plan, struct rig *rig);
void rig_close(struct rig *rig);

static inline uint64_t rig_now(const struct rig *rig)
{
	return rig->hooks->now_ns(rig->hooks->state);
}

/* Makes the bytes of the next write now, where it is known how long that takes; else the write makes them, unmeasured. */
void rig_ready(struct rig *rig, uint64_t bytes);
/* One write, whole, and what it cost. */
int rig_write(struct rig *rig, enum op_mode mode, uint64_t offset, uint64_t size, double *ns);
/* count writes one behind another between two stamps: the mean. */
int rig_write_batch(struct rig *rig, enum op_mode mode, uint64_t offset, uint64_t size, unsigned count, double *ns);
int rig_read(struct rig *rig, uint64_t offset, uint64_t size, double *ns);
/* Data in [begin, end), untimed, as before.h has it for later writes of so many bytes. */
int rig_fill(struct rig *rig, enum op_mode mode, uint64_t begin, uint64_t end, uint64_t write_bytes);
/* What a hook returned: told when it is a failure ("cannot WHAT"). Returns it. */
int rig_told(const struct rig *rig, int rc, const char *what);
/* The file ends where its first part does, and the kernel has little to write back. */
int rig_fresh(struct rig *rig);
/* Warm room for so many bytes behind it (iowrite-bench/room.h); where there is none nothing happens. */
int rig_room(struct rig *rig, uint64_t bytes);
/* The same, and nothing of the first part is cached: what O_DIRECT meets. */
int rig_uncached(struct rig *rig);
/* At the end of a block that has appended: what is behind the first part is gone, and memory warm again. Returns rc, or
 * what became of that. */
int rig_leave(struct rig *rig, int rc);
/* Memory for so many bytes of page cache, when the plan has warm memory; and of it what the next write needs. */
int rig_warm(struct rig *rig, uint64_t bytes);
void rig_give(struct rig *rig, uint64_t size);

bool rig_is_late(const struct rig *rig);
void rig_point(struct rig *rig, enum op_mode mode, enum op_regime regime, uint64_t size, double ns);
void rig_parameter(struct rig *rig, enum system_parameter parameter, double value, const char *method);
/* What is the same each time. */
void rig_fact(struct rig *rig, enum system_parameter parameter, double value, const char *method);
/* Bytes per second. */
static inline double rig_rate(uint64_t bytes, double ns)
{
	return (double)bytes / ns * 1e9;
}
/* Of values, which are sorted; NAN of none. */
double rig_median(double *values, size_t count);

#endif
