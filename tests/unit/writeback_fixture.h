/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device of 100 MB/s and its write-back (iowrite-bench/model/writeback.h). */
#ifndef TESTS_UNIT_WRITEBACK_FIXTURE_H
#define TESTS_UNIT_WRITEBACK_FIXTURE_H

#include <math.h>

#include "iowrite-bench/model/writeback.h"
#include "tests/unit/unit.h"

#define MB 1000000.0
#define MIB 1048576.0

struct fixture {
	struct system system;
	struct model_setup setup;
	struct writeback writeback;
};

static inline void set(struct fixture *fixture, enum system_parameter parameter, double value)
{
	fixture->system.parameters[parameter].value = value;
}

/* Thresholds of 100 and 300 MB: free run to 200, setpoint 250. */
static inline int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	system_init(&fixture->system);
	set(fixture, SYSTEM_BW_SYNC, 100 * MB);
	set(fixture, SYSTEM_LIMIT_BG, 100 * MB);
	set(fixture, SYSTEM_LIMIT_HARD, 300 * MB);
	set(fixture, SYSTEM_DIRTY_EXPIRE, 30e9);
	set(fixture, SYSTEM_DIRTY_WRITEBACK, 5e9);
	*state = fixture;
	return 0;
}

static inline int tear_down(void **state)
{
	writeback_free(&((struct fixture *)*state)->writeback);
	free(*state);
	return 0;
}

static inline struct writeback *begin(void **state)
{
	struct fixture *fixture = *state;

	writeback_init(&fixture->system, &fixture->setup, &fixture->writeback);
	return &fixture->writeback;
}

static inline void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fmax(1, fabs(wanted))))
		fail_msg("%.15g, wanted %.15g", value, wanted);
}

#endif
