/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <parts> of a merged report, and the remarks to whoever merged. */
#include "config.h"
#include "memstor/merge/private.h"

#include <stdio.h>
#include <string.h>

#include "common/report_common.h"

#define NAMED_MAX 6 /* that a remark names */

static void write_texts(
	struct report *report, const char *list, const char *element, const struct merge_texts *texts)
{
	report_begin(report, list);
	for (size_t i = 0; i < texts->count; i++) {
		report_begin(report, element);
		report_attribute(report, "name", texts->items[i].name);
		report_content(report, texts->items[i].value);
		report_end(report);
	}
	report_end(report);
}

static void write_clock(struct report *report, const struct merge_part *part)
{
	if (part->seed[0])
		report_text(report, "seed", part->seed);
	if (!part->has_clock)
		return;
	report_text(report, "wall_start", part->wall_start);
	report_u64(report, "monotonic_start_ns", part->start_ns);
	report_u64(report, "monotonic_end_ns", part->end_ns);
}

static void write_host(struct report *report, const struct merge_part *part)
{
	report_begin(report, "host");
	report_text(report, "hostname", part->hostname);
	report_text(report, "boot_id", part->boot_id);
	report_text(report, "os_name", part->os_name);
	report_text(report, "release", part->release);
	report_text(report, "os_version", part->os_version);
	report_text(report, "arch", part->arch);
	report_end(report);
}

static void write_checks(struct report *report, const struct merge_checks *checks)
{
	report_begin(report, "environment");
	for (size_t i = 0; i < checks->count; i++) {
		report_begin(report, "check");
		report_attribute(report, "code", checks->items[i].code);
		if (checks->items[i].finding[0])
			report_text(report, "finding", checks->items[i].finding);
		report_text(report, "measured", checks->items[i].measured);
		report_text(report, "advice", checks->items[i].advice);
		report_end(report);
	}
	report_end(report);
}

static void write_verdict(struct report *report, const struct merge_part *part)
{
	report_begin(report, "verdict");
	report_attribute(report, "status", part->status);
	for (size_t i = 0; i < part->reasons.count; i++) {
		report_begin(report, "reason");
		report_attribute(report, "code", part->reasons.items[i].code);
		report_content(report, part->reasons.items[i].measured);
		report_end(report);
	}
	report_end(report);
}

static void write_difference(const char *name, const char *first, const char *part, void *data)
{
	struct report *report = data;

	(void)first;
	report_begin(report, "difference");
	report_attribute(report, "name", name);
	report_content(report, part);
	report_end(report);
}

static void write_part(struct merge *merge, struct report *report, size_t index, uint64_t first_thread)
{
	const struct merge_part *part = &merge->parts.items[index];

	report_begin(report, "part");
	report_attribute_u64(report, "index", index);
	report_text(report, "file", part->file);
	report_text(report, "uuid", part->uuid);
	report_text(report, "tool_version", part->tool_version);
	report_text(report, "report_version", part->report_version);
	write_clock(report, part);
	write_host(report, part);
	write_texts(report, "options", "option", &part->options);
	write_texts(report, "labels", "label", &part->labels);
	write_texts(report, "facts", "fact", &part->facts);
	write_checks(report, &part->checks);
	report_u64(report, "first_thread", first_thread);
	report_u64(report, "threads", part->threads);
	report_u64(report, "accesses", part->accesses);
	report_double(report, "run_s", part->run_s);
	report_double(report, "accesses_per_second", part->accesses_per_second);
	report_double(report, "faults_per_second", part->faults_per_second);
	for (size_t i = 0; i < part->row_count; i++)
		report_write_summarized(
			report, part->rows[i].type, "all", part->rows[i].layout, NULL, &part->rows[i].summary);
	write_verdict(report, part);
	merge_differ(merge, part, write_difference, report);
	report_end(report);
}

struct naming {
	struct merge *merge;
	size_t count;
	const char *names[NAMED_MAX + 1];
};

static void name_once(const char *name, const char *first, const char *part, void *data)
{
	struct naming *naming = data;

	(void)first, (void)part;
	for (size_t i = 0; i < naming->count; i++) {
		if (strcmp(naming->names[i], name) == 0)
			return;
	}
	if (naming->count <= NAMED_MAX)
		naming->names[naming->count++] = name;
}

static void remark_differences(struct merge *merge)
{
	struct naming naming = {.merge = merge};
	const char *text = "";

	for (size_t i = 1; i < merge->parts.count; i++)
		merge_differ(merge, &merge->parts.items[i], name_once, &naming);
	for (size_t i = 0; i < naming.count; i++)
		text = merge_format(merge, "%s%s%s", text, i ? ", " : "", i < NAMED_MAX ? naming.names[i] : "...");
	if (naming.count)
		merge_remark(merge, merge_format(merge, "the parts differ in %s: see <difference> of each <part>", text));
}

static void remark_omissions(struct merge *merge)
{
	static const char kind[] = "histogram ";
	const char *text = "";
	size_t count = 0;

	for (size_t i = 0; i < merge->omissions.count; i++) {
		const char *name = merge->omissions.items[i].name;

		if (strncmp(name, kind, sizeof(kind) - 1) != 0)
			continue;
		if (count < NAMED_MAX)
			text = merge_format(merge, "%s%s%s", text, count ? ", " : "", name + sizeof(kind) - 1);
		count++;
	}
	if (count)
		merge_remark(merge, merge_format(merge, "left out, for not all files have them: histograms %s%s", text,
					    count > NAMED_MAX ? ", ..." : ""));
}

static void remark_window(struct merge *merge)
{
	const struct merge_window *window = &merge->window;

	if (window->is_known && window->overlap_percent < MERGE_TOGETHER_PERCENT)
		merge_remark(merge,
			merge_format(merge, "the parts ran all together for %.3g %% of the time, less than %d %%: rates are "
					    "means over the time in which any ran, not sums",
				window->overlap_percent, MERGE_TOGETHER_PERCENT));
}

void merge_write_parts(struct merge *merge, struct report *report)
{
	uint64_t first_thread = 1;

	report_begin(report, "parts");
	report_text(report, "merged_by", "memstor " PACKAGE_VERSION);
	if (merge->window.is_known)
		report_double(report, "overlap_percent", merge->window.overlap_percent);
	for (size_t i = 0; i < merge->parts.count; i++) {
		write_part(merge, report, i, first_thread);
		first_thread += merge->parts.items[i].threads;
	}
	for (size_t i = 0; i < merge->omissions.count; i++) {
		report_begin(report, "omission");
		report_attribute(report, "name", merge->omissions.items[i].name);
		report_content(report, merge->omissions.items[i].value);
		report_end(report);
	}
	report_end(report);
	remark_window(merge);
	remark_differences(merge);
	remark_omissions(merge);
}
