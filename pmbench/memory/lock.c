/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/memory/lock.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>
#include "common/base/sysfs.h"
#include "common/hot/keep.h"

#define STACK_BYTES_USED 16384

/* The first object is the program. Segments are locked separately: a gap between two fails with ENOMEM, as a low limit does. */
static int lock_segments(struct dl_phdr_info *object, size_t size, void *state)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	int *err = state;

	(void)size;
	for (size_t i = 0; i < object->dlpi_phnum && !*err; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t first = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
		uintptr_t last = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);

		if (segment->p_type == PT_LOAD && mlock2((void *)first, last - first, MLOCK_ONFAULT))
			*err = -errno;
	}
	return 1;
}

int lock_infrastructure(void)
{
	int err = 0;

	if (!mlockall(MCL_CURRENT | MCL_ONFAULT))
		return 0;
	dl_iterate_phdr(lock_segments, &err);
	return err;
}

uint64_t lock_count_pages(void)
{
	uint64_t kib = 0;

	(void)sysfs_read_field("", "/proc/self/smaps_rollup", "Locked", 10, &kib);
	return kib * 1024 / (unsigned long)sysconf(_SC_PAGESIZE);
}

void lock_leave_rseq(void)
{
#if __has_include(<sys/rseq.h>)
	void *area = (char *)__builtin_thread_pointer() + __rseq_offset;

	/* The kernel refuses if the area was registered with another size; the registration then remains. */
	if (__rseq_size)
		syscall(SYS_rseq, area, sizeof(struct rseq), RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
#endif
}

void __attribute__((noinline)) lock_prefault_stack(void)
{
	char buffer[STACK_BYTES_USED];

	for (size_t i = 0; i < sizeof(buffer); i += KEEP_PAGE_BYTES)
		buffer[i] = 0;
	keep_memory(buffer);
}
