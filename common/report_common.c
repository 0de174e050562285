/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_common.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "common/clock.h"

uint64_t report_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void make_uuid(char *text, size_t length)
{
	uint8_t b[16];

	/* 16 bytes are given whole or not at all; before the kernel's pool is ready the call waits. */
	while (getrandom(b, sizeof(b), 0) != sizeof(b) && errno == EINTR)
		;
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	snprintf(text, length, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
		b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		b[15]);
}

void report_signature_start(struct report_signature *signature)
{
	make_uuid(signature->uuid, sizeof(signature->uuid));
	clock_gettime(CLOCK_REALTIME, &signature->wall_start);
	signature->monotonic_start_ns = report_monotonic_ns();
}

static void write_build(struct report *report, const char *tool)
{
	report_text(report, "tool", tool);
	report_text(report, "tool_version", PACKAGE_VERSION);
	report_text(report, "report_version", REPORT_FORMAT_VERSION);
	report_text(report, "compiler", MEMSTOR_COMPILER " " __VERSION__);
	report_text(report, "compiler_flags", MEMSTOR_CFLAGS);
}

static void write_pairs(struct report *report, const char *list, const char *element,
	const struct report_option *pairs, size_t count)
{
	report_begin(report, list);
	for (size_t i = 0; i < count; i++) {
		report_begin(report, element);
		report_attribute(report, "name", pairs[i].name);
		report_content(report, pairs[i].value);
		report_end(report);
	}
	report_end(report);
}

static void write_clocks(struct report *report, const struct report_signature *signature)
{
	char text[64], seconds[32];
	struct tm utc;

	gmtime_r(&signature->wall_start.tv_sec, &utc);
	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, sizeof(text), "%s.%09ldZ", seconds, signature->wall_start.tv_nsec);
	report_text(report, "wall_start", text);
	report_u64(report, "monotonic_start_ns", signature->monotonic_start_ns);
	report_u64(report, "monotonic_end_ns", signature->monotonic_end_ns);
}

void report_write_host(struct report *report, const struct machine *machine)
{
	report_begin(report, "host");
	report_text(report, "hostname", machine->hostname);
	report_text(report, "boot_id", machine->boot_id);
	report_text(report, "os_name", machine->os_name);
	report_text(report, "release", machine->os_release);
	report_text(report, "os_version", machine->os_version);
	report_text(report, "arch", machine->arch);
	report_end(report);
}

void report_write_signature(
	struct report *report, const struct report_signature *signature, const struct machine *machine)
{
	/* First: in the original's reports it follows the tool's own elements. */
	if (signature->is_interrupted)
		report_u64(report, "interrupted", 1);
	write_build(report, signature->tool);
	report_begin(report, "command");
	if (signature->program)
		report_text(report, "argument", signature->program);
	for (int i = 0; i < signature->argc; i++)
		report_text(report, "argument", signature->argv[i]);
	report_end(report);
	write_pairs(report, "options", "option", signature->options, signature->option_count);
	report_u64(report, "seed", signature->seed);
	write_clocks(report, signature);
	report_write_host(report, machine);
	write_pairs(report, "labels", "label", signature->labels, signature->label_count);
}

void report_write_environment(struct report *report, const struct machine_check *checks, size_t count)
{
	report_begin(report, "environment");
	for (size_t i = 0; i < count; i++) {
		report_begin(report, "check");
		report_attribute(report, "code", checks[i].code);
		if (checks[i].finding)
			report_text(report, "finding", checks[i].finding);
		report_text(report, "measured", checks[i].value);
		report_text(report, "advice", checks[i].advice);
		report_end(report);
	}
	report_end(report);
}

void report_write_summary_as(struct report *report, const char *element, const struct histogram_summary *summary)
{
	report_begin(report, element);
	report_u64(report, "count", summary->count);
	report_double(report, "min_ns", summary->min_ns);
	report_double(report, "mean_ns", summary->mean_ns);
	report_double(report, "stddev_ns", summary->stddev_ns);
	report_double(report, "p50_ns", summary->p50_ns);
	report_double(report, "p90_ns", summary->p90_ns);
	report_double(report, "p95_ns", summary->p95_ns);
	report_double(report, "p99_ns", summary->p99_ns);
	report_double(report, "p999_ns", summary->p999_ns);
	report_double(report, "p9999_ns", summary->p9999_ns);
	report_double(report, "max_ns", summary->max_ns);
	report_end(report);
}

void report_write_summary(struct report *report, const struct histogram_summary *summary)
{
	report_write_summary_as(report, "summary", summary);
}

static void write_bucket(struct report *report, uint64_t lo, uint64_t hi, uint64_t count)
{
	report_begin(report, "bucket");
	report_attribute_u64(report, "lo", lo);
	if (hi != UINT64_MAX)
		report_attribute_u64(report, "hi", hi);
	report_attribute_u64(report, "count", count);
	report_end(report);
}

void report_write_summarized(struct report *report, const char *type, const char *class_name,
	const struct histogram_layout *layout, const uint64_t *counts,
	const struct histogram_summary *summary)
{
	report_begin(report, "latency_histogram");
	report_attribute(report, "type", type);
	report_attribute(report, "class", class_name);
	report_attribute(report, "layout", layout->name);
	report_attribute(report, "unit", "ns");
	if (summary)
		report_write_summary(report, summary);
	for (unsigned i = 0; counts && i < layout->buckets; i++) {
		uint64_t lo, hi;

		if (!counts[i])
			continue;
		layout->edges(i, &lo, &hi);
		write_bucket(report, lo, hi, counts[i]);
	}
	report_end(report);
}

void report_write_histogram(struct report *report, const char *type, const char *class_name,
	const struct histogram_layout *layout, const uint64_t *counts,
	const struct histogram_moments *moments)
{
	struct histogram_summary summary;

	if (moments)
		histogram_summarize(layout, counts, moments, &summary);
	report_write_summarized(report, type, class_name, layout, counts, moments ? &summary : NULL);
}

static void begin_histo_bucket(struct report *report, unsigned index, unsigned lo, unsigned hi, uint64_t sum)
{
	report_begin(report, "histo_bucket");
	report_attribute_u64(report, "index", index);
	report_begin(report, "bucket_interval");
	report_u64(report, "interval_lo", lo);
	report_u64(report, "interval_hi", hi);
	report_end(report);
	report_u64(report, "sum_count", sum);
}

static void write_hexes(struct report *report, const uint64_t *hexes)
{
	report_begin(report, "bucket_hexes");
	for (unsigned i = 0; i < 16; i++) {
		report_begin(report, "hex");
		report_attribute_u64(report, "index", i);
		report_content_u64(report, hexes[i]);
		report_end(report);
	}
	report_end(report);
}

/* Edges as powers of two of ns. The coarse buckets at the end all have index 0, and 2^30 and more is said to
 * end at 2^32: the original's readers know it so. */
void report_write_original(struct report *report, const char *type, const uint64_t *counts)
{
	report_begin(report, "histogram");
	report_attribute(report, "type", type);
	begin_histo_bucket(report, 0, 0, 8, counts[0]);
	report_end(report);
	for (unsigned i = 1; i < 16; i++) {
		const uint64_t *hexes = &counts[1 + 16 * (i - 1)];
		uint64_t sum = 0;

		for (unsigned j = 0; j < 16; j++)
			sum += hexes[j];
		begin_histo_bucket(report, i, i + 7, i + 8, sum);
		write_hexes(report, hexes);
		report_end(report);
	}
	for (unsigned power = 23; power <= 30; power++) {
		begin_histo_bucket(report, 0, power, power < 30 ? power + 1 : 32, counts[241 + power - 23]);
		report_end(report);
	}
	report_end(report);
}

void report_write_counters(struct report *report, const char *element, const struct vmcounters *counters,
	enum report_counters kind)
{
	report_begin(report, element);
	if (kind == REPORT_COUNTERS_CHANGED)
		report_attribute(report, "unlisted", "unchanged");
	if (counters->left_out)
		report_attribute_u64(report, "left_out", counters->left_out);
	for (size_t i = 0; i < counters->count; i++) {
		const struct vmcounters_value *counter = &counters->values[i];

		if (kind == REPORT_COUNTERS_CHANGED && counter->value == 0)
			continue;
		report_begin(report, "counter");
		report_attribute(report, "name", counter->name);
		if (kind == REPORT_COUNTERS_NOW)
			report_attribute_u64(report, "value", counter->value);
		else
			report_attribute_i64(report, "value", (int64_t)counter->value);
		report_end(report);
	}
	report_end(report);
}

void report_write_verdict(
	struct report *report, const char *status, const struct report_reason *reasons, size_t count)
{
	report_begin(report, "verdict");
	report_attribute(report, "status", status);
	for (size_t i = 0; i < count; i++) {
		report_begin(report, "reason");
		report_attribute(report, "code", reasons[i].code);
		report_content(report, reasons[i].text);
		report_end(report);
	}
	report_end(report);
}
