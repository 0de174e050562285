/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <fcntl.h>

#include "memtrace/active/burst.h"
#include "memtrace/code/instruction.h"
#include "memtrace/perf/engine.h"

/* What the fake kernel says to each type of event: 0 = opens. */
static int software, ibs, kernel_mode, spe, needs_system;

static int open_fake(const struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
	int err = attr->type == PERF_TYPE_SOFTWARE ? software : attr->type == 11 ? ibs : attr->type == 8 ? spe : -ENOENT;

	if (attr->type == 11 && needs_system && pid >= 0)
		err = -EINVAL;
	(void)cpu;
	(void)group_fd;
	if (!err && !attr->exclude_kernel && attr->type == PERF_TYPE_SOFTWARE)
		err = kernel_mode;
	return err ? err : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int choose(const char *root, const char *name, struct perf_memory_request request, struct engine_choice *choice)
{
	return engine_choose(root, name ? engine_find(name) : NULL, &request, open_fake, choice);
}

TEST("every engine has a row with what it sees, misses and costs, in the order in which they are tried")
{
	static const char *const names[] = {"pebs", "ibs", "spe", "burst", "cpu-clock", "page-faults", "refault", "popularity"};
	size_t count;
	const struct engine *engines = engine_rows(&count);

	assert_int_equal(count, sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(engines[i].name, names[i]);
		assert_ptr_equal(engine_find(names[i]), &engines[i]);
		assert_true(*engines[i].title && *engines[i].sees && *engines[i].misses && *engines[i].cost && *engines[i].unit);
	}
	assert_null(engine_find("auto"));
}

TEST("the first engine that opens is taken, and why not an earlier one")
{
	struct engine_choice choice;

	software = ibs = kernel_mode = 0;
	assert_int_equal(choose(fakeroot_fixture("epyc"), NULL, (struct perf_memory_request){0}, &choice), 0);
	assert_string_equal(choice.engine->name, "ibs");
	assert_string_equal(choice.reason, "pebs: not on this machine");
	assert_true(choice.sees_user && !choice.sees_kernel);
	ibs = -EACCES;
	/* A period that the clock cannot have. */
	assert_int_equal(choose(fakeroot_fixture("epyc"), NULL, (struct perf_memory_request){.period = 16}, &choice), 0);
	assert_string_equal(choice.engine->name, "page-faults");
	assert_non_null(strstr(choice.reason, "ibs: perf_event_open: Permission denied"));
	assert_non_null(strstr(choice.reason, "burst: "));
	assert_non_null(strstr(choice.reason, "cpu-clock: "));
	assert_true(choice.sees_user && choice.sees_kernel);
}

TEST("what samples whole CPUs only is taken for the whole machine, not for a process")
{
	struct engine_choice choice;

	software = ibs = kernel_mode = 0;
	needs_system = 1;
	assert_int_equal(choose(fakeroot_fixture("epyc"), "ibs", (struct perf_memory_request){.is_system = true}, &choice), 0);
	assert_int_equal(choose(fakeroot_fixture("epyc"), "ibs", (struct perf_memory_request){0}, &choice), -ENOTSUP);
	assert_non_null(strstr(choice.reason, "ibs: the kernel refuses it for one process"));
	assert_int_equal(choose(fakeroot_fixture("epyc"), "ibs", (struct perf_memory_request){.period = 17}, &choice), -EINVAL);
	needs_system = 0;
}

TEST("ARM SPE is taken where the machine has it, before what samples in software")
{
	static const char *const terms[] = {"ts_enable", "load_filter", "store_filter", "jitter"};
	char root[64], path[128];
	struct engine_choice choice;

	software = ibs = kernel_mode = spe = 0;
	fakeroot_make(root);
	fakeroot_put(root, "/sys/bus/event_source/devices/arm_spe_0/type", "8\n");
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/arm_spe_0/format/%s", terms[i]);
		fakeroot_put(root, path, "config:0\n");
	}
	assert_int_equal(choose(root, NULL, (struct perf_memory_request){0}, &choice), 0);
	assert_string_equal(choice.engine->name, "spe");
	assert_string_equal(choice.reason, "pebs: not on this machine; ibs: not on this machine");
	assert_true(choice.sees_user && !choice.sees_kernel);
	spe = -EACCES;
	assert_int_equal(choose(root, "spe", (struct perf_memory_request){0}, &choice), -ENOTSUP);
	assert_non_null(strstr(choice.reason, "spe: perf_event_open: Permission denied"));
	fakeroot_remove(root);
}

TEST("page faults of the kernel are left out where they are not allowed, unless they are asked for")
{
	struct engine_choice choice;

	software = 0;
	kernel_mode = -EACCES;
	assert_int_equal(choose("", "page-faults", (struct perf_memory_request){0}, &choice), 0);
	assert_string_equal(choice.reason, "asked for");
	assert_true(choice.sees_user && !choice.sees_kernel);
	assert_int_equal(choose("", "page-faults", (struct perf_memory_request){.with_kernel = true}, &choice), -ENOTSUP);
	assert_non_null(strstr(choice.reason, "page-faults: perf_event_open: Permission denied"));
}

TEST("a missing privilege is named with the value that is needed")
{
	static const struct {
		struct perf_memory_request request;
		const char *needed;
	} cases[] = {{{0}, "at most 2,"}, {{.with_kernel = true}, "at most 1,"}, {{.is_system = true}, "at most 0,"}};
	struct engine_choice choice;
	char root[64];

	fakeroot_make(root);
	fakeroot_put(root, "/proc/sys/kernel/perf_event_paranoid", "4\n");
	software = kernel_mode = -EACCES;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(choose(root, "page-faults", cases[i].request, &choice), -ENOTSUP);
		assert_non_null(strstr(choice.reason, "kernel.perf_event_paranoid is 4 and must be"));
		assert_non_null(strstr(choice.reason, cases[i].needed));
		assert_non_null(strstr(choice.reason, "CAP_PERFMON"));
	}
	fakeroot_remove(root);
	software = kernel_mode = 0;
}

TEST("an engine that is asked for is not replaced by another")
{
	struct engine_choice choice;

	software = kernel_mode = 0;
	assert_int_equal(choose("/no/such/root", "pebs", (struct perf_memory_request){0}, &choice), -ENOTSUP);
	assert_string_equal(choice.reason, "pebs: not on this machine");
	assert_int_equal(choose("", "page-faults", (struct perf_memory_request){.hz = 100}, &choice), -EINVAL);
	assert_int_equal(choose("", "cpu-clock", (struct perf_memory_request){.with_kernel = true}, &choice) == 0, false);
}

TEST("without hardware bursts are taken, where they can be made; for a rate of samples or the machine the clock is")
{
	const struct perf_memory_request others[] = {{.hz = 1000}, {.period = 100000}, {.is_system = true}};
	struct engine_choice choice;

	software = kernel_mode = 0;
	ibs = spe = -ENOENT;
	if (instruction_why_not())
		skip();
	assert_int_equal(choose("/no/such/root", NULL, (struct perf_memory_request){0}, &choice), 0);
	if (burst_why_not()) {
		assert_string_equal(choice.engine->name, "cpu-clock");
		assert_non_null(strstr(choice.reason, burst_why_not()));
	} else {
		assert_string_equal(choice.engine->name, "burst");
		assert_int_equal(choice.rates.bursts_hz, SAMPLER_BURSTS_HZ);
		assert_null(strstr(choice.reason, "burst"));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(choose("/no/such/root", NULL, others[i], &choice), 0);
		assert_string_equal(choice.engine->name, "cpu-clock");
		assert_non_null(strstr(choice.reason, "burst: "));
		assert_int_equal(choice.rates.bursts_hz, 0);
	}
}

TEST("engines that page out are taken only when they are asked for, and have rates instead of a period")
{
	struct engine_choice choice;

	software = kernel_mode = 0;
	/* cpu-clock and page-faults do not take this. */
	assert_int_equal(choose("/no/such/root", NULL, (struct perf_memory_request){.with_kernel = true, .hz = 5}, &choice),
		-ENOTSUP);
	assert_null(strstr(choice.reason, "refault"));
	assert_int_equal(choose("/no/such/root", "refault", (struct perf_memory_request){0}, &choice), -ENOTSUP);
	assert_non_null(strstr(choice.reason, "no swap is active"));
	if (instruction_why_not())
		skip();
	assert_int_equal(choose("", "burst", (struct perf_memory_request){0}, &choice), 0);
	assert_int_equal(choice.count, 0);
	assert_int_equal(choice.rates.bursts_hz, SAMPLER_BURSTS_HZ);
	assert_int_equal(choice.rates.steps, SAMPLER_STEPS);
	assert_int_equal(choice.rates.pages_hz, 0);
	assert_int_equal(choose("", "burst", (struct perf_memory_request){.period = 1000}, &choice), 0);
	assert_int_equal(choice.rates.steps, 1000);
	assert_int_equal(choose("", "burst", (struct perf_memory_request){.period = 1 << 20}, &choice), -EINVAL);
	assert_int_equal(choose("", "burst", (struct perf_memory_request){.with_kernel = true}, &choice), -EINVAL);
}
