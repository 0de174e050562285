/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace selfcheck: its options, the checks, and the result. Private to selfcheck.c and selfcheck_result.c. */
#ifndef MEMTRACE_CHECK_SELFCHECK_H
#define MEMTRACE_CHECK_SELFCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/progress.h"
#include "common/cli/opt.h"
#include "common/cli/table.h"
#include "memtrace/check/generator.h"
#include "memtrace/check/runs.h"
#include "memtrace/file/trace_file.h"
#include "memtrace/perf/engine.h"
#include "schema/memtrace.h"

#define SELFCHECK_ENGINES 16
#define SELFCHECK_ROUNDS 20

struct selfcheck_options {
	struct table_output output; /* must be first, for TABLE_OPTIONS */
	const struct engine *engines[SELFCHECK_ENGINES];
	const char *pattern, *xml_path;
	struct pattern_spec spec; /* of the pattern */
	size_t engine_count;
	uint64_t hz, size_bytes, time_ns, seed;
	unsigned repetitions;
	bool is_generator;
};

struct checked { /* an engine */
	const struct engine *engine;
	size_t runs, error_count;
	double slowdowns[SELFCHECK_ROUNDS];
	double errors[SELFCHECK_ROUNDS]; /* in runs with samples: share of the most popular pages, minus its known value */
	double *known, *estimated;       /* by page, of all runs: accesses; samples, or an order */
	uint64_t samples;                /* of the generator's memory; the following are of the recordings */
	uint64_t recorded, recovered, losses[TRACE_LOSSES];
	bool is_cut_off;
};

struct selfcheck {
	const struct selfcheck_options *options;
	struct runs runs;
	size_t pages, top; /* top: 1 % of them */
	uint32_t *sequence;
	uint64_t draws;
	struct checked checked[SELFCHECK_ENGINES];
	size_t count;
	struct named_text_values missing[SELFCHECK_ENGINES];
	char reasons[SELFCHECK_ENGINES][512];
	size_t missing_count;
	struct progress progress;
};

/* Checks that the requested columns exist. Returns a diag_exit code. */
int selfcheck_check_output(const struct selfcheck_options *options);
/* Prints the table of the engines that have a run, and writes the report. Returns a diag_exit code. */
int selfcheck_show(struct selfcheck *selfcheck, struct opt_line *line, int argc, char **argv);

#endif
