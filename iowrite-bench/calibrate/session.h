/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration while it measures: samples, what probes measure with, the probes, and their schedule. */
#ifndef IOWRITE_BENCH_CALIBRATE_SESSION_H
#define IOWRITE_BENCH_CALIBRATE_SESSION_H

#include "common/base/progress.h"
#include "iowrite-bench/calibrate/plan.h"
#include "iowrite-bench/calibrate/store.h"
#include "iowrite-bench/system/estimate.h"

/*
 * Samples on their way to a calibration: of each quantity in the blocks in which they were taken. A block is what one
 * probe measures in one turn, and carries how much the machine was needed by others meanwhile.
 */

#define SAMPLES_POINT SYSTEM_PARAMETERS /* parameter of what is a point of a curve */
#define SAMPLES_DISTURBED 0.1           /* share of a block's time that others had CPU or disk: it is not used */

struct samples_key {
	enum system_parameter parameter;
	enum op_mode mode;         /* of SAMPLES_POINT */
	enum op_regime regime;
	uint64_t size;
	/* Not part of what it is: */
	const char *method;        /* string literal */
	double scale;              /* of a difference: what it is small against; 0 = itself */
	bool is_fact;              /* the same each time: one block will do */
};

struct samples_block {
	struct estimate_block samples;
	size_t capacity;
	uint64_t begin_ns;
	double disturbance; /* INFINITY: the process was stopped meanwhile, and it is not used where others are known */
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
/* Not between two stamps. */
void samples_add(struct samples *samples, const struct samples_key *key, double value);
void samples_end(struct samples *samples, double disturbance);

/* Of everything that this probe measures there are enough blocks, at times far enough from each other, and it is known
 * well enough. What it has not found does not count; one that has found nothing is done when it is tired. */
bool samples_is_done(const struct samples *samples, unsigned probe, bool is_tired);

/* 0 or -ENOMEM */
int samples_value(const struct samples_quantity *quantity, struct system_value *value);

/*
 * What a probe works with: writes and reads that are timed, counted and kept below the cap, and where its samples go.
 * Functions return 0 or -errno; the line on stderr has been written then, but for the two that end a block and are no
 * failure: -EDQUOT (the cap on bytes) and -EINTR (a signal).
 */

#define SESSION_RUNS 64

/* Throttled writes, kept until the model can be asked what it would have said of them. */
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
	double clock_ns;        /* of two stamps with nothing between: taken off */
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

/* The session stays where it is until session_close. */
int session_open(struct store *store, const struct calibrate_plan *plan, struct calibrate_session *session);
void session_close(struct calibrate_session *session);

static inline uint64_t session_now(const struct calibrate_session *session)
{
	return writer_now_ns(&session->writer);
}

/* Makes the bytes of the next write now, where it is known how long that takes; else the write makes them, unmeasured. */
void session_ready(struct calibrate_session *session, uint64_t bytes);
/* One write, whole, and what it cost. */
int session_write(struct calibrate_session *session, enum op_mode mode, uint64_t offset, uint64_t size, double *ns);
/* count writes one behind another between two stamps: the mean. */
int session_write_batch(struct calibrate_session *session, enum op_mode mode, uint64_t offset, uint64_t size, unsigned count,
	double *ns);
/* Any other operation, count times between two stamps: the cost of all of them. "cannot WHAT" */
int session_measure(struct calibrate_session *session, enum store_path path, uint64_t offset, uint64_t size, unsigned count,
	const char *what, double *ns);
int session_sync(struct calibrate_session *session, double *ns);
/* Data in [begin, end), untimed, as measure_job.h has it for later writes of that many bytes. */
int session_fill(struct calibrate_session *session, enum op_mode mode, uint64_t begin, uint64_t end, uint64_t write_bytes);
/* Reports what a function of store.h returned when it is a failure ("cannot WHAT"). Returns it. */
int session_report(int rc, const char *what);
/* The file ends where its first part does, and the kernel has little to write back. */
int session_fresh(struct calibrate_session *session);
/* The same, and nothing of the first part is cached, as O_DIRECT needs it. */
int session_uncached(struct calibrate_session *session);
/* Warm free space for that many bytes behind the first part (iowrite-bench/write/memory.h); where there is none nothing happens. */
int session_space(struct calibrate_session *session, uint64_t bytes);
/* At the end of a block that has appended: what is behind the first part is gone, and memory warm again. Returns rc, or
 * what became of that. */
int session_leave(struct calibrate_session *session, int rc);
/* Memory for that many bytes of page cache, when the plan has host-backed memory; and of it what the next write needs. */
int session_hold(struct calibrate_session *session, uint64_t bytes);
void session_refill(struct calibrate_session *session, uint64_t size);

bool session_is_late(const struct calibrate_session *session);
void session_point(struct calibrate_session *session, enum op_mode mode, enum op_regime regime, uint64_t size, double ns);
void session_parameter(struct calibrate_session *session, enum system_parameter parameter, double value, const char *method);
/* Adds a value that is the same each time. */
void session_fact(struct calibrate_session *session, enum system_parameter parameter, double value, const char *method);
/* Bytes per second. */
static inline double session_rate(uint64_t bytes, double ns)
{
	return (double)bytes / ns * 1e9;
}
/* Sorts the values and returns their median; NAN of none. */
double session_median(double *values, size_t count);

/*
 * What is measured: one table. A probe measures one block at a time, of everything it is for; the schedule mixes the
 * blocks of all of them.
 */

#define PROBE_GIVES 4

struct calibrate_probe {
	const char *name;
	unsigned weight;  /* of its share in the time */
	unsigned turns;   /* that are enough when nothing says how well it is known; 0 = 3 */
	int (*run)(struct calibrate_session *session); /* one block; as session.h says */
	/* Why it cannot be measured here; NULL = it can. NULL function = always. */
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

/* In probes_*.c, each as struct calibrate_probe says. */
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
 * Turns of all probes, in one direction and then in the other, until each knows enough or the time or the bytes are
 * used up: a machine that drifts drifts under all of them. With --stage the probes that need small thresholds have the
 * last third of the time and of the bytes to themselves, so that others are held back no longer than that. What leaves
 * the device as no other probe may find it comes last, once.
 *
 * A plan with spread_ns has PLAN_SPREAD_ROUNDS rounds for all probes, which begin at even distances, with rests between
 * them that are of no runtime. The staged phase has none: others are held back in it.
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
	/* Of the present or last phase: */
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

/* What was measured lies in the session. 0 or -ENOMEM. */
int schedule_run(struct calibrate_session *session, struct progress *progress, struct schedule *schedule);
void schedule_free(struct schedule *schedule);

#endif
