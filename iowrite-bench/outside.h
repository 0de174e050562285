/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why no model can be expected to be right here: the closed list of docs/report-iowrite.md. */
#ifndef IOWRITE_BENCH_OUTSIDE_H
#define IOWRITE_BENCH_OUTSIDE_H

#include <stddef.h>

#include "common/machine.h"
#include "common/report.h"
#include "iowrite-bench/model/model.h"

#define OUTSIDE_MAX 10 /* every code that a scenario can have, too (evaluate/judge.c) */

struct outside_reason {
	const char *code; /* "cgroup-limit" "several-writers" "balloon" "page-reporting" "unstable-device" */
	char text[160];
};

struct outside_question {
	const char *root;              /* as in common/sysfs.h */
	const struct machine *machine;
	const struct system *system;   /* NULL = no calibration: its device's bandwidth is not judged */
	unsigned writers;              /* threads */
	enum model_memory memory;      /* as-is memory is what balloons and page reporting spoil */
	uint64_t bytes;                /* that are written: against a cgroup's limit */
};

/* How many of OUTSIDE_MAX were filled. */
size_t outside_model(const struct outside_question *question, struct outside_reason reasons[OUTSIDE_MAX]);
/* <outside_model code=> for each. */
void outside_write(struct report *report, const struct outside_reason *reasons, size_t count);

#endif
