/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "with-pressure/report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/kernel/counters.h"
#include "common/run/frame.h"
#include "schema/with_pressure.h"

#define COUNTERS (VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI | VMCOUNTERS_STAT | VMCOUNTERS_CGROUP)
/* The kernel keeps the peak of the process across execve, and counts pages per CPU. */
#define PEAK_ERROR_KIB 512
#define UNAVAILABLE 4

struct wp_report {
	struct frame frame;
	struct vmcounters before, after;
	uint64_t cgroup_peak_bytes;
	bool has_cgroup;
	size_t unavailable_count;
	struct named_text_values unavailable[UNAVAILABLE];
	char peak_reason[96];
};

bool wp_cgroup_peak(const char *cgroup_dir, uint64_t *bytes)
{
	static const char *const files[] = {"memory.peak", "memory.max_usage_in_bytes"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", cgroup_dir, files[i]);
		if (!sysfs_read_u64("", path, bytes))
			return true;
	}
	return false;
}

int wp_report_begin(const struct wp_options *options, const char *cgroup_dir, int argc, char **argv,
	struct wp_report **report)
{
	struct target none = {.kind = TARGET_FILE, .fd = -1};
	struct wp_report *made = calloc(1, sizeof(*made));
	struct machine *machine;
	int code;

	if (!made)
		return diag_host(ENOMEM, "cannot make the report");
	code = frame_start(&made->frame, "with-pressure", argc, argv, &none);
	if (code) {
		free(made);
		return code;
	}
	machine = &made->frame.machine;
	if (cgroup_dir)
		snprintf(machine->cgroup_dir, sizeof(machine->cgroup_dir), "%s", cgroup_dir);
	if (options->plan.ram_bytes && options->plan.ram_bytes < machine->cgroup_limit_bytes)
		machine->cgroup_limit_bytes = options->plan.ram_bytes;
	made->cgroup_peak_bytes = FIELD_NO_COUNT;
	made->has_cgroup = cgroup_dir;
	*report = made;
	return DIAG_EXIT_OK;
}

void wp_report_start(struct wp_report *report, const char *cgroup_dir)
{
	vmcounters_read("", cgroup_dir, COUNTERS, &report->before);
}

void wp_report_end(struct wp_report *report, const char *cgroup_dir)
{
	vmcounters_read("", cgroup_dir, COUNTERS, &report->after);
	if (cgroup_dir && !wp_cgroup_peak(cgroup_dir, &report->cgroup_peak_bytes))
		report->cgroup_peak_bytes = FIELD_NO_COUNT;
}

void wp_report_free(struct wp_report *report)
{
	free(report);
}

static void lacks(struct wp_report *report, const char *name, const char *reason)
{
	if (report->unavailable_count < UNAVAILABLE)
		report->unavailable[report->unavailable_count++] = (struct named_text_values){name, reason};
}

/* --- the parts of the result --- */

static bool stall_of(const struct wp_report *report, const char *name, uint64_t *ns)
{
	uint64_t before, after;

	if (!vmcounters_get(&report->before, name, &before) || !vmcounters_get(&report->after, name, &after) ||
		after < before)
		return false;
	*ns = (after - before) * 1000;
	return true;
}

static bool read_stalls(struct wp_report *report, struct wp_stalls_values *stalls)
{
	stalls->scope = "cgroup";
	if (stall_of(report, "cgroup.psi.memory.some.total", &stalls->memory_some_ns) &&
		stall_of(report, "cgroup.psi.memory.full.total", &stalls->memory_full_ns) &&
		stall_of(report, "cgroup.psi.io.some.total", &stalls->io_some_ns) &&
		stall_of(report, "cgroup.psi.io.full.total", &stalls->io_full_ns))
		return true;
	stalls->scope = "machine";
	if (stall_of(report, "psi.memory.some.total", &stalls->memory_some_ns) &&
		stall_of(report, "psi.memory.full.total", &stalls->memory_full_ns) &&
		stall_of(report, "psi.io.some.total", &stalls->io_some_ns) &&
		stall_of(report, "psi.io.full.total", &stalls->io_full_ns))
		return true;
	lacks(report, "stalls", "the kernel has no /proc/pressure (CONFIG_PSI, or the boot option psi=1)");
	return false;
}

static uint64_t ns_between(const struct timeval *from, const struct timeval *to)
{
	int64_t us = ((int64_t)to->tv_sec - from->tv_sec) * 1000000 + to->tv_usec - from->tv_usec;

	return us > 0 ? (uint64_t)us * 1000 : 0;
}

static uint64_t rise(long from, long to)
{
	return to > from ? (uint64_t)(to - from) : 0;
}

static void take_usage(struct wp_report *report, const struct wp_launch *launch, const struct pressure_outcome *outcome,
	struct wp_result_values *result)
{
	const struct rusage *from = &launch->before, *to = &outcome->usage;

	result->wall_ns = outcome->end_ns - launch->start_ns;
	result->user_ns = ns_between(&from->ru_utime, &to->ru_utime);
	result->system_ns = ns_between(&from->ru_stime, &to->ru_stime);
	result->minor_faults = rise(from->ru_minflt, to->ru_minflt);
	result->major_faults = rise(from->ru_majflt, to->ru_majflt);
	result->voluntary_switches = rise(from->ru_nvcsw, to->ru_nvcsw);
	result->involuntary_switches = rise(from->ru_nivcsw, to->ru_nivcsw);
	/* The kernel counts in units of 512 bytes, whatever the file system. */
	result->block_input_bytes = rise(from->ru_inblock, to->ru_inblock) * 512;
	result->block_output_bytes = rise(from->ru_oublock, to->ru_oublock) * 512;
	if (to->ru_maxrss > from->ru_maxrss + PEAK_ERROR_KIB) {
		result->peak_bytes = (uint64_t)to->ru_maxrss * 1024;
		return;
	}
	snprintf(report->peak_reason, sizeof(report->peak_reason),
		"not above the %ld KiB of the process that became the command", from->ru_maxrss);
	lacks(report, "peak_bytes", report->peak_reason);
}

static void write_settings(struct report *report, const struct field *field, const void *from)
{
	const struct pressure_plan *plan = from;

	for (size_t i = 0; i < plan->setting_count; i++)
		FIELD_ROW(report, field, named_text, plan->settings[i].path, plan->settings[i].value);
}

static uint64_t unless_zero(uint64_t value)
{
	return value ? value : FIELD_NO_COUNT;
}

static struct wp_pressure_values pressure_of(const struct pressure_plan *plan, const struct pressure_outcome *outcome)
{
	return (struct wp_pressure_values){
		.ram_bytes = unless_zero(plan->ram_bytes),
		.high_bytes = unless_zero(plan->high_bytes),
		.swap_kind = wp_swap_kind(&plan->swap),
		.swap_bytes = unless_zero(pressure_swap_bytes(&plan->swap)),
		.swappiness = plan->has_swappiness ? plan->swappiness : FIELD_NO_COUNT,
		.eaters = plan->eater_count,
		.setting = FIELD_BY(write_settings, plan),
		.was_oom = outcome->was_oom_killed,
		.is_restored = outcome->is_restored,
		.setup_ns = outcome->setup_ns,
		.teardown_ns = outcome->teardown_ns,
	};
}

/* --- verdict and signature --- */

static void decide(struct frame *frame, const char *command, const struct wp_launch *launch,
	const struct pressure_outcome *outcome)
{
	int status = outcome->wait_status;

	if (launch->exec_error)
		frame_reason(frame, "not-started", "%s: %s", command, strerror(launch->exec_error));
	else if (WIFSIGNALED(status))
		frame_reason(frame, "killed",
			"signal %d (%s) ended the command", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		frame_reason(frame, "failed", "the command ended with status %d", WEXITSTATUS(status));
	if (outcome->was_oom_killed)
		frame_reason(frame, "oom",
			"the kernel killed processes of the command for lack of memory: give more --ram or --swap");
	for (size_t i = 0; i < outcome->reason_count; i++)
		frame_reason(frame, outcome->reasons[i].code, "%s", outcome->reasons[i].text);
}

/* Joins the words of the command, with quotes around those that blanks divide: it is a condition of the measurement as options
 * are, and only runs of the same one are compared. The caller frees the text; NULL without memory. */
static char *join(char **words)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && words[i]; i++) {
		const char *quote = !*words[i] || strpbrk(words[i], " \t\n'") ? "'" : "";

		fprintf(out, "%s%s%s%s", i ? " " : "", quote, words[i], quote);
	}
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* The start is that of the command; the wall clock was read with the other one, a moment before. */
static void set_times(struct report_signature *signature, const struct wp_launch *launch,
	const struct pressure_outcome *outcome)
{
	if (!launch->start_ns || !outcome->end_ns)
		return;
	signature->wall_start.tv_nsec += (long)(launch->start_ns - signature->monotonic_start_ns);
	while (signature->wall_start.tv_nsec >= 1000000000) {
		signature->wall_start.tv_nsec -= 1000000000;
		signature->wall_start.tv_sec++;
	}
	signature->monotonic_start_ns = launch->start_ns;
	signature->monotonic_end_ns = outcome->end_ns;
}

int wp_report_write(struct wp_report *report, struct wp_options *options, const struct wp_launch *launch,
	const struct pressure_outcome *outcome, bool is_interrupted)
{
	struct frame *frame = &report->frame;
	struct report_signature *signature = &frame->signature, command = {.argv = options->command};
	struct wp_pressure_values pressure = pressure_of(&options->plan, outcome);
	struct wp_stalls_values stalls;
	struct wp_result_values result = {.command = FIELD_INSIDE(report_arguments, &command),
		.exit_status = FIELD_NO_COUNT, .exit_signal = FIELD_NO_COUNT, .wall_ns = FIELD_NO_COUNT,
		.user_ns = FIELD_NO_COUNT, .system_ns = FIELD_NO_COUNT, .peak_bytes = FIELD_NO_COUNT,
		.minor_faults = FIELD_NO_COUNT, .major_faults = FIELD_NO_COUNT, .voluntary_switches = FIELD_NO_COUNT,
		.involuntary_switches = FIELD_NO_COUNT, .block_input_bytes = FIELD_NO_COUNT,
		.block_output_bytes = FIELD_NO_COUNT, .clock = FIELD_BY(frame_clock, frame)};
	const struct wp_report_values values = {.signature = FIELD_BY(frame_signature, frame),
		.machine_info = FIELD_BY(frame_machine, frame), .environment = FIELD_BY(frame_environment, frame),
		.result = FIELD_ONE(&result), .verdict = FIELD_BY(frame_verdict, frame)};
	struct named_text_values *all = NULL;
	char *text = join(options->command);
	int code = DIAG_EXIT_HOST;

	while (options->command[command.argc])
		command.argc++;
	set_times(signature, launch, outcome);
	signature->is_interrupted = is_interrupted;
	signature->start = options->start;
	decide(frame, options->command[0], launch, outcome);
	if (launch->exec_error)
		result.start_error = strerror(launch->exec_error);
	else if (WIFSIGNALED(outcome->wait_status))
		result.exit_signal = (uint64_t)WTERMSIG(outcome->wait_status);
	else
		result.exit_status = (uint64_t)WEXITSTATUS(outcome->wait_status);
	if (launch->start_ns && !launch->exec_error && outcome->end_ns)
		take_usage(report, launch, outcome, &result);
	else if (!launch->exec_error)
		lacks(report, "wall_ns", launch->start_ns ? "the process that waited for the command was killed, too"
			: "the command was killed before it started");
	result.cgroup_peak_bytes = report->cgroup_peak_bytes;
	if (report->has_cgroup && report->cgroup_peak_bytes == FIELD_NO_COUNT)
		lacks(report, "cgroup_peak_bytes", "the kernel has no memory.peak (Linux 5.19)");
	if (read_stalls(report, &stalls))
		result.stalls = FIELD_ONE(&stalls);
	if (pressure_is_wanted(&options->plan))
		result.pressure = FIELD_ONE(&pressure);
	result.unavailable = FIELD_MANY(report->unavailable, report->unavailable_count);
	frame->check_count += machine_checks_run(&report->before, &report->after,
		result.major_faults == FIELD_NO_COUNT ? 0 : result.major_faults, frame->checks + frame->check_count,
		FRAME_CHECKS - frame->check_count);

	if (text && !opt_list_effective(&options->line, options))
		all = calloc(options->line.effective_count + 1, sizeof(*all));
	if (all) {
		for (size_t i = 0; i < options->line.effective_count; i++)
			all[i] = options->line.effective[i];
		all[options->line.effective_count] = (struct named_text_values){"command", text};
		signature->options = all;
		signature->option_count = options->line.effective_count + 1;
		signature->labels = options->labels.list;
		signature->label_count = options->labels.count;
		code = frame_publish(frame, "withpressure", &(struct wp_document_values){FIELD_ONE(&values)},
			options->xml_path, NULL);
	} else {
		diag_error(ENOMEM, "cannot make the report");
	}
	free(all);
	free(text);
	wp_report_free(report);
	return code;
}
