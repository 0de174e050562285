/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/check/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/nameless.h"

#define LOG_FD 9             /* lackey writes to it */
#define BUFFER (1 << 16)

int runs_open(struct runs *runs, const char *name)
{
	const char *temporary = getenv("TMPDIR");

	*runs = (struct runs){.name = name, .fd = -1};
	if (readlink("/proc/self/exe", runs->program, sizeof(runs->program) - 1) < 0) {
		diag_error(-errno, "/proc/self/exe");
		return DIAG_EXIT_HOST;
	}
	if (!temporary || !*temporary)
		temporary = "/tmp";
	runs->fd = nameless_open(temporary, 0);
	if (runs->fd < 0) {
		diag_error(runs->fd, "cannot make a temporary file in %s", temporary);
		return DIAG_EXIT_HOST;
	}
	snprintf(runs->place, sizeof(runs->place), "/proc/%d/fd/%d", (int)getpid(), runs->fd);
	return DIAG_EXIT_OK;
}

void runs_close(struct runs *runs)
{
	if (runs->fd >= 0)
		close(runs->fd);
	runs->fd = -1;
}

/* dup2 of a descriptor to itself does not clear close-on-exec. */
static bool give_descriptor(int from, int to)
{
	return from == to ? fcntl(to, F_SETFD, 0) : dup2(from, to) < 0;
}

pid_t runs_start(const char *program, char *const *argv, int output_fd, int log_fd)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid) {
		int none = open("/dev/null", O_RDWR);

		interrupt_reset();
		/* The run ends with the measuring process; a recorder then ends its command. */
		if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent)
			_exit(126);
		if (none < 0 || dup2(none, STDIN_FILENO) < 0 || give_descriptor(output_fd >= 0 ? output_fd : none, STDOUT_FILENO) ||
			(log_fd >= 0 && give_descriptor(log_fd, LOG_FD)))
			_exit(126);
		execvp(program, argv);
		diag_error(errno, "cannot run %s", argv[0]);
		_exit(errno == ENOENT ? 127 : 126);
	}
	return pid < 0 ? -errno : pid;
}

/* accepted: a status that counts as success */
static int finish(const struct runs *runs, pid_t pid, const char *name, int accepted)
{
	int status = 0;

	if (pid < 0) {
		diag_error(pid, "cannot start %s", name);
		return DIAG_EXIT_HOST;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (interrupt_signal()) {
		diag_error(0, "interrupted");
		return DIAG_EXIT_UNTRUSTED;
	}
	if (!status || (WIFEXITED(status) && WEXITSTATUS(status) == accepted))
		return DIAG_EXIT_OK;
	if (WIFSIGNALED(status))
		diag_error(0, "%s: %s: ended by signal %d; only runs that succeed are compared", runs->name, name,
			WTERMSIG(status));
	else
		diag_error(0, "%s: %s: ended with status %d; only runs that succeed are compared", runs->name, name,
			WEXITSTATUS(status));
	return DIAG_EXIT_HOST;
}

int runs_finish(const struct runs *runs, pid_t pid, const char *name)
{
	return finish(runs, pid, name, 0);
}

static size_t count_words(const char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

/* The caller frees the result. Dropping const is safe, because exec copies the words. */
static char **join(const char *const *const *lists, size_t list_count)
{
	size_t count = 0, at = 0;
	char **all;

	for (size_t i = 0; i < list_count; i++)
		count += count_words(lists[i]);
	all = calloc(count + 1, sizeof(*all));
	for (size_t i = 0; i < list_count && all; i++) {
		memcpy(all + at, lists[i], count_words(lists[i]) * sizeof(*all));
		at += count_words(lists[i]);
	}
	return all;
}

int runs_record(struct runs *runs, const char *const *options, const char *const *command, int output_fd)
{
	char control[64];
	const char *const first[] = {runs->program, "record", "-q", "-o", runs->place, "--control", control, NULL};
	const char *const end[] = {"--", NULL};
	const char *const *const lists[] = {first, options, end, command};
	char **all = join(lists, sizeof(lists) / sizeof(lists[0]));
	int ends[2] = {-1, -1}, code;

	if (!all || ftruncate(runs->fd, 0) || pipe2(ends, O_CLOEXEC)) {
		diag_error(all ? -errno : -ENOMEM, "cannot record");
		free(all);
		return DIAG_EXIT_HOST;
	}
	close(ends[1]);
	snprintf(control, sizeof(control), "/proc/%d/fd/%d", (int)getpid(), ends[0]);
	/* The reader of the recording counts the missing samples. */
	code = finish(runs, runs_start(runs->program, all, output_fd, -1), "memtrace record", DIAG_EXIT_UNTRUSTED);
	close(ends[0]);
	free(all);
	return code;
}

/* --- lackey --- */

struct parser { /* of lines such as " L 1ffe,8", " S", " M", "I  4001" */
	size_t column;
	bool is_access;
	char kind;
	uint64_t address;
	runs_lackey_take *take;
	void *data;
	int err;
};

static void parse(struct parser *parser, const char *text, size_t length)
{
	for (size_t i = 0; i < length && !parser->err; i++) {
		char c = text[i];
		size_t column = parser->column++;

		if (c == '\n') {
			parser->column = 0;
			continue;
		}
		if (!column) {
			parser->is_access = c == ' ';
		} else if (column == 1) {
			parser->kind = c;
			parser->address = 0;
			parser->is_access = parser->is_access && memchr("LSM", c, 3);
		} else if (parser->is_access && column > 2) {
			if (c >= '0' && c <= '9') {
				parser->address = parser->address << 4 | (uint64_t)(c - '0');
			} else if (c >= 'a' && c <= 'f') {
				parser->address = parser->address << 4 | (uint64_t)(c - 'a' + 10);
			} else {
				parser->is_access = false;
				parser->err = parser->take(parser->data, parser->kind, parser->address);
			}
		}
	}
}

int runs_lackey(const struct runs *runs, const char *valgrind, const char *const *command, int output_fd, runs_lackey_take *take,
	void *data, uint64_t *bytes)
{
	static const char *const before[] = {"valgrind", "-q", "--tool=lackey", "--trace-mem=yes", "--trace-children=yes",
		"--log-fd=9", "--", NULL};
	const char *const *const lists[] = {before, command};
	struct parser parser = {.take = take, .data = data};
	char **argv = join(lists, 2), *buffer = malloc(BUFFER);
	int ends[2], code;
	ssize_t got;
	pid_t pid;

	if (!buffer || !argv || pipe2(ends, O_CLOEXEC)) {
		diag_error(buffer && argv ? -errno : -ENOMEM, "cannot run valgrind");
		free(buffer);
		free(argv);
		return DIAG_EXIT_HOST;
	}
	pid = runs_start(valgrind, argv, output_fd, ends[1]);
	close(ends[1]);
	*bytes = 0;
	/* Reads to the end even after an error, because valgrind would wait for a reader. */
	while (pid > 0 && ((got = read(ends[0], buffer, BUFFER)) > 0 || (got < 0 && errno == EINTR))) {
		if (got > 0) {
			parse(&parser, buffer, (size_t)got);
			*bytes += (uint64_t)got;
		}
	}
	close(ends[0]);
	code = runs_finish(runs, pid, "valgrind");
	if (!code && parser.err) {
		diag_error(parser.err, "cannot read the trace of valgrind");
		code = DIAG_EXIT_HOST;
	}
	free(buffer);
	free(argv);
	return code;
}
