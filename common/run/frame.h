/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The common parts of a storage tool's report around its result (docs/report-iowrite.md, docs/report-ssd.md): command and
 * host, storage, clock and verdict.
 *
 *   frame_start ... measure ... frame_reason ... frame_publish, with a struct of the schema that has FRAME_MEMBERS and the
 *   tool's own result, statistics and series
 */
#ifndef COMMON_RUN_FRAME_H
#define COMMON_RUN_FRAME_H

#include <stdbool.h>

#include "common/host/contention.h"
#include "common/host/machine.h"
#include "common/report/report_common.h"
#include "common/report/start.h"
#include "common/run/environment.h"
#include "common/run/limits.h"
#include "common/run/traffic.h"
#include "common/storage/storage.h"
#include "common/storage/target.h"

/* Checks that tools add to those of the machine; each occurs at most once, so that all fit. */
enum frame_code { FRAME_NOT_STEADY, FRAME_LOST_EVENTS, FRAME_DURABILITY_NOT_COUNTED, FRAME_CLOCK_SET,
	FRAME_TRAFFIC_NOT_COUNTED, FRAME_CODES };

#define FRAME_CHECKS (MACHINE_CHECKS + FRAME_CODES)
#define FRAME_REASONS 16

struct frame { /* some 25 KiB: too large for a stack */
	struct machine machine;
	struct report_signature signature;
	struct target target;   /* a copy of its facts, without its descriptor */
	struct storage storage;
	struct durability durability; /* the devices below the target */
	bool accepts_limits;    /* --accept-limit; set after frame_start */
	struct limits limits;
	struct limits_stops stops_begun, stops; /* of CPU quotas: when the window began, in all windows */
	uint64_t window_begun_ns, windows_ns;
	struct traffic traffic;
	uint64_t metadata_bytes; /* allowed in all windows */
	double clock_overhead_ns, clock_granularity_ns; /* CLOCK_MONOTONIC's; every latency includes the overhead; 0 = unknown */
	size_t check_count;
	struct machine_check checks[FRAME_CHECKS];
	size_t reason_count;
	struct report_reason reasons[FRAME_REASONS];
};

/* An output file; all of them must be different files. path NULL = none. */
struct frame_file {
	const char *option, *path;
};
/* Returns DIAG_EXIT_OK, or DIAG_EXIT_USAGE after one line when two of them are the same file. */
int frame_check_apart(const struct frame_file *files, size_t count);

/* Reads facts, checks, clock and uuid before anything is measured. tool: "iowrite-bench", a literal. argv is kept by
 * reference, the target's facts by value. options: of the report's signature; the caller keeps them until frame_publish.
 * Returns 0 or a diag_exit code after one line. */
int frame_start(struct frame *frame, const char *tool, int argc, char **argv, const struct target *target);
/* Waits as start_wait does, with a copy of start, which becomes that of the report; adds the reason late-start. */
int frame_wait(struct frame *frame, const struct start *start, int fd, int other_fd);
/* Adds the reason late-start when the start of the signature is late, for a tool that prepares more after the wait. */
void frame_check_start(struct frame *frame);
/* Adds a reason why the verdict is not "ok"; each code is kept once. */
void frame_reason(struct frame *frame, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds a check of the environment (docs/report.md): a fact of the host or the run that a reader must know but that does not
 * make the numbers wrong. advice, finding: static text; each code is kept once. */
void frame_check(struct frame *frame, enum frame_code code, const char *value, const char *advice, const char *finding);
/* Checks the flushes that these devices completed in a cell: adds the reason not-durable when the target is memory,
 * durability-not-confirmed when there were too few, the check durability-not-counted when they are not counted. */
void frame_decide_durability(struct frame *frame, const struct durability *durability, const char *cell,
	struct durability_check *check);
/* Returns durability_doubt, after all other reasons were added: flushes are counted for all processes, and with foreign traffic
 * on the disk a completed flush may be another process's. */
const char *frame_durability_doubt(const struct frame *frame, const struct durability *durability,
	const struct durability_check *check);
/* Adds the reasons stopped and suspended and the check clock-set when the cell's process or its clocks were stopped or set. */
void frame_decide_stops(struct frame *frame, const struct contention_stops *stops, const char *cell);
/* Watches the disk below another target of the run, and reads the limits of I/O to it. */
void frame_add_disks(struct frame *frame, const struct durability *durability);
/* Enclose each window in which the tool measures. The end adds the reasons foreign-traffic and cpu-quota when other programs
 * used the disks, or a quota stopped the run. metadata_bytes: traffic_metadata for each sync in the window. */
void frame_window_begin(struct frame *frame);
void frame_window_end(struct frame *frame, const char *cell, uint64_t metadata_bytes);
/* Adds the reason io-limit when cgroups limit the I/O to the disks. */
void frame_decide_limits(struct frame *frame);
/* Adds the reason contention, unless the time is no longer than CPU quotas stopped the run. */
void frame_decide_contention(struct frame *frame, const struct contention_finding *finding, const char *cell);
/* Returns "ok", "interrupted" or "untrustworthy". */
const char *frame_status(const struct frame *frame);

/* Members of a struct of a storage tool's report; frame_clock is for its result. */
#define FRAME_MEMBERS(frame) \
	.signature = FIELD_BY(frame_signature, frame), .machine_info = FIELD_BY(frame_machine, frame), \
	.environment = FIELD_BY(frame_environment, frame), .storage = FIELD_BY(frame_storage, frame), \
	.verdict = FIELD_BY(frame_verdict, frame)
void frame_signature(struct report *report, const struct field *field, const void *from);
void frame_machine(struct report *report, const struct field *field, const void *from);
void frame_environment(struct report *report, const struct field *field, const void *from);
void frame_storage(struct report *report, const struct field *field, const void *from);
void frame_verdict(struct report *report, const struct field *field, const void *from);
void frame_clock(struct report *report, const struct field *field, const void *from);

/* Writes a report to the paths that are not NULL ("-" is stdout). root: its document element ("iowritebench"), document: the
 * struct of that element's record. Returns DIAG_EXIT_OK, or DIAG_EXIT_HOST after one line for each path that could not be
 * written. */
int frame_publish(struct frame *frame, const char *root, const void *document, const char *xml_path, const char *json_path);
/* Does the same with a finished report, and frees it. */
int frame_save(struct report *report, const char *xml_path, const char *json_path);

#endif
