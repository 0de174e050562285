/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench evaluate. */
#ifndef IOWRITE_BENCH_EVALUATE_OPTIONS_H
#define IOWRITE_BENCH_EVALUATE_OPTIONS_H

#include "common/command.h"
#include "iowrite-bench/scenario_options.h"

#define EVALUATE_SCENARIOS 64 /* more than the table has */

struct scenario;

/* Dirty thresholds: as they are, or each scenario's own. */
enum evaluate_thresholds { EVALUATE_KEEP, EVALUATE_SMALL };

struct evaluate_options {
	struct scenario_options shared; /* system_path is there */
	bool is_wanted[EVALUATE_SCENARIOS]; /* by the index in the table */
	size_t scenario_count;
	const struct scenario *scenarios[EVALUATE_SCENARIOS]; /* in the order of the table, each once */
	enum evaluate_thresholds thresholds;
	unsigned repetitions;
	uint64_t warmup_ns; /* of throttled writing before buffered scenarios, at most */
};

extern const struct opt evaluate_option_rows[];
extern const struct opt_relation evaluate_option_relations[];
/* command.add: the default of --thresholds, which depends on the user. */
int evaluate_options_add(void *options, struct opt_line *line);
/* command.check; the line is shared.line. */
int evaluate_options_check(void *whole, struct opt_line *line);

#endif
