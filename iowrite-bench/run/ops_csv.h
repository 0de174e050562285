/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every write of a round as a line of a CSV file (iowrite-bench(1), FILES): what predict --trace reads. The file appears
 * whole under its name at the end, or not at all.
 */
#ifndef IOWRITE_BENCH_RUN_OPS_CSV_H
#define IOWRITE_BENCH_RUN_OPS_CSV_H

#include <stdio.h>

#include "common/report_draft.h"
#include "iowrite-bench/writer.h"

#define OPS_CSV_HEADER "offset,size,delay_ns,start_ns,write_ns,sync_ns,dirty_bytes,writeback_bytes,mode,regime,sync"

struct ops_csv {
	FILE *file;
	struct report_draft draft;
	char words[64]; /* of each row: mode, regime and sync, the same in all */
	bool has_files;
	int error; /* the first one, as -errno */
};

/* path must outlive it; mode, regime and sync: the words for how all writes are made; has_files: offsets are of
 * several files (op.h), and a column says of which. 0 or -errno. */
int ops_csv_open(struct ops_csv *csv, const char *path, const char *mode, const char *regime, const char *sync,
	bool has_files);
/* What was not looked at is empty. A failed write is no line. */
void ops_csv_add(struct ops_csv *csv, const struct record *records, size_t count);
/* 0 or -errno of anything since the opening; the file is then not there. */
int ops_csv_close(struct ops_csv *csv);

#endif
