/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports against a schema (XSD): streamed by libxml2, without a tree, entities or network. A schema is one
 * file: xs:include, xs:import and xs:redefine are refused, so that nothing else is read. One thread at a time.
 */
#ifndef COMMON_REPORT_VALIDATE_H
#define COMMON_REPORT_VALIDATE_H

#include <stddef.h>

struct report_schema;

/* Parses a schema from text, which is not kept; name is for messages. Returns 0, -EINVAL when it is no schema, or -ENOMEM, and
 * one line in why: "NAME:LINE: reason". */
int report_schema_new(
	const char *text, size_t size, const char *name, struct report_schema **schema, char *why, size_t length);
void report_schema_free(struct report_schema *schema);

/* Validates a text that report_read_memory accepts. Calls found for each violation of the schema, in the
 * order of the file, with one line of text: what is wrong and what is allowed. Returns 0, -EBADMSG when the text is not
 * well-formed, or -ENOMEM. */
int report_validate(const struct report_schema *schema, const char *text, size_t size,
	void (*found)(void *data, unsigned line, const char *text), void *data);

#endif
