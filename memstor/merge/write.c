/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the merged report: the sums, and the parts of signature, checks and verdict that have no merge rule. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report_common.h"

#define MEASURED_MAX 4 /* parts whose values a check names */

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

	merge->arena.is_short |= !texts;
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

bool merge_write_own(struct merge *merge, struct report *report, const char *around, const char *name)
{
	const struct merge_window *window = &merge->window;
	bool is_options = !strcmp(name, "options");
	const char *boots;

	if (merge_write_original_version(merge, report, name))
		return true;
	if (!strcmp(around, "signature") && !strcmp(name, "uuid")) {
		write_uuid(merge, report);
	} else if (!strcmp(name, "report_version")) {
		report_text(report, name, REPORT_FORMAT_VERSION);
	} else if (!strcmp(name, "wall_start")) {
		report_text(report, name, window->wall_start);
	} else if (!strcmp(name, "monotonic_start_ns")) {
		report_u64(report, name, window->start_ns);
	} else if (!strcmp(name, "monotonic_end_ns")) {
		report_u64(report, name, window->end_ns);
	} else if (is_options || !strcmp(name, "labels")) {
		const struct report_node *node =
			report_read_find(merge->parts.items[0].node, is_options ? "options/option" : "labels/label");

		/* Those that all parts have. */
		report_begin(report, name);
		for (; node; node = report_read_next(node)) {
			if (merge_is_shared(merge, is_options ? MERGE_OPTIONS : MERGE_LABELS, report_read_attribute(node, "name")))
				report_copy(report, node, NULL, NULL);
		}
		report_end(report);
	} else if (!strcmp(name, "boot_id")) {
		boots = merge->parts.items[0].boot_id;
		/* Clocks of different boots have no common one. */
		for (size_t i = 1; i < merge->parts.count; i++)
			boots = strcmp(boots, merge->parts.items[i].boot_id) ? "" : boots;
		report_text(report, name, boots);
	} else {
		return false;
	}
	return true;
}

/* --- environment and verdict --- */

static const struct report_node *check_of(const struct merge_part *part, const char *code)
{
	const struct report_node *check = report_read_find(part->node, "environment/check");

	while (check && strcmp(report_read_attribute(check, "code"), code))
		check = report_read_next(check);
	return check;
}

/* "part 0: 5 %; part 3: 7 %; and 2 more parts", or the value alone where all have the same. */
static const char *join_measured(struct merge *merge, const struct report_node *check)
{
	const struct merge_parts *parts = &merge->parts;
	const char *text = "", *code = report_read_attribute(check, "code"), *measured = report_read_text(check, "measured");
	size_t same = 0, named = 0;

	for (size_t i = 0; i < parts->count; i++) {
		const struct report_node *other = check_of(&parts->items[i], code);
		const char *own = other ? report_read_text(other, "measured") : NULL;

		if (!own)
			continue;
		same += !strcmp(own, measured);
		if (named++ < MEASURED_MAX)
			text = arena_format(&merge->arena, "%s%spart %zu: %s", text, text[0] ? "; " : "", i, own);
	}
	if (same == parts->count)
		return measured;
	if (named > MEASURED_MAX)
		text = arena_format(&merge->arena, "%s; and %zu more parts", text, named - MEASURED_MAX);
	return text;
}

/* Writes each check once, where it is first met. */
static void write_environment(struct merge *merge, struct report *report)
{
	const struct merge_part *parts = merge->parts.items;

	report_begin(report, "environment");
	for (size_t i = 0; i < merge->parts.count; i++) {
		const struct report_node *check = report_read_find(parts[i].node, "environment/check");

		for (; check; check = report_read_next(check)) {
			struct check_values values = {.code = report_read_attribute(check, "code"),
				.finding = FIELD_UNLESS_EMPTY(report_read_text(check, "finding")),
				.advice = report_read_text(check, "advice")};
			bool is_new = check_of(&parts[i], values.code) == check;

			for (size_t j = 0; j < i && is_new; j++)
				is_new = !check_of(&parts[j], values.code);
			if (!is_new)
				continue;
			values.measured = join_measured(merge, check);
			FIELD_WRITE(report, "check", check, &values);
		}
	}
	report_end(report);
}

static void write_reason(
	struct merge *merge, struct report *report, size_t index, const char *code, const char *text)
{
	const char *reason = arena_format(&merge->arena, "part %zu (%s): %s", index, merge->parts.items[index].file, text);

	FIELD_WRITE(report, "reason", coded_text, (&(struct coded_text_values){code, reason}));
}

static void write_verdict(struct merge *merge, struct report *report)
{
	report_begin(report, "verdict");
	report_attribute(report, "status", merge_status(merge));
	for (size_t i = 0; i < merge->parts.count; i++) {
		const struct report_node *reason = report_read_find(merge->parts.items[i].node, "verdict/reason");

		if (!strcmp(merge->parts.items[i].status, "interrupted"))
			write_reason(merge, report, i, "interrupted", "it was interrupted");
		for (; reason; reason = report_read_next(reason))
			write_reason(merge, report, i, report_read_attribute(reason, "code"), reason->text);
	}
	report_end(report);
}

/* In the order of the list. */
static void write_all(struct merge *merge, struct report *report)
{
	const struct field_record *record = field_at(report_read_root(merge->first->document)->name, "report");

	report_begin(report, "report");
	for (const struct field *field = record->fields; field->name; field++) {
		if (!strcmp(field->name, "environment"))
			write_environment(merge, report);
		else if (!strcmp(field->name, "statistics"))
			merge_write_statistics(merge, report);
		else if (!strcmp(field->name, "verdict"))
			write_verdict(merge, report);
		else if (!strcmp(field->name, "parts"))
			merge_write_parts(merge, report);
		else if (field->kind == FIELD_RECORD)
			merge_write_tree(merge, report, field->name);
	}
	report_end(report);
}

int merge_report(struct merge *merge, struct report **report)
{
	struct report *new;
	int err = report_new(report_read_root(merge->first->document)->name, &new);

	if (err)
		return err;
	merge_make_window(merge);
	merge_settle_histograms(merge);
	merge_settle_tree(merge);
	write_all(merge, new);
	if (merge->arena.is_short) {
		report_free(new);
		return -ENOMEM;
	}
	*report = new;
	return 0;
}
