/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports as JSON, by the rules of docs/report.md. */
#ifndef COMMON_REPORT_JSON_H
#define COMMON_REPORT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "common/json.h"
#include "common/report_read.h"

/* Tells whether this element is an array even when there is only one. */
bool report_json_is_list(const char *name);

/* Converts the JSON text of a report to XML, each element in the same line. The caller frees *xml. Returns 0, -EBADMSG with
 * the reason in why and its line, or -ENOMEM. */
int report_json_read(const char *json, size_t size, char **xml, size_t *xml_size, unsigned *line, char *why, size_t length);

/* Prints the document as one object, {"pmbenchmark": ...}, optionally on one line; json has an indent of REPORT_JSON_INDENT.
 * A document that report_json_check refuses gives JSON in which a member may occur twice or have another type. Errors are
 * those of json->out. */
#define REPORT_JSON_INDENT "  "
void report_json_print(struct json *json, const struct report_node *root, bool is_one_line);

/* Checks whether the rules can express the document in JSON. Returns 0, or -EBADMSG, the node and one line in why (text in
 * place of a number, text next to elements, a name that is both attribute and element). With is_newer, for reports of an
 * unknown minor version, any text is allowed anywhere. */
int report_json_check(const struct report_node *root, bool is_newer, const struct report_node **where, char *why,
	size_t length);

#endif
