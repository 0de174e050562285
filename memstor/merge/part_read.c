/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A <part> of a merged report, as merge/write_parts.c has written it, or somebody else. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The first of name below list, and how many there are; refused when they are too many. */
static int find_list(struct merge *merge, const struct report_node *part, const char *list, const char *name,
	const struct report_node **first, size_t *count)
{
	const struct report_node *parent = report_read_find(part, list);

	*first = parent ? report_read_find(parent, name) : NULL;
	*count = 0;
	for (const struct report_node *node = *first; node; node = report_read_next(node))
		(*count)++;
	if (*count > MERGE_TEXTS_MAX)
		return merge_refuse(merge, -EINVAL, *first, "%zu elements <%s> in one <%s>: allowed are %d", *count,
			name, list, MERGE_TEXTS_MAX);
	return 0;
}

static int read_texts(struct merge *merge, const struct report_node *part, const char *list, const char *element,
	struct merge_texts *texts)
{
	const struct report_node *node;
	size_t count;
	int err = find_list(merge, part, list, element, &node, &count);

	texts->items = err ? NULL : merge_array(merge, count, sizeof(*texts->items));
	for (; node && texts->items; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (!name)
			return merge_refuse(merge, -EBADMSG, node, "<%s> has no name", element);
		texts->items[texts->count++] =
			(struct loaded_text){merge_text(merge, name), merge_text(merge, node->text)};
	}
	return err;
}

int merge_read_checks(struct merge *merge, const struct report_node *from, const char *list, const char *element,
	struct merge_checks *checks)
{
	const struct report_node *node;
	size_t count;
	int err = find_list(merge, from, list, element, &node, &count);

	checks->items = err ? NULL : merge_array(merge, count, sizeof(*checks->items));
	for (; node && checks->items; node = report_read_next(node)) {
		const char *code = report_read_attribute(node, "code");

		if (!code)
			return merge_refuse(merge, -EBADMSG, node, "<%s> has no code", element);
		checks->items[checks->count++] = (struct merge_check){merge_text(merge, code),
			merge_text(merge, report_read_text(node, "finding")),
			merge_text(merge, node->child ? report_read_text(node, "measured") : node->text),
			merge_text(merge, report_read_text(node, "advice"))};
	}
	return err;
}

static int read_summary(
	struct merge *merge, const struct report_node *summary, struct histogram_summary *values)
{
	const struct {
		const char *name;
		double *value;
	} parts[] = {{"min_ns", &values->min_ns}, {"mean_ns", &values->mean_ns}, {"stddev_ns", &values->stddev_ns},
		{"p50_ns", &values->p50_ns}, {"p90_ns", &values->p90_ns}, {"p95_ns", &values->p95_ns},
		{"p99_ns", &values->p99_ns}, {"p999_ns", &values->p999_ns}, {"p9999_ns", &values->p9999_ns},
		{"max_ns", &values->max_ns}};
	int err = merge_need_u64(merge, summary, "count", &values->count);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++)
		err = merge_take_double(merge, summary, parts[i].name, parts[i].value);
	return err;
}

static int read_rows(struct merge *merge, const struct report_node *node, struct merge_part *part)
{
	const struct report_node *histogram = report_read_find(node, "latency_histogram");
	size_t room = 0;
	int err = 0;

	for (const struct report_node *each = histogram; each; each = report_read_next(each))
		room++;
	part->rows = merge_array(merge, room, sizeof(*part->rows));
	for (; histogram && part->rows && !err; histogram = report_read_next(histogram)) {
		const char *type = report_read_attribute(histogram, "type");
		const char *layout = report_read_attribute(histogram, "layout");
		const struct report_node *summary = report_read_find(histogram, "summary");
		struct merge_row *row = &part->rows[part->row_count++];

		row->layout = layout ? merge_layout(layout) : NULL;
		if (!type || !row->layout || !summary)
			return merge_refuse(merge, -EBADMSG, histogram,
				"<latency_histogram> of a part needs a type, a layout that is log16 or hdr, and a <summary>");
		row->type = merge_text(merge, type);
		err = read_summary(merge, summary, &row->summary);
	}
	return err;
}

static int read_numbers(struct merge *merge, const struct report_node *node, struct merge_part *part)
{
	int err = merge_need_u64(merge, node, "threads", &part->threads);

	if (!err)
		err = merge_need_u64(merge, node, "accesses", &part->accesses);
	if (!err)
		err = merge_take_double(merge, node, "run_s", &part->run_s);
	if (!err)
		err = merge_take_double(merge, node, "accesses_per_second", &part->accesses_per_second);
	if (!err)
		err = merge_take_double(merge, node, "faults_per_second", &part->faults_per_second);
	if (!err && part->threads > MERGE_ELEMENTS_MAX)
		err = merge_refuse(merge, -EBADMSG, node, "<threads> is %llu: allowed are %d",
			(unsigned long long)part->threads, MERGE_ELEMENTS_MAX);
	return err;
}

static int read_lists(struct merge *merge, const struct report_node *node, struct merge_part *part)
{
	int err = read_texts(merge, node, "options", "option", &part->options);

	if (!err)
		err = read_texts(merge, node, "labels", "label", &part->labels);
	if (!err)
		err = read_texts(merge, node, "facts", "fact", &part->facts);
	if (!err)
		err = merge_read_checks(merge, node, "environment", "check", &part->checks);
	if (!err)
		err = merge_read_checks(merge, node, "verdict", "reason", &part->reasons);
	return err ? err : read_rows(merge, node, part);
}

int merge_read_part(struct merge *merge, const struct report_node *node, struct merge_part *part)
{
	const struct report_node *verdict = report_read_find(node, "verdict");
	const char *status = verdict ? report_read_attribute(verdict, "status") : NULL;
	int err;

	if (!status || (strcmp(status, "ok") && strcmp(status, "interrupted") && strcmp(status, "untrustworthy")))
		return merge_refuse(merge, -EBADMSG, node,
			"<part> needs a <verdict> with status ok, interrupted or untrustworthy");
	part->status = merge_text(merge, status);
	part->file = merge_text(merge, report_read_text(node, "file"));
	part->uuid = merge_text(merge, report_read_text(node, "uuid"));
	part->tool_version = merge_text(merge, report_read_text(node, "tool_version"));
	part->report_version = merge_text(merge, report_read_text(node, "report_version"));
	part->seed = merge_text(merge, report_read_text(node, "seed"));
	merge_take_host(merge, report_read_find(node, "host"), part);
	err = merge_take_clock(merge, node, part);
	if (!err)
		err = read_numbers(merge, node, part);
	return err ? err : read_lists(merge, node, part);
}
