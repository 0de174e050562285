/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ends a calibration before its time, and what cannot be measured: the rest is, and it is said. */
#include "config.h"
#include "tests/unit/calibrate_tried.h"

#include <errno.h>

TEST_WITH("a calibration writes no more than its limit on bytes", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.max_bytes = 700 * MIB;
	calibrate(tried);
	assert_true(tried->store.written <= 700 * MIB);
	assert_true(tried->store.written > 500 * MIB);
	assert_false(tried->schedule.is_failed);
	assert_true(isnan(system_get(&tried->system, SYSTEM_BW_SYNC)));
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC].unstable,
		"more bytes than --max-bytes would have been written");
	assert_true(isfinite(system_get(&tried->system, SYSTEM_LIB_METACOST)));
}

TEST_WITH("a calibration ends with its run time", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.runtime_ns = 1000000000u;
	calibrate(tried);
	assert_in_range(tried->elapsed_ns, 1000000000u, 4000000000u);
	assert_true(isfinite(system_get(&tried->system, SYSTEM_BW_MEM)));
	assert_string_equal(tried->system.parameters[SYSTEM_SC_W].unstable, "measured in 1 of 3 blocks");
}

/* Writing back its whole free space would take a minute and a half in each block. */
TEST_WITH("a slow device does not extend the run time", setup, teardown)
{
	struct tried *tried = *state;

	tried->store.write_back = 20e6;
	tried->plan.is_staged = true;
	tried->plan.size_bytes = 2048 * MIB;
	calibrate(tried);
	assert_in_range(tried->elapsed_ns, 0, 90000000000u);
	assert_true(fabs(system_get(&tried->system, SYSTEM_BW_SYNC) / 20e6 - 1) < 0.1);
}

TEST_WITH("a failing write ends a calibration", setup, teardown)
{
	struct tried *tried = *state;

	tried->store.fail_at = 300 * MIB;
	tried->store.fail_error = EIO;
	calibrate(tried);
	assert_true(tried->schedule.is_failed);
	assert_true(tried->store.written <= 300 * MIB);
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC].unstable, "the calibration failed before");
}

TEST_WITH("a signal ends a calibration", setup, teardown)
{
	struct tried *tried = *state;

	tried->store.stop_at_ns = 2000000000u;
	calibrate(tried);
	assert_true(tried->schedule.is_interrupted);
	assert_false(tried->schedule.is_failed);
	assert_true(tried->store.now_ns < 4e9);
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC].unstable, "the calibration was interrupted before");
}

TEST_WITH("impossible probes are not run", setup, teardown)
{
	struct tried *tried = *state;
	const struct system *system = &tried->system;

	tried->plan.has_direct = false;
	tried->plan.size_bytes = 512 * MIB;
	tried->store.warm_pool = tried->store.pool_left = 8192 * MIB;
	calibrate(tried);
	assert_true(isnan(system_get(system, SYSTEM_BW_DEV)));
	assert_string_equal(system->parameters[SYSTEM_BW_DEV].unstable, "O_DIRECT does not reach a device here");
	assert_string_equal(system->curves[OP_DIRECT][OP_APPEND].unknown, "O_DIRECT does not reach a device here");
	assert_string_equal(system->parameters[SYSTEM_BW_CACHE_COLD].unstable,
		"no memory slower than host-backed memory was found");
	assert_string_equal(system->throttled_unknown,
		"throttling begins beyond --size: use --stage as root, or a larger --size");
	assert_true(system->curves[OP_SYNC][OP_APPEND].count > 0);
}

TEST_WITH("without fallocate all other values are measured", setup, teardown)
{
	struct tried *tried = *state;

	tried->store.lacks_reserve = true;
	calibrate(tried);
	assert_false(tried->schedule.is_failed);
	for (int mode = OP_SYNC; mode < OP_MODES; mode++) {
		const struct system_curve *curves = tried->system.curves[mode];

		assert_string_equal(curves[OP_PREALLOCATED].unknown, "fallocate(2) is not possible on this file system");
		assert_int_equal(curves[OP_PREALLOCATED].count, 0);
		assert_true(curves[OP_APPEND].count > 0 && curves[OP_OVERWRITE].count > 0);
	}
}

TEST_WITH("appends to a block device are not measured", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.has_append = false;
	tried->store.file_bytes = tried->store.device_bytes = tried->plan.size_bytes;
	calibrate(tried);
	assert_string_equal(tried->system.curves[OP_SYNC][OP_APPEND].unknown, "a device does not grow");
	assert_string_equal(tried->system.curves[OP_DIRECT][OP_PREALLOCATED].unknown, "a device does not grow");
	assert_true(tried->store.file_bytes == tried->plan.size_bytes);
	assert_parameter(tried, SYSTEM_BW_DEV, 1e9 / tried->store.device[OP_DIRECT][OP_OVERWRITE].ns_per_byte, 0.02);
	assert_true(tried->system.curves[OP_DIRECT][OP_OVERWRITE].count > 0);
}
