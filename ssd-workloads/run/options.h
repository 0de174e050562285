/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of `ssd-workloads run`, each value parsed and in range; nothing looked at yet. */
#ifndef SSD_WORKLOADS_RUN_OPTIONS_H
#define SSD_WORKLOADS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/command.h"
#include "common/report_common.h"
#include "ssd-workloads/backend/backend.h"
#include "ssd-workloads/mix.h"
#include "ssd-workloads/record/freeze.h"

#define RUN_LABELS_MAX 32

enum run_sync { RUN_SYNC_AUTO /* where the log is durable */, RUN_SYNC_NONE, RUN_SYNC_PASS };
enum run_trace { RUN_TRACE_AUTO, RUN_TRACE_ON, RUN_TRACE_OFF };

struct run_labels {
	size_t count;
	struct report_option list[RUN_LABELS_MAX]; /* the names are owned */
};

struct run_options {
	const struct mix *mix;
	struct workload_override override;
	const char *target, *destroy_data;  /* destroy_data NULL = not given */
	const char *checkpoint_target, *checkpoint_destroy; /* NULL = the same target; not given */
	uint64_t runtime_ns, warmup_ns;
	bool is_unprepared, is_kept;
	const char *engine, *require;       /* a rung's name, NULL = any */
	bool is_sqpoll, is_iopoll;
	enum backend_durability durability;
	enum run_sync checkpoint_sync;
	bool is_random;                     /* the checkpoint, block by block */
	bool is_buffered;                   /* the checkpoint, through the page cache */
	bool has_hint;
	uint64_t hint_bytes;                /* of it: sync_file_range behind so many, 0 = never */
	unsigned group_commit;
	uint64_t rate;                      /* 0 = closed loop */
	uint64_t seed;
	bool has_verify, has_baselines;
	unsigned runs;                      /* 0 = not given */
	uint64_t record_ns;                 /* that rings shall hold, 0 = no records */
	struct freeze freeze;
	const char *freeze_text;            /* NULL = none */
	uint64_t post;
	enum run_trace trace;
	uint64_t interval_ns;               /* 0 = no series */
	const char *dump_path, *xml_path, *json_path; /* NULL = none */
	struct run_labels labels;
	bool is_dry_run;
	int argc;                           /* as it was called, for the report */
	char **argv;                        /* owned */
	size_t effective_count;             /* every option with a value, as it holds */
	struct report_option *effective;    /* owned */
};

extern const struct argp_option run_option_table[];

/* 0, or a diag_exit code after one line. Texts point into argv and into tables. */
int run_options_parse(const struct command *command, int argc, char **argv, struct run_options *options);
void run_options_free(struct run_options *options);
/* -f and --json leave stdout to the table. */
bool run_options_print_text(const struct run_options *options);

#endif
