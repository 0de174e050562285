/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/scratch.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

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
		return -errno;
	/* A kernel without transparent huge pages refuses the advice and needs none. */
	(void)madvise(new.base, bytes, MADV_NOHUGEPAGE);
	/* Under MCL_FUTURE the mapping is locked and already filled; unlocked it may be dropped. */
	if (munlock(new.base, bytes)) {
		err = -errno;
		munmap(new.base, bytes);
		return err;
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
