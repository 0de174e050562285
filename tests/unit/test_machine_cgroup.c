/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits that cgroups put on a machine. */
#include "config.h"
#include "tests/unit/machine.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

TEST("the limit of a version 1 cgroup is read")
{
	struct machine *machine = read_fixture("cgroup1");

	assert_int_equal(machine->cgroup_version, 1);
	assert_string_equal(machine->cgroup_dir, "/sys/fs/cgroup/memory/jobs/a");
	assert_int_equal(machine->cgroup_limit_bytes, 256 * MIB);
	expect_checks("cgroup1", machine, "cgroup-limit");
	free(machine);
}

TEST("the limit of a version 2 cgroup is read")
{
	struct machine *machine = read_fixture("cgroup2");

	assert_int_equal(machine->cgroup_version, 2);
	assert_string_equal(machine->cgroup_dir, "/sys/fs/cgroup/run");
	assert_int_equal(machine->cgroup_limit_bytes, 768 * MIB);
	free(machine);
}

/* Version 1 has no word for "no limit": it prints the largest number of whole pages, here of 4 and of 64 KiB. */
TEST("every spelling of an unlimited cgroup means no limit")
{
	static const char *const none[] = {"9223372036854771712\n", "9223372036854710272\n", "-1\n", ""};
	struct machine *machine = malloc(sizeof(*machine));
	char root[64];

	fakeroot_make(root);
	fakeroot_put(root, "/proc/meminfo", "MemTotal: 1024 kB\n");
	fakeroot_put(root, "/proc/self/cgroup", "4:cpu,memory:/\n");
	fakeroot_put(root, "/proc/self/mountinfo", "35 31 0:32 / /m\\040m rw - cgroup cgroup rw,cpu,memory\n");
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		fakeroot_put(root, "/m m/memory.limit_in_bytes", none[i]);
		assert_int_equal(machine_read(root, machine), 0);
		assert_int_equal(machine->cgroup_version, 1);
		assert_string_equal(machine->cgroup_dir, "/m m");
		assert_true(machine->cgroup_limit_bytes == UINT64_MAX);
	}
	fakeroot_remove(root);
	free(machine);
}
