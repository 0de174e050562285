/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

/* The tools whose reports can be merged, by their document elements. */
static const char *const tools[] = {"pmbenchmark"};

int merge_new(unsigned flags, struct merge **merge)
{
	struct merge *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->flags = flags;
	new->media_ns = NAN;
	*merge = new;
	return 0;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	loaded_free(merge->first);
	free(merge->parts.items);
	free(merge->threads);
	free(merge->totals.set_bytes);
	free(merge->phases);
	free(merge->omissions.items);
	free(merge->notes);
	arena_free(&merge->arena);
	free(merge);
}

static int check_tool(struct merge *merge, const struct loaded *loaded)
{
	const struct report_node *root = report_read_root(loaded->document);
	const struct report_node *first = report_read_root(merge->first->document);
	bool is_known = false;

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		is_known |= strcmp(root->name, tools[i]) == 0;
	if (!is_known)
		return merge_refuse(merge, -EINVAL, NULL,
			"<%s> is no report of pmbench: so far only those can be merged; memstor compare takes several",
			root->name);
	if (strcmp(root->name, first->name) != 0)
		return merge_refuse(merge, -EINVAL, NULL, "a report of %.40s, the first one is of %.40s: merge them apart",
			loaded->tool, merge->first->tool);
	return 0;
}

/* Sorts as the times do; -1 when it is none. */
static int64_t order_of(const struct report_node *time_info)
{
	static const struct {
		const char *name;
		int64_t scale;
	} rows[] = {{"year", 366 * 86400}, {"yday", 86400}, {"hour", 3600}, {"min", 60}, {"sec", 1}};
	int64_t order = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t value;

		if (units_parse_i64(report_read_text(time_info, rows[i].name), 0, 10000, &value))
			return -1;
		order += value * rows[i].scale;
	}
	return order;
}

static int take_end(struct merge *merge, const struct report_node *report)
{
	const struct report_node *time_info = report_read_find(report, "signature/time_info");

	if (!time_info || !report_read_find(report, "signature/params"))
		return merge_refuse(merge, -EBADMSG, report, "the <signature> has no <%s>",
			time_info ? "params" : "time_info");
	if (merge->time_info && order_of(time_info) <= order_of(merge->time_info))
		return 0;
	merge->time_info = report_keep(&merge->arena, time_info, &merge->elements);
	return merge->time_info ? 0 : -ENOMEM;
}

static int add(struct merge *merge, const struct loaded *loaded)
{
	const struct report_node *report = report_read_find(report_read_root(loaded->document), "report");
	size_t first_part = merge->parts.count;
	int err = check_tool(merge, loaded);

	if (!err)
		err = merge_add_parts(merge, loaded);
	if (!err)
		err = merge_check_parts(merge, first_part);
	if (!err)
		err = take_end(merge, report);
	if (!err)
		err = merge_add_result(merge, loaded);
	if (!err)
		err = merge_add_histograms(merge, loaded);
	merge->is_original |= loaded->is_original;
	merge->inputs++;
	return merge->is_short ? -ENOMEM : err;
}

int merge_add(struct merge *merge, struct loaded *loaded, char *why, size_t length)
{
	bool is_first = !merge->first;
	int err;

	if (length)
		why[0] = '\0';
	merge->path = loaded->path;
	merge->why = why;
	merge->length = length;
	if (is_first)
		merge->first = loaded;
	err = add(merge, loaded);
	if (err == -ENOMEM)
		merge_refuse(merge, err, NULL, "%s", strerror(ENOMEM));
	merge->path = merge->why = NULL;
	merge->length = 0;
	if (!is_first)
		loaded_free(loaded);
	return err;
}

const char *merge_status(const struct merge *merge)
{
	const char *worst = "ok";

	for (size_t i = 0; i < merge->parts.count; i++) {
		const char *status = merge->parts.items[i].status;

		if (strcmp(status, "untrustworthy") == 0)
			return "untrustworthy";
		if (strcmp(status, "interrupted") == 0)
			worst = "interrupted";
	}
	return worst;
}

const char *merge_note(const struct merge *merge, size_t index)
{
	return index < merge->note_count ? merge->notes[index] : NULL;
}
