/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/report_pmbench.h"

#include <time.h>

static void write_os(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;
	const struct pm_version_info_values version = {machine->os_name, machine->arch, machine->os_release};

	FIELD_ROW(report, field, pm_os_info, machine->hostname, FIELD_ONE(&version));
}

/* As the original: struct tm as it is, in UTC, while its text has local time. */
static struct pm_time_info_values time_values(time_t when)
{
	struct tm tm;

	gmtime_r(&when, &tm);
	return (struct pm_time_info_values){
		.wday = tm.tm_wday,
		.year = tm.tm_year,
		.mon = tm.tm_mon,
		.mday = tm.tm_mday,
		.hour = tm.tm_hour,
		.min = tm.tm_min,
		.sec = tm.tm_sec,
		.yday = tm.tm_yday,
		.isdst = tm.tm_isdst,
	};
}

static void write_params(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	const struct pmbench_options *options = result->plan->options;
	struct result_params params;

	result_params(result, &params);
	FIELD_ROW(report, field, pm_params,
		.duration = params.duration_s,
		.mapsize = params.map_mib,
		.setsize = params.set_mib,
		.initialize = params.is_initialized,
		.shape = params.shape,
		.delay = options->delay_ticks,
		.quiet = options->is_quiet,
		.cold = params.is_cold,
		.jobs = params.jobs,
		.offset = options->offset,
		.ratio = options->ratio,
		.pattern = params.pattern,
		.access = params.access,
		.tsops = params.tsops);
}

static void write_signature(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	const struct pm_info_values info = {REPORT_PMBENCH_VERSION, REPORT_PMBENCH_OPTIONS, REPORT_FORMAT_VERSION};
	const struct pm_time_info_values time = time_values(result_reported_on(result));
	char text[REPORT_WALL_START];

	FIELD_ROW(report, field, pm_signature,
		.pmbench_info = FIELD_ONE(&info),
		.os_info = FIELD_BY(write_os, &result->machine),
		.time_info = FIELD_ONE(&time),
		.params = FIELD_BY(write_params, result),
		REPORT_SIGNATURE_MEMBERS(&result->signature, &result->machine, text));
}

void report_pmbench(struct report *report, const struct pmbench_result *result)
{
	const struct machine_info_values machine = report_machine(&result->machine, &result->timebase);
	const struct report_checks checks = {result->checks, result->check_count};
	const struct report_verdict verdict = {result->status, result->reasons, result->reason_count};
	const struct pm_report_values values = {
		.signature = FIELD_BY(write_signature, result),
		.machine_info = FIELD_ONE(&machine),
		.environment = FIELD_BY(report_environment, &checks),
		.result = FIELD_BY(report_pmbench_result, result),
		.statistics = result_has_histograms(result) ? FIELD_BY(report_pmbench_statistics, result) : FIELD_NONE,
		.series = result->interval_count ? FIELD_BY(report_pmbench_series, result) : FIELD_NONE,
		.sys_mem_info = FIELD_BY(report_pmbench_memory, result),
		.verdict = FIELD_BY(report_verdict, &verdict),
	};

	field_write_inside(report, pm_document_record(), &(struct pm_document_values){FIELD_ONE(&values)});
}
