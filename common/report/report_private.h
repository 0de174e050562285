/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of reports only. */
#ifndef COMMON_REPORT_PRIVATE_H
#define COMMON_REPORT_PRIVATE_H

#include <locale.h>
#include <libxml/xmlwriter.h>
#include "common/report/report.h"

struct report {
	xmlBufferPtr buffer;
	xmlTextWriterPtr writer;
	locale_t c_locale;
	unsigned depth; /* elements begun and not ended */
	bool is_ended;  /* the document element was ended */
	bool is_whole;  /* and the writer has flushed all of it */
	int error;      /* the first one */
};

/* Tells whether the value of this element or attribute is a string even when it looks like a number. */
bool report_json_is_text(const char *name);
/* Tells whether this element is an array even when there is only one. */
bool report_json_is_list(const char *name);

#endif
