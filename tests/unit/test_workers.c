/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "common/diag.h"
#include "memstor/workers.h"

#define FILES 9

/* Files that are there and regular; the work tells them apart by their names. */
static char *paths[FILES];
static char folder[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_workers.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	for (int i = 0; i < FILES; i++) {
		if (asprintf(&paths[i], "%s/%d", folder, i) < 0)
			return -1;
		fclose(fopen(paths[i], "w"));
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < FILES; i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
	return rmdir(folder);
}

struct task {
	pid_t caller;
	int dies, codes[FILES]; /* dies: the file at which a child does, -1 = none */
	bool says_who;
};

static int work(void *data, const char *path, FILE *out)
{
	const struct task *task = data;
	int number = path[strlen(path) - 1] - '0';

	if (path[0] == '/' && path[1] == 'd')
		number = 0;
	else if (number == task->dies && getpid() != task->caller)
		raise(SIGKILL);
	/* More than a pipe holds, and nothing at all. */
	for (int i = 0; i < number * 50000; i++)
		fprintf(out, "%d of %d\n", i, number);
	if (task->says_who)
		fprintf(out, "%s\n", getpid() == task->caller ? "caller" : "child");
	return task->codes[number];
}

static char *said(struct task *task, char *const *files, size_t count, bool is_until, unsigned processes, int *code)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct workers workers = {work, task, out, is_until};

	task->caller = getpid();
	*code = workers_run(&workers, files, count, processes);
	fclose(out);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return text;
}

/* The same with any number of processes: with that of one. */
static void assert_as_alone(struct task *task, bool is_until, int wanted)
{
	int code;
	char *alone = said(task, paths, FILES, is_until, 1, &code);

	assert_int_equal(code, wanted);
	for (unsigned processes = 2; processes <= 9; processes++) {
		char *text = said(task, paths, FILES, is_until, processes, &code);

		assert_int_equal(code, wanted);
		assert_true(!strcmp(text, alone));
		free(text);
	}
	free(alone);
}

TEST_WITH("two processes and more give the output of one, in the order of the files", set_up, tear_down)
{
	struct task task = {.dies = -1};

	(void)state;
	assert_as_alone(&task, false, DIAG_EXIT_OK);
}

TEST_WITH("the largest code of all files is returned", set_up, tear_down)
{
	struct task task = {.dies = -1, .codes = {[2] = 1, [4] = 2, [7] = 1}};

	(void)state;
	assert_as_alone(&task, false, DIAG_EXIT_USAGE);
}

TEST_WITH("work that ends at the first error has no output of later files", set_up, tear_down)
{
	struct task task = {.dies = -1, .codes = {[3] = 2, [5] = 3}};

	(void)state;
	assert_as_alone(&task, true, DIAG_EXIT_USAGE);
}

TEST_WITH("the files of a child that was killed are worked on by the caller", set_up, tear_down)
{
	struct task task = {.dies = 4};

	(void)state;
	assert_as_alone(&task, false, DIAG_EXIT_OK);
}

TEST_WITH("a file with an error and one that is not regular are worked on by the caller", set_up, tear_down)
{
	char null[] = "/dev/null", *files[] = {paths[0], paths[1], null};
	struct task task = {.dies = -1, .says_who = true};
	int code;
	char *text = said(&task, files, 3, false, 2, &code);

	(void)state;
	assert_true(!strncmp(text, "child\n", 6));
	assert_non_null(strstr(text, "1\nchild\ncaller\n"));
	free(text);
	task.codes[0] = DIAG_EXIT_USAGE;
	text = said(&task, files, 2, false, 2, &code);
	assert_int_equal(code, DIAG_EXIT_USAGE);
	assert_true(!strncmp(text, "caller\n", 7));
	assert_non_null(strstr(text, "1\nchild\n"));
	free(text);
}

TEST_WITH("without free descriptors the caller works alone", set_up, tear_down)
{
	struct task task = {.dies = -1, .says_who = true};
	struct rlimit before, none;
	char *text;
	int code;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	text = said(&task, paths, FILES, false, 2, &code);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(code, DIAG_EXIT_OK);
	assert_null(strstr(text, "child"));
	free(text);
}
