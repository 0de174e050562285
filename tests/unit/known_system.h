/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine with round numbers, and a model that is asked about it. */
#ifndef TESTS_UNIT_KNOWN_SYSTEM_H
#define TESTS_UNIT_KNOWN_SYSTEM_H

#include <math.h>
#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/predict/predict.h"
#include "tests/unit/unit.h"

#define MIB (1ull << 20)

static struct system_point warm_points[] = {{4096, {.value = 3000}}, {65536, {.value = 20000}},
	{MIB, {.value = 200000}}, {64 * MIB, {.value = 12800000}}};
static struct system_point sync_points[] = {{512, {.value = 100000}}, {4096, {.value = 110240}}};

static inline void set(struct system *system, enum system_parameter parameter, double value)
{
	system->parameters[parameter].value = value;
}

static inline void known_system(struct system *system)
{
	system_init(system);
	set(system, SYSTEM_BW_DEV, 100e6);
	set(system, SYSTEM_BW_SYNC, 100e6);
	set(system, SYSTEM_BW_CACHE_WARM, 1e9);
	set(system, SYSTEM_BW_CACHE_COLD, 0.5e9);
	set(system, SYSTEM_BW_CACHE_REWRITE, 2e9);
	set(system, SYSTEM_BW_RDEV, 200e6);
	set(system, SYSTEM_BW_MEM, 10e9);
	set(system, SYSTEM_COEFF_BG, 0.9);
	set(system, SYSTEM_SC_W, 1000);
	set(system, SYSTEM_SC_SK, 5000);
	set(system, SYSTEM_BLOCK, 512);
	set(system, SYSTEM_FS_BLOCK, 4096);
	set(system, SYSTEM_LAT_RDEV, 50000);
	set(system, SYSTEM_LIB_METACOST, 20);
	set(system, SYSTEM_LIB_BUFFER, 4096);
	set(system, SYSTEM_LIMIT_BG, 100e6);
	set(system, SYSTEM_LIMIT_HARD, 300e6);
	set(system, SYSTEM_DIRTY_EXPIRE, 30e9);
	set(system, SYSTEM_DIRTY_WRITEBACK, 5e9);
	system->curves[OP_BUFFERED][OP_APPEND] = (struct system_curve){.count = 4, .points = warm_points};
	for (int mode = OP_SYNC; mode < OP_MODES; mode++) {
		system->curves[mode][OP_APPEND] = (struct system_curve){.count = 2, .points = sync_points,
			.segment_count = 1, .segments = {{0, 100000, 2.5}}};
		system->curves[mode][OP_OVERWRITE] = system->curves[mode][OP_APPEND];
	}
}

struct asked {
	struct system system;
	struct model_setup setup;
	const struct model_kind *kind;
	void *model;
};

static inline void ask(struct asked *asked, const char *kind, struct model_setup setup)
{
	const char *missing = NULL;

	known_system(&asked->system);
	asked->setup = setup;
	asked->kind = model_kind(kind);
	assert_int_equal(asked->kind->create(&asked->system, &asked->setup, &asked->model, &missing), 0);
}

/* Again from the beginning, of the system and setup as they are now. */
static inline void ask_again(struct asked *asked)
{
	const char *missing = NULL;

	asked->kind->free(asked->model);
	assert_int_equal(asked->kind->create(&asked->system, &asked->setup, &asked->model, &missing), 0);
}

static inline struct model_cost answer(struct asked *asked, uint64_t delay_ns, uint64_t offset, uint64_t size)
{
	struct op op = {delay_ns, offset, size};
	struct model_cost cost;

	assert_int_equal(asked->kind->write(asked->model, &op, &cost), 0);
	return cost;
}

static inline void assert_near(double value, double wanted, double relative)
{
	if (!(fabs(value - wanted) <= relative * fabs(wanted)))
		fail_msg("%.12g, wanted %.12g", value, wanted);
}

#endif
