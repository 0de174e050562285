/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the result as a report (docs/report-ssd.md). */
#ifndef SSD_WORKLOADS_RUN_REPORT_H
#define SSD_WORKLOADS_RUN_REPORT_H

#include "schema/ssd.h"
#include "ssd-workloads/run/result.h"

/* Writes the report to the files of the options. Returns DIAG_EXIT_OK, or DIAG_EXIT_HOST after an error message for each file
 * that could not be written. */
int ssd_run_report(const struct ssd_run_result *result);

#define RUN_ERROR_TEXT 16
/* Returns the name of an error, "EIO", or its number in text if it has none. */
const char *run_error_name(int error, char text[RUN_ERROR_TEXT]);

/* callbacks for FIELD_BY (common/report/field.h); from is a struct baseline_result, verify_result or ssd_run_result */
void ssd_run_report_baselines(struct report *report, const struct field *field, const void *from);
void ssd_run_report_verification(struct report *report, const struct field *field, const void *from);
void ssd_run_report_series(struct report *report, const struct field *field, const void *from);

/* Returns the time in seconds that the mix's shortest ring holds, if that is less than --records; NAN = none is shorter. */
double run_records_held(const struct ssd_run_result *result);

#endif
