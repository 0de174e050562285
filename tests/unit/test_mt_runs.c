/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <sys/stat.h>

#include "memtrace/check/runs.h"

#define LOG_FD 9

struct seen {
	size_t count;
	char kinds[8];
	uint64_t addresses[8];
};

static int take(void *data, char kind, uint64_t address)
{
	struct seen *seen = data;

	assert_true(seen->count < 8);
	seen->kinds[seen->count] = kind;
	seen->addresses[seen->count++] = address;
	return 0;
}

TEST("accesses to data are read from a trace of lackey, instructions and messages are not")
{
	/* Instead of valgrind, whose arguments it does not read. */
	static const char script[] = "#!/bin/sh\n"
		"printf '==1== lackey\\nI  0401ab70,3\\n L 1fff0005f8,8\\nI  0401b770,1\\n S ab,4\\n M 04033e06,1\\n\\n' >&9\n";
	static const char *const command[] = {"true", NULL};
	const struct runs runs = {.name = "test", .fd = -1};
	struct seen seen = {0};
	char path[] = "/tmp/test-mt-runs-XXXXXX";
	uint64_t bytes = 0;
	int fd = mkstemp(path), code;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, script, strlen(script)), (ssize_t)strlen(script));
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	code = runs_lackey(&runs, path, command, -1, take, &seen, &bytes);
	unlink(path);
	assert_int_equal(code, 0);
	assert_int_equal(seen.count, 3);
	assert_memory_equal(seen.kinds, "LSM", 3);
	assert_true(seen.addresses[0] == 0x1fff0005f8 && seen.addresses[1] == 0xab && seen.addresses[2] == 0x04033e06);
	assert_int_equal(bytes, 80);
}

TEST("a program has its log at descriptor 9, whatever number it had before")
{
	char shell[] = "sh", option[] = "-c", text[] = "echo x >&9";
	char *const argv[] = {shell, option, text, NULL};
	const struct runs runs = {.name = "test", .fd = -1};
	int kept = fcntl(LOG_FD, F_GETFD) < 0 ? -1 : fcntl(LOG_FD, F_DUPFD_CLOEXEC, LOG_FD + 1);
	int opened = open("/dev/null", O_WRONLY | O_CLOEXEC), none = fcntl(opened, F_DUPFD_CLOEXEC, LOG_FD + 1);

	assert_true(opened >= 0 && none > LOG_FD);
	close(opened);
	assert_int_equal(runs_finish(&runs, runs_start("sh", argv, -1, none), "sh"), 0);
	assert_int_equal(dup3(none, LOG_FD, O_CLOEXEC), LOG_FD);
	assert_int_equal(runs_finish(&runs, runs_start("sh", argv, -1, LOG_FD), "sh"), 0);
	if (kept >= 0) {
		dup2(kept, LOG_FD);
		close(kept);
	} else {
		close(LOG_FD);
	}
	close(none);
}
