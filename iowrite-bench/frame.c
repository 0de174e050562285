/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/diag.h"

#define CLOCK_READINGS 20001

/* The mean of two stamps with nothing between them, and the smallest step of the clock that is not 0. */
static void measure_clock(struct frame *frame)
{
	uint64_t first = report_monotonic_ns(), last = first, step = UINT64_MAX;

	for (int i = 1; i < CLOCK_READINGS; i++) {
		uint64_t now = report_monotonic_ns();

		if (now > last && now - last < step)
			step = now - last;
		last = now;
	}
	frame->clock_overhead_ns = (double)(last - first) / (CLOCK_READINGS - 1);
	frame->clock_granularity_ns = step == UINT64_MAX ? 0 : (double)step;
}

int frame_start(struct frame *frame, int argc, char **argv, const struct target *target)
{
	*frame = (struct frame){.target = *target};
	frame->target.fd = -1;
	if (machine_read("", &frame->machine)) {
		diag_error(0, "cannot read this machine's facts from /proc and /sys");
		return DIAG_EXIT_HOST;
	}
	frame->check_count = machine_checks("", &frame->machine, frame->checks, FRAME_CHECKS);
	storage_read("", target->device, &frame->storage);
	measure_clock(frame);
	report_signature_start(&frame->signature);
	frame->signature.tool = "iowrite-bench";
	frame->signature.argc = argc;
	frame->signature.argv = argv;
	return DIAG_EXIT_OK;
}

void frame_reason(struct frame *frame, const char *code, const char *format, ...)
{
	struct report_reason *reason = &frame->reasons[frame->reason_count];
	va_list arguments;

	for (size_t i = 0; i < frame->reason_count; i++) {
		if (!strcmp(frame->reasons[i].code, code))
			return;
	}
	if (frame->reason_count == FRAME_REASONS)
		return;
	snprintf(reason->code, sizeof(reason->code), "%s", code);
	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
	frame->reason_count++;
}

const char *frame_status(const struct frame *frame)
{
	if (frame->signature.is_interrupted)
		return "interrupted";
	return frame->reason_count ? "untrustworthy" : "ok";
}

static const char *kind_name(enum target_kind kind)
{
	static const char *const names[] = {
		[TARGET_NAMELESS] = "nameless", [TARGET_FILE] = "file", [TARGET_DEVICE] = "device"};

	return names[kind];
}

static void write_storage(struct report *report, const struct frame *frame)
{
	const struct storage *storage = &frame->storage;

	report_begin(report, "storage");
	report_text(report, "path", frame->target.path);
	report_text(report, "kind", kind_name(frame->target.kind));
	report_text(report, "file_system", frame->target.file_system);
	report_text(report, "device", storage->device);
	if (frame->target.has_direct) {
		report_u64(report, "memory_align_bytes", frame->target.memory_align);
		report_u64(report, "offset_align_bytes", frame->target.offset_align);
	}
	report_u64(report, "fs_block_bytes", frame->target.fs_block);
	report_begin(report, "settings");
	for (size_t i = 0; i < storage->setting_count; i++) {
		report_begin(report, "setting");
		report_attribute(report, "name", storage->settings[i].name);
		report_content(report, storage->settings[i].value);
		report_end(report);
	}
	report_end(report);
	report_end(report);
}

static void write_clock(struct report *report, const struct frame *frame)
{
	report_begin(report, "clock");
	report_text(report, "method", "CLOCK_MONOTONIC");
	report_double(report, "overhead_ns", frame->clock_overhead_ns);
	report_double(report, "granularity_ns", frame->clock_granularity_ns);
	report_end(report);
}

int frame_begin(struct frame *frame, struct report **report)
{
	int rc = report_new("iowritebench", report);

	if (rc)
		return rc;
	if (!frame->signature.monotonic_end_ns)
		frame->signature.monotonic_end_ns = report_monotonic_ns();
	report_begin(*report, "report");
	report_begin(*report, "signature");
	report_text(*report, "uuid", frame->signature.uuid);
	report_write_signature(*report, &frame->signature, &frame->machine);
	report_end(*report);
	report_write_machine(*report, &frame->machine, NULL);
	report_write_environment(*report, frame->checks, frame->check_count);
	write_storage(*report, frame);
	report_begin(*report, "result");
	write_clock(*report, frame);
	return 0;
}

void frame_end_result(struct report *report)
{
	report_end(report);
}

void frame_end(const struct frame *frame, struct report *report)
{
	report_write_verdict(report, frame_status(frame), frame->reasons, frame->reason_count);
	report_end(report);
}

static int write_one(int rc, const char *option, const char *path)
{
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "%s %s: the report could not be written", option, path);
	return DIAG_EXIT_HOST;
}

int frame_publish(struct report *report, const char *xml_path, const char *json_path)
{
	int code = DIAG_EXIT_OK;

	/* One that cannot be written is no reason to go without the other. */
	if (xml_path)
		code = write_one(report_write_xml(report, xml_path), "-f", xml_path);
	if (json_path && write_one(report_write_json(report, json_path), "--json", json_path))
		code = DIAG_EXIT_HOST;
	report_free(report);
	return code;
}
