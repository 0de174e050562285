/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists made into tables, and the document elements. */
#include "config.h"
#include "schema/ssd.h"

FIELD_DEFINE(SHARED_RECORDS)
FIELD_DEFINE(SSD_RECORDS)

const struct field_root field_roots[] = {
	{"ssdworkloads", ssd_document_record, false},
	{NULL},
};
