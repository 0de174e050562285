/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of iowrite-bench trace, each value parsed and in range. */
#ifndef IOWRITE_BENCH_TRACE_OPTIONS_H
#define IOWRITE_BENCH_TRACE_OPTIONS_H

#include "common/command.h"
#include "iowrite-bench/scenario.h"
#include "iowrite-bench/scenario_options.h"

enum trace_thresholds {
	TRACE_SMALL, /* the scenario's; those of a table of writes stay as they are */
	TRACE_KEEP,
	TRACE_OWN    /* background_bytes, dirty_bytes */
};

struct trace_options {
	struct scenario_options shared;  /* system_path NULL = no model beside */
	const struct scenario *scenario; /* or */
	const char *writes_path;         /* ops.csv */
	enum trace_thresholds thresholds;
	uint64_t background_bytes, dirty_bytes;
	const char *thresholds_text; /* as typed */
};

extern const struct argp_option trace_option_table[];

/* 0 or a diag_exit code after one line; trace_options_free in both cases. Texts are of argv. */
int trace_options_parse(const struct command *command, int argc, char **argv, struct trace_options *options);
void trace_options_free(struct trace_options *options);

#endif
