/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a report that is by time. */
#ifndef SSD_WORKLOADS_RUN_REPORT_SERIES_H
#define SSD_WORKLOADS_RUN_REPORT_SERIES_H

#include "ssd-workloads/run/result.h"

/* <series>, when there is one. */
void report_write_series(struct report *report, const struct run_result *result);
/* <counters>: what the device and the kernel counted between two samples. */
void report_write_samples(struct report *report, const struct counters *from, const struct counters *to);

#endif
