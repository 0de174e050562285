/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace found, as lines for people. */
#ifndef IOWRITE_BENCH_TRACE_TEXT_H
#define IOWRITE_BENCH_TRACE_TEXT_H

#include <stdio.h>

#include "iowrite-bench/trace/run.h"

void trace_text(FILE *out, const struct trace_result *result);

#endif
