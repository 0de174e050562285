/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a probe works with: writes and reads that are timed, counted and kept below the cap, and where its samples go.
 * Functions return 0 or -errno; the line on stderr has been written then, but for the two that end a block and are no
 * failure: -EDQUOT (the cap on bytes) and -EINTR (a signal).
 */
#ifndef IOWRITE_BENCH_CALIBRATE_BENCH_H
#define IOWRITE_BENCH_CALIBRATE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iowrite-bench/calibrate/collector.h"
#include "iowrite-bench/calibrate/hooks.h"
#include "iowrite-bench/calibrate/plan.h"

#define BENCH_RUNS 64

/* Throttled writes, kept until the model can be asked what it would have said of them. */
struct bench_run {
	size_t count;
	struct op *ops;
	double *ns;
	struct dirty_state before;
};

struct bench {
	const struct calibrate_hooks *hooks;
	const struct calibrate_plan *plan;
	struct collector *collector;
	double clock_ns;        /* of two stamps with nothing between: taken off */
	uint64_t bytes_left;    /* of the cap */
	uint64_t block_end_ns;  /* when the present block should end */
	uint64_t given;         /* warm bytes that the kernel has not used yet */
	uint64_t buffer_bytes;  /* of the libc, 0 = not known yet */
	bool has_warm_pool;     /* what memory was warm before the first write is known */
	size_t run_count;
	struct bench_run runs[BENCH_RUNS];
};

int bench_open(const struct calibrate_hooks *hooks, const struct calibrate_plan *plan, struct bench *bench);
void bench_close(struct bench *bench);

static inline uint64_t bench_now(const struct bench *bench)
{
	return bench->hooks->now_ns(bench->hooks->state);
}

/* One write, whole, and what it cost. */
int bench_write(struct bench *bench, enum op_mode mode, uint64_t offset, uint64_t size, double *ns);
/* count writes one behind another between two stamps: the mean. */
int bench_write_batch(struct bench *bench, enum op_mode mode, uint64_t offset, uint64_t size, unsigned count, double *ns);
int bench_read(struct bench *bench, uint64_t offset, uint64_t size, double *ns);
/* Data in [begin, end), untimed. */
int bench_fill(struct bench *bench, enum op_mode mode, uint64_t begin, uint64_t end);
/* What a hook returned: told when it is a failure ("cannot WHAT"). Returns it. */
int bench_told(const struct bench *bench, int rc, const char *what);
/* The file ends where its first part does, and the kernel has little to write back. */
int bench_fresh(struct bench *bench);
/* At the end of a block that has appended: what is behind the first part is gone, and memory warm again. Returns rc, or
 * what became of that. */
int bench_leave(struct bench *bench, int rc);
/* Memory for so many bytes of page cache, when the plan has warm memory; and of it what the next write needs. */
int bench_warm(struct bench *bench, uint64_t bytes);
void bench_give(struct bench *bench, uint64_t size);

bool bench_is_late(const struct bench *bench);
void bench_point(struct bench *bench, enum op_mode mode, enum op_regime regime, uint64_t size, double ns);
void bench_parameter(struct bench *bench, enum system_parameter parameter, double value, const char *method);
/* What is the same each time. */
void bench_fact(struct bench *bench, enum system_parameter parameter, double value, const char *method);
/* Bytes per second. */
static inline double bench_rate(uint64_t bytes, double ns)
{
	return (double)bytes / ns * 1e9;
}
/* Of values, which are sorted; NAN of none. */
double bench_median(double *values, size_t count);

#endif
