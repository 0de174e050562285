/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IOWRITE_BENCH_EVALUATE_OPTIONS_H
#define IOWRITE_BENCH_EVALUATE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/command.h"
#include "common/report_common.h"
#include "iowrite-bench/model/model.h"

#define EVALUATE_SCENARIOS 64
#define EVALUATE_LABELS 32
#define EVALUATE_SHOWN 16

struct scenario;

enum evaluate_thresholds { EVALUATE_KEEP, EVALUATE_SMALL };

struct evaluate_options {
	const char *system_path;
	const char *directory;
	size_t scenario_count;
	const struct scenario *scenarios[EVALUATE_SCENARIOS]; /* in the order of the table, each once */
	uint64_t slow_bytes_per_second, slow_size_bytes;      /* 0 = no slow device; as large as is needed */
	enum evaluate_thresholds thresholds;
	enum model_memory memory;
	unsigned repetitions;
	uint64_t warmup_ns; /* of throttled writing before buffered scenarios, at most */
	bool is_gate, is_dry_run;
	const char *xml_path, *json_path; /* NULL = none, "-" = stdout */
	size_t label_count;
	struct report_option labels[EVALUATE_LABELS];
	/* As the report's signature shows them. */
	size_t shown_count;
	struct report_option shown[EVALUATE_SHOWN];
	const char *scenario_text, *thresholds_text, *memory_text, *slow_text, *slow_size_text, *repetitions_text, *warmup_text;
	char *label_copies[EVALUATE_LABELS];
};

extern const struct argp_option evaluate_option_table[];

/* 0 or a diag_exit code after one line. */
int evaluate_options_parse(const struct command *command, int argc, char **argv, struct evaluate_options *options);
void evaluate_options_free(struct evaluate_options *options);
/* The report, or its text, goes to stdout: nothing else may. */
bool evaluate_options_takes_stdout(const struct evaluate_options *options);

#endif
