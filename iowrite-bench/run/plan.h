/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is measured: every combination of the lists, checked. A combination that cannot be is a row with its reason when
 * others remain, and a refusal when none does.
 */
#ifndef IOWRITE_BENCH_RUN_PLAN_H
#define IOWRITE_BENCH_RUN_PLAN_H

#include "common/target.h"
#include "iowrite-bench/run/options.h"

#define RUN_CELLS_MAX 1024
#define RUN_RING_MAX 65536 /* writes kept at a time by a thread: 5 MiB */

struct run_cell {
	char id[112];              /* METHOD.MODE.SYNC.REGIME.RW.SIZE */
	const struct method *method;
	char method_name[40];      /* with the libc's buffer: "fwrite-64k" */
	const struct method_sync *sync;
	unsigned sync_every;       /* writes to a sync, or to a commit of a way */
	const struct preset_way *way; /* of a preset; NULL = none */
	enum op_mode mode;
	enum op_regime regime;
	enum run_order order;
	struct run_size size;
	struct run_buffer buffer;
	uint64_t align;            /* of offsets and sizes; 1 = any */
	uint64_t back_bytes;       /* of one write of size.low, when sizes are all the same */
	uint64_t file_bytes;       /* of a thread's part, or of each of its files, at most */
	size_t ring;
	char skipped[200];         /* why it is not measured; "" = it is */
	bool lacks_memory;         /* which this host has not */
};

struct run_plan {
	const struct run_options *options;
	uint64_t size_bytes, runtime_ns; /* of a thread and round; runtime 0 = no limit */
	bool is_repeated;          /* the bytes again and again, until runtime_ns is over */
	unsigned rounds;
	bool is_shared;            /* one file for all threads */
	uint64_t part_bytes;       /* from one thread's begin to the next one's in a shared file */
	uint64_t bytes;            /* that the target must have room for, at most */
	uint64_t memory_bytes;     /* that this process may use, for warm memory; 0 = not known, and not looked at */
	size_t cell_count, measured_count;
	struct run_cell *cells;
};

/* Combinations and sizes; the target is not known yet: plan->bytes is what it is asked for. 0 or a diag_exit code after
 * one line. */
int run_plan_make(const struct run_options *options, struct run_plan *plan);
/* What this target can; then ids, rings and skipped rows are final. The same returns. */
int run_plan_fit(struct run_plan *plan, const struct target *target);
void run_plan_free(struct run_plan *plan);

/* What --dry-run prints. */
void run_plan_print(const struct run_plan *plan, const struct target *target);

#endif
