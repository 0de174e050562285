/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result as a report: docs/report-ssd.md. */
#ifndef SSD_WORKLOADS_RUN_REPORT_H
#define SSD_WORKLOADS_RUN_REPORT_H

#include "schema/ssd.h"
#include "ssd-workloads/run/result.h"

/* To the files that the options name. DIAG_EXIT_OK, or DIAG_EXIT_HOST after one line for each that could not be
 * written. */
int run_report(const struct run_result *result);

#define RUN_ERROR_TEXT 16
/* "EIO"; of an error that has no name its number, in text. */
const char *run_error_name(int error, char text[RUN_ERROR_TEXT]);

/* For FIELD_BY (common/field.h). from: struct baseline_result, verify_result, run_result */
void run_report_baselines(struct report *report, const struct field *field, const void *from);
void run_report_verification(struct report *report, const struct field *field, const void *from);
void run_report_series(struct report *report, const struct field *field, const void *from);

/* Seconds: how far back the shortest ring of the mix goes that is shorter than --records; NAN = none is. */
double run_records_held(const struct run_result *result);

#endif
