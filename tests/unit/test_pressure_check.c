/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure/pressure.h"
#include "tests/unit/fakeroot.h"
#include "tests/unit/said.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/base/units.h"
#include "common/kernel/swap.h"
#include "common/pressure/pressure_check.h"

static char root[64];

/* A machine that can do everything: 8 GiB available, node 0 of 4 GiB. */
static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	fakeroot_put(root, "/proc/self/status",
		"Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t000001ffffffffff\n");
	fakeroot_put(root, "/proc/meminfo", "MemTotal:  16777216 kB\nMemAvailable:    8388608 kB\n");
	fakeroot_put(root, "/proc/swaps", "Filename Type Size Used Priority\n");
	fakeroot_put(root, "/proc/self/cgroup", "4:memory:/me\n");
	fakeroot_put(root, "/proc/self/mountinfo", "35 31 0:32 / /cg rw - cgroup cgroup rw,memory\n");
	fakeroot_put(root, "/cg/me/memory.limit_in_bytes", "9223372036854771712\n");
	fakeroot_put(root, "/sys/class/zram-control/hot_add", "");
	fakeroot_put(root, "/sys/block/zram0/comp_algorithm", "[lzo-rle] lzo lz4\n");
	fakeroot_put(root, "/sys/block/zram0/disksize", "0\n");
	fakeroot_put(root, "/sys/devices/system/node/online", "0\n");
	fakeroot_put(root, "/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       4194304 kB\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

static void passes(const struct pressure_plan *plan)
{
	char why[512] = "";

	assert_int_equal(pressure_check(root, plan, why, sizeof(why)), 0);
	assert_string_equal(why, "");
}

static void refused(const struct pressure_plan *plan, int err, const char *text)
{
	char why[512] = "";

	assert_int_equal(pressure_check(root, plan, why, sizeof(why)), err);
	if (!strstr(why, text))
		fail_msg("'%s' is not in '%s'", text, why);
}

static struct pressure_plan zram_plan(uint64_t ram_bytes, uint64_t swap_bytes)
{
	return (struct pressure_plan){
		.ram_bytes = ram_bytes, .swap = {.kind = PRESSURE_SWAP_ZRAM, .bytes = swap_bytes}};
}

TEST_WITH("a plan without pressure needs nothing", set_up, tear_down)
{
	const struct pressure_plan plan = {0};

	fakeroot_put(root, "/proc/self/status", "CapEff:\t0000000000000000\n");
	passes(&plan);
}

TEST_WITH("missing privileges are refused", set_up, tear_down)
{
	const struct pressure_plan plan = {.ram_bytes = UNITS_GIB};

	passes(&plan);
	fakeroot_put(root, "/proc/self/status", "CapEff:\t000001ffffdfffff\n"); /* all but CAP_SYS_ADMIN */
	refused(&plan, -EPERM, "CAP_SYS_ADMIN");
}

TEST_WITH("--ram must be in its range", set_up, tear_down)
{
	struct pressure_plan plan = {.ram_bytes = PRESSURE_MIN_RAM - 1};

	refused(&plan, -ERANGE, "at least 4 MiB");
	plan.ram_bytes = PRESSURE_MIN_RAM;
	passes(&plan);
	plan.ram_bytes = 9 * UNITS_GIB;
	refused(&plan, -ENOMEM, "only 8 GiB is available");
	fakeroot_put(root, "/cg/me/memory.limit_in_bytes", "1073741824\n");
	plan.ram_bytes = UNITS_GIB + 1;
	refused(&plan, -ENOMEM, "limit of 1 GiB that binds this process");
	plan.ram_bytes = UNITS_GIB;
	passes(&plan);
	fakeroot_put(root, "/proc/self/mountinfo", "");
	refused(&plan, -ENODEV, "no memory cgroup controller");
}

TEST_WITH("zram is counted at 60 percent", set_up, tear_down)
{
	struct pressure_plan plan = zram_plan(2 * UNITS_GIB, 10 * UNITS_GIB);

	passes(&plan);
	assert_int_equal(pressure_zram_limit(root, &plan) / UNITS_MIB, (6 * 1024 - 615) + 0);
	plan.swap.bytes += 16 * UNITS_MIB;
	refused(&plan, -ENOMEM, "zram counted at 60 %");
	/* Fits even uncompressed: no limit on zram. */
	plan.swap.bytes = UNITS_GIB;
	assert_int_equal(pressure_zram_limit(root, &plan), 0);
}

TEST_WITH("swap within the limit of the cgroup", set_up, tear_down)
{
	struct pressure_plan plan = zram_plan(UNITS_GIB, UNITS_GIB);

	fakeroot_put(root, "/proc/self/cgroup", "0::/me\n");
	fakeroot_put(root, "/proc/self/mountinfo", "30 20 0:28 / /cg rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/cg/cgroup.controllers", "memory\n");
	fakeroot_put(root, "/cg/cgroup.subtree_control", "memory\n");
	fakeroot_put(root, "/cg/me/cgroup.controllers", "memory\n");
	fakeroot_put(root, "/cg/me/memory.swap.max", "1073741824\n");
	passes(&plan);
	plan.swap.bytes++;
	refused(&plan, -ENOMEM, "more than the 1 GiB of swap that this process's cgroup may use");
	plan.swap = (struct pressure_swap){.kind = PRESSURE_SWAP_NONE};
	fakeroot_put(root, "/cg/me/memory.swap.max", "0\n");
	passes(&plan);
}

/* The soft limit of version 1 is another thing. */
TEST_WITH("memory high is of version 2", set_up, tear_down)
{
	struct pressure_plan plan = {.high_bytes = UNITS_GIB};

	refused(&plan, -EOPNOTSUPP, "--high: needs memory.high of cgroup version 2");
	fakeroot_put(root, "/proc/self/cgroup", "0::/me\n");
	fakeroot_put(root, "/proc/self/mountinfo", "30 20 0:28 / /cg rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/cg/me/cgroup.controllers", "memory\n");
	fakeroot_put(root, "/cg/me/cgroup.subtree_control", "memory\n");
	passes(&plan);
	fakeroot_put(root, "/proc/self/mountinfo", "");
	refused(&plan, -ENODEV, "no memory cgroup controller");
}

TEST_WITH("swappiness needs no cgroup", set_up, tear_down)
{
	struct pressure_plan plan = {.has_swappiness = true, .swappiness = 10};

	passes(&plan);
	assert_true(pressure_wants_cgroup(&plan, 1));
	assert_false(pressure_wants_cgroup(&plan, 2));
	fakeroot_put(root, "/proc/self/mountinfo", "");
	passes(&plan);
}

TEST_WITH("swap of other runs is told from the machine s", set_up, tear_down)
{
	static const unsigned char uuid[SWAP_UUID_BYTES] = {1};
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/area", root);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && !ftruncate(fd, 2 * UNITS_MIB));
	assert_false(swap_is_of_a_run(path));
	assert_int_equal(swap_format(fd, 2 * UNITS_MIB, uuid), 0);
	assert_true(swap_is_of_a_run(path));
	/* As mkswap(8) leaves it without -L. */
	assert_int_equal(pwrite(fd, "", 1, 1024 + 28), 1);
	assert_false(swap_is_of_a_run(path));
	close(fd);
}

TEST_WITH("zram needs its module", set_up, tear_down)
{
	struct pressure_plan plan = zram_plan(0, UNITS_GIB);
	char path[128];

	snprintf(plan.swap.algorithm, sizeof(plan.swap.algorithm), "lz4");
	passes(&plan);
	snprintf(plan.swap.algorithm, sizeof(plan.swap.algorithm), "lz");
	refused(&plan, -EINVAL, "no compressor 'lz' here; available: lzo-rle lzo lz4");
	snprintf(path, sizeof(path), "%s/sys/class/zram-control/hot_add", root);
	assert_int_equal(unlink(path), 0);
	refused(&plan, -ENODEV, "modprobe zram");
	snprintf(path, sizeof(path), "%s/proc/swaps", root);
	assert_int_equal(unlink(path), 0);
	refused(&plan, -ENOSYS, "built without swap");
}

static struct pressure_plan file_plan(const char *path)
{
	struct pressure_plan plan = {.swap = {.kind = PRESSURE_SWAP_FILE, .bytes = UNITS_MIB}};

	snprintf(plan.swap.path, sizeof(plan.swap.path), "%s", path);
	return plan;
}

TEST_WITH("a swap file needs a suitable file system and a new path", set_up, tear_down)
{
	struct pressure_plan plan = file_plan("/proc/none/x");
	char path[128];

	refused(&plan, -ENOENT, "the folder /proc/none cannot be written");
	plan = file_plan("/dev/shm/memstor-test-swap");
	refused(&plan, -EOPNOTSUPP, "/dev/shm/memstor-test-swap is on tmpfs");
	snprintf(path, sizeof(path), "%s/there", root);
	assert_int_equal(symlink("nowhere", path), 0);
	plan = file_plan(path);
	refused(&plan, -EEXIST, "exists already");
}

TEST_WITH("links of other users in a swap path are refused", set_up, tear_down)
{
	struct pressure_plan plan;
	char way[96], path[128];

	if (geteuid())
		skip();
	snprintf(way, sizeof(way), "%s/way", root);
	snprintf(path, sizeof(path), "%s/swap", way);
	plan = file_plan(path);
	assert_int_equal(symlink("/var/tmp", way), 0);
	if (lchown(way, 65534, 65534))
		skip();
	refused(&plan, -EACCES, "a symbolic link of another user is on the way");
	plan.swap.kind = PRESSURE_SWAP_LOOP;
	if (!access("/dev/loop-control", R_OK | W_OK))
		refused(&plan, -EACCES, "a symbolic link of another user is on the way");
}

TEST_WITH("a swap file needs free space", set_up, tear_down)
{
	struct pressure_plan plan = file_plan("/var/tmp/memstor-test-swap");
	char why[512] = "";

	if (pressure_check_swap(root, &plan, why, sizeof(why)) == -EOPNOTSUPP)
		skip(); /* /var/tmp cannot swap here */
	passes(&plan);
	plan.swap.bytes = 8192 * UNITS_GIB;
	refused(&plan, -ENOSPC, "8 TiB wanted, but /var/tmp has only");
	plan.swap.bytes = UINT64_MAX / 2;
	refused(&plan, -ERANGE, "below 2^32 pages");
}

TEST_WITH("eaters must fit into node and memory", set_up, tear_down)
{
	struct pressure_plan plan = {.eater_count = 2,
		.eaters = {{.node = -1, .bytes = UNITS_GIB}, {.node = 0, .bytes = UNITS_GIB}}};

	passes(&plan);
	plan.eaters[1].node = 1;
	refused(&plan, -ENODEV, "no NUMA node 1 here; allowed: 0");
	plan.eaters[1].node = 0;
	plan.eaters[1].bytes = 4 * UNITS_GIB;
	refused(&plan, -ENOMEM, "does not fit into node 0 of 4 GiB");
	plan.eaters[0].bytes = plan.eaters[1].bytes = 3 * UNITS_GIB;
	passes(&plan);
	plan.eaters[0].bytes = 6 * UNITS_GIB;
	refused(&plan, -ENOMEM, "only 8 GiB is available");
	/* With a limit they eat inside it. */
	plan.ram_bytes = 7 * UNITS_GIB;
	refused(&plan, -ERANGE, "leave the command less than 4 MiB");
	plan.eaters[0].bytes = UNITS_GIB;
	passes(&plan);
}

TEST_WITH("only eaters that are active at the same time are summed", set_up, tear_down)
{
	struct pressure_plan plan = {.ram_bytes = UNITS_GIB,
		.eater_count = 3,
		.eaters = {{.node = -1, .bytes = 600 * UNITS_MIB, .begin_ns = 0, .end_ns = 10},
			{.node = -1, .bytes = 400 * UNITS_MIB, .begin_ns = 5, .end_ns = 8},
			{.node = -1, .bytes = 700 * UNITS_MIB, .begin_ns = 11, .end_ns = 20}}};

	assert_int_equal(pressure_eaten_bytes(&plan, UINT64_MAX), 1000 * UNITS_MIB);
	assert_int_equal(pressure_eaten_bytes(&plan, 6), 1000 * UNITS_MIB);
	assert_int_equal(pressure_eaten_bytes(&plan, 5), 600 * UNITS_MIB);
	assert_int_equal(pressure_eaten_bytes(&plan, 0), 0);
	passes(&plan);
	/* One gives back what it had while the other begins. */
	plan.eaters[2].begin_ns = 10;
	assert_int_equal(pressure_eaten_bytes(&plan, UINT64_MAX), 1300 * UNITS_MIB);
	refused(&plan, -ERANGE, "eaters of 1.27 GiB within --ram 1 GiB leave the command less than 4 MiB");
}

/* 2^63 twice is not nothing. */
TEST_WITH("eaters whose sum overflows are refused", set_up, tear_down)
{
	struct pressure_plan plan = {.eater_count = 2,
		.eaters = {{.node = -1, .bytes = 1ull << 63}, {.node = -1, .bytes = 1ull << 63}}};

	assert_true(pressure_eaten_bytes(&plan, UINT64_MAX) == UINT64_MAX);
	refused(&plan, -ENOMEM, "only 8 GiB is available");
	plan.swap = (struct pressure_swap){.kind = PRESSURE_SWAP_ZRAM, .bytes = UNITS_GIB};
	refused(&plan, -ENOMEM, "only 8 GiB is available");
	plan.swap = (struct pressure_swap){.kind = PRESSURE_SWAP_KEEP};
	plan.ram_bytes = UNITS_GIB;
	refused(&plan, -ERANGE, "leave the command less than 4 MiB");
}

/* What is warned of, or "". */
static const char *warned(const struct pressure_plan *plan)
{
	static char text[1024];
	struct said_err err;

	said_begin(&err);
	pressure_warn(root, plan);
	said_end(&err, text, sizeof(text));
	return text;
}

TEST_WITH("missing swap is warned of only where it would be used", set_up, tear_down)
{
	struct pressure_plan plan = {.ram_bytes = 64 * UNITS_MIB};

	assert_non_null(strstr(warned(&plan), "--ram without swap"));
	plan.is_never_swapped = true;
	assert_string_equal(warned(&plan), "");
}

TEST_WITH("an area that is filled before the run's own is warned of", set_up, tear_down)
{
	const struct pressure_plan plan = zram_plan(UNITS_GIB, UNITS_GIB);

	assert_string_equal(warned(&plan), "");
	fakeroot_put(root, "/proc/swaps", "Filename Type Size Used Priority\n/dev/none1 partition 1024 0 -2\n");
	assert_non_null(strstr(warned(&plan), "1 other swap area is active (/dev/none1): ours is filled first"));
	fakeroot_put(root, "/proc/swaps", "Filename Type Size Used Priority\n/dev/none1 partition 1024 0 32767\n");
	assert_non_null(strstr(warned(&plan), "the swap area /dev/none1 has a priority that is not below ours"));
	/* Who swaps nothing is not disturbed. */
	assert_non_null(strstr(warned(&plan), "the result will not be ok if any are swapped out"));
}
