/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the writer of JSON must know of the vocabulary; for the test that compares it with the schema. */
#ifndef COMMON_REPORT_JSON_H
#define COMMON_REPORT_JSON_H

#include <stdbool.h>

/* The value of this element or attribute is a string even when it looks like a number. */
bool report_json_is_text(const char *name);
/* This element is an array even when it stands alone. */
bool report_json_is_list(const char *name);

#endif
