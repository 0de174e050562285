/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/report_pmbench.h"

#include <time.h>

static void write_info(struct report *report)
{
	report_begin(report, "pmbench_info");
	report_text(report, "version_number", REPORT_PMBENCH_VERSION);
	report_text(report, "version_options", REPORT_PMBENCH_OPTIONS);
	report_text(report, "version_xmloutput", REPORT_FORMAT_VERSION);
	report_end(report);
}

static void write_os(struct report *report, const struct machine *machine)
{
	report_begin(report, "os_info");
	report_text(report, "hostname", machine->hostname);
	report_begin(report, "version_info");
	report_text(report, "os_name", machine->os_name);
	report_text(report, "arch", machine->arch);
	report_text(report, "release", machine->os_release);
	report_end(report);
	report_end(report);
}

/* As the original: struct tm as it is, in UTC, while its text has local time. */
static void write_time(struct report *report, time_t when)
{
	struct tm tm;

	gmtime_r(&when, &tm);
	report_begin(report, "time_info");
	report_i64(report, "wday", tm.tm_wday);
	report_i64(report, "year", tm.tm_year);
	report_i64(report, "mon", tm.tm_mon);
	report_i64(report, "mday", tm.tm_mday);
	report_i64(report, "hour", tm.tm_hour);
	report_i64(report, "min", tm.tm_min);
	report_i64(report, "sec", tm.tm_sec);
	report_i64(report, "yday", tm.tm_yday);
	report_i64(report, "isdst", tm.tm_isdst);
	report_end(report);
}

static void write_params(struct report *report, const struct pmbench_result *result)
{
	const struct pmbench_options *options = result->plan->options;
	struct result_params params;

	result_params(result, &params);
	report_begin(report, "params");
	report_u64(report, "duration", params.duration_s);
	report_u64(report, "mapsize", params.map_mib);
	report_u64(report, "setsize", params.set_mib);
	report_u64(report, "initialize", params.is_initialized);
	report_fixed(report, "shape", params.shape, 4);
	report_u64(report, "delay", options->delay_ticks);
	report_u64(report, "quiet", options->is_quiet);
	report_u64(report, "cold", params.is_cold);
	report_u64(report, "jobs", params.jobs);
	report_i64(report, "offset", options->offset);
	report_u64(report, "ratio", options->ratio);
	report_text(report, "pattern", params.pattern);
	report_text(report, "access", params.access);
	report_text(report, "tsops", params.tsops);
	report_end(report);
}

static void write_signature(struct report *report, const struct pmbench_result *result)
{
	report_begin(report, "signature");
	write_info(report);
	write_os(report, &result->machine);
	write_time(report, result_reported_on(result));
	report_text(report, "uuid", result->signature.uuid);
	write_params(report, result);
	report_write_signature(report, &result->signature, &result->machine);
	report_end(report);
}

void report_pmbench(struct report *report, const struct pmbench_result *result)
{
	report_begin(report, "report");
	write_signature(report, result);
	report_write_machine(report, &result->machine, &result->timebase);
	report_write_environment(report, result->checks, result->check_count);
	report_pmbench_result(report, result);
	if (result_has_histograms(result))
		report_pmbench_statistics(report, result);
	if (result->interval_count)
		report_pmbench_series(report, result);
	report_pmbench_memory(report, result);
	report_write_verdict(report, result->status, result->reasons, result->reason_count);
	report_end(report);
}
