/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks before a report is loaded: it is a report, its version is known, and it has no duplicate elements. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <stdio.h>
#include <string.h>

#include "common/report_common.h"
#include "common/report_json.h"
#include "common/units.h"

#define NAMES_MAX 256 /* different children of one element: ten times what there is */

static int check_root(struct loading *loading)
{
	const struct report_node *root = report_read_root(loading->loaded.document);
	const struct field_record *record = field_root(root->name);
	size_t used = 0, left = 0;
	char allowed[256] = "";

	if (record && field_find(record, "report")) {
		loading->report = report_read_find(root, "report");
		return loading->report ? 0 : loaded_refuse(loading, root, "<%s> has no <report>", root->name);
	}
	for (const struct field_root *known = field_roots; known->element; known++)
		left += field_find(known->record(), "report") != NULL;
	for (const struct field_root *known = field_roots; known->element && used < sizeof(allowed); known++) {
		if (!field_find(known->record(), "report"))
			continue;
		used += (size_t)snprintf(allowed + used, sizeof(allowed) - used, "<%s>%s", known->element,
			left > 2 ? ", " : left == 2 ? " and " : "");
		left--;
	}
	return loaded_refuse(loading, root, "<%.40s> is not a report: allowed are %s", root->name, allowed);
}

/* "1.0" -> 1, 0 */
static bool parse_version(const char *text, uint64_t *major, uint64_t *minor)
{
	const char *dot = strchr(text, '.');
	char first[8];

	if (!dot || dot - text >= (ptrdiff_t)sizeof(first))
		return false;
	snprintf(first, sizeof(first), "%.*s", (int)(dot - text), text);
	return !units_parse_u64(first, 0, 9999, major) && !units_parse_u64(dot + 1, 0, 9999, minor);
}

static int check_version(struct loading *loading)
{
	const struct report_node *node = report_read_find(loading->report, "signature/report_version");
	uint64_t major = 0, minor = 0, own_major = 0, own_minor = 0;

	loading->loaded.is_original = !node;
	if (!node && !loaded_is_original_root(report_read_root(loading->loaded.document)))
		return loaded_refuse(loading, loading->report, "no <report_version> in the <signature>");
	if (!node)
		return 0;
	if (!parse_version(node->text, &major, &minor))
		return loaded_refuse(
			loading, node, "<report_version> is '%.40s': allowed are versions like 1.0", node->text);
	parse_version(REPORT_FORMAT_VERSION, &own_major, &own_minor);
	if (major > own_major)
		return loaded_refuse(loading, node,
			"report format %.40s is newer than this program, which reads up to %llu.x: use a newer memstor",
			node->text, (unsigned long long)own_major);
	loading->loaded.is_newer = major == own_major && minor > own_minor;
	return 0;
}

/* Refuses a second element of one name among siblings that are no list. Depth first without recursion: the tree is at most
 * 64 deep, but wide. */
static int check_once(struct loading *loading)
{
	const struct report_node *root = report_read_root(loading->loaded.document), *parent = root;

	while (parent) {
		/* Siblings of one name share its text (report_read.c), so that most comparisons end at the first byte. */
		const char *names[NAMES_MAX];
		size_t count = 0;

		for (const struct report_node *node = parent->child; node; node = node->next) {
			size_t known = 0;

			if (report_json_is_list(node->name))
				continue;
			while (known < count && strcmp(names[known], node->name) != 0)
				known++;
			if (known < count)
				return loaded_refuse(loading, node, "a second <%.40s> in one <%.40s>", node->name, parent->name);
			if (count == NAMES_MAX)
				return loaded_refuse(loading, node, "more than %d different elements in one <%.40s>", NAMES_MAX,
					parent->name);
			names[count++] = node->name;
		}
		if (parent->child && (!loading->loaded.is_newer || parent == root)) {
			parent = parent->child;
			continue;
		}
		while (parent && !parent->next)
			parent = parent->parent;
		parent = parent ? parent->next : NULL;
	}
	return 0;
}

int loaded_recognise(const struct report_document *document, const char *name, char *why, size_t length)
{
	struct loading loading = {.loaded = {.path = name, .document = document}, .why = why, .length = length};
	int err;

	if (length)
		why[0] = '\0';
	err = check_root(&loading);
	return err ? err : check_version(&loading);
}

int loaded_take_laws(struct loading *loading)
{
	int err = check_root(loading);

	if (!err)
		err = check_version(loading);
	return err ? err : check_once(loading);
}
