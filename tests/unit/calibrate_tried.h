/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration of a fake store, and what is asked of its values. */
#ifndef TESTS_UNIT_CALIBRATE_TRIED_H
#define TESTS_UNIT_CALIBRATE_TRIED_H

#include <math.h>
#include <stdlib.h>

#include "iowrite-bench/calibrate/finish.h"
#include "tests/unit/fake_store.h"
#include "tests/unit/unit.h"

#define MIB (1ull << 20)

struct tried {
	struct store store;
	struct calibrate_plan plan;
	struct progress progress;
	struct calibrate_session session;
	struct schedule schedule;
	struct system system;
	uint64_t begin_ns, elapsed_ns; /* of the last calibration, by the store's clock */
};

static inline int setup(void **state)
{
	struct tried *tried = calloc(1, sizeof(*tried));

	assert_non_null(tried);
	fake_store_init(&tried->store);
	tried->plan = (struct calibrate_plan){
		.runtime_ns = 60000000000u,
		.size_bytes = 1024 * MIB,
		.written_bytes = 64 * MIB,
		.max_bytes = 200ull << 30,
		.largest_bytes = 128 * MIB,
		.dirty_bytes = 256 * MIB,
		.fs_block = 4096,
		.align = 512,
		.has_direct = true,
		.has_append = true,
		.is_pooled = true,
		.background_bytes = 400000000,
		.threshold_bytes = 800000000,
	};
	system_init(&tried->system);
	tried->system.parameters[SYSTEM_LIMIT_BG].value = 400e6;
	tried->system.parameters[SYSTEM_LIMIT_HARD].value = 800e6;
	tried->system.parameters[SYSTEM_DIRTY_EXPIRE].value = 30e9;
	tried->system.parameters[SYSTEM_DIRTY_WRITEBACK].value = 5e9;
	tried->system.parameters[SYSTEM_FS_BLOCK].value = 4096;
	*state = tried;
	return 0;
}

static inline int teardown(void **state)
{
	struct tried *tried = *state;

	session_close(&tried->session);
	schedule_free(&tried->schedule);
	system_free(&tried->system);
	free(tried);
	return 0;
}

static inline void calibrate(struct tried *tried)
{
	tried->begin_ns = (uint64_t)tried->store.now_ns;
	assert_int_equal(session_open(&tried->store, &tried->plan, &tried->session), 0);
	assert_int_equal(schedule_run(&tried->session, &tried->progress, &tried->schedule), 0);
	tried->elapsed_ns = (uint64_t)tried->store.now_ns - tried->begin_ns;
	assert_int_equal(finish(&tried->session, &tried->schedule, &tried->system), 0);
}

static inline void assert_value(const struct system_value *value, const char *name, double wanted, double relative)
{
	if (!(fabs(value->value - wanted) <= relative * wanted))
		fail_msg("%s: %.6g, wanted %.6g", name, value->value, wanted);
	if (!(value->low <= value->value && value->value <= value->high))
		fail_msg("%s: not %.6g <= %.6g <= %.6g", name, value->low, value->value, value->high);
	if (value->unstable[0])
		fail_msg("%s: %s", name, value->unstable);
}

static inline void assert_parameter(const struct tried *tried, enum system_parameter parameter, double wanted, double relative)
{
	assert_value(&tried->system.parameters[parameter], system_row(parameter)->name, wanted, relative);
}

#endif
