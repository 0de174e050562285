/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options made whole and checked, before anything is touched. */
#ifndef SSD_WORKLOADS_RUN_PLAN_H
#define SSD_WORKLOADS_RUN_PLAN_H

#include "ssd-workloads/baseline/baseline.h"
#include "ssd-workloads/run/options.h"

struct run_plan {
	const struct run_options *options; /* the caller's */
	struct workload workload;
	struct layout layout;
	size_t place_count;                /* targets: 1, or one of each stream */
	struct layout place_layouts[MIX_STREAMS]; /* of each target */
	struct pattern_spec pattern;        /* of options->has_pattern, for the blocks of a worker */
	bool has_pass_syncs;                /* each pass of the checkpoint is made durable at its end */
	struct baseline_plan baselines;
	struct sim_params without;         /* of the cell from which --without takes gc or erase; else the options' */
	uint64_t run;                      /* of the header: random, above 0 */
};

/* 0 or DIAG_EXIT_USAGE after one line. */
int run_plan_make(const struct run_options *options, struct run_plan *plan);
/* "none", "dsync", "fdatasync". */
const char *run_durability_name(enum backend_durability durability);
/* --dry-run: what would be done, on stdout. */
void run_plan_print(const struct run_plan *plan, const struct place *places, const struct backend_choice *choice);

#endif
