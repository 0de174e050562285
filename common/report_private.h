/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the report writer only. */
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

/* Does for a plain file what report_file_write does, in one of the two ways of common/report_file.h. */
int report_file_replace(const char *path, const char *text, size_t size, bool is_nameless);

/* Tells how path is to be written. 0 or -errno: -EISDIR, ... */
enum report_target { REPORT_TARGET_STDOUT, REPORT_TARGET_STREAM, REPORT_TARGET_FILE };

#endif
