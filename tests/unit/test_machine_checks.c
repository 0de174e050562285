/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the checks find on each recorded machine is in test_machine.c. */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <stdbool.h>
#include "common/host/machine.h"
#include "common/kernel/counters.h"

static struct vmcounters *counters(uint64_t steal, uint64_t total, uint64_t faults, uint64_t kills)
{
	struct vmcounters *snapshot = calloc(1, sizeof(*snapshot));

	*snapshot = (struct vmcounters){.count = 4, .values = {{"stat.steal", steal}, {"stat.total", total},
		{"vmstat.pgmajfault", faults}, {"vmstat.oom_kill", kills}}};
	return snapshot;
}

TEST("checks after a run find what happened in it")
{
	struct vmcounters *before = counters(100, 10000, 5000, 1), *quiet = counters(100, 20000, 5010, 1);
	struct vmcounters *busy = counters(600, 20000, 6000, 3), *nothing = calloc(1, sizeof(*nothing));
	struct vmcounters *many = counters(100, 30000, 5010 + 100000, 1);
	struct machine_check checks[8];

	assert_int_equal(machine_checks_run(before, quiet, 0, checks, 8), 0);
	assert_int_equal(machine_checks_run(before, busy, 990, checks, 8), 2);
	assert_int_equal(machine_checks_run(before, busy, 900, checks, 8), 3);
	assert_string_equal(checks[0].code, "steal");
	assert_string_equal(checks[0].value, "5.00 %");
	assert_string_equal(checks[1].code, "other-faults");
	assert_string_equal(checks[1].value, "100, the run itself 900");
	assert_string_equal(checks[2].code, "oom-kill");
	assert_string_equal(checks[2].value, "2");
	assert_int_equal(machine_checks_run(before, busy, 0, checks, 1), 1);
	/* Some more faults than our own many are nothing. */
	assert_int_equal(machine_checks_run(quiet, many, 99900, checks, 8), 0);
	assert_int_equal(machine_checks_run(quiet, many, 98900, checks, 8), 1);
	/* Counters that fell or are unknown say nothing. */
	assert_int_equal(machine_checks_run(busy, before, 0, checks, 8), 0);
	assert_int_equal(machine_checks_run(before, nothing, 0, checks, 8), 0);
	free(before);
	free(quiet);
	free(busy);
	free(nothing);
	free(many);
}

/* An advice that was cut would end in the middle of a command. */
TEST("no advice of the machine checks is cut")
{
	struct machine *machine = malloc(sizeof(*machine));
	struct machine_check checks[32];
	size_t count;

	assert_int_equal(machine_read(fakeroot_fixture("2nodes"), machine), 0);
	machine->cgroup_limit_bytes = 1 << 20;
	snprintf(machine->hypervisor, sizeof(machine->hypervisor), "KVM");
	count = machine_checks(fakeroot_fixture("2nodes"), machine, checks, 32);
	assert_int_equal(count, 14);
	for (size_t i = 0; i < count; i++) {
		assert_in_range(strlen(checks[i].advice), 10, sizeof(checks[i].advice) - 2);
		assert_in_range(strlen(checks[i].code), 2, sizeof(checks[i].code) - 2);
		assert_true(strlen(checks[i].finding) > 10);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(checks[i].code, checks[j].code);
	}
	assert_int_equal(machine_checks(fakeroot_fixture("2nodes"), machine, checks, 3), 3);
	free(machine);
}
