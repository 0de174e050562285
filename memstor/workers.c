/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/report.h"

#define PROCESSES_MAX 8
#define AGAIN (-1)           /* of an answer: the caller must do it */
#define PIPE_BYTES (1 << 20) /* so that a child can begin its next file meanwhile */

struct child {
	pid_t pid;
	FILE *answers; /* NULL: it has died */
};

struct answer { /* of a file, before its text */
	int code;
	size_t size;
};

static bool is_regular(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* Keeps the output of the work in *text until it is complete. */
static struct answer work_here(const struct workers *workers, const char *path, char **text)
{
	struct answer answer = {AGAIN, 0};
	size_t size;
	FILE *out = is_regular(path) ? open_memstream(text, &size) : NULL;
	int code;
	bool is_cut;

	if (!out)
		return answer;
	code = workers->work(workers->data, path, out);
	is_cut = ferror(out);
	is_cut |= fclose(out) != 0;
	if (!is_cut && code <= DIAG_EXIT_NEGATIVE)
		answer = (struct answer){code, size};
	return answer;
}

/* stdio's buffers are the caller's: neither written nor freed here. */
static void __attribute__((noreturn)) be_child(const struct workers *workers, char *const *paths, size_t count,
	size_t first, size_t step, int fd)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int err = null < 0 || dup2(null, STDERR_FILENO) < 0;

	for (size_t i = first; !err && i < count; i += step) {
		char *text = NULL;
		struct answer answer = work_here(workers, paths[i], &text);

		err = report_write_all(fd, (const char *)&answer, sizeof(answer));
		if (!err)
			err = report_write_all(fd, text, answer.size);
		free(text);
		if (workers->is_until && answer.code != DIAG_EXIT_OK)
			break;
	}
	_exit(0);
}

static void end_child(struct child *child)
{
	if (!child->answers)
		return;
	fclose(child->answers);
	child->answers = NULL;
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* 0 or -errno. Child number `at` of `step` takes each file whose number is `at` more than a multiple of `step`. */
static int start_child(const struct workers *workers, char *const *paths, size_t count, struct child *children, size_t at,
	size_t step)
{
	struct child *child = &children[at];
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	(void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
	child->answers = fdopen(ends[0], "r");
	child->pid = child->answers ? fork() : -1;
	if (child->pid == 0) {
		/* A child whose pipe is full would wait for ever if another child kept the reading end open. */
		for (size_t i = 0; i <= at; i++)
			close(fileno(children[i].answers));
		be_child(workers, paths, count, at, step, ends[1]);
	}
	close(ends[1]);
	if (child->pid > 0)
		return 0;
	if (child->answers)
		fclose(child->answers);
	else
		close(ends[0]);
	child->answers = NULL;
	return -EAGAIN;
}

/* The next file's text goes to out. Its code, or AGAIN. */
static int take_answer(const struct workers *workers, struct child *child)
{
	struct answer answer;
	char *text = NULL;

	if (!child->answers)
		return AGAIN;
	if (fread(&answer, sizeof(answer), 1, child->answers) != 1 || !(text = malloc(answer.size + 1)) ||
		fread(text, 1, answer.size, child->answers) != answer.size) {
		end_child(child);
		free(text);
		return AGAIN;
	}
	fwrite(text, 1, answer.size, workers->out);
	free(text);
	return answer.code;
}

int workers_run(const struct workers *workers, char *const *paths, size_t count, unsigned processes)
{
	struct child children[PROCESSES_MAX] = {{0}};
	size_t step = processes < PROCESSES_MAX ? processes : PROCESSES_MAX, started = 0;
	int worst = DIAG_EXIT_OK;

	if (step > count)
		step = count;
	while (step > 1 && started < step && !start_child(workers, paths, count, children, started, step))
		started++;
	for (size_t i = 0; i < count && !(workers->is_until && worst != DIAG_EXIT_OK); i++) {
		int code = step > 1 ? take_answer(workers, &children[i % step]) : AGAIN;

		if (code == AGAIN)
			code = workers->work(workers->data, paths[i], workers->out);
		if (code > worst)
			worst = code;
	}
	for (size_t i = 0; i < started; i++)
		end_child(&children[i]);
	return worst;
}

unsigned workers_default(void)
{
	cpu_set_t allowed;
	int cpus = sched_getaffinity(0, sizeof(allowed), &allowed) ? 1 : CPU_COUNT(&allowed);

	return cpus < PROCESSES_MAX ? (unsigned)cpus : PROCESSES_MAX;
}
