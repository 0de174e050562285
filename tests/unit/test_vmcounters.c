/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include "common/kernel/counters.h"

#define ABSENT UINT64_MAX

struct expectation {
	const char *name;
	uint64_t value;
};

static void expect(const struct vmcounters *snapshot, const struct expectation *expected)
{
	for (; expected->name; expected++) {
		uint64_t value = ABSENT;

		vmcounters_get(snapshot, expected->name, &value);
		if (value != expected->value)
			print_message("# %s\n", expected->name);
		assert_int_equal(value, expected->value);
	}
}

TEST("counters of a recorded kernel are read")
{
	static const struct expectation expected[] = {
		{"meminfo.MemTotal", (8388608ull - 131072) * 1024},
		{"meminfo.Active(anon)", 20480 * 1024},
		{"meminfo.HugePages_Total", 4},
		{"vmstat.pgmajfault", 4242},
		{"vmstat.pswpin", 300},
		{"vmstat.pswpout", 400},
		{"vmstat.nr_zone_inactive_anon", ABSENT},
		{"psi.cpu.some.total", 11},
		{"psi.memory.some.total", 123456},
		{"psi.memory.full.total", 65432},
		{"psi.io.full.total", 666},
		{"stat.user", 100},
		{"stat.steal", 80},
		{"stat.total", 100 + 20 + 300 + 40000 + 50 + 6 + 7 + 80},
		{"stat.guest_nice", 1},
		{"stat.softirq", 7},
		{"stat.ctxt", 987654},
		{"stat.processes", 4567},
		{"stat.intr", ABSENT},
		{"interrupts.TLB", 100},
		{"interrupts.LOC", 10000},
		{"interrupts.ERR", 0},
		{"interrupts.129", ABSENT},
		{"cgroup.usage", ABSENT},
		{NULL, 0},
	};
	struct vmcounters *snapshot = malloc(sizeof(*snapshot));

	assert_int_equal(vmcounters_read(fakeroot_fixture("1socket"), NULL, VMCOUNTERS_ALL, snapshot), 0);
	expect(snapshot, expected);
	assert_int_equal(snapshot->left_out, 0);
	assert_int_equal(vmcounters_read(fakeroot_fixture("1socket"), NULL, VMCOUNTERS_PSI, snapshot), 0);
	assert_int_equal(snapshot->count, 6);
	free(snapshot);
}

TEST("counters of a cgroup of version 1 are read")
{
	static const struct expectation expected[] = {
		{"cgroup.usage", 104857600},
		{"cgroup.memsw_usage", 209715200},
		{"cgroup.failcnt", 17},
		{"cgroup.events.oom_kill", 2},
		{"cgroup.pgmajfault", 56},
		{"cgroup.hierarchical_memory_limit", 268435456},
		{"cgroup.swap", ABSENT},
		{NULL, 0},
	};
	struct vmcounters *snapshot = malloc(sizeof(*snapshot));

	assert_int_equal(vmcounters_read(fakeroot_fixture("cgroup1"), "/sys/fs/cgroup/memory/jobs/a",
		VMCOUNTERS_CGROUP, snapshot), 0);
	expect(snapshot, expected);
	free(snapshot);
}

TEST("counters of a cgroup of version 2 are read")
{
	static const struct expectation expected[] = {
		{"cgroup.usage", 52428800},
		{"cgroup.swap", 1048576},
		{"cgroup.events.max", 41},
		{"cgroup.events.oom_kill", 1},
		{"cgroup.psi.memory.some.total", 999},
		{"cgroup.workingset_refault_anon", 31},
		{"cgroup.failcnt", ABSENT},
		{NULL, 0},
	};
	struct vmcounters *snapshot = malloc(sizeof(*snapshot));

	assert_int_equal(vmcounters_read(fakeroot_fixture("cgroup2"), "/sys/fs/cgroup/run",
		VMCOUNTERS_CGROUP, snapshot), 0);
	expect(snapshot, expected);
	free(snapshot);
}

TEST("a snapshot without any counter is an error")
{
	struct vmcounters *snapshot = malloc(sizeof(*snapshot));

	assert_int_equal(vmcounters_read(fakeroot_fixture("noswap"), NULL, VMCOUNTERS_PSI, snapshot), -ENOENT);
	assert_int_equal(vmcounters_read(fakeroot_fixture("noswap"), NULL, VMCOUNTERS_CGROUP, snapshot), -ENODATA);
	assert_int_equal(vmcounters_read(fakeroot_fixture("noswap"), NULL, VMCOUNTERS_ALL, snapshot), 0);
	free(snapshot);
}

/* Differences go by name: a counter may appear, vanish, move or fall between two snapshots. */
TEST("differences of counters go by name, not by place")
{
	struct vmcounters *then = calloc(1, sizeof(*then)), *now = calloc(1, sizeof(*now));
	struct vmcounters *delta = calloc(1, sizeof(*delta));

	*then = (struct vmcounters){.raw_ns = 1000, .count = 3,
		.values = {{"a", 5}, {"gone", 1}, {"b", 100}}};
	*now = (struct vmcounters){.raw_ns = 4000, .count = 3,
		.values = {{"new", 9}, {"b", 90}, {"a", 1ull << 40}}};
	vmcounters_delta(then, now, delta);
	assert_int_equal(delta->raw_ns, 3000);
	assert_int_equal(delta->count, 2);
	assert_string_equal(delta->values[0].name, "b");
	assert_int_equal((int64_t)delta->values[0].value, -10);
	assert_string_equal(delta->values[1].name, "a");
	assert_int_equal(delta->values[1].value, (1ull << 40) - 5);
	free(then);
	free(now);
	free(delta);
}

TEST("too many and too long are counted")
{
	struct vmcounters *snapshot = malloc(sizeof(*snapshot));
	char root[64];
	char *text = malloc(100000);
	size_t used = 0;

	fakeroot_make(root);
	for (int i = 0; i < VMCOUNTERS_MAX + 10; i++)
		used += (size_t)snprintf(text + used, 32, "pg%d %d\n", i, i);
	fakeroot_put(root, "/proc/vmstat", text);
	fakeroot_put(root, "/proc/meminfo", "a_name_of_more_bytes_than_there_is_space_for_in_the_table: 1 kB\nOk: 2 kB\n");
	assert_int_equal(vmcounters_read(root, NULL, VMCOUNTERS_ALL, snapshot), 0);
	assert_int_equal(snapshot->count, VMCOUNTERS_MAX);
	assert_int_equal(snapshot->left_out, 1 + 11);
	assert_string_equal(snapshot->values[0].name, "meminfo.Ok");
	assert_int_equal(snapshot->values[0].value, 2048);
	assert_string_equal(snapshot->values[VMCOUNTERS_MAX - 1].name, "vmstat.pg510");
	fakeroot_remove(root);
	free(snapshot);
	free(text);
}

TEST("malformed counter files are survived")
{
	static const char *const junk[] = {"/proc/meminfo", "/proc/vmstat", "/proc/stat", "/proc/interrupts",
		"/proc/pressure/memory", "/g/memory.stat", "/g/memory.events", "/g/memory.current"};
	static const char *const texts[] = {"\n\n:::\n : \nkey\nkey \n", "cpu \ncpu\ncpu 1\ncpu  1 2 x\n", "some total=\n",
		"some total=99999999999999999999 total=1", "pg -1\npg 99999999999999999999\nMem: 18446744073709551615 kB\n",
		"\xff\xfe\x80 1\n", ":\n::\nTLB:", "0"};
	struct vmcounters *snapshot = malloc(sizeof(*snapshot));
	char root[64];

	fakeroot_make(root);
	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		for (size_t f = 0; f < sizeof(junk) / sizeof(junk[0]); f++)
			fakeroot_put(root, junk[f], texts[t]);
		vmcounters_read(root, "/g", VMCOUNTERS_ALL, snapshot);
		assert_in_range(snapshot->count, 0, 40);
		for (size_t i = 0; i < snapshot->count; i++)
			assert_in_range(strlen(snapshot->values[i].name), 1, VMCOUNTERS_NAME - 1);
	}
	fakeroot_remove(root);
	free(snapshot);
}

/* Laws that hold on any Linux: counters of events do not fall, time passes, our own fault is counted. */
TEST("counters of this kernel are read")
{
	struct vmcounters *then = malloc(sizeof(*then)), *now = malloc(sizeof(*now)), *delta = malloc(sizeof(*delta));
	uint64_t total = 0, available = 0, faults = 0;
	volatile char *page;

	assert_int_equal(vmcounters_read("", NULL, VMCOUNTERS_ALL, then), 0);
	page = malloc(1 << 20);
	for (size_t i = 0; i < 1 << 20; i += 4096)
		page[i] = 1;
	assert_int_equal(vmcounters_read("", NULL, VMCOUNTERS_ALL, now), 0);
	vmcounters_delta(then, now, delta);
	assert_true(vmcounters_get(now, "meminfo.MemTotal", &total));
	assert_true(vmcounters_get(now, "meminfo.MemAvailable", &available));
	assert_true(available > 0 && available <= total);
	assert_true(vmcounters_get(delta, "vmstat.pgfault", &faults));
	assert_true((int64_t)faults > 0);
	assert_true(delta->raw_ns > 0);
	assert_int_equal(now->left_out, 0);
	free((void *)page);
	free(then);
	free(now);
	free(delta);
}
