/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <fcntl.h>
#include "common/kernel/perf_memory.h"

#define UNITS "/sys/bus/event_source/devices"

static const struct perf_memory_request user = {.with_user = true};
static char root[64];
static struct perf_memory_event events[PERF_MEMORY_EVENTS];
static unsigned count;

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

static void put_unit(const char *unit, const char *type, const char *loads)
{
	char path[128];

	snprintf(path, sizeof(path), UNITS "/%s/type", unit);
	fakeroot_put(root, path, type);
	snprintf(path, sizeof(path), UNITS "/%s/format/event", unit);
	fakeroot_put(root, path, "config:0-7\n");
	snprintf(path, sizeof(path), UNITS "/%s/format/ldlat", unit);
	fakeroot_put(root, path, "config1:0-15\n");
	snprintf(path, sizeof(path), UNITS "/%s/events/mem-loads", unit);
	fakeroot_put(root, path, loads);
}

TEST_WITH("loads of PEBS have a fixed period, a precise level and their leader where the kernel has one", set_up, tear_down)
{
	assert_int_equal(perf_memory_events(root, PERF_MEMORY_PEBS, &user, events, &count), -ENOENT);
	put_unit("cpu_core", "4\n", "event=0xcd,ldlat=3\n");
	put_unit("cpu_atom", "10\n", "event=0xd0,ldlat=3\n");
	fakeroot_put(root, UNITS "/cpu_core/events/mem-loads-aux", "event=0x03\n");
	fakeroot_put(root, UNITS "/cpu_core/events/mem-stores", "event=0xce\n");
	assert_int_equal(perf_memory_events(root, PERF_MEMORY_PEBS, &user, events, &count), 0);
	assert_int_equal(count, 4);
	assert_int_equal(events[0].attr.config, 0x03);
	assert_true(events[0].is_alone && !events[0].is_sampling && !events[0].attr.sample_period);
	assert_int_equal(events[1].attr.config, 0xcd);
	assert_int_equal(events[1].attr.config1, 3);
	assert_true(!events[1].is_alone && events[1].is_sampling);
	assert_int_equal(events[1].attr.precise_ip, 2);
	assert_int_equal(events[1].attr.sample_period, 4000);
	assert_true(!events[1].attr.freq && events[1].attr.exclude_kernel && !events[1].attr.use_clockid);
	assert_true((events[1].attr.sample_type & PERF_SAMPLE_ADDR) && (events[1].attr.sample_type & PERF_SAMPLE_DATA_SRC));
	assert_false(events[1].attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE);
	assert_int_equal(events[2].attr.config, 0xce);
	assert_int_equal(events[2].attr.type, 4);
	assert_true(events[2].is_alone);
	assert_int_equal(events[3].attr.type, 10);
	assert_true(events[3].is_alone);
}

TEST("micro-operations of IBS have a period in sixteens and no privilege, unless the kernel filters")
{
	struct perf_memory_request odd = {.with_user = true, .period = 1001};

	assert_int_equal(perf_memory_events(fakeroot_fixture("epyc"), PERF_MEMORY_IBS, &user, events, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(events[0].attr.config, 1 << 19);
	assert_int_equal(events[0].attr.sample_period % 16, 0);
	assert_false(events[0].attr.exclude_kernel || events[0].attr.exclude_hv || events[0].attr.precise_ip);
	assert_int_equal(perf_memory_events(fakeroot_fixture("epyc"), PERF_MEMORY_IBS, &odd, events, &count), -EINVAL);
}

TEST_WITH("a filter in software is asked for where IBS has it", set_up, tear_down)
{
	fakeroot_put(root, UNITS "/ibs_op/type", "11\n");
	fakeroot_put(root, UNITS "/ibs_op/format/cnt_ctl", "config:19\n");
	fakeroot_put(root, UNITS "/ibs_op/format/swfilt", "config2:0\n");
	assert_int_equal(perf_memory_events(root, PERF_MEMORY_IBS, &user, events, &count), 0);
	assert_int_equal(events[0].attr.config2, 1);
	assert_true(events[0].attr.exclude_kernel);
}

static void put_spe(const char *unit, const char *type)
{
	static const char *const terms[] = {"ts_enable:config:0", "load_filter:config:33", "store_filter:config:34",
		"jitter:config:16"};
	char path[128], bits[32];

	snprintf(path, sizeof(path), UNITS "/%s/type", unit);
	fakeroot_put(root, path, type);
	for (size_t i = 0; i < 4; i++) {
		size_t length = strcspn(terms[i], ":");

		snprintf(path, sizeof(path), UNITS "/%s/format/%.*s", unit, (int)length, terms[i]);
		snprintf(bits, sizeof(bits), "%s\n", terms[i] + length + 1);
		fakeroot_put(root, path, bits);
	}
}

TEST_WITH("intervals of ARM's profiling are those that the processor has, and no frequency", set_up, tear_down)
{
	static const struct {
		uint64_t period, hz;
		int err;
	} rows[] = {{1024, 0, 0}, {1025, 0, -EINVAL}, {256, 0, -EINVAL}, {0xffffff00, 0, 0}, {0x100000000, 0, -EINVAL},
		{0, 1000, -EINVAL}};

	put_spe("arm_spe_0", "8\n");
	fakeroot_put(root, UNITS "/arm_spe_0/caps/min_interval", "512\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_memory_request request = {.with_user = true, .period = rows[i].period, .hz = rows[i].hz};

		assert_int_equal(perf_memory_events(root, PERF_MEMORY_SPE, &request, events, &count), rows[i].err);
	}
}

TEST_WITH("cores of two kinds have a unit of ARM's profiling each", set_up, tear_down)
{
	assert_int_equal(perf_memory_events(root, PERF_MEMORY_SPE, &user, events, &count), -ENOENT);
	put_spe("arm_spe_0", "8\n");
	put_spe("arm_spe_1", "9\n");
	assert_int_equal(perf_memory_events(root, PERF_MEMORY_SPE, &user, events, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(events[0].attr.type, 8);
	assert_int_equal(events[1].attr.type, 9);
	assert_true(events[1].is_alone && events[1].is_sampling);
}

TEST_WITH("the statistical profiling of ARM filters loads and stores", set_up, tear_down)
{
	put_spe("arm_spe_0", "8\n");
	assert_int_equal(perf_memory_events(root, PERF_MEMORY_SPE, &user, events, &count), 0);
	assert_int_equal(events[0].attr.type, 8);
	assert_true(events[0].attr.config == (1ull << 0 | 1ull << 16 | 1ull << 33 | 1ull << 34));
	assert_int_equal(events[0].attr.sample_period, 4096);
	assert_true(events[0].attr.exclude_kernel && !events[0].attr.exclude_user && !events[0].attr.freq);
	/* What the record of a piece ends with. */
	assert_true(events[0].attr.sample_type == (PERF_SAMPLE_TID | PERF_SAMPLE_TIME) && events[0].attr.sample_id_all);
}

TEST("the clock has a period or a frequency, in user mode only")
{
	struct perf_memory_request request = {.with_user = true, .hz = 500};

	assert_int_equal(perf_memory_events("", PERF_MEMORY_CLOCK, &request, events, &count), 0);
	assert_int_equal(events[0].attr.sample_period, 2000000);
	assert_false(events[0].attr.freq);
	request = (struct perf_memory_request){.with_user = true, .period = 9999};
	assert_int_equal(perf_memory_events("", PERF_MEMORY_CLOCK, &request, events, &count), -EINVAL);
	request = (struct perf_memory_request){.with_kernel = true};
	assert_int_equal(perf_memory_events("", PERF_MEMORY_CLOCK, &request, events, &count), -EINVAL);
}

/* --- opening --- */

static unsigned opened;
static int refused_at, refused_with, groups[PERF_MEMORY_EVENTS];

static int open_fake(const struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
	(void)attr;
	(void)pid;
	(void)cpu;
	groups[opened] = group_fd;
	if ((int)opened++ == refused_at)
		return refused_with;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static unsigned descriptors(void)
{
	unsigned open = 0;

	for (int fd = 0; fd < 256; fd++)
		open += fcntl(fd, F_GETFD) >= 0;
	return open;
}

TEST("events are opened in their group; what a CPU does not have is left out, any other refusal closes all")
{
	const struct perf_memory_event three[] = {{.is_alone = true}, {.is_sampling = true},
		{.is_alone = true, .is_sampling = true}};
	unsigned before = descriptors();
	int fds[PERF_MEMORY_EVENTS];

	opened = 0;
	refused_at = -1;
	assert_int_equal(perf_memory_open(three, 3, 0, -1, open_fake, fds), 0);
	assert_int_equal(groups[0], -1);
	assert_int_equal(groups[1], fds[0]);
	assert_int_equal(groups[2], -1);
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
	opened = 0;
	refused_at = 0;
	refused_with = -ENOENT;
	assert_int_equal(perf_memory_open(three, 3, 0, -1, open_fake, fds), 0);
	assert_int_equal(opened, 2); /* the member was not tried */
	assert_int_equal(fds[1], -1);
	close(fds[2]);
	opened = 0;
	refused_at = 2;
	refused_with = -EACCES;
	assert_int_equal(perf_memory_open(three, 3, 0, -1, open_fake, fds), -EACCES);
	opened = 0;
	refused_at = 1;
	refused_with = -ENOENT;
	assert_int_equal(perf_memory_open(three, 2, 0, -1, open_fake, fds), -ENOENT);
	assert_int_equal(descriptors(), before);
}
