/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include "common/base/input.h"
#include "common/base/interrupt.h"

#define LIMIT 1000

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_input.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path_of("file"));
	return rmdir(folder);
}

static const char *make_file(const char *bytes, size_t size)
{
	int fd = open(path_of("file"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	return path_of("file");
}

/* By each of the three readers. */
static void refused(const char *path, int error)
{
	uint64_t bytes;
	size_t size;
	char *text;
	FILE *in;
	int fd;

	assert_int_equal(input_open(path, LIMIT, &fd, &bytes), error);
	assert_int_equal(input_stream(path, LIMIT, &in), error);
	assert_int_equal(input_read(path, LIMIT, &text, &size), error);
}

TEST_WITH("what is no regular file is refused without waiting", set_up, tear_down)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	alarm(20); /* a reader that waits for a writer */
	refused(path_of("none"), -ENOENT);
	refused(folder, -EISDIR);
	refused("/dev/zero", -ENODEV);
	refused("/dev/null", -ENODEV);
	assert_int_equal(mkfifo(path_of("file"), 0600), 0);
	refused(path_of("file"), -ESPIPE);
	unlink(path_of("file"));
	snprintf(address.sun_path, sizeof(address.sun_path), "%.64s/file", folder);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	refused(path_of("file"), -ENODEV);
	close(fd);
	alarm(0);
}

TEST_WITH("a file above its limit is refused, also one that is a hole", set_up, tear_down)
{
	char *text, bytes[LIMIT + 1];
	size_t size;

	memset(bytes, 'x', sizeof(bytes));
	refused(make_file(bytes, LIMIT + 1), -EFBIG);
	assert_int_equal(truncate(path_of("file"), 1ll << 40), 0);
	refused(path_of("file"), -EFBIG);
	assert_int_equal(input_read(make_file(bytes, LIMIT), LIMIT, &text, &size), 0);
	assert_int_equal(size, LIMIT);
	assert_memory_equal(text, bytes, LIMIT);
	assert_int_equal(text[size], '\0');
	free(text);
}

TEST("an open pipe is read up to its limit, also one without end")
{
	char *text, path[32];
	size_t size;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	child = fork();
	if (!child) {
		signal(SIGPIPE, SIG_DFL);
		close(ends[0]);
		while (write(ends[1], "0123456789abcdef", 16) > 0)
			;
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(input_read(path, LIMIT, &text, &size), -EFBIG);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
}

/* A writer that writes nothing: without an end of its own only the signal ends the reader. */
TEST("a signal ends the reader of a pipe")
{
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		char *text, path[32];
		size_t size;

		alarm(20);
		snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
		if (interrupt_install())
			_exit(2);
		raise(SIGTERM);
		_exit(input_read(path, LIMIT, &text, &size) == -EINTR ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(ends[0]);
	close(ends[1]);
}

TEST_WITH("lines are whole: a NUL or too many bytes are errors, not the end of a line", set_up, tear_down)
{
	static const struct {
		const char *bytes;
		size_t size;
		int results[3];
	} files[] = {
		{"a\n\nb", 4, {1, 1, 1}},
		{"1234567\n", 8, {1, 0, 0}},
		{"12345678\n", 9, {-EMSGSIZE}},
		{"a\nb\0c\n", 6, {1, -EILSEQ}},
		{"\0", 1, {-EILSEQ}},
		{"", 0, {0, 0, 0}},
	};
	char line[8];
	FILE *in;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(input_stream(make_file(files[i].bytes, files[i].size), LIMIT, &in), 0);
		for (size_t k = 0; k < 3 && (!k || files[i].results[k - 1] >= 0); k++)
			assert_int_equal(input_line(in, line, sizeof(line)), files[i].results[k]);
		fclose(in);
	}
}
