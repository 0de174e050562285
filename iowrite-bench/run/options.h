/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `iowrite-bench run`, each value parsed and in range. */
#ifndef IOWRITE_BENCH_RUN_OPTIONS_H
#define IOWRITE_BENCH_RUN_OPTIONS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/command.h"
#include "common/label.h"
#include "iowrite-bench/method.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/run/presets.h"
#include "iowrite-bench/run/slo.h"

#define RUN_WORDS_MAX 8  /* of a list of methods, ... */
#define RUN_SIZES_MAX 32
#define RUN_SLOS_MAX 16
#define RUN_THREADS_MAX 256

enum run_order { RUN_WRITE, RUN_RANDWRITE, RUN_BACKWRITE, RUN_ORDERS };
const char *run_order_name(enum run_order order);

struct run_size {
	uint64_t low, high; /* bytes of one write; low == high: all the same */
};

struct run_buffer { /* of fwrite(3) */
	enum method_buffering buffering;
	uint64_t bytes;
};

struct run_options {
	/* What is combined with what. */
	size_t method_count, mode_count, sync_count, regime_count, order_count, size_count, buffer_count;
	const struct method *methods[RUN_WORDS_MAX];
	enum op_mode modes[RUN_WORDS_MAX];
	const struct method_sync *syncs[RUN_WORDS_MAX];
	enum op_regime regimes[RUN_WORDS_MAX];
	enum run_order orders[RUN_WORDS_MAX];
	struct run_size sizes[RUN_SIZES_MAX];
	struct run_buffer buffers[RUN_WORDS_MAX];
	unsigned sync_every[RUN_WORDS_MAX]; /* writes to a sync */
	size_t every_count;
	/* The same for all. */
	uint64_t size_bytes;     /* written by each thread in each round; 0 = not given */
	bool is_size_of_preset;  /* with a runtime it is written again and again */
	uint64_t runtime_ns;     /* of each round; 0 = not given */
	uint64_t warmup_ns;      /* of each round, before it; 0 = none */
	unsigned compress_percent, dedupe_percent;
	double back;             /* share of a write, of RUN_BACKWRITE */
	unsigned threads, rounds; /* rounds: 0 = not given */
	unsigned files;          /* of each thread */
	uint64_t delay_ns;
	unsigned is_sleeping;    /* 0 or 1 */
	enum model_memory memory;
	size_t cpu_count;
	unsigned cpus[CPU_SETSIZE];
	const char *path;        /* folder, file or device */
	bool is_folder;           /* path is --directory's, not --filename's */
	const char *destroy_data;
	uint64_t interval_ns;    /* 0 = no series */
	uint64_t look_every_ns;  /* for the ops.csv, at dirty bytes; 0 = before each write */
	const char *csv_path, *xml_path, *json_path, *system_path, *replay_path; /* NULL = none */
	const struct preset *preset;
	size_t slo_count;
	struct slo slos[RUN_SLOS_MAX];
	struct label_list labels;
	bool is_dry_run;
	int argc;                /* as it was called, for the report */
	char **argv;             /* the caller's */
	struct opt_line line;    /* owned: the texts, and the effective options */
};

extern const struct opt run_option_table[];
extern const struct opt_relation run_option_relations[];
int run_options_add(void *input, struct opt_line *line);   /* of --preset and --replay; see struct command */
int run_options_check(void *input, struct opt_line *line);

/* 0, or a diag_exit code after one line. Texts point into its line and into tables. */
int run_options_parse(const struct command *command, int argc, char **argv, struct run_options *options);
void run_options_free(struct run_options *options);
/* -f and --json leave stdout to the table. */
bool run_options_print_text(const struct run_options *options);

#endif
