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

void run_beside_open(struct run_beside *beside)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int used;

	memset(beside, 0, sizeof(*beside));
	beside->self = getpid();
	beside->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (beside->socket < 0)
		return;
	used = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s%d", prefix + 1, (int)beside->self);
	if (bind(beside->socket, (struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)used)))
		run_beside_close(beside);
}

void run_beside_close(struct run_beside *beside)
{
	if (beside->socket >= 0)
		close(beside->socket);
	beside->socket = -1;
}

static bool is_seen(const struct run_beside *beside, pid_t pid)
{
	for (size_t i = 0; i < beside->count; i++) {
		if (beside->seen[i] == pid)
			return true;
	}
	return false;
}

static void warn_of(struct run_beside *beside, pid_t pid)
{
	if (is_seen(beside, pid) || beside->count == RUN_BESIDE_MAX)
		return;
	beside->seen[beside->count++] = pid;
	diag_warn("another suite runs on this host (process %d): the two disturb each other's measurements", (int)pid);
}

unsigned run_beside_look(struct run_beside *beside, const char *root)
{
	unsigned found = 0;
	size_t length;
	uint64_t pid;
	char *text;

	if (sysfs_slurp(root, "/proc/net/unix", UNIX_TABLE_MAX, &text, &length))
		return 0;
	for (const char *at = strstr(text, prefix); at; at = strstr(at, prefix)) {
		at += strlen(prefix);
		if (!sysfs_scan_u64(at, &pid) || (pid_t)pid == beside->self)
			continue;
		found++;
		warn_of(beside, (pid_t)pid);
	}
	free(text);
	return found;
}

#define SHOW_MS 250
/* Less than that holds no report. */
#define SPACE_MIN UNITS_MIB

struct one_run { /* of a step */
	size_t turn;
	char folder[RUN_PATH_MAX], report[RUN_PATH_MAX + 32]; /* in the folder of results */
	int output, error;
	struct run_child child;
};

struct execution { /* too large for a stack */
	struct run_plan *plan;
	const struct run_folder *folder;
	struct run_beside beside;
	struct run_pace pace;
	struct one_run run; /* the present one */
};

static int cannot_keep(const struct execution *execution, int err, const char *what)
{
	return diag_host(0, "-o %s: %s: %s; fix it, then continue with --resume", execution->folder->given, what,
		strerror(err < 0 ? -err : err));
}

static int open_output(const char *folder, const char *name)
{
	char path[RUN_PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : fd;
}

/* A warm-up's report goes with the folder that it runs in. */
static int prepare(const struct execution *execution, const struct run_turn *turn, struct one_run *run)
{
	const struct run_program *program = execution->plan->steps[turn->step].program;
	const char *name = execution->plan->steps[turn->step].name;
	int err;

	snprintf(run->folder, sizeof(run->folder), "%s/%s%u", name, turn->is_warmup ? "warmup-" : "", turn->number);
	snprintf(run->report, sizeof(run->report), "%s/%s", turn->is_warmup ? RUN_FOLDER_SCRATCH : run->folder,
		program->result ? program->result : "none");
	run->output = run->error = -1;
	err = run_folder_part(run->folder);
	if (!err)
		err = run_folder_scratch();
	if (!err) {
		run->output = open_output(run->folder, "stdout");
		run->error = open_output(run->folder, "stderr");
		err = run->output < 0 ? run->output : run->error < 0 ? run->error : 0;
	}
	return err;
}

static void close_outputs(struct one_run *run)
{
	if (run->output >= 0)
		close(run->output);
	if (run->error >= 0)
		close(run->error);
}

/* -ENOENT and in why, when what the step takes of another is not there. */
static int start(const struct execution *execution, const struct run_turn *turn, struct one_run *run, char *why,
	size_t length)
{
	const struct run_step *step = &execution->plan->steps[turn->step];
	struct run_words words = {0};
	char report[RUN_PATH_MAX + 40];
	struct run_child_request request = {
		.path = step->path,
		.folder = RUN_FOLDER_SCRATCH,
		.output = run->output,
		.error = run->error,
		.close = execution->folder->lock,
		.budget_ns = step->suite->budget_ns,
		.search = step->bin,
	};

	int err;

	/* From where the program runs: whatever becomes of the folders above, it stays the same file. */
	snprintf(report, sizeof(report), "../%s", run->report);
	run_words_make(execution->plan, step, turn->number, report, &words);
	err = run_takes_fill(execution->plan, step, &words, why, length);
	request.argv = (char **)words.words;
	if (!err)
		err = run_child_start(&request, &run->child);
	run_words_free(&words);
	return err;
}

/* Until the program has ended; a signal to memstor is passed on to it once. */
static void attend(struct execution *execution, struct one_run *run)
{
	struct pollfd fds[] = {{run_child_fd(&run->child), POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
	int pause = execution->pace.progress.is_shown ? SHOW_MS : -1;

	while (!fds[0].revents) {
		run_pace_show(&execution->pace, run->turn,
			(double)(report_monotonic_ns() - run->child.begin_ns) / UNITS_NS_PER_SEC);
		if (poll(fds, 2, pause) < 0)
			fds[0].revents = fds[1].revents = 0;
		if (fds[1].fd >= 0 && fds[1].revents) {
			run_child_stop(&run->child, interrupt_signal());
			fds[1].fd = -1;
		}
	}
}

/* What this host cannot do. */
static enum run_state cannot(const struct execution *execution)
{
	return execution->plan->options->is_all_required ? RUN_FAILED : RUN_SKIPPED;
}

static int run_program_once(struct execution *execution, size_t index, struct run_record *record)
{
	const struct run_turn *turn = &execution->plan->turns[index];
	const struct run_step *step = &execution->plan->steps[turn->step];
	struct run_child_outcome outcome;
	struct one_run *run = &execution->run;
	int err;

	*run = (struct one_run){.turn = index};
	err = prepare(execution, turn, run);
	if (!err) {
		run_moment(record->wall_start);
		err = start(execution, turn, run, record->reason, sizeof(record->reason));
	}
	if (err == -ENOENT && record->reason[0]) {
		record->state = cannot(execution);
		record->wall_start[0] = '\0';
		close_outputs(run);
		return DIAG_EXIT_OK;
	}
	if (!err) {
		attend(execution, run);
		run_child_finish(&run->child, &outcome);
		run_decide(step, &outcome, run->error, run->report, record);
		if (step->program->beside && !turn->is_warmup)
			err = run_folder_keep(step->program->beside, run->folder);
	}
	close_outputs(run);
	return err ? cannot_keep(execution, err, "cannot run the next step") : DIAG_EXIT_OK;
}

static int run_one(struct execution *execution, size_t index, struct run_record *record)
{
	const struct run_turn *turn = &execution->plan->turns[index];
	const struct run_step *step = &execution->plan->steps[turn->step];

	*record = (struct run_record){.exit_status = -1};
	record->beside = run_beside_look(&execution->beside, "");
	if (run_folder_space() < SPACE_MIN)
		return cannot_keep(execution, ENOSPC, "the next step is not run");
	/* What was there at the start may be gone by now. */
	if (run_check_needs(step, ".", record->reason, sizeof(record->reason))) {
		record->state = cannot(execution);
		return DIAG_EXIT_OK;
	}
	return run_program_once(execution, index, record);
}

static int keep_index(const struct execution *execution, enum index_state state)
{
	int err = index_write("index.xml", execution->plan, state);

	return err ? cannot_keep(execution, err, "index.xml cannot be written") : DIAG_EXIT_OK;
}

static int take_turn(struct execution *execution, size_t index)
{
	const struct run_turn *turn = &execution->plan->turns[index];
	struct run_step *step = &execution->plan->steps[turn->step];
	struct run_record record;
	int code;

	run_pace_next(&execution->pace);
	code = run_one(execution, index, &record);
	if (code)
		return code;
	run_pace_end(&execution->pace, index, &record);
	if (turn->is_warmup)
		return DIAG_EXIT_OK;
	step->records[turn->number - 1] = record;
	return keep_index(execution, INDEX_RUNNING);
}

static int take_turns(struct execution *execution)
{
	const struct run_plan *plan = execution->plan;
	int code = DIAG_EXIT_OK;

	for (size_t i = 0; i < plan->turn_count && !code && !interrupt_signal(); i++) {
		if (run_pace_is_open(plan, &plan->turns[i]))
			code = take_turn(execution, i);
	}
	progress_clear(&execution->pace.progress);
	return code;
}

/* Said once, and not for each of its runs. */
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

static int execute(struct execution *execution)
{
	int code;

	run_beside_open(&execution->beside);
	code = keep_index(execution, INDEX_RUNNING);
	if (!code)
		code = take_turns(execution);
	if (!code)
		code = keep_index(execution, interrupt_signal() ? INDEX_INTERRUPTED : INDEX_COMPLETE);
	run_beside_close(&execution->beside);
	run_pace_free(&execution->pace);
	return code;
}

int run_execute(struct run_plan *plan, const struct run_folder *folder)
{
	struct execution *execution = calloc(1, sizeof(*execution));
	int code;

	if (execution) {
		execution->plan = plan;
		execution->folder = folder;
	}
	if (!execution || run_pace_begin(plan, note_skipped(plan), &execution->pace)) {
		code = diag_usage_errno(ENOMEM, "cannot begin");
	} else {
		code = execute(execution);
	}
	free(execution);
	return code;
}
