/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged report from what was added: signature, machine, environment, statistics, verdict. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/report_common.h"

#define MEASURED_MAX 4 /* parts whose values a check names */

static const char *cpu_of(const struct merge_part *part, const void *data)
{
	const char *name = data;

	for (size_t i = 0; i < part->facts.count; i++) {
		if (strcmp(part->facts.items[i].name, name) == 0)
			return part->facts.items[i].value;
	}
	return "";
}

/* The first part's elements that tell of the whole machine; what decides a number and is not the same everywhere is
 * named of all parts, or left out. */
static bool write_fact(struct report *report, const struct report_node *node, void *data)
{
	static const char *const numbers[] = {"cores", "hardware_threads", "memory_bytes"};
	struct merge *merge = data;
	const char *name = report_read_attribute(node, "name");

	if (strcmp(node->name, "modelname") == 0 || strcmp(node->name, "hypervisor") == 0) {
		const char *fact = strcmp(node->name, "modelname") == 0 ? "cpu_model" : node->name;
		const char *joined = merge_join(merge, cpu_of, fact);

		report_text(report, node->name, joined[0] ? joined : node->text);
		return true;
	}
	if (strcmp(node->name, "setting") == 0 && name) {
		report_begin(report, node->name);
		report_attribute(report, "name", name);
		report_content(report, merge_join(merge, cpu_of, name));
		report_end(report);
		return true;
	}
	if (strcmp(node->name, "available_bytes") == 0)
		return merge->parts.count > 1;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(node->name, numbers[i]) == 0 && strcmp(node->parent->name, "machine_info") == 0)
			return !merge_is_shared(merge, offsetof(struct merge_part, facts), node->name);
	}
	return false;
}

static bool write_original_machine(struct report *report, const struct report_node *node, void *data)
{
	static const char *const names[] = {"modelname", "freq_khz", "tlb_info", "cache_info"};

	if (strcmp(node->parent->name, "machine_info") != 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(node->name, names[i]) == 0)
			return write_fact(report, node, data);
	}
	return true;
}

static void write_machine(struct merge *merge, struct report *report)
{
	const struct report_node *machine =
		report_read_find(report_read_root(merge->first->document), "report/machine_info");

	report_begin(report, "machine_info");
	if (machine)
		report_copy_content(report, machine, merge->is_original ? write_original_machine : write_fact, merge);
	report_end(report);
}

static const struct merge_check *check_of(const struct merge_part *part, const char *code)
{
	for (size_t i = 0; i < part->checks.count; i++) {
		if (strcmp(part->checks.items[i].code, code) == 0)
			return &part->checks.items[i];
	}
	return NULL;
}

/* "part 0: 5 %; part 3: 7 %; and 2 more parts", or the value alone where all have the same. */
static const char *join_measured(struct merge *merge, const struct merge_check *check)
{
	const struct merge_parts *parts = &merge->parts;
	const char *text = "";
	size_t same = 0, named = 0;

	for (size_t i = 0; i < parts->count; i++) {
		const struct merge_check *own = check_of(&parts->items[i], check->code);

		if (!own)
			continue;
		same += strcmp(own->measured, check->measured) == 0;
		if (named++ < MEASURED_MAX)
			text = merge_format(merge, "%s%spart %zu: %s", text, text[0] ? "; " : "", i, own->measured);
	}
	if (same == parts->count)
		return check->measured;
	if (named > MEASURED_MAX)
		text = merge_format(merge, "%s; and %zu more parts", text, named - MEASURED_MAX);
	return text;
}

static bool is_first_of_its_code(const struct merge *merge, size_t part, const struct merge_check *check)
{
	for (size_t i = 0; i < part; i++) {
		if (check_of(&merge->parts.items[i], check->code))
			return false;
	}
	return check_of(&merge->parts.items[part], check->code) == check;
}

static void write_environment(struct merge *merge, struct report *report)
{
	report_begin(report, "environment");
	for (size_t i = 0; i < merge->parts.count; i++) {
		const struct merge_part *part = &merge->parts.items[i];

		for (size_t j = 0; j < part->checks.count; j++) {
			const struct merge_check *check = &part->checks.items[j];

			if (!is_first_of_its_code(merge, i, check))
				continue;
			report_begin(report, "check");
			report_attribute(report, "code", check->code);
			if (check->finding[0])
				report_text(report, "finding", check->finding);
			report_text(report, "measured", join_measured(merge, check));
			report_text(report, "advice", check->advice);
			report_end(report);
		}
	}
	report_end(report);
}

static int class_rank(const char *class)
{
	static const char *const classes[] = {"all", "hit", "minor", "major"};
	int rank = 0;

	while (rank < 4 && strcmp(class, classes[rank]) != 0)
		rank++;
	return rank;
}

struct place {
	const struct merge_histogram *histogram;
};

/* As pmbench writes them: reads before writes, "all" before its classes, log16 before hdr. */
static int compare_histograms(const void *a, const void *b)
{
	const struct merge_histogram *first = ((const struct place *)a)->histogram;
	const struct merge_histogram *second = ((const struct place *)b)->histogram;
	int order = strcmp(first->type, second->type);

	if (!order)
		order = class_rank(first->class) - class_rank(second->class);
	if (!order)
		order = strcmp(first->class, second->class);
	return order ? order : (first->layout == &histogram_hdr) - (second->layout == &histogram_hdr);
}

static void write_histogram(struct report *report, const struct merge_histogram *histogram)
{
	struct histogram_summary summary;

	if (histogram->has_summary)
		merge_summarize(histogram, &summary);
	report_write_summarized(report, histogram->type, histogram->class, histogram->layout, histogram->counts,
		histogram->has_summary ? &summary : NULL);
}

static bool has_original(const struct merge_histogram *histogram)
{
	return histogram->layout == &histogram_log16 && !strcmp(histogram->class, "all") &&
	       (!strcmp(histogram->type, "read") || !strcmp(histogram->type, "write"));
}

static void write_statistics(const struct merge *merge, struct report *report)
{
	struct place sorted[MERGE_HISTOGRAMS_MAX] = {{NULL}};
	size_t count = 0;

	for (size_t i = 0; i < merge->histogram_count; i++) {
		if (merge_is_complete(merge, &merge->histograms[i]))
			sorted[count++].histogram = &merge->histograms[i];
	}
	qsort(sorted, count, sizeof(sorted[0]), compare_histograms);
	report_begin(report, "statistics");
	for (size_t i = 0; i < count; i++) {
		if (has_original(sorted[i].histogram))
			report_write_original(report, sorted[i].histogram->type, sorted[i].histogram->counts);
	}
	for (size_t i = 0; i < count && !merge->is_original; i++)
		write_histogram(report, sorted[i].histogram);
	report_end(report);
}

static void write_reason(
	struct merge *merge, struct report *report, size_t index, const char *code, const char *text)
{
	report_begin(report, "reason");
	report_attribute(report, "code", code);
	report_content(report,
		merge_format(merge, "part %zu (%s): %s", index, merge->parts.items[index].file, text));
	report_end(report);
}

static void write_verdict(struct merge *merge, struct report *report)
{
	report_begin(report, "verdict");
	report_attribute(report, "status", merge_status(merge));
	for (size_t i = 0; i < merge->parts.count; i++) {
		const struct merge_part *part = &merge->parts.items[i];

		if (strcmp(part->status, "interrupted") == 0)
			write_reason(merge, report, i, "interrupted", "it was interrupted");
		for (size_t j = 0; j < part->reasons.count; j++)
			write_reason(merge, report, i, part->reasons.items[j].code, part->reasons.items[j].measured);
	}
	report_end(report);
}

static void write_all(struct merge *merge, struct report *report)
{
	report_begin(report, "report");
	merge_write_signature(merge, report);
	write_machine(merge, report);
	write_environment(merge, report);
	merge_write_result(merge, report);
	if (merge->histogram_count)
		write_statistics(merge, report);
	report_begin(report, "sys_mem_info");
	report_end(report);
	write_verdict(merge, report);
	merge_write_parts(merge, report);
	report_end(report);
}

int merge_report(struct merge *merge, struct report **report)
{
	struct report *new;
	int err = report_new(report_read_root(merge->first->document)->name, &new);

	if (err)
		return err;
	merge_make_window(merge);
	merge_make_omissions(merge);
	write_all(merge, new);
	if (merge->is_short) {
		report_free(new);
		return -ENOMEM;
	}
	*report = new;
	return 0;
}
