/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a device is made slow and fast again, in made-up hierarchies of cgroups of both versions. */
#include "config.h"
#include "tests/unit/undo.h"
#include <sys/sysmacros.h>
#include "common/base/diag.h"
#include "iowrite-bench/setup/test_setup_throttle.h"

#define RATE 419430400ull
#define V1 "sys/fs/cgroup/blkio/"
#define V2 "sys/fs/cgroup/unified/"
#define FILE_V1 "blkio.throttle.write_bps_device"

static struct test_setup setup;

static int begin(void **state)
{
	int ret = set_up(state);

	setup = (struct test_setup){.root = root};
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &setup.undo), 0);
	return ret;
}

static int end(void **state)
{
	assert_int_equal(undo_close(setup.undo), 0);
	return tear_down(state);
}

static void mount_v1(void)
{
	put("proc/self/mountinfo", "33 31 0:29 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n");
	put("proc/self/cgroup", "3:blkio:/own\n0::/\n");
	put(V1 FILE_V1, "");
	put(V1 "own/" FILE_V1, "");
}

static void mount_v2(void)
{
	put("proc/self/mountinfo", "30 20 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	put("proc/self/cgroup", "0::/own\n");
	put(V2 "own/cgroup.procs", "");
	put(V2 "own/cgroup.subtree_control", "\n");
	put(V2 "cgroup.procs", "");
	put(V2 "cgroup.subtree_control", "cpu memory\n");
}

/* As if test_setup_throttle had made it; a folder of a made-up hierarchy has no files of its own accord. */
static void be_in_leaf(const char *io_max)
{
	put(V2 "leaf/cgroup.procs", "");
	if (io_max)
		put(V2 "leaf/io.max", io_max);
	snprintf(setup.slow.leaf, sizeof(setup.slow.leaf), "/" V2 "leaf");
	snprintf(setup.slow.home, sizeof(setup.slow.home), "/" V2 "own");
	setup.slow.limited = makedev(7, 3);
}

static void expect_at_home(void)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	holds(V2 "own/cgroup.procs", pid);
	assert_string_equal(setup.slow.leaf, "");
	assert_string_equal(setup.slow.home, "");
}

TEST_WITH("version 1 gets lines for the root and for the own cgroup", begin, end)
{
	mount_v1();
	put(V1 "release_agent", "");
	assert_int_equal(test_setup_throttle(&setup, makedev(7, 3), RATE), DIAG_EXIT_OK);
	holds(V1 FILE_V1, "7:3 419430400");
	holds(V1 "own/" FILE_V1, "7:3 419430400");
	assert_int_equal(test_setup_unthrottle(&setup), DIAG_EXIT_OK);
	holds(V1 FILE_V1, "7:3 0");
	holds(V1 "own/" FILE_V1, "7:3 0");
	assert_int_equal(said(NULL), 0);
}

TEST_WITH("version 1 in a container is refused", begin, end)
{
	mount_v1();
	assert_int_equal(test_setup_throttle(&setup, makedev(7, 3), RATE), DIAG_EXIT_HOST);
	assert_int_equal(said("run it outside of the container"), 1);
	holds(V1 FILE_V1, "");
}

TEST_WITH("version 2 needs both controllers", begin, end)
{
	mount_v2();
	assert_int_equal(test_setup_throttle(&setup, makedev(7, 3), RATE), DIAG_EXIT_HOST);
	assert_int_equal(said("no cgroup from /sys/fs/cgroup/unified/own upwards gives the controllers io and memory"), 1);
	assert_int_equal(test_setup_unthrottle(&setup), DIAG_EXIT_OK);
	assert_int_equal(said(NULL), 0);
}

/* What is made is in the journal before; what could not be limited is not lifted either. */
TEST_WITH("a partly made throttle is removed", begin, end)
{
	char leaf[512];

	mount_v2();
	put(V2 "cgroup.subtree_control", "cpu io memory\n");
	assert_int_equal(test_setup_throttle(&setup, makedev(7, 3), RATE), DIAG_EXIT_HOST);
	assert_int_equal(said("cannot make the slow device's cgroup"), 1);
	snprintf(leaf, sizeof(leaf), "%s/" V2, root);
	assert_int_equal(test_setup_unthrottle(&setup), DIAG_EXIT_OK);
	assert_int_equal(said(NULL), 0);
	holds(V2 "own/cgroup.procs", "");
	assert_int_equal(undo_close(setup.undo), 0);
	setup.undo = NULL;
	for (DIR *stream = opendir(leaf); stream; closedir(stream), stream = NULL) {
		const struct dirent *entry;

		while ((entry = readdir(stream)))
			assert_null(strstr(entry->d_name, "iowrite-bench"));
	}
}

TEST_WITH("the limit of version 2 is lifted", begin, end)
{
	mount_v2();
	be_in_leaf("7:3 wbps=419430400\n");
	assert_int_equal(test_setup_unthrottle(&setup), DIAG_EXIT_OK);
	holds(V2 "leaf/io.max", "7:3 wbps=max");
	expect_at_home();
	assert_int_equal(said(NULL), 0);
	/* Once. */
	put(V2 "leaf/io.max", "another value");
	assert_int_equal(test_setup_unthrottle(&setup), DIAG_EXIT_OK);
	holds(V2 "leaf/io.max", "another value");
}

TEST_WITH("the process returns to its cgroup after an error", begin, end)
{
	mount_v2();
	be_in_leaf(NULL);
	assert_int_equal(test_setup_unthrottle(&setup), DIAG_EXIT_HOST);
	assert_int_equal(said("cannot lift the limit of the slow device in /" V2 "leaf"), 1);
	expect_at_home();
}

TEST_WITH("a host without cgroups is refused", begin, end)
{
	put("proc/self/mountinfo", "20 1 0:20 / / rw - ext4 /dev/vda rw\n");
	put("proc/self/cgroup", "");
	assert_int_equal(test_setup_throttle(&setup, makedev(7, 3), RATE), DIAG_EXIT_HOST);
	assert_int_equal(said("no cgroups are mounted"), 1);
}
