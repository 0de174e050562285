/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is missing from a recording: shares, reasons, and processes that the kernel stopped sampling at exec. */
#include "config.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "memtrace/file/execs.h"
#include "memtrace/file/losses.h"
#include "memtrace/perf/cost.h"

TEST("the share of a class of missing samples is of all samples, and other classes have none")
{
	uint64_t losses[TRACE_LOSSES] = {[TRACE_LOST_BY_KERNEL] = 50, [TRACE_NOT_MEMORY] = 350, [TRACE_THROTTLED] = 1000};
	char text[LOSSES_TEXT];

	assert_string_equal(losses_phrase(losses, 600, TRACE_LOST_BY_KERNEL, text), "lost by the kernel (ring full), 5 %");
	assert_string_equal(losses_phrase(losses, 600, TRACE_NOT_MEMORY, text), "not a memory operation, 35 %");
	assert_string_equal(losses_phrase(losses, 600, TRACE_THROTTLED, text), "throttled by the kernel");
}

TEST("a cost has its share of the recorded time and that of one sample, and that of some engines is unknown")
{
	struct engine_choice choice = {.engine = engine_find("pebs")};
	char text[COST_TEXT];

	assert_string_equal(cost_phrase(TRACE_COST_BURSTS, &(struct cost){95, 209000000, true}, 10000000000, text),
		"2.1 % of the recorded time (209 ms of 10 s): 95 bursts, in which a thread waits, 2.2 ms each");
	assert_string_equal(cost_phrase(TRACE_COST_REFAULTS, &(struct cost){0, 0, true}, 0, text),
		"0 % of the recorded time (0 ns of 0 ns): 0 pages that were paged out and come back by a page fault, 0 ns each");
	assert_int_equal(cost_calibrate(&choice), 0);
}

TEST("a recording is not trusted with more than 1 % lost, nine tenths not taken or a program not sampled")
{
	struct losses_reason reasons[LOSSES_REASONS];
	uint64_t losses[TRACE_LOSSES] = {[TRACE_LOST_BY_KERNEL] = 6, [TRACE_THROTTLED] = 4, [TRACE_NOT_MEMORY] = 900};

	assert_int_equal(losses_reasons(losses, 1000, reasons), 0);
	losses[TRACE_THROTTLED]++;
	assert_int_equal(losses_reasons(losses, 1000, reasons), 1);
	assert_string_equal(reasons[0].code, "samples-lost");
	assert_non_null(strstr(reasons[0].text, "11 samples"));
	losses[TRACE_NOT_TAKEN] = 901;
	losses[TRACE_EXEC] = 1;
	assert_int_equal(losses_reasons(losses, 1000, reasons), 3);
	assert_string_equal(reasons[1].code, "samples-not-taken");
	assert_non_null(strstr(reasons[1].text, "901 samples"));
	assert_string_equal(reasons[2].code, "sampling-stopped");
	assert_non_null(strstr(reasons[2].text, "1 program that"));
	assert_true(strlen(reasons[2].text) < LOSSES_TEXT - 1);
}

TEST("a recording of which more than 5 % of the accesses were dropped for one reason is biased, however few are not accesses")
{
	static const enum trace_loss kinds[] = {TRACE_NO_ADDRESS, TRACE_CLOBBERED, TRACE_NO_CODE, TRACE_OUTSIDE};
	struct losses_reason reasons[LOSSES_REASONS];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t losses[TRACE_LOSSES] = {[TRACE_NOT_MEMORY] = 5000, [TRACE_BRANCH_TARGET] = 100, [TRACE_PRIVILEGE] = 5000};

		losses[kinds[i]] = 50;
		assert_int_equal(losses_reasons(losses, 850, reasons), 0);
		assert_false(losses_is_reason(losses, 850, kinds[i]));
		assert_true(losses_dropped_percent(losses, 850, kinds[i]) == 5);
		assert_int_equal(losses_reasons(losses, 849, reasons), 1);
		assert_string_equal(reasons[0].code, "accesses-dropped");
		assert_non_null(strstr(reasons[0].text, "lacks 5 % of the accesses"));
		assert_non_null(strstr(reasons[0].text, trace_loss_name(kinds[i])));
		assert_true(strlen(reasons[0].text) < LOSSES_TEXT - 1);
		assert_true(losses_is_reason(losses, 849, kinds[i]));
		/* One reason: the one of which there is most. */
		losses[kinds[(i + 1) % 4]] = 60;
		assert_int_equal(losses_reasons(losses, 849, reasons), 1);
		assert_non_null(strstr(reasons[0].text, trace_loss_name(kinds[(i + 1) % 4])));
		assert_false(losses_is_reason(losses, 849, kinds[i]));
		/* Of so few nothing is known. */
		assert_int_equal(losses_reasons(losses, 39, reasons), 0);
	}
	assert_true(isnan(losses_dropped_percent((uint64_t[TRACE_LOSSES]){0}, 10, TRACE_BRANCH_TARGET)));
	assert_true(losses_dropped_percent((uint64_t[TRACE_LOSSES]){0}, 0, TRACE_CLOBBERED) == 0);
}

TEST("less than a tenth of at least 100 samples asked for is short")
{
	assert_false(losses_is_short(0, 99));
	assert_true(losses_is_short(9, 100));
	assert_false(losses_is_short(10, 100));
}

TEST("--overhead asks for as many bursts as fit into its part of the time")
{
	assert_true(losses_bursts_asked(1000, 0, 2, 0.016) == 1000);
	assert_true(losses_bursts_asked(1000, 50, 2, 0.016) == 62.5);
	assert_true(losses_bursts_asked(20, 50, 2, 0.016) == 20);
	assert_true(losses_bursts_asked(1000, 50, 0, 0) == 1000);
}

static void add(struct execs *execs, enum exec_kind kind, uint32_t pid, uint64_t time_ns)
{
	assert_int_equal(execs_add(execs, kind, pid, time_ns), 0);
}

TEST("a process that ends after exec without a mapping was stopped, also when its records are out of order")
{
	struct execs execs = {0};

	/* 10 maps and ends; 11 is stopped; 12 executes twice, and the second stops it; 13 has no end yet; 14 was there before. */
	add(&execs, EXEC_ENDED, 11, 6);
	add(&execs, EXEC_MAPPED, 10, 2);
	add(&execs, EXEC_MAPPED, 10, 7);
	add(&execs, EXEC_BEGUN, 10, 5);
	add(&execs, EXEC_ENDED, 10, 9);
	add(&execs, EXEC_BEGUN, 11, 6);
	add(&execs, EXEC_BEGUN, 12, 1);
	add(&execs, EXEC_MAPPED, 12, 2);
	add(&execs, EXEC_BEGUN, 12, 3);
	add(&execs, EXEC_ENDED, 12, 4);
	add(&execs, EXEC_BEGUN, 13, 8);
	add(&execs, EXEC_ENDED, 14, 8);
	assert_int_equal(execs_stopped(&execs), 2);
	assert_int_equal(execs_stopped(&execs), 0);
	add(&execs, EXEC_ENDED, 13, 20);
	assert_int_equal(execs_stopped(&execs), 1);
	/* What is known of a process is worth nothing when records were lost. */
	add(&execs, EXEC_BEGUN, 15, 30);
	execs_clear(&execs);
	add(&execs, EXEC_ENDED, 15, 31);
	assert_int_equal(execs_stopped(&execs), 0);
	execs_free(&execs);
}
