/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/faults.h"

#define PAGES 2048

TEST("faults of first accesses are split")
{
	struct faults faults;
	struct kernel_split split;
	struct kernel_split_summary result;
	struct classify_sums sums;
	char *base = faults_map(PAGES);

	faults_setup(&faults, base, PAGES, 0);
	faults_split(&faults, &split);
	faults_run(&faults, (uint64_t)2 * PAGES, &sums);
	assert_int_equal(faults_total(&faults, ACCESS_MINOR), PAGES);
	kernel_split_summarize(&split, &result);
	assert_true(result.is_available);
	/* Accesses with a second fault and those whose clocks were read apart are left out. */
	assert_int_equal(result.parts[KERNEL_SPLIT_MINOR].count + split.strays + faults.slow.multiple, PAGES);
	assert_true(split.strays < PAGES / 100);
	assert_int_equal(result.parts[KERNEL_SPLIT_MAJOR].count, 0);
	assert_true(result.parts[KERNEL_SPLIT_MAJOR].total_ns == 0);
	faults_check_medians(&result.parts[KERNEL_SPLIT_MINOR]);
	/* And nothing once the window has ended. */
	assert_int_equal(madvise(base, PAGES * FAULTS_PAGE, MADV_DONTNEED), 0);
	{
		uint64_t before = stamps_read(&split.stamps, STAMPS_BEGIN);

		*(volatile char *)base = 1;
		assert_int_equal(stamps_read(&split.stamps, STAMPS_BEGIN), before);
	}
	kernel_split_close(&split);
	munmap(base, PAGES * FAULTS_PAGE);
	free(faults.pages);
}

/* Stamps that do not lie inside the access belong to another fault. */
TEST("stamps of other threads are counted as strays")
{
	struct faults faults;
	struct kernel_split split;
	struct kernel_split_summary result;
	uint64_t now;
	char *base = faults_map(1);

	faults_setup(&faults, base, 1, 0);
	faults_split(&faults, &split);
	assert_int_equal(kernel_split_begin(&split), 0);
	*(volatile char *)base = 1;
	assert_int_equal(kernel_split_end(&split), 0);
	now = ticks_stop(TICKS_DEFAULT);
	kernel_split_take(&split, KERNEL_SPLIT_MINOR, now, now + 1000);
	kernel_split_summarize(&split, &result);
	assert_int_equal(split.strays, 1);
	assert_int_equal(result.parts[KERNEL_SPLIT_MINOR].count, 0);
	kernel_split_close(&split);
	munmap(base, FAULTS_PAGE);
	free(faults.pages);
}

UNIT_BEGIN()
{
	return faults_no_split();
}
