/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults that read from a disk: pages of a mapped file that are not in memory. Needs neither swap nor root. */
#include "config.h"
#include <fcntl.h>
#include "tests/unit/faults.h"

#define PAGES 512
#define BYTES (PAGES * FAULTS_PAGE)

static int file = -1;

/* The file's pages leave memory and are mapped anew: each first touch of a page is a major fault. NULL when some
 * stay, as on a file system that keeps its files in memory. */
static char *map_absent(void)
{
	unsigned char resident[PAGES];
	char *base;

	if (fsync(file) || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
		return NULL;
	base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	if (base == MAP_FAILED)
		return NULL;
	/* No readahead: it would make the next pages' faults minor. */
	if (madvise(base, BYTES, MADV_RANDOM) || mincore(base, BYTES, resident))
		resident[0] = 1;
	for (size_t i = 0; i < PAGES; i++) {
		if (resident[i] & 1) {
			munmap(base, BYTES);
			return NULL;
		}
	}
	return base;
}

static const char *no_file(void)
{
	char path[] = "test_major_faults_XXXXXX", block[4096];
	char *base;

	file = mkstemp(path);
	if (file < 0)
		return "no file can be made in this folder";
	unlink(path);
	memset(block, 0x5a, sizeof(block));
	for (size_t bytes = 0; bytes < BYTES; bytes += sizeof(block))
		if (write(file, block, sizeof(block)) != sizeof(block))
			return "the file cannot be written";
	base = map_absent();
	if (!base)
		return "files in this folder do not leave memory";
	munmap(base, BYTES);
	return NULL;
}

/* Code and counters are touched first, so that the window's only faults are the file's. */
static void warm(struct faults *faults)
{
	struct classify_sums sums;
	char *base = faults_map(PAGES);

	faults_setup(faults, base, PAGES, 100);
	faults_run(faults, PAGES, &sums);
	munmap(base, BYTES);
	faults->thread.base = map_absent();
	assert_non_null(faults->thread.base);
	faults_clear(faults);
}

static void check_majors(struct faults *faults, const struct classify_sums *sums)
{
	assert_int_equal(sums->kernel_major, PAGES);
	assert_int_equal(faults_count(faults, ACCESS_MAJOR, ACCESS_READ), PAGES);
	assert_int_equal(faults_total(faults, ACCESS_MINOR), 0);
	assert_int_equal(faults_total(faults, ACCESS_ALL), 3 * PAGES);
	assert_int_equal(sums->inexact, 0);
	munmap(faults->thread.base, BYTES);
	free(faults->pages);
}

TEST("absent pages are major")
{
	struct faults faults;
	struct classify_sums sums;

	warm(&faults);
	faults_run(&faults, (uint64_t)3 * PAGES, &sums);
	check_majors(&faults, &sums);
}

static bool is_missing(const char *why)
{
	if (why)
		printf("# not here: %s\n", why);
	return why;
}

TEST("the kernel split covers major faults")
{
	struct faults faults;
	struct kernel_split split;
	struct kernel_split_summary result;
	struct classify_sums sums;

	if (is_missing(faults_no_split()))
		return;
	warm(&faults);
	faults_split(&faults, &split);
	faults_run(&faults, (uint64_t)3 * PAGES, &sums);
	kernel_split_summarize(&split, &result);
	assert_int_equal(result.parts[KERNEL_SPLIT_MAJOR].count + split.strays, PAGES);
	assert_true(split.strays < PAGES / 100);
	assert_int_equal(result.parts[KERNEL_SPLIT_MINOR].count, 0);
	faults_check_medians(&result.parts[KERNEL_SPLIT_MAJOR]);
	check_majors(&faults, &sums);
	kernel_split_close(&split);
}

UNIT_BEGIN()
{
	const char *why = faults_no_madvise();

	return why ? why : no_file();
}
