/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/run/frame.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/host/timebase.h"
#include "common/hot/keep.h"
#include "common/report/report_json.h"

#define CLOCK_READINGS 20001
#define UNEVEN 61 /* most empty steps between two readings */

static void measure_clock(struct frame *frame)
{
	uint64_t *differences = calloc(CLOCK_READINGS, sizeof(*differences));
	uint64_t first = report_monotonic_ns(), last = first;

	/* Overhead: the mean distance of readings with nothing between them. */
	for (int i = 1; i < CLOCK_READINGS; i++)
		last = report_monotonic_ns();
	frame->clock_overhead_ns = (double)(last - first) / (CLOCK_READINGS - 1);
	last = report_monotonic_ns();
	for (int i = 0; differences && i < CLOCK_READINGS; i++) {
		uint64_t now;

		/* Take readings at uneven distances, because evenly spaced ones can hide a step of a few ns. */
		for (int j = 0; j < i % UNEVEN; j++)
			keep_value((uint64_t)j);
		now = report_monotonic_ns();
		differences[i] = now - last;
		last = now;
	}
	frame->clock_granularity_ns = differences ? clock_step(differences, CLOCK_READINGS) : 0;
	free(differences);
}

int frame_start(struct frame *frame, const char *tool, int argc, char **argv, const struct target *target)
{
	/* memset, because a compiler may build a literal of this size on the stack. */
	memset(frame, 0, sizeof(*frame));
	frame->target = *target;
	frame->target.fd = -1;
	if (machine_read("", &frame->machine))
		return diag_host(0, MACHINE_UNREADABLE);
	frame->check_count = machine_checks("", &frame->machine, frame->checks, MACHINE_CHECKS);
	storage_read("", target->device, &frame->storage);
	durability_read("", target->device, target->mount, &frame->durability);
	limits_read_cpu("", &frame->limits);
	frame_add_disks(frame, &frame->durability);
	measure_clock(frame);
	report_signature_start(&frame->signature);
	frame->signature.tool = tool;
	frame->signature.program = tool;
	frame->signature.argc = argc;
	frame->signature.argv = argv;
	return DIAG_EXIT_OK;
}

void frame_check_start(struct frame *frame)
{
	char text[128];

	if (start_late_text(&frame->signature.start, text, sizeof(text)))
		frame_reason(frame, START_LATE, "%s", text);
}

int frame_wait(struct frame *frame, const struct start *start, int fd, int other_fd)
{
	int err;

	frame->signature.start = *start;
	err = start_wait(&frame->signature.start, fd, other_fd);
	if (!err)
		frame_check_start(frame);
	return err;
}

void frame_reason(struct frame *frame, const char *code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_reason_add(frame->reasons, &frame->reason_count, FRAME_REASONS, code, format, arguments);
	va_end(arguments);
}

void frame_check(struct frame *frame, enum frame_code code, const char *value, const char *advice, const char *finding)
{
	static const char *const names[FRAME_CODES] = {[FRAME_NOT_STEADY] = "not-steady", [FRAME_LOST_EVENTS] = "lost-events",
		[FRAME_DURABILITY_NOT_COUNTED] = "durability-not-counted", [FRAME_CLOCK_SET] = "clock-set",
		[FRAME_TRAFFIC_NOT_COUNTED] = "traffic-not-counted"};

	machine_check_add(frame->checks, &frame->check_count, FRAME_CHECKS, names[code], value, advice, finding);
}

void frame_decide_durability(struct frame *frame, const struct durability *durability, const char *cell,
	struct durability_check *check)
{
	durability_decide(durability, check);
	if (check->status == DURABILITY_NOT_DURABLE)
		frame_reason(frame, "not-durable", "%s: %s", cell, check->why);
	if (check->status == DURABILITY_NOT_CONFIRMED)
		frame_reason(frame, "durability-not-confirmed", "%s: %s", cell, check->why);
	if (check->status == DURABILITY_NOT_COUNTED)
		frame_check(frame, FRAME_DURABILITY_NOT_COUNTED, check->why,
			"use a device whose flushes the kernel counts to have acknowledged syncs checked",
			"acknowledged syncs could not be checked against the flushes of the device");
}

const char *frame_durability_doubt(const struct frame *frame, const struct durability *durability,
	const struct durability_check *check)
{
	for (size_t i = 0; i < frame->reason_count; i++) {
		if (check->status == DURABILITY_FLUSHED && !strcmp(frame->reasons[i].code, "foreign-traffic"))
			return "other programs used the disk, whose flushes may be theirs";
	}
	return durability_doubt(durability, check);
}

void frame_decide_stops(struct frame *frame, const struct contention_stops *stops, const char *cell)
{
	int64_t set_ns = contention_clock_set_ns(stops);
	char text[256];

	if (contention_stopped_text(stops, "writes", text, sizeof(text)))
		frame_reason(frame, "stopped", "%s: %s", cell, text);
	if (contention_suspended_text(stops, text, sizeof(text)))
		frame_reason(frame, "suspended", "%s: %s", cell, text);
	if (llabs(set_ns) <= CONTENTION_JUMP_NS)
		return;
	snprintf(text, sizeof(text), "%+.1f s", (double)set_ns / 1e9);
	frame_check(frame, FRAME_CLOCK_SET, text,
		"durations are right, dates before and after do not compare: stop what sets the clock (NTP)",
		"the wall clock was set during the run");
}

/* --- other programs on the disks, and limits of the run's cgroups --- */

void frame_add_disks(struct frame *frame, const struct durability *durability)
{
	limits_read_io("", durability, &frame->limits);
	traffic_watch(durability, &frame->traffic);
}

static int count_traffic(struct frame *frame)
{
	struct traffic_counts counts = {0};
	int rc = traffic_read("", &frame->traffic, &counts);

	if (!rc)
		rc = traffic_read_process("", 0, &counts);
	if (rc)
		return rc;
	counts.metadata_bytes = frame->metadata_bytes;
	/* With data=journal ext4 writes all data into its journal, too. */
	if (sysfs_has_word(frame->durability.layers[0].mount_options, ",", "data=journal"))
		counts.metadata_bytes += counts.own_bytes;
	traffic_add(&frame->traffic, &counts);
	return 0;
}

void frame_window_begin(struct frame *frame)
{
	frame->window_begun_ns = report_monotonic_ns();
	limits_read_stops("", &frame->limits, &frame->stops_begun);
	(void)count_traffic(frame);
	traffic_begin(&frame->traffic);
}

void frame_window_end(struct frame *frame, const char *cell, uint64_t metadata_bytes)
{
	struct limits_stops stops;
	struct traffic_sums window;
	char text[320];
	int rc;

	frame->metadata_bytes += metadata_bytes;
	rc = count_traffic(frame);
	window = traffic_end(&frame->traffic);
	if (rc && frame->durability.count)
		frame_check(frame, FRAME_TRAFFIC_NOT_COUNTED,
			rc == -ENODEV ? "the file system is on several devices" : strerror(-rc),
			"make sure that no other program uses the disk: echo 1 > /sys/block/DISK/queue/iostats has the kernel "
			"count",
			"the traffic of other programs on the disk is unknown");
	if (traffic_is_foreign(&window)) {
		traffic_text(&frame->traffic, &window, text, sizeof(text));
		frame_reason(frame, "foreign-traffic", "%s: %s", cell, text);
	}
	limits_read_stops("", &frame->limits, &stops);
	limits_stops_since(&frame->stops_begun, &stops);
	frame->stops.periods += stops.periods;
	frame->stops.ns += stops.ns;
	frame->windows_ns += report_monotonic_ns() - frame->window_begun_ns;
	if (!frame->accepts_limits && limits_stops_text(&frame->limits, &stops, text, sizeof(text)))
		frame_reason(frame, "cpu-quota", "%s: %s, or accept it with --accept-limit", cell, text);
}

void frame_decide_limits(struct frame *frame)
{
	const struct limit *limit;
	char text[320];

	/* Limits may have been set during the run. */
	limits_read_io("", &frame->durability, &frame->limits);
	limit = limits_of_io(&frame->limits);
	if (!limit || frame->accepts_limits)
		return;
	limits_text(limit, text, sizeof(text));
	frame_reason(frame, "io-limit",
		"a cgroup of the run limits its I/O (%s): remove the limit, or accept it with --accept-limit",
		text);
}

void frame_decide_contention(struct frame *frame, const struct contention_finding *finding, const char *cell)
{
	char text[256];

	if (limits_explain(&frame->stops, frame->windows_ns, finding))
		return;
	contention_text(finding, text, sizeof(text));
	frame_reason(frame, "contention", "%s: %s", cell, text);
}

const char *frame_status(const struct frame *frame)
{
	if (frame->signature.is_interrupted)
		return "interrupted";
	return frame->reason_count ? "untrustworthy" : "ok";
}

void frame_signature(struct report *report, const struct field *field, const void *from)
{
	const struct frame *frame = from;
	struct report_moments text;

	FIELD_ROW(report, field, tool_signature, REPORT_SIGNATURE_MEMBERS(&frame->signature, &frame->machine, &text));
}

void frame_machine(struct report *report, const struct field *field, const void *from)
{
	const struct frame *frame = from;
	const struct machine_info_values values = report_machine(&frame->machine, NULL);

	field_row(report, field, machine_info_record(), &values);
}

void frame_environment(struct report *report, const struct field *field, const void *from)
{
	const struct frame *frame = from;

	report_environment(report, field, &(struct report_checks){frame->checks, frame->check_count,
		&frame->limits, &frame->traffic});
}

static void write_setting_rows(struct report *report, const struct field *field, const void *from)
{
	const struct storage *storage = from;

	for (size_t i = 0; i < storage->setting_count; i++)
		FIELD_ROW(report, field, named_text, storage->settings[i].name, storage->settings[i].value);
}

void frame_storage(struct report *report, const struct field *field, const void *from)
{
	const struct frame *frame = from;
	const struct target *target = &frame->target;
	static const char *const kinds[] = {
		[TARGET_NAMELESS] = "nameless", [TARGET_FILE] = "file", [TARGET_DEVICE] = "device",
		[TARGET_SIMULATED] = "simulated"};

	FIELD_ROW(report, field, storage,
		.path = target->path,
		.kind = kinds[target->kind],
		.file_system = target->file_system,
		.device = frame->storage.device,
		.memory_align_bytes = target->has_direct ? target->memory_align : FIELD_NO_COUNT,
		.offset_align_bytes = target->has_direct ? target->offset_align : FIELD_NO_COUNT,
		.fs_block_bytes = target->fs_block,
		.settings = FIELD_INSIDE(write_setting_rows, &frame->storage),
		.layer = FIELD_BY(durability_layers, &frame->durability));
}

void frame_clock(struct report *report, const struct field *field, const void *from)
{
	const struct frame *frame = from;

	FIELD_ROW(report, field, monotonic_clock, "CLOCK_MONOTONIC", frame->clock_overhead_ns, frame->clock_granularity_ns);
}

void frame_verdict(struct report *report, const struct field *field, const void *from)
{
	const struct frame *frame = from;

	report_verdict(report, field, &(struct report_verdict){frame_status(frame), frame->reasons, frame->reason_count});
}

int frame_check_apart(const struct frame_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++) {
			if (!report_is_same_file(files[i].path, files[k].path))
				continue;
			return diag_usage("%s and %s: both would write %s; give them two names", files[i].option, files[k].option,
				strcmp(files[i].path, "-") ? files[i].path : "stdout");
		}
	}
	return DIAG_EXIT_OK;
}

int frame_publish(struct frame *frame, const char *root, const void *document, const char *xml_path, const char *json_path)
{
	struct report *report;
	int rc;

	if (!xml_path && !json_path)
		return DIAG_EXIT_OK;
	rc = report_new(root, &report);
	if (rc)
		return diag_host(rc, "cannot make the report");
	if (!frame->signature.monotonic_end_ns)
		frame->signature.monotonic_end_ns = report_monotonic_ns();
	field_write_inside(report, field_root(root), document);
	return frame_save(report, xml_path, json_path);
}

int frame_save(struct report *report, const char *xml_path, const char *json_path)
{
	const struct {
		const char *option, *path;
		int (*write)(struct report *report, const char *path);
	} files[] = {{"-f", xml_path, report_write_xml}, {"--json", json_path, report_write_json}};
	int code = DIAG_EXIT_OK;

	/* A file that cannot be written does not prevent the other one. */
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *path = files[i].path;
		int rc = path ? files[i].write(report, path) : 0;

		if (rc)
			code = diag_host(rc, "%s %s: the report could not be written", files[i].option,
				strcmp(path, "-") ? path : "(standard output)");
	}
	report_free(report);
	return code;
}
