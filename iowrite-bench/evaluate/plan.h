/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which scenarios can be measured here, under which thresholds, and why the others cannot. */
#ifndef IOWRITE_BENCH_EVALUATE_PLAN_H
#define IOWRITE_BENCH_EVALUATE_PLAN_H

#include <stdio.h>

#include "iowrite-bench/evaluate/options.h"
#include "iowrite-bench/scenario.h"
#include "iowrite-bench/stage.h"
#include "iowrite-bench/system.h"

struct plan_host {
	bool is_root;
	char device[64], file_system[32]; /* that the folder is on */
	uint64_t room_bytes;              /* free in the folder, what others are left of it taken off */
	uint64_t memory_bytes;            /* that this process may take */
	bool has_direct;
	unsigned offset_align;            /* of O_DIRECT, bytes */
};

struct plan_row {
	const struct scenario *scenario;
	bool is_run;
	char reason[200];                       /* why not */
	uint64_t background_bytes, dirty_bytes; /* thresholds to be set; 0 = as they are */
	uint64_t file_bytes, bytes;             /* of the file; of all writes of one repetition */
	double predicted_s;                     /* by the kernel model, delays included */
};

struct evaluate_plan {
	size_t count, run_count;
	struct plan_row rows[EVALUATE_SCENARIOS];
	bool is_slow;             /* the device is below 1 GB/s: which thresholds */
	bool needs_stage;         /* thresholds are set or a device is built */
	struct stage_request stage;
	uint64_t largest_file; /* of those that are run */
	uint64_t slow_bytes;   /* that a slow device needs for them */
};

/* What the folder and this machine have. 0 or a diag_exit code after one line. */
int plan_look(const struct evaluate_options *options, struct plan_host *host);
/* 0 or a diag_exit code after one line: the calibration is of another device, or root is needed. */
int plan_make(const struct evaluate_options *options, const struct system *system, const struct plan_host *host,
	struct evaluate_plan *plan);
void plan_print(FILE *out, const struct evaluate_options *options, const struct evaluate_plan *plan);

#endif
