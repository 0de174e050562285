/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/machine.h"

#include <errno.h>
#include <stdbool.h>

#define MIB (1ull << 20)
#define GIB (1ull << 30)

static void expect_cache(const struct machine_cache *cache, unsigned level, const char *type, uint64_t kib, unsigned ways,
	unsigned sets, unsigned instances)
{
	assert_int_equal(cache->level, level);
	assert_string_equal(cache->type, type);
	assert_int_equal(cache->capacity_bytes, kib * 1024);
	assert_int_equal(cache->line_bytes, 64);
	assert_int_equal(cache->ways, ways);
	assert_int_equal(cache->sets, sets);
	assert_int_equal(cache->instances, instances);
}

static void expect_node(const struct machine_node *node, unsigned index, uint64_t bytes, const char *cpus)
{
	assert_int_equal(node->index, index);
	assert_int_equal(node->memory_bytes, bytes);
	assert_string_equal(node->cpus, cpus);
}

static void expect_swap(const struct machine_swap *swap, const char *path, const char *backing, const char *algorithm,
	uint64_t bytes, uint64_t used_bytes, int priority)
{
	assert_string_equal(swap->path, path);
	assert_string_equal(swap->backing, backing);
	assert_string_equal(swap->algorithm, algorithm);
	assert_int_equal(swap->size_bytes, bytes);
	assert_int_equal(swap->used_bytes, used_bytes);
	assert_int_equal(swap->priority, priority);
}

static void expect_setting(const struct machine *machine, const char *name, const char *value)
{
	const char *found = machine_setting(machine, name);

	if (!value)
		assert_null(found);
	else if (!found)
		fail_msg("%s is not known", name);
	else
		assert_string_equal(found, value);
}

TEST("a machine of one socket is described")
{
	struct machine *machine = read_fixture("1socket");

	assert_string_equal(machine->cpu_model, "Fixture CPU @ 3.00GHz");
	assert_string_equal(machine->vendor, "GenuineIntel");
	assert_string_equal(machine->hypervisor, "");
	assert_string_equal(machine->os_name, "Linux");
	assert_string_equal(machine->os_release, "6.18.0-fixture");
	assert_string_equal(machine->arch, "x86_64");
	assert_string_equal(machine->hostname, "one");
	assert_string_equal(machine->boot_id, "01234567-89ab-cdef-0123-456789abcdef");
	assert_int_equal(machine->cores, 2);
	assert_int_equal(machine->threads, 4);
	assert_int_equal(machine->memory_bytes, 8 * GIB - 128 * MIB);
	assert_int_equal(machine->available_bytes, 6 * GIB);
	assert_int_equal(machine->cache_count, 4);
	expect_cache(&machine->caches[0], 1, "data", 32, 8, 64, 2);
	expect_cache(&machine->caches[1], 1, "instruction", 32, 8, 64, 2);
	expect_cache(&machine->caches[2], 2, "unified", 1024, 16, 1024, 2);
	expect_cache(&machine->caches[3], 3, "unified", 11264, 11, 16384, 1);
	assert_int_equal(machine->node_count, 1);
	expect_node(&machine->nodes[0], 0, 8 * GIB - 128 * MIB, "0-3");
	assert_int_equal(machine->swap_count, 1);
	expect_swap(&machine->swaps[0], "/dev/sda2", "disk", "", 2 * GIB, 0, -2);
	assert_string_equal(machine->swaps[0].type, "partition");
	assert_int_equal(machine->cgroup_version, 2);
	assert_string_equal(machine->cgroup_dir, "/sys/fs/cgroup");
	assert_true(machine->cgroup_limit_bytes == UINT64_MAX);
	expect_checks("1socket", machine, "");
	free(machine);
}

TEST("settings of a machine of one socket are read")
{
	static const char *const expected[][2] = {
		{"vm.swappiness", "60"}, {"vm.page-cluster", "0"}, {"vm.min_free_kbytes", "67584"},
		{"thp.enabled", "madvise"}, {"thp.defrag", "madvise"}, {"thp.shmem_enabled", "never"}, {"ksm.run", "0"},
		{"zswap.enabled", "N"}, {"zswap.shrinker_enabled", "Y"}, {"zswap.accept_threshold_percent", "90"},
		{"zswap.zpool", NULL}, {"mthp.64kB", "inherit"}, {"mthp.2048kB", "always"}, {"mthp.16kB", NULL},
		{"lru_gen.enabled", "0x0007"}, {"clocksource", "tsc"}, {"cpu.smt", "on"},
		{"cpu.governor", "performance"}, {"mitigations", "default"}, {"vulnerable", "mds"}, {"lockdown", "none"},
		{"cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet"}, {"vm.zone_reclaim_mode", NULL},
		{"damon.running", NULL}, {"vm", NULL}};
	struct machine *machine = read_fixture("1socket");

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		expect_setting(machine, expected[i][0], expected[i][1]);
	free(machine);
}

TEST("a machine with two nodes gives all checks")
{
	struct machine *machine = read_fixture("2nodes");

	assert_int_equal(machine->cores, 4);
	assert_int_equal(machine->node_count, 2);
	expect_node(&machine->nodes[0], 0, 4 * GIB, "0-1");
	expect_node(&machine->nodes[1], 1, 4 * GIB, "2-3");
	assert_int_equal(machine->cache_count, 1);
	expect_cache(&machine->caches[0], 3, "unified", 16384, 16, 16384, 2);
	expect_swap(&machine->swaps[0], "/swap file", "file", "", GIB, 4 * MIB, -2);
	expect_setting(machine, "cpu.governor", "performance,powersave");
	expect_setting(machine, "mitigations", "off");
	expect_setting(machine, "damon.kdamonds", "3");
	expect_setting(machine, "damon.running", "1");
	assert_int_equal(machine->cgroup_version, 0);
	assert_string_equal(machine->cgroup_dir, "");
	expect_checks("2nodes", machine, "clocksource governor load low-memory other-swap thp-always ksm zswap page-cluster "
		"zone-reclaim numa-balancing damon");
	free(machine);
}

/* hwloc alone would give the second node the CPUs of the first. */
TEST("a NUMA node with memory alone has no CPUs")
{
	struct machine *machine = read_fixture("cxl");

	assert_int_equal(machine->node_count, 2);
	expect_node(&machine->nodes[0], 0, 4 * GIB, "0-1");
	expect_node(&machine->nodes[1], 1, 16 * GIB, "");
	assert_int_equal(machine->swap_count, 0);
	expect_setting(machine, "numa.demotion_enabled", "true");
	expect_checks("cxl", machine, "numa-balancing");
	free(machine);
}

TEST("a small guest is described")
{
	struct machine *machine = read_fixture("noswap");

	assert_int_equal(machine->swap_count, 0);
	assert_int_equal(machine->cores, 1);
	assert_int_equal(machine->node_count, 1);
	expect_node(&machine->nodes[0], 0, 512 * MIB, "0");
	assert_string_equal(machine->hypervisor, "KVM");
	expect_setting(machine, "thp.enabled", NULL);
	expect_setting(machine, "vulnerable", NULL);
	expect_checks("noswap", machine, "hypervisor clocksource");
	free(machine);
}

TEST("zram swap areas are described")
{
	struct machine *machine = read_fixture("zram");

	assert_int_equal(machine->swap_count, 3);
	expect_swap(&machine->swaps[0], "/dev/zram0", "zram", "zstd", 4 * GIB, MIB, 100);
	expect_swap(&machine->swaps[1], "/dev/zram1", "zram", "lzo-rle", 2 * GIB, 0, 50);
	expect_swap(&machine->swaps[2], "/dev/loop3", "loop", "", GIB, 0, -3);
	expect_checks("zram", machine, "other-swap");
	free(machine);
}

TEST("a root without files gives no facts")
{
	struct machine *machine = calloc(1, sizeof(*machine));
	char root[64];

	fakeroot_make(root);
	machine->threads = 77;
	assert_int_equal(machine_read(root, machine), -ENOENT);
	assert_int_equal(machine->threads, 77);
	fakeroot_remove(root);
	free(machine);
}

TEST("malformed files are survived")
{
	static const char *const files[] = {"/proc/swaps", "/proc/cpuinfo", "/proc/self/cgroup", "/proc/self/mountinfo",
		"/proc/cmdline", "/proc/loadavg", "/proc/sys/kernel/hostname", "/proc/sys/vm/swappiness",
		"/sys/kernel/mm/transparent_hugepage/enabled", "/sys/devices/system/cpu/online",
		"/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds", "/sys/devices/system/cpu/vulnerabilities/x",
		"/sys/devices/system/node/node0/cpulist"};
	static const char *const texts[] = {"", "\n\n\n", ":::::", " - - - \n - ", "a b c d e f - cgroup x memory\n",
		"\\\\0\\04\\400\\777 \\040 1 2 3", "0::/x\n4:memory:", "99999999999999999999", "\xff\xfe\x01\x7f [\x80] :\t\xc3",
		"head\npath type 1 2\npath type x y z\n\\040 t 99999999999999999999 1 1\np t 1 1 1 extra\n",
		"1 2 3 /../.. /a - cgroup2 x y\n", "0::/../../x\n:::", "[[[]]]", "0-0-0,,1"};
	struct machine *machine = malloc(sizeof(*machine));
	struct machine_check checks[32];
	size_t read = 0;
	char root[64];

	fakeroot_make(root);
	fakeroot_put(root, "/proc/meminfo", "MemTotal: 1024 kB\n");
	fakeroot_put(root, "/sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++)
			fakeroot_put(root, files[f], texts[t]);
		if (machine_read(root, machine))
			continue;
		read++;
		assert_int_equal(machine->memory_bytes, MIB);
		assert_in_range(machine_checks(root, machine, checks, 32), 0, 14);
		for (const char *c = machine->hostname; *c; c++)
			assert_in_range(*c, ' ', '~');
	}
	assert_int_equal(read, sizeof(texts) / sizeof(texts[0]));
	fakeroot_remove(root);
	free(machine);
}

/* The longest lists are cut to their arrays, and an over-long cgroup folder is left out, not cut. */
TEST("lists longer than their arrays are cut, a long cgroup path is left out")
{
	struct machine *machine = malloc(sizeof(*machine));
	char root[64], text[8192], path[300];
	size_t used;

	fakeroot_make(root);
	fakeroot_put(root, "/proc/meminfo", "MemTotal: 1024 kB\n");
	used = (size_t)snprintf(text, sizeof(text), "Filename Type Size Used Priority\n");
	for (int i = 0; i < 40; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "/dev/zram%d partition 1024 0 %d\n", i, i);
	fakeroot_put(root, "/proc/swaps", text);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	snprintf(text, sizeof(text), "0::/%s\n", path);
	fakeroot_put(root, "/proc/self/cgroup", text);
	fakeroot_put(root, "/proc/self/mountinfo", "31 23 0:27 / /c rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/c/cgroup.controllers", "cpu memory");
	fakeroot_put(root, "/proc/cmdline", path);
	assert_int_equal(machine_read(root, machine), 0);
	assert_int_equal(machine->swap_count, 32);
	assert_int_equal(machine->swaps[31].priority, 31);
	assert_int_equal(machine->cgroup_version, 2);
	assert_string_equal(machine->cgroup_dir, "");
	assert_true(machine->cgroup_limit_bytes == UINT64_MAX);
	assert_int_equal(strlen(machine_setting(machine, "cmdline")), MACHINE_TEXT - 1);
	fakeroot_remove(root);
	free(machine);
}

TEST("this machine is described")
{
	struct machine *machine = malloc(sizeof(*machine));
	struct machine_check checks[32];
	char limit[512];

	assert_int_equal(machine_read("", machine), 0);
	assert_true(machine->memory_bytes > 0 && machine->available_bytes <= machine->memory_bytes);
	assert_true(machine->threads >= 1 && machine->threads >= machine->cores);
	assert_true((long)machine->threads <= sysconf(_SC_NPROCESSORS_CONF));
	assert_int_equal(machine->page_bytes, sysconf(_SC_PAGESIZE));
	assert_true(machine->node_count >= 1);
	assert_string_equal(machine->os_name, "Linux");
	assert_true(machine->arch[0] && machine->os_release[0]);
	assert_non_null(machine_setting(machine, "vm.swappiness"));
	for (size_t i = 0; i < machine->swap_count; i++)
		assert_true(machine->swaps[i].used_bytes <= machine->swaps[i].size_bytes);
	assert_in_range(machine->cgroup_version, 0, 2);
	if (machine->cgroup_dir[0]) {
		snprintf(limit, sizeof(limit), "%s/cgroup.procs", machine->cgroup_dir);
		assert_int_equal(access(limit, F_OK), 0);
	}
	assert_null(getenv("HWLOC_FSROOT"));
	assert_in_range(machine_checks("", machine, checks, 32), 0, 14);
	free(machine);
}

/* A report of this machine must not hold another one's caches because of a variable that somebody exports. */
TEST("hwloc's environment variables are ignored")
{
	static const struct {
		const char *name, *value;
	} variables[] = {
		{"HWLOC_SYNTHETIC", "pack:2 core:4 pu:1"},
		{"HWLOC_XMLFILE", "/dev/null"},
		{"HWLOC_FSROOT", "/nowhere"},
		{"HWLOC_COMPONENTS", "-linux,-x86"},
		{"HWLOC_THISSYSTEM", ""},
	};
	const size_t count = sizeof(variables) / sizeof(variables[0]);
	struct machine *plain = calloc(1, sizeof(*plain)), *machine = calloc(1, sizeof(*machine));
	char fixture[512];

	snprintf(fixture, sizeof(fixture), "%s", fakeroot_fixture("2nodes"));
	for (int is_real = 0; is_real < 2; is_real++) {
		assert_int_equal(machine_read(is_real ? "" : fixture, plain), 0);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(setenv(variables[i].name, variables[i].value, 1), 0);
			assert_int_equal(machine_read(is_real ? "" : fixture, machine), 0);
			assert_string_equal(getenv(variables[i].name), variables[i].value);
			unsetenv(variables[i].name);
			assert_int_equal(machine->threads, plain->threads);
			assert_int_equal(machine->cores, plain->cores);
			assert_int_equal(machine->node_count, plain->node_count);
			assert_int_equal(machine->cache_count, plain->cache_count);
			for (size_t c = 0; c < plain->cache_count; c++) {
				assert_int_equal(machine->caches[c].capacity_bytes, plain->caches[c].capacity_bytes);
				assert_int_equal(machine->caches[c].instances, plain->caches[c].instances);
			}
		}
	}
	free(machine);
	free(plain);
}
