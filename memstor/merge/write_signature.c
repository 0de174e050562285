/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <signature> of a merged report: the first part's, but for what tells the parts apart. */
#include "config.h"
#include "memstor/merge/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report_common.h"

static const char *text_at(const struct merge_part *part, const void *data)
{
	const size_t *offset = data;

	return *(const char *const *)(const void *)((const char *)part + *offset);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* FNV-1a; the same parts, however merged, give the same uuid, so that a merge is not merged twice. */
static uint64_t hash(uint64_t seed, const char *const *texts, size_t count)
{
	uint64_t hash = 0xcbf29ce484222325u ^ seed;

	for (size_t i = 0; i < count; i++) {
		for (const unsigned char *at = (const unsigned char *)texts[i]; *at; at++)
			hash = (hash ^ *at) * 0x100000001b3u;
		hash = (hash ^ '\n') * 0x100000001b3u;
	}
	return hash;
}

/* Version 8 of RFC 9562: made in a way of its own. */
static void write_uuid(struct merge *merge, struct report *report)
{
	const char **texts = calloc(merge->parts.count, sizeof(*texts));
	char text[40];
	uint64_t high, low;

	merge->is_short |= !texts;
	if (!texts)
		return;
	for (size_t i = 0; i < merge->parts.count; i++)
		texts[i] = merge->parts.items[i].uuid;
	qsort(texts, merge->parts.count, sizeof(*texts), compare_texts);
	high = (hash(0, texts, merge->parts.count) & ~0xf000ull) | 0x8000;
	low = (hash(~0ull, texts, merge->parts.count) & ~(3ull << 62)) | 2ull << 62;
	free(texts);
	snprintf(text, sizeof(text), "%08llx-%04llx-%04llx-%04llx-%012llx", (unsigned long long)(high >> 32),
		(unsigned long long)(high >> 16 & 0xffff), (unsigned long long)(high & 0xffff),
		(unsigned long long)(low >> 48), (unsigned long long)(low & 0xffffffffffffu));
	report_text(report, "uuid", text);
}

/* What all parts have. */
static void write_shared(struct merge *merge, struct report *report, const char *list, const char *element,
	size_t list_offset)
{
	const struct merge_texts *texts = (const void *)((const char *)&merge->parts.items[0] + list_offset);

	report_begin(report, list);
	for (size_t i = 0; i < texts->count; i++) {
		if (!merge_is_shared(merge, list_offset, texts->items[i].name))
			continue;
		report_begin(report, element);
		report_attribute(report, "name", texts->items[i].name);
		report_content(report, texts->items[i].value);
		report_end(report);
	}
	report_end(report);
}

/* Those that differ stand one after another; clocks of different boots have no common one. */
static bool write_joined(struct merge *merge, struct report *report, const char *name)
{
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {
		{"hostname", offsetof(struct merge_part, hostname)},
		{"boot_id", offsetof(struct merge_part, boot_id)},
		{"os_name", offsetof(struct merge_part, os_name)},
		{"release", offsetof(struct merge_part, release)},
		{"os_version", offsetof(struct merge_part, os_version)},
		{"arch", offsetof(struct merge_part, arch)},
		{"tool_version", offsetof(struct merge_part, tool_version)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *joined;

		if (strcmp(name, rows[i].name) != 0)
			continue;
		joined = merge_join(merge, text_at, &rows[i].offset);
		if (strcmp(name, "boot_id") == 0 && strchr(joined, ','))
			joined = "";
		report_text(report, name, joined);
		return true;
	}
	return false;
}

static void write_params(struct merge *merge, struct report *report, const struct report_node *params)
{
	report_begin(report, "params");
	for (const struct report_node *node = params->child; node; node = node->next) {
		if (strcmp(node->name, "jobs") == 0)
			report_u64(report, "jobs", merge->thread_count);
		else
			report_copy(report, node, NULL, NULL);
	}
	report_end(report);
	for (size_t i = 0; i < merge->parts.count; i++) {
		if (strcmp(merge->parts.items[i].status, "interrupted") == 0) {
			report_u64(report, "interrupted", 1);
			break;
		}
	}
}

static bool write_clock(struct merge *merge, struct report *report, const char *name)
{
	if (strcmp(name, "wall_start") == 0)
		report_text(report, name, merge->window.wall_start);
	else if (strcmp(name, "monotonic_start_ns") == 0)
		report_u64(report, name, merge->window.start_ns);
	else if (strcmp(name, "monotonic_end_ns") == 0)
		report_u64(report, name, merge->window.end_ns);
	else
		return false;
	return true;
}

static bool write_own(struct report *report, const struct report_node *node, void *data)
{
	struct merge *merge = data;
	const char *name = node->name;

	if (strcmp(name, "version_xmloutput") == 0)
		report_text(report, name, merge->is_original ? "0.1" : REPORT_FORMAT_VERSION);
	else if (strcmp(name, "report_version") == 0)
		report_text(report, name, REPORT_FORMAT_VERSION);
	else if (strcmp(name, "time_info") == 0)
		report_copy(report, merge->time_info, NULL, NULL);
	else if (strcmp(name, "uuid") == 0)
		write_uuid(merge, report);
	else if (strcmp(name, "params") == 0)
		write_params(merge, report, node);
	else if (strcmp(name, "options") == 0)
		write_shared(merge, report, "options", "option", offsetof(struct merge_part, options));
	else if (strcmp(name, "labels") == 0)
		write_shared(merge, report, "labels", "label", offsetof(struct merge_part, labels));
	else if (strcmp(name, "interrupted") != 0)
		return write_joined(merge, report, name) || write_clock(merge, report, name);
	return true;
}

static bool is_ours(const char *name)
{
	static const char *const original[] = {
		"pmbench_info", "os_info", "time_info", "uuid", "params", "interrupted"};

	for (size_t i = 0; i < sizeof(original) / sizeof(original[0]); i++) {
		if (strcmp(name, original[i]) == 0)
			return false;
	}
	return true;
}

void merge_write_signature(struct merge *merge, struct report *report)
{
	const struct report_node *signature =
		report_read_find(report_read_root(merge->first->document), "report/signature");

	report_begin(report, "signature");
	for (const struct report_node *node = signature->child; node; node = node->next) {
		if (!merge->is_original || !is_ours(node->name))
			report_copy(report, node, write_own, merge);
	}
	report_end(report);
}
