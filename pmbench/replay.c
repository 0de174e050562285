/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/diag.h"
#include "common/report_read.h"

#define LIST_MAX 512

struct list {
	struct report_option *items;
	size_t count;
	bool is_full; /* or out of memory: what is more was not added */
};

static void add(struct list *list, const char *name, const char *value)
{
	struct report_option *item = &list->items[list->count];

	if (list->count == LIST_MAX) {
		list->is_full = true;
		return;
	}
	item->name = strdup(name);
	item->value = strdup(value);
	list->count++;
	if (!item->name || !item->value)
		list->is_full = true;
}

static bool has(const struct list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->items[i].name, name))
			return true;
	}
	return false;
}

static const char *text_of(const struct report_node *from, const char *path)
{
	const struct report_node *node = report_read_find(from, path);

	return node ? node->text : NULL;
}

static void read_ours(
	const struct report_node *signature, const struct report_node *options, struct list *list)
{
	const char *seed = text_of(signature, "seed");

	for (const struct report_node *node = report_read_find(options, "option"); node;
		node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (name)
			add(list, name, node->text);
	}
	if (seed && !has(list, "seed"))
		add(list, "seed", seed);
}

static void add_flag(struct list *list, const char *name, const char *value)
{
	if (value && !strcmp(value, "1"))
		add(list, name, "yes");
}

/* The original cuts the shape of linear and normal to a whole number, and gives it without a meaning for
 * others. */
static void add_pattern(struct list *list, const char *pattern, const char *shape)
{
	bool is_whole = !strcmp(pattern, "linear") || !strcmp(pattern, "normal");
	bool is_pareto = !strcmp(pattern, "pareto") || !strcmp(pattern, "zipf");
	char whole[32];

	add(list, "pattern", is_pareto ? "pareto" : pattern);
	if (!shape || !(is_whole || is_pareto))
		return;
	snprintf(whole, sizeof(whole), "%.*s", is_whole ? (int)strcspn(shape, ".") : (int)sizeof(whole) - 1,
		shape);
	add(list, "shape", whole);
}

static void read_originals(const struct report_node *params, struct list *list)
{
	static const char *const same[] = {
		"duration", "mapsize", "setsize", "delay", "jobs", "offset", "ratio", "access"};
	static const char *const flags[] = {"initialize", "quiet", "cold"};
	const char *pattern = text_of(params, "pattern"), *timer = text_of(params, "tsops");

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		const char *value = text_of(params, same[i]);

		if (value)
			add(list, same[i], value);
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		add_flag(list, flags[i], text_of(params, flags[i]));
	if (pattern)
		add_pattern(list, pattern, text_of(params, "shape"));
	if (timer)
		add(list, "timestamp", !strcmp(timer, "rdtscp") ? "rdtscp-unfenced" : timer);
}

static int read_signature(const char *path, const struct report_document *document, struct list *list)
{
	const struct report_node *root = report_read_root(document);
	const struct report_node *signature = report_read_find(root, "report/signature");
	const struct report_node *options = signature ? report_read_find(signature, "options") : NULL;
	const struct report_node *params = signature ? report_read_find(signature, "params") : NULL;

	if (strcmp(root->name, "pmbenchmark") || !(options || params)) {
		diag_error(0, "%s: not a report of pmbench: no options in it to repeat", path);
		return DIAG_EXIT_USAGE;
	}
	if (options)
		read_ours(signature, options, list);
	else
		read_originals(params, list);
	if (list->is_full) {
		diag_error(0, "%s: more than %d options, or no memory for them", path, LIST_MAX);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

int replay_read(const char *path, struct report_option **list, size_t *count)
{
	struct report_document *document = NULL;
	struct list found = {.items = calloc(LIST_MAX, sizeof(*found.items))};
	char why[256];
	int rc = DIAG_EXIT_USAGE;

	*list = NULL;
	*count = 0;
	if (!found.items) {
		diag_error(ENOMEM, "cannot read %s", path);
		goto out;
	}
	if (report_read_file(path, &document, why, sizeof(why))) {
		diag_error(0, "--replay %s", why);
		goto out;
	}
	rc = read_signature(path, document, &found);
	if (rc)
		goto out;
	*list = found.items;
	*count = found.count;
	found.items = NULL;
	found.count = 0;
out:
	replay_free(found.items, found.count);
	report_read_free(document);
	return rc;
}

void replay_free(struct report_option *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free((char *)list[i].name);
		free((char *)list[i].value);
	}
	free(list);
}
