/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result as a report: docs/report-ssd.md. */
#ifndef SSD_WORKLOADS_RUN_REPORT_H
#define SSD_WORKLOADS_RUN_REPORT_H

#include "ssd-workloads/run/result.h"

/* To the files that the options name. DIAG_EXIT_OK, or DIAG_EXIT_HOST after one line for each that could not be
 * written. */
int run_report(const struct run_result *result);

#define RUN_ERROR_TEXT 16
/* "EIO"; of an error that has no name its number, in text. */
const char *run_error_name(int error, char text[RUN_ERROR_TEXT]);

/* In files of those who know: each writes its own element, when there is something to say. */
void report_write_split(struct report *report, const struct run_split *split);
void report_write_baselines(struct report *report, const struct baseline_result *baselines);
void report_write_verification(struct report *report, const struct verify_result *verify);
void report_write_records(struct report *report, const struct run_result *result);

/* Seconds: how far back the shortest ring of the mix goes that is shorter than --records; NAN = none is. */
double run_records_held(const struct run_result *result);

#endif
