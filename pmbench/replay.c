/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "common/replay.h"
#include "common/report_read.h"

/* Its zipf drew from a bounded Pareto distribution. It cut the shape of linear and normal to a whole number, and gave one
 * without a meaning for others. */
static int add_pattern(struct opt_line *line, const char *path, const char *pattern, const char *shape)
{
	bool is_whole = !strcmp(pattern, "linear") || !strcmp(pattern, "normal");
	bool is_pareto = !strcmp(pattern, "pareto") || !strcmp(pattern, "zipf");
	char text[32];
	int rc = replay_add(line, path, "pattern", is_pareto ? "pareto" : pattern);

	if (rc || !shape || !(is_whole || is_pareto))
		return rc;
	snprintf(text, sizeof(text), "%.*s", is_whole ? (int)strcspn(shape, ".") : (int)sizeof(text) - 1, shape);
	return replay_add(line, path, "shape", text);
}

int replay_take_original(const struct report_node *signature, struct opt_line *line, const char *path)
{
	static const char *const same[] = {"duration", "mapsize", "setsize", "delay", "jobs", "offset", "ratio", "access"};
	static const char *const flags[] = {"initialize", "quiet", "cold"};
	const struct report_node *params = report_read_find(signature, "params"), *node, *shape;
	int rc = params ? 0 : -EINVAL;

	for (size_t i = 0; !rc && i < sizeof(same) / sizeof(same[0]); i++) {
		node = report_read_find(params, same[i]);
		if (node)
			rc = replay_add(line, path, same[i], node->text);
	}
	for (size_t i = 0; !rc && i < sizeof(flags) / sizeof(flags[0]); i++) {
		node = report_read_find(params, flags[i]);
		if (node && !strcmp(node->text, "1"))
			rc = replay_add(line, path, flags[i], "yes");
	}
	if (rc)
		return rc;
	shape = report_read_find(params, "shape");
	node = report_read_find(params, "pattern");
	if (node)
		rc = add_pattern(line, path, node->text, shape ? shape->text : NULL);
	node = report_read_find(params, "tsops");
	/* Its rdtscp was not fenced. */
	if (!rc && node)
		rc = replay_add(line, path, "timestamp", !strcmp(node->text, "rdtscp") ? "rdtscp-unfenced" : node->text);
	return rc;
}
