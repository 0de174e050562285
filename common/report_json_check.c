/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_json.h"

#include <errno.h>
#include <float.h>
#include <stdarg.h>
#include <string.h>
#include "common/diag.h"
#include "common/units.h"

#define NAMES_MAX 256 /* different children of one element: ten times what there is */

struct checking {
	bool is_newer;
	const struct report_node *where;
	char *why;
	size_t length;
};

static int __attribute__((format(printf, 3, 4)))
refuse(struct checking *checking, const struct report_node *node, const char *format, ...)
{
	va_list arguments;

	checking->where = node;
	va_start(arguments, format);
	vsnprintf(checking->why, checking->length, format, arguments);
	va_end(arguments);
	if (checking->length)
		diag_clean(checking->why, strlen(checking->why), "");
	return -EBADMSG;
}

/* What the schema has as a number fits 64 bits or a double. */
static bool is_value(const char *text)
{
	bool is_whole = text[strspn(text, "-0123456789")] == '\0';
	uint64_t count;
	int64_t integer;
	double number;

	if (!strcmp(text, "true") || !strcmp(text, "false"))
		return true;
	if (!report_json_is_number(text))
		return false;
	if (is_whole)
		return !units_parse_u64(text, 0, UINT64_MAX, &count) ||
		       !units_parse_i64(text, INT64_MIN, INT64_MAX, &integer);
	return !units_parse_double(text, -DBL_MAX, DBL_MAX, &number);
}

/* Names of the children, each once; what more are is refused. */
static int list_names(struct checking *checking, const struct report_node *node, const char **names, size_t *count)
{
	for (const struct report_node *child = node->child; child; child = child->next) {
		size_t i = *count;

		while (i > 0 && names[i - 1] != child->name && strcmp(names[i - 1], child->name) != 0)
			i--;
		if (i > 0)
			continue;
		if (*count == NAMES_MAX)
			return refuse(checking, child, "more than %d different elements in one <%.40s>", NAMES_MAX, node->name);
		names[(*count)++] = child->name;
	}
	return 0;
}

static int check_attribute(
	struct checking *checking, const struct report_node *node, const char *name, const char *value)
{
	/* Most are numbers, which need no look into the table. */
	if (!checking->is_newer && !is_value(value) && !report_json_is_text(name))
		return refuse(checking, node, "%.40s=\"%.40s\" of <%.40s>: allowed are numbers, true and false", name,
			value, node->name);
	if (!node->child && node->whole[0] && strcmp(name, "value") == 0)
		return refuse(checking, node, "<%.40s> has both a text and an attribute value", node->name);
	return 0;
}

static int check_names(struct checking *checking, const struct report_node *node)
{
	const char *names[NAMES_MAX];
	size_t count = 0;
	int error = list_names(checking, node, names, &count);

	for (size_t i = 0; i < node->attribute_count && !error; i++) {
		const char *name = node->attributes[2 * i];

		error = check_attribute(checking, node, name, node->attributes[2 * i + 1]);
		for (size_t j = 0; j < count && !error; j++) {
			if (strcmp(name, names[j]) == 0)
				error = refuse(checking, node, "%.40s is both an attribute of <%.40s> and an element in it",
					name, node->name);
		}
	}
	return error;
}

/* The tree is at most 64 deep. */
static int check_node(struct checking *checking, const struct report_node *node)
{
	int error = check_names(checking, node);

	if (error)
		return error;
	if (node->child && node->text[0])
		return refuse(checking, node, "<%.40s> has text beside elements: '%.40s'", node->name, node->text);
	if (!node->child && !checking->is_newer && node->whole[0] && !is_value(node->whole) &&
		!report_json_is_text(node->name))
		return refuse(checking, node, "<%.40s> is '%.40s': allowed are numbers, true and false", node->name,
			node->whole);
	for (const struct report_node *child = node->child; child && !error; child = child->next)
		error = check_node(checking, child);
	return error;
}

int report_json_check(const struct report_node *root, bool is_newer, const struct report_node **where, char *why,
	size_t length)
{
	struct checking checking = {is_newer, NULL, why, length};
	int error = check_node(&checking, root);

	if (error)
		*where = checking.where;
	return error;
}
