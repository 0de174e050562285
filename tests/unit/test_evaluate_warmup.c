/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When warming up ends, by files that say what the kernel would. */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/stat.h>
#include "common/report/report_common.h"
#include "iowrite-bench/evaluate/evaluate.h"
#include "tests/unit/fakeroot.h"

#define MIB (1ull << 20)

struct warming {
	char root[64];
	struct target target;
	struct dirty dirty;
	struct warmup warmup;
	FILE *file;
	int stop;
};

/* Thresholds of 16 and 32 MiB: freerun 24, setpoint 28; 26 is near enough. */
static void begin(struct warming *warming, unsigned dirty_mib)
{
	unsigned long long pages = MIB / (unsigned long)sysconf(_SC_PAGESIZE);
	char text[256];

	*warming = (struct warming){.file = tmpfile()};
	assert_non_null(warming->file);
	fakeroot_make(warming->root);
	snprintf(text, sizeof(text),
		"nr_dirty %llu\nnr_writeback %llu\nnr_dirty_threshold %llu\nnr_dirty_background_threshold %llu\n",
		(dirty_mib - 5) * pages, 5 * pages, 32 * pages, 16 * pages);
	fakeroot_put(warming->root, "/proc/vmstat", text);
	assert_int_equal(dirty_open(warming->root, &warming->dirty), 0);
	warming->target.fd = fileno(warming->file);
	warming->warmup = (struct warmup){&warming->target, &warming->dirty, 64 * MIB, UINT64_MAX, 300000000, &warming->stop};
}

static uint64_t file_size(const struct warming *warming)
{
	struct stat facts;

	assert_int_equal(fstat(warming->target.fd, &facts), 0);
	return (uint64_t)facts.st_size;
}

static void end(struct warming *warming)
{
	dirty_close(&warming->dirty);
	fakeroot_remove(warming->root);
	assert_int_equal(fclose(warming->file), 0);
}

TEST("a warm-up ends with its time")
{
	struct warming warming;
	uint64_t began;

	begin(&warming, 25);
	began = report_monotonic_ns();
	assert_int_equal(warmup_run(&warming.warmup), 0);
	assert_true(report_monotonic_ns() - began >= 300000000);
	assert_int_equal(file_size(&warming), 0);
	end(&warming);
}

/* An hour is allowed, and any number of bytes: the test ends because it has settled, or not at all. */
TEST("a warm-up ends when the dirty bytes are steady")
{
	struct warming warming;

	begin(&warming, 26);
	warming.warmup.longest_ns = 3600000000000;
	assert_int_equal(warmup_run(&warming.warmup), 0);
	assert_int_equal(file_size(&warming), 0);
	end(&warming);
}

/* More than the file has, and never settled. */
TEST("a warm-up ends with its bytes")
{
	struct warming warming;

	begin(&warming, 25);
	warming.warmup.longest_ns = 3600000000000;
	warming.warmup.most_bytes = 256 * MIB;
	assert_int_equal(warmup_run(&warming.warmup), 0);
	assert_int_equal(file_size(&warming), 0);
	end(&warming);
}

TEST("a warm-up ends by the stop flag")
{
	struct warming warming;

	begin(&warming, 25);
	warming.warmup.longest_ns = 3600000000000;
	warming.stop = 15;
	assert_int_equal(warmup_run(&warming.warmup), 0);
	end(&warming);
}

TEST("a file too small for throttling is not written")
{
	struct warming warming;

	begin(&warming, 25);
	warming.warmup.file_bytes = 32 * MIB;
	warming.warmup.longest_ns = 3600000000000;
	assert_int_equal(fwrite("mine", 1, 4, warming.file), 4);
	assert_int_equal(fflush(warming.file), 0);
	assert_int_equal(warmup_run(&warming.warmup), 0);
	assert_int_equal(file_size(&warming), 4);
	end(&warming);
}
