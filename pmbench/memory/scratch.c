/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/memory/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common/base/clock.h"

#define COST_BLOCK 128
#define COST_ROUNDS 16

int scratch_renew(struct scratch *scratch)
{
	return madvise(scratch->base, scratch->pages * scratch->page_bytes, MADV_DONTNEED) ? -errno : 0;
}

int scratch_open(struct scratch *scratch, size_t pages)
{
	struct scratch new = {.pages = pages, .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
	size_t bytes = pages * new.page_bytes;
	int err;

	new.base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (new.base == MAP_FAILED)
		return -ENOMEM;
	/* A kernel without transparent huge pages refuses the advice and needs none. */
	(void)madvise(new.base, bytes, MADV_NOHUGEPAGE);
	/* MCL_FUTURE has locked and filled the mapping; only unlocked pages can be discarded. */
	if (munlock(new.base, bytes)) {
		munmap(new.base, bytes);
		return -ENOMEM;
	}
	err = scratch_renew(&new);
	if (err) {
		munmap(new.base, bytes);
		return err;
	}
	*scratch = new;
	return 0;
}

void scratch_close(struct scratch *scratch)
{
	munmap(scratch->base, scratch->pages * scratch->page_bytes);
}

void scratch_read(const struct scratch *scratch, enum ticks_method method, size_t first, size_t count,
	uint64_t *ticks)
{
	for (size_t i = 0; i < count; i++) {
		const volatile uint32_t *word = (void *)(scratch->base + (first + i) * scratch->page_bytes);
		uint64_t start = ticks_start(method);

		(void)*word;
		ticks[i] = ticks_stop(method) - start;
	}
}

void scratch_write(const struct scratch *scratch, enum ticks_method method, size_t first, size_t count,
	uint64_t *ticks)
{
	for (size_t i = 0; i < count; i++) {
		volatile uint32_t *word = (void *)(scratch->base + (first + i) * scratch->page_bytes);
		uint64_t start = ticks_start(method);

		*word = (uint32_t)i;
		ticks[i] = ticks_stop(method) - start;
	}
}

static double median_ns(const struct timebase *timebase, uint64_t *ticks, size_t count)
{
	qsort(ticks, count, sizeof(*ticks), clock_compare);
	return (double)ticks_to_ns(ticks[count / 2] + ticks[(count - 1) / 2], timebase->mult) / 2;
}

/* Measures minor faults in alternating blocks with and without the events, so that a change of the machine's speed affects both. */
int scratch_cost(const struct timebase *timebase, scratch_switch *set, void *state, double *cost_ns)
{
	enum { FAULTS = COST_ROUNDS * COST_BLOCK };
	struct scratch scratch;
	uint64_t *with, *without;
	int err = scratch_open(&scratch, (size_t)2 * FAULTS);

	if (err)
		return err;
	with = calloc((size_t)2 * FAULTS, sizeof(*with));
	if (!with) {
		scratch_close(&scratch);
		return -ENOMEM;
	}
	without = with + FAULTS;
	for (size_t first = 0; first < FAULTS && !err; first += COST_BLOCK) {
		scratch_write(&scratch, timebase->method, 2 * first, COST_BLOCK, without + first);
		err = set(state, true);
		scratch_write(&scratch, timebase->method, 2 * first + COST_BLOCK, COST_BLOCK, with + first);
		err = err ? err : set(state, false);
	}
	if (!err)
		*cost_ns = median_ns(timebase, with, FAULTS) - median_ns(timebase, without, FAULTS);
	free(with);
	scratch_close(&scratch);
	return err;
}
