/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf_event_open, and the proof that a sampled page fault carries its address. */
#include "config.h"
#include "memstor/doctor/hooks.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/perf.h"

int doctor_perf_event(const struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = perf_open(attr, pid, cpu);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* With PERF_SAMPLE_ADDR alone a sample is its header and the address. */
enum { WORD_HEADER, WORD_ADDRESS };

static int find_fault(const struct perf_ring *ring, uint64_t page, uint64_t page_mask)
{
	uint64_t head = perf_ring_head(ring);

	for (uint64_t at = 0; at < head;) {
		uint64_t word = perf_ring_word(ring, at, WORD_HEADER);
		struct perf_event_header header;

		memcpy(&header, &word, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE && (perf_ring_word(ring, at, WORD_ADDRESS) & page_mask) == page)
			return 0;
		if (header.size < sizeof(header))
			break;
		at += header.size;
	}
	return -ENOMSG;
}

int doctor_fault_address(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1, .sample_type = PERF_SAMPLE_ADDR, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1};
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int fd = perf_open(&attr, 0, -1), err;
	struct perf_ring ring;
	volatile char *page;

	if (fd < 0)
		return fd;
	err = perf_ring_open(fd, 1, &ring);
	page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!err && page == MAP_FAILED)
		err = -ENOMEM;
	if (!err && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	if (!err)
		page[0] = 1;
	if (!err && ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
		err = -errno;
	if (!err)
		err = find_fault(&ring, (uint64_t)(uintptr_t)page, ~(uint64_t)(page_bytes - 1));
	if (page != MAP_FAILED)
		munmap((void *)page, page_bytes);
	perf_ring_close(&ring);
	close(fd);
	return err;
}
