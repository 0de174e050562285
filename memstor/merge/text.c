/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helper functions of merge/: texts, refusals, numbers of a tree. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "common/units.h"

int merge_refuse(struct merge *merge, int err, const struct report_node *node, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	loaded_say(merge->why, merge->length, merge->path, node, format, arguments);
	va_end(arguments);
	return err;
}

bool merge_grow(struct merge *merge, void *items, size_t count, size_t *room, size_t size)
{
	bool is_grown = !arena_grow(items, room, count, size);

	merge->arena.is_short |= !is_grown;
	return is_grown;
}

void merge_omit(struct merge *merge, const char *name, const char *why)
{
	for (size_t i = 0; i < merge->omission_count; i++) {
		if (!strcmp(merge->omissions[i].name, name))
			return;
	}
	if (merge_grow(merge, &merge->omissions, merge->omission_count, &merge->omission_room, sizeof(*merge->omissions)))
		merge->omissions[merge->omission_count++] = (struct named_text_values){name, why};
}

void merge_remark(struct merge *merge, const char *line)
{
	if (merge_grow(merge, &merge->notes, merge->note_count, &merge->note_room, sizeof(*merge->notes)))
		merge->notes[merge->note_count++] = line;
}

int merge_read_u64(struct merge *merge, const struct report_node *node, uint64_t *value)
{
	if (units_parse_u64(node->text, 0, UINT64_MAX, value))
		return merge_refuse(merge, -EBADMSG, node,
			"<%.40s> is '%.40s': allowed are whole numbers from 0 to 2^64-1", node->name, node->text);
	return 0;
}

int merge_need_u64(
	struct merge *merge, const struct report_node *parent, const char *path, uint64_t *value)
{
	const struct report_node *node = report_read_find(parent, path);

	if (!node)
		return merge_refuse(merge, -EBADMSG, parent, "<%.40s> has no <%s>", parent->name, path);
	return merge_read_u64(merge, node, value);
}

const char *merge_join(struct merge *merge, const char *first, const char *more)
{
	size_t length = strlen(more);

	for (const char *at = first; length && (at = strstr(at, more)); at++) {
		bool begins = at == first || (at - first >= 2 && at[-1] == ' ' && at[-2] == ',');

		if (begins && (!at[length] || !strncmp(at + length, ", ", 2)))
			return first;
	}
	/* As long as a text of a report may be: what is more would be cut. */
	if (!length || strlen(first) > REPORT_TEXT_MAX)
		return first;
	return first[0] ? arena_format(&merge->arena, "%s, %s", first, more) : arena_copy(&merge->arena, more);
}
