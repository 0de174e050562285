/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench evaluate: options, calibration, plan, run, report. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "iowrite-bench/calibrated.h"
#include "iowrite-bench/evaluate/report.h"
#include "iowrite-bench/evaluate/run.h"
#include "iowrite-bench/evaluate/text.h"

/* All that a run needs; too large for a stack. */
struct evaluation {
	struct evaluate_options options;
	struct system system;
	struct plan_host host;
	struct evaluate_plan plan;
	struct frame frame;
	struct evaluate_result result;
};

static int publish(struct evaluation *all)
{
	const struct evaluate_options *options = &all->options;
	struct report *report;
	int rc;

	if (!options->shared.xml_path && !options->shared.json_path)
		return DIAG_EXIT_OK;
	scenario_options_sign(&options->shared, &all->frame.signature);
	rc = frame_begin(&all->frame, "iowritebench", &report);
	if (rc) {
		diag_error(rc, "cannot make a report");
		return DIAG_EXIT_HOST;
	}
	evaluate_report(report, &all->result);
	frame_end_result(report);
	frame_end(&all->frame, report);
	return frame_publish(report, options->shared.xml_path, options->shared.json_path);
}

/* What could not be written comes before what cannot be trusted. */
static int verdict(const struct evaluation *all)
{
	if (all->result.has_failed)
		return DIAG_EXIT_HOST;
	if (all->frame.signature.is_interrupted || all->frame.reason_count)
		return DIAG_EXIT_UNTRUSTED;
	return DIAG_EXIT_OK;
}

static int measure_all(struct evaluation *all, int argc, char **argv)
{
	int code = interrupt_install();

	if (code) {
		diag_error(code, "cannot catch signals");
		return DIAG_EXIT_HOST;
	}
	all->frame.signature.argc = argc;
	all->frame.signature.argv = argv;
	code = evaluate_run(&all->options, &all->plan, &all->system, &all->frame, &all->result);
	if (code)
		return code;
	all->frame.signature.is_interrupted = interrupt_signal() != 0;
	if (!scenario_options_take_stdout(&all->options.shared))
		evaluate_text(stdout, &all->result);
	for (size_t i = 0; i < all->frame.reason_count; i++)
		diag_warn("%s: %s", all->frame.reasons[i].code, all->frame.reasons[i].text);
	code = publish(all);
	return code ? code : verdict(all);
}

static int evaluate(struct evaluation *all, int argc, char **argv)
{
	int code = plan_look(&all->options, &all->host);

	if (!code)
		code = plan_make(&all->options, &all->system, &all->host, &all->plan);
	if (code)
		return code;
	if (!all->options.shared.is_dry_run && !all->plan.run_count) {
		diag_error(0, "none of %zu scenarios can be measured here, the first one (%s) because: %s",
			all->plan.count, all->plan.rows[0].scenario->id, all->plan.rows[0].reason);
		return DIAG_EXIT_HOST;
	}
	calibrated_warn(&all->system, all->options.shared.system_path);
	if (all->options.shared.is_dry_run) {
		plan_print(stdout, &all->options, &all->plan);
		return DIAG_EXIT_OK;
	}
	return measure_all(all, argc, argv);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct evaluation *all = calloc(1, sizeof(*all));
	int code;

	if (!all) {
		diag_error(ENOMEM, "cannot evaluate");
		return DIAG_EXIT_HOST;
	}
	system_init(&all->system);
	code = command_parse(command, argc, argv, &all->options, &all->options.shared.line, NULL);
	if (!code)
		code = system_read(all->options.shared.system_path, &all->system);
	if (!code)
		code = evaluate(all, argc, argv);
	result_free(&all->result);
	system_free(&all->system);
	scenario_options_free(&all->options.shared);
	free(all);
	return code;
}

const struct command command_evaluate = {
	.program = &iowrite_program,
	.name = "evaluate",
	.summary = "measure scenarios, predict them, and show each model's error",
	.doc = "Measure the scenarios of the CAWL paper, scaled to minutes and small disks, predict each from a "
	       "calibration with the models naive, cawl and kernel, and show how far each is off.",
	.examples = "  iowrite-bench evaluate --system system.xml --dry-run\n"
		    "  iowrite-bench evaluate --system system.xml -f evaluation.xml\n"
		    "  iowrite-bench evaluate --system slow.xml --slow-device 400M\n",
	.notes = "Exit status: 0 done, 3 not possible on this host, or a write failed, 4 interrupted "
		 "or not trustworthy.",
	.options = evaluate_option_rows,
	.relations = evaluate_option_relations,
	.add = evaluate_options_add,
	.check = evaluate_options_check,
	.run = run,
};
