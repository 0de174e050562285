/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_REPORT_REPORT_H
#define PMBENCH_REPORT_REPORT_H

#include "pmbench/run/result.h"

/* Values of the original's elements for its version and for its build options (threads, NUMA, xalloc). */
#define REPORT_PMBENCH_VERSION "pmbench " PACKAGE_VERSION
#define REPORT_PMBENCH_OPTIONS (sizeof(void *) == 8 ? " Linux 64bit +mt +nu -xa" : " Linux 32bit +mt +nu -xa")

/* Fills a report with <report> as in docs/report.md: the original's elements unchanged, and additional ones. */
void report_pmbench(struct report *report, const struct pmbench_result *result);

#endif
