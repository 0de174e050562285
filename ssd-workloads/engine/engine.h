/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One workload, run once on a place: a thread for each worker, a thread that samples counters each interval, and what
 * came out of it. Nothing is allocated, printed or locked between the first write and the last.
 */
#ifndef SSD_WORKLOADS_ENGINE_ENGINE_H
#define SSD_WORKLOADS_ENGINE_ENGINE_H

#include "common/contention.h"
#include "common/counters.h"
#include "common/latency.h"
#include "common/pattern.h"
#include "common/storage.h"
#include "ssd-workloads/backend/choose.h"
#include "ssd-workloads/data/header.h"
#include "ssd-workloads/engine/worker.h"
#include "ssd-workloads/place.h"
#include "ssd-workloads/record/script.h"
#include "ssd-workloads/sim/device.h"

#define ENGINE_ROWS_MAX 100000u /* intervals of a series */

struct engine_position { /* sequence of each worker's next write: kept over trials and repetitions */
	uint64_t next[MIX_STREAMS][MIX_WORKERS_MAX];
	uint64_t acknowledged[MIX_STREAMS][MIX_WORKERS_MAX]; /* all of the worker's writes below are */
};

struct engine_setup {
	const struct place *places[MIX_STREAMS]; /* of each stream; one twice when both are in one target */
	const struct layout *layout;        /* of the whole mix, also when one stream runs alone */
	const struct workload *workload;    /* what runs */
	const struct backend_ops *backend;
	enum backend_durability durability; /* of the log; a checkpoint's writes are not made durable one by one */
	bool is_random;                     /* the checkpoint's blocks are written in layout_order */
	const struct pattern_spec *pattern; /* or drawn, each for itself, which only a simulated device may; NULL = not */
	bool is_buffered;                   /* the checkpoint is written through the page cache */
	uint64_t hint_bytes;                /* of it: backend/backend.h */
	bool has_pass_syncs;                /* but each pass of it is, at its end */
	unsigned group_commit;              /* commits that a log write carries, from 1 */
	uint64_t rate;                      /* commits per second of the log, 0 = closed loop */
	bool is_sqpoll, is_iopoll;
	uint64_t warmup_ns, runtime_ns, interval_ns; /* interval 0 = no series */
	uint64_t run, seed;                 /* of the header */
	struct engine_position *position;   /* where each worker continues; moved by the run */
	uint64_t record_capacity[MIX_STREAMS]; /* records of each worker's ring, 0 = none */
	struct freeze freeze;
	uint64_t post;
	const struct script *script;        /* of a simulated device: what is done to its records; NULL = nothing */
	struct ack_log *ack_log;            /* NULL = none */
	const struct storage *storage;      /* counters of the device; NULL = none */
	const struct target_mark *marks[MIX_STREAMS]; /* of the places: a target that another process changes ends the run */
	const volatile int *stop;
	const struct sim_params *device;    /* a simulated one, in virtual time: no place, storage, mark, data; NULL = a real one */
	bool has_device_records;
	const struct sim_policies *policies; /* NULL = none */
	bool is_array_checked;              /* what the flash holds is compared: sim_setup.is_checked */
	struct simulated_link *link;        /* engine_run's own */
};

struct engine_worker { /* what stays of a worker; records are by sequence */
	uint8_t stream, worker;
	uint64_t first_sequence, first_due_ns, period_num, period_den; /* record/dump.h */
	uint64_t late_ns;                   /* open loop: how far it was behind when it ended */
	struct ring ring;
};

struct engine_stream {
	bool is_run;
	struct counts *counts;                /* of all its workers; owned */
	double seconds;                     /* of the measurement: to its end, or to the last completion if that is later, or
	                                     * if it ended early */
	double cpu_ns;                      /* of its threads, user and system */
	struct latency_steady steady;
};

struct engine_device { /* what is left of a simulated device */
	struct sim_device *device;          /* owned; NULL = given back */
	struct sim_totals totals;           /* of the measurement */
	uint64_t bus_busy_ns, way_busy_ns;  /* of the measurement: all channels; all ways */
	const struct sim_policies *policies; /* engine_setup's; NULL = none */
	uint64_t fill_pages;                /* written before it */
	double fill_amplification;          /* in the last tenth of that, NAN = without pages */
	struct latency_steady fill_steady;  /* of the amplification by tenths */
	uint32_t buses, ways;
	const char *broken;                 /* a law of the model, NULL = none */
};

struct engine_result {
	struct engine_device *device;       /* NULL = a real one; owned */
	struct engine_stream streams[MIX_STREAMS];
	size_t worker_count;
	struct engine_worker *workers;      /* owned */
	struct ring_control control;
	size_t sample_count;
	struct counters *samples;           /* of the log's device: at the beginning, each interval's end and the end; owned */
	uint64_t begin_ns, end_ns, interval_ns;
	double process_cpu_ns;              /* all threads, the kernel's for io_uring among them */
	double other_cpu_ns;                /* of threads that no stream's cpu_ns has: the kernel's that had ended or cannot be
	                                     * distinguished, and the reader of a trace */
	int error;                          /* 0 or -errno: a worker ended early */
	bool is_interrupted;
	/* Of each stream's target, the first's when both are in one: how another process changed it, and the run ended early;
	 * "" = not. */
	char changed[MIX_STREAMS][TARGET_CHANGE];
	bool is_disturbed;                  /* a worker waited for a CPU */
	struct contention_finding contention;
	struct contention_stops stops;      /* from the first write, the warm-up's, to the last */
	char features[160];                 /* of the backend */
};

/* How a worker of this stream is going to use its backend; setup: all but its backend is known. */
void engine_backend_setup(const struct engine_setup *setup, enum mix_stream which, unsigned worker, char *buffers,
	struct backend_setup *backend);
/* Whether there is what a run takes beside its target: memory of the workers and of rings of record_capacity, backends and the
 * threads' stacks. Nothing is written. 0 or a diag_exit code after one line. */
int engine_rehearse(const struct engine_setup *setup);
/* 0 when there is a result, whole or partial (error, is_interrupted); else a diag_exit code after one line. */
int engine_run(const struct engine_setup *setup, struct engine_result *result);
void engine_result_free(struct engine_result *result);

struct engine_rate { /* of a stream's fastest worker, writes a second; 0 = it does not run */
	double peak;                        /* the most in an interval of the trial */
	double ceiling;                     /* all its depth, each write as quick as the quickest was; 0 = not known */
};

struct engine_failure { /* of what is written before the measurement */
	int error;                          /* 0 or -errno: it ended early, and nothing must go on behind the write that failed */
	struct counts_error errors[COUNTS_ERRORS]; /* of all its writes */
};

/* By a short trial of such a length, without records: what rings are sized by. 0 or a diag_exit code after one line. */
int engine_trial(const struct engine_setup *setup, uint64_t ns, struct engine_rate rates[MIX_STREAMS],
	struct engine_failure *failure);

#endif
