/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of iowrite-bench evaluate, each value parsed and in range. */
#ifndef IOWRITE_BENCH_EVALUATE_OPTIONS_H
#define IOWRITE_BENCH_EVALUATE_OPTIONS_H

#include "common/command.h"
#include "iowrite-bench/scenario_options.h"

#define EVALUATE_SCENARIOS 64

struct scenario;

/* Dirty thresholds: as they are, or each scenario's own. */
enum evaluate_thresholds { EVALUATE_KEEP, EVALUATE_SMALL };

struct evaluate_options {
	struct scenario_options shared; /* system_path is there */
	size_t scenario_count;
	const struct scenario *scenarios[EVALUATE_SCENARIOS]; /* in the order of the table, each once */
	enum evaluate_thresholds thresholds;
	unsigned repetitions;
	uint64_t warmup_ns; /* of throttled writing before buffered scenarios, at most */
	bool is_gate;       /* a missed goal is status 1 */
	const char *scenario_text, *thresholds_text, *repetitions_text, *warmup_text; /* as typed */
};

extern const struct argp_option evaluate_option_table[];

/* 0 or a diag_exit code after one line; evaluate_options_free in both cases. Texts are of argv. */
int evaluate_options_parse(const struct command *command, int argc, char **argv, struct evaluate_options *options);
void evaluate_options_free(struct evaluate_options *options);

#endif
