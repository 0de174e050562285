/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's write-back and throttle against numbers computed by hand from mm/page-writeback.c. */
#include "config.h"
#include "tests/unit/writeback_fixture.h"

static void dirty(struct writeback *writeback, uint64_t offset, uint64_t size, uint64_t wanted_fresh)
{
	uint64_t fresh;

	assert_int_equal(writeback_write(writeback, offset, size, &fresh), 0);
	assert_int_equal(fresh, wanted_fresh);
}

TEST_WITH("free run and setpoint follow from the thresholds", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback = begin(state);

	assert_near(writeback->freerun, 200 * MB);
	assert_near(writeback->setpoint, 250 * MB);
	/* min(100 / 2, 300 / 8 = 37.5) MB and 4 MiB: 41.69 MB are 9.94 of 4 MiB. */
	assert_near(writeback->chunk, 9 * 4 * MIB);
	/* The kernel halves a background threshold that is not below the limit. */
	set(fixture, SYSTEM_LIMIT_BG, 400 * MB);
	writeback = begin(state);
	assert_near(writeback->bg, 150 * MB);
	/* As traced: 68 MiB with a limit of 512 MiB, 132 with 1 GiB, on a device that is fast enough. */
	set(fixture, SYSTEM_BW_SYNC, 2000 * MB);
	set(fixture, SYSTEM_LIMIT_HARD, 512 * MIB);
	assert_near(begin(state)->chunk, 68 * MIB);
	set(fixture, SYSTEM_LIMIT_HARD, 1024 * MIB);
	assert_near(begin(state)->chunk, 132 * MIB);
	/* And 40 MiB while avg_write_bandwidth was 76 MB/s. */
	set(fixture, SYSTEM_BW_SYNC, 76 * MB);
	assert_near(begin(state)->chunk, 40 * MIB);
}

TEST_WITH("the flusher begins above the threshold", set_up, tear_down)
{
	struct writeback *writeback = begin(state);

	dirty(writeback, 0, 100000000, 100000000);
	writeback_pass(writeback, 1);
	assert_near(writeback_dirty(writeback), 100 * MB);
	assert_near(writeback->written_back, 0);
	/* One byte more: a chunk goes, and 0.1 s later 10 MB of it are on the device. */
	dirty(writeback, 100000000, 1, 1);
	writeback_pass(writeback, 0);
	assert_near(writeback_dirty(writeback), 100 * MB + 1 - 36 * MIB);
	assert_near(writeback->written_back, 36 * MIB);
	writeback_pass(writeback, 0.1);
	assert_near(writeback->written_back, 36 * MIB - 10 * MB);
	/* It was swept from the file's begin: that is clean and would be new. */
	dirty(writeback, 0, 4096, 4096);
	dirty(writeback, 50000000, 4096, 0);
}

TEST_WITH("the rate falls with the distance above the setpoint", set_up, tear_down)
{
	struct fixture *fixture = *state;
	enum model_state in;
	struct writeback *writeback;

	/* At the setpoint: as fast as the device. 1 MB at 100 MB/s, less the 1 ms that the step took. */
	fixture->setup.writeback_bytes = 250000000;
	writeback = begin(state);
	assert_near(writeback_throttle(writeback, MB, 0.001, &in), 0.01 - 0.001);
	assert_int_equal(in, MODEL_THROTTLED);
	/* Half way to it: 1 + 0.5^3 = 1.125, and for the device 1 + 25 / 800 = 1.03125. */
	fixture->setup.writeback_bytes = 225000000;
	assert_near(writeback_throttle(begin(state), MB, 0, &in), 0.01 / (1.125 * 1.03125));
	/* Half way to the limit: 0.875, and 0.96875. */
	fixture->setup.writeback_bytes = 275000000;
	assert_near(writeback_throttle(begin(state), MB, 0, &in), 0.01 / (0.875 * 0.96875));
	/* At the limit, and far beyond: a fiftieth; the device's term stops at a quarter. */
	fixture->setup.writeback_bytes = 300000000;
	assert_near(writeback_throttle(begin(state), MB, 0, &in), 0.01 / (0.02 * 0.9375));
	fixture->setup.writeback_bytes = 3000000000;
	assert_near(writeback_throttle(begin(state), MB, 0, &in), 0.01 / (0.02 * 0.25));
	/* What was dirty already is not held back, wherever the sum stands. */
	assert_near(writeback_throttle(&fixture->writeback, 0, 0, &in), 0);
	assert_int_equal(in, MODEL_THROTTLED);
}

TEST_WITH("in free run the writer does not pause", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;
	enum model_state in;

	assert_near(writeback_throttle(begin(state), MB, 0, &in), 0);
	assert_int_equal(in, MODEL_FREE);
	fixture->setup.writeback_bytes = 200000000;
	writeback = begin(state);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0);
	assert_int_equal(in, MODEL_BACKGROUND);
	/* Dirty pages of others count as ours do. */
	fixture->setup.dirty_bytes = 1;
	assert_true(writeback_throttle(begin(state), 2 * MB, 0, &in) > 0);
}

/* Time that the writer did not use is counted for it, up to a second, and lost in free run. */
TEST_WITH("unused time is credited for up to a second", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;
	enum model_state in;

	fixture->setup.writeback_bytes = 250000000;
	writeback = begin(state);
	assert_near(writeback_throttle(writeback, MB, 0.001, &in), 0.009);
	/* A step of 22 ms where 10 are due: 12 ms in hand, then 2, then 10 less these 2. */
	assert_near(writeback_throttle(writeback, MB, 0.022, &in), 0);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0.008);
	/* Thinking is time in hand, too: 1 ms, in which 0.1 MB went to the device. */
	writeback_think(writeback, 0.001);
	assert_near(writeback_throttle(writeback, MB, 0, &in),
		0.01 / ((1 + pow(0.1 / 50, 3)) * (1 + 0.1 / 800)) - 0.001);
	/* A second and more is none. */
	fixture->setup.writeback_bytes = 350000000;
	writeback = begin(state);
	writeback_think(writeback, 1);
	assert_near(writeback->written_back, 250 * MB);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0.01);
}

/* In detail nobody sleeps for less than 8 ms: 3 are owed, and 6, and then 9 are waited for. What a write owes at its end can be
 * asked for; time that passes otherwise pays for it, and free run forgets it. */
TEST_WITH("short pauses are owed", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;
	enum model_state in;

	fixture->setup.writeback_bytes = 250000000;
	assert_near(writeback_throttle(begin(state), 0.3 * MB, 0, &in), 0.003);
	fixture->setup.is_detailed = true;
	writeback = begin(state);
	assert_near(writeback_throttle(writeback, 0.3 * MB, 0, &in), 0);
	assert_near(writeback_throttle(writeback, 0.3 * MB, 0, &in), 0);
	assert_near(writeback_throttle(writeback, 0.3 * MB, 0, &in), 0.009);
	assert_near(writeback_settle(writeback), 0);
	writeback_throttle(writeback, 0.3 * MB, 0, &in);
	assert_near(writeback_settle(writeback), 0.003);
	assert_near(writeback_settle(writeback), 0);
	writeback_throttle(writeback, 0.3 * MB, 0, &in);
	writeback_throttle(writeback, 0, 0.001, &in);
	assert_near(writeback_settle(writeback), 0.002);
	/* In hand is not owed. */
	writeback_throttle(writeback, 0, 0.001, &in);
	assert_near(writeback_settle(writeback), 0);
	assert_near(writeback->credit_s, 0.001);
	writeback_throttle(writeback, 0.3 * MB, 0, &in);
	writeback->written_back = 0;
	writeback_throttle(writeback, 0, 0, &in);
	assert_near(writeback_settle(writeback), 0);
}

/* The flusher looks every 5 s; what has been dirty for more than 30 is written. */
TEST_WITH("data older than the expiry is written at the next wake-up", set_up, tear_down)
{
	struct writeback *writeback = begin(state);

	writeback_pass(writeback, 2);
	dirty(writeback, 0, 50000000, 50000000);
	/* Old at 32 s, seen at 35, in one long pause: at 35.1 s 10 MB of 50 are on the device. */
	writeback_pass(writeback, 32.9);
	assert_near(writeback_dirty(writeback), 50 * MB);
	writeback_pass(writeback, 0.2);
	assert_near(writeback_dirty(writeback), 0);
	assert_near(writeback->written_back, 40 * MB);
	/* The same in one step from the beginning. */
	writeback_free(writeback);
	writeback = begin(state);
	writeback_pass(writeback, 2);
	dirty(writeback, 0, 50000000, 50000000);
	writeback_pass(writeback, 33.1);
	assert_near(writeback->written_back, 40 * MB);
	/* Its clock begins with the next write. */
	writeback_pass(writeback, 1);
	dirty(writeback, 0, 1000, 1000);
	writeback_pass(writeback, 30);
	assert_near(writeback_dirty(writeback), 1000);
	writeback_pass(writeback, 5);
	assert_near(writeback_dirty(writeback), 0);
}

TEST_WITH("with a disabled periodic flusher no data expire", set_up, tear_down)
{
	struct writeback *writeback;

	set(*state, SYSTEM_DIRTY_WRITEBACK, 0);
	writeback = begin(state);
	dirty(writeback, 0, 1000, 1000);
	writeback_pass(writeback, 1e6);
	assert_near(writeback_dirty(writeback), 1000);
}

/* Exactly 30 s old is not too old: the next look takes it. */
TEST_WITH("data are written exactly at their expiry", set_up, tear_down)
{
	struct writeback *writeback = begin(state);

	dirty(writeback, 0, 50000000, 50000000);
	writeback_pass(writeback, 35.1);
	assert_near(writeback_dirty(writeback), 0);
	assert_near(writeback->written_back, 40 * MB);
	/* So it is with the first look. */
	writeback_free(writeback);
	set(*state, SYSTEM_DIRTY_EXPIRE, 5e9);
	writeback = begin(state);
	dirty(writeback, 0, 50000000, 50000000);
	writeback_pass(writeback, 9.9);
	assert_near(writeback_dirty(writeback), 50 * MB);
	writeback_pass(writeback, 0.2);
	assert_near(writeback->written_back, 40 * MB);
}
