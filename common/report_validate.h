/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports against a schema (XSD): streamed by libxml2, without a tree, entities or network. A schema is one
 * file: xs:include, xs:import and xs:redefine are refused, so that nothing else is read. One thread at a time.
 */
#ifndef COMMON_REPORT_VALIDATE_H
#define COMMON_REPORT_VALIDATE_H

#include <stddef.h>

struct report_schema;

/* Of bytes that are called name; they are not kept. 0, or -EINVAL for what is no schema, -ENOMEM, and one line in why:
 * "NAME:LINE: reason". */
int report_schema_new(
	const char *text, size_t size, const char *name, struct report_schema **schema, char *why, size_t length);
void report_schema_free(struct report_schema *schema);

/* Of a text that report_read_memory takes. Calls found once for everything that the schema does not allow, in the
 * order of the file, with one line of text: what is wrong and what is allowed. 0, -EBADMSG when the text is not even
 * well-formed, -ENOMEM. */
int report_validate(const struct report_schema *schema, const char *text, size_t size,
	void (*found)(void *data, unsigned line, const char *text), void *data);

#endif
