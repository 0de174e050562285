/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorded machine, read, and what is found to be wrong with it. */
#ifndef TESTS_UNIT_MACHINE_H
#define TESTS_UNIT_MACHINE_H

#include "common/host/machine.h"
#include "tests/unit/fakeroot.h"

static inline struct machine *read_fixture(const char *name)
{
	struct machine *machine = malloc(sizeof(*machine));

	assert_non_null(machine);
	assert_int_equal(machine_read(fakeroot_fixture(name), machine), 0);
	return machine;
}

/* The codes in their order, "a b c". */
static inline void expect_checks(const char *fixture, const struct machine *machine, const char *expected)
{
	struct machine_check checks[32];
	size_t count = machine_checks(fakeroot_fixture(fixture), machine, checks, 32);
	char found[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		assert_true(checks[i].value[0] && checks[i].advice[0]);
		used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%s", i ? " " : "", checks[i].code);
		assert_true(used < sizeof(found));
	}
	assert_string_equal(found, expected);
}

#endif
