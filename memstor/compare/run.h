/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a comparison keeps of each report once the report is freed, so that a thousand of them are little
 * memory; and which reports are not compared at all.
 */
#ifndef MEMSTOR_COMPARE_RUN_H
#define MEMSTOR_COMPARE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "memstor/inputs.h"
#include "memstor/loaded/loaded.h"
#include "memstor/metric.h"

#define COMPARE_DEFAULTS_MAX 16 /* metrics of a tool, without those of each cell or scenario */

enum compare_side { COMPARE_BASE, COMPARE_NEW, COMPARE_AA, COMPARE_SIDES };

const char *compare_side_name(enum compare_side side); /* "BASE" "NEW" "--floor" */

struct compare_texts {
	const struct loaded_text *texts; /* in the order of their names; equal names stay in the report's */
	size_t count;
};
/* The first of this name, or NULL. */
const char *compare_text(const struct compare_texts *texts, const char *name);

struct compare_run {
	enum compare_side side;
	size_t index; /* among all, in the order of reading */
	const char *path, *tool, *tool_version, *uuid, *boot_id, *wall_start, *cpu_model, *release;
	struct compare_texts options, labels, machine;
	uint64_t digest; /* of all that was measured: equal for equal data */
	size_t number_count;
	struct metric_number *numbers; /* by index of the metric; what is beyond is NAN */
	struct loaded_histogram *histograms; /* by index of compare_wanted.histograms; count 0 = it has none */
	const char *key; /* of its set: compare_sets */
	bool is_paired;  /* its set has BASE and NEW; of compare_sets, too */
};

/* What is read of each report. Metrics grow by the defaults of each tool that comes up when none are asked for. */
struct compare_wanted {
	struct metric *metrics;
	size_t metric_count, metric_room;
	bool is_default; /* no --metric: add the tool's */
	const struct metric *histograms; /* their type and class */
	size_t histogram_count;
	bool is_forced;        /* interrupted and untrustworthy ones, too */
	bool must_be_steady;
};

/* Why a report is not compared. */
struct compare_left_out {
	enum compare_side side;
	const char *path, *why;
};

struct compare_runs { /* zeroed: none */
	struct arena arena;
	struct compare_run **runs; /* of all sides, in the order of reading */
	size_t count, room;
	struct compare_left_out *left_out;
	size_t left_out_count, left_out_room;
};

/* The index of the metric of this name, which is added when it is new. 0 or -ENOMEM. */
int compare_want_metric(struct compare_wanted *wanted, const struct metric *metric, size_t *index);

/* Reads each report and frees it. A diag_exit code, after a line when it is not 0. */
int compare_read(const struct inputs *inputs, enum compare_side side, struct compare_wanted *wanted,
	struct compare_runs *runs);
void compare_runs_free(struct compare_runs *runs);

/* Whether two of them are of one and the same report. */
bool compare_is_same_run(const struct compare_run *one, const struct compare_run *other);

/* NAN where it has none. */
struct metric_number compare_number(const struct compare_run *run, size_t metric);

#endif
