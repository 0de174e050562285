/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IOWRITE_BENCH_MODEL_VALIDITY_H
#define IOWRITE_BENCH_MODEL_VALIDITY_H

#include "common/host/contention.h"
#include "common/host/machine.h"
#include "common/run/frame.h"
#include "iowrite-bench/model/model.h"
#include "schema/iowrite.h"

/*
 * Conditions under which no model is valid: the closed list of docs/report-iowrite.md.
 *
 *   outside_model     "cgroup-limit" "several-writers" "balloon" "page-reporting" "unstable-device" "uncalibrated"
 *   outside_measured  "busy-machine" "host-memory-exhausted" "cold-not-proven"
 *   evaluate/errors.c  "coarse-chunk" "thresholds-moved" "others-dirty"
 */

#define VALIDITY_MAX 12 /* each code once */

struct validity_reason {
	const char *code;
	char text[320];
	bool is_measured; /* seen while writing, not known before */
};

struct validity {
	size_t count;
	struct validity_reason reasons[VALIDITY_MAX];
};

/* The writes of one writer or of several together, and the results of measuring them. */
struct validity_question {
	const char *root;              /* as in common/base/sysfs.h */
	const struct machine *machine;
	const struct system *system;   /* NULL = no calibration: its device's bandwidth is not checked */
	unsigned writers;              /* threads */
	enum model_memory memory;      /* balloons and page reporting matter to as-is memory only */
	uint64_t bytes;                /* to be written; compared with a cgroup's limit */
	/* Results of a measurement: */
	bool is_direct;                /* takes no page cache */
	struct contention_machine busy; /* ignored with several writers, which wait for each other */
	uint64_t written_bytes, unbacked_bytes; /* of these into memory that was not warm (measure_job.h) */
};

/* Begins a list, with the reasons that are known before anything is written. */
void validity_model(const struct validity_question *question, struct validity *validity);
/* Tells, from that list, whether it is unknown with MODEL_AS_IS how much of the free memory the host backs, so that a model has
 * two bounds, for host-backed and for cold memory, and no point. */
bool validity_hides_memory(const struct validity *validity, const struct system *system, enum model_memory memory);
/* Adds a reason unless there are VALIDITY_MAX. */
void validity_add(struct validity *validity, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns whether the list has this reason with the same text. */
bool validity_has(const struct validity *validity, const struct validity_reason *reason);

/* Adds the reasons that the measurement shows. */
void validity_measured(const struct validity_question *question, struct validity *validity);
/* Marks the result as untrustworthy when memory that should be warm was partly cold, unless unbacked_bytes is 0.
 * name: of the cell or scenario. */
void validity_distrust(struct frame *frame, const char *name, uint64_t bytes, uint64_t unbacked_bytes);
/* Writes the list, for FIELD_BY (common/report/field.h). from: struct validity */
void validity_write(struct report *report, const struct field *field, const void *from);

#endif
