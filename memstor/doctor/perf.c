/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf_event_open, and the proof that a sampled page fault carries its address. */
#include "config.h"
#include "memstor/doctor/hooks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(const struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int doctor_perf_event(const struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = open_event(attr, pid, cpu);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* With PERF_SAMPLE_ADDR alone a sample is its header and the address. */
struct sample {
	struct perf_event_header header;
	uint64_t address;
};

/* The records are few and the ring is a page: nothing has wrapped. */
static int find_fault(const struct perf_event_mmap_page *ring, size_t page_bytes, uint64_t wanted)
{
	const char *data = (const char *)ring + page_bytes;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	struct sample sample;

	for (uint64_t at = 0; at + sizeof(sample) <= head && at + sizeof(sample) <= page_bytes; at += sample.header.size) {
		memcpy(&sample, data + at, sizeof(sample));
		if (sample.header.type == PERF_RECORD_SAMPLE && (sample.address & ~(uint64_t)(page_bytes - 1)) == wanted)
			return 0;
		if (sample.header.size < sizeof(sample.header))
			break;
	}
	return -ENOMSG;
}

static int fault_once(int fd, const struct perf_event_mmap_page *ring, size_t page_bytes)
{
	volatile char *page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err = 0;

	if ((void *)page == MAP_FAILED)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	page[0] = 1;
	if (!err && ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
		err = -errno;
	if (!err)
		err = find_fault(ring, page_bytes, (uint64_t)(uintptr_t)page);
	munmap((void *)page, page_bytes);
	return err;
}

int doctor_fault_address(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1, .sample_type = PERF_SAMPLE_ADDR, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1};
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open_event(&attr, 0, -1), err;
	void *ring;

	if (fd < 0)
		return fd;
	ring = mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	err = ring == MAP_FAILED ? -errno : fault_once(fd, ring, page_bytes);
	if (ring != MAP_FAILED)
		munmap(ring, 2 * page_bytes);
	close(fd);
	return err;
}
