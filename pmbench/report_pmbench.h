/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_REPORT_PMBENCH_H
#define PMBENCH_REPORT_PMBENCH_H

#include "pmbench/result.h"
#include "schema/pmbench.h"

/* In the original's places: its versions, and how it says what it was built with (threads, NUMA, xalloc). */
#define REPORT_PMBENCH_VERSION "pmbench " PACKAGE_VERSION
#define REPORT_PMBENCH_OPTIONS (sizeof(void *) == 8 ? " Linux 64bit +mt +nu -xa" : " Linux 32bit +mt +nu -xa")

/* Fills a report with <report> as docs/report.md says: the original's elements unchanged, ours beside them. */
void report_pmbench(struct report *report, const struct pmbench_result *result);

/* Its parts, for FIELD_BY (common/field.h). from, result: struct pmbench_result */
void report_pmbench_result(struct report *report, const struct field *field, const void *from);
void report_pmbench_statistics(struct report *report, const struct field *field, const void *result);
void report_pmbench_series(struct report *report, const struct field *field, const void *from);
void report_pmbench_memory(struct report *report, const struct field *field, const void *result);

#endif
