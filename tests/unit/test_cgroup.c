/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/kernel/cgroup.h"

#define MOUNT_V1 "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
#define MOUNT_CPU "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
#define MOUNT_V2 "30 20 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

struct root {
	char path[64];
};

static int set_up(void **state)
{
	static struct root root;

	fakeroot_make(root.path);
	*state = &root;
	return 0;
}

static int tear_down(void **state)
{
	struct root *root = *state;

	fakeroot_remove(root->path);
	return 0;
}

/* The folder found, without the root. */
static const char *find(const char *root, int version)
{
	static struct cgroup parent;
	char why[512] = "";

	assert_int_equal(cgroup_find_parent(root, &parent, why, sizeof(why)), 0);
	assert_int_equal(parent.version, version);
	assert_int_equal(strncmp(parent.dir, root, strlen(root)), 0);
	return parent.dir + strlen(root);
}

TEST_WITH("with version 1 the parent is the process's own cgroup", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;

	fakeroot_put(root, "/proc/self/cgroup", "5:cpu:/other\n4:memory:/user/me\n0::/\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_CPU MOUNT_V1);
	assert_string_equal(find(root, 1), "/sys/fs/cgroup/memory/user/me");
	fakeroot_put(root, "/proc/self/cgroup", "4:hugetlb,memory:/\n");
	assert_string_equal(find(root, 1), "/sys/fs/cgroup/memory");
}

/* In a container the mount shows a part of the hierarchy, and paths are told from the whole. */
TEST_WITH("the cgroup of version 1 is found in a container", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;

	fakeroot_put(root, "/proc/self/cgroup", "4:memory:/docker/abc/job\n");
	fakeroot_put(root, "/proc/self/mountinfo",
		"35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
	assert_string_equal(find(root, 1), "/sys/fs/cgroup/memory/job");
}

TEST_WITH("every controller of version 1 has its own place", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup_place place;

	fakeroot_put(root, "/proc/self/cgroup", "5:cpu,blkio:/a\n4:memory:/user/me\n0::/z\n");
	fakeroot_put(root, "/proc/self/mountinfo",
		MOUNT_CPU MOUNT_V1 MOUNT_V2 "33 31 0:29 / /sys/fs/cgroup/io rw - cgroup cgroup rw,cpu,blkio\n");
	assert_int_equal(cgroup_find_hierarchy(root, "blkio", &place), 0);
	assert_string_equal(place.dir, "/sys/fs/cgroup/io/a");
	assert_string_equal(place.mount_point, "/sys/fs/cgroup/io");
	assert_int_equal(cgroup_find_hierarchy(root, NULL, &place), 0);
	assert_string_equal(place.dir, "/sys/fs/cgroup/z");
	assert_int_equal(cgroup_find_hierarchy(root, "pids", &place), -ENODEV);
}

/* What the mount does not show cannot be gone to: its point is the nearest. A name that begins alike is no part of it. */
TEST_WITH("a place outside of the visible hierarchy becomes the mount point", set_up, tear_down)
{
	static const char *const paths[] = {"/other", "/docker/abcdef", "/docker", "/docker/abc/../x", "/../x", "/"};
	const char *root = ((struct root *)*state)->path;
	struct cgroup_place place;
	char line[64];

	fakeroot_put(root, "/proc/self/mountinfo",
		"35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
		"30 20 0:28 /docker/abc /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		snprintf(line, sizeof(line), "4:memory:%s\n0::%s\n", paths[i], paths[i]);
		fakeroot_put(root, "/proc/self/cgroup", line);
		assert_string_equal(find(root, 1), "/sys/fs/cgroup/memory");
		assert_int_equal(cgroup_find_hierarchy(root, NULL, &place), 0);
		assert_string_equal(place.dir, "/sys/fs/cgroup");
		assert_string_equal(place.mount_point, "/sys/fs/cgroup");
	}
	assert_int_equal(cgroup_find_hierarchy("/nowhere", NULL, &place), -ENOENT);
}

/* mountinfo writes a blank as \040; /proc/self/cgroup has it as it is. */
TEST_WITH("names with blanks are read from mountinfo", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup_place place;

	fakeroot_put(root, "/proc/self/cgroup", "4:memory:/a b/c d\n");
	fakeroot_put(root, "/proc/self/mountinfo", "35 31 0:32 /a\\040b /cg\\040\\134x ro - cgroup cgroup rw,memory\n");
	assert_int_equal(cgroup_find_hierarchy(root, "memory", &place), 0);
	assert_string_equal(place.dir, "/cg \\x/c d");
	assert_string_equal(place.mount_point, "/cg \\x");
}

TEST_WITH("a path that is too long is refused and not cut", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup_place place = {.dir = "as it was"};
	char text[CGROUP_DIR + 64], name[CGROUP_DIR];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "0::/%s\n", name);
	fakeroot_put(root, "/proc/self/cgroup", text);
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2);
	assert_int_equal(cgroup_find_hierarchy(root, NULL, &place), -ENAMETOOLONG);
	assert_string_equal(place.dir, "as it was");
}

TEST_WITH("with version 2 the parent is the nearest cgroup that enables memory for its children", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;

	fakeroot_put(root, "/proc/self/cgroup", "0::/user.slice/session\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2);
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpu io memory pids\n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.subtree_control", "cpu memory\n");
	fakeroot_put(root, "/sys/fs/cgroup/user.slice/cgroup.controllers", "cpu memory\n");
	fakeroot_put(root, "/sys/fs/cgroup/user.slice/cgroup.subtree_control", "memory\n");
	fakeroot_put(root, "/sys/fs/cgroup/user.slice/session/cgroup.controllers", "memory\n");
	fakeroot_put(root, "/sys/fs/cgroup/user.slice/session/cgroup.subtree_control", "\n");
	assert_string_equal(find(root, 2), "/sys/fs/cgroup/user.slice");
	fakeroot_put(root, "/sys/fs/cgroup/user.slice/session/cgroup.subtree_control", "memory\n");
	assert_string_equal(find(root, 2), "/sys/fs/cgroup/user.slice/session");
	fakeroot_put(root, "/sys/fs/cgroup/user.slice/session/cgroup.subtree_control", "cpu\n");
	fakeroot_put(root, "/sys/fs/cgroup/user.slice/cgroup.subtree_control", "cpu memoryless\n");
	assert_string_equal(find(root, 2), "/sys/fs/cgroup");
	/* Below one that does not hand it down nobody has it; that is no end of the climb. */
	fakeroot_put(root, "/sys/fs/cgroup/user.slice/session/cgroup.controllers", "cpu\n");
	assert_string_equal(find(root, 2), "/sys/fs/cgroup");
}

TEST_WITH("a missing controller is named in the reason", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup parent = {.version = 7};
	char why[512];

	fakeroot_put(root, "/proc/self/cgroup", "0::/a\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2);
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "memory\n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.subtree_control", "cpu\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/cgroup.controllers", "cpu\n");
	assert_int_equal(cgroup_find_parent(root, &parent, why, sizeof(why)), -EOPNOTSUPP);
	assert_non_null(strstr(why, "/sys/fs/cgroup/a upwards gives"));
	assert_non_null(strstr(why, "/sys/fs/cgroup/cgroup.subtree_control'"));
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpu\n");
	assert_int_equal(cgroup_find_parent(root, &parent, why, sizeof(why)), -ENODEV);
	assert_non_null(strstr(why, "have no memory controller"));
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_CPU);
	assert_int_equal(cgroup_find_parent(root, &parent, why, sizeof(why)), -ENODEV);
	assert_non_null(strstr(why, "no memory cgroup controller is mounted"));
}

TEST_WITH("the smallest limit upwards is found", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;

	assert_true(cgroup_own_limit(root) == UINT64_MAX);
	fakeroot_put(root, "/proc/self/cgroup", "0::/a/b\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2);
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
	assert_true(cgroup_own_limit(root) == UINT64_MAX);
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.max", "1048576\n");
	assert_int_equal(cgroup_own_limit(root), 1048576);
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.max", "4096\n");
	assert_int_equal(cgroup_own_limit(root), 4096);
}

/* What the kernel would take back first counts as free; what a folder above has left may be less. */
TEST_WITH("the memory left is the limit less the usage", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;

	assert_true(available_memory(root) == UINT64_MAX);
	fakeroot_put(root, "/proc/self/cgroup", "0::/a/b\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2);
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.current", "900\n");
	assert_true(available_memory(root) == UINT64_MAX);
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.max", "5000\n");
	assert_int_equal(available_memory(root), 4100);
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.stat", "anon 600\ninactive_file 250\nactive_file 7\n");
	assert_int_equal(available_memory(root), 4350);
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.high", "4000\n");
	assert_int_equal(available_memory(root), 3350);
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.max", "8000\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.current", "7000\n");
	assert_int_equal(available_memory(root), 1000);
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.current", "9000\n");
	assert_int_equal(available_memory(root), 0);
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.stat", "inactive_file 9001\n");
	assert_int_equal(available_memory(root), 3350);
}

/* Version 1 prints no limit as a number, and its total_ is what is below, too. */
TEST_WITH("the memory left is found with version 1", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;

	fakeroot_put(root, "/proc/self/cgroup", "4:memory:/a\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V1);
	fakeroot_put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	fakeroot_put(root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000\n");
	assert_true(available_memory(root) == UINT64_MAX);
	fakeroot_put(root, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n");
	fakeroot_put(root, "/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "900\n");
	fakeroot_put(root, "/sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n");
	assert_int_equal(available_memory(root), 4200);
}

TEST_WITH("the smallest swap limit upwards is found", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;

	assert_true(cgroup_own_swap_limit(root) == UINT64_MAX);
	fakeroot_put(root, "/proc/self/cgroup", "0::/a/b\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2);
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.swap.max", "max\n");
	assert_true(cgroup_own_swap_limit(root) == UINT64_MAX);
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.swap.max", "0\n");
	assert_int_equal(cgroup_own_swap_limit(root), 0);
	/* Version 1 limits memory and swap together, which is another thing. */
	fakeroot_put(root, "/proc/self/cgroup", "4:memory:/a\n0::/a/b\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2 MOUNT_V1);
	assert_true(cgroup_own_swap_limit(root) == UINT64_MAX);
}

static void assert_value(const char *root, const char *path, const char *expected)
{
	char value[64];

	assert_int_equal(sysfs_read(root, path, value, sizeof(value)), 0);
	assert_string_equal(value, expected);
}

static struct cgroup made_in(const char *root, int version)
{
	struct cgroup cgroup = {.version = version};

	snprintf(cgroup.dir, sizeof(cgroup.dir), "%s/c", root);
	assert_int_equal(cgroup_create(&cgroup), 0);
	assert_int_equal(cgroup_create(&cgroup), -EEXIST);
	return cgroup;
}

TEST_WITH("limits are written with version 2", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup cgroup = made_in(root, 2);

	assert_int_equal(cgroup_limit(&cgroup, &(struct cgroup_limits){.bytes = 4096, .without_swap = false}), -ENOENT);
	fakeroot_put(root, "/c/memory.max", "max\n");
	fakeroot_put(root, "/c/memory.swap.max", "max\n");
	fakeroot_put(root, "/c/memory.high", "max\n");
	assert_int_equal(cgroup_limit(&cgroup, &(struct cgroup_limits){.high_bytes = 1024}), 0);
	assert_value(root, "/c/memory.high", "1024");
	assert_value(root, "/c/memory.max", "max");
	assert_int_equal(cgroup_limit(&cgroup, &(struct cgroup_limits){.bytes = 4096, .without_swap = false}), 0);
	assert_value(root, "/c/memory.max", "4096");
	assert_value(root, "/c/memory.swap.max", "max");
	assert_int_equal(cgroup_limit(&cgroup, &(struct cgroup_limits){.bytes = 0, .without_swap = true}), 0);
	assert_value(root, "/c/memory.max", "4096");
	assert_value(root, "/c/memory.swap.max", "0");
}

TEST_WITH("limits are written with version 1", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup cgroup = made_in(root, 1);

	fakeroot_put(root, "/c/memory.limit_in_bytes", "9223372036854771712\n");
	fakeroot_put(root, "/c/memory.swappiness", "60\n");
	assert_int_equal(cgroup_limit(&cgroup, &(struct cgroup_limits){.has_swappiness = true, .swappiness = 7}), 0);
	assert_value(root, "/c/memory.swappiness", "7");
	fakeroot_put(root, "/c/memory.swappiness", "60\n");
	assert_int_equal(cgroup_limit(&cgroup, &(struct cgroup_limits){.bytes = 8192, .without_swap = false}), 0);
	assert_value(root, "/c/memory.limit_in_bytes", "8192");
	assert_value(root, "/c/memory.swappiness", "60");
	/* A kernel without swap accounting has no memsw file: swappiness has to do. */
	assert_int_equal(cgroup_limit(&cgroup, &(struct cgroup_limits){.bytes = 8192, .without_swap = true}), 0);
	assert_value(root, "/c/memory.swappiness", "0");
	fakeroot_put(root, "/c/memory.memsw.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(cgroup_limit(&cgroup, &(struct cgroup_limits){.bytes = 8192, .without_swap = true}), 0);
	assert_value(root, "/c/memory.memsw.limit_in_bytes", "8192");
}

TEST_WITH("oom kills are read", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup cgroup = made_in(root, 1);
	uint64_t kills = 99;

	assert_int_equal(cgroup_oom_kills(&cgroup, &kills), -ENOENT);
	fakeroot_put(root, "/c/memory.oom_control", "oom_kill_disable 5\nunder_oom 6\noom_kill 3\n");
	assert_int_equal(cgroup_oom_kills(&cgroup, &kills), 0);
	assert_int_equal(kills, 3);
	cgroup.version = 2;
	fakeroot_put(
		root, "/c/memory.events", "low 0\nhigh 0\nmax 12\noom 4\noom_kill 2\noom_group_kill 1\n");
	assert_int_equal(cgroup_oom_kills(&cgroup, &kills), 0);
	assert_int_equal(kills, 2);
}

TEST_WITH("destroying a cgroup that does not exist succeeds", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup cgroup = made_in(root, 2);

	snprintf(cgroup.dir, sizeof(cgroup.dir), "%s/gone", root);
	assert_int_equal(cgroup_destroy(&cgroup), 0);
}

/* A command may nest cgroups so that the path of the innermost is longer than any that the kernel takes. */
TEST_WITH("nested cgroups with long names are removed", set_up, tear_down)
{
	const char *root = ((struct root *)*state)->path;
	struct cgroup cgroup = made_in(root, 2);
	int dir = open(cgroup.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[201];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int level = 0; level < 30; level++) {
		int next;

		assert_int_equal(mkdirat(dir, name, 0755), 0);
		next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		assert_int_equal(mkdirat(next, "beside", 0755), 0);
		close(dir);
		dir = next;
	}
	close(dir);
	assert_int_equal(cgroup_destroy(&cgroup), 0);
	assert_int_equal(access(cgroup.dir, F_OK), -1);
}
