/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equations and algorithms against numbers computed by hand or by another program; test_model_laws has the laws. */
#include "config.h"
#include "iowrite-bench/model/kinds.h"
#include "tests/unit/unit.h"
#include "tests/unit/known_system.h"

TEST("naive predicts size divided by bandwidth")
{
	struct asked asked;

	ask(&asked, "naive", (struct model_setup){0});
	assert_near(answer(&asked, 0, 0, 4096).ns, 40960, 1e-12);
	assert_near(answer(&asked, 99, 7, 64 * MIB).ns, 671088640, 1e-12);
	asked.kind->free(asked.model);
}

TEST("a direct synchronous write costs latency, bytes over bandwidth, and a seek (equation 2)")
{
	struct asked asked;

	ask(&asked, "cawl", (struct model_setup){.mode = OP_DIRECT_SYNC, .regime = OP_APPEND});
	assert_near(answer(&asked, 0, 0, 4096).ns, 100000 + 40960, 1e-12);
	assert_near(answer(&asked, 0, 4096, 1000000).ns, 100000 + 1e7, 1e-12);
	/* Elsewhere than where the last one ended. */
	assert_near(answer(&asked, 0, 0, 4096).ns, 100000 + 5000 + 40960, 1e-12);
	asked.kind->free(asked.model);
}

TEST("a synchronous write costs a copy and whole blocks, read first where partial (equation 3)")
{
	struct asked asked;

	ask(&asked, "cawl", (struct model_setup){.mode = OP_SYNC, .regime = OP_APPEND});
	assert_near(answer(&asked, 0, 0, 1024).ns, 100000 + 1024 + 10240, 1e-12);
	/* 1000 = 512 + 488: a block is read and written more. */
	assert_near(answer(&asked, 0, 1024, 1000).ns, 100000 + 1000 + 5120 + 2560 + 5120, 1e-12);
	asked.kind->free(asked.model);
}

/* fsync(2) after each write: equations 2 and 3, and a second call, which the paper does not have. */
TEST("a sync call adds the cost of a call")
{
	struct model_cost cost;
	struct asked asked;

	ask(&asked, "cawl", (struct model_setup){.mode = OP_DIRECT_SYNC, .has_sync_call = true});
	cost = answer(&asked, 0, 0, 4096);
	assert_near(cost.ns, 100000 + 40960 + 1000, 1e-12);
	assert_near(cost.syscall_ns, 1000, 1e-12);
	asked.kind->free(asked.model);
	ask(&asked, "cawl", (struct model_setup){.mode = OP_SYNC, .has_sync_call = true});
	assert_near(answer(&asked, 0, 0, 1024).ns, 100000 + 1024 + 10240 + 1000, 1e-12);
	asked.kind->free(asked.model);
	ask(&asked, "cawl", (struct model_setup){.mode = OP_SYNC, .has_sync_call = true, .is_paper_literal = true});
	assert_near(answer(&asked, 0, 0, 1024).ns, 100000 + 1024 + 10240, 1e-12);
	asked.kind->free(asked.model);
	ask(&asked, "kernel", (struct model_setup){.mode = OP_SYNC, .has_sync_call = true});
	cost = answer(&asked, 0, 0, 4096);
	assert_near(cost.ns, 110240 + 1000, 1e-12);
	assert_near(cost.syscall_ns + cost.device_ns, cost.ns, 1e-12);
	asked.kind->free(asked.model);
}

/* The five costs are another program's, blocks in a plain queue: free, free, background, throttled, throttled. */
TEST("cawl follows algorithm 1 as printed")
{
	static const double wanted[] = {50001000, 100001000, 166667666.66666666, 17430132.92429554, 70771741.22152364};
	static const double dirty[] = {50000000, 139999900, 273333133.3333333, 281590120.04090375,
		304512945.91875136};
	static const uint64_t sizes[] = {50000000, 100000000, 150000000, 10000000, 30000000};
	static const enum model_state states[] = {MODEL_FREE, MODEL_FREE, MODEL_BACKGROUND, MODEL_THROTTLED,
		MODEL_THROTTLED};
	struct model_cost cost;
	struct asked asked;
	uint64_t offset = 0;

	ask(&asked, "cawl", (struct model_setup){.is_paper_literal = true});
	for (int i = 0; i < 5; i++) {
		cost = answer(&asked, 0, offset, sizes[i]);
		assert_near(cost.ns, wanted[i], 1e-7);
		assert_near(cost.dirty_bytes, dirty[i], 1e-7);
		assert_int_equal(cost.state, states[i]);
		offset += sizes[i];
	}
	/* Beyond the hard limit the printed rate is negative, and in negative time the device gives bytes back. */
	cost = answer(&asked, 0, offset, 10000000);
	assert_true(cost.ns < 0);
	assert_near(cost.dirty_bytes, dirty[4] + 10e6 - cost.ns * 1e-9 * 100e6, 1e-7);
	asked.kind->free(asked.model);
}

/* A second of delay lets the device write 100 MB, as long as there is something above the threshold. */
TEST("the device flushes during a delay while dirty bytes are above the threshold")
{
	struct asked asked;

	ask(&asked, "cawl", (struct model_setup){.is_paper_literal = true});
	answer(&asked, 0, 0, 90000000);
	assert_near(answer(&asked, 1000000000, 90000000, 1).dirty_bytes, 90000001, 1e-12);
	answer(&asked, 0, 90000001, 50000000);
	/* 140 MB less the flushes of the write itself and of 0.1 s, in which 10 MB go. */
	assert_near(answer(&asked, 100000000, 140000001, 1).dirty_bytes,
		140000002 - 100e6 * (0.05 + 1e-6 + 0.1 + 1e-6 + 1e-9), 1e-6);
	asked.kind->free(asked.model);
}

/* With clamps and steps nothing is negative or unbounded, also where the printed text breaks down: 64 MiB writes into
 * a window of 128 MiB. Long runs go at the speed of the device. */
static void limits_hold(const char *kind)
{
	struct asked asked;
	double total = 0, written = 0;

	ask(&asked, kind, (struct model_setup){0});
	set(&asked.system, SYSTEM_LIMIT_BG, 64 * (double)MIB);
	set(&asked.system, SYSTEM_LIMIT_HARD, 128 * (double)MIB);
	ask_again(&asked);
	for (uint64_t i = 0; i < 64; i++) {
		struct model_cost cost = answer(&asked, 0, i * 64 * MIB, 64 * MIB);

		assert_true(cost.ns > 0 && isfinite(cost.ns));
		assert_near(cost.syscall_ns + cost.copy_ns + cost.throttle_ns + cost.device_ns, cost.ns, 1e-9);
		assert_true(cost.low_ns <= cost.ns && cost.ns <= cost.high_ns);
		assert_true(cost.dirty_bytes + cost.writeback_bytes <= 128 * (double)MIB * 1.5);
		total += cost.ns;
		written += 64 * (double)MIB;
	}
	/* All but what may stay dirty has gone to the device, and no faster than it can. */
	assert_true(total >= (written - 192 * (double)MIB) / 100e6 * 1e9);
	assert_true(total <= written / 100e6 * 1e9 * 1.05);
	asked.kind->free(asked.model);
}
TEST("cawl predicts within its limits for every write")
{
	limits_hold("cawl");
}
TEST("kernel predicts within its limits for every write")
{
	limits_hold("kernel");
}

/* Bytes of others are the oldest: 80 MB of them go before ours, once there are 100. */
TEST("models start from the dirty bytes of other files")
{
	struct asked asked;

	ask(&asked, "cawl", (struct model_setup){.is_paper_literal = true, .dirty_bytes = 80000000});
	/* 30 ms and 1 us of flushing: 3 MB and 100 bytes. */
	assert_near(answer(&asked, 0, 0, 30000000).dirty_bytes, 80e6 + 30e6 - 3e6 - 100, 1e-9);
	/* A second more: theirs is a block, which goes whole; then less than the threshold is dirty. */
	assert_near(answer(&asked, 1000000000, 30000000, 1000).dirty_bytes, 30e6 + 1000, 1e-9);
	asked.kind->free(asked.model);
}

/* A background threshold above the limit is half of it, as the kernel takes it. */
TEST("thresholds in the wrong order are handled")
{
	struct asked asked;

	ask(&asked, "cawl", (struct model_setup){0});
	set(&asked.system, SYSTEM_LIMIT_BG, 300e6);
	ask_again(&asked);
	/* Throttled from 225 MB on: not yet behind 220, which began above 150. */
	assert_int_equal(answer(&asked, 0, 0, 149000000).state, MODEL_FREE);
	assert_int_equal(answer(&asked, 0, 149000000, 70000000).state, MODEL_BACKGROUND);
	asked.kind->free(asked.model);
}

TEST("missing parameters are named")
{
	struct system system;
	struct model_setup setup = {.mode = OP_BUFFERED};
	const char *missing = NULL;
	void *model;

	known_system(&system);
	set(&system, SYSTEM_COEFF_BG, NAN);
	assert_int_equal(model_kind("cawl")->create(&system, &setup, &model, &missing), -ENODATA);
	assert_string_equal(missing, "coeff_bg");
	set(&system, SYSTEM_BW_SYNC, NAN);
	assert_int_equal(model_kind("kernel")->create(&system, &setup, &model, &missing), 0);
	model_kind("kernel")->free(model);
	set(&system, SYSTEM_BW_DEV, NAN);
	assert_int_equal(model_kind("kernel")->create(&system, &setup, &model, &missing), -ENODATA);
	assert_string_equal(missing, "bw_sync");
	assert_int_equal(model_kind("naive")->create(&system, &setup, &model, &missing), -ENODATA);
	assert_string_equal(missing, "bw_dev");
	assert_null(model_kind("other"));
}
