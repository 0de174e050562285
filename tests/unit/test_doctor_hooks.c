/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real questions: whatever this kernel answers, nothing is open, running or on disk afterwards. */
#include "config.h"
#include "common/probe/probe_checks.h"
#include "tests/unit/fakeroot.h"
#include "tests/unit/said.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/wait.h>
#include "common/probe/probe.h"

static unsigned entries(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static int open_and_close(const struct perf_event_attr *attr)
{
	int fd = probe_real_hooks.perf_open(attr, 0, -1, -1);

	return fd < 0 ? fd : close(fd);
}

static void answers_are_errors_or_facts(void **state)
{
	const struct probe_hooks *hooks = &probe_real_hooks;
	struct perf_event_attr attr = {.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = 1};
	uint64_t bytes = 0;
	struct timebase timebase;
	char why[256] = "";

	(void)state;
	assert_int_equal(hooks->time_source("", &timebase), 0);
	assert_true(timebase.start.khz > 0);
	assert_int_equal(hooks->memlock_limit(&bytes), 0);
	assert_in_range(-hooks->pid_namespace(), 0, 133);
	assert_int_equal(hooks->is_writable("/proc/none"), -ENOENT);
	assert_int_equal(hooks->swap_file("", "/proc/none", why, sizeof(why)), -ENOENT);
	assert_non_null(strstr(why, "/proc/none"));
	assert_in_range(-hooks->uring(0), 0, 133);
	assert_in_range(-hooks->uring(1u << 31), 1, 133);
	assert_in_range(-open_and_close(&attr), 0, 133);
	attr.type = UINT32_MAX - 1;
	assert_in_range(-open_and_close(&attr), 1, 133);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	/* Where the event is allowed the fault is found. */
	assert_in_range(-hooks->fault_address(), 0, open_and_close(&attr) ? 133 : 0);
	assert_in_range(-hooks->process_madvise(), 0, 133);
	assert_in_range(-hooks->tracefs(), 0, 133);
}

TEST("the probes of doctor leave no descriptor and no child")
{
	unsigned before = entries("/proc/self/fd");

	answers_are_errors_or_facts(state);
	assert_int_equal(entries("/proc/self/fd"), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

TEST("a direct write is tried in a folder")
{
	struct probe_direct direct;
	char root[64], path[128];
	int in_folder, in_file;

	fakeroot_make(root);
	fakeroot_put(root, "/file", "kept");
	snprintf(path, sizeof(path), "%s/file", root);
	in_folder = probe_real_hooks.direct(root, &direct);
	assert_true(!in_folder || direct.step);
	/* A file stands for its folder, and stays as it is. */
	in_file = probe_real_hooks.direct(path, &direct);
	assert_int_equal(in_file, in_folder);
	assert_int_equal(entries(root), 3);
	FILE *file = fopen(path, "r");
	char text[16] = "";

	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text), file), 4);
	fclose(file);
	assert_string_equal(text, "kept");
	snprintf(path, sizeof(path), "%s/none", root);
	assert_int_equal(probe_real_hooks.direct(path, &direct), -ENOENT);
	assert_string_equal(direct.step, "open");
	fakeroot_remove(root);
}

TEST("file systems in memory are recognised")
{
	struct probe_direct direct;

	if (access("/dev/shm", W_OK))
		skip();
	(void)probe_real_hooks.direct("/dev/shm", &direct);
	if (strcmp(direct.filesystem, "tmpfs") != 0)
		skip();
	assert_true(direct.is_cached);
}
