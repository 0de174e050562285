/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page with reports in it: the viewer (memstor/viewer/) with its data filled in. The texts of the reports are
 * untrusted. The page holds them as JSON in ASCII without < > &, so that they cannot end the element that
 * holds them, and as escaped text of the table for browsers without JavaScript.
 */
#ifndef MEMSTOR_HTML_HTML_H
#define MEMSTOR_HTML_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "memstor/loaded/loaded.h"

/* Offsets into the text of the page at which texts are inserted, in this order. */
struct html_template {
	const char *text;
	size_t size;
	size_t title, title_end; /* begin and end of the text of <title> */
	size_t table;            /* before </noscript>, or where a <noscript> may be inserted */
	bool has_noscript;
	size_t data, data_end;   /* begin and end of the [] of <script type="application/json" id="memstor-reports">[]</script> */
};

/* Finds the offsets. Returns 0, or -EINVAL if the page does not have the title and the data exactly once, or has more than
 * one noscript before the data. */
int html_template_find(const char *text, size_t size, struct html_template *page);

/* Writes a JSON string with its quotes: ASCII, without control characters and < > &. Invalid UTF-8 becomes U+FFFD. */
void html_write_json(FILE *out, const char *text, size_t size);
/* Writes a report as a JSON list of its texts in order. Texts that are read on demand (statistics, series,
 * sys_mem_info) are {"part": NAME, "zlib": the compressed text in base64}. Returns 0 or -ENOMEM. */
int html_write_parts(FILE *out, const char *text, size_t size);
/* Writes the text of an element or of a quoted attribute. Control characters, characters that change the direction of
 * text, and invalid UTF-8 become U+FFFD. */
void html_write_text(FILE *out, const char *text);

/* Write the table: its begin, a row for each report, its end. */
void html_begin_table(FILE *out, const char *title);
void html_write_row(FILE *out, const struct loaded *loaded);
void html_end_table(FILE *out);

#endif
