/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists made into tables, and the document elements. */
#include "config.h"
#include "schema/iowrite.h"
#include "schema/memtrace.h"
#include "schema/pmbench.h"
#include "schema/ssd.h"
#include "schema/with_pressure.h"

FIELD_DEFINE(SHARED_RECORDS)
FIELD_DEFINE(PM_RECORDS)
FIELD_DEFINE(IOW_RECORDS)
FIELD_DEFINE(SSD_RECORDS)
FIELD_DEFINE(MT_RECORDS)
FIELD_DEFINE(WP_RECORDS)

const struct field_root field_roots[] = {
	{"pmbenchmark", pm_document_record, false},
	{"iowritesystem", iow_system_record, false},
	{"iowritebench", iow_document_record, false},
	{"ssdworkloads", ssd_document_record, false},
	{"memtrace", mt_document_record, false},
	{"withpressure", wp_document_record, false},
	{"iowriteprediction", iow_prediction_record, true},
	{.element = NULL},
};
