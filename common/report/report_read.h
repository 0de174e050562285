/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only reader of reports: builds a bounded tree of a file by libxml2's SAX, without entities, DTDs or network. Limits: 64 MiB
 * of UTF-8, depth 64, 4 million nodes, 64 KiB from one tag to the next, 64 attributes of a node. Errors carry file and line.
 */
#ifndef COMMON_REPORT_REPORT_READ_H
#define COMMON_REPORT_REPORT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_READ_MAX (64u << 20) /* bytes */

struct report_node {
	const char *name;              /* one pointer for equal names without a prefix in a document, of elements and attributes */
	const char *text;              /* trimmed character data, "" when none */
	const char *whole;             /* untrimmed, of an element without child elements; else the same as text */
	struct report_node *parent, *child, *next;
	size_t attribute_count;
	const char *const *attributes; /* name, value, name, value, ... */
	unsigned line;
};

struct report_document;

/* Functions return 0, or -errno (-EBADMSG: not a report) and one line in why: "PATH:LINE: reason" for a file, "line LINE:
 * reason" for memory; without a line number when the reason has none. */
int report_read_file(const char *path, struct report_document **document, char *why, size_t length);
int report_read_memory(const char *text, size_t size, struct report_document **document, char *why, size_t length);
void report_read_free(struct report_document *document);

/* Returns the document element. */
const struct report_node *report_read_root(const struct report_document *document);
/* Returns the first descendant by a path of child names, "report/signature/params/ratio"; NULL when absent. */
const struct report_node *report_read_find(const struct report_node *from, const char *path);
/* Returns the text of such a node; "" when it is absent, or from is NULL. */
const char *report_read_text(const struct report_node *from, const char *path);
/* Returns the next sibling of the same name, or NULL. */
const struct report_node *report_read_next(const struct report_node *node);
const char *report_read_attribute(const struct report_node *node, const char *name); /* NULL = absent */
/* Parses the text of find(path); -ENOENT: absent, -EINVAL: not a number, -ERANGE: too large. */
int report_read_u64(const struct report_node *from, const char *path, uint64_t *value);
int report_read_double(const struct report_node *from, const char *path, double *value);

#endif
