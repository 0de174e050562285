/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan done: rounds forth and back through the cells, so that a drift of the machine meets all of them. */
#ifndef IOWRITE_BENCH_RUN_EXECUTE_H
#define IOWRITE_BENCH_RUN_EXECUTE_H

#include "iowrite-bench/run/result.h"

struct execute_request {
	const struct run_plan *plan;
	const struct target *targets; /* one, or the files of each thread one after another */
	size_t target_count;
	const struct system *system;  /* NULL = no calibration */
};

/* DIAG_EXIT_OK when there is a result, whole or partial; else a diag_exit code after one line. Each cell that failed
 * has had its line. */
int execute(const struct execute_request *request, struct run_result *result);

#endif
