/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running calibration: samples, functions that probes measure with, the probes, and their schedule. */
#ifndef IOWRITE_BENCH_CALIBRATE_SESSION_H
#define IOWRITE_BENCH_CALIBRATE_SESSION_H

#include "common/base/progress.h"
#include "iowrite-bench/calibrate/plan.h"
#include "iowrite-bench/calibrate/store.h"
#include "iowrite-bench/system/estimate.h"

/*
 * The samples of each quantity, by blocks. A block is what one probe measures in one turn; it has the share of the machine that
 * other processes used meanwhile.
 */

#define SAMPLES_POINT SYSTEM_PARAMETERS /* parameter of a point of a curve */
#define SAMPLES_DISTURBED 0.1           /* share of a block's time; a block in which others had more of CPU or disk is not used */

struct samples_key {
	enum system_parameter parameter;
	enum op_mode mode;         /* of SAMPLES_POINT */
	enum op_regime regime;
	uint64_t size;
	/* The rest does not identify the quantity: */
	const char *method;        /* string literal */
	double scale;              /* of a difference: the value it is small against; 0 = itself */
	bool is_fact;              /* the same each time: one block will do */
};

struct samples_block {
	struct estimate_block samples;
	size_t capacity;
	uint64_t begin_ns;
	double disturbance; /* INFINITY: the process was stopped; used only if there is no other block */
};

struct samples_quantity {
	struct samples_key key;
	unsigned probe;
	unsigned turn; /* of the last block */
	size_t count;
	struct samples_block blocks[ESTIMATE_BLOCKS];
};

struct samples { /* all 0 = none yet */
	struct samples_quantity **all; /* in the order in which they were first seen */
	size_t count;
	unsigned probe, turn;
	uint64_t begin_ns;
	int error;     /* 0 or -ENOMEM, which sticks */
};

void samples_free(struct samples *samples);
void samples_begin(struct samples *samples, unsigned probe, uint64_t now_ns);
/* Allocates memory: not to be called between two stamps. */
void samples_add(struct samples *samples, const struct samples_key *key, double value);
void samples_end(struct samples *samples, double disturbance);

/* Returns whether all quantities of this probe have enough blocks, far enough apart in time, and are known well enough. A
 * quantity without samples does not count; a probe without any is done when it is tired. */
bool samples_is_done(const struct samples *samples, unsigned probe, bool is_tired);

/* Returns 0 or -ENOMEM. */
int samples_value(const struct samples_quantity *quantity, struct system_value *value);

/*
 * Functions for probes: writes and reads that are timed, counted and kept below the cap, and the recording of samples. They
 * return 0 or -errno and report errors, except for the two that end a block and are no failure: -EDQUOT (the cap on bytes) and
 * -EINTR (a signal).
 */

#define SESSION_RUNS 64

/* Throttled writes, kept until the model can predict them. */
struct session_run {
	uint64_t begin_ns;
	size_t count;
	struct op *ops;
	double *ns;
	struct dirty_state before;
	struct model_control control;
	size_t class;          /* of SYSTEM_BANDS */
	double think;          /* as system_band has it */
};

struct calibrate_session {
	struct store *store;
	const struct calibrate_plan *plan;
	struct samples samples;
	const struct calibrate_probe *probe; /* whose turn it is */
	struct writer writer;   /* of one operation at a time: */
	struct op op;
	struct write_record record;   /* of the last one */
	double clock_ns;        /* ns between two stamps with nothing between; subtracted from each cost */
	uint64_t bytes_left;    /* of the cap */
	uint64_t ready_bytes;   /* made for the next write; 0 = it makes them itself */
	uint64_t block_end_ns;  /* when the present block should end */
	uint64_t buffer_bytes;  /* of the libc, 0 = not known yet */
	bool has_control;       /* store_control knows something */
	bool has_warm_pool;     /* what memory was warm before the first write is known */
	double burst_rate;      /* of a rested device that becomes slower, bytes/s; 0 = it does not, or not sampled */
	uint64_t staged_ns;     /* when small thresholds were set */
	size_t throttled_next;  /* class of SYSTEM_BANDS that is measured next */
	double held_ns[SYSTEM_BANDS]; /* the mean cost of a throttled write of each class, as measured last; 0 = unknown */
	size_t run_count;
	struct session_run runs[SESSION_RUNS];
};

/* The session must not move until session_close. */
int session_open(struct store *store, const struct calibrate_plan *plan, struct calibrate_session *session);
void session_close(struct calibrate_session *session);

static inline uint64_t session_now(const struct calibrate_session *session)
{
	return writer_now_ns(&session->writer);
}

/* Generates the data of the next write now, for a caller that counts that time; else the write does so, unmeasured. */
void session_ready(struct calibrate_session *session, uint64_t bytes);
/* Makes one write, whole; *ns: its cost. */
int session_write(struct calibrate_session *session, enum op_mode mode, uint64_t offset, uint64_t size, double *ns);
/* Makes count sequential writes between two stamps; *ns: their mean cost. */
int session_write_batch(struct calibrate_session *session, enum op_mode mode, uint64_t offset, uint64_t size, unsigned count,
	double *ns);
/* Makes any other operation count times between two stamps; *ns: the cost of all. what: for the message "cannot WHAT". */
int session_measure(struct calibrate_session *session, enum store_path path, uint64_t offset, uint64_t size, unsigned count,
	const char *what, double *ns);
int session_sync(struct calibrate_session *session, double *ns);
/* Writes data to [begin, end), untimed, in the pieces that measure_job.h describes for later writes of write_bytes. */
int session_fill(struct calibrate_session *session, enum op_mode mode, uint64_t begin, uint64_t end, uint64_t write_bytes);
/* Reports rc if it is an error of store.h ("cannot WHAT"). Returns rc. */
int session_report(int rc, const char *what);
/* Truncates the file behind its first part, and waits until the kernel has little to write back. */
int session_fresh(struct calibrate_session *session);
/* Does the same, and drops the first part from the page cache, as O_DIRECT needs it. */
int session_uncached(struct calibrate_session *session);
/* Prepares free space for that many bytes behind the first part, if possible (iowrite-bench/write/memory.h). */
int session_space(struct calibrate_session *session, uint64_t bytes);
/* Ends a block that has appended: truncates the file behind its first part and reclaims the memory while it is warm. Returns
 * rc, or the error of truncating. */
int session_leave(struct calibrate_session *session, int rc);
/* session_hold takes memory for bytes of page cache, session_refill frees the next write's part; only if plan->is_pooled. */
int session_hold(struct calibrate_session *session, uint64_t bytes);
void session_refill(struct calibrate_session *session, uint64_t size);

bool session_is_late(const struct calibrate_session *session);
void session_point(struct calibrate_session *session, enum op_mode mode, enum op_regime regime, uint64_t size, double ns);
void session_parameter(struct calibrate_session *session, enum system_parameter parameter, double value, const char *method);
/* Adds a value that is the same each time. */
void session_fact(struct calibrate_session *session, enum system_parameter parameter, double value, const char *method);
/* Returns bytes per second. */
static inline double session_rate(uint64_t bytes, double ns)
{
	return (double)bytes / ns * 1e9;
}
/* Sorts the values and returns their median; NAN of none. */
double session_median(double *values, size_t count);

/*
 * The table of probes. A probe measures one block of all its quantities at a time; the schedule mixes the blocks of all probes.
 */

#define PROBE_GIVES 4

struct calibrate_probe {
	const char *name;
	unsigned weight;  /* of its share in the time */
	unsigned turns;   /* that are enough if it has no estimate; 0 = 3 */
	int (*run)(struct calibrate_session *session); /* one block; as session.h says */
	/* Returns why it cannot be measured here, NULL if it can. NULL function = always possible. */
	const char *(*lacks)(const struct calibrate_session *session);
	bool is_last;     /* once, when all others are done, and however long it takes */
	bool is_staged;   /* in the phase of small thresholds, when there is one */
	size_t give_count;
	enum system_parameter gives[PROBE_GIVES];
	bool is_curve;    /* gives that of mode and regime, too */
	enum op_mode mode;
	enum op_regime regime;
};

extern const struct calibrate_probe probes[];
extern const size_t probe_count;

/* They are defined in probes_*.c; struct calibrate_probe has the contract. */
int probe_copy(struct calibrate_session *session);
int probe_library(struct calibrate_session *session);
int probe_call(struct calibrate_session *session);
int probe_append(struct calibrate_session *session);
int probe_rewrite(struct calibrate_session *session);
int probe_cold(struct calibrate_session *session);
int probe_device(struct calibrate_session *session);
int probe_read(struct calibrate_session *session);
int probe_seek(struct calibrate_session *session);
int probe_synchronous(struct calibrate_session *session);
int probe_edge(struct calibrate_session *session);
int probe_burst(struct calibrate_session *session);
const char *probe_burst_lacks(const struct calibrate_session *session);
int probe_writeback(struct calibrate_session *session);
int probe_throttled(struct calibrate_session *session);
const char *probe_throttled_lacks(const struct calibrate_session *session);

/*
 * Runs the probes in turns, forward and backward, so that a drift affects all of them, until each value is known well enough or
 * the time or the bytes are used up. With --stage the probes that need small thresholds have the last third of the time and
 * half of the bytes: other processes are throttled no longer than that. A probe with is_last runs once at the end, because it
 * leaves the device slow.
 *
 * A plan with spread_ns has PLAN_SPREAD_ROUNDS rounds for all probes, which begin at even distances; rests between them are no
 * runtime. The staged phase has none, because it throttles other processes.
 */

enum schedule_state {
	SCHEDULE_LACKING,  /* cannot be measured here: why */
	SCHEDULE_OPEN,
	SCHEDULE_KNOWN,    /* known well enough, or as well as its share of the bytes allows */
	SCHEDULE_CAPPED,   /* the cap on bytes has ended it */
};

struct schedule_row {
	enum schedule_state state;
	const char *why;   /* SCHEDULE_LACKING */
	unsigned turns;    /* whole or in part */
	unsigned stopped;  /* further ones, in which the process was stopped */
	uint64_t bytes;    /* written in them */
	uint64_t longest_ns; /* of them */
};

struct schedule {
	struct schedule_row *rows; /* of probes[] */
	/* State of the present or last phase: */
	uint64_t phase_begin_ns, phase_runtime_ns; /* without rests */
	uint64_t rested_ns;
	bool has_rests;
	struct contention_stops stops; /* the sums of all blocks */
	uint64_t measured_ns, others_ns, foreign_ns; /* of all blocks: others competed for the CPUs, or had the disk */
	bool is_split;     /* in two phases */
	bool is_staged;    /* the second */
	bool is_interrupted;
	bool is_failed;    /* a write or another call: the line was written */
};

/* Runs all probes; the samples are in the session. Returns 0 or -ENOMEM. */
int schedule_run(struct calibrate_session *session, struct progress *progress, struct schedule *schedule);
void schedule_free(struct schedule *schedule);

#endif
