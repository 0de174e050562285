/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace found, as <kernel_trace> (docs/report-iowrite.md). */
#ifndef IOWRITE_BENCH_TRACE_REPORT_H
#define IOWRITE_BENCH_TRACE_REPORT_H

#include "common/report.h"
#include "iowrite-bench/trace/run.h"

/* Of more rows every n-th is written; of pauses only those that were none are left out. */
#define TRACE_REPORT_STATES 10000
#define TRACE_REPORT_NO_PAUSES 10000
#define TRACE_REPORT_WRITES 2000

void trace_report_write(struct report *report, const struct trace_result *result);

#endif
