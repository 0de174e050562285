/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/report_common.h"
#include "common/sysfs.h"
#include "common/units.h"

/* As /proc/net/unix writes it: the NUL at its beginning becomes an @. */
static const char prefix[] = "@memstor-run/";
#define UNIX_TABLE_MAX ((size_t)16 << 20)

void run_others_open(struct run_others *others)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int used;

	memset(others, 0, sizeof(*others));
	others->self = getpid();
	others->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (others->socket < 0)
		return;
	used = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s%d", prefix + 1, (int)others->self);
	if (bind(others->socket, (struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)used)))
		run_others_close(others);
}

void run_others_close(struct run_others *others)
{
	if (others->socket >= 0)
		close(others->socket);
	others->socket = -1;
}

unsigned run_others_count(struct run_others *others, const char *root)
{
	unsigned found = 0;
	size_t length, known;
	uint64_t pid;
	char *text;

	if (sysfs_slurp(root, "/proc/net/unix", UNIX_TABLE_MAX, &text, &length))
		return 0;
	for (const char *at = strstr(text, prefix); at; at = strstr(at, prefix)) {
		at += strlen(prefix);
		if (!sysfs_scan_u64(at, &pid) || (pid_t)pid == others->self)
			continue;
		found++;
		for (known = 0; known < others->count && others->seen[known] != (pid_t)pid; known++)
			;
		if (known < others->count || others->count == RUN_OTHERS_MAX)
			continue;
		others->seen[others->count++] = (pid_t)pid;
		diag_warn("another suite runs on this host (process %d): the two disturb each other's measurements", (int)pid);
	}
	free(text);
	return found;
}

#define SHOW_MS 250
/* Less than that holds no report. */
#define SPACE_MIN UNITS_MIB

struct execution {
	struct run_plan *plan;
	const struct run_folder *folder;
	struct run_others others;
	struct run_pace pace;
};

static int cannot_keep(const struct execution *execution, int err, const char *what)
{
	return diag_host(0, "-o %s: %s: %s; fix it, then continue with --resume", execution->folder->given, what,
		strerror(err < 0 ? -err : err));
}

static int keep_index(const struct execution *execution, enum index_state state)
{
	int err = index_write("index.xml", execution->plan, state);

	return err ? cannot_keep(execution, err, "index.xml cannot be written") : DIAG_EXIT_OK;
}

static int open_output(const char *folder, const char *name)
{
	char path[RUN_PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : fd;
}

/* The state of a run that this host cannot do. */
static enum run_state cannot(const struct execution *execution)
{
	return execution->plan->options->is_all_required ? RUN_FAILED : RUN_SKIPPED;
}

/* Waits until the program of a turn has ended; a signal to memstor is passed on to it once. */
static void attend(struct execution *execution, size_t index, struct run_child *child)
{
	struct pollfd fds[] = {{run_child_fd(child), POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
	int pause = execution->pace.progress.is_shown ? SHOW_MS : -1;

	while (!fds[0].revents) {
		run_pace_show(&execution->pace, index, (double)(report_monotonic_ns() - child->begin_ns) / UNITS_NS_PER_SEC);
		if (poll(fds, 2, pause) < 0)
			fds[0].revents = fds[1].revents = 0;
		if (fds[1].fd >= 0 && fds[1].revents) {
			run_child_stop(child, interrupt_signal());
			fds[1].fd = -1;
		}
	}
}

static int run_program_once(struct execution *execution, size_t index, struct run_record *record)
{
	const struct run_plan *plan = execution->plan;
	const struct run_turn *turn = &plan->turns[index];
	const struct run_step *step = &plan->steps[turn->step];
	const struct run_program *program = step->program;
	char folder[RUN_PATH_MAX], report[RUN_PATH_MAX + 40];
	struct run_words words = {0};
	struct run_child_outcome outcome;
	struct run_child child;
	struct run_child_request request = {
		.path = step->path,
		.argv = (char **)words.words,
		.folder = RUN_FOLDER_SCRATCH,
		.output = -1,
		.error = -1,
		.close = execution->folder->lock,
		.budget_ns = step->suite->budget_ns,
		.search = step->bin,
	};
	int err;

	snprintf(folder, sizeof(folder), "%s/%s%u", step->name, turn->is_warmup ? "warmup-" : "", turn->number);
	/* From where the program runs: whatever becomes of the folders above, it stays the same file. A warm-up's report is
	 * removed with the folder that it runs in. */
	snprintf(report, sizeof(report), "../%s/%s", turn->is_warmup ? RUN_FOLDER_SCRATCH : folder,
		program->result ? program->result : "none");
	err = run_folder_part(folder);
	if (!err)
		err = run_folder_scratch();
	if (!err) {
		request.output = open_output(folder, "stdout");
		request.error = open_output(folder, "stderr");
		err = request.output < 0 ? request.output : request.error < 0 ? request.error : 0;
	}
	if (!err) {
		run_moment(record->wall_start);
		run_words_make(plan, step, turn->number, report, &words);
		err = run_takes_fill(plan, step, &words, record->reason, sizeof(record->reason));
	}
	if (err == -ENOENT && record->reason[0]) {
		record->state = cannot(execution);
		record->wall_start[0] = '\0';
		err = 0;
		goto out;
	}
	if (!err)
		err = run_child_start(&request, &child);
	if (!err) {
		attend(execution, index, &child);
		run_child_finish(&child, &outcome);
		run_decide(step, &outcome, request.error, report + strlen("../"), record);
		if (program->side_file && !turn->is_warmup)
			err = run_folder_keep(program->side_file, folder);
	}
out:
	run_words_free(&words);
	if (request.output >= 0)
		close(request.output);
	if (request.error >= 0)
		close(request.error);
	return err ? cannot_keep(execution, err, "cannot run the next step") : DIAG_EXIT_OK;
}

static int take_turn(struct execution *execution, size_t index)
{
	const struct run_turn *turn = &execution->plan->turns[index];
	struct run_step *step = &execution->plan->steps[turn->step];
	struct run_record record = {.exit_status = -1};
	int code = DIAG_EXIT_OK;

	execution->pace.now++;
	record.others = run_others_count(&execution->others, "");
	if (run_folder_space() < SPACE_MIN)
		return cannot_keep(execution, ENOSPC, "the next step is not run");
	/* What was there at the start may be gone by now. */
	if (run_check_needs(step, ".", record.reason, sizeof(record.reason)))
		record.state = cannot(execution);
	else
		code = run_program_once(execution, index, &record);
	if (code)
		return code;
	run_pace_end(&execution->pace, index, &record);
	if (turn->is_warmup)
		return DIAG_EXIT_OK;
	step->records[turn->number - 1] = record;
	return keep_index(execution, INDEX_RUNNING);
}

/* Reports skipped steps once, and not for each of their runs. Returns the number of turns that are open. */
static size_t note_skipped(struct run_plan *plan)
{
	size_t open = 0;

	for (size_t i = 0; i < plan->step_count; i++) {
		struct run_step *step = &plan->steps[i];

		if (!step->is_selected || !step->skipped[0])
			continue;
		diag_info("%s: skipped: %s", step->name, step->skipped);
		for (unsigned j = 0; j < step->runs; j++) {
			if (run_state_is_final(step->records[j].state))
				continue;
			step->records[j].state = RUN_SKIPPED;
			snprintf(step->records[j].reason, sizeof(step->records[j].reason), "%s", step->skipped);
		}
	}
	for (size_t i = 0; i < plan->turn_count; i++)
		open += run_pace_is_open(plan, &plan->turns[i]);
	return open;
}

int run_execute(struct run_plan *plan, const struct run_folder *folder)
{
	struct execution execution = {.plan = plan, .folder = folder};
	int code;

	if (run_pace_begin(plan, note_skipped(plan), &execution.pace))
		return diag_usage_errno(ENOMEM, "cannot begin");
	run_others_open(&execution.others);
	code = keep_index(&execution, INDEX_RUNNING);
	for (size_t i = 0; i < plan->turn_count && !code && !interrupt_signal(); i++) {
		if (run_pace_is_open(plan, &plan->turns[i]))
			code = take_turn(&execution, i);
	}
	progress_clear(&execution.pace.progress);
	if (!code)
		code = keep_index(&execution, interrupt_signal() ? INDEX_INTERRUPTED : INDEX_COMPLETE);
	run_others_close(&execution.others);
	run_pace_free(&execution.pace);
	return code;
}
