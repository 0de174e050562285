/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The planned writes, measured under a trace, and the model's answer to the same writes. */
#ifndef IOWRITE_BENCH_TRACE_RUN_H
#define IOWRITE_BENCH_TRACE_RUN_H

#include "common/frame.h"
#include "iowrite-bench/measure.h"
#include "iowrite-bench/predict/predict.h"
#include "iowrite-bench/trace/beside.h"
#include "iowrite-bench/trace/plan.h"

struct trace_result { /* large: not for a stack */
	const struct trace_plan *plan;
	struct frame frame;
	struct measurement measurement;
	struct timeline timeline;
	struct timeline_summary summary;
	uint64_t limit_bytes;       /* of the kernel's law at the begin: it comes down to a lowered threshold bit by bit */
	char writer[128];           /* as iowrite-bench/pin.h says it */
	uint64_t lost_events;       /* that the kernel had no room for, or that could not be read */
	bool has_failed;            /* a write did: this host cannot, though there is a report */
	bool has_prediction;
	struct prediction prediction; /* of the writes that were made, with their real delays */
	bool has_gap;
	struct beside_gap gap;
};

/* argv: for the report. 0 or a diag_exit code after one line; then there is no result. */
int trace_run(const struct trace_options *options, const struct trace_plan *plan, int argc, char **argv,
	struct trace_result *result);
void trace_result_free(struct trace_result *result);

#endif
