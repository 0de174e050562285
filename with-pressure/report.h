/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a command: docs/report-with-pressure.md. */
#ifndef WITH_PRESSURE_REPORT_H
#define WITH_PRESSURE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "common/pressure/pressure.h"
#include "with-pressure/options.h"

/* Lies in memory shared with the process that becomes the command, which fills it in just before execve. */
struct wp_launch {
	uint64_t start_ns;    /* CLOCK_MONOTONIC; 0 = it did not get that far */
	struct rusage before; /* used by that process until then */
	int exec_error;       /* errno of execve; 0 = the command started */
};

struct wp_report;

/* Reads the machine. Call it when all limits are set. cgroup_dir: of the command, or NULL. Returns 0, or a diag_exit code after
 * one line. */
int wp_report_begin(const struct wp_options *options, const char *cgroup_dir, int argc, char **argv,
	struct wp_report **report);
/* Reads the kernel's counters, just before the command starts. */
void wp_report_start(struct wp_report *report, const char *cgroup_dir);
/* Reads the counters again, just after the command's end and before its cgroup is removed. */
void wp_report_end(struct wp_report *report, const char *cgroup_dir);
/* Writes the report to options->xml_path and frees it. Returns 0, or a diag_exit code after one line. */
int wp_report_write(struct wp_report *report, struct wp_options *options, const struct wp_launch *launch,
	const struct pressure_outcome *outcome, bool is_interrupted);
void wp_report_free(struct wp_report *report);

/* Stores the peak memory of a cgroup; false: its kernel does not count that. */
bool wp_cgroup_peak(const char *cgroup_dir, uint64_t *bytes);

#endif
