/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench trace: the kernel's own view of a scenario's writes. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "iowrite-bench/calibrated.h"
#include "iowrite-bench/trace/report.h"
#include "iowrite-bench/trace/text.h"

static int publish(const struct trace_options *options, struct trace_result *result)
{
	struct frame *frame = &result->frame;
	struct report *report;
	int code, rc;

	scenario_options_sign(&options->shared, &frame->signature);
	if (!scenario_options_take_stdout(&options->shared))
		trace_text(stdout, result);
	if (options->shared.xml_path || options->shared.json_path) {
		rc = frame_begin(frame, "iowritebench", &report);
		if (rc) {
			diag_error(rc, "cannot make the report");
			return DIAG_EXIT_HOST;
		}
		trace_report_write(report, result);
		frame_end_result(report);
		frame_end(frame, report);
		code = frame_publish(report, options->shared.xml_path, options->shared.json_path);
		if (code)
			return code;
	}
	if (result->has_failed)
		return DIAG_EXIT_HOST;
	return strcmp(frame_status(frame), "ok") ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_OK;
}

static int trace(const struct trace_options *options, const struct trace_plan *plan, int argc, char **argv)
{
	struct trace_result *result = calloc(1, sizeof(*result));
	int code;

	if (!result) {
		diag_error(ENOMEM, "cannot trace");
		return DIAG_EXIT_HOST;
	}
	code = trace_run(options, plan, argc, argv, result);
	if (!code) {
		code = publish(options, result);
		trace_result_free(result);
	}
	free(result);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct trace_options options = {0};
	struct trace_plan *plan = calloc(1, sizeof(*plan)); /* large for a stack */
	int code;

	if (!plan) {
		diag_error(ENOMEM, "cannot trace");
		return DIAG_EXIT_HOST;
	}
	code = command_parse(command, argc, argv, &options, &options.shared.line, NULL);
	if (!code)
		code = trace_plan_make(&options, plan);
	if (!code && plan->has_system)
		calibrated_warn(&plan->system, plan->system_path);
	if (!code && options.shared.is_dry_run)
		trace_plan_print(stdout, &options, plan);
	else if (!code)
		code = trace(&options, plan, argc, argv);
	trace_plan_free(plan);
	scenario_options_free(&options.shared);
	free(plan);
	return code;
}

const struct command command_trace = {
	.program = &iowrite_program,
	.name = "trace",
	.arguments = "[SCENARIO]",
	.summary = "show what the kernel does with writes, next to what the model says",
	.doc = "Make a scenario's writes and record, by a trace instance of its own, what the kernel reports: how much is dirty, "
	       "how long the writer is put to sleep, and what rate it is allowed. Needs root. The trace instance, the "
	       "thresholds and the slow device are removed or restored at the end, also when the program is killed.",
	.examples = "  sudo iowrite-bench trace c1 --directory /mnt/disk\n"
		    "  sudo iowrite-bench trace c2 --slow-device 400M --system s.xml -f t.xml\n"
		    "  memstor plot kernel-trace t.xml -o t.svg\n",
	.options = trace_option_rows,
	.relations = trace_option_relations,
	.check = trace_options_check,
	.run = run,
};
