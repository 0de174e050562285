/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace selfcheck: its options, the checks, and the result. Private to selfcheck.c and selfcheck_result.c. */
#ifndef MEMTRACE_SELFCHECK_H
#define MEMTRACE_SELFCHECK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/opt.h"
#include "common/progress.h"
#include "common/table.h"
#include "memtrace/engine.h"
#include "memtrace/quality.h"
#include "memtrace/runs.h"
#include "schema/memtrace.h"

#define SELFCHECK_PATTERNS 16
#define SELFCHECK_ENGINES 16
#define SELFCHECK_ROUNDS 20
#define SELFCHECK_LACKEY "valgrind lackey"

struct selfcheck_options {
	struct table_output output; /* must be first, for TABLE_OPTIONS */
	const struct engine *engines[SELFCHECK_ENGINES];
	const char *patterns[SELFCHECK_PATTERNS], *xml_path;
	size_t engine_count, pattern_count;
	uint64_t hz, size_bytes, time_ns, seed, accesses;
	unsigned repetitions;
	bool is_without_lackey;
};

struct checked { /* an engine on a pattern */
	char id[96];
	const char *pattern, *engine;
	uint64_t accesses;
	size_t count;
	struct outcome runs[SELFCHECK_ROUNDS];
	struct mt_rank_group_values groups[QUALITY_GROUPS];
};

struct selfcheck {
	const struct selfcheck_options *options;
	struct runs runs;
	uint64_t pages;
	const struct engine *engines[SELFCHECK_ENGINES]; /* the engines that are checked */
	size_t engine_count;
	struct mt_check_values *rows;
	struct checked *checked;
	size_t count;
	struct named_text_values missing[SELFCHECK_ENGINES + 1];
	char reasons[SELFCHECK_ENGINES][512];
	size_t missing_count;
	char valgrind[PATH_MAX];               /* empty: not used */
	struct progress progress;
};

/* Checks that the requested columns exist. Returns a diag_exit code. */
int selfcheck_check_output(const struct selfcheck_options *options);
/* Prints the table, and writes the report. Returns a diag_exit code. */
int selfcheck_show(struct selfcheck *selfcheck, struct opt_line *line, int argc, char **argv);

#endif
