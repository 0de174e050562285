/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result as a report: docs/report-iowrite.md. */
#ifndef IOWRITE_BENCH_RUN_REPORT_H
#define IOWRITE_BENCH_RUN_REPORT_H

#include "iowrite-bench/run/result.h"

/* To the files that the options name. DIAG_EXIT_OK, or DIAG_EXIT_HOST after one line for each that could not be
 * written. */
int run_report(const struct run_result *result);

#endif
