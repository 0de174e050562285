/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tally counts every measured operation. It has one writer; tallies are merged when they are complete. */
#ifndef IOWRITE_BENCH_RUN_RESULT_H
#define IOWRITE_BENCH_RUN_RESULT_H

#include "common/report/report_file.h"
#include "common/storage/storage.h"
#include "iowrite-bench/model/validity.h"
#include "iowrite-bench/predict/predict.h"
#include "iowrite-bench/run/plan.h"
#include "iowrite-bench/write/measure.h"

#define TALLY_ROWS_MAX 100000 /* the last row then covers the rest */

/* One interval of the series. */
struct tally_row {
	struct histogram_moments moments; /* of TALLY_BOTH */
	uint64_t bytes;
	uint64_t counts[BUCKET_LOG16_COUNT]; /* histogram_log16 */
};

struct tally {
	struct latency *of[TALLIES]; /* without a sync only TALLY_WRITE, and BOTH is the same */
	uint64_t operations, bytes, short_writes;
	uint64_t begin_ns, interval_ns;    /* of the rows; interval 0 = none */
	size_t row_count, row_capacity;
	struct tally_row *rows;
	bool lacks_memory;                 /* for more rows: the last one covers the rest */
};

/* Returns 0 or -ENOMEM. */
int tally_init(struct tally *tally, bool has_sync);
void tally_free(struct tally *tally);
/* Clears all counts; rows begin at begin_ns. */
void tally_reset(struct tally *tally, uint64_t begin_ns, uint64_t interval_ns);
/* Ignores failed records. */
void tally_add(struct tally *tally, const struct write_record *records, size_t count);
/* Merges everything but the rows. */
void tally_merge(struct tally *total, const struct tally *part);
/* Merges row by row. Returns 0 or -ENOMEM. */
int tally_merge_rows(struct tally *total, const struct tally *part);
const struct latency *tally_latency(const struct tally *tally, enum tally_of of); /* NULL = not measured */

/*
 * The series: the counts of the threads' tallies by intervals, joined with the kernel's counters at the intervals' edges. The
 * thread that does not write takes the samples (on another CPU than pinned writers).
 */

#define SERIES_COUNTERS_MAX 32

struct series_sample { /* at an edge */
	struct dirty_state dirty; /* zero thresholds: not known */
	uint64_t values[SERIES_COUNTERS_MAX];
};

struct series_interval {
	size_t cell;              /* index in the result */
	struct iow_interval_values row; /* without index, cell_id and counters; time_s: the cell's rounds one after another */
	bool has_counters;
	uint64_t deltas[SERIES_COUNTERS_MAX]; /* differences, modulo 2^64 */
};

struct write_series {
	const struct dirty *dirty;     /* NULL = the kernel has no such lines */
	const struct storage *storage;
	uint64_t interval_ns;          /* 0 = no series */
	size_t name_count;
	char names[SERIES_COUNTERS_MAX][VMCOUNTERS_NAME];
	struct vmcounters *snapshot;   /* buffer of readings, and of an interval's differences for the report */
	/* The present round: */
	uint64_t begin_ns;
	size_t sample_count, sample_capacity;
	struct series_sample *samples; /* [k]: at begin + k intervals */
	/* All rounds: */
	size_t count, capacity;
	struct series_interval *intervals;
	bool lacks_memory;
};

/* Returns 0 or -ENOMEM. */
int write_series_open(struct write_series *series, const struct dirty *dirty, const struct storage *storage, uint64_t interval_ns);
void write_series_close(struct write_series *series);
/* Begins a round, and samples its first edge. */
void write_series_begin(struct write_series *series, uint64_t now_ns);
/* Samples the edge that has just been passed; edges that were missed get the same values. */
void write_series_sample_edge(struct write_series *series, uint64_t now_ns);
/* Samples the round's end, the edge of an interval that is cut short. */
void write_series_end(struct write_series *series, uint64_t now_ns);
/* Turns the rows of a round that ended at end_ns into intervals of this cell, which had run for time_s before it. The last one
 * has half to one and a half of the length of the others; the tally's rows are joined for that. */
void write_series_join(struct write_series *series, size_t cell, double time_s, struct tally *tally, uint64_t end_ns);
/* Sorts by cell, then by time. */
void write_series_sort(struct write_series *series);

/* Splits the time of a round of buffered writes by causes: the model "kernel" predicts write by write. */

struct explain {
	const struct system *system; /* NULL = no calibration: nothing is explained */
	const struct run_cell *cell;
	enum model_memory memory;
	void *model;                 /* of the round that runs */
	struct model_setup setup;
	struct stdio stdio;
	bool is_stdio, is_spoiled;   /* spoiled: the model cannot */
	struct model_cost sum;       /* of all rounds */
	double measured_ns;
	const char *missing;         /* what the calibration lacks, NULL = nothing */
};

/* Returns whether a model covers the cell: buffered, not mapped, not synced, by one thread. */
bool explain_can(const struct run_cell *cell, unsigned threads, unsigned files);
void explain_init(struct explain *explain, const struct system *system, const struct run_cell *cell,
	enum model_memory memory);
void explain_add(struct explain *explain, const struct dirty_state *before, const struct write_record *records, size_t count);
void explain_end_round(struct explain *explain);
/* Returns false when there is no split. */
bool explain_split(const struct explain *explain, struct iow_cost_split_values *split);

/* The results of a run: a cell for each combination, the series, and the doubts. */

struct run_measured {
	const struct run_cell *cell;
	struct tally tally;             /* of all rounds and threads */
	double run_s;
	double series_s;                /* run_s and the time between windows: the series' clock */
	unsigned rounds;                /* that ended */
	uint64_t fill_ns;               /* making the bytes of all writes */
	double *round_rates;            /* operations a second of each round; NULL = not ranked */
	uint64_t flush_ns, close_ns;    /* means of these, of the slowest thread */
	bool has_dirty;
	uint64_t dirty_before_bytes, dirty_after_bytes; /* first round's begin, last one's end */
	uint64_t faults;                /* while writing */
	uint64_t unbacked_bytes;           /* written after the host-backed memory was used up */
	struct contention_machine busy; /* of all rounds */
	bool is_disturbed;              /* a thread waited for a CPU */
	struct contention_finding contention; /* in the round where it was worst */
	struct contention_stops stops;  /* of the first round that was stopped, or in which a clock jumped; else of the last */
	int error;                      /* errno that ended it early, 0 = none */
	char failure[320];              /* "" = none */
	struct explain explain;
	bool has_split, is_memory_hidden; /* hidden: no split because it is unknown how much of the memory was cold */
	struct iow_cost_split_values split;
	size_t objective_count;         /* that apply to this cell */
	struct objective_values objectives[SLOS_MAX];
	struct validity validity;
	struct durability_check durability; /* of all rounds */
};

struct iow_run_result {
	const struct iow_run_plan *plan;
	struct frame *frame;
	size_t cell_count;              /* measured or failed; skipped cells are in the plan */
	struct run_measured *cells;
	struct write_series series;
	bool is_interrupted;
	size_t missed;                  /* objectives */
};

/* Returns 0 or -ENOMEM. */
int iow_run_result_init(struct iow_run_result *result, const struct iow_run_plan *plan, struct frame *frame);
void iow_run_result_free(struct iow_run_result *result);

/* Fills the cells' objectives and counts missed ones. An objective of syncs does not apply to a cell without syncs; when the
 * durability of its data is in doubt it is undecided, and the frame gets the reason. */
void iow_run_result_decide(struct iow_run_result *result);
/* Returns DIAG_EXIT_HOST when a cell failed (except when another process changed the file), else 4 when interrupted or not ok,
 * else 1 when an objective is missed. */
int iow_run_result_code(const struct iow_run_result *result);

/* Returns operations or bytes a second; NAN when nothing was measured. */
double iow_run_result_rate(const struct run_measured *measured, uint64_t amount);

/* Adds the threads' measurements of a round to their cell, except for the tallies. is_stopped: they were requested to end.
 * Returns the end of the last write, CLOCK_MONOTONIC; 0 = there was none. */
uint64_t gather(const struct measure_job *jobs, const struct measurement *found, unsigned count, bool is_stopped,
	struct run_measured *measured);
/* Fills measured->validity after all rounds. system: NULL = no calibration. */
void gather_outside(const struct iow_run_plan *plan, const struct machine *machine, const struct system *system,
	struct run_measured *measured);

/*
 * Writes every write of a round as a line of a CSV file (iowrite-bench(1), FILES), which predict --trace reads. The file
 * appears whole under its name at the end, or not at all.
 */

#define OPS_CSV_HEADER "offset,size,delay_ns,start_ns,write_ns,sync_ns,dirty_bytes,writeback_bytes,mode,regime,sync"

struct ops_csv {
	FILE *file;
	struct report_output *output;
	char words[64]; /* of each row: mode, regime and sync, the same in all */
	bool has_files;
	int error; /* the first one, as -errno */
};

/* path must outlive it; mode, regime and sync: the words for how all writes are made; has_files: offsets are of several files
 * (op.h), and a column has the file's number. Returns 0 or -errno. */
int ops_csv_open(struct ops_csv *csv, const char *path, const char *mode, const char *regime, const char *sync,
	bool has_files);
/* Values that were not sampled are empty. A failed write has no line. */
void ops_csv_add(struct ops_csv *csv, const struct write_record *records, size_t count);
/* Returns 0, or -errno of the first error since the opening; the file then does not exist. */
int ops_csv_close(struct ops_csv *csv);

/* Prints the result on one screen: a row for each combination, then the findings. */

void iow_run_text(FILE *out, const struct iow_run_result *result);

/* Writes the reports (docs/report-iowrite.md) to the files that the options name. Returns DIAG_EXIT_OK, or DIAG_EXIT_HOST after
 * one line for each that could not be written. */
int iow_run_report(const struct iow_run_result *result);

#endif
