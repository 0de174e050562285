/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of reports only. */
#ifndef COMMON_REPORT_PRIVATE_H
#define COMMON_REPORT_PRIVATE_H

#include <locale.h>
#include <libxml/xmlwriter.h>
#include "common/report.h"

struct report {
	xmlBufferPtr buffer;
	xmlTextWriterPtr writer;
	locale_t c_locale;
	unsigned depth; /* elements begun and not ended */
	bool is_ended;  /* the document element was ended */
	bool is_whole;  /* and the writer has flushed all of it */
	int error;      /* the first one */
};

/* The XML form of a scalar member of an element's object in JSON. */
enum report_json_member {
	REPORT_JSON_ELEMENT,
	REPORT_JSON_ATTRIBUTE,
	REPORT_JSON_TEXT, /* the element's own text */
};
enum report_json_member report_json_member(const char *element, const char *member);
/* Tells whether the value of this element or attribute is a string even when it looks like a number. */
bool report_json_is_text(const char *name);
/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
bool report_json_is_number(const char *text);

#endif
