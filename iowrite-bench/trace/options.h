/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench trace. */
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
	struct scenario_options shared;  /* system_path NULL = no model is compared */
	const struct scenario *scenario; /* or */
	const char *writes_path;         /* ops.csv */
	enum trace_thresholds thresholds;
	uint64_t background_bytes, dirty_bytes;
};

extern const struct opt trace_option_rows[];
extern const struct opt_relation trace_option_relations[];
/* command.check; the line is shared.line. */
int trace_options_check(void *whole, struct opt_line *line);

#endif
