/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/target/allocs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memtrace/file/preload.h"
#include "memtrace/names/allocs_ring.h"

#define PATIENCE 5 /* drains after which the process of an unfinished entry counts as dead */

struct allocs {
	struct allocs_ring *ring;
	int fd;
	unsigned waited; /* drains for the entry at the tail */
};

static int set_environment(int fd)
{
	char place[64];

	snprintf(place, sizeof(place), "/proc/%d/fd/%d", (int)getpid(), fd);
	return setenv(ALLOCS_VARIABLE, place, 1) ? -errno : preload_library();
}

int allocs_open(uint64_t least_bytes, struct allocs **allocs)
{
	struct allocs *new = calloc(1, sizeof(*new));
	int err = 0;

	if (!new)
		return -ENOMEM;
	new->fd = memfd_create(PRELOAD_MEMORY, MFD_CLOEXEC);
	new->ring = MAP_FAILED;
	if (new->fd < 0 || ftruncate(new->fd, sizeof(*new->ring)))
		err = -errno;
	if (!err)
		new->ring = mmap(NULL, sizeof(*new->ring), PROT_READ | PROT_WRITE, MAP_SHARED, new->fd, 0);
	if (!err && new->ring == MAP_FAILED)
		err = -errno;
	if (!err) {
		new->ring->least_bytes = least_bytes;
		new->ring->magic = ALLOCS_MAGIC;
		err = set_environment(new->fd);
	}
	if (err) {
		allocs_close(new);
		return err;
	}
	*allocs = new;
	return 0;
}

/* Takes the next entry; false: there is none yet. */
static bool take(struct allocs *allocs, uint64_t tail, struct alloc *alloc)
{
	const struct alloc_slot *slot = &allocs->ring->slots[tail % ALLOCS_SLOTS];

	if (__atomic_load_n(&slot->turn, __ATOMIC_ACQUIRE) != tail + 1)
		return false;
	*alloc = slot->alloc;
	allocs->waited = 0;
	return true;
}

int allocs_drain(struct allocs *allocs, const struct perf_anchor *anchor, struct trace_writer *writer)
{
	uint64_t tail = allocs ? __atomic_load_n(&allocs->ring->tail, __ATOMIC_RELAXED) : 0;
	struct alloc alloc;
	int err = 0;

	/* The command can write to the ring, so a drain is bounded. */
	for (unsigned i = 0; allocs && i < ALLOCS_SLOTS && !err; i++) {
		struct trace_event event = {.text = ""};

		if (take(allocs, tail, &alloc)) {
			bool is_new = alloc.kind == ALLOC_NEW;

			event.type = is_new ? TRACE_NAME : TRACE_FORGET;
			event.pid = alloc.pid;
			event.tid = alloc.pid;
			event.time_ns = anchor->perf_ns + (alloc.time_ns - anchor->monotonic_ns);
			event.value[0] = alloc.address;
			event.value[1] = alloc.bytes;
			event.value[2] = is_new ? alloc.outer : 0;
			event.value[3] = is_new ? alloc.site : 0;
			err = trace_write_event(writer, &event);
		} else if (__atomic_load_n(&allocs->ring->head, __ATOMIC_RELAXED) == tail || ++allocs->waited < PATIENCE) {
			break;
		} else {
			allocs->waited = 0;
			__atomic_fetch_add(&allocs->ring->dropped, 1, __ATOMIC_RELAXED);
		}
		__atomic_store_n(&allocs->ring->tail, ++tail, __ATOMIC_RELEASE);
	}
	return err;
}

uint64_t allocs_processes(const struct allocs *allocs)
{
	return __atomic_load_n(&allocs->ring->processes, __ATOMIC_RELAXED);
}

uint64_t allocs_dropped(const struct allocs *allocs)
{
	return __atomic_load_n(&allocs->ring->dropped, __ATOMIC_RELAXED);
}

void allocs_close(struct allocs *allocs)
{
	if (!allocs)
		return;
	if (allocs->ring != MAP_FAILED)
		munmap(allocs->ring, sizeof(*allocs->ring));
	if (allocs->fd >= 0)
		close(allocs->fd);
	free(allocs);
}
