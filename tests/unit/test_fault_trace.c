/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/faults.h"
#include "pmbench/result.h"

#define PAGES 512

TEST("each first touch is recorded with its page")
{
	struct faults faults;
	struct fault_trace trace;
	struct result_fault_trace result;
	struct classify_sums sums;
	char *base = faults_map(PAGES);

	faults_setup(&faults, base, PAGES, 0);
	faults_trace(&faults, &trace, base, PAGES);
	/* A few hundred ns; a busy machine may blur that, but not to nothing or to more than a disk takes. */
	assert_true(trace.cost_ns != 0 && trace.cost_ns > -5000 && trace.cost_ns < 50000);
	faults_run(&faults, (uint64_t)2 * PAGES, &sums);
	assert_int_equal(madvise(base, PAGES * FAULTS_PAGE, MADV_DONTNEED), 0);
	faults_clear(&faults);
	faults_run(&faults, (uint64_t)3 * PAGES, &sums);
	assert_int_equal(sums.kernel_minor, PAGES);
	assert_int_equal(faults_count(&faults, ACCESS_MINOR, ACCESS_WRITE), PAGES);
	assert_int_equal(sums.inexact, 0);
	fault_trace_result(&trace, &result);
	assert_true(result.is_available);
	assert_int_equal(result.counts.records, PAGES);
	assert_int_equal(result.counts.in_map_minor_faults, PAGES);
	assert_int_equal(result.counts.in_map_major_faults, 0);
	assert_int_equal(result.counts.elsewhere_faults, 0);
	assert_int_equal(result.counts.lost_records, 0);
	fault_trace_close(&trace);
	munmap(base, PAGES * FAULTS_PAGE);
	free(faults.pages);
}

/* A program with faults of its own: before each draw it touches a page outside of the map. */
static char *own;
static uint64_t faulting_draw(struct pattern *draw_state)
{
	struct faults *faults = (struct faults *)(void *)draw_state;

	if (faults->next < PAGES)
		*(volatile char *)(own + faults->next * FAULTS_PAGE) = 1;
	return faults_draw(draw_state);
}

TEST("faults outside of the map are counted separately")
{
	struct faults faults;
	struct fault_trace trace;
	struct classify_sums sums;
	char *base = faults_map(PAGES);

	own = faults_map(PAGES);
	faults_setup(&faults, base, PAGES, 0);
	faults_trace(&faults, &trace, base, PAGES);
	faults_run(&faults, PAGES, &sums);
	assert_int_equal(madvise(base, PAGES * FAULTS_PAGE, MADV_DONTNEED), 0);
	faults_clear(&faults);
	faults.thread.draw = faulting_draw;
	faults_run(&faults, (uint64_t)2 * PAGES, &sums);
	assert_int_equal(faults_total(&faults, ACCESS_MINOR), PAGES);
	assert_int_equal(sums.kernel_minor, 2 * PAGES);
	assert_int_equal(sums.outside_minor, PAGES);
	assert_int_equal(sums.inexact, 0);
	assert_int_equal(faults.slow.multiple, 0);
	/* Without the trace the same shows as accesses with two faults. */
	assert_int_equal(madvise(base, PAGES * FAULTS_PAGE, MADV_DONTNEED), 0);
	assert_int_equal(madvise(own, PAGES * FAULTS_PAGE, MADV_DONTNEED), 0);
	faults.state.trace = NULL;
	faults_clear(&faults);
	faults_run(&faults, (uint64_t)2 * PAGES, &sums);
	assert_int_equal(faults.slow.multiple, PAGES);
	fault_trace_close(&trace);
	munmap(base, PAGES * FAULTS_PAGE);
	munmap(own, PAGES * FAULTS_PAGE);
	free(faults.pages);
}

/* A fault in the map without a slow access must not count as classified. */
TEST("a fault of another page makes the result inexact")
{
	struct faults faults;
	struct fault_trace trace;
	struct classify_sums sums;
	char *base = faults_map(2);

	faults_setup(&faults, base, 2, 0);
	faults_trace(&faults, &trace, base, 2);
	*(volatile char *)base = 1;
	assert_int_equal(classify_begin(&faults.state), 0);
	*(volatile char *)(base + FAULTS_PAGE) = 1;
	assert_true(faults.thread.on_slow(&faults.thread, ACCESS_WRITE, faults.state.fault_ticks + 1, base));
	assert_int_equal(classify_end(&faults.state), 0);
	classify_sum(&faults.state, &sums);
	assert_int_equal(faults_total(&faults, ACCESS_MINOR), 0);
	assert_int_equal(trace.in_map_minor, 1);
	assert_true(sums.inexact >= 1);
	fault_trace_close(&trace);
	munmap(base, 2 * FAULTS_PAGE);
	free(faults.pages);
}

/* More faults than the ring holds: recorded and lost ones add up to all. */
TEST("faults that the ring cannot hold are counted as lost")
{
	enum { MANY = 4096 };
	struct faults faults;
	struct fault_trace trace;
	struct fault_trace_faults found;
	char *base = faults_map(MANY);

	faults_setup(&faults, base, MANY, 0);
	faults_trace(&faults, &trace, base, MANY);
	assert_int_equal(fault_trace_begin(&trace), 0);
	for (size_t i = 0; i < MANY; i++)
		*(volatile char *)(base + i * FAULTS_PAGE) = 1;
	fault_trace_take(&trace, base, &found);
	assert_int_equal(found.minor, 1);
	/* The count of what was lost comes with the next record that finds room. */
	assert_int_equal(madvise(base, FAULTS_PAGE, MADV_DONTNEED), 0);
	*(volatile char *)base = 1;
	assert_int_equal(fault_trace_end(&trace), 0);
	assert_true(trace.lost > 0);
	assert_int_equal(trace.in_map_minor + trace.lost, MANY + 1);
	fault_trace_close(&trace);
	munmap(base, MANY * FAULTS_PAGE);
	free(faults.pages);
}

UNIT_BEGIN()
{
	return faults_no_trace();
}
