/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One page with reports in it: the viewer (memstor/viewer/) whose data is no longer empty. What the reports say is
 * foreign text. It reaches the page as JSON in ASCII without < > &, so that nothing in it can end the element that
 * holds it, and as escaped text of the table for readers without JavaScript.
 */
#ifndef MEMSTOR_HTML_HTML_H
#define MEMSTOR_HTML_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "memstor/loaded/loaded.h"

/* Where the page takes what: offsets into its text, in this order. */
struct html_template {
	const char *text;
	size_t size;
	size_t title, title_end; /* the text of <title> */
	size_t table;            /* before the </noscript>, or where one can stand */
	bool has_noscript;
	size_t data, data_end;   /* the [] of <script type="application/json" id="memstor-reports">[]</script> */
};

/* 0, or -EINVAL for a page that does not have title and data once, or more than one noscript before the data. */
int html_template_find(const char *text, size_t size, struct html_template *page);

/* A JSON string with its quotes: ASCII, without control characters and < > &. What is no UTF-8 becomes U+FFFD. */
void html_write_json(FILE *out, const char *text, size_t size);
/* A report as a JSON list of texts in their order, of which those that are read on demand (statistics, series,
 * sys_mem_info) are {"part": NAME, "zlib": the text compressed, in base64}. 0 or -ENOMEM. */
int html_write_parts(FILE *out, const char *text, size_t size);
/* Text of an element or of an attribute in quotes. Control characters, those that turn the direction of text, and
 * what is no UTF-8 become U+FFFD. */
void html_write_text(FILE *out, const char *text);

/* The table: begin, a row for each report, end. */
void html_begin_table(FILE *out, const char *title);
void html_write_row(FILE *out, const struct loaded *loaded);
void html_end_table(FILE *out);

#endif
