/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements that only reports of pmbench have: those of the original, and those computed from the histograms. */
#include "config.h"
#include "memstor/merge/private.h"

#include <math.h>
#include <string.h>

#include "common/report_common.h"
#include "common/units.h"

int64_t merge_original_end(const struct report_node *report)
{
	static const struct {
		const char *path;
		int64_t scale;
	} rows[] = {{"signature/time_info/year", 366 * 86400}, {"signature/time_info/yday", 86400},
		{"signature/time_info/hour", 3600}, {"signature/time_info/min", 60}, {"signature/time_info/sec", 1}};
	int64_t order = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t value;

		if (units_parse_i64(report_read_text(report, rows[i].path), 0, 10000, &value))
			return -1;
		order += value * rows[i].scale;
	}
	return order;
}

const char *merge_original_os(const struct report_node *signature)
{
	return report_read_text(signature, "os_info/version_info/os_name");
}

bool merge_write_original_version(const struct merge *merge, struct report *report, const char *name)
{
	if (strcmp(name, "version_xmloutput"))
		return false;
	report_text(report, name, merge->is_original ? "0.1" : REPORT_FORMAT_VERSION);
	return true;
}

static bool fill(const struct loaded_histogram *histogram, const struct histogram_layout *layout, uint64_t *counts)
{
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		if (histogram->buckets[i].lo_ns >= 0x1p63)
			return false;
		counts[layout->index((uint64_t)histogram->buckets[i].lo_ns)] += histogram->buckets[i].count;
	}
	return true;
}

void merge_write_original_histogram(struct report *report, const struct merge_histogram *histogram)
{
	uint64_t counts[512] = {0};

	if (!strcmp(histogram->class, "all") && strcmp(histogram->layout, "hdr") &&
		(!strcmp(histogram->type, "read") || !strcmp(histogram->type, "write")) &&
		histogram_log16.buckets <= sizeof(counts) / sizeof(counts[0]) && fill(&histogram->sum, &histogram_log16, counts))
		report_write_original(report, histogram->type, counts);
}

/* Reads and writes of one class together; false unless all inputs have both of those that some have. */
static bool gather(const struct merge *merge, const char *class, const char *layout, struct loaded_histogram *both)
{
	const struct loaded_histogram *parts[2];
	size_t count = 0;

	for (size_t i = 0; i < merge->histogram_count && count < 2; i++) {
		const struct merge_histogram *histogram = &merge->histograms[i];

		if (strcmp(histogram->class, class) || strcmp(histogram->layout, layout))
			continue;
		if (!merge_has_all(merge, histogram) || !histogram->has_summary)
			return false;
		parts[count++] = &histogram->sum;
	}
	return count && !metric_merge(parts, count, both);
}

/* As pmbench does it (pmbench/result.c). */
static void write_overhead(const struct merge *merge, struct report *report, const char *name, double media_ns)
{
	struct loaded_histogram major, all;
	const struct histogram_layout *layout = &histogram_hdr;
	uint64_t *counts;

	if (!gather(merge, "all", "log16", &all))
		return;
	if (!gather(merge, "major", "hdr", &major)) {
		layout = &histogram_log16;
		if (!gather(merge, "major", "log16", &major)) {
			metric_merge_free(&all);
			return;
		}
	}
	counts = arena_array(&((struct merge *)merge)->arena, layout->buckets, sizeof(*counts));
	if (counts && major.count && all.count && fill(&major, layout, counts)) {
		double os_ns = major.mean_ns - media_ns;

		report_begin(report, name);
		report_double(report, "media_latency_ns", media_ns);
		report_double(report, "access_mean_ns", all.mean_ns);
		report_double(report, "major_mode_ns", histogram_mode(layout, counts));
		report_double(report, "major_mean_ns", major.mean_ns);
		report_double(report, "os_overhead_ns", os_ns);
		report_double(report, "os_overhead_percent", os_ns / media_ns * 100);
		report_end(report);
	}
	metric_merge_free(&major);
	metric_merge_free(&all);
}

bool merge_write_derived(struct merge *merge, struct report *report, const char *name)
{
	double media_ns;

	if (strcmp(name, "paging_overhead"))
		return false;
	media_ns = merge_tree_number(merge, "result/paging_overhead/media_latency_ns");
	if (report && media_ns > 0)
		write_overhead(merge, report, name, media_ns);
	return true;
}
