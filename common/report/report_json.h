/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a report as JSON, by the rules of docs/report.md. XML does not distinguish numbers from text or single elements from
 * lists: the lists of schema/ do (common/report/field.h). A name has one kind of value everywhere, so that names are enough.
 */
#ifndef COMMON_REPORT_REPORT_JSON_H
#define COMMON_REPORT_REPORT_JSON_H

#include <stdbool.h>

#include "common/report/report.h"

/* Writes JSON like report_write_xml. */
int report_write_json(struct report *report, const char *path);

/* Tells whether the value of this element or attribute is a string even when it looks like a number. */
bool report_json_is_text(const char *name);
/* Tells whether this element is an array even when there is only one. */
bool report_json_is_list(const char *name);

#endif
