/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/perf/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/cli/opt.h"

#define ARGUMENTS_MAX 64 /* of the command, in the header */
#define TEXT_MAX 256     /* bytes of one of them */

int recording_create(const char *path, struct report_output **output)
{
	int err;

	if (opt_is_stdout(path))
		return diag_usage("-o -: a recording is not written to standard output; name a file");
	err = report_output_open(path, output);
	return err ? diag_host(0, "cannot write %s: %s", path, report_output_error(err)) : DIAG_EXIT_OK;
}

/* --- the header --- */

/* Texts are cut, because a header has up to 64 KiB. */
static void put_text(FILE *header, const char *value)
{
	for (const char *end = value + strnlen(value, TEXT_MAX); value < end; value++)
		fputc((unsigned char)*value < ' ' ? '?' : *value, header);
}

static void put(FILE *header, const char *name, const char *value)
{
	fprintf(header, "%s\t", name);
	put_text(header, value);
	fputc('\n', header);
}

static void put_number(FILE *header, const char *name, uint64_t value)
{
	fprintf(header, "%s\t%llu\n", name, (unsigned long long)value);
}

static void put_engine(FILE *header, const struct engine_choice *choice)
{
	const struct engine *engine = choice->engine;

	put(header, "engine", engine->name);
	put(header, "engine_reason", choice->reason);
	put(header, "engine_sees", engine->sees);
	put(header, "engine_misses", engine->misses);
	put(header, "engine_cost", engine->cost);
	for (unsigned i = 0; i < choice->count; i++) {
		const struct perf_event_attr *attr = &choice->events[i].attr;

		fprintf(header, "event\ttype=%u config=%#llx config1=%#llx config2=%#llx precise=%u sample_type=%#llx\n",
			attr->type, (unsigned long long)attr->config, (unsigned long long)attr->config1,
			(unsigned long long)attr->config2, attr->precise_ip, (unsigned long long)attr->sample_type);
	}
	for (unsigned i = 0; i < choice->count; i++) {
		const struct perf_event_attr *attr = &choice->events[i].attr;

		/* The faults of an engine that pages out are no samples of accesses. */
		if (!choice->events[i].is_sampling || engine->pages_out)
			continue;
		put_number(header, attr->freq ? "frequency_hz" : "period", attr->freq ? attr->sample_freq : attr->sample_period);
		put(header, "period_unit", engine->unit);
		break;
	}
	if (choice->rates.pages_hz)
		put_number(header, "paged_out_per_second", choice->rates.pages_hz);
	if (choice->rates.bursts_hz) {
		put_number(header, "bursts_per_second", choice->rates.bursts_hz);
		put_number(header, "burst_instructions", choice->rates.steps);
	}
	put(header, "privilege", choice->sees_kernel && choice->sees_user ? "user and kernel" : choice->sees_kernel ? "kernel"
		: "user");
	if (engine->is_decoded)
		fprintf(header, "skid\t%u (%u of %u samples of a calibration)\n", choice->skid.instructions,
			choice->skid.agreeing, choice->skid.samples);
}

char *recording_header(const struct recording_head *head)
{
	char *text = NULL, date[64];
	size_t length;
	FILE *header = open_memstream(&text, &length);
	struct utsname host;
	time_t now = time(NULL);
	struct tm utc;

	if (!header)
		return NULL;
	uname(&host);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	put(header, "tool", "memtrace " PACKAGE_VERSION);
	put(header, "date", date);
	put(header, "host", host.nodename);
	put(header, "kernel", host.release);
	put(header, "arch", host.machine);
	put_engine(header, head->choice);
	put(header, "clock", engine_is_sampler(head->choice->engine) ? "CLOCK_MONOTONIC, ns"
		: "perf (the kernel's sched_clock), ns");
	put_number(header, "anchor_perf_ns", head->anchor->perf_ns);
	put_number(header, "anchor_monotonic_ns", head->anchor->monotonic_ns);
	put_number(header, "anchor_realtime_ns", head->anchor->realtime_ns);
	put_number(header, "anchor_error_ns", head->anchor->error_ns);
	if (head->start && head->start->at_ns) {
		put_number(header, "start_at_realtime_ns", (uint64_t)head->start->at_ns);
		put_number(header, "start_late_ns", (uint64_t)head->start->late_ns);
	}
	put_number(header, "ring_bytes", head->ring_bytes);
	if (head->most_percent > 0)
		fprintf(header, "overhead_percent\t%g\n", head->most_percent);
	if (head->allocs_bytes)
		put_number(header, "allocs_bytes", head->allocs_bytes);
	put_number(header, "page_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
	put(header, "target", head->is_system ? "system" : head->pid ? "process" : "command");
	if (head->pid)
		put_number(header, "pid", head->pid);
	if (head->command[0])
		fputs("command\t", header);
	for (size_t i = 0; i < ARGUMENTS_MAX && head->command[i]; i++) {
		fputs(i ? " " : "", header);
		put_text(header, head->command[i]);
	}
	fputs(head->command[0] ? "\n" : "", header);
	return fclose(header) ? free(text), NULL : text;
}
