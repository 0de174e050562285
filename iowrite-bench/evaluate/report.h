/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IOWRITE_BENCH_EVALUATE_REPORT_H
#define IOWRITE_BENCH_EVALUATE_REPORT_H

#include "common/report.h"
#include "iowrite-bench/evaluate/result.h"

/* <evaluation> (docs/report-iowrite.md). */
void evaluate_report(struct report *report, const struct evaluate_result *result);

#endif
