/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench trace. */
#ifndef IOWRITE_BENCH_TRACE_TRACE_H
#define IOWRITE_BENCH_TRACE_TRACE_H

#include "iowrite-bench/evaluate/evaluate.h"
#include "iowrite-bench/trace/event.h"

#define TRACE_PREFIX "memstor-iowrite-" /* of the trace instance's name; then the process and a random number */
#define TRACE_BUFFER_KIB 512            /* of each CPU */

enum trace_thresholds {
	TRACE_SMALL, /* the scenario's; those of a table of writes stay as they are */
	TRACE_KEEP,
	TRACE_OWN    /* background_bytes, dirty_bytes */
};

struct trace_options {
	struct scenario_options shared;  /* system_path NULL = no model is compared */
	const struct scenario *scenario; /* or */
	const char *writes_path;         /* ops.csv */
	enum trace_thresholds thresholds;
	uint64_t background_bytes, dirty_bytes;
};

extern const struct opt trace_option_rows[];
extern const struct opt_relation trace_option_relations[];
/* command.check; the line is shared.line. */
int trace_options_check(void *whole, struct opt_line *line);

/* The writes to make and trace. All that can be refused is refused here; nothing is changed. */

struct trace_plan {
	const char *name, *meaning; /* "c1", "buffered, ..."; the file's name and "" of a table */
	const struct method *method;
	struct scenario asked;      /* how they are made: mode, regime, is_stdio and the other inputs of a model */
	enum model_memory memory;
	bool needs_direct;
	size_t count;
	struct op *ops;
	uint64_t bytes, file_bytes; /* of all writes; of the file at the end */
	bool needs_setup;
	struct test_setup_request setup;
	bool has_system;
	const char *system_path;
	struct system system;
};

/* 0 or a diag_exit code after one line. */
int trace_plan_make(const struct trace_options *options, struct trace_plan *plan);
void trace_plan_free(struct trace_plan *plan);
/* before, control: when the first write began; thresholds of 0 = those of the calibration.
 * Predicts writes of the plan's kind by the kernel model. Returns 0 or a diag_exit code after one line: DIAG_EXIT_USAGE when the
 * calibration lacks a parameter, which is found without writes, too. */
int trace_plan_predict(const struct trace_plan *plan, const struct dirty_state *before, const struct model_control *control,
	const struct op *ops, size_t count, struct prediction *prediction);
void trace_plan_print(FILE *out, const struct trace_options *options, const struct trace_plan *plan);

/*
 * The trace of the measured writes: events in the order of time, from the first write's
 * start to the last one's end, in bytes, and their summary.
 */

struct timeline_state { /* of all files of the machine; bytes */
	uint64_t time_ns;   /* since the first write began, as all of them */
	uint64_t dirty, writeback, background, threshold, limit;
};

struct timeline_pause {
	uint64_t time_ns;
	int64_t pause_ns;       /* time that the writer was put to sleep; 0 or below: it did not sleep and has a time credit */
	uint64_t dirtied_bytes; /* since the last pause */
	uint64_t task_rate;     /* bytes per second that it is allowed */
};

struct timeline_ratelimit { /* bytes per second */
	uint64_t time_ns;
	uint64_t dirty, balanced, write;
};

struct timeline {
	size_t state_count, pause_count, ratelimit_count;
	struct timeline_state *states;
	struct timeline_pause *pauses;
	struct timeline_ratelimit *ratelimits;
	size_t foreign_pauses; /* events of other writers to the same device */
};

struct timeline_window {
	int pid;              /* of the writer */
	uint64_t begin_ns, end_ns, page_bytes;
	uint64_t cgroup;      /* as events name it; 0 = any */
};

/* Events of one device, by time. 0 or -ENOMEM. */
int timeline_read(const struct event *events, size_t count, const struct timeline_window *window, struct timeline *timeline);
void timeline_free(struct timeline *timeline);

struct timeline_summary {
	/* Time in which dirty and written-back bytes together are up to the background threshold, up to half the way to the
	 * threshold, and above. A state lasts until the next event. */
	double free_ns, background_ns, throttled_ns;
	size_t pause_count; /* pauses above 0 */
	double pause_p50_ns, pause_p99_ns, pause_total_ns; /* NAN without one, and 0 */
	uint64_t first_ratelimit, last_ratelimit; /* 0 = no event */
};

/* before: the state at the beginning; length: until the last write's end. 0 or -ENOMEM. */
int timeline_summarize(const struct timeline *timeline, const struct dirty_state *before, uint64_t length_ns,
	struct timeline_summary *summary);

/* Returns the portions in which the writer dirtied pages between two checks (throttle_state.h), bytes; 0 without a pause. */
double timeline_step(const struct timeline *timeline);

/* Returns the bytes below which write(2) is never delayed. */
static inline uint64_t timeline_freerun(uint64_t background, uint64_t threshold)
{
	return background / 2 + threshold / 2 + (background & threshold & 1);
}

/*
 * A model's state compared with the kernel's at the same time. The model gives the dirty and written-back bytes after each
 * write; they are placed at the write's actual end and interpolated linearly between writes.
 */

struct model_point { /* rising times */
	uint64_t time_ns;  /* since the first write began */
	double bytes;      /* dirty and being written back */
};

/* count > 0; constant before the first point and after the last one. */
double model_bytes_at(const struct model_point *points, size_t count, uint64_t time_ns);

struct model_gap {
	uint64_t time_ns;
	double model_bytes, kernel_bytes;
};
/* Finds the largest difference of the two. Returns 0, or -ENODATA without points or events. */
int model_largest_gap(const struct model_point *points, size_t count, const struct timeline *timeline,
	struct model_gap *gap);

/* The planned writes, measured under a trace, and the model's answer to the same writes. */

struct trace_result { /* large: not for a stack */
	const struct trace_plan *plan;
	struct frame frame;
	struct measurement measurement;
	struct timeline timeline;
	struct timeline_summary summary;
	uint64_t limit_bytes;       /* the kernel's limit at the start: it falls to a lowered threshold step by step */
	char writer[128];           /* text of iowrite-bench/pin.h */
	uint64_t lost_events;       /* that there was no room for */
	bool has_failed;            /* a write failed: DIAG_EXIT_HOST, but there is a report */
	bool has_prediction;
	struct prediction prediction; /* of the executed writes with their actual delays */
	bool has_gap;
	struct model_gap gap;
};

void trace_result_free(struct trace_result *result);

/* What a trace found, as lines for people. */

void trace_text(FILE *out, const struct trace_result *result);

/* What a trace found, as <kernel_trace> (docs/report-iowrite.md). */

/* Of more rows every n-th is written; of pauses only those that were none are left out. */
#define TRACE_REPORT_STATES 10000
#define TRACE_REPORT_NO_PAUSES 10000
#define TRACE_REPORT_WRITES 2000

/* For FIELD_BY (common/field.h): an iow_kernel_trace. from: struct trace_result */
void trace_report(struct report *report, const struct field *field, const void *from);

#endif
