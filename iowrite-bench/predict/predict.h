/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prediction of a list of writes by a model. */
#ifndef IOWRITE_BENCH_PREDICT_PREDICT_H
#define IOWRITE_BENCH_PREDICT_PREDICT_H

#include <stdio.h>

#include "iowrite-bench/model/stdio.h"
#include "iowrite-bench/write/method.h"
#include "schema/iowrite.h"

#define PREDICT_NEAR 0.1 /* relative error of a write that counts as predicted well */

struct predict_setup {
	const struct model_kind *kind;
	struct model_setup model;
	const struct stdio_policy *policy; /* NULL = write(2); ignored by a model without a cache */
	uint64_t buffer_bytes;             /* of stdio, 0 = the libc's */
};

struct prediction {
	size_t count;
	struct model_cost *costs; /* of each write */
	double total_ns;          /* their sum */
	double total_low_ns, total_high_ns; /* by predict_interval; NAN = unknown */
	double close_ns;          /* of flushing the libc's buffer at the end */
	double drain_ns;          /* from then on until nothing is dirty */
};

/* Returns 0, -ENOMEM, or -ENODATA and the name of the parameter that the system lacks. */
int predict(const struct system *system, const struct predict_setup *setup, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing);
void predict_free(struct prediction *prediction);
/* Computes the interval of the total that the calibration leaves open (system_at_ends): at least 95 %, since all its values are
 * at the same end; unknown when none has an interval. prediction: by predict() of the same arguments. Returns 0 or -ENOMEM. */
int predict_interval(const struct system *system, const struct predict_setup *setup, const struct op *ops, size_t count,
	struct prediction *prediction);

/* Splits the measured time of buffered writes by causes, in percent; the shares add up to 100, the residual may be negative. */
void split_make(const struct prediction *prediction, const char *predicted_by, double measured_ns,
	struct iow_cost_split_values *split);

/*
 * Writes as a table, ops.csv: what `run --ops-csv` writes and predict reads; any program can make one. A line of names,
 * then one write a line, in the order in which they were made. Columns may come in any order:
 *
 *   offset, size                  bytes; always there
 *   delay_ns                      since the end of the write before; 0 when there is no such column
 *   write_ns                      its measured cost
 *   dirty_bytes, writeback_bytes  of the whole machine before it; empty = not sampled
 *   start_ns                      read, checked, not used
 *   sync_ns                       of the sync after it; 0 = there was none
 *   file                          which of several files, from 0 on; each then ends within 16 TiB
 *   mode, regime, sync            how they were made: the same words of --mode, --regime and --sync-each in each row
 *
 * Numbers are digits and nothing else. A carriage return before the line's end is passed over.
 */

#define TRACE_WRITES_MAX 10000000u
#define TRACE_SIZE_MAX (1ull << 36)   /* of one write */
#define TRACE_END_MAX (1ull << 60)    /* of the file, and of dirty bytes */
#define TRACE_DELAY_MAX 86400000000000ull
#define TRACE_LINE_MAX 1000
#define TRACE_FILE_MAX (4ull << 30) /* of a file; a write takes up to 200 bytes */
#define TRACE_WHY 320

struct trace_file {
	size_t count;          /* 1 and more */
	unsigned files;        /* of several the offsets of ops are as in op.h */
	struct op *ops;
	double *measured_ns;   /* of each; NULL without write_ns */
	uint64_t dirty_bytes, writeback_bytes; /* before the first write; 0 = unknown */
	bool has_mode, has_regime; /* there is such a column */
	enum op_mode mode;
	enum op_regime regime;
	const struct method_sync *sync; /* NULL = no such column */
	double *sync_ns;       /* of each; NULL without such a column */
	size_t synced;         /* writes with a sync_ns above 0 */
};

/* name: of the file, for messages. Returns 0; -EINVAL and one line in why[TRACE_WHY] ("NAME:LINE: ..."); -ENOMEM; or the -errno
 * of reading. */
int trace_file_parse(FILE *in, const char *name, struct trace_file *trace, char *why);
/* path "-" is stdin. Returns 0 or a diag_exit code after one line. */
int trace_file_read(const char *path, struct trace_file *trace);
void trace_file_free(struct trace_file *trace);

#endif
