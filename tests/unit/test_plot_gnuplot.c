/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child, with programs in gnuplot's place: what it gets, what it says, and that nothing of it stays. */
#include "config.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "common/diag.h"
#include "memstor/plot/plot.h"

#define TIMEOUT_MS 20000
#define BYTES_MAX (8u << 20)

struct place { /* a folder that is all of PATH but the system's */
	char folder[64];
	char path[4096];
};

static int set_up(void **state)
{
	static struct place place;

	snprintf(place.folder, sizeof(place.folder), "/tmp/test_plot_gnuplot.XXXXXX");
	assert_non_null(mkdtemp(place.folder));
	snprintf(place.path, sizeof(place.path), "%s", getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin");
	*state = &place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;
	char name[128];

	setenv("PATH", place->path, 1);
	snprintf(name, sizeof(name), "%s/gnuplot", place->folder);
	unlink(name);
	snprintf(name, sizeof(name), "%s/pid", place->folder);
	unlink(name);
	return rmdir(place->folder);
}

/* A shell script of that body is gnuplot; the system's folders come behind it. */
static void become(const struct place *place, const char *body)
{
	char name[128], path[4224];
	FILE *file;

	snprintf(name, sizeof(name), "%s/gnuplot", place->folder);
	file = fopen(name, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", body);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(name, 0755), 0);
	snprintf(path, sizeof(path), "%s:%s", place->folder, place->path);
	setenv("PATH", path, 1);
}

/* Runs it; what is said on stderr is in text. */
static int run(const char *script, int timeout_ms, char **picture, size_t *size, char *text, size_t length)
{
	const struct plot_gnuplot_limits limits = {timeout_ms, BYTES_MAX};
	FILE *words = tmpfile();
	int saved = dup(STDERR_FILENO), rc;
	size_t got;

	assert_non_null(words);
	dup2(fileno(words), STDERR_FILENO);
	rc = plot_gnuplot_run(script, strlen(script), &limits, picture, size);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(words);
	got = fread(text, 1, length - 1, words);
	text[got] = '\0';
	fclose(words);
	return rc;
}

static void expect_failure(const char *script, int timeout_ms, const char *expected)
{
	char *picture = NULL;
	char text[1024];
	size_t size = 0;

	assert_int_equal(run(script, timeout_ms, &picture, &size, text, sizeof(text)), DIAG_EXIT_HOST);
	assert_null(picture);
	assert_non_null(strchr(text, ':'));
	assert_string_equal(strchr(text, ':') + 2, expected);
}

/* A picture of this size, which begins so and is followed by a NUL, without a message. */
static void expect_picture(const char *script, const char *expected, size_t expected_size)
{
	char *picture = NULL;
	char text[1024];
	size_t size = 0;

	assert_int_equal(run(script, TIMEOUT_MS, &picture, &size, text, sizeof(text)), 0);
	assert_int_equal(size, expected_size);
	assert_memory_equal(picture, expected, strlen(expected));
	assert_int_equal(picture[size], '\0');
	assert_string_equal(text, "");
	free(picture);
}

TEST_WITH("the script goes in and the picture comes out", set_up, tear_down)
{
	become(*state, "test \"$*\" = '-d /dev/stdin' && cat \"$2\"; echo a warning >&2");
	expect_picture("one\ntwo\n", "one\ntwo\n", 8);
}

TEST_WITH("large pictures and long messages are accepted up to the limit", set_up, tear_down)
{
	become(*state, "echo begin; head -c 3000000 /dev/zero >&2; head -c $((8 * 1024 * 1024 - 6)) /dev/zero");
	expect_picture("", "begin\n", BYTES_MAX);
}

TEST_WITH("a picture over the limit is refused", set_up, tear_down)
{
	become(*state, "exec head -c $((8 * 1024 * 1024 + 1)) /dev/zero");
	expect_failure("", TIMEOUT_MS, "gnuplot wrote more than 8 MiB, and was ended\n");
}

TEST_WITH("environment variables of gnuplot are ignored", set_up, tear_down)
{
	static const char kept[] = "LC_ALL=C.UTF-8\nPLOT_TEST_KEPT=yes\n";

	setenv("GNUTERM", "x11", 1);
	setenv("GNUPLOT_LIB", "/tmp", 1);
	setenv("FIT_LOG", "/tmp/log", 1);
	setenv("LC_NUMERIC", "de_DE.UTF-8", 1);
	setenv("PLOT_TEST_KEPT", "yes", 1);
	become(*state, "env | grep -E '^(GNU|FIT_|LC_|LANG|PLOT_TEST)' | sort");
	expect_picture("", kept, strlen(kept));
	unsetenv("GNUTERM");
	unsetenv("GNUPLOT_LIB");
	unsetenv("FIT_LOG");
	unsetenv("LC_NUMERIC");
	unsetenv("PLOT_TEST_KEPT");
}

TEST_WITH("messages of gnuplot are passed on", set_up, tear_down)
{
	become(*state, "printf '\"/dev/stdin\" line 2: warning: iconv\\nplot foo\\n     ^\\n' >&2; "
		       "printf '\"/dev/stdin\" line 7: undefined variable: foo\\n\\n' >&2; exit 1");
	expect_failure("", TIMEOUT_MS, "gnuplot failed: \"/dev/stdin\" line 7: undefined variable: foo\n");
	become(*state, "printf '\\n  no terminal\\nmore\\n' >&2; exit 3");
	expect_failure("", TIMEOUT_MS, "gnuplot failed: no terminal\n");
	become(*state, "echo 'no terminal for it' >&2; exit 9");
	expect_failure("", TIMEOUT_MS, "no terminal for it\n");
	become(*state, "exit 1");
	expect_failure("", TIMEOUT_MS, "gnuplot failed: it gave no reason\n");
	become(*state, "exit 0");
	expect_failure("", TIMEOUT_MS, "gnuplot failed: it gave no reason\n");
	become(*state, "echo half; kill -9 $$");
	expect_failure("", TIMEOUT_MS, "gnuplot was ended by signal 9: probably a limit of memory (cgroup, ulimit -v); draw "
				       "fewer reports, or raise it\n");
	become(*state, "kill -15 $$");
	expect_failure("", TIMEOUT_MS, "gnuplot was ended by signal 15\n");
}

TEST_WITH("without gnuplot the package is named", set_up, tear_down)
{
	const struct place *place = *state;

	setenv("PATH", place->folder, 1);
	expect_failure("", TIMEOUT_MS, "gnuplot is not installed: install gnuplot-nox (Debian)\n");
}

static bool is_running(const struct place *place)
{
	char name[128];
	FILE *file;
	int pid;

	snprintf(name, sizeof(name), "%s/pid", place->folder);
	file = fopen(name, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	/* Orphans are reaped by others, in their time. */
	for (int i = 0; i < 200; i++) {
		if (kill(pid, 0) && errno == ESRCH)
			return false;
		usleep(10000);
	}
	return true;
}

TEST_WITH("a gnuplot that hangs is ended with its children", set_up, tear_down)
{
	const struct place *place = *state;
	char body[256];

	snprintf(body, sizeof(body), "sleep 1000 & echo $! >%s/pid; echo begun; wait", place->folder);
	become(place, body);
	expect_failure("", 1500, "gnuplot did not finish within 1.5 s, and was ended\n");
	assert_false(is_running(place));
}

/* Its outputs are closed, and still it runs. */
TEST_WITH("a gnuplot that closed its output and stays is ended", set_up, tear_down)
{
	const struct place *place = *state;
	char body[256];

	snprintf(body, sizeof(body), "echo $$ >%s/pid; echo done; exec sleep 1000 >&- 2>&-", place->folder);
	become(place, body);
	expect_failure("", 1500, "gnuplot did not finish within 1.5 s, and was ended\n");
	assert_false(is_running(place));
}

TEST_WITH("gnuplot ends with its starter", set_up, tear_down)
{
	const struct place *place = *state;
	char body[512], name[96];
	pid_t pid;
	int status;

	snprintf(name, sizeof(name), "%s/pid", place->folder);
	snprintf(body, sizeof(body), "echo $$ >%s.new; mv %s.new %s; exec sleep 1000", name, name, name);
	become(place, body);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char *picture;
		size_t size;

		_exit(plot_gnuplot_run("", 0, &(struct plot_gnuplot_limits){60000, BYTES_MAX}, &picture, &size));
	}
	while (access(name, F_OK))
		usleep(10000);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(is_running(place));
}

UNIT_BEGIN()
{
	return unit_is_emulated() ? "starts programs of this machine" : NULL;
}
