/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write-back whose rate, limit or estimate changes, against numbers computed by hand from mm/page-writeback.c. */
#include "config.h"
#include "tests/unit/writeback_fixture.h"

/* A device whose cache takes 100 MB at full speed, and half of it from then on. */
TEST_WITH("write-back follows a device of two speeds", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;
	enum model_state in;

	set(fixture, SYSTEM_BW_SYNC_LATE, 50 * MB);
	set(fixture, SYSTEM_SYNC_CACHE, 100 * MB);
	fixture->setup.writeback_bytes = 300000000;
	writeback = begin(state);
	assert_near(writeback_drain(writeback), 1 + 4);
	writeback_pass(writeback, 0.5);
	assert_near(writeback->written_back, 250 * MB);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0.01);
	/* Half a second to the break, half a second behind it. */
	writeback_pass(writeback, 1);
	assert_near(writeback->written_back, 175 * MB);
	assert_near(writeback_drain(writeback), 3.5);
	/* Idle time uses nothing up. */
	writeback_free(writeback);
	fixture->setup.writeback_bytes = 0;
	writeback = begin(state);
	writeback_pass(writeback, 100);
	assert_near(writeback->before_late, 100 * MB);
	/* The law is that of the slow device then: 20 ms at the setpoint. */
	writeback_free(writeback);
	fixture->setup.writeback_bytes = 350000000;
	writeback = begin(state);
	writeback_pass(writeback, 1);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0.02);
}

/* The limit that acts after the threshold, 300 MB, was lowered: a 32nd of the way each 200 ms of throttling, not below
 * what is there. Where throttling begins does not depend on it. */
TEST_WITH("the limit falls step by step", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;
	enum model_state in;

	fixture->setup.control.limit = 364 * MB;
	fixture->setup.writeback_bytes = 282000000;
	writeback = begin(state);
	assert_near(writeback->freerun, 200 * MB);
	assert_near(writeback->setpoint, 282 * MB);
	/* At the setpoint, soon after the last look: as the device is. */
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0.01);
	assert_near(writeback->limit, 364 * MB);
	writeback_pass(writeback, 0.25);
	writeback->written_back = 282 * MB;
	writeback_throttle(writeback, MB, 0, &in);
	assert_near(writeback->limit, 362 * MB);
	assert_near(writeback->setpoint, 281 * MB);
	/* In free run nothing sinks. */
	writeback_pass(writeback, 10);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0);
	assert_near(writeback->limit, 362 * MB);
}

/* What the kernel takes the device's 100 MB/s for: 50 at first; two stages of which the first takes 0.25 s of 4.1, the
 * second an eighth of the way to what the first has left. */
TEST_WITH("write-back follows an estimate that is not steady", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;
	enum model_state in;

	fixture->setup.control.write_rate = 50 * MB;
	fixture->setup.writeback_bytes = 250000000;
	writeback = begin(state);
	writeback_pass(writeback, 0.25);
	writeback->written_back = 250 * MB;
	writeback_throttle(writeback, MB, 0, &in);
	assert_near(writeback->estimate, 100 * MB * 0.25 / 4.1 + 50 * MB * (1 - 0.25 / 4.1));
	assert_near(writeback->smoothed, 50 * MB);
	writeback_pass(writeback, 0.25);
	writeback->written_back = 250 * MB;
	writeback_throttle(writeback, MB, 0, &in);
	assert_near(writeback->smoothed, 50 * MB + (100 * MB * 0.25 / 4.1 + 50 * MB * (1 - 0.25 / 4.1) - 50 * MB) / 8);
	/* Never more than it is. */
	for (int i = 0; i < 400; i++) {
		writeback_pass(writeback, 0.25);
		writeback->written_back = 250 * MB;
		writeback_throttle(writeback, MB, 0, &in);
	}
	assert_true(writeback->smoothed > 99 * MB && writeback->smoothed <= 100 * MB);
}

/* A rate limit of 40 MB/s at the setpoint: 25 ms for 1 MB. Held there, it follows: in each interval of 200 ms the pages
 * dirtied are those allowed, so that what would balance is the device's 100 MB/s. */
TEST_WITH("write-back follows a rate limit that is not steady", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;
	enum model_state in;

	fixture->setup.writeback_bytes = 250000000;
	fixture->setup.control.ratelimit = 40 * MB;
	writeback = begin(state);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0.025);
	/* 250 ms later, 8 MB dirtied, 30 MB below: 225 MB, pos 1.125 * 1.03125 = 1.16015625. */
	writeback_throttle(writeback, 6 * MB, 1, &in);
	writeback->credit_s = 0;
	writeback_pass(writeback, 0.25);
	assert_near(writeback->written_back, 225 * MB);
	/*
	 * task = 46.40625 MB/s, balanced = 46.40625 * 100 / (8 / 0.25 = 32) = 145 MB/s, at most 100.
	 * Below the setpoint: min(40 (the last balanced), 100, 46.4) is no more than 40: no step, balanced is 100 now.
	 */
	assert_near(writeback_throttle(writeback, MB, 0, &in), 1 / (40 * 1.16015625));
	assert_near(writeback->ratelimit, 40 * MB);
	assert_near(writeback->balanced, 100 * MB);
	/*
	 * Again, after 0.25 s with 8 MB: 200 MB and a little, where pos is 2 * 1.0625 = 2.125. task = 85 MB/s,
	 * balanced = 85 * 100 / 32, at most 100; min(100, 100, 85) = 85: a step of 45 MB/s = 10986 pages, shifted by
	 * 9765 / 21973 = 0, an eighth: 1373.25 up to 1374 pages.
	 */
	writeback_throttle(writeback, 8 * MB, 1, &in);
	writeback->credit_s = 0;
	writeback->dirtied = 7 * MB;
	writeback_pass(writeback, 0.249999999);
	assert_near(writeback->written_back, 200 * MB + 0.1);
	assert_true(writeback_throttle(writeback, MB, 0, &in) > 0);
	assert_near(writeback->ratelimit, 40 * MB + 1374 * 4096);
	/* More than a second says nothing. */
	writeback->written_back = 302 * MB;
	writeback->dirtied = 30 * MB;
	writeback_pass(writeback, 1.01);
	assert_near(writeback->written_back, 201 * MB);
	writeback_throttle(writeback, MB, 0, &in);
	assert_near(writeback->ratelimit, 40 * MB + 1374 * 4096);
}

/* 64 MB/s at the setpoint are 15625 pages a second, an octave below the device's 24414: 2 ticks and 2 for the octave, 244 pages,
 * of folios of 512 KiB two. They last 16.384 ms, 4.096 ticks, of which half a one is not waited for. At rest nothing is cut. */
TEST_WITH("pauses are whole ticks", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;
	enum model_state in;

	fixture->setup.writeback_bytes = 250000000;
	fixture->setup.control = (struct model_control){.ratelimit = 64 * MB, .tick_s = 0.004, .step_bytes = MIB / 2};
	writeback = begin(state);
	assert_near(writeback_throttle(writeback, MIB, 0, &in), 3.596 * 0.004);
	writeback_free(writeback);
	fixture->setup.control.ratelimit = 0;
	writeback = begin(state);
	assert_near(writeback_throttle(writeback, MB, 0, &in), 0.01);
}

/* 30 MB at once, when the run begins and not again. */
TEST_WITH("an idle device accepts a burst", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct writeback *writeback;

	set(fixture, SYSTEM_SYNC_BURST, 30 * MB);
	fixture->setup.writeback_bytes = 10000000;
	writeback = begin(state);
	assert_near(writeback_drain(writeback), 0);
	writeback_pass(writeback, 0.001);
	assert_near(writeback->written_back, 0);
	writeback->written_back = 100 * MB;
	assert_near(writeback_drain(writeback), 0.8);
	writeback_pass(writeback, 0.5);
	assert_near(writeback->written_back, 30 * MB);
	writeback_pass(writeback, 10);
	writeback->written_back = 100 * MB;
	writeback_pass(writeback, 0.5);
	assert_near(writeback->written_back, 50 * MB);
}
