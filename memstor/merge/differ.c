/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes together: no run twice, the same options unless told otherwise, and what else differs is said. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Options that do not decide what is measured. */
static bool decides(const char *option)
{
	static const char *const others[] = {"interval", "label", "quiet", "seed"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(option, others[i]) == 0)
			return false;
	}
	return true;
}

/* The value number nth of that name; NULL when there is none. */
static const char *value_of(const struct merge_texts *texts, const char *name, size_t nth)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (strcmp(texts->items[i].name, name) == 0 && nth-- == 0)
			return texts->items[i].value;
	}
	return NULL;
}

static bool is_same(const struct merge_texts *a, const struct merge_texts *b, const char *name)
{
	for (size_t nth = 0;; nth++) {
		const char *first = value_of(a, name, nth), *second = value_of(b, name, nth);

		if (!first || !second)
			return first == second;
		if (strcmp(first, second) != 0)
			return false;
	}
}

static const char *all_values(struct merge *merge, const struct merge_texts *texts, const char *name)
{
	const char *joined = value_of(texts, name, 0), *next;

	for (size_t nth = 1; joined && (next = value_of(texts, name, nth)); nth++)
		joined = merge_format(merge, "%s, %s", joined, next);
	return joined ? joined : "";
}

struct telling {
	struct merge *merge;
	const char *prefix;
	bool (*matters)(const char *name);
	merge_difference_fn *tell;
	void *data;
};

static void tell(
	const struct telling *telling, const struct merge_texts *first, const struct merge_texts *own, const char *name)
{
	struct merge *merge = telling->merge;

	telling->tell(merge_format(merge, "%s%s", telling->prefix, name), all_values(merge, first, name),
		all_values(merge, own, name), telling->data);
}

/* Names of the first part in its order, then those that only the other has. */
static void differ_lists(const struct telling *telling, const struct merge_texts *first, const struct merge_texts *own)
{
	for (size_t i = 0; i < first->count; i++) {
		const char *name = first->items[i].name;
		bool is_new = value_of(first, name, 0) == first->items[i].value;

		if (is_new && (!telling->matters || telling->matters(name)) && !is_same(first, own, name))
			tell(telling, first, own, name);
	}
	for (size_t i = 0; i < own->count; i++) {
		const char *name = own->items[i].name;
		bool is_new = value_of(own, name, 0) == own->items[i].value;

		if (is_new && (!telling->matters || telling->matters(name)) && !value_of(first, name, 0))
			tell(telling, first, own, name);
	}
}

void merge_differ_options(
	struct merge *merge, const struct merge_part *part, merge_difference_fn *tell_one, void *data)
{
	const struct telling telling = {merge, "--", decides, tell_one, data};

	differ_lists(&telling, &merge->parts.items[0].options, &part->options);
}

void merge_differ(struct merge *merge, const struct merge_part *part, merge_difference_fn *tell_one, void *data)
{
	const struct merge_part *first = &merge->parts.items[0];
	const struct telling facts = {merge, "", NULL, tell_one, data};

	if (strcmp(first->tool_version, part->tool_version) != 0)
		tell_one("tool_version", first->tool_version, part->tool_version, data);
	merge_differ_options(merge, part, tell_one, data);
	differ_lists(&facts, &first->facts, &part->facts);
}

bool merge_is_shared(const struct merge *merge, size_t list_offset, const char *name)
{
	const struct merge_texts *first = (const void *)((const char *)&merge->parts.items[0] + list_offset);

	for (size_t i = 1; i < merge->parts.count; i++) {
		const struct merge_texts *other =
			(const void *)((const char *)&merge->parts.items[i] + list_offset);

		if (!is_same(first, other, name))
			return false;
	}
	return true;
}

#define NAMED_MAX 4 /* differences that a message names */

struct naming {
	size_t count;
	char text[400];
};

static void name_one(const char *name, const char *first, const char *part, void *data)
{
	struct naming *naming = data;
	size_t used = strlen(naming->text);

	if (naming->count++ < NAMED_MAX)
		snprintf(naming->text + used, sizeof(naming->text) - used, "%s%s is '%.24s', not '%.24s'",
			used ? "; " : "", name, part, first);
}

static int check_options(struct merge *merge, const struct merge_part *part)
{
	struct naming naming = {0, ""};

	if (merge->flags & MERGE_ALLOW_DIFFERENT)
		return 0;
	merge_differ_options(merge, part, name_one, &naming);
	if (!naming.count)
		return 0;
	return merge_refuse(merge, -EINVAL, NULL, "other options than in %s: %s%s: --allow-different merges them all the same",
		merge->parts.items[0].file, naming.text, naming.count > NAMED_MAX ? "; ..." : "");
}

static int check_uuid(struct merge *merge, size_t index)
{
	const struct merge_part *part = &merge->parts.items[index];

	if (!part->uuid[0])
		return merge_refuse(merge, -EBADMSG, NULL, "no <uuid>: it tells whether a run is merged twice");
	for (size_t i = 0; i < index; i++) {
		const struct merge_part *other = &merge->parts.items[i];

		if (strcmp(part->uuid, other->uuid) == 0)
			return merge_refuse(merge, -EEXIST, NULL,
				"the run %.40s is in %s already, and would count twice: leave one of them out", part->uuid,
				other->file);
	}
	return 0;
}

int merge_check_parts(struct merge *merge, size_t first)
{
	int err = 0;

	for (size_t i = first; i < merge->parts.count && !err; i++) {
		err = check_uuid(merge, i);
		if (!err && i > 0)
			err = check_options(merge, &merge->parts.items[i]);
	}
	return err;
}
