/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int merge_new(unsigned flags, struct merge **merge)
{
	struct merge *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->flags = flags;
	new->end = INT64_MIN;
	*merge = new;
	return 0;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	loaded_free(merge->first);
	for (size_t i = 0; i < merge->parts.count; i++)
		report_read_free(merge->parts.items[i].document);
	free(merge->parts.items);
	for (size_t i = 0; i < merge->histogram_count; i++)
		metric_merge_free(&merge->histograms[i].sum);
	free(merge->histograms);
	free(merge->types);
	free(merge->numbers);
	free(merge->omissions);
	free(merge->notes);
	arena_free(&merge->arena);
	free(merge);
}

static int check_tool(struct merge *merge, const struct loaded *loaded)
{
	const struct report_node *root = report_read_root(loaded->document);
	const struct report_node *first = report_read_root(merge->first->document);

	if (strcmp(root->name, first->name))
		return merge_refuse(merge, -EINVAL, NULL, "<%.40s>, but <%.40s> in %s: reports of different tools cannot be merged",
			root->name, first->name, merge->first->path);
	return 0;
}

static int add(struct merge *merge, const struct loaded *loaded)
{
	const struct report_node *report = report_read_find(report_read_root(loaded->document), "report");
	int64_t end = merge_original_end(report);
	int err = check_tool(merge, loaded);

	merge->is_last = end > merge->end;
	merge->end = merge->is_last ? end : merge->end;
	merge->adds_original = loaded->is_original;
	merge->is_original |= loaded->is_original;
	if (!err)
		err = merge_add_parts(merge, loaded);
	if (!err)
		err = merge_add_tree(merge, report);
	if (!err)
		err = merge_add_histograms(merge, loaded);
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
