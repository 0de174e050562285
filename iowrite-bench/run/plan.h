/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Presets: the logs of known programs as options of run, with sizes and syncs as these programs write them. */
#ifndef IOWRITE_BENCH_RUN_PLAN_H
#define IOWRITE_BENCH_RUN_PLAN_H

#include <sched.h>

#include "common/cli/command.h"
#include "common/cli/label.h"
#include "common/hot/rng.h"
#include "common/report/start.h"
#include "common/run/slo.h"
#include "common/stats/latency.h"
#include "common/stats/pattern.h"
#include "common/storage/target.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/write/method.h"

struct preset_option {
	const char *name, *value; /* of run's table; NULL ends a list */
};

/* One of the ways that a preset compares, by the imitated program's name. */
struct preset_way {
	const char *name;
	const char *mode, *sync;   /* mode NULL = not available on Linux */
};

struct preset {
	const char *name;
	const char *meaning; /* one line: the imitated log */
	const char *why;     /* where the numbers come from */
	const struct preset_option *options;
	const char *ranked;       /* "wal_sync_method", of which the ways are values; the text ends in a ranking */
	const struct preset_way *ways; /* instead of --mode and --sync-each; ended by a row without a name; NULL = none */
};

/* Ended by a row without a name. */
extern const struct preset presets[];
const struct preset *preset_of(const char *name); /* NULL = none */

/* The latency that an objective (common/run/slo.h) is of. */
enum tally_of { TALLY_BOTH /* write and sync of one operation */, TALLY_WRITE, TALLY_SYNC, TALLIES };
extern const char *const tally_names[]; /* "write+sync", "write", "sync"; ended by NULL */

/* The options of `iowrite-bench run`, each value parsed and in range. */

#define RUN_WORDS_MAX 8  /* of a list of methods, ... */
#define RUN_SIZES_MAX 32
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

struct iow_run_options {
	/* Lists, of which all combinations are measured. */
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
	bool accepts_limits;     /* --accept-limit */
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
	uint64_t sample_every_ns;  /* for the ops.csv, at dirty bytes; 0 = before each write */
	const char *csv_path, *xml_path, *json_path, *system_path, *replay_path; /* NULL = none */
	const struct preset *preset;
	size_t slo_count;
	struct slo slos[SLOS_MAX];
	struct label_list labels;
	struct start start; /* --start-at */
	bool is_dry_run;
	int argc;                /* as it was called, for the report */
	char **argv;             /* the caller's */
	struct opt_line line;    /* owned: the texts, and the effective options */
};

extern const struct opt iow_run_option_table[];
extern const struct opt_relation iow_run_option_relations[];
int iow_run_options_add(void *input, struct opt_line *line);   /* of --preset and --replay; see struct command */
int iow_run_options_check(void *input, struct opt_line *line);

/* Returns 0, or a diag_exit code after one line. Texts point into its line and into tables. */
int iow_run_options_parse(const struct command *command, int argc, char **argv, struct iow_run_options *options);
void iow_run_options_free(struct iow_run_options *options);
/* Returns whether -f and --json leave stdout to the table. */
bool iow_run_options_print_text(const struct iow_run_options *options);

/*
 * The plan: every combination of the lists, checked. An impossible combination is a row with its reason when others remain, and
 * a refusal when none does.
 */

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
	bool lacks_host;           /* skipped because this host lacks memory or io_uring */
};

struct iow_run_plan {
	const struct iow_run_options *options;
	uint64_t size_bytes, runtime_ns; /* of a thread and round; runtime 0 = no limit */
	bool is_repeated;          /* the bytes again and again, until runtime_ns is over */
	unsigned rounds;
	bool is_shared;            /* one file for all threads */
	uint64_t part_bytes;       /* from one thread's begin to the next one's in a shared file */
	uint64_t bytes;            /* free space that the target needs at most */
	uint64_t memory_bytes;     /* available to this process, for host-backed memory; 0 = unknown, not checked */
	size_t cell_count, measured_count;
	struct run_cell *cells;
};

/* Makes combinations and sizes before the target is opened, which needs plan->bytes. Returns 0 or a diag_exit code after one
 * line. */
int iow_run_plan_make(const struct iow_run_options *options, struct iow_run_plan *plan);
/* Skips what this target does not support, and completes rings and offsets. Returns as iow_run_plan_make; DIAG_EXIT_HOST when
 * nothing is left but another target would do. */
int iow_run_plan_fit(struct iow_run_plan *plan, const struct target *target);
void iow_run_plan_free(struct iow_run_plan *plan);

void iow_run_plan_print(const struct iow_run_plan *plan, const struct target *target);

/* The writes of one thread in one round, made a ring at a time: the same list in every round. */

struct op_source {
	const struct run_cell *cell;
	uint64_t begin_bytes, size_bytes, delay_ns; /* start of the thread's part; bytes of all writes */
	unsigned thread;
	struct pattern_permutation permutation;    /* RUN_RANDWRITE of one size: each place once */
	unsigned files;                            /* written in turn */
	uint64_t index, done;
	uint64_t offsets[OP_FILES_MAX];            /* where each file's next write begins */
	struct rng rng;
};

void source_init(struct op_source *source, const struct iow_run_plan *plan, const struct run_cell *cell, unsigned thread);
/* Implements measure_stream.refill; the state is a struct op_source. */
size_t source_refill(void *state, struct op *ops, size_t capacity);

#endif
