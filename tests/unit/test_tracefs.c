/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/kernel/tracefs_dir.h"
#include "common/undo/tracefs.h"
#include "pmbench/access/trace_marker.h"

static size_t count_mounts(void)
{
	FILE *mounts = fopen("/proc/self/mounts", "r");
	size_t count = 0;
	int c;

	assert_non_null(mounts);
	while ((c = fgetc(mounts)) != EOF)
		count += c == '\n';
	fclose(mounts);
	return count;
}

TEST("the private mount of tracefs is removed")
{
	size_t before = count_mounts();
	int dirfd, file;

	assert_int_equal(tracefs_open_dir(&dirfd), 0);
	file = openat(dirfd, "trace_marker", O_WRONLY | O_CLOEXEC);
	assert_true(file >= 0);
	assert_int_equal(count_mounts(), before);
	close(dirfd);
	close(file);
	assert_int_equal(count_mounts(), before);
}

static bool trace_has(int dirfd, const char *text)
{
	int fd = openat(dirfd, "trace", O_RDONLY | O_CLOEXEC);
	FILE *file;
	char line[512];
	bool has = false;

	assert_true(fd >= 0);
	file = fdopen(fd, "r");
	assert_non_null(file);
	while (!has && fgets(line, sizeof(line), file))
		has = strstr(line, text);
	fclose(file);
	return has;
}

TEST("a line written to trace_marker is in the trace")
{
	struct trace_marker marker;
	char expected[128];
	uint64_t ns = ((uint64_t)getpid() << 32) + 77; /* no other run's */
	int dirfd;

	assert_int_equal(trace_marker_open(&marker), 0);
	trace_marker_write(&marker, ns, 0x1000, ACCESS_WRITE, 9);
	snprintf(expected, sizeof(expected), "pmbench: access over threshold: %llu ns address 0x1000 write thread 9",
		(unsigned long long)ns);
	assert_int_equal(tracefs_open_dir(&dirfd), 0);
	/* With tracing off, which a test may not change, the kernel drops the line. */
	assert_int_equal(trace_has(dirfd, expected), marker.is_tracing);
	close(dirfd);
	trace_marker_close(&marker);
}

UNIT_BEGIN()
{
	struct trace_marker marker;

	if (trace_marker_open(&marker))
		return "trace_marker cannot be written";
	trace_marker_close(&marker);
	return NULL;
}
