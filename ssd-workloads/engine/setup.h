/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setup and results of a run. */
#ifndef SSD_WORKLOADS_ENGINE_SETUP_H
#define SSD_WORKLOADS_ENGINE_SETUP_H

#include "common/host/contention.h"
#include "common/kernel/counters.h"
#include "common/stats/latency.h"
#include "common/stats/pattern.h"
#include "common/storage/storage.h"
#include "common/storage/target_mark.h"
#include "ssd-workloads/backend/choose.h"
#include "ssd-workloads/engine/worker.h"
#include "ssd-workloads/record/script.h"
#include "ssd-workloads/sim/device.h"
#include "ssd-workloads/workload/header.h"
#include "ssd-workloads/workload/place.h"

#define ENGINE_ROWS_MAX 100000u /* maximum of intervals of a series */

#define ENGINE_STEADY_PASSES 2 /* of each stream's area before a simulated device can be steady */

struct engine_position { /* sequence of each worker's next write: kept across trials and repetitions */
	uint64_t next[MIX_STREAMS][MIX_WORKERS_MAX];
	uint64_t acknowledged[MIX_STREAMS][MIX_WORKERS_MAX]; /* all of the worker's writes below this are acknowledged */
};

struct engine_setup {
	const struct place *places;         /* in the order of layout_divide; place_count of them */
	size_t place_count;                 /* on simulated devices their number; there are no places */
	const struct layout *layout;        /* of the whole mix, also if one stream runs alone */
	const struct workload *workload;    /* the workload to run */
	const struct backend_ops *backend;
	enum backend_durability durability; /* of the log; a checkpoint's writes are not made durable individually */
	bool is_random;                     /* the checkpoint's blocks are written in layout_order */
	const struct pattern_spec *pattern; /* draws blocks independently; only on a simulated device; NULL = none */
	bool is_buffered;                   /* the checkpoint is written through the page cache */
	uint64_t hint_bytes;                /* of the buffered checkpoint: backend/backend.h */
	bool has_pass_syncs;                /* each pass of the checkpoint is made durable at its end */
	unsigned group_commit;              /* commits per log write, from 1 */
	uint64_t rate;                      /* commits per second of the log, 0 = closed loop */
	bool is_sqpoll, is_iopoll;
	uint64_t warmup_ns, runtime_ns, interval_ns; /* interval 0 = no series */
	uint64_t run, seed;                 /* run: of the header, random; seed: of random choices */
	struct engine_position *position;   /* where each worker continues; updated by the run */
	uint64_t record_capacity[MIX_STREAMS]; /* records of each worker's ring, 0 = none */
	struct freeze freeze;
	uint64_t post;
	const struct script *script;        /* commands on the records of a simulated device; NULL = none */
	struct ack_log *ack_log;            /* NULL = none */
	/* by stream and target: they examine syncs; NULL = syncs are not examined */
	struct durability_counter *flushes[MIX_STREAMS][STRIPE_TARGETS];
	const struct storage *storage;      /* source of the device's counters; NULL = none */
	const struct storage *second_storage; /* of the log's second target; NULL = none */
	const struct target_mark *marks;    /* by place: the run ends if another process changes a target */
	const volatile int *stop;
	const struct sim_params *device;    /* simulated devices, without places, storage, marks and data; NULL = real */
	bool has_device_records;
	const struct sim_policies *policies; /* NULL = none */
	bool is_array_checked;              /* the contents of the flash are checked: sim_setup.is_checked */
	struct simulated_link *link;        /* set by engine_run */
};

struct engine_worker { /* results of a worker; records are sorted by sequence */
	uint8_t stream, worker;
	uint64_t first_sequence, first_due_ns, period_num, period_den; /* dump/dump.h */
	uint64_t late_ns;                   /* at the end: lag of an open loop; delay of a checkpoint that has not begun */
	uint64_t examined[STRIPE_TARGETS], unflushed[STRIPE_TARGETS]; /* syncs with flushes (common/hot/flush_probe.h), also of the
								       * warm-up; by the stream's targets */
	struct ring ring;
};

struct engine_stream {
	bool is_run;
	struct counts *counts;                /* of all its workers; owned */
	double seconds;                     /* of the measurement: to its end, to a later last completion, or to an early end */
	double cpu_ns;                      /* of its threads, user and system */
	struct latency_steady steady;
};

struct engine_device { /* results of a simulated device */
	struct sim_device *device;          /* owned; NULL = freed already */
	bool is_used;                       /* a stream writes to it */
	struct sim_totals totals;           /* of the measurement */
	uint64_t bus_busy_ns, way_busy_ns;  /* of the measurement: all channels; all ways */
	const struct sim_policies *policies; /* from engine_setup; NULL = none */
	double passes[MIX_STREAMS];         /* over each stream's area before the measurement; INFINITY = not run here */
	bool has_few_passes[MIX_STREAMS];   /* too few for a steady write amplification */
	double written;                     /* pages written before the measurement, in exported capacities */
	uint64_t fill_pages;                /* pages written before the measurement */
	double fill_amplification;          /* write amplification in the last tenth of the fill, NAN = no pages */
	struct latency_steady fill_steady;  /* of the amplification by tenths; see also has_few_passes and written */
	uint32_t buses, ways;
	const char *broken;                 /* violated law of the model, NULL = none */
};

struct engine_result {
	struct engine_device *device;       /* by target, in the order of layout_divide; NULL = real devices; owned */
	size_t device_count;
	struct engine_stream streams[MIX_STREAMS];
	size_t worker_count;
	struct engine_worker *workers;      /* owned */
	struct ring_control control;
	size_t sample_count;
	struct counters *samples;           /* of the log's device: at the beginning, each interval's end and the end; owned */
	struct counters second_samples[2];  /* of its second device: at the beginning and the end; with second_storage */
	uint64_t begin_ns, end_ns, interval_ns;
	double process_cpu_ns;              /* all threads, including the kernel's for io_uring */
	double other_cpu_ns;                /* of threads in no stream's cpu_ns: kernel threads that have ended or cannot be
					     * distinguished, and the reader of a trace */
	int error;                          /* 0 or -errno: a worker ended early */
	bool is_interrupted;
	/* by place: how another process changed it, which ended the run early; "" = unchanged */
	char changed[LAYOUT_TARGETS][TARGET_CHANGE];
	bool is_disturbed;                  /* a worker had to wait for a CPU */
	struct contention_finding contention;
	struct contention_stops stops;      /* from the first write, including warm-up, to the last */
	char features[160];                 /* of the backend */
};

static inline bool engine_is_stopped(const struct engine_setup *setup)
{
	return setup->stop && __atomic_load_n(setup->stop, __ATOMIC_RELAXED);
}

#endif
