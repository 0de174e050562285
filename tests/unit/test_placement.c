/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "common/base/units.h"
#include "common/host/topology.h"
#include "pmbench/memory/placement.h"

static cpu_set_t cpus_of(const char *list)
{
	unsigned values[64];
	size_t count;
	cpu_set_t set;

	CPU_ZERO(&set);
	assert_int_equal(units_parse_list(list, 64, values, 64, &count), 0);
	for (size_t i = 0; i < count; i++)
		CPU_SET(values[i], &set);
	return set;
}

struct expectation {
	const char *fixture, *inherited, *text;
	const char *cpus; /* NULL: refused */
	const char *why;  /* a word of the reason */
};

static const struct expectation places[] = {
	{"1socket", "0-3", "0-3", "0-3", NULL},
	{"1socket", "0-3", "3,0", "0,3", NULL},
	{"1socket", "0-1", "0-3", NULL, "inherited affinity"},
	{"1socket", "0-3", "pu:2", "2", NULL},
	{"1socket", "0-1", "pu:2", NULL, "inherited affinity"},
	{"1socket", "0-3", "core:0", "0,2", NULL},
	{"1socket", "0-3", "core:0-1", "0-3", NULL},
	{"1socket", "0-1", "core:1", "1", NULL},
	{"1socket", "0-1", "core:2", NULL, "no core"},
	{"1socket", "1,3", "core:0", NULL, "none of these"},
	{"1socket", "0-3", "package:0", "0-3", NULL},
	{"1socket", "0-3", "package:1", NULL, "no package"},
	{"2nodes", "0-3", "numa:1", "2-3", NULL},
	{"2nodes", "0-3", "numa:0,1", "0-3", NULL},
	{"2nodes", "0-3", "package:1", "2-3", NULL},
	{"2nodes", "0-1", "numa:1", NULL, "none of these"},
	{"2nodes", "0-3", "numa:2", NULL, "no NUMA node"},
	{"cxl", "0-1", "numa:0", "0-1", NULL},
	{"cxl", "0-1", "numa:1", NULL, "no CPUs: it can hold memory (--membind)"},
	{"1socket", "0-3", "", NULL, "core:LIST"},
	{"1socket", "0-3", "core:", NULL, "core:LIST"},
	{"1socket", "0-3", ":0", NULL, "core:LIST"},
	{"1socket", "0-3", "cores:0", NULL, "core:LIST"},
	{"1socket", "0-3", "core:0 1", NULL, "core:LIST"},
	{"1socket", "0-3", "3-0", NULL, "core:LIST"},
	{"1socket", "0-3", "0-", NULL, "core:LIST"},
	{"1socket", "0-3", "-1", NULL, "core:LIST"},
	{"1socket", "0-3", "1024", NULL, "core:LIST"},
	{"1socket", "0-3", "99999999999999999999", NULL, "core:LIST"},
	{"1socket", "0-3", "a-very-long-location-name-indeed:0", NULL, "core:LIST"},
};

TEST("CPU lists become CPUs of this topology")
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct expectation *place = &places[i];
		cpu_set_t inherited = cpus_of(place->inherited);
		cpu_set_t expected = cpus_of(place->cpus ? place->cpus : "63");
		cpu_set_t set = cpus_of("63");
		const char *why = NULL;
		int err = cpus_locate(fakeroot_fixture(place->fixture), &inherited, place->text, placement_no_cpus, &set,
			&why);

		if (err != (place->cpus ? 0 : -EINVAL) || !CPU_EQUAL(&set, &expected))
			fail_msg("%s %s: %s", place->fixture, place->text, why ? why : "other CPUs");
		if (!place->cpus)
			assert_non_null(strstr(why, place->why));
	}
}

/* Only who has an option for a node of memory alone names it. */
TEST("messages name only options of the caller")
{
	cpu_set_t inherited = cpus_of("0-1"), set;
	const char *why = NULL;

	assert_int_equal(cpus_locate(fakeroot_fixture("cxl"), &inherited, "numa:1", NULL, &set, &why), -EINVAL);
	assert_string_equal(why, "this NUMA node has no CPUs: it can run no thread");
	assert_int_equal(cpus_locate(fakeroot_fixture("cxl"), &inherited, "numa:1", "the caller's", &set, &why), -EINVAL);
	assert_string_equal(why, "the caller's");
}

/* Whatever we may run on can be named, and no more. */
TEST("CPUs of this machine are accepted, absent ones refused")
{
	cpu_set_t inherited, set;
	const char *why = NULL;
	char text[32];
	int first = -1, absent = -1;

	assert_int_equal(sched_getaffinity(0, sizeof(inherited), &inherited), 0);
	for (int i = CPU_SETSIZE - 1; i >= 0; i--)
		if (CPU_ISSET((unsigned)i, &inherited))
			first = i;
		else
			absent = i;
	snprintf(text, sizeof(text), "%d", first);
	assert_int_equal(cpus_parse(text, NULL, &set, &why), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET((unsigned)first, &set));
	snprintf(text, sizeof(text), "%d", absent);
	assert_int_equal(cpus_parse(text, NULL, &set, &why), -EINVAL);
}

struct policy_expectation {
	const char *fixture;
	struct placement_request request;
	int err;
	const char *why;
};

TEST("memory policies of absent nodes are refused")
{
	static const struct policy_expectation cases[] = {
		{"noswap", {.policy = PLACEMENT_DEFAULT}, 0, NULL},
		{"noswap", {.policy = PLACEMENT_BIND, .nodes = "0"}, -ENOTSUP, "no NUMA support"},
		{"1socket", {.policy = PLACEMENT_BIND, .nodes = "0"}, 0, NULL},
		{"1socket", {.policy = PLACEMENT_BIND, .nodes = "0-1"}, -EINVAL, "with memory are 0, and 0-1"},
		{"1socket", {.policy = PLACEMENT_BIND, .nodes = ""}, -EINVAL, "like 0,2-3"},
		{"1socket", {.policy = PLACEMENT_BIND, .nodes = "zero"}, -EINVAL, "'zero'"},
		{"zram", {.policy = PLACEMENT_BIND, .nodes = "0", .is_balancing = true}, -ENOTSUP, "numa_balancing=1"},
		{"cxl", {.policy = PLACEMENT_PREFERRED, .nodes = "1"}, 0, NULL},
		{"cxl", {.policy = PLACEMENT_INTERLEAVE, .nodes = "0,1"}, 0, NULL},
		{"cxl", {.policy = PLACEMENT_BIND, .nodes = "0,1", .is_balancing = true}, 0, NULL},
		{"cxl", {.policy = PLACEMENT_PREFERRED, .nodes = "1", .is_balancing = true}, -EINVAL, "--membind"},
		{"cxl", {.policy = PLACEMENT_DEFAULT, .is_balancing = true}, -EINVAL, "--membind"},
		{"2nodes", {.policy = PLACEMENT_BIND, .nodes = "0"}, 0, NULL},
		{"2nodes", {.policy = PLACEMENT_BIND, .nodes = "1"}, -EPERM, "cpuset allows"},
	};
	char why[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int err = placement_check(fakeroot_fixture(cases[i].fixture), &cases[i].request, why, sizeof(why));

		if (err != cases[i].err)
			fail_msg("%zu: %d instead of %d", i, err, cases[i].err);
		if (err)
			assert_non_null(strstr(why, cases[i].why));
	}
}

/* In a child: 0 = the kernel has the policy that was asked for, 77 = it may not be set here. */
static int apply_and_ask(const struct placement_request *request, int mode)
{
	unsigned long mask[1024 / (8 * sizeof(unsigned long))] = {0};
	int found = -1;
	int err = placement_apply_memory(request);

	if (err == -EPERM || err == -ENOSYS)
		return 77;
	if (err || syscall(SYS_get_mempolicy, &found, mask, 1024ul, NULL, 0ul))
		return 1;
	return found == mode && mask[0] == (mode == MPOL_DEFAULT ? 0 : 1) ? 0 : 2;
}

TEST("memory policies are applied")
{
	static const struct {
		struct placement_request request;
		int mode;
	} cases[] = {
		{{.policy = PLACEMENT_BIND, .nodes = "0"}, MPOL_BIND},
		{{.policy = PLACEMENT_BIND, .nodes = "0", .is_balancing = true}, MPOL_BIND | MPOL_F_NUMA_BALANCING},
		{{.policy = PLACEMENT_INTERLEAVE, .nodes = "0"}, MPOL_INTERLEAVE},
		{{.policy = PLACEMENT_PREFERRED, .nodes = "0"}, MPOL_PREFERRED},
		{{.policy = PLACEMENT_DEFAULT}, MPOL_DEFAULT},
	};
	struct placement_request junk = {.policy = PLACEMENT_BIND, .nodes = "x"};
	char why[256];

	if (placement_check("", &cases[0].request, why, sizeof(why)))
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(apply_and_ask(&cases[i].request, cases[i].mode));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (WEXITSTATUS(status) == 77)
			skip();
		if (status)
			fail_msg("policy %zu: status %d", i, status);
	}
	assert_int_equal(placement_apply_memory(&junk), -EINVAL);
}
