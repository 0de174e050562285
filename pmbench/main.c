/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/run/frame.h"
#include "pmbench/plan/options_parse.h"
#include "pmbench/plan/plan.h"
#include "pmbench/report/report.h"
#include "pmbench/report/text.h"
#include "pmbench/run/run.h"

/* The struct is too large for a stack. */
struct everything {
	struct pmbench_options options;
	struct machine machine;
	struct pmbench_plan plan;
	struct pmbench_result result;
};

/* Returns DIAG_EXIT_UNTRUSTED if the result is not ok, DIAG_EXIT_HOST if a report was not written or the system not restored. */
static int publish(const struct pmbench_options *options, struct pmbench_result *result)
{
	struct report *report;
	int code, err;

	result->signature.tool = "pmbench";
	result->signature.seed = result->plan->seed;
	result->signature.argc = options->argc;
	result->signature.argv = options->argv;
	result->signature.options = options->line.effective;
	result->signature.option_count = options->line.effective_count;
	result->signature.labels = options->labels.list;
	result->signature.label_count = options->labels.count;
	result->signature.is_interrupted = result->is_interrupted;
	if (options_prints_text(options))
		text_result(stdout, result);
	err = report_new("pmbenchmark", &report);
	if (err)
		return diag_host(err, "cannot make the report");
	report_pmbench(report, result);
	code = frame_save(report, options->xml_path, options->json_path);
	if (code)
		return code;
	if (!result->pressure.is_restored)
		return DIAG_EXIT_HOST;
	return strcmp(result->status, "ok") ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_OK;
}

static int run(struct everything *all)
{
	int code;

	if (machine_read("", &all->machine))
		return diag_host(0, MACHINE_UNREADABLE);
	code = plan_make(&all->options, &all->machine, &all->plan);
	if (code)
		return code;
	if (all->options.is_dry_run) {
		plan_print(&all->plan, &all->machine);
		return DIAG_EXIT_OK;
	}
	/* If a reader of stdout ends early (| head), the report is still written. */
	if (all->options.xml_path || all->options.json_path)
		signal(SIGPIPE, SIG_IGN);
	code = run_plan(&all->plan, &all->machine, &all->result);
	/* From here on a signal must be able to end a write to a pipe that no process reads. */
	interrupt_reset();
	if (!code)
		code = publish(&all->options, &all->result);
	result_free(&all->result);
	return code;
}

/* Restores what killed runs have changed. Without --recover an error is reported but the run starts. */
static int recover(const struct pmbench_options *options)
{
	bool is_asked = options->recovery != PRESSURE_RECOVER_NOT;
	unsigned journals, aside = 0;

	if (!is_asked && (options->is_dry_run || geteuid()))
		return DIAG_EXIT_OK;
	if (options->recovery == PRESSURE_RECOVER_SET_ASIDE && pressure_set_aside(&aside))
		return DIAG_EXIT_HOST;
	if (pressure_recover(&journals) && is_asked)
		return DIAG_EXIT_HOST;
	if (is_asked && !journals && !aside)
		diag_info("nothing to restore");
	return DIAG_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct everything *all = calloc(1, sizeof(*all));
	int code;

	diag_claim_descriptors();
	diag_watch_stdout();
	/* A write beyond the limit of file sizes fails as any other, and the rest is written. */
	signal(SIGXFSZ, SIG_IGN);
	if (!all)
		return diag_host(ENOMEM, "cannot start");
	code = options_parse(argc, argv, &all->options);
	if (!code)
		code = recover(&all->options);
	if (!code && all->options.recovery == PRESSURE_RECOVER_NOT)
		code = run(all);
	options_free(&all->options);
	free(all);
	return code;
}
