/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports as JSON, by the rules of docs/report.md; and what these must know of the vocabulary. */
#ifndef COMMON_REPORT_JSON_H
#define COMMON_REPORT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "common/json.h"
#include "common/report_read.h"

/* The value of this element or attribute is a string even when it looks like a number. */
bool report_json_is_text(const char *name);
/* This element is an array even when it stands alone. */
bool report_json_is_list(const char *name);
/* What the scalar member of an element's object was in XML. */
enum report_json_member {
	REPORT_JSON_ELEMENT,
	REPORT_JSON_ATTRIBUTE,
	REPORT_JSON_TEXT, /* the element's own text */
};
enum report_json_member report_json_member(const char *element, const char *member);

/* The XML document that the JSON text of a report stands for, its elements in the same lines. *xml is the caller's to
 * free. -EBADMSG with the reason in why and its line, or -ENOMEM. */
int report_json_read(const char *json, size_t size, char **xml, size_t *xml_size, unsigned *line, char *why, size_t length);

/* The document as one object, {"pmbenchmark": ...}, perhaps on one line; its JSON has an indent of REPORT_JSON_INDENT. What
 * report_json_check refuses gives JSON even so, but a member may be there twice or have another type. Errors stick to
 * json->out. */
#define REPORT_JSON_INDENT "  "
void report_json_print(struct json *json, const struct report_node *root, bool is_one_line);

/* Whether JSON can say all of it as the rules want: 0, or -EBADMSG, the node and one line in why (text where a number
 * is due, text beside elements, a name that is both attribute and element). With is_newer, for reports of a minor
 * version that is not known, any text may stand anywhere. */
int report_json_check(const struct report_node *root, bool is_newer, const struct report_node **where, char *why,
	size_t length);

#endif
