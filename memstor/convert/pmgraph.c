/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CSV of the "Export CSV" button of pmgraph 0.8, the desktop viewer of the original pmbench, for manually imported
 * reports: the parameters of the first report, the threads of each, then read and write latencies with a column per
 * report, then the memory of each. For reports of this pmbench it also has the swap device and the memory, which the viewer
 * leaves empty. Counts of any size are whole numbers.
 */
#include "config.h"
#include "memstor/convert/convert.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/histogram.h"
#include "common/hot/bucket.h"
#include "common/units.h"

/* What is kept of a report. */
struct column {
	struct column *next;
	const char *name; /* of the file, without folder and .xml */
	const uint64_t *counts[2]; /* reads, writes; NULL: has none */
	const char *threads, *memory; /* rows that are ready */
};

struct kept {
	struct column *first, *last;
};

static const char *file_name(struct convert *convert, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strlen(name);

	if (length > 4 && strcmp(name + length - 4, ".xml") == 0)
		length -= 4;
	return arena_text(&convert->arena, name, length);
}

static const char *whole_of(const struct report_node *from, const char *path)
{
	const struct report_node *node = from ? report_read_find(from, path) : NULL;

	return node ? node->whole : "";
}

/* As a number when it is one, so that 0.1310 becomes 0.131 as in the viewer. */
static char *number_of(const struct report_node *from, const char *path, char *text, size_t length)
{
	double value;

	return units_write_double(report_read_double(from, path, &value) ? NAN : value, text, length);
}
#define NUMBER(from, path) number_of((from), (path), (char[32]){0}, 32)

static char *mib_of(const char *bytes, char *text, size_t length)
{
	uint64_t value;

	snprintf(text, length, "%" PRIu64 "MiB", units_parse_u64(bytes, 0, UINT64_MAX, &value) ? 0 : value >> 20);
	return text;
}

static void write_parameters(FILE *out, const struct report_node *report)
{
	const struct report_node *params = report_read_find(report, "signature/params");
	const char *limit = whole_of(report, "machine_info/cgroup/limit_bytes");
	char memory[32], map[REPORT_TEXT_MAX + 8];

	/* With --ram, or in a container, there is less than the machine has. */
	mib_of(limit[0] ? limit : whole_of(report, "machine_info/memory_bytes"), memory, sizeof(memory));
	snprintf(map, sizeof(map), "%sMiB", whole_of(params, "mapsize"));
	CONVERT_ROW(out, whole_of(report, "signature/pmbench_info/version_options"),
		whole_of(report, "machine_info/swap/swap_area/backing"), memory, map, whole_of(params, "jobs"),
		whole_of(params, "delay"), whole_of(params, "ratio"), "");
}

static void write_threads(FILE *out, const struct report_node *report)
{
	const struct report_node *thread = report_read_find(report, "result/result_thread");

	for (; thread; thread = report_read_next(thread)) {
		const char *number = report_read_attribute(thread, "thread_num");

		CONVERT_ROW(out, " ", number ? number : "", NUMBER(thread, "result_netavg/netavg_us"),
			NUMBER(thread, "result_netavg/netavg_clk"), NUMBER(thread, "result_details/details_latency/latency_us"),
			NUMBER(thread, "result_details/details_latency/latency_clk"),
			NUMBER(thread, "result_details/details_samples"),
			NUMBER(thread, "result_details/details_overhead/overhead_us"),
			NUMBER(thread, "result_details/details_overhead/overhead_clk"));
	}
}

static void write_memory_row(FILE *out, const char *name, const struct report_node *from)
{
	char title[64];

	snprintf(title, sizeof(title), "%c%.60s", toupper((unsigned char)name[0]), name[0] ? name + 1 : "");
	CONVERT_ROW(out, name[0] ? title : "", NUMBER(from, "free_kib"), NUMBER(from, "buffer_kib"), NUMBER(from, "cache_kib"),
		NUMBER(from, "active_kib"), NUMBER(from, "inactive_kib"), NUMBER(from, "pgpgin"), NUMBER(from, "pgpgout"),
		NUMBER(from, "pswpin"), NUMBER(from, "pswpout"), NUMBER(from, "pgmajfault"));
}

static void write_memory(FILE *out, const struct report_node *report)
{
	const struct report_node *item = report_read_find(report, "sys_mem_info/sys_mem_item");

	for (; item; item = report_read_next(item)) {
		const struct report_node *info = report_read_find(item, "mem_item_info");
		const struct report_node *delta = report_read_find(item, "mem_item_delta");
		const char *name = report_read_attribute(item, "name");
		bool is_plain = name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")];

		if (info)
			write_memory_row(out, is_plain ? name : "", info);
		if (delta)
			write_memory_row(out, "delta", delta);
	}
}

/* A part of the file that can be made now, kept as text. */
static const char *keep_text(
	struct convert *convert, const struct report_node *report, void (*write)(FILE *, const struct report_node *))
{
	struct arena_print print;
	FILE *out = arena_print(&print);

	if (out)
		write(out, report);
	return arena_printed(&convert->arena, &print);
}

/* Folded into log16, whose buckets are sums of those of any other layout. */
static const uint64_t *keep_counts(struct convert *convert, const struct loaded *loaded, const char *type)
{
	const struct loaded_histogram *histogram = loaded_histogram(loaded, type, "all");
	uint64_t *counts = histogram ? arena_array(&convert->arena, BUCKET_LOG16_COUNT, sizeof(*counts)) : NULL;

	for (size_t i = 0; counts && i < histogram->bucket_count; i++) {
		double lo = histogram->buckets[i].lo_ns;

		counts[histogram_log16.index(lo < 0x1p62 ? (uint64_t)lo : UINT64_MAX)] += histogram->buckets[i].count;
	}
	return counts;
}

static int add(struct convert *convert, const struct loaded *loaded)
{
	struct column *column = arena_array(&convert->arena, 1, sizeof(*column));
	const struct report_node *report = report_read_find(report_read_root(loaded->document), "report");
	struct kept *kept = convert->kept;

	if (strcmp(loaded->tool, "pmbench") != 0) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: a report of %.60s: pmgraph knows those of pmbench only", loaded->path, loaded->tool);
		return -EBADMSG;
	}
	if (!column)
		return -ENOMEM;
	if (convert->count == 0) {
		fputs("OS/kernel,Swap device,Phys. memory,Map size,Jobs,Delay,Read/write ratio,Niceness\n", convert->out);
		write_parameters(convert->out, report);
	}
	*column = (struct column){.name = file_name(convert, loaded->path),
		.counts = {keep_counts(convert, loaded, "read"), keep_counts(convert, loaded, "write")},
		.threads = keep_text(convert, report, write_threads), .memory = keep_text(convert, report, write_memory)};
	if (kept->last)
		kept->last->next = column;
	else
		kept->first = column;
	kept->last = column;
	return 0;
}

static void write_latencies(FILE *out, const struct column *first, const char *title, int direction)
{
	bool has_any = false;

	for (const struct column *column = first; column; column = column->next)
		has_any |= column->counts[direction] != NULL;
	if (!has_any)
		return;
	fprintf(out, "%s latencies,", title);
	for (const struct column *column = first; column; column = column->next) {
		if (!column->counts[direction])
			continue;
		putc_unlocked(',', out);
		convert_cell_text(out, column->name);
	}
	putc_unlocked('\n', out);
	for (unsigned i = 0; i < BUCKET_LOG16_COUNT; i++) {
		uint64_t lo, hi;

		histogram_log16.edges(i, &lo, &hi);
		fprintf(out, "%" PRIu64 ",%" PRIu64, lo, hi == UINT64_MAX ? UINT64_C(1) << 32 : hi);
		for (const struct column *column = first; column; column = column->next) {
			if (column->counts[direction])
				fprintf(out, ",%" PRIu64, column->counts[direction][i]);
		}
		putc_unlocked('\n', out);
	}
	putc_unlocked('\n', out);
}

static int end(struct convert *convert)
{
	const struct kept *kept = convert->kept;
	FILE *out = convert->out;

	putc_unlocked('\n', out);
	for (const struct column *column = kept->first; column; column = column->next) {
		convert_cell_text(out, column->name);
		fputs(",Thread #,Net avg. (us),Net avg. (clk),Latency (us),Latency (clk),Samples,Overhead (us),"
		      "Overhead (clk)\n", out);
		fputs(column->threads, out);
	}
	putc_unlocked('\n', out);
	write_latencies(out, kept->first, "Read", 0);
	write_latencies(out, kept->first, "Write", 1);
	for (const struct column *column = kept->first; column; column = column->next) {
		convert_cell_text(out, column->name);
		fputs(",Free KiB,Buffer KiB,Cache KiB,Active KiB,Inactive KiB,Page in/s,Page out/s,Swap in/s,"
		      "Swap out/s,Major faults\n", out);
		fputs(column->memory, out);
	}
	return 0;
}

const struct convert_format convert_pmgraph = {sizeof(struct kept), NULL, add, end, false};
