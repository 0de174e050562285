/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread's loop with its classes, ready to run over a mapping; for the tests of what a fault is. */
#ifndef TESTS_UNIT_FAULTS_H
#define TESTS_UNIT_FAULTS_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "pmbench/access/classify.h"
#include "tests/unit/unit.h"

#define FAULTS_PAGE ((size_t)sysconf(_SC_PAGESIZE))

struct faults {
	struct timebase timebase;
	struct access_page *pages; /* [ACCESS_CLASSES] */
	struct access_slow slow;
	struct classify_state state;
	struct access_thread thread;
	uint64_t next;             /* the draw: page after page, again and again */
};

static inline uint64_t faults_draw(struct pattern *draw_state)
{
	struct faults *faults = (struct faults *)(void *)draw_state;

	return faults->next++ % faults->thread.pages;
}

/* Counts and states as before a window. */
static inline void faults_clear(struct faults *faults)
{
	memset(faults->pages, 0, ACCESS_CLASSES * sizeof(*faults->pages));
	memset(&faults->slow, 0, sizeof(faults->slow));
	for (int class = 0; class < ACCESS_CLASSES; class++)
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
			faults->pages[class].half[direction].min_ticks = UINT64_MAX;
	faults->pages[ACCESS_ALL].half[ACCESS_READ].deadline = UINT64_MAX;
	faults->next = 0;
	classify_attach(&faults->state, &faults->thread);
}

static inline void faults_setup(struct faults *faults, char *base, size_t pages, unsigned percent_reads)
{
	memset(faults, 0, sizeof(*faults));
	assert_int_equal(timebase_init(&faults->timebase, TICKS_DEFAULT, false, 10000000, ""), 0);
	faults->pages = aligned_alloc(KEEP_PAGE_BYTES, ACCESS_CLASSES * sizeof(*faults->pages));
	assert_non_null(faults->pages);
	faults->state.asks_kernel = true;
	faults->state.slow = &faults->slow;
	faults->state.page[ACCESS_MINOR] = &faults->pages[ACCESS_MINOR];
	faults->state.page[ACCESS_MAJOR] = &faults->pages[ACCESS_MAJOR];
	faults->thread.method = TICKS_DEFAULT;
	faults->thread.base = base;
	faults->thread.pages = pages;
	faults->thread.page_bytes = (uint32_t)FAULTS_PAGE;
	faults->thread.read_threshold = (UINT64_MAX >> 1) / 100 * percent_reads;
	faults->thread.mult = faults->timebase.mult;
	faults->thread.draw = faults_draw;
	faults->thread.draw_state = (struct pattern *)(void *)faults;
	faults->thread.all = &faults->pages[ACCESS_ALL];
	rng_seed(&faults->thread.rng, 1, 0);
	faults_clear(faults);
}

static inline void faults_run(struct faults *faults, uint64_t accesses, struct classify_sums *sums)
{
	if (!faults->state.fault_ticks) {
		assert_int_equal(classify_calibrate(&faults->timebase, &faults->state.fault_ticks), 0);
		classify_attach(&faults->state, &faults->thread);
	}
	faults->thread.limit = accesses;
	assert_int_equal(classify_begin(&faults->state), 0);
	access_run(&faults->thread);
	assert_int_equal(classify_end(&faults->state), 0);
	assert_int_equal(faults->thread.done, accesses);
	classify_sum(&faults->state, sums);
}

static inline uint64_t faults_count(const struct faults *faults, enum access_class class,
	enum access_direction direction)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < BUCKET_LOG16_COUNT; i++)
		count += faults->pages[class].half[direction].count[i];
	return count;
}

static inline uint64_t faults_total(const struct faults *faults, enum access_class class)
{
	return faults_count(faults, class, ACCESS_READ) + faults_count(faults, class, ACCESS_WRITE);
}

static inline void *faults_map(size_t pages)
{
	void *base = mmap(NULL, pages * FAULTS_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(base, MAP_FAILED);
	(void)madvise(base, pages * FAULTS_PAGE, MADV_NOHUGEPAGE);
	return base;
}

/* The thread's faults are split from the next faults_clear on. */
static inline void faults_split(struct faults *faults, struct kernel_split *split)
{
	char reason[160] = "";

	assert_int_equal(kernel_split_open(split, &faults->timebase, reason, sizeof(reason)), 0);
	faults->state.split = split;
	faults_clear(faults);
}

/* The thread sanitizer touches a page of its own for each of the program's. */
#ifdef __SANITIZE_THREAD__
#define FAULTS_NOT_OWN "the thread sanitizer's shadow memory faults, too"
#else
#define FAULTS_NOT_OWN NULL
#endif

/* NULL where the host can, or why not: for main(). An emulator that says yes to any advice heeds none. */
static inline const char *faults_no_madvise(void)
{
	void *page = faults_map(1);
	int refused = madvise(page, FAULTS_PAGE, 9999);

	munmap(page, FAULTS_PAGE);
	return refused ? FAULTS_NOT_OWN : "madvise(2) is emulated here, page faults are not this program's";
}

static inline const char *faults_no_split(void)
{
	static char reason[160];
	struct timebase timebase = {.method = TICKS_PERFC, .mult = 1ull << 32};
	struct kernel_split split;

	if (kernel_split_open(&split, &timebase, reason, sizeof(reason)))
		return reason[0] ? reason : "no reason was given";
	kernel_split_close(&split);
	return FAULTS_NOT_OWN;
}

/* Each part is longer than nothing, and the medians of the parts make about that of the whole. */
static inline void faults_check_medians(const struct pm_fault_parts_values *kind)
{
	double parts = kind->entry_ns + kind->handle_ns + kind->exit_ns;

	assert_true(kind->entry_ns > 10);
	assert_true(kind->handle_ns > 50);
	assert_true(kind->exit_ns > 10);
	assert_true(parts > 0.7 * kind->total_ns);
	assert_true(parts < 1.3 * kind->total_ns);
}

#endif
