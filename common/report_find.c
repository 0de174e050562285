/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_read.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "common/units.h"

const struct report_node *report_read_find(const struct report_node *from, const char *path)
{
	size_t length = strcspn(path, "/");

	for (const struct report_node *child = from->child; child; child = child->next) {
		const struct report_node *found = child;

		if (strncmp(child->name, path, length) != 0 || child->name[length] != '\0')
			continue;
		if (path[length] == '/')
			found = report_read_find(child, path + length + 1);
		if (found)
			return found;
	}
	return NULL;
}

const char *report_read_text(const struct report_node *from, const char *path)
{
	const struct report_node *node = from ? report_read_find(from, path) : NULL;

	return node ? node->text : "";
}

const struct report_node *report_read_next(const struct report_node *node)
{
	const struct report_node *next = node->next;

	while (next && next->name != node->name && strcmp(next->name, node->name) != 0)
		next = next->next;
	return next;
}

const char *report_read_attribute(const struct report_node *node, const char *name)
{
	for (size_t i = 0; i < node->attribute_count; i++) {
		if (strcmp(node->attributes[2 * i], name) == 0)
			return node->attributes[2 * i + 1];
	}
	return NULL;
}

int report_read_u64(const struct report_node *from, const char *path, uint64_t *value)
{
	const struct report_node *node = report_read_find(from, path);

	return node ? units_parse_u64(node->text, 0, UINT64_MAX, value) : -ENOENT;
}

int report_read_double(const struct report_node *from, const char *path, double *value)
{
	const struct report_node *node = report_read_find(from, path);

	return node ? units_parse_double(node->text, -DBL_MAX, DBL_MAX, value) : -ENOENT;
}

double report_read_number(const struct report_node *from, const char *path)
{
	double value;

	return report_read_double(from, path, &value) ? NAN : value;
}

double report_read_attribute_number(const struct report_node *node, const char *name)
{
	const char *text = report_read_attribute(node, name);
	double value;

	return text && !units_parse_double(text, -DBL_MAX, DBL_MAX, &value) ? value : NAN;
}
