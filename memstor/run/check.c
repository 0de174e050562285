/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the options of each step by its program before the first step runs. A usage error of the program (status 2) is an
 * error of the suite; a requirement that this host does not meet (status 3) is a reason to skip the step.
 */
#include "config.h"
#include "memstor/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/units.h"

#define CHECK_BUDGET_NS (20 * UNITS_NS_PER_SEC)

/* Decides on what the program of a step has answered. */
static int decide(const struct run_plan *plan, struct run_step *step, const struct run_child_outcome *outcome,
	const char *said)
{
	const char *name = step->program->name, *check = step->program->check;
	char what[2 * RUN_REASON_MAX];
	int status = outcome->wait_status;
	int code = outcome->end == RUN_CHILD_ENDED && WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (code == DIAG_EXIT_OK)
		return DIAG_EXIT_OK;
	if (code == DIAG_EXIT_HOST) {
		if (!step->skipped[0])
			snprintf(step->skipped, sizeof(step->skipped), "%s", said);
		return DIAG_EXIT_OK;
	}
	if (code == DIAG_EXIT_USAGE)
		snprintf(what, sizeof(what), "%s refuses: %s", name, said);
	else if (outcome->end == RUN_CHILD_OVERRUN)
		snprintf(what, sizeof(what), "%s %s did not end", name, check);
	else
		snprintf(what, sizeof(what), "%s %s failed: %s", name, check, said);
	return diag_usage("%s:%u: step %s: %s", plan->text.file, step->suite->line, step->name, what);
}

/* Asks the program of a step whether it accepts its options; a signal to memstor ends it. */
static int check_step(struct run_plan *plan, struct run_step *step)
{
	struct pollfd fds[] = {{.events = POLLIN}, {interrupt_fd(), POLLIN, 0}};
	struct run_words words = {0};
	/* Not where the step runs: nothing is made before all is checked. */
	struct run_child_request request = {.path = step->path, .argv = (char **)words.words, .search = step->bin,
		.folder = plan->near, .output = open("/dev/null", O_WRONLY | O_CLOEXEC), .close = -1,
		.budget_ns = CHECK_BUDGET_NS, .error = memfd_create("memstor-check", MFD_CLOEXEC)};
	struct run_child_outcome outcome;
	char said[RUN_REASON_MAX];
	struct run_child child;
	int err = request.output < 0 || request.error < 0 ? -errno : 0, code;

	run_words_make(plan, step, 1, NULL, &words);
	if (!err)
		err = run_child_start(&request, &child);
	if (!err) {
		fds[0].fd = run_child_fd(&child);
		while (poll(fds, 2, -1) < 0)
			;
		if (!fds[0].revents)
			run_child_stop(&child, SIGTERM);
		run_child_finish(&child, &outcome);
	}
	if (err) {
		code = diag_host(err, "cannot run %s", step->path);
	} else if (interrupt_signal()) {
		diag_error(0, "interrupted before the first step: nothing was run");
		code = DIAG_EXIT_UNTRUSTED;
	} else {
		run_tail(request.error, step->program->name, RUN_TAIL_FIRST, said, sizeof(said));
		code = decide(plan, step, &outcome, said);
	}
	if (request.output >= 0)
		close(request.output);
	if (request.error >= 0)
		close(request.error);
	return code;
}

int run_check_needs(const struct run_step *step, const char *folder, char *why, size_t length)
{
	const struct suite_host host = {"", folder};
	int err = 0;

	for (size_t i = 0; i < step->suite->need_count && !err; i++)
		err = suite_need_check(&step->suite->needs[i], &host, why, length);
	return err;
}

int run_check_steps(struct run_plan *plan)
{
	int code = DIAG_EXIT_OK;

	for (size_t i = 0; i < plan->step_count && !code; i++) {
		struct run_step *step = &plan->steps[i];

		if (!step->is_selected)
			continue;
		if (step->path)
			run_check_needs(step, plan->near, step->skipped, sizeof(step->skipped));
		/* What it takes of another step is not there yet; otherwise its options are checked even when it is skipped. */
		if (step->path && step->program->check && !run_takes_any(step))
			code = check_step(plan, step);
		if (!code && plan->options->is_all_required && step->skipped[0])
			code = diag_host(0, "--require-all: step %s cannot be run here: %s", step->name, step->skipped);
	}
	return code;
}
