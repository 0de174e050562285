/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_REPORT_PMBENCH_H
#define PMBENCH_REPORT_PMBENCH_H

#include "pmbench/result.h"

/* In the original's places: its versions, and how it says what it was built with (threads, NUMA, xalloc). */
#define REPORT_PMBENCH_VERSION "pmbench " PACKAGE_VERSION
#define REPORT_PMBENCH_OPTIONS (sizeof(void *) == 8 ? " Linux 64bit +mt +nu -xa" : " Linux 32bit +mt +nu -xa")

/* Fills a report with <report> as docs/report.md says: the original's elements unchanged, ours beside them. */
void report_pmbench(struct report *report, const struct pmbench_result *result);

#endif
