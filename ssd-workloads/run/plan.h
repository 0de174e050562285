/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The complete and checked plan of a run, made from its options before anything is changed. */
#ifndef SSD_WORKLOADS_RUN_PLAN_H
#define SSD_WORKLOADS_RUN_PLAN_H

#include "ssd-workloads/run/baseline.h"
#include "ssd-workloads/run/options.h"

struct ssd_run_plan {
	const struct ssd_run_options *options; /* the caller's */
	struct workload workload;
	struct layout layout;
	size_t target_count;               /* number of targets, real or simulated */
	size_t place_count;                /* number of real targets; 0 on simulated devices */
	struct run_place {                 /* target_count, in the order of layout_divide */
		const char *path, *destroy_data; /* from the options */
		const char *title;         /* "target", "log target", "checkpoint target" */
		const char *stream;        /* stream with this target of its own: "log", "checkpoint"; NULL = --target */
		struct layout layout;
	} places[LAYOUT_TARGETS];
	struct pattern_spec pattern;        /* with options->has_pattern: the pattern of a worker's blocks */
	bool has_pass_syncs;                /* each pass of the checkpoint is made durable at its end */
	struct baseline_plan baselines;
	struct sim_params without;         /* of the cell without gc or erase (--without); else those of the options */
	uint64_t run;                      /* of the header: random, above 0 */
};

/* Makes the plan. Returns 0 or DIAG_EXIT_USAGE after an error message. */
int ssd_run_plan_make(const struct ssd_run_options *options, struct ssd_run_plan *plan);
/* Returns "none", "dsync" or "fdatasync". */
const char *run_durability_name(enum backend_durability durability);
/* Prints the plan on stdout for --dry-run. */
void ssd_run_plan_print(const struct ssd_run_plan *plan, const struct place *places, const struct backend_choice *choice);

#endif
