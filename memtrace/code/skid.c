/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/code/skid.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/hot/chase.h"
#include "common/kernel/perf.h"

#define STEP_BYTES 4160u   /* a page and a line, so that each step uses another set of the cache */
#define LINES 8053u
#define STRIDE 3571u
#define CHAIN_BYTES (LINES * STEP_BYTES)
#define PERIOD_NS 100000
#define SAMPLES 400u
#define RING_PAGES 8
#define STEPS_AT_ONCE 200000u
#define ROUNDS_MAX 100     /* takes some 50 ms, or a few seconds on the slowest memory */

void skid_decide(const unsigned long *ips, unsigned count, unsigned long load, unsigned long next, struct skid *skid)
{
	unsigned on_load = 0, behind = 0;

	for (unsigned i = 0; i < count; i++) {
		on_load += ips[i] == load;
		behind += ips[i] == next;
	}
	*skid = (struct skid){on_load > behind ? 0 : 1, on_load + behind, on_load > behind ? on_load : behind};
}

/* Makes a chain through all lines, one in each page and a line further, which no prefetcher follows. Returns its beginning. */
static void *make_chain(char *memory)
{
	/* The number of lines is prime, so the stride visits all of them. */
	for (size_t i = 0, at = 0, to; i < LINES; i++, at = to) {
		void *target;

		to = (at + STRIDE) % LINES;
		target = memory + to * STEP_BYTES;
		memcpy(memory + at * STEP_BYTES, &target, sizeof(target));
	}
	return memory;
}

static unsigned take_samples(struct perf_ring *ring, unsigned long *ips, unsigned most)
{
	uint64_t head = perf_ring_head(ring), at;
	unsigned count = 0;

	for (at = 0; at < head && count < most;) {
		uint64_t word = perf_ring_word(ring, at, 0);
		struct perf_event_header header;

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header))
			break;
		if (header.type == PERF_RECORD_SAMPLE)
			ips[count++] = (unsigned long)perf_ring_word(ring, at, 1);
		at += header.size;
	}
	return count;
}

int skid_calibrate(struct skid *skid)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS, .sample_type = PERF_SAMPLE_IP, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1};
	struct chase_place place = {0};
	unsigned long ips[SAMPLES];
	struct perf_ring ring = {0};
	int fd = perf_open(&attr, 0, -1), err;
	char *memory;

	if (fd < 0)
		return fd;
	err = perf_ring_open(fd, RING_PAGES, &ring);
	memory = mmap(NULL, CHAIN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!err && memory == MAP_FAILED)
		err = -errno;
	if (!err) {
		void *at = make_chain(memory);

		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			err = -errno;
		for (unsigned i = 0; !err && i < ROUNDS_MAX && perf_ring_head(&ring) < SAMPLES * 16ull; i++)
			at = chase(at, STEPS_AT_ONCE, &place);
		if (!err && ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
			err = -errno;
	}
	if (!err)
		skid_decide(ips, take_samples(&ring, ips, SAMPLES), place.load, place.next, skid);
	if (memory != MAP_FAILED)
		munmap(memory, CHAIN_BYTES);
	perf_ring_close(&ring);
	close(fd);
	return err;
}
