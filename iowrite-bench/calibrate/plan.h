/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options and the plan of iowrite-bench calibrate. */
#ifndef IOWRITE_BENCH_CALIBRATE_PLAN_H
#define IOWRITE_BENCH_CALIBRATE_PLAN_H

#include "common/cli/command.h"
#include "common/storage/target.h"
#include "iowrite-bench/write/dirty.h"
#include "iowrite-bench/write/pin.h"

enum calibrate_memory { CALIBRATE_WARM, CALIBRATE_AS_IS };

struct calibrate_options {
	const char *output;       /* system.xml */
	const char *directory, *filename; /* one of them, the other is NULL */
	const char *path;         /* folder, file or device */
	const char *destroy_data;
	uint64_t size_bytes;      /* 0 = by memory and free space */
	uint64_t max_bytes;
	uint64_t burst_bytes;     /* --find-cache; 0 = no */
	uint64_t runtime_ns;
	uint64_t spread_ns;       /* 0 = no rests */
	enum calibrate_memory memory;
	struct pin_request cpus;
	bool is_staged;
	uint64_t slow_bytes_per_second; /* --slow-device, which is staged; 0 = none */
	bool is_quiet, is_dry_run;
};

extern const struct opt calibrate_option_rows[];
extern const struct opt_relation calibrate_option_relations[];
/* command.check: sets path and is_staged, and checks values that depend on each other. */
int calibrate_options_check(void *whole, struct opt_line *line);

/*
 * Limits of a calibration. The file has two parts: [0, written_bytes) holds data and is overwritten, behind it the file grows
 * and is truncated again. A device keeps its size: its pages behind the first part are dropped from the cache.
 */

#define PLAN_LEAST_BYTES (64ull << 20)
#define PLAN_ROUNDS 4 /* of all probes, for which the time should suffice */
/* The last third of the default fits three blocks of write-back of up to 4 s, and six of throttled writes of up to 6 s. */
#define PLAN_RUNTIME_NS 150000000000u
#define PLAN_SPREAD_ROUNDS 8 /* with rests between: each state of a machine that drifts over minutes is measured */

struct calibrate_plan {
	uint64_t runtime_ns;    /* of measuring: no block begins later */
	uint64_t spread_ns;     /* with the rests between, runtime_ns or more; 0 = none */
	uint64_t size_bytes;    /* of the file, at most */
	uint64_t written_bytes; /* of its first part */
	uint64_t max_bytes;     /* written in all */
	uint64_t burst_bytes;   /* of these, to find the device's cache; 0 = it is not measured */
	uint64_t largest_bytes; /* of one write */
	uint64_t dirty_bytes;   /* that one block may leave in the page cache before the kernel writes them back */
	unsigned fs_block, align;
	bool has_direct;        /* O_DIRECT reaches the device */
	bool has_append;        /* the target can grow: no device */
	bool is_pooled;            /* --mem=warm */
	bool is_staged;         /* thresholds may be set */
	uint64_t background_bytes, threshold_bytes; /* the machine's, when the plan was made */
};

/* Thresholds of --stage. */
#define PLAN_STAGE_BACKGROUND (256ull << 20)
#define PLAN_STAGE_THROTTLED (512ull << 20)

/* The slow device's file system. The file takes a quarter of its free space. */
#define PLAN_SLOW_BYTES (5ull << 30)

#define PLAN_SIZE_PART 4 /* of the memory, and of the free space */
/* The default of --size: a part of the memory, of the free space, and of what may be written. */
uint64_t calibrate_plan_size(uint64_t memory_bytes, uint64_t free_bytes, uint64_t max_bytes);
/* Fills the plan from the options and the target. Returns 0 or a diag_exit code after one line. */
int calibrate_plan_make(const struct calibrate_options *options, const struct target *target,
	const struct dirty_state *dirty, uint64_t size_bytes, struct calibrate_plan *plan);
void calibrate_plan_print(const struct calibrate_plan *plan, const struct calibrate_options *options);

static inline uint64_t calibrate_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns how many bytes may be appended behind the first part. */
static inline uint64_t calibrate_plan_free(const struct calibrate_plan *plan)
{
	return plan->size_bytes - plan->written_bytes;
}

#endif
