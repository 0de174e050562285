/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a report: they are refused in one line, or give a tree that holds together. */
#include "config.h"
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "common/report/report_read.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void fuzz_node(const struct report_node *node, unsigned depth)
{
	uint64_t number;
	double real;
	int err;

	check(depth < 64 && node->name[0] && node->text);
	for (size_t i = 0; i < node->attribute_count; i++)
		check(report_read_attribute(node, node->attributes[2 * i]));
	check(!report_read_attribute(node, ""));
	for (const struct report_node *child = node->child; child; child = child->next) {
		const struct report_node *same = report_read_next(child);

		check(child->parent == node);
		check(!same || strcmp(same->name, child->name) == 0);
		fuzz_node(child, depth + 1);
	}
	if (!node->child)
		return;
	check(report_read_find(node, node->child->name));
	err = report_read_u64(node, node->child->name, &number);
	check(err == 0 || err == -EINVAL || err == -ERANGE || err == -ENOENT);
	err = report_read_double(node, node->child->name, &real);
	check(err == 0 || err == -EINVAL || err == -ERANGE || err == -ENOENT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_document *document = NULL;
	char why[64] = "";
	int err = report_read_memory((const char *)data, size, &document, why, sizeof(why));

	check((err == 0) == (document != NULL));
	if (err) {
		check(err == -EBADMSG && why[0] && !strpbrk(why, "\r\n"));
		return 0;
	}
	check(report_read_root(document) && !report_read_root(document)->parent);
	fuzz_node(report_read_root(document), 0);
	report_read_free(document);
	return 0;
}
