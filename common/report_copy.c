/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_copy.h"

#include <string.h>

/* Deep as the tree is: at most 64 (common/report_read.h). */
void report_copy_content(
	struct report *report, const struct report_node *node, report_copy_fn *instead, void *data)
{
	if (!node->child && node->whole[0])
		report_content(report, node->whole);
	for (const struct report_node *child = node->child; child; child = child->next)
		report_copy(report, child, instead, data);
}

void report_copy(struct report *report, const struct report_node *node, report_copy_fn *instead, void *data)
{
	if (instead && instead(report, node, data))
		return;
	report_begin(report, node->name);
	for (size_t i = 0; i < node->attribute_count; i++)
		report_attribute(report, node->attributes[2 * i], node->attributes[2 * i + 1]);
	report_copy_content(report, node, instead, data);
	report_end(report);
}

static const char *const *keep_attributes(struct arena *arena, const struct report_node *node)
{
	size_t count = 2 * node->attribute_count;
	const char **copy = arena_allocate(arena, count * sizeof(*copy));

	for (size_t i = 0; copy && i < count; i++) {
		copy[i] = arena_text(arena, node->attributes[i], strlen(node->attributes[i]));
		if (!copy[i])
			return NULL;
	}
	return copy;
}

/* before: the sibling before it, or NULL; mostly it has the same name, which is kept once. */
static struct report_node *keep(
	struct arena *arena, const struct report_node *node, const struct report_node *before, size_t *count)
{
	struct report_node *copy = arena_allocate(arena, sizeof(*copy)), *last = NULL;
	bool is_same = before && strcmp(before->name, node->name) == 0;

	if (!copy)
		return NULL;
	*copy = (struct report_node){.line = node->line, .attribute_count = node->attribute_count};
	copy->name = is_same ? before->name : arena_text(arena, node->name, strlen(node->name));
	copy->text = arena_text(arena, node->text, strlen(node->text));
	copy->whole = node->whole == node->text ? copy->text : arena_text(arena, node->whole, strlen(node->whole));
	copy->attributes = node->attribute_count ? keep_attributes(arena, node) : NULL;
	if (!copy->name || !copy->text || !copy->whole || (node->attribute_count && !copy->attributes))
		return NULL;
	for (const struct report_node *child = node->child; child; child = child->next) {
		struct report_node *kept = keep(arena, child, last, count);

		if (!kept)
			return NULL;
		kept->parent = copy;
		if (last)
			last->next = kept;
		else
			copy->child = kept;
		last = kept;
	}
	(*count)++;
	return copy;
}

const struct report_node *report_keep(struct arena *arena, const struct report_node *node, size_t *count)
{
	return keep(arena, node, NULL, count);
}
